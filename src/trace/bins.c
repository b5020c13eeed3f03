#include "trace/bins.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "trace/bins_columns.h"
#include "trace/row_span.h"

#define LANES (SAMPLE_OPS + 1) /* directions, or the one lane of all */
#define SLOTS 3		       /* a window of at most one interval lies in that many */

/* One group in the open interval; of a windowed log `hist` stays empty. */
struct cell {
	struct bins_sums sums;
	uint64_t hist[HIST_BUCKETS];
};

/* One block size, or all of them. */
struct shelf {
	uint32_t length;
	struct cell *cell[LANES]; /* made when first needed */
};

struct bins {
	struct bins_options options;
	bool windowed, latency;
	columns_add add_columns;
	uint64_t begin_ns; /* of the open interval */
	bool open, any;
	uint64_t first_ns, last_ns;
	uint64_t lowest_threshold_ns;
	unsigned nshelves, shelf; /* shelf: of the sample before */
	struct shelf shelves[BINS_LENGTHS_MAX];
	/* windowed: where the window before ended, and the sums of the newest intervals, into
	 * which the next window of another direction may reach back */
	struct row_span span; /* of a windowed or histogram log's rows */
	uint64_t oldest;      /* number of the interval of slot[0] */
	struct bins_sums slot[SLOTS][LANES];
	char *rows;
	size_t rows_bytes, rows_room, taken;
};

static void sums_clear(struct bins_sums *sums)
{
	*sums = (struct bins_sums){.min = UINT64_MAX};
}

static void slot_clear(struct bins_sums *slot)
{
	for (unsigned lane = 0; lane < LANES; lane++)
		sums_clear(&slot[lane]);
}

struct bins *bins_new(const struct bins_options *options, const struct trace_info *info,
		      struct err *err)
{
	struct bins *bins = calloc(1, sizeof(*bins));

	assert(options->interval_ns);
	if (!bins)
		return (void)err_env(err, -ENOMEM, "no memory for intervals"), NULL;
	bins->options = *options;
	bins->windowed = info->windowed;
	bins->latency = info->kind != TRACE_BW && info->kind != TRACE_IOPS;
	row_span_init(&bins->span, info);
	bins->add_columns = options->portable ? columns_add_portable : columns_add_best();
	bins->nshelves = 1;
	for (unsigned i = 0; i < SLOTS; i++)
		slot_clear(bins->slot[i]);
	bins->lowest_threshold_ns = UINT64_MAX;
	for (unsigned i = 0; i < options->nthresholds; i++)
		bins->lowest_threshold_ns =
			min_u64(bins->lowest_threshold_ns, options->threshold_ns[i]);
	return bins;
}

void bins_free(struct bins *bins)
{
	if (!bins)
		return;
	for (unsigned i = 0; i < bins->nshelves; i++)
		for (unsigned lane = 0; lane < LANES; lane++)
			free(bins->shelves[i].cell[lane]);
	free(bins->rows);
	free(bins);
}

static int rows_reserve(struct bins *bins, size_t bytes, struct err *err)
{
	size_t room = bins->rows_room ? bins->rows_room : 64 * KiB;
	char *rows;

	if (bins->taken == bins->rows_bytes)
		bins->taken = bins->rows_bytes = 0;
	while (room < bins->rows_bytes + bytes)
		room *= 2;
	if (room == bins->rows_room)
		return 0;
	rows = realloc(bins->rows, room);
	if (!rows)
		return err_env(err, -ENOMEM, "no memory for rows of intervals");
	bins->rows = rows;
	bins->rows_room = room;
	return 0;
}

static unsigned count_buckets(const struct cell *cell, unsigned from, unsigned to)
{
	unsigned count = 0;

	for (unsigned i = from; i <= to; i++)
		count += cell->hist[i] != 0;
	return count;
}

/* The open interval's cell becomes a row, and is empty again. */
static int leave(struct bins *bins, struct cell *cell, struct bins_row *row, struct err *err)
{
	unsigned from = 0, to = 0;
	bool has_hist = bins->latency && !bins->windowed && cell->sums.count;
	struct bins_bucket *bucket;
	int rc;

	if (has_hist) {
		from = hist_index(cell->sums.min);
		to = hist_index(cell->sums.max);
		row->nbuckets = count_buckets(cell, from, to);
	}
	row->sums = cell->sums;
	rc = rows_reserve(bins, bins_row_bytes(row), err);
	if (rc)
		return rc;
	memcpy(bins->rows + bins->rows_bytes, row, sizeof(*row));
	bucket = (struct bins_bucket *)(void *)(bins->rows + bins->rows_bytes + sizeof(*row));
	for (unsigned i = from; has_hist && i <= to; i++)
		if (cell->hist[i])
			*bucket++ = (struct bins_bucket){.bucket = i, .count = cell->hist[i]};
	bins->rows_bytes += bins_row_bytes(row);
	if (has_hist)
		memset(cell->hist + from, 0, (to - from + 1) * sizeof(cell->hist[0]));
	sums_clear(&cell->sums);
	return 0;
}

static int close_interval(struct bins *bins, struct err *err)
{
	int rc = 0;

	for (unsigned i = 0; i < bins->nshelves && !rc; i++) {
		for (unsigned lane = 0; lane < LANES && !rc; lane++) {
			struct cell *cell = bins->shelves[i].cell[lane];
			struct bins_row row = {.interval = bins->begin_ns /
							   bins->options.interval_ns,
					       .length = bins->shelves[i].length,
					       .op = (uint8_t)lane};

			if (cell && cell->sums.count)
				rc = leave(bins, cell, &row, err);
		}
	}
	return rc;
}

static int open_interval(struct bins *bins, uint64_t time_ns, struct err *err)
{
	int rc = bins->open ? close_interval(bins, err) : 0;

	bins->begin_ns = time_ns - time_ns % bins->options.interval_ns;
	bins->open = true;
	return rc;
}

static unsigned lane_of(const struct bins *bins, unsigned op)
{
	return bins->options.by_direction ? op : SAMPLE_OPS;
}

static struct cell *cell_of(struct bins *bins, unsigned op, struct err *err)
{
	struct cell **cell = &bins->shelves[bins->shelf].cell[lane_of(bins, op)];

	if (!*cell) {
		*cell = calloc(1, sizeof(**cell));
		if (!*cell)
			return (void)err_env(err, -ENOMEM, "no memory for a histogram"), NULL;
		sums_clear(&(*cell)->sums);
	}
	return *cell;
}

static int find_shelf(struct bins *bins, uint32_t length, struct err *err)
{
	if (!bins->options.by_length)
		length = 0;
	for (bins->shelf = 0; bins->shelf < bins->nshelves; bins->shelf++)
		if (bins->shelves[bins->shelf].length == length)
			return 0;
	if (!bins->shelves[0].length && bins->options.by_length &&
	    !bins->shelves[0].cell[SAMPLE_OPS] && !bins->shelves[0].cell[0] &&
	    !bins->shelves[0].cell[1] && !bins->shelves[0].cell[2])
		bins->shelf = 0; /* never used yet */
	else if (bins->nshelves == BINS_LENGTHS_MAX)
		return err_input(err,
				 "more than %u block sizes: too many to group rows by "
				 "(leave bs out of --by)",
				 BINS_LENGTHS_MAX);
	else
		bins->nshelves++;
	bins->shelves[bins->shelf].length = length;
	return 0;
}

static void count_over(struct bins *bins, struct cell *cell, uint64_t value, uint64_t count)
{
	for (unsigned i = 0; i < bins->options.nthresholds; i++)
		cell->sums.over[i] += value > bins->options.threshold_ns[i] ? count : 0;
}

/* Sums of a run of samples by direction, in few words: a sample changes three of them. */
struct run_sums {
	uint64_t count_bytes; /* count in the upper 16 bits, bytes in the lower 48 */
	uint64_t sum, min, max;
	uint64_t *hist;
};

#define RUN_COUNT_SHIFT 48
#define RUN_VALUE_MAX	(1ULL << 48) /* 78 hours; a run of greater values is added one by one */

_Static_assert(TRACE_BATCH *RUN_VALUE_MAX <= 1ULL << 63, "a run's sum does not overflow");
_Static_assert(TRACE_BATCH < 1 << 16, "nor does its count");

static void run_end(struct run_sums *run, struct cell *cell)
{
	cell->sums.count += run->count_bytes >> RUN_COUNT_SHIFT;
	cell->sums.bytes += run->count_bytes & ((1ULL << RUN_COUNT_SHIFT) - 1);
	cell->sums.sum += run->sum;
	cell->sums.min = min_u64(cell->sums.min, run->min);
	cell->sums.max = max_u64(cell->sums.max, run->max);
}

/* Samples of one interval and one shelf. Hot: some 3 ns a sample. Returns how many were taken
 * before one came that is of another interval or length, or too great. */
static unsigned add_run(struct bins *bins, const struct sample *samples, unsigned count,
			struct cell *const *lane)
{
	const uint64_t begin_ns = bins->begin_ns, interval_ns = bins->options.interval_ns;
	const uint64_t lowest_ns = min_u64(bins->lowest_threshold_ns, RUN_VALUE_MAX - 1);
	const uint32_t length = samples[0].length;
	const bool by_length = bins->options.by_length;
	struct run_sums run[SAMPLE_OPS];
	unsigned i;

	for (unsigned op = 0; op < SAMPLE_OPS; op++)
		run[op] = (struct run_sums){.min = UINT64_MAX,
					    .hist = lane[op] ? lane[op]->hist : NULL};
	for (i = 0; i < count; i++) {
		const struct sample *sample = &samples[i];
		uint64_t value = sample->value;
		struct run_sums *sums = &run[sample->op];

		if (unlikely(sample->time_ns - begin_ns >= interval_ns) ||
		    unlikely(!sums->hist) || unlikely(by_length && sample->length != length))
			break;
		if (unlikely(value > lowest_ns)) {
			if (value >= RUN_VALUE_MAX)
				break;
			count_over(bins, lane[sample->op], value, 1);
		}
		sums->count_bytes += (1ULL << RUN_COUNT_SHIFT) + sample->length;
		sums->sum += value;
		if (unlikely(value < sums->min))
			sums->min = value;
		if (unlikely(value > sums->max))
			sums->max = value;
		sums->hist[hist_index(value)]++;
	}
	for (unsigned op = 0; op < SAMPLE_OPS; op++)
		if (lane[op])
			run_end(&run[op], lane[op]);
	return i;
}

/* A value that a run cannot hold. */
static void add_great(struct bins *bins, const struct sample *sample, struct cell *cell)
{
	struct bins_sums *sums = &cell->sums;

	sums->count++;
	sums->bytes += sample->length;
	sums->sum += sample->value;
	sums->min = min_u64(sums->min, sample->value);
	sums->max = max_u64(sums->max, sample->value);
	cell->hist[hist_index(sample->value)]++;
	count_over(bins, cell, sample->value, 1);
}

/* Bins of a histogram log, each with its count. */
static void add_counted(struct bins *bins, const struct sample *sample, struct cell *cell)
{
	struct bins_sums *sums = &cell->sums;
	uint64_t count = sample->extra;

	sums->count += count;
	sums->bytes += count * sample->length;
	sums->sum += (unsigned __int128)sample->value * count;
	sums->min = min_u64(sums->min, sample->value);
	sums->max = max_u64(sums->max, sample->value);
	cell->hist[hist_index(sample->value)] += count;
	count_over(bins, cell, sample->value, count);
}

static void add_weighted(struct bins_sums *sums, const struct sample *sample, uint64_t ns)
{
	sums->weighted += (double)sample->value * (double)ns;
	sums->covered_ns += (double)ns;
	if (sample->flags & SAMPLE_MAX)
		sums->max = max_u64(sums->max, sample->extra);
}

/* Sums of one interval of a windowed log become a row. */
static int leave_sums(struct bins *bins, uint64_t interval, unsigned lane,
		      const struct bins_sums *sums, struct err *err)
{
	struct bins_row row = {.interval = interval, .op = (uint8_t)lane, .sums = *sums};
	int rc = rows_reserve(bins, sizeof(row), err);

	if (rc)
		return rc;
	memcpy(bins->rows + bins->rows_bytes, &row, sizeof(row));
	bins->rows_bytes += sizeof(row);
	return 0;
}

static int shift_slots(struct bins *bins, struct err *err)
{
	for (unsigned lane = 0; lane < LANES; lane++) {
		const struct bins_sums *sums = &bins->slot[0][lane];
		int rc = sums->covered_ns > 0 ? leave_sums(bins, bins->oldest, lane, sums, err)
					      : 0;

		if (rc)
			return rc;
	}
	memmove(bins->slot[0], bins->slot[1], sizeof(bins->slot) - sizeof(bins->slot[0]));
	slot_clear(bins->slot[SLOTS - 1]);
	bins->oldest++;
	return 0;
}

static int add_part(struct bins *bins, const struct sample *sample, uint64_t interval,
		    uint64_t ns, struct err *err)
{
	unsigned lane = lane_of(bins, sample->op);
	struct bins_sums late = {.min = UINT64_MAX};

	if (interval >= bins->oldest + (uint64_t)2 * SLOTS) { /* a pause: nothing to keep */
		for (unsigned i = 0; i < SLOTS; i++)
			if (shift_slots(bins, err))
				return -ENOMEM;
		bins->oldest = interval - (SLOTS - 1);
	}
	while (interval >= bins->oldest + SLOTS)
		if (shift_slots(bins, err))
			return -ENOMEM;
	if (interval >= bins->oldest) {
		add_weighted(&bins->slot[interval - bins->oldest][lane], sample, ns);
		return 0;
	}
	add_weighted(&late, sample, ns); /* time went back */
	return leave_sums(bins, interval, lane, &late, err);
}

/* A window's value holds from where the window before ended, or for its own length, to its
 * time; it is shared out to the intervals that it lies in. */
static int add_window(struct bins *bins, const struct sample *sample, struct err *err)
{
	uint64_t interval_ns = bins->options.interval_ns, end = sample->time_ns;
	uint64_t begin = row_span_begin_ns(&bins->span, sample);

	if (!bins->any)
		bins->first_ns = begin;
	bins->any = true;
	while (begin < end) {
		uint64_t number = begin / interval_ns;
		uint64_t part_end = min_u64(end, (number + 1) * interval_ns);
		int rc = add_part(bins, sample, number, part_end - begin, err);

		if (rc)
			return rc;
		begin = part_end;
	}
	return 0;
}

/* Rows of two directions that end at one time may have begun a millisecond apart: an interval
 * that was opened is not gone back from for that. */
static uint64_t time_of_counts(struct bins *bins, const struct sample *sample)
{
	uint64_t middle_ns = row_span_middle_ns(&bins->span, sample);
	uint64_t back_ns = bins->open ? bins->begin_ns - min_u64(bins->begin_ns, middle_ns) : 0;

	return back_ns && back_ns < bins->span.usual_ns / 2 ? bins->begin_ns : middle_ns;
}

static int add_slow(struct bins *bins, const struct sample *sample, struct err *err)
{
	uint64_t time_ns = sample->time_ns;
	struct cell *cell;
	int rc = 0;

	if (bins->windowed)
		return add_window(bins, sample, err);
	if (sample->flags & SAMPLE_COUNT) {
		time_ns = time_of_counts(bins, sample);
		bins->first_ns = min_u64(bins->first_ns, time_ns);
	}
	if (!bins->open || time_ns - bins->begin_ns >= bins->options.interval_ns)
		rc = open_interval(bins, time_ns, err);
	if (!rc)
		rc = find_shelf(bins, sample->length, err);
	if (rc)
		return rc;
	cell = cell_of(bins, sample->op, err);
	if (!cell)
		return -ENOMEM;
	if (sample->flags & SAMPLE_COUNT)
		add_counted(bins, sample, cell);
	else if (sample->value >= RUN_VALUE_MAX)
		add_great(bins, sample, cell);
	return 0;
}

/* The first of [from, count) that lies outside the open interval; times ascend. */
static unsigned interval_end(const struct bins *bins, const uint64_t *time_ns, unsigned from,
			     unsigned count)
{
	uint64_t end_ns = bins->begin_ns + bins->options.interval_ns;

	if (time_ns[count - 1] < end_ns)
		return count;
	while (time_ns[from] < end_ns)
		from++;
	return from;
}

/* Samples of the open interval; values that a run cannot hold go one by one before it. */
static void add_columns_run(struct bins *bins, struct cell *const *cell,
			    struct columns_job *job)
{
	for (unsigned op = 0; op < SAMPLE_OPS; op++)
		job->sums[op] = (struct column_sums){.min = cell[op]->sums.min,
						     .max = cell[op]->sums.max,
						     .hist = cell[op]->hist};
	bins->add_columns(job);
	for (unsigned op = 0; op < SAMPLE_OPS; op++) {
		struct bins_sums *sums = &cell[op]->sums;
		const struct column_sums *run = &job->sums[op];

		sums->count += run->count;
		sums->bytes += run->count * job->columns->length[op];
		sums->sum += run->sum;
		sums->min = min_u64(sums->min, run->min);
		sums->max = max_u64(sums->max, run->max);
	}
}

static int add_columns(struct bins *bins, const struct sample_columns *columns, unsigned count,
		       struct err *err)
{
	struct cell *cell[SAMPLE_OPS];
	unsigned at = 0;
	struct columns_job job = {
		.columns = columns,
		.lowest_ns = bins->lowest_threshold_ns,
		.nthresholds = bins->options.nthresholds,
		.threshold_ns = bins->options.threshold_ns,
	};

	if (find_shelf(bins, 0, err))
		return err->code;
	for (unsigned op = 0; op < SAMPLE_OPS; op++) {
		cell[op] = cell_of(bins, op, err);
		if (!cell[op])
			return -ENOMEM;
		job.over[op] = cell[op]->sums.over;
	}
	while (at < count) {
		if (!bins->open ||
		    columns->time_ns[at] - bins->begin_ns >= bins->options.interval_ns) {
			int rc = open_interval(bins, columns->time_ns[at], err);

			if (rc)
				return rc;
		}
		job.from = at;
		job.to = at = interval_end(bins, columns->time_ns, at, count);
		add_columns_run(bins, cell, &job);
	}
	return 0;
}

static int add_batch(struct bins *bins, const struct trace_batch *batch, struct err *err)
{
	bool one_by_one = bins->windowed || (batch->samples[0].flags & SAMPLE_COUNT);
	unsigned at = 0;

	while (at < batch->count) {
		const struct sample *sample = &batch->samples[at];
		struct cell *lane[SAMPLE_OPS];
		/* also opens the interval, and finds the shelf */
		int rc = add_slow(bins, sample, err);

		if (rc)
			return rc;
		if (one_by_one || sample->value >= RUN_VALUE_MAX) {
			at++;
			continue;
		}
		for (unsigned op = 0; op < SAMPLE_OPS; op++)
			lane[op] = bins->shelves[bins->shelf].cell[lane_of(bins, op)];
		at += add_run(bins, sample, batch->count - at, lane);
	}
	return 0;
}

int bins_add(struct bins *bins, const struct trace_batch *batch, struct err *err)
{
	const struct sample_columns *columns = batch->columns;
	unsigned last = batch->count - 1;
	int rc;

	if (!bins->any && !bins->windowed)
		bins->first_ns = columns ? columns->time_ns[0] : batch->samples[0].time_ns;
	bins->last_ns = max_u64(bins->last_ns, columns ? columns->time_ns[last]
						       : batch->samples[last].time_ns);
	rc = columns ? add_columns(bins, columns, batch->count, err)
		     : add_batch(bins, batch, err);
	bins->any = true;
	return rc;
}

int bins_end(struct bins *bins, struct err *err)
{
	int rc = bins->open ? close_interval(bins, err) : 0;

	for (unsigned i = 0; i < SLOTS && bins->windowed && !rc; i++)
		rc = shift_slots(bins, err);
	bins->open = false;
	return rc;
}

const struct bins_row *bins_take(struct bins *bins)
{
	const struct bins_row *row = (const void *)(bins->rows + bins->taken);

	if (bins->taken == bins->rows_bytes)
		return NULL;
	bins->taken += bins_row_bytes(row);
	return row;
}

char *bins_take_all(struct bins *bins, size_t *ret_bytes)
{
	char *rows = bins->rows;

	assert(!bins->taken);
	*ret_bytes = bins->rows_bytes;
	bins->rows = NULL;
	bins->rows_bytes = bins->rows_room = 0;
	return rows;
}

uint64_t bins_first_ns(const struct bins *bins)
{
	return bins->first_ns;
}

uint64_t bins_last_ns(const struct bins *bins)
{
	return bins->last_ns;
}
