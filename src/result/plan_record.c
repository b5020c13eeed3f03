#include "result/plan_record.h"

#include <math.h>
#include <string.h>

const char *const plan_dir_names[NPLAN_DIRS] = {
	[PLAN_READ] = "read", [PLAN_WRITE] = "write", [PLAN_TRIM] = "trim", [PLAN_ALL] = "all"};

const char *const plan_entry_states[NPLAN_ENTRY_STATES] = {
	[PLAN_DONE] = "done", [PLAN_ERRORS] = "errors", [PLAN_SKIPPED] = "skipped"};

void plan_figures_init(struct plan_figures *figures)
{
	*figures = (struct plan_figures){.levels = {(double)NAN, (double)NAN, (double)NAN}};
	for (unsigned d = 0; d < NPLAN_DIRS; d++)
		for (unsigned m = 0; m < NCELL_METRIC; m++)
			figures->value[d][m] = (double)NAN;
}

void plan_record_init(struct plan_record *record)
{
	*record = (struct plan_record){.state = "running", .scale = 1, .repetitions = 1};
	arena_init(&record->arena);
}

void plan_record_done(struct plan_record *record)
{
	arena_done(&record->arena);
	*record = (struct plan_record){0};
}

/* Room for one more; they are few. */
static void *wider(struct arena *arena, const void *items, unsigned count, size_t item_bytes)
{
	void *room = arena_calloc(arena, count + 1, item_bytes, _Alignof(max_align_t));

	if (count)
		memcpy(room, items, count * item_bytes);
	return room;
}

void plan_record_add_tag(struct plan_record *record, const char *tag)
{
	record->tags =
		wider(&record->arena, record->tags, record->ntags, sizeof(*record->tags));
	record->tags[record->ntags++] = arena_strdup(&record->arena, tag);
}

void plan_record_add_remark(struct plan_record *record, uint64_t unix_ns, const char *text)
{
	record->remarks = wider(&record->arena, record->remarks, record->nremarks,
				sizeof(*record->remarks));
	record->remarks[record->nremarks++] = (struct record_remark){
		.unix_ns = unix_ns, .text = arena_strdup(&record->arena, text)};
}

struct plan_judged *plan_judged_copy(struct arena *arena, const struct plan_judged *judged,
				     unsigned count)
{
	struct plan_judged *copy = count ? arena_array(arena, struct plan_judged, count) : NULL;

	for (unsigned i = 0; i < count; i++) {
		copy[i] = judged[i];
		copy[i].rule = arena_strdup(arena, judged[i].rule);
		copy[i].measured = arena_strdup(arena, judged[i].measured);
		copy[i].limit = arena_strdup(arena, judged[i].limit);
	}
	return copy;
}
