/* The data plane's loop. worker_setup.c has what happens before and after it. */
#include "load/worker.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

#include "base/assert.h"
#include "load/worker_priv.h"

/* Out of line, so that the registers that it needs are not saved for every request. */
#define APART __attribute__((noinline))

/* The loop exists twice, with `sync` as a constant: for engines that do the I/O in queue(), one
 * request at a time, and for all others. */
#define TWICE static inline __attribute__((always_inline))

static APART void fail(struct worker *w, const struct req *req, int code)
{
	w->finished = true;
	w->why = WORKER_FAILED;
	w->drain_end = min_u64(w->drain_end, clock_ticks(w->clock) + w->drain_ticks);
	w->next_event = min_u64(w->next_event, w->drain_end);
	if (w->first_error.code)
		return;
	w->first_error.code = code;
	if (!req)
		return;
	w->first_error.op = req->op;
	w->first_error.target = req->target;
	w->first_error.offset = req->offset;
	w->first_error.bytes = req->len;
}

const struct req *worker_oldest(const struct worker *w)
{
	const struct req *oldest = NULL;

	for (unsigned i = 0; i < w->depth; i++) {
		const struct req *req = &w->reqs[i];

		if (worker_is_in_flight(req) &&
		    (!oldest || req->batch->start < oldest->batch->start))
			oldest = req;
	}
	return oldest;
}

static void picture_oldest(struct worker *w)
{
	const struct req *oldest = worker_oldest(w);

	atomic_store_explicit(&w->oldest_slot, oldest ? oldest->slot : 0, memory_order_relaxed);
	atomic_store_explicit(&w->oldest_ticks, oldest ? oldest->batch->start : 0,
			      memory_order_relaxed);
}

/* The cut is exact: the ramp's part of this row goes; its sums are kept for what is held
 * against the devices' counters. */
static void cut_ramp(struct worker *w)
{
	for (unsigned d = 0; d < NDIR; d++) {
		w->cut_ios[d] += w->tally->dir[d].ios;
		w->cut_bytes[d] += w->tally->dir[d].bytes;
	}
	tally_clear(w->tally);
	w->tally->row = w->row;
	w->tally->cut = w->ramp_end > worker_row_ticks(w, w->row);
}

/* The grid, the ramp's end, the deadline, the drain limit: whichever has passed. */
static APART void event(struct worker *w, uint64_t now)
{
	if (now >= w->row_end) {
		w->row = clock_span_ns(w->clock, now - w->shared->grid_ticks) /
			 w->shared->interval_ns;
		w->row_end = worker_row_ticks(w, w->row + 1);
		w->tally = mailbox_turn(&w->mailbox, w->row);
		w->tally->ramp = w->ramp_end != UINT64_MAX;
		picture_oldest(w);
	}
	if (now >= w->ramp_end) {
		cut_ramp(w);
		w->begin_ticks = w->ramp_end;
		if (w->capture)
			capture_begin(w->capture, w->ramp_end);
		w->ramp_end = UINT64_MAX;
	}
	if (now >= w->deadline && !w->finished) {
		w->finished = true;
		w->why = WORKER_DONE;
		w->drain_end = min_u64(w->drain_end, now + w->drain_ticks);
	}
	if (now >= w->drain_end && w->in_flight > 0)
		w->why = w->why == WORKER_FAILED ? WORKER_FAILED : WORKER_GAVE_UP;
	w->next_event = min_u64(min_u64(w->row_end, w->ramp_end),
				w->finished ? w->drain_end : w->deadline);
}

static APART void told_to_stop(struct worker *w, uint64_t now)
{
	if (w->why == WORKER_RUNNING && !w->finished)
		w->why = WORKER_STOPPED;
	w->finished = true;
	w->drain_end = min_u64(w->drain_end, now + w->drain_ticks);
	w->next_event = min_u64(w->next_event, w->drain_end);
}

/* --max-write: takes the bytes from what all workers may still write. */
static APART bool within_budget(struct worker *w, const struct req *req)
{
	int64_t left;

	if (req->op != OP_WRITE)
		return true;
	left = atomic_fetch_sub_explicit(w->shared->write_budget, req->len,
					 memory_order_relaxed);
	if (left >= (int64_t)req->len)
		return true;
	/* Put back what was not used, so that a smaller write of another worker still fits. */
	(void)atomic_fetch_add_explicit(w->shared->write_budget, req->len,
					memory_order_relaxed);
	w->finished = true;
	w->why = WORKER_BUDGET;
	return false;
}

/* What to do with a request that the engine did not take: a full engine is emptied by
 * submitting; one that is full after that is broken. */
static APART bool insist(struct worker *w, struct req *req, int rc)
{
	if (rc == -EAGAIN && w->engine->ops->submit) {
		rc = w->engine->ops->submit(w->engine);
		if (!rc)
			rc = w->engine->ops->queue(w->engine, req);
	}
	if (rc)
		fail(w, req, -rc);
	return rc == 0;
}

/* The engine takes one request. */
TWICE bool hand_over(struct worker *w, struct req *req)
{
	int rc = w->engine->ops->queue(w->engine, req);

	return likely(rc == 0) || insist(w, req, rc);
}

static APART void heed(struct worker *w, enum flow_answer answer)
{
	switch (answer) {
	case FLOW_READY:
		break;
	case FLOW_LATER:
		w->later = true;
		w->next_due = flow_next_due(w->flow);
		break;
	case FLOW_DRAIN:
		w->drain = true;
		break;
	case FLOW_END:
		w->finished = true;
		w->why = w->why == WORKER_RUNNING ? WORKER_DONE : w->why;
		break;
	}
}

TWICE void add_depth(struct worker *w, uint64_t now)
{
	struct tally *tally = w->tally;
	uint64_t span = now - w->depth_stamp;

	tally->depth_ticks += span * w->in_flight;
	tally->span_ticks += span;
	w->depth_stamp = now;
}

/* What only some jobs need before a request goes out; false where it may not. */
TWICE bool prepare(struct worker *w, struct req *req, unsigned n)
{
	if (unlikely(w->limited) && !within_budget(w, req))
		return false;
	if (w->fill && req->op == OP_WRITE)
		fill_next(w->fill, req->buf, req->len, req->offset);
	w->dues[n] = req->due;
	return true;
}

/* Up to one batch from the flow into the engine; returns how many. */
TWICE unsigned take(struct worker *w, uint64_t now, struct batch *batch, bool sync)
{
	unsigned n = 0, limit = w->batch_limit < w->nfree ? w->batch_limit : w->nfree;

	if (sync)
		limit = 1;

	while (n < limit) {
		struct req *req = w->free;
		enum flow_answer answer = flow_next(w->flow, now, req);

		if (unlikely(answer != FLOW_READY)) {
			heed(w, answer);
			break;
		}
		if (w->prepares && !prepare(w, req, n))
			break;
		w->free = req->next;
		req->batch = batch;
		req->res = WORKER_NOT_BACK;
		if (sync)
			batch->start = clock_ticks(w->clock); /* the I/O happens in queue() */
		if (unlikely(!hand_over(w, req))) {
			req->res = 0;
			req->next = w->free;
			w->free = req;
			break;
		}
		n++;
	}
	return n;
}

/* Lateness is "submitted - due"; the due times of this batch were kept for it. */
static APART void add_lateness(struct worker *w, unsigned n, uint64_t submitted)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t due = w->dues[i];

		tally_add(&w->tally->lateness,
			  submitted > due ? clock_span_ns(w->clock, submitted - due) : 0, 1);
	}
}

/* fio's way where many are taken at once: each at the depth that it made. */
static APART void add_issued_depths(struct worker *w, unsigned n)
{
	unsigned step =
		w->batch_floor > 1 ? n : 1; /* a batch that was asked for counts as one */

	for (unsigned i = step; i <= n; i += step)
		w->tally->depth[tally_depth_bucket(w->in_flight - n + i)] += step;
}

TWICE void issue(struct worker *w, uint64_t now, bool sync)
{
	uint32_t at = w->batch_free;
	struct batch *batch = &w->batches[at];
	struct tally *tally = w->tally;
	unsigned n;
	int rc;

	batch->start = now;
	n = take(w, now, batch, sync);
	if (n == 0)
		return;
	w->batch_free = batch->next_free;
	batch->open = n;
	add_depth(w, now);
	w->in_flight += n;
	w->nfree -= n;
	if (unlikely(!w->reaped_depths))
		add_issued_depths(w, n);
	tally->submit[tally_batch_bucket(n)]++;
	tally->submits++;
	if (sync) {
		batch->submitted = batch->start;
	} else {
		rc = w->engine->ops->submit ? w->engine->ops->submit(w->engine) : 0;
		batch->submitted = clock_ticks(w->clock);
		if (unlikely(rc < 0))
			fail(w, NULL, -rc);
	}
	if (unlikely(w->rated))
		add_lateness(w, n, batch->submitted);
}

static const uint8_t continue_bit[] = {
	[OP_READ] = CONTINUE_READ,	 [OP_WRITE] = CONTINUE_WRITE,
	[OP_TRIM] = CONTINUE_WRITE,	 [OP_FSYNC] = CONTINUE_WRITE,
	[OP_FDATASYNC] = CONTINUE_WRITE,
};

static bool is_ignored(const struct worker *w, const struct req *req, int code)
{
	const struct errno_list *list =
		&w->spec->ignore_error[req->op < OP_FSYNC ? req->op : OP_WRITE];

	for (unsigned i = 0; i < list->count; i++) {
		if (list->codes[i] == code)
			return true;
	}
	return false;
}

/* What continue_on_error continues after (fio's "non-fatal"): a bad spot. A full disk or a device
 * that is gone would fail each further request as well. */
static bool is_survivable(int code)
{
	return code == EIO || code == EILSEQ;
}

static void failed_request(struct worker *w, struct req *req, int code)
{
	if (w->spec->fill_device && code == ENOSPC && req->op == OP_WRITE) {
		w->finished = true; /* full: that is what was asked for */
		w->why = WORKER_DONE;
		return;
	}
	w->tally->dir[op_dir(req->op)].errors++;
	w->tally->used = true;
	w->total_errors++;
	if (is_ignored(w, req, code))
		return;
	if (!w->first_error.code) {
		w->first_error = (struct worker_error){.code = code,
						       .op = req->op,
						       .target = req->target,
						       .bytes = req->len,
						       .offset = req->offset};
	}
	if (!(w->continue_on & continue_bit[req->op]) || !is_survivable(code))
		fail(w, req, code);
}

/*
 * Not all bytes, or an error. Returns true if the request has come to its end (counted as
 * done: its remaining length is 0 then), false if its rest was queued again.
 */
static APART bool odd_end(struct worker *w, struct req *req, bool *ret_counts)
{
	*ret_counts = false;
	if (req->res >= 0 && req->op >= OP_TRIM) {
		*ret_counts = true; /* a discard or a sync: done is done */
		return true;
	}
	if (req->res < 0) {
		failed_request(w, req, -req->res);
		return true;
	}
	if (req->res == 0) { /* nothing moved: the end of the file, or a device that gave up */
		failed_request(w, req, req->op == OP_WRITE ? ENOSPC : EIO);
		return true;
	}
	w->tally->dir[req->op].short_ios++;
	w->tally->dir[req->op].bytes += (uint64_t)req->res;
	w->tally->used = true;
	req->flags |= REQ_MOVED;
	req->offset += (uint64_t)req->res;
	req->buf = (char *)req->buf + req->res;
	req->len -= (uint32_t)req->res;
	if (!hand_over(w, req))
		return true;
	if (w->engine->ops->submit && w->engine->ops->submit(w->engine) < 0)
		fail(w, req, EIO);
	return false;
}

static APART void check_max_latency(struct worker *w, const struct req *req, uint64_t ns)
{
	if (req->op < OP_FSYNC && w->max_latency_ns[req->op] && ns > w->max_latency_ns[req->op])
		fail(w, req, ETIMEDOUT);
}

/* An entry of `count` requests that ended at `now`, with its stamps; NULL: the ring is full. To be
 * given to capture_commit(). */
static inline struct capture_entry *captured(struct worker *w, const struct req *req,
					     uint64_t now, uint32_t count)
{
	const struct batch *batch = req->batch;
	struct capture_entry *entry = capture_slot(w->capture, count);

	if (unlikely(!entry))
		return NULL;
	entry->done_ticks = now;
	entry->packed = capture_pack(now - batch->start, count, req->op);
	entry->slat_ticks = capture_short(batch->submitted - batch->start);
	return entry;
}

/* What only some jobs want of each run. The ramp is in no log, and neither are syncs. */
static APART void add_whole_run(struct worker *w, const struct req *req, uint64_t now,
				uint32_t count)
{
	struct capture_entry *entry;

	if (unlikely(w->limits_latency))
		check_max_latency(w, req, clock_span_ns(w->clock, now - req->batch->start));
	if (!w->run_length || w->ramp_end != UINT64_MAX || req->op >= OP_FSYNC)
		return;
	entry = captured(w, req, now, count);
	if (unlikely(!entry))
		return;
	entry->length = w->run_length;
	capture_commit(w->capture);
}

/* `count` requests of one batch and direction that ended at `now`: one histogram add for each
 * kind. */
TWICE void add_run(struct worker *w, struct tally_dir *t, const struct req *req, uint64_t now,
		   uint32_t count)
{
	const struct batch *batch = req->batch;

	t->ios += count;
	if (!w->timed)
		return;
	if (t->lat[TALLY_TOTAL].count)
		tally_add(&t->lat[TALLY_TOTAL], clock_span_ns(w->clock, now - batch->start),
			  count);
	if (t->lat[TALLY_SLAT].count)
		tally_add(&t->lat[TALLY_SLAT],
			  clock_span_ns(w->clock, batch->submitted - batch->start), count);
	if (t->lat[TALLY_CLAT].count)
		tally_add(&t->lat[TALLY_CLAT],
			  clock_span_ns(w->clock,
					now > batch->submitted ? now - batch->submitted : 0),
			  count);
	if (unlikely(w->wants_run))
		add_whole_run(w, req, now, count);
}

static inline void add_response(struct worker *w, enum dir dir, const struct req *req,
				uint64_t now)
{
	struct tally_lat *lat = &w->tally->dir[dir].lat[TALLY_RESPONSE];

	if (lat->count)
		tally_add(lat, now > req->due ? clock_span_ns(w->clock, now - req->due) : 0, 1);
}

/* The ramp is in no log, and neither are syncs. A request whose first part came short is whole
 * again here. */
static inline void capture_request(struct worker *w, const struct req *req, uint64_t now)
{
	struct capture_entry *entry;
	uint64_t moved = 0;

	if (w->ramp_end != UINT64_MAX || req->op >= OP_FSYNC)
		return;
	entry = captured(w, req, now, 1);
	if (unlikely(!entry))
		return;
	if (unlikely(req->flags & REQ_MOVED))
		moved = (uint64_t)((char *)req->buf -
				   ((char *)w->buffers + req->slot * w->buffer_bytes));
	entry->offset = req->offset - moved;
	entry->length = req->len + (uint32_t)moved;
	capture_commit(w->capture);
}

/* What only some jobs want of each request. */
static APART void add_each(struct worker *w, enum dir dir, const struct req *req, uint64_t now)
{
	if (w->rated)
		add_response(w, dir, req, now);
	if (w->capture && !w->run_length)
		capture_request(w, req, now);
}

TWICE void give_back(struct worker *w, struct batch *batch, uint32_t count)
{
	w->in_flight -= count;
	w->nfree += count;
	batch->open -= count;
	if (batch->open == 0) {
		batch->next_free = w->batch_free;
		w->batch_free = (uint32_t)(batch - w->batches);
	}
}

/* From done[i] on, all of its batch and direction; returns the index after them. */
TWICE unsigned account_run(struct worker *w, unsigned i, unsigned n, uint64_t now)
{
	struct req *req = w->done[i];
	const struct req *first = req; /* stays readable until the next take() */
	struct batch *batch = req->batch;
	enum dir dir = op_dir(req->op);
	struct tally_dir *tally = &w->tally->dir[dir];
	uint64_t bytes = 0;
	uint32_t count = 0, gone = 0;

	do {
		bool counts = req->res == (int32_t)req->len;

		if (unlikely(!counts) && !odd_end(w, req, &counts))
			continue; /* its rest is on the way again */
		if (likely(counts)) {
			bytes += req->len;
			count++;
			if (unlikely(w->wants_each))
				add_each(w, dir, req, now);
		}
		if (unlikely(w->wants_done))
			flow_done(w->flow, req, now);
		if (unlikely(req->flags & REQ_MOVED))
			req->buf = (char *)w->buffers + req->slot * w->buffer_bytes;
		gone++;
		req->next = w->free;
		w->free = req;
	} while (++i < n && (req = w->done[i])->batch == batch && op_dir(req->op) == dir);
	tally->bytes += bytes;
	if (likely(count > 0))
		add_run(w, tally, first, now, count);
	give_back(w, batch, gone);
	return i;
}

/* Counts what was reaped and gives the requests back. */
TWICE void account(struct worker *w, unsigned n, uint64_t now)
{
	struct tally *tally = w->tally;
	unsigned i = 0;

	if (likely(w->reaped_depths))
		tally->depth[tally_depth_bucket(w->in_flight)] += n;
	tally->complete[tally_batch_bucket(n)]++;
	tally->completes++;
	tally->used = true;
	while (i < n)
		i = account_run(w, i, n, now);
}

#define NAP_MARGIN_NS \
	100000 /* a nap overshoots by 50 to 90 us: the rest is spent on the clock */

/* Nothing is in flight: waits until `until` or shortly before; a signal ends it. */
static APART void nap(struct worker *w, uint64_t now, uint64_t until)
{
	uint64_t span_ns = until > now ? clock_span_ns(w->clock, until - now) : 0;
	uint64_t wake_ns;
	struct timespec wake;

	if (w->clock->virtual_ns)
		return;	    /* who moves that clock looks at worker_next_ticks() */
	if (span_ns == 0) { /* others of its flow_id are behind: they may need this very CPU */
		(void)sched_yield();
		return;
	}
	if (span_ns <= NAP_MARGIN_NS || now < flow_spin_until(w->flow)) {
		__builtin_ia32_pause();
		return;
	}
	wake_ns = clock_at_ns(w->clock, until) - NAP_MARGIN_NS;
	wake.tv_sec = (time_t)(wake_ns / NS_PER_S);
	wake.tv_nsec = (long)(wake_ns % NS_PER_S);
	(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake,
			      NULL); /* EINTR: look at stop */
}

/* Something other than a lack of free requests may keep the worker from sending. */
static inline bool is_hindered(const struct worker *w)
{
	return w->finished | w->drain | w->later | (w->low > 0);
}

/* True once nothing hinders it any more. */
static APART bool overcomes(struct worker *w, uint64_t now)
{
	if (w->finished)
		return false;
	if (w->drain) {
		if (w->in_flight > 0)
			return false;
		w->drain = false;
	}
	if (w->later) {
		if (now < w->next_due)
			return false;
		w->later = false;
	}
	if (w->low > 0) { /* iodepth_low: refill only once the queue has run down */
		if (w->nfree == 0)
			w->refilling = false;
		else if (w->in_flight <= w->low)
			w->refilling = true;
		return w->refilling;
	}
	return true;
}

/* True while the flow may be asked for more. */
TWICE bool wants_more(struct worker *w, uint64_t now)
{
	if (unlikely(is_hindered(w)) && !overcomes(w, now))
		return false;
	return w->nfree >= w->batch_floor;
}

/* How many completions to wait for: none while requests could still be sent. */
TWICE unsigned reap_least(const struct worker *w)
{
	if (w->nfree >= w->batch_floor) {
		if (likely(!is_hindered(w)))
			return 0;
		if (!w->finished && !w->drain && !w->later && w->refilling)
			return 0;
	}
	return w->reap_min < w->in_flight ? w->reap_min : w->in_flight;
}

static APART uint64_t reap_limit_ns(const struct worker *w, uint64_t now, unsigned *least)
{
	uint64_t until = min_u64(w->next_due, w->next_event), span_ns;

	if (!w->later)
		return UINT64_MAX; /* the control plane's signal ends a wait that must end */
	span_ns = until > now ? clock_span_ns(w->clock, until - now) : 0;
	if (span_ns <= NAP_MARGIN_NS)
		*least = 0; /* too near for a timed wait: poll */
	return clock_at_ns(w->clock, until) - NAP_MARGIN_NS;
}

TWICE bool turn(struct worker *w, bool sync)
{
	/* A sync engine's start is stamped right before its call: what comes before that may
	 * take the last turn's end for now, and saves a look at the clock. */
	uint64_t now = sync ? w->turned : clock_ticks(w->clock);
	int n = 0;

	if (wants_more(w, now))
		issue(w, now, sync);
	if (w->in_flight > 0) {
		unsigned least = reap_least(w);
		uint64_t until_ns = UINT64_MAX;

		if (unlikely(w->later))
			until_ns = reap_limit_ns(w, now, &least);
		n = w->engine->ops->reap(w->engine, w->done, least, w->reap_max, until_ns);
	} else if (w->later && !w->finished) {
		nap(w, now, min_u64(w->next_due, w->next_event));
	}
	now = clock_ticks(w->clock);
	if (sync)
		w->turned = now;
	if (unlikely(now >= w->next_event))
		event(w,
		      now); /* before the count: a completion belongs to the row in which it came */
	if (likely(n > 0)) {
		add_depth(w, now);
		account(w, (unsigned)n, now);
	} else if (unlikely(n < 0)) {
		fail(w, NULL, -n);
		return false;
	}
	if (unlikely(atomic_load_explicit(&w->stop, memory_order_relaxed)) && !w->told) {
		w->told = true;
		told_to_stop(w, now);
	}
	if (unlikely(w->finished))
		return w->in_flight > 0 && w->why != WORKER_GAVE_UP && now < w->drain_end;
	return true;
}

static APART void loop_sync(struct worker *w)
{
	while (turn(w, true))
		;
}

static APART void loop_async(struct worker *w)
{
	while (turn(w, false))
		;
}

bool worker_turn(struct worker *w, bool *ret_idle)
{
	const struct tally *tally = w->tally;
	uint64_t submits = tally->submits, completes = tally->completes;
	bool goes_on = w->sync_engine ? turn(w, true) : turn(w, false);

	*ret_idle =
		w->tally == tally && tally->submits == submits && tally->completes == completes;
	return goes_on;
}

uint64_t worker_next_ticks(const struct worker *w)
{
	uint64_t next = w->next_event;

	if (w->later && !w->finished)
		next = min_u64(next, w->next_due);
	if (w->in_flight > 0 && w->engine->ops->next_ns)
		next = min_u64(next, w->engine->ops->next_ns(w->engine));
	return next;
}

void worker_loop(struct worker *w)
{
	if (w->sync_engine)
		loop_sync(w);
	else
		loop_async(w);
}
