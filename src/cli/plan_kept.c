#include "cli/plan_kept.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/lang.h"
#include "plan/execute.h"

static bool is_place(const struct plan *plan, const struct plan_record *record,
		     const struct plan_task *task)
{
	return task->step < plan->nsteps && task->cell < plan->steps[task->step].ncells &&
	       task->target < record->ntargets && task->repetition < record->repetitions;
}

/* What stands in the journal is of the plan's own steps and cells: pages go by it. */
static int check_fit(const struct plan *plan, const struct plan_record *record, struct err *err)
{
	bool fits = true;

	for (unsigned i = 0; i < record->nentries; i++)
		fits &= is_place(plan, record, &record->entries[i].task);
	for (unsigned i = 0; i < record->nrounds; i++)
		fits &= is_place(plan, record, &record->rounds[i].task);
	for (unsigned i = 0; i < record->nverdicts; i++)
		fits &= is_place(plan, record, &record->verdicts[i].task);
	return fits ? 0
		    : err_input(err,
				"the journal of plan \"%s\" is not of its text: it names "
				"steps, cells or targets that are not there",
				record->name);
}

/* The plan as it was kept, not as its file is now. */
static int read_plan(struct plan_kept *kept, struct err *err)
{
	struct plan_record *record = &kept->record;
	struct plan_wish wish = {0};
	int rc = 0;

	if (record->spec) {
		rc = plan_spec_parse(&kept->spec, N_("the data sheet that was kept"),
				     record->spec, err);
		kept->sheet = rc ? NULL : &kept->spec;
		wish.spec = kept->sheet;
	}
	if (!rc)
		rc = plan_read_text(&kept->plan, record->name, record->text, &wish, err);
	return rc ? rc : check_fit(&kept->plan, record, err);
}

int plan_kept_check(const struct plan_record *record, struct err *err)
{
	struct plan_kept *kept = calloc(1, sizeof(*kept));
	int rc;

	if (!kept)
		return err_env(err, -ENOMEM, "no memory for a plan");
	plan_journal_init(&kept->journal);
	kept->record = *record; /* texts stay the caller's */
	arena_init(&kept->record.arena);
	rc = read_plan(kept, err);
	plan_kept_done(kept);
	free(kept);
	return rc;
}

void plan_around_load(struct plan_around *around, struct store *store,
		      const struct plan_journal *journal)
{
	int64_t first = 0, last = 0;
	bool known;

	plan_around_done(around);
	for (unsigned i = 0; i < journal->count; i++) {
		last = journal->entries[i].run ? journal->entries[i].run : last;
		first = first ? first : last;
	}
	if (!first)
		return;
	known = !store_load(store, first, STORE_TOTALS, &around->first, NULL);
	known &= !store_load(store, last, STORE_TOTALS, &around->last, NULL);
	around->has = true;
	if (!known)
		plan_around_done(around);
}

void plan_around_done(struct plan_around *around)
{
	if (around->has) {
		record_done(&around->first);
		record_done(&around->last);
	}
	around->has = false;
}

int plan_kept_load(struct plan_kept *ret_kept, struct store *store, const char *name,
		   struct err *err)
{
	int64_t id;
	int rc = store_plan_find(store, name, &id, err);

	*ret_kept = (struct plan_kept){0};
	plan_record_init(&ret_kept->record);
	plan_journal_init(&ret_kept->journal);
	if (rc)
		return rc;
	plan_record_done(&ret_kept->record);
	rc = store_plan_load(store, id, &ret_kept->record, err);
	if (rc)
		return rc;
	plan_journal_done(&ret_kept->journal);
	plan_journal_load(&ret_kept->journal, &ret_kept->record);
	rc = read_plan(ret_kept, err);
	if (rc)
		err_context(err, "p%" PRId64, id);
	else
		plan_around_load(&ret_kept->around, store, &ret_kept->journal);
	return rc;
}

void plan_kept_done(struct plan_kept *kept)
{
	plan_around_done(&kept->around);
	plan_journal_done(&kept->journal);
	plan_done(&kept->plan);
	if (kept->sheet)
		plan_spec_done(&kept->spec);
	plan_record_done(&kept->record);
}
