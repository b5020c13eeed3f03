/* assay results export, import, merge. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lang.h"
#include "cli/emit.h"
#include "cli/plan_kept.h"
#include "cli/results_priv.h"
#include "result/anonymous.h"
#include "result/plan_json.h"
#include "result/record_json.h"

#define FILE_MAX_BYTES (1ULL << 30)

struct exported {
	struct side *sides; /* one a word; empty of a plan */
	struct record **records;
	struct plan_record **plans;
	unsigned nsides, count, nplans;
};

/* A plan's runs are records like others; what they are of it stands beside them. */
static int gather_plan(struct results *results, struct exported *all, const char *name,
		       struct side *ret_side, struct err *err)
{
	struct arena *arena = &results->source.arena;
	struct plan_record *plan = arena_new(arena, struct plan_record);
	unsigned count = 0;
	int64_t id, *runs;
	int rc = side_store(&results->source, STORE_READ, err);

	*ret_side = (struct side){.name = name};
	if (!rc)
		rc = store_plan_find(results->source.store, name, &id, err);
	if (rc)
		return rc;
	rc = store_plan_load(results->source.store, id, plan, err);
	all->plans[all->nplans++] = plan;
	if (!rc)
		rc = store_plan_runs(results->source.store, id, arena, &runs, &count, err);
	ret_side->records = arena_array(arena, struct record *, count + 1);
	for (unsigned i = 0; i < count && !rc; i++) {
		ret_side->records[i] = arena_new(arena, struct record);
		rc = store_load(results->source.store, runs[i], STORE_WHOLE,
				ret_side->records[i], err);
		ret_side->count++;
	}
	return rc;
}

static int gather(struct results *results, struct exported *all, struct err *err)
{
	struct arena *arena = &results->source.arena;
	unsigned total = 0;

	all->sides = arena_array(arena, struct side, results->nwords);
	all->plans = arena_array(arena, struct plan_record *, results->nwords);
	while (all->nsides < results->nwords) {
		const char *name = results->words[all->nsides];
		struct side *side = &all->sides[all->nsides++];
		const char *plan;
		int rc = side_plan(&results->source, name, &plan, err);

		if (!rc)
			rc = plan ? gather_plan(results, all, plan, side, err)
				  : side_load(&results->source, name, side, err);

		if (rc)
			return rc;
		total += side->count;
	}
	all->records = arena_array(arena, struct record *, total + 1);
	for (unsigned i = 0; i < all->nsides; i++)
		for (unsigned k = 0; k < all->sides[i].count; k++)
			all->records[all->count++] = all->sides[i].records[k];
	return 0;
}

/* The names of whoever exports are no part of a result, and yet may stand in its texts. */
static int hide(struct results *results, struct str *text, struct err *err)
{
	const char *user = getenv("SUDO_USER") ? getenv("SUDO_USER") : getenv("USER");
	char host[256] = "";
	autostr salt = {0}, hidden = {0};
	int rc = side_store(&results->source, STORE_READ, err);

	if (!rc)
		rc = store_salt(results->source.store, &salt, err);
	if (rc)
		return rc;
	(void)gethostname(host, sizeof(host) - 1);
	rc = anonymous_json(text, &(const struct anonymous){str_text(&salt), host, user},
			    &hidden, err);
	str_clear(text);
	str_add_bytes(text, str_text(&hidden), hidden.length);
	return rc;
}

int results_export(struct results *results, struct err *err)
{
	struct exported all = {0};
	autostr out = {0};
	int rc = results->nwords ? 0 : err_input(err, "results export: which runs or plans?");

	if (!rc)
		rc = gather(results, &all, err);
	if (!rc)
		record_export_json(&(const struct record_export){.records = all.records,
								 .plans = all.plans,
								 .count = all.count,
								 .nplans = all.nplans},
				   ASSAY_VERSION, &out);
	if (!rc && results->anonymous)
		rc = hide(results, &out, err);
	if (!rc)
		rc = emit_text(results->output, &out, err);
	for (unsigned i = 0; i < all.nsides; i++)
		side_done(&all.sides[i]);
	for (unsigned i = 0; i < all.nplans; i++)
		plan_record_done(all.plans[i]);
	return rc;
}

static int import_one(struct results *results, struct record *record, struct str *out,
		      struct err *err)
{
	bool known;
	int rc;

	if (results->tag)
		record_add_tag(record, results->tag);
	rc = store_save(results->source.store, record, &known, err);
	if (rc)
		return rc;
	str_printf(out, "%s\t%s\t", record->id, known ? "known" : "new");
	str_add_plain(out, record->title ? record->title : "");
	str_add_char(out, '\n');
	return 0;
}

/* Whether they can be shown is looked at before the first is kept. */
static int import_plans(struct results *results, const char *name, struct str *out,
			struct err *err)
{
	struct plan_record *plans = NULL;
	unsigned count = 0;
	autostr text = {0};
	int rc = file_read(name, FILE_MAX_BYTES, &text);

	if (rc)
		return err_env(err, rc, "cannot read \"%s\": %s", name, err_name(rc));
	rc = plan_records_read(&results->source.arena, str_text(&text), text.length, &plans,
			       &count, err);
	for (unsigned i = 0; i < count && !rc; i++)
		rc = plan_kept_check(&plans[i], err);
	if (rc)
		err_context(err, "%s", name);
	for (unsigned i = 0; i < count && !rc; i++) {
		bool known = false;

		rc = store_plan_save(results->source.store, &plans[i], &known, err);
		if (!rc)
			str_printf(out, "p%" PRId64 "\t%s\t%s\n", plans[i].id,
				   known ? "known" : "new", plans[i].name);
	}
	for (unsigned i = 0; i < count; i++)
		plan_record_done(&plans[i]);
	return rc;
}

int results_import(struct results *results, struct err *err)
{
	autostr out = {0};
	int rc = results->nwords ? side_store(&results->source, STORE_WRITE, err)
				 : err_input(err, "results import: which files?");

	for (unsigned i = 0; i < results->nwords && !rc; i++) {
		const char *name = results->words[i];
		struct side side;

		if (!side_is_file(name))
			return err_input(err, "\"%s\" is no file's name (./%s is)", name, name);
		rc = side_load(&results->source, name, &side, err);
		for (unsigned k = 0; k < side.count && !rc; k++)
			rc = import_one(results, side.records[k], &out, err);
		side_done(&side);
		if (!rc)
			rc = import_plans(results, name, &out, err);
	}
	return rc ? rc : emit_text(NULL, &out, err);
}

int results_merge(struct results *results, struct err *err)
{
	struct store_merged merged;
	autostr out = {0};
	int rc;

	if (results->nwords != 1)
		return err_input(err, "results merge: one STORE, a file that assay made");
	rc = side_store(&results->source, STORE_WRITE, err);
	if (!rc)
		rc = store_merge(results->source.store, results->words[0], &merged, err);
	if (rc)
		return rc;
	lang_add(&out, "%u new, %u known already", merged.fresh, merged.known);
	str_add_char(&out, '\n');
	if (merged.fresh_plans + merged.known_plans) {
		lang_add(&out, "plans: %u new, %u known already", merged.fresh_plans,
			 merged.known_plans);
		str_add_char(&out, '\n');
	}
	return emit_text(NULL, &out, err);
}
