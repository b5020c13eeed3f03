#include "cli/plan_limit.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/lang.h"
#include "base/quantity.h"
#include "device/mkfs.h"
#include "report/figures.h"

/* --- the count --- */

static void path_of(const struct plan_session *s, struct str *out)
{
	str_printf(out, "%s/plan-%s.budget", s->folder, s->kept.record.uid);
}

static uint64_t of_journal(const struct plan_session *s)
{
	uint64_t written = 0;

	for (unsigned i = 0; i < s->kept.journal.count; i++)
		written += s->kept.journal.entries[i].written_bytes;
	return written;
}

/* What lies on a drive is ours where a cell was cut off before it was kept. */
static void mark_written(struct plan_session *s)
{
	if (plan_budget_written(&s->x.budget) <= of_journal(s))
		return;
	for (unsigned t = 0; t < s->x.ndrives; t++)
		for (unsigned r = 0; r < s->kept.record.repetitions; r++) {
			const struct plan_lane lane = {.plan = &s->kept.plan,
						       .journal = &s->kept.journal,
						       .spec = s->sheet,
						       .target = t,
						       .repetition = r};
			struct plan_task task;
			bool more = plan_lane_next(&lane, &task);

			if (more && plan_step_writes(&s->kept.plan.steps[task.step]) &&
			    (s->kept.record.parallel || s->x.ndrives == 1))
				s->x.drives[t].wrote = true;
		}
}

static int change(struct plan_session *s, struct err *err)
{
	struct plan_record *record = &s->kept.record;
	uint64_t limit = s->options->max_write_bytes;
	uint64_t written = s->x.budget.page ? plan_budget_written(&s->x.budget) : of_journal(s);
	autostr size = {0}, done = {0};

	quantity_decimal(written, &done);
	quantity_decimal(limit, &size);
	if (limit && limit <= written)
		return err_input(err,
				 "--max-write=%s: p%" PRId64
				 " has written %s already, which counts: say more",
				 str_text(&size), record->id, str_text(&done));
	record->max_write_bytes = limit;
	return store_plan_limit(s->keep.store, record, err);
}

int plan_limit_begin(struct plan_session *s, struct err *err)
{
	struct plan_record *record = &s->kept.record;
	bool goes_on = s->kept.journal.count > 0;
	autostr path = {0};
	int rc;

	path_of(s, &path);
	rc = plan_budget_open(&s->x.budget, str_text(&path), err);
	if (rc && rc != -ENOENT)
		return rc;
	if (rc && goes_on && record->max_write_bytes && !s->options->has_max_write)
		return err_env(err, rc,
			       "\"%s\", the count of what p%" PRId64
			       " wrote, is gone: say with "
			       "--max-write=SIZE what it may write, its kept cells included",
			       str_text(&path), record->id);
	rc = s->options->has_max_write && record->max_write_bytes != s->options->max_write_bytes
		     ? change(s, err)
		     : 0;
	if (rc)
		return rc;
	if (!record->max_write_bytes)
		plan_limit_end(s, true);
	else if (!s->x.budget.page)
		rc = plan_budget_make(&s->x.budget, str_text(&path), record->max_write_bytes,
				      of_journal(s), err);
	else if (plan_budget_limit(&s->x.budget) != record->max_write_bytes)
		plan_budget_change(&s->x.budget, record->max_write_bytes);
	if (!rc)
		mark_written(s);
	return rc;
}

void plan_limit_end(struct plan_session *s, bool done)
{
	autostr path = {0};

	plan_budget_sync(&s->x.budget);
	plan_budget_close(&s->x.budget);
	path_of(s, &path);
	if (done)
		(void)unlink(str_text(&path)); /* one that stays goes with the plan */
}

/* --- where it stopped --- */

static bool is_undone(const struct plan_session *s, unsigned target, unsigned step)
{
	for (unsigned r = 0; r < s->kept.record.repetitions; r++) {
		const struct plan_lane lane = {.plan = &s->kept.plan,
					       .journal = &s->kept.journal,
					       .spec = s->sheet,
					       .target = target,
					       .repetition = r};
		struct plan_task task;

		if (plan_step_next(&lane, step, &task))
			return true;
	}
	return false;
}

static void add_undone(const struct plan_session *s, struct str *out)
{
	for (unsigned t = 0; t < s->x.ndrives; t++) {
		unsigned count = 0;

		for (unsigned step = 0; step < s->kept.plan.nsteps; step++) {
			if (!is_undone(s, t, step))
				continue;
			if (!count && out->length)
				str_add(out, "; ");
			if (!count && s->x.ndrives > 1)
				str_printf(out, "%s: ", s->x.drives[t].path);
			str_printf(out, "%s[%s]", count++ ? ", " : "",
				   s->kept.plan.steps[step].name);
		}
	}
}

/* What it was at, of each target where they are worked on at once. */
static void add_places(const struct plan_session *s, struct str *out)
{
	const struct plan_size size = {s->x.ndrives, s->kept.record.repetitions};
	struct plan_task task;

	for (unsigned t = 0; t < (s->kept.record.parallel ? size.targets : 1); t++) {
		const struct plan_lane lane = {.plan = &s->kept.plan,
					       .journal = &s->kept.journal,
					       .spec = s->sheet,
					       .target = t};
		const struct plan_step *step;
		bool more = s->kept.record.parallel
				    ? plan_target_next(&lane, size.repetitions, &task)
				    : plan_next(&s->kept.plan, &s->kept.journal, s->sheet,
						&size, &task);

		if (!more)
			continue;
		step = &s->kept.plan.steps[task.step];
		str_printf(out, "%s[%s]%s%s (%s)", out->length ? ", " : "", step->name,
			   *step->cells[task.cell].name ? " " : "", step->cells[task.cell].name,
			   s->x.drives[task.target].path);
	}
}

void plan_limit_text(const struct plan_session *s, struct str *out)
{
	uint64_t written = plan_budget_written(&s->x.budget), kept = of_journal(s);
	autostr limit = {0}, all = {0}, cut = {0}, places = {0}, undone = {0};

	quantity_decimal(plan_budget_limit(&s->x.budget), &limit);
	quantity_decimal(written, &all);
	quantity_decimal(written > kept ? written - kept : 0, &cut);
	add_places(s, &places);
	add_undone(s, &undone);
	lang_add(out,
		 "stopped at --max-write, %s, in %s: %s are written, %s of them by what is no "
		 "kept cell; undone are %s; `assay plan resume p%" PRId64
		 " --max-write=SIZE` goes on with that cell, where SIZE is more and counts "
		 "what is written already",
		 str_text(&limit), str_text(&places), str_text(&all), str_text(&cut),
		 str_text(&undone), s->kept.record.id);
}

/* --- where it will stop --- */

static void add_step(const struct plan_outlook *outlook, const struct plan_guess *guesses,
		     const struct plan_limit_at *at, struct plan_limit_outlook *all,
		     uint64_t *sums)
{
	const struct plan_step *step = &outlook->plan->steps[at->step];
	const struct plan_guess *guess =
		&guesses[at->target * outlook->plan->nsteps + at->step];
	const struct mkfs_wish wish = {.type = step->filesystem,
				       .mkfs_options = step->mkfs_options};
	bool open = guess->open;

	sums[0] += guess->least_written;
	sums[1] += guess->most_written;
	if (step->filesystem)
		sums[1] += mkfs_bound_bytes(&wish, outlook->drives[at->target].size_bytes);
	if (!all->may.found && (open || sums[1] > outlook->max_write_bytes))
		all->may = *at;
	if (!all->will.found && sums[0] > outlook->max_write_bytes)
		all->will = *at;
}

void plan_limit_find(const struct plan_outlook *outlook, const struct plan_guess *guesses,
		     struct plan_limit_outlook *ret_at)
{
	unsigned nsteps = outlook->plan->nsteps, ndrives = outlook->ndrives;
	uint64_t sums[2] = {0};

	*ret_at = (struct plan_limit_outlook){0};
	for (unsigned r = 0; r < outlook->repetitions; r++)
		for (unsigned i = 0; i < nsteps * ndrives; i++) {
			/* Side by side, or one after another and back: A B B A. */
			unsigned target = outlook->parallel ? i % ndrives : i / nsteps;
			unsigned step = outlook->parallel ? i / ndrives : i % nsteps;
			struct plan_limit_at at = {true, target, step};

			if (!outlook->parallel && r % 2)
				at.target = ndrives - 1 - target;
			add_step(outlook, guesses, &at, ret_at, sums);
		}
}

void plan_limit_page(struct document *doc, const struct plan_outlook *outlook,
		     const struct plan_guess *guesses)
{
	const struct plan_step *steps = outlook->plan->steps;
	const char *limit = figure_decimal(doc, outlook->max_write_bytes);
	struct plan_limit_outlook at;

	if (!outlook->max_write_bytes)
		return;
	plan_limit_find(outlook, guesses, &at);
	if (at.may.found &&
	    !(at.will.found && at.will.step == at.may.step && at.will.target == at.may.target))
		document_prose(
			doc, TONE_WARNING,
			"[%s] of %s may reach --max-write, %s: the plan would stop there",
			steps[at.may.step].name, outlook->drives[at.may.target].path, limit);
	if (at.will.found)
		document_prose(doc, TONE_WARNING,
			       "[%s] of %s will reach --max-write, %s: the plan stops there",
			       steps[at.will.step].name, outlook->drives[at.will.target].path,
			       limit);
	if (!at.may.found && !at.will.found)
		document_prose(doc, TONE_PLAIN,
			       "--max-write, %s, is not reached by this estimate.", limit);
}

static void add_at(struct json *json, const char *key, const struct plan_outlook *outlook,
		   const struct plan_limit_at *at)
{
	if (!at->found) {
		json_add_null(json, key);
		return;
	}
	json_open_object(json, key);
	json_add_string(json, "target", outlook->drives[at->target].path);
	json_add_string(json, "step", outlook->plan->steps[at->step].name);
	json_close_object(json);
}

void plan_limit_json(struct json *json, const struct plan_outlook *outlook,
		     const struct plan_guess *guesses)
{
	struct plan_limit_outlook at;

	json_add_u64(json, "max_write_bytes", outlook->max_write_bytes);
	if (!outlook->max_write_bytes)
		return;
	plan_limit_find(outlook, guesses, &at);
	add_at(json, "will_reach_max_write", outlook, &at.will);
	add_at(json, "may_reach_max_write", outlook, &at.may);
}
