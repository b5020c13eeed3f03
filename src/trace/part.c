#include "trace/part.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/thread.h"
#include "trace/reader_priv.h"

/* Of a file that can be split, bytes; of others, samples. Long enough that a part's overhead (a
 * seek, two interval rows that a neighbour has too) is nothing, short enough to stay small. */
#define PART_BYTES   (8 * MiB)
#define PART_SAMPLES (350000u)
#define THREADS_MAX  16
#define AHEAD	     2 /* parts in the making for each thread */

enum slot_state { SLOT_IDLE, SLOT_READY, SLOT_TAKEN, SLOT_DONE };

struct slot {
	/* READY is stored by the owner with all fields set and taken by one worker's exchange;
	 * DONE is stored by the worker with the part complete and read by the owner. */
	_Atomic uint32_t state;
	uint64_t number, from, to; /* of the part within its source */
	unsigned source;
	struct trace_reader *reader; /* of its own; NULL: never split */
	unsigned reader_source;
	struct bins *bins;
	struct part part;
	struct err err;
	int rc;
};

struct source {
	struct trace_reader *reader; /* the caller's */
	struct bins *bins;	     /* of a source that is read in one go */
	bool split;
	uint64_t size_bytes, next_from, handed_out, taken; /* parts */
	bool all_out;					   /* the last part is handed out */
	bool busy; /* not split: a part is being made, the next has to wait */
};

struct parts {
	struct bins_options options;
	struct source *sources;
	/* One slot for each source and `ahead` more: a source without a part always finds one. */
	struct slot *slots;
	unsigned nsources, nslots, nthreads;
	uint64_t outstanding, ahead; /* parts handed out and not taken */
	struct thread threads[THREADS_MAX];
	_Atomic uint32_t posted; /* counts slots made ready, and the end; workers wait on it */
	_Atomic uint32_t done;	 /* counts slots done; the owner waits on it */
	_Atomic bool stop;
};

/* Rows of a part that has a reader of its own, from its first byte to its last. */
static int read_all(struct trace_reader *reader, struct bins *bins, unsigned samples_max,
		    bool *ret_ended, struct err *err)
{
	struct trace_batch batch;
	unsigned samples = 0;
	int rc = 1;

	while (samples < samples_max) {
		rc = trace_next(reader, &batch, err);
		if (rc <= 0)
			break;
		samples += batch.count;
		rc = bins_add(bins, &batch, err);
		if (rc)
			return rc;
		rc = 1;
	}
	*ret_ended = rc == 0;
	return rc < 0 ? rc : 0;
}

static void take_rows(struct bins *bins, struct part *part)
{
	part->first_ns = bins_first_ns(bins);
	part->last_ns = bins_last_ns(bins);
	part->rows = bins_take_all(bins, &part->rows_bytes);
}

/* By columns, unless each row's length is asked for. */
static int want_columns(struct trace_reader *reader, const struct bins_options *options,
			struct err *err)
{
	return options->by_length ? 0 : trace_want_columns(reader, err);
}

static int make_split(struct parts *parts, struct slot *slot)
{
	const struct trace_reader *like = parts->sources[slot->source].reader;
	bool ended;
	int rc;

	if (slot->reader && slot->reader_source != slot->source) {
		trace_close(slot->reader);
		slot->reader = NULL;
	}
	if (!slot->reader) {
		slot->reader = trace_open_like(like, &slot->err);
		slot->reader_source = slot->source;
		if (!slot->reader || want_columns(slot->reader, &parts->options, &slot->err))
			return slot->err.code;
	}
	slot->reader->counts = (struct trace_counts){0};
	trace_set_range(slot->reader, slot->from, slot->to);
	bins_free(slot->bins);
	slot->bins = bins_new(&parts->options, &like->info, &slot->err);
	if (!slot->bins)
		return slot->err.code;
	rc = read_all(slot->reader, slot->bins, UINT32_MAX, &ended, &slot->err);
	if (!rc)
		rc = bins_end(slot->bins, &slot->err);
	if (!rc)
		take_rows(slot->bins, &slot->part);
	return rc;
}

static int make_next(struct parts *parts, struct slot *slot)
{
	struct source *source = &parts->sources[slot->source];
	bool ended = false;
	int rc = read_all(source->reader, source->bins, PART_SAMPLES, &ended, &slot->err);

	if (!rc && ended)
		rc = bins_end(source->bins, &slot->err);
	slot->part.is_last = ended;
	slot->part.ndamages = source->reader->counts.ndamages;
	memcpy(slot->part.damage, source->reader->counts.damage, sizeof(slot->part.damage));
	if (!rc)
		take_rows(source->bins, &slot->part);
	return rc;
}

static void make(struct parts *parts, struct slot *slot)
{
	bool split = parts->sources[slot->source].split;

	slot->rc = split ? make_split(parts, slot) : make_next(parts, slot);
	atomic_store_explicit(&slot->state, SLOT_DONE, memory_order_release);
	atomic_fetch_add_explicit(&parts->done, 1, memory_order_release);
	thread_wake_word(&parts->done);
}

/* The ready slot whose part is wanted first: by number, which the sources share roughly. */
static struct slot *claim(struct parts *parts)
{
	for (;;) {
		struct slot *best = NULL;
		uint32_t ready = SLOT_READY;

		for (unsigned i = 0; i < parts->nslots; i++) {
			struct slot *slot = &parts->slots[i];

			if (atomic_load_explicit(&slot->state, memory_order_acquire) ==
				    SLOT_READY &&
			    (!best || slot->number < best->number))
				best = slot;
		}
		if (!best || atomic_compare_exchange_strong(&best->state, &ready, SLOT_TAKEN))
			return best;
	}
}

static void work(void *arg)
{
	struct parts *parts = arg;

	for (;;) {
		uint32_t posted = atomic_load(&parts->posted);
		struct slot *slot = claim(parts);

		if (slot)
			make(parts, slot);
		else if (atomic_load(&parts->stop))
			return;
		else
			thread_wait_word(&parts->posted, posted);
	}
}

/* One more part of `source` to the workers: false if it has none, or has to wait for the part
 * before, or every slot is in use. */
static bool hand_out(struct parts *parts, unsigned number)
{
	struct source *source = &parts->sources[number];
	struct slot *slot = NULL;

	if (source->all_out || source->busy)
		return false;
	for (unsigned i = 0; i < parts->nslots && !slot; i++)
		if (atomic_load_explicit(&parts->slots[i].state, memory_order_acquire) ==
		    SLOT_IDLE)
			slot = &parts->slots[i];
	if (!slot)
		return false;
	slot->part = (struct part){.source = number};
	slot->source = number;
	slot->number = source->handed_out++;
	parts->outstanding++;
	slot->err = (struct err){0};
	if (source->split) {
		slot->from = source->next_from;
		slot->to = source->next_from += PART_BYTES;
		source->all_out = source->next_from >= source->size_bytes;
		slot->part.is_last = source->all_out;
		if (source->all_out)
			slot->to = UINT64_MAX; /* the file may have grown */
	} else {
		source->busy = true;
	}
	atomic_store_explicit(&slot->state, SLOT_READY, memory_order_release);
	atomic_fetch_add(&parts->posted, 1);
	thread_wake_word(&parts->posted);
	return true;
}

/* Keep the workers busy: with the wanted source's parts first, then with those of the others. */
static void hand_out_more(struct parts *parts, unsigned wanted)
{
	for (unsigned i = 0; i < parts->nsources && parts->nthreads; i++)
		while (parts->outstanding < parts->ahead &&
		       hand_out(parts, (wanted + i) % parts->nsources))
			continue;
}

static struct slot *find_slot(struct parts *parts, unsigned source, uint64_t number)
{
	for (unsigned i = 0; i < parts->nslots; i++) {
		struct slot *slot = &parts->slots[i];

		if (atomic_load_explicit(&slot->state, memory_order_acquire) != SLOT_IDLE &&
		    slot->source == source && slot->number == number)
			return slot;
	}
	return NULL;
}

static void add_counts(struct trace_counts *into, const struct trace_counts *from)
{
	if (!into->bad_rows && from->bad_rows)
		into->first_bad_line = from->first_bad_line;
	if (!into->backward && from->backward)
		into->first_backward_line = from->first_backward_line;
	into->rows += from->rows;
	into->bad_rows += from->bad_rows;
	into->zero_rows += from->zero_rows;
	into->remarks += from->remarks;
	into->backward += from->backward;
	into->nul_bytes += from->nul_bytes;
	into->cut_row |= from->cut_row;
}

/* Until the slot is done, its owner works on whatever is ready. */
static void wait_for(struct parts *parts, struct slot *slot)
{
	for (;;) {
		uint32_t done = atomic_load(&parts->done);
		struct slot *ready;

		if (atomic_load_explicit(&slot->state, memory_order_acquire) == SLOT_DONE)
			return;
		ready = claim(parts);
		if (ready)
			make(parts, ready);
		else
			thread_wait_word(&parts->done, done);
	}
}

int parts_next(struct parts *parts, unsigned source_number, struct part *ret_part,
	       struct err *err)
{
	struct source *source = &parts->sources[source_number];
	struct slot *slot = find_slot(parts, source_number, source->taken);

	if (!slot && hand_out(parts, source_number))
		slot = find_slot(parts, source_number, source->taken);
	assert(slot);
	hand_out_more(parts, source_number);
	wait_for(parts, slot);
	source->taken++;
	parts->outstanding--;
	source->busy = false;
	if (source->split)
		add_counts(&source->reader->counts, &slot->reader->counts);
	*ret_part = slot->part;
	if (slot->rc) {
		if (err)
			*err = slot->err;
	} else {
		source->all_out |= slot->part.is_last;
	}
	slot->part.rows = NULL;
	atomic_store_explicit(&slot->state, SLOT_IDLE, memory_order_relaxed);
	return slot->rc;
}

static int start(struct parts *parts, struct trace_reader **readers, unsigned threads,
		 struct err *err)
{
	for (unsigned i = 0; i < parts->nsources; i++) {
		struct source *source = &parts->sources[i];

		source->reader = readers[i];
		source->size_bytes = readers[i]->info.size_bytes;
		/* where one window ends and the next begins is known in order only */
		source->split = threads > 1 && trace_can_split(readers[i]) &&
				!readers[i]->info.windowed && source->size_bytes > PART_BYTES;
		source->bins = bins_new(&parts->options, &readers[i]->info, err);
		if (!source->bins || want_columns(readers[i], &parts->options, err))
			return -ENOMEM;
	}
	for (unsigned i = 0; i + 1 < threads; i++) {
		int rc = thread_start(&parts->threads[i], work, parts, false);

		if (rc)
			return err_env(err, rc, "no thread can be started: %s; %s",
				       err_name(rc), thread_remedy());
		parts->nthreads++;
	}
	return 0;
}

struct parts *parts_new(struct trace_reader **readers, unsigned count,
			const struct bins_options *options, unsigned threads, struct err *err)
{
	struct parts *parts = calloc(1, sizeof(*parts));

	if (!parts)
		return (void)err_env(err, -ENOMEM, "no memory for parts"), NULL;
	threads = threads < 1 ? 1 : threads > THREADS_MAX ? THREADS_MAX : threads;
	parts->options = *options;
	parts->nsources = count;
	parts->sources = calloc(count, sizeof(*parts->sources));
	parts->slots = calloc(count + AHEAD * threads, sizeof(*parts->slots));
	if (!parts->sources || !parts->slots) {
		free(parts->sources);
		free(parts->slots);
		free(parts);
		return (void)err_env(err, -ENOMEM, "no memory for parts"), NULL;
	}
	parts->ahead = (uint64_t)AHEAD * threads;
	parts->nslots = count + AHEAD * threads;
	if (start(parts, readers, threads, err)) {
		parts_free(parts);
		return NULL;
	}
	return parts;
}

void parts_free(struct parts *parts)
{
	if (!parts)
		return;
	for (unsigned i = 0; i < parts->nslots; i++) { /* what nobody began is not begun */
		uint32_t ready = SLOT_READY;

		(void)atomic_compare_exchange_strong(&parts->slots[i].state, &ready, SLOT_IDLE);
	}
	atomic_store(&parts->stop, true);
	atomic_fetch_add(&parts->posted, 1);
	thread_wake_word(&parts->posted);
	for (unsigned i = 0; i < parts->nthreads; i++) {
		int signal;

		(void)thread_join(&parts->threads[i], &signal);
	}
	for (unsigned i = 0; i < parts->nslots; i++) {
		trace_close(parts->slots[i].reader);
		bins_free(parts->slots[i].bins);
		free(parts->slots[i].part.rows);
	}
	for (unsigned i = 0; i < parts->nsources; i++)
		bins_free(parts->sources[i].bins);
	free(parts->sources);
	free(parts->slots);
	free(parts);
}
