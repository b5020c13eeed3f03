/*
 * The collector: empties the workers' mailboxes into rows (all workers, the common grid) and
 * totals (each worker). A row stays open, with its histograms, until every running worker has
 * passed it; then its percentiles are taken and the histograms go back.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "run/row_hist.h"
#include "run/run_priv.h"

static void merge_counts(struct hist *into, const struct tally_lat *lat)
{
	unsigned first = hist_index(lat->min_ns), last = hist_index(lat->max_ns);

	for (unsigned i = first; i <= last; i++)
		into->count[i] += lat->count[i];
}

static void merge_sums(struct hist_sums *into, const struct tally_lat *lat)
{
	struct hist_sums more = {.total = lat->total,
				 .min_ns = lat->min_ns,
				 .max_ns = lat->max_ns,
				 .sum_ns = lat->sum_ns};

	hist_sums_merge(into, &more);
}

static void merge_lat(struct result *result, struct lat *into, const struct tally_lat *lat)
{
	if (!lat->total)
		return;
	if (!into->hist)
		into->hist = arena_new(&result->arena, struct hist);
	merge_counts(into->hist, lat);
	merge_sums(&into->sums, lat);
}

#define JOB_ROWS_MAX 4096

/* --- rows --- */

static struct row *row_at(struct run *run, uint64_t index)
{
	struct result *result = run->result;

	if (index >= result->rows_room) {
		unsigned room = result->rows_room ? 2 * result->rows_room : 128;
		struct row *rows;

		while (room <= index)
			room *= 2;
		rows = arena_array(&result->arena, struct row, room);
		if (result->nrows)
			memcpy(rows, result->rows, result->nrows * sizeof(*rows));
		result->rows = rows;
		result->rows_room = room;
	}
	while (result->nrows <= index) {
		struct row *row = &result->rows[result->nrows];

		*row = (struct row){.begin_ns = result->nrows * result->interval_ns,
				    .ramp = true};
		row->end_ns = row->begin_ns + result->interval_ns;
		result->nrows++;
	}
	return &result->rows[index];
}

/* The kind that stands for a direction; NTALLY: nothing is timed. */
static enum tally_kind main_kind(const struct tally_dir *dir)
{
	static const enum tally_kind order[] = {TALLY_RESPONSE, TALLY_TOTAL, TALLY_CLAT};

	for (unsigned i = 0; i < ARRAY_SIZE(order); i++) {
		if (dir->lat[order[i]].count)
			return order[i];
	}
	return NTALLY;
}

static void close_row(struct run *run, uint64_t index)
{
	struct open_row *open = &run->open_rows[index & (OPEN_ROWS_MAX - 1)];

	(void)row_at(run, index);
	for (unsigned d = 0; d < NDIR; d++) {
		if (!open->hist[d])
			continue;
		row_hist_close(run->result, (unsigned)index, (enum dir)d, open->hist[d],
			       &open->sums[d]);
		if (open->measured[d])
			row_hist_keep(run->result, (unsigned)index, (enum dir)d, open->hist[d]);
		free(open->hist[d]);
	}
	memset(open, 0, sizeof(*open));
}

/* Where a row holds both, what was measured is told and not the ramp. */
static void add_to_open(struct open_row *open, unsigned d, const struct tally_lat *lat,
			bool ramp)
{
	if (ramp && open->measured[d])
		return;
	if (!open->hist[d]) {
		open->hist[d] = calloc(1, sizeof(*open->hist[d]));
		if (!open->hist[d])
			return; /* this row goes without percentiles: counts stay */
		hist_sums_init(&open->sums[d]);
	} else if (!ramp && !open->measured[d]) {
		memset(open->hist[d], 0, sizeof(*open->hist[d]));
		hist_sums_init(&open->sums[d]);
	}
	open->measured[d] = !ramp;
	merge_counts(open->hist[d], lat);
	merge_sums(&open->sums[d], lat);
}

static void add_to_row(struct run *run, const struct tally *tally)
{
	struct open_row *open;
	struct row *row;
	uint64_t index = tally->row;

	while (index >= run->first_open_row + OPEN_ROWS_MAX)
		close_row(run, run->first_open_row++);
	row = row_at(run, index);
	row->ramp &= tally->ramp;
	row->partial |= tally->last || tally->cut;
	open = &run->open_rows[index & (OPEN_ROWS_MAX - 1)];
	for (unsigned d = 0; d < NDIR; d++) {
		enum tally_kind kind = main_kind(&tally->dir[d]);
		const struct tally_lat *lat = &tally->dir[d].lat[kind];

		row->dir[d].ios += tally->dir[d].ios;
		row->dir[d].bytes += tally->dir[d].bytes;
		row->dir[d].errors += tally->dir[d].errors;
		if (kind == NTALLY || !lat->total)
			continue;
		if ((enum lat_kind)kind > run->result->series_kind)
			run->result->series_kind = (enum lat_kind)kind;
		if (index >= run->first_open_row)
			add_to_open(open, d, lat, tally->ramp);
		else if (!tally->ramp)
			row_hist_amend(run->result, (unsigned)index, (enum dir)d, lat);
	}
}

static uint64_t passed_by_all(struct run *run)
{
	uint64_t least = (run_now_ns(run) - run->start_ns) / run->result->interval_ns;

	for (unsigned j = 0; j < run->njobs; j++) {
		for (unsigned i = 0; i < run->jobs[j].nworkers; i++) {
			struct run_worker *rw = &run->jobs[j].workers[i];
			struct worker *worker = rw->worker;

			if (rw->phase != PHASE_RUNNING)
				continue;
			if (atomic_load_explicit(&worker->state, memory_order_acquire) !=
			    WORKER_ON)
				continue;
			least = min_u64(least,
					atomic_load_explicit(&worker->mailbox.through_row,
							     memory_order_acquire));
		}
	}
	return least;
}

void run_close_rows(struct run *run, bool all)
{
	uint64_t limit = all ? run->result->nrows : passed_by_all(run);

	while (run->first_open_row < limit)
		close_row(run, run->first_open_row++);
}

/* --- totals of one worker --- */

static void add_window(struct window_stats *window, double bw, double iops)
{
	if (!window->count) {
		window->bw_min = window->bw_max = bw;
		window->iops_min = window->iops_max = iops;
	}
	window->bw_min = bw < window->bw_min ? bw : window->bw_min;
	window->bw_max = bw > window->bw_max ? bw : window->bw_max;
	window->iops_min = iops < window->iops_min ? iops : window->iops_min;
	window->iops_max = iops > window->iops_max ? iops : window->iops_max;
	window->bw_sum += bw;
	window->bw_squares += bw * bw;
	window->iops_sum += iops;
	window->iops_squares += iops * iops;
	window->count++;
}

/* Whole rows of the worker are equal windows; one that it sent nothing for is a window of
 * zero. */
static void add_windows(struct run_worker *rw, const struct tally *tally)
{
	double seconds = (double)rw->run->result->interval_ns / 1e9;

	if (tally->ramp || tally->cut || tally->last || tally->joined) {
		rw->window_row = tally->row + tally->joined + 1;
		return;
	}
	for (; rw->window_row <= tally->row; rw->window_row++) {
		bool here = rw->window_row == tally->row;

		for (unsigned d = 0; d < NDATA; d++) {
			double bytes = here ? (double)tally->dir[d].bytes : 0;
			double ios = here ? (double)tally->dir[d].ios : 0;

			if (rw->job->spec->rw.does[d])
				add_window(&rw->window[d], bytes / 1024 / seconds,
					   ios / seconds);
		}
	}
}

static void add_to_totals(struct run_worker *rw, const struct tally *tally)
{
	struct job_result *job = rw->result;
	struct result *result = rw->run->result;

	for (unsigned d = 0; d < NDIR; d++) {
		job->dir[d].ios += tally->dir[d].ios;
		job->dir[d].bytes += tally->dir[d].bytes;
		job->dir[d].short_ios += tally->dir[d].short_ios;
		job->dir[d].errors += tally->dir[d].errors;
		for (unsigned k = 0; k < NLAT; k++)
			merge_lat(result, &job->dir[d].lat[k], &tally->dir[d].lat[k]);
	}
	merge_lat(result, &job->lateness, &tally->lateness);
	for (unsigned i = 0; i < DEPTH_BUCKETS; i++)
		job->depth[i] += tally->depth[i];
	for (unsigned i = 0; i < BATCH_BUCKETS; i++) {
		job->submit[i] += tally->submit[i];
		job->complete[i] += tally->complete[i];
	}
	job->submits += tally->submits;
	job->completes += tally->completes;
	job->row_merges += tally->joined;
	rw->depth_ticks += tally->depth_ticks;
	rw->span_ticks += tally->span_ticks;
}

_Static_assert((int)NLAT == (int)NTALLY, "the kinds of result/ and load/ are the same");
_Static_assert((int)LAT_RESPONSE == (int)TALLY_RESPONSE, "in the same order");
_Static_assert(DEPTH_BUCKETS == TALLY_DEPTHS, "fio's depth buckets");
_Static_assert(BATCH_BUCKETS == TALLY_BATCHES, "fio's batch buckets");

/* Joins them by two: a long run is told in coarser rows, its newest stay fine. */
static void halve_job_rows(struct job_result *job)
{
	for (unsigned i = 0; i + 1 < job->nrows; i += 2) {
		struct job_row *row = &job->rows[i / 2], *next = &job->rows[i + 1];
		struct job_row both = job->rows[i];

		both.end_ns = next->end_ns;
		for (unsigned d = 0; d < NDIR; d++) {
			both.ios[d] += next->ios[d];
			both.bytes[d] += next->bytes[d];
		}
		*row = both;
	}
	job->nrows /= 2;
}

/* What the worker did in this interval, for the rates of the time in which all members of a
 * group ran. */
static void add_job_row(struct run_worker *rw, const struct tally *tally)
{
	struct job_result *job = rw->result;
	struct result *result = rw->run->result;
	struct job_row *row;

	if (!job->rows)
		job->rows = arena_array(&result->arena, struct job_row, JOB_ROWS_MAX);
	if (job->nrows == JOB_ROWS_MAX)
		halve_job_rows(job);
	row = &job->rows[job->nrows++];
	row->begin_ns = tally->row * result->interval_ns;
	row->end_ns = row->begin_ns + (tally->joined + 1) * result->interval_ns;
	for (unsigned d = 0; d < NDIR; d++) {
		row->ios[d] = tally->dir[d].ios;
		row->bytes[d] = tally->dir[d].bytes;
	}
}

/* What the devices' counters are held against: the ramp counts. */
static void add_to_asked(struct run_facts *facts, const struct tally *tally)
{
	for (unsigned d = 0; d < NDIR; d++) {
		facts->asked_ios[d] += tally->dir[d].ios;
		facts->asked_bytes[d] += tally->dir[d].bytes;
	}
}

static void absorb(struct run_worker *rw, const struct tally *tally)
{
	add_to_asked(&rw->run->result->facts, tally);
	run_steady_add(rw, tally);
	run_minimum_add(rw, tally);
	add_to_row(rw->run, tally);
	add_windows(rw, tally);
	if (tally->ramp) {
		for (unsigned d = 0; d < NDIR; d++)
			rw->result->ramp_ios += tally->dir[d].ios;
		return;
	}
	add_to_totals(rw, tally);
	if (rw->shares_group)
		add_job_row(rw, tally);
}

void run_collect_worker(struct run_worker *rw)
{
	struct mailbox *mailbox = &rw->worker->mailbox;
	/* Read first: what the worker had passed by now is in its mailbox. */
	uint64_t through = atomic_load_explicit(&mailbox->through_row, memory_order_acquire);
	struct tally *tally;

	while ((tally = mailbox_take(mailbox))) {
		absorb(rw, tally);
		through = max_u64(through, tally->row + tally->joined + 1);
		mailbox_give_back(mailbox, tally);
	}
	rw->through_row = through;
	run_minimum_check(rw, through);
}

void run_collect(struct run *run)
{
	uint64_t limit = run->start_ns ? passed_by_all(run) : 0;

	for (unsigned j = 0; j < run->njobs; j++) {
		for (unsigned i = 0; i < run->jobs[j].nworkers; i++) {
			struct run_worker *rw = &run->jobs[j].workers[i];

			if (rw->phase == PHASE_RUNNING)
				run_collect_worker(rw);
		}
	}
	/* The limit was read before the mailboxes: what a worker had passed then is here now. */
	run_steady_follow(run, run->first_open_row, limit);
	while (run->first_open_row < limit) {
		(void)row_at(run, run->first_open_row);
		close_row(run, run->first_open_row++);
	}
}

void run_collect_hung(struct run_worker *rw)
{
	struct tally *tally = mailbox_current(&rw->worker->mailbox);

	if (tally->used)
		absorb(rw, tally); /* it hangs in the kernel: its memory stands still */
}
