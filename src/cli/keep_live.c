#include "cli/keep_live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/thread.h"

struct keep_live {
	struct keep *keep;
	struct keep_part part;
	const struct job_set *set;
	struct thread
		writer; /* at work between its start and keep_live_end() or the next look */
	uint64_t began_ns, next_ns;
	bool waits; /* until the run has ended: the store lies on the drive */
	/* The writer's from its start until it was joined. */
	struct record record;
	struct result so_far;
	struct store_progress piece;
	struct run_had had; /* by the store */
	int rc;
};

static void fill_record(const struct keep *keep, const struct keep_part *part,
			struct result *result, const struct job_set *set, struct record *record)
{
	bool begins = keep->live && keep->live->piece.begins;

	record_init(record, part->kind);
	memcpy(record->uid, keep->uid, sizeof(record->uid));
	record->program = "assay " ASSAY_VERSION;
	record->cut_off = true;
	record_add_live(record, part->name, part->load, part->repeat, result, set);
	if (!begins)
		record->job_text = ""; /* it stands there since the part began */
	record_settle(record);
	record->written_bytes += part->written_bytes;
}

static void copy_figures(struct keep_live *live, const struct run *run)
{
	live->piece.first_row = live->had.rows;
	run_so_far(run, &live->had, &live->so_far);
	fill_record(live->keep, &live->part, &live->so_far, live->set, &live->record);
}

/* Rows that could not be written are tried again next time. */
static void release(struct keep_live *live)
{
	const struct vitals *vitals = &live->so_far.vitals;

	if (!live->rc)
		live->had.rows += live->so_far.nrows;
	if (!live->rc && vitals->nrows) {
		live->had.vital_rows = vitals->first_row + vitals->nrows;
		live->had.vital_step_ns = vitals->step_ns;
	}
	live->piece.begins = false;
	record_done(&live->record);
	result_done(&live->so_far);
}

static void write_piece(void *context)
{
	struct keep_live *live = context;

	live->rc = store_progress(live->keep->store, &live->record, &live->piece, NULL);
}

static uint64_t pause_ns(uint64_t elapsed_ns)
{
	uint64_t ns = max_u64(elapsed_ns / KEEP_SHARE, min_u64(elapsed_ns, KEEP_NS));

	return min_u64(max_u64(ns, KEEP_FIRST_NS), KEEP_MOST_NS);
}

/* The head, by the control plane itself: a store that does not take it is known before the run. */
static int begin(struct keep_live *live, const struct run *run, struct err *err)
{
	live->began_ns = clock_monotonic_ns();
	live->next_ns = live->began_ns + KEEP_FIRST_NS;
	copy_figures(live, run);
	live->waits = keep_lies_on(live->keep, &live->record);
	if (live->waits)
		live->record.incomplete = store_waits;
	live->rc = store_progress(live->keep->store, &live->record, &live->piece, err);
	release(live);
	return live->rc;
}

static int on_journal(void *context, const struct run *run, struct err *err)
{
	struct keep_live *live = context;
	uint64_t now_ns;
	int signal;

	if (live->piece.begins)
		return begin(live, run, err);
	now_ns = clock_monotonic_ns();
	if (live->waits || now_ns < live->next_ns)
		return 0;
	if (live->writer.started) {
		if (!thread_try_join(&live->writer, &signal))
			return 0; /* a slow disk: later, then */
		live->writer.started = false;
		release(live);
	}
	live->next_ns = now_ns + pause_ns(now_ns - live->began_ns);
	copy_figures(live, run);
	live->rc = thread_start(&live->writer, write_piece, live, false);
	if (live->rc)
		release(live);
	return 0;
}

int keep_live_begin(struct keep *keep, const struct keep_part *part, const struct job_set *set,
		    struct run_hooks *hooks, struct err *err)
{
	if (!keep->store)
		return 0;
	keep->live = calloc(1, sizeof(*keep->live));
	if (!keep->live)
		return err_env(err, -ENOMEM, "no memory to keep a run");
	if (!*keep->uid) {
		struct record fresh;

		record_init(&fresh, part->kind);
		memcpy(keep->uid, fresh.uid, sizeof(keep->uid));
		record_done(&fresh);
	}
	*keep->live = (struct keep_live){.keep = keep, .part = *part, .set = set};
	keep->live->piece = (struct store_progress){.part = keep->nparts++, .begins = true};
	hooks->journal = on_journal;
	hooks->journal_context = keep->live;
	return 0;
}

void keep_live_end(struct keep *keep)
{
	struct keep_live *live = keep->live;
	int signal;

	if (live && live->writer.started) {
		(void)thread_join(&live->writer, &signal); /* of a thread there is none */
		release(live);
	}
	free(live);
	keep->live = NULL;
}

int keep_live_part(struct keep *keep, const struct keep_part *part, struct result *result,
		   const struct job_set *set, struct err *err)
{
	const struct store_progress piece = {.part = keep->nparts - 1, .ends = true};
	struct record record;
	int rc;

	if (!keep->store)
		return 0;
	fill_record(keep, part, result, set, &record);
	rc = store_progress(keep->store, &record, &piece, err);
	record_done(&record);
	return rc;
}

void keep_live_forget(struct keep *keep)
{
	keep_live_end(keep);
	if (keep->store && *keep->uid)
		(void)store_forget(keep->store, keep->uid,
				   NULL); /* the error told is the run's */
}
