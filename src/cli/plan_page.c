/* The page of a plan: what was tested and how it came out, then its steps. */
#include "cli/plan_page.h"

#include <inttypes.h>

#include "cli/emit.h"
#include "cli/plan_cdm.h"
#include "cli/plan_page_priv.h"
#include "cli/plan_targets.h"

/* --- the whole --- */

static bool is_simulated(const struct plan_record *record)
{
	return record->ntargets && str_starts(record->targets[0].path, "sim:");
}

/* What nobody may miss. */
static void add_marks(struct document *doc, const struct plan_view *view)
{
	const struct plan_record *record = view->record;
	unsigned begun = plan_repetitions_begun(view->journal);
	unsigned left = record->repetitions > begun ? record->repetitions - begun : 0;

	if (is_simulated(record))
		document_prose(doc, TONE_MARK,
			       "simulated: figures of a model, no drive was touched");
	if (record->scale > 1)
		document_prose(doc, TONE_MARK,
			       "short form: scale 1/%u of times and capacity; no qualification",
			       record->scale);
	if (!str_equal(record->state, "done"))
		document_prose(doc, TONE_MARK, "not complete: %s",
			       document_say(doc, record->state));
	if (left)
		document_prose(doc, TONE_MARK,
			       PLURAL(left, "%u of %u repetitions was not begun",
				      "%u of %u repetitions were not begun"),
			       left, record->repetitions);
	if (record->settings && *record->settings)
		document_prose(doc, TONE_INFO,
			       "changed against the plan as it is shipped or written: see the "
			       "settings below");
}

static void add_lanes(struct document *doc, const struct plan_view *view)
{
	const struct plan_record *record = view->record;
	unsigned begun = plan_repetitions_begun(view->journal);

	for (unsigned r = 0; r < begun; r++)
		for (unsigned t = 0; t < record->ntargets; t++) {
			const struct plan_lane lane = {.plan = view->plan,
						       .journal = view->journal,
						       .spec = view->spec,
						       .target = t,
						       .repetition = r};

			if (record->ntargets > 1 || record->repetitions > 1)
				document_heading(doc, 1, "%s, repetition %u",
						 record->targets[t].path, r + 1);
			for (unsigned s = 0; s < view->plan->nsteps; s++)
				plan_step_page(doc, view, &lane, s);
		}
}

void plan_page(struct document *doc, const struct plan_view *view)
{
	const struct plan_record *record = view->record;

	document_heading(doc, 1, "%s%s%s",
			 is_simulated(record) ? document_say(doc, N_("simulated: ")) : "",
			 record->title ? record->title : record->name,
			 record->scale > 1 ? document_text(doc, ", scale 1/%u", record->scale)
					   : "");
	add_marks(doc, view);
	plan_verdict_page(doc, view);
	document_heading(doc, 2, "what was tested");
	plan_facts(doc, view);
	if (!view->brief)
		plan_machine(doc, view);
	plan_preparation(doc, view);
	plan_conditions(doc, view);
	plan_targets_tables(doc, view);
	for (unsigned t = 0; t < record->ntargets; t++)
		plan_against_page(doc, view, t);
	add_lanes(doc, view);
	if (!view->brief && view->vitals)
		plan_vitals_page(doc, view);
	for (unsigned t = 0; t < record->ntargets; t++)
		plan_health(doc, view, t);
	if (!view->brief) {
		plan_environment(doc, view);
		plan_again(doc, view);
	}
	if (record->id)
		document_prose(doc, TONE_PLAIN,
			       "kept as p%" PRId64 ": `assay results show p%" PRId64
			       "` shows it again",
			       record->id, record->id);
}

int plan_page_content(struct document *doc, void *view, struct err *err)
{
	(void)err;
	plan_page(doc, view);
	return 0;
}

int plan_emit(const struct plan_view *view, enum native_format format, const char *path,
	      struct err *err)
{
	struct plan_view brief = *view;
	struct document doc;
	autostr out = {0};
	int rc;

	if (format == NATIVE_CDM) {
		rc = plan_cdm(view, &out, err);
		if (rc)
			return rc;
	} else if (format == NATIVE_JSON) {
		plan_page_json(view, &out);
	} else if (format == NATIVE_CSV) {
		plan_page_csv(view, &out);
	} else {
		native_begin_page(&doc, &out, format, path);
		brief.brief = true;
		plan_page(&doc, &brief);
		document_done(&doc);
	}
	return emit_text(path, &out, err);
}
