#include "cli/plan_side.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lang.h"
#include "base/unit.h"
#include "cli/plan_kept.h"
#include "plan/cell.h"

/* "p4:2" into "p4" and 2; without a number 0. */
static int split(const char *name, struct str *ret_plan, uint64_t *ret_target, struct err *err)
{
	size_t length = strcspn(name, ":");

	*ret_target = 0;
	str_add_bytes(ret_plan, name, length);
	if (name[length] && unit_parse_count(name + length + 1, ret_target, err)) {
		err_context(err, "%s", name);
		return err->code;
	}
	return 0;
}

bool plan_side_is_name(const char *name)
{
	autostr plan = {0};
	uint64_t target;
	struct err why = {0};

	return !split(name, &plan, &target, &why) && store_plan_is_name(str_text(&plan));
}

/* What is compared: loads that were measured, not how the drive was made ready. */
static bool is_compared(const struct plan_step *step)
{
	return step->kind == PLAN_RUN || step->kind == PLAN_SWEEP || step->kind == PLAN_ROUNDS;
}

static void add_cells(const struct plan_lane *lane, unsigned step, unsigned cell,
		      struct record *record)
{
	const struct plan_step *s = &lane->plan->steps[step];
	struct plan_figures figures;
	struct job_spec *spec;
	struct job_set set;

	if (!plan_cell_figures(lane, step, cell, &figures))
		return;
	job_set_init(&set, FACE_NATIVE);
	if (!plan_cell_spec(&set, s, &s->cells[cell], "TARGET", &spec, NULL)) {
		for (unsigned d = 0; d < PLAN_ALL; d++) {
			struct record_cell one = {
				.name = arena_printf(&record->arena, "%s %s", s->name,
						     s->cells[cell].name),
				.load = arena_strdup(&record->arena, spec->rw.text),
				.bs_bytes = spec->bs[d].max,
				.depth = spec->iodepth,
				.jobs = spec->numjobs,
				.read_percent = !spec->rw.does[DIR_READ]   ? 0
						: spec->rw.does[DIR_WRITE] ? spec->rwmixread
									   : 100,
				.dir = (enum dir)d,
				.part = -1,
				.ios = figures.ios[d],
				.errors = figures.errors,
			};

			memcpy(one.value, figures.value[d], sizeof(one.value));
			if (!isnan(one.value[CELL_IOS_PER_S]))
				record_add_cell(record, &one);
		}
	}
	job_set_done(&set);
}

/* The environment is that of the lane's first run. */
static int load_lane(struct side_source *source, const struct plan_lane *lane,
		     const char *state, struct record *record, struct err *err)
{
	int64_t run = 0;
	int rc = 0;

	for (unsigned i = 0; i < lane->journal->count && !run; i++) {
		const struct plan_entry *entry = &lane->journal->entries[i];

		if (entry->task.target == lane->target &&
		    entry->task.repetition == lane->repetition)
			run = entry->run;
	}
	if (run)
		rc = store_load(source->store, run, STORE_TOTALS, record, err);
	else
		record_init(record, "plan");
	record->kind = "plan";
	record->incomplete = str_equal(state, "done")	   ? NULL
			     : str_equal(state, "running") ? N_("the plan is running")
							   : N_("the plan has not ended");
	record->ncells = 0;
	record->cells = NULL;
	for (unsigned s = 0; s < lane->plan->nsteps && !rc; s++)
		for (unsigned c = 0; c < lane->plan->steps[s].ncells; c++)
			if (is_compared(&lane->plan->steps[s]))
				add_cells(lane, s, c, record);
	return rc;
}

static int load_lanes(struct side_source *source, const struct plan_kept *kept, unsigned target,
		      struct side *side, struct err *err)
{
	unsigned repetitions = kept->record.repetitions;
	int rc = 0;

	side->records = arena_array(&source->arena, struct record *, repetitions + 1);
	for (unsigned r = 0; r < repetitions && !rc; r++) {
		const struct plan_lane lane = {.plan = &kept->plan,
					       .journal = &kept->journal,
					       .spec = kept->sheet,
					       .target = target,
					       .repetition = r};
		struct record *record = arena_new(&source->arena, struct record);

		rc = load_lane(source, &lane, kept->record.state, record, err);
		side->records[side->count++] = record;
	}
	return rc;
}

int plan_side_load(struct side_source *source, const char *name, struct side *side,
		   struct err *err)
{
	struct plan_kept *kept = calloc(1, sizeof(*kept));
	uint64_t target = 0;
	autostr plan = {0};
	int rc;

	if (!kept)
		return err_env(err, -ENOMEM, "no memory for a plan");
	rc = split(name, &plan, &target, err);
	if (!rc)
		rc = plan_kept_load(kept, source->store, str_text(&plan), err);
	if (!rc && (target > kept->record.ntargets || (!target && kept->record.ntargets > 1)))
		rc = err_input(err, "%s has %u targets: name one, as in %s:1", str_text(&plan),
			       kept->record.ntargets, str_text(&plan));
	if (!rc)
		rc = load_lanes(source, kept, target ? (unsigned)target - 1 : 0, side, err);
	plan_kept_done(kept);
	free(kept);
	return rc;
}
