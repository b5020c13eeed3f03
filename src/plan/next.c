/* What comes next: a pure function of the plan and of what was done. */
#include <string.h>

#include "plan/journal.h"
#include "result/health_lines.h"

void plan_journal_init(struct plan_journal *journal)
{
	*journal = (struct plan_journal){0};
	arena_init(&journal->arena);
}

void plan_journal_done(struct plan_journal *journal)
{
	arena_done(&journal->arena);
	*journal = (struct plan_journal){0};
}

void plan_journal_sizes(struct plan_journal *journal, const struct plan_record *record)
{
	uint64_t *size_bytes = arena_array(&journal->arena, uint64_t, record->ntargets + 1);

	for (unsigned t = 0; t < record->ntargets; t++) {
		const struct plan_target *target = &record->targets[t];

		/* A simulated drive was made smaller, of a real one less is used. */
		size_bytes[t] = str_starts(target->path, "sim:")
					? target->size_bytes
					: target->size_bytes / record->scale;
	}
	journal->size_bytes = size_bytes;
	journal->ntargets = record->ntargets;
}

void plan_journal_add(struct plan_journal *journal, const struct plan_entry *entry)
{
	struct arena *arena = &journal->arena;
	struct plan_entry *copy;

	journal->entries =
		arena_more(arena, journal->entries, journal->count, sizeof(*journal->entries));
	copy = &journal->entries[journal->count++];
	*copy = *entry;
	for (unsigned d = 0; d < NPLAN_DIRS; d++)
		if (entry->hist[d].count)
			copy->hist[d].bytes = arena_strndup(arena, entry->hist[d].bytes,
							    entry->hist[d].count);
	copy->health =
		entry->nhealth ? health_facts_copy(arena, entry->health, entry->nhealth) : NULL;
	copy->judged = plan_judged_copy(arena, entry->judged, entry->njudged);
	copy->note = entry->note ? arena_strdup(arena, entry->note) : NULL;
}

unsigned plan_journal_of(const struct plan_journal *journal, unsigned target)
{
	unsigned count = 0;

	for (unsigned i = 0; i < journal->count; i++)
		count += journal->entries[i].task.target == target;
	return count;
}

unsigned plan_repetitions_begun(const struct plan_journal *journal)
{
	unsigned begun = 1;

	for (unsigned i = 0; i < journal->count; i++)
		if (journal->entries[i].task.repetition >= begun)
			begun = journal->entries[i].task.repetition + 1;
	return begun;
}

const struct plan_entry *plan_entry_next(const struct plan_lane *lane, unsigned step,
					 unsigned *from)
{
	while (*from < lane->journal->count) {
		const struct plan_entry *entry = &lane->journal->entries[(*from)++];
		const struct plan_task *task = &entry->task;

		if (task->step == step && task->target == lane->target &&
		    task->repetition == lane->repetition)
			return entry;
	}
	return NULL;
}

/* The newest entry of the step, and how many there are. */
static const struct plan_entry *newest(const struct plan_lane *lane, unsigned step,
				       unsigned *ret_count)
{
	const struct plan_entry *entry, *last = NULL;
	unsigned from = 0;

	*ret_count = 0;
	while ((entry = plan_entry_next(lane, step, &from))) {
		last = entry;
		++*ret_count;
	}
	return last;
}

static bool next_of_rounds(const struct plan_lane *lane, const struct plan_entry *last,
			   struct plan_task *task)
{
	const struct plan_step *step = &lane->plan->steps[task->step];
	struct plan_steady steady;

	if (last->task.cell + 1 < step->ncells) { /* the round goes on */
		task->pass = last->task.pass;
		task->round = last->task.round;
		task->cell = last->task.cell + 1;
		return true;
	}
	plan_steady(lane, task->step, last->task.pass, &steady);
	if (!steady.attained && !steady.is_full && steady.rounds < step->max_rounds) {
		task->pass = last->task.pass;
		task->round = last->task.round + 1;
		return true;
	}
	task->pass = last->task.pass + 1;
	return task->pass < step->repeat;
}

/* A step that failed to run is not tried again and again. */
static bool is_over(const struct plan_entry *last)
{
	return last && last->state == PLAN_SKIPPED;
}

bool plan_step_next(const struct plan_lane *lane, unsigned number, struct plan_task *ret_task)
{
	const struct plan_step *step = &lane->plan->steps[number];
	unsigned count;
	const struct plan_entry *last = newest(lane, number, &count);
	struct plan_task task = {
		.target = lane->target, .repetition = lane->repetition, .step = number};
	bool more = false;

	if (is_over(last))
		return false;
	switch (step->kind) {
	case PLAN_CHECK:
		break;
	case PLAN_FIND:
		more = plan_find_next(lane, number, &task.load);
		break;
	case PLAN_SOAK:
		task.round = count;
		more = count * step->every_ns < step->for_ns;
		break;
	case PLAN_ROUNDS:
		more = !last || next_of_rounds(lane, last, &task);
		break;
	case PLAN_RUN:
	case PLAN_SWEEP:
	case PLAN_FILL:
	case PLAN_PRECONDITION:
	case PLAN_PURGE:
	case PLAN_IDLE:
	case PLAN_SNAPSHOT:
	case NPLAN_KINDS:
		task.pass = count / step->ncells;
		task.cell = count % step->ncells;
		more = count < step->ncells * step->repeat;
		break;
	}
	if (more)
		*ret_task = task;
	return more;
}

bool plan_lane_next(const struct plan_lane *lane, struct plan_task *ret_task)
{
	for (unsigned s = 0; s < lane->plan->nsteps; s++)
		if (plan_step_next(lane, s, ret_task))
			return true;
	return false;
}

bool plan_target_next(const struct plan_lane *first, unsigned repetitions,
		      struct plan_task *ret_task)
{
	for (unsigned r = 0; r < repetitions; r++) {
		struct plan_lane lane = *first;

		lane.repetition = r;
		if (plan_lane_next(&lane, ret_task))
			return true;
	}
	return false;
}

bool plan_next(const struct plan *plan, const struct plan_journal *journal,
	       const struct plan_spec *spec, const struct plan_size *size,
	       struct plan_task *ret_task)
{
	unsigned ntargets = size->targets;

	for (unsigned r = 0; r < size->repetitions; r++)
		for (unsigned t = 0; t < ntargets; t++) {
			struct plan_lane lane = {.plan = plan,
						 .journal = journal,
						 .spec = spec,
						 .target = r % 2 ? ntargets - 1 - t : t,
						 .repetition = r};

			if (plan_lane_next(&lane, ret_task))
				return true;
		}
	return false;
}
