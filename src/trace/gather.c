#include "trace/gather.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "trace/part.h"

const double gather_percents[GATHER_PERCENTS] = {50, 90, 99, 99.9, 99.99};

/* Rows of one source, part by part. */
struct queue {
	struct part part;
	struct trace_damage damage[TRACE_DAMAGES_MAX]; /* so far */
	unsigned ndamages;
	size_t at; /* in part.rows */
	bool ended;
};

struct group {
	unsigned source;
	uint32_t length;
	uint8_t op;
	struct bins_sums sums;
	struct hist hist;
};

/* keep_all: every row there is, by interval. */
struct kept {
	const struct bins_row *row;
	unsigned source;
};

struct gather {
	const struct gather_options *options;
	const struct gather_sink *sink;
	struct gather_totals *totals;
	struct parts *parts;
	struct queue *queues;
	struct trace_reader **readers;
	unsigned nsources;
	bool windowed, latency;
	uint64_t next; /* interval that comes next */
	bool begun;
	unsigned ngroups;
	struct group *group[GATHER_GROUPS_MAX]; /* in the order in which they are shown */
};

static int compare_groups(const struct group *a, const struct group *b)
{
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (a->op != b->op)
		return a->op < b->op ? -1 : 1;
	return a->length < b->length ? -1 : a->length > b->length;
}

static void group_clear(struct group *group)
{
	if (group->sums.count && group->sums.min <= group->sums.max) {
		unsigned from = hist_index(group->sums.min), to = hist_index(group->sums.max);

		memset(group->hist.count + from, 0,
		       (to - from + 1) * sizeof(group->hist.count[0]));
	}
	group->sums = (struct bins_sums){.min = UINT64_MAX};
}

static void fill_latency(const struct gather *gather, const struct group *group,
			 struct gather_row *row)
{
	const struct bins_sums *sums = &group->sums;
	const struct hist_part part = {.first = hist_index(sums->min),
				       .last = hist_index(sums->max),
				       .total = sums->count};

	row->has_latency = row->has_max = true;
	row->min_ns = sums->min;
	row->max_ns = sums->max;
	row->mean_ns = (double)sums->sum / (double)sums->count;
	row->hist = &group->hist;
	memcpy(row->over, sums->over, sizeof(row->over));
	hist_percentiles_of_part_ns(&group->hist, part, gather_percents, GATHER_PERCENTS,
				    row->percentile_ns);
	for (unsigned i = 0; i < GATHER_PERCENTS; i++) {
		row->percentile_ns[i] =
			max_u64(sums->min, min_u64(sums->max, row->percentile_ns[i]));
		row->percentile_is_sound[i] =
			hist_percentile_is_sound(sums->count, gather_percents[i]);
	}
	(void)gather;
}

/* What a windowed log can say: a rate or a mean, of the intervals that its windows cover. */
static void fill_windowed(const struct gather *gather, const struct group *group,
			  struct gather_row *row)
{
	const struct bins_sums *sums = &group->sums;
	double per_ns = sums->weighted / (double)(row->end_ns - row->begin_ns);
	enum trace_kind kind = trace_info(gather->readers[0])->kind;

	row->windowed = true;
	row->ios_per_s = row->bytes_per_s = (double)NAN;
	if (sums->covered_ns <= 0) { /* no window, so nothing was done */
		row->has_count = true;
		row->ios_per_s = row->bytes_per_s = 0;
	} else if (kind == TRACE_IOPS) {
		row->ios_per_s = per_ns;
	} else if (kind == TRACE_BW) {
		row->bytes_per_s = per_ns * 1024;
	} else {
		row->mean_ns = sums->weighted / sums->covered_ns;
		row->has_latency = true;
		row->has_max = trace_info(gather->readers[0])->has_max;
		row->max_ns = sums->max;
	}
}

/* Rows of the interval may be among those that damage took. */
static bool has_lost(const struct gather *gather, const struct gather_row *row)
{
	for (unsigned i = 0; i < gather->nsources; i++) {
		const struct queue *queue = &gather->queues[i];

		if ((!gather->options->by_source || i == row->source) &&
		    trace_has_lost(queue->damage, queue->ndamages, row->begin_ns, row->end_ns))
			return true;
	}
	return false;
}

/* What is left says nothing: neither how much there was, nor that there was nothing. */
static void forget(struct gather_row *row)
{
	row->has_count = row->has_latency = row->has_max = false;
	row->ios_per_s = row->bytes_per_s = row->mean_ns = (double)NAN;
	row->hist = NULL;
}

static int emit(struct gather *gather, const struct group *group, uint64_t interval,
		struct err *err)
{
	uint64_t interval_ns = gather->options->bins.interval_ns;
	struct gather_row row = {.begin_ns = interval * interval_ns,
				 .end_ns = (interval + 1) * interval_ns,
				 .source = group->source,
				 .op = group->op,
				 .length = group->length,
				 .mean_ns = (double)NAN,
				 .count = group->sums.count,
				 .bytes = group->sums.bytes};

	if (gather->windowed) {
		/* windows tell how long they are: what the log does not reach is no idle time */
		if (gather->totals->last_ns > row.begin_ns)
			row.end_ns = min_u64(row.end_ns, gather->totals->last_ns);
		fill_windowed(gather, group, &row);
	} else {
		row.has_count = true;
		row.ios_per_s = (double)row.count * 1e9 / (double)interval_ns;
		row.bytes_per_s = (double)row.bytes * 1e9 / (double)interval_ns;
		if (gather->latency && row.count)
			fill_latency(gather, group, &row);
	}
	gather->totals->rows++;
	if (has_lost(gather, &row)) {
		forget(&row);
		gather->totals->lost_rows++;
	} else {
		gather->totals->empty_rows += !row.count && group->sums.covered_ns <= 0;
	}
	return gather->sink->row(gather->sink->context, &row, err);
}

/* Intervals before a group was first seen had nothing of it: rows of zeros, made up for here,
 * since nobody knows of a group before its first sample. */
static int add_group(struct gather *gather, const struct group *like, uint64_t from,
		     struct group **ret_group, struct err *err)
{
	struct group *group;
	unsigned at = 0;

	if (gather->ngroups == GATHER_GROUPS_MAX)
		return err_input(err,
				 "more than %u groups of job, direction and bs: use a "
				 "shorter --by",
				 GATHER_GROUPS_MAX);
	group = calloc(1, sizeof(*group));
	if (!group)
		return err_env(err, -ENOMEM, "no memory for a group");
	*group = *like;
	group->sums = (struct bins_sums){.min = UINT64_MAX};
	while (at < gather->ngroups && compare_groups(gather->group[at], group) < 0)
		at++;
	for (unsigned i = gather->ngroups; i > at; i--)
		gather->group[i] = gather->group[i - 1];
	gather->group[at] = group;
	gather->ngroups++;
	*ret_group = group;
	for (uint64_t i = from; i < gather->next; i++) {
		int rc = emit(gather, group, i, err);

		if (rc)
			return rc;
	}
	return 0;
}

static int find_group(struct gather *gather, const struct bins_row *row, unsigned source,
		      struct group **ret_group, struct err *err)
{
	static const struct group nothing;
	uint64_t interval_ns = gather->options->bins.interval_ns;
	const struct trace_info *info = trace_info(gather->readers[0]);
	struct group like = nothing;

	like.source = gather->options->by_source ? source : 0;
	like.length = row->length;
	like.op = row->op;
	for (unsigned i = 0; i < gather->ngroups; i++) {
		if (!compare_groups(gather->group[i], &like)) {
			*ret_group = gather->group[i];
			return 0;
		}
	}
	return add_group(gather, &like,
			 info->epoch ? gather->totals->first_ns / interval_ns : 0, ret_group,
			 err);
}

static int merge(struct gather *gather, const struct bins_row *row, unsigned source,
		 struct err *err)
{
	const struct bins_bucket *bucket = (const void *)(row + 1);
	struct group *group = NULL;
	struct bins_sums *sums;
	int rc = find_group(gather, row, source, &group, err);

	if (rc)
		return rc;
	gather->totals->bytes[source] += row->sums.bytes;
	sums = &group->sums;
	sums->count += row->sums.count;
	sums->bytes += row->sums.bytes;
	sums->sum += row->sums.sum;
	sums->min = min_u64(sums->min, row->sums.min);
	sums->max = max_u64(sums->max, row->sums.max);
	sums->weighted += row->sums.weighted;
	sums->covered_ns += row->sums.covered_ns;
	for (unsigned i = 0; i < BINS_THRESHOLDS_MAX; i++)
		sums->over[i] += row->sums.over[i];
	for (unsigned i = 0; i < row->nbuckets; i++)
		group->hist.count[bucket[i].bucket] += bucket[i].count;
	return 0;
}

/* All groups' rows of the interval that is complete. */
static int finish_interval(struct gather *gather, struct err *err)
{
	for (unsigned i = 0; i < gather->ngroups; i++) {
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): groups live as long as gather */
		int rc = emit(gather, gather->group[i], gather->next, err);

		if (rc)
			return rc;
		group_clear(gather->group[i]);
	}
	gather->next++;
	return 0;
}

/* From the log's zero, or an epoch log's first sample, up to `interval`. */
static int go_to(struct gather *gather, uint64_t interval, struct err *err)
{
	int rc = 0;

	if (!gather->begun) {
		struct group all = {.op = SAMPLE_OPS};
		struct group *group;

		gather->begun = true;
		gather->next = trace_info(gather->readers[0])->epoch ? interval : 0;
		if (!gather->options->by_source && !gather->options->bins.by_direction &&
		    !gather->options->bins.by_length)
			rc = add_group(gather, &all, gather->next, &group, err);
	}
	while (gather->next < interval && !rc)
		rc = finish_interval(gather, err);
	return rc;
}

static void note_span(struct gather *gather, const struct part *part)
{
	struct queue *queue = &gather->queues[part->source];

	queue->ndamages = part->ndamages;
	memcpy(queue->damage, part->damage, sizeof(queue->damage));
	if (!part->rows_bytes)
		return;
	gather->totals->first_ns = min_u64(gather->totals->first_ns, part->first_ns);
	gather->totals->last_ns = max_u64(gather->totals->last_ns, part->last_ns);
}

/* The next row of a source, or NULL at its end. */
static int peek(struct gather *gather, unsigned source, const struct bins_row **ret_row,
		struct err *err)
{
	struct queue *queue = &gather->queues[source];

	*ret_row = NULL;
	while (queue->at == queue->part.rows_bytes) {
		int rc;

		if (queue->ended)
			return 0;
		free(queue->part.rows);
		queue->at = 0;
		queue->part = (struct part){0};
		rc = parts_next(gather->parts, source, &queue->part, err);
		if (rc)
			return rc;
		queue->ended = queue->part.is_last;
		note_span(gather, &queue->part);
	}
	*ret_row = (const void *)(queue->part.rows + queue->at);
	return 0;
}

static int came_late(struct gather *gather, unsigned source, const struct bins_row *row,
		     struct err *err)
{
	const struct trace_counts *counts = trace_counts(gather->readers[source]);

	gather->totals->late++;
	return err_input(err,
			 "%s:%llu: time goes back, into the interval at %.3f s, whose row is "
			 "written (several runs or jobs in one file?): --keep-all keeps "
			 "all intervals until the end",
			 trace_path(gather->readers[source]),
			 (unsigned long long)counts->first_backward_line,
			 (double)row->interval * (double)gather->options->bins.interval_ns /
				 1e9);
}

/* All rows of `interval` that `source` has next. */
static int merge_source(struct gather *gather, unsigned source, uint64_t interval,
			struct err *err)
{
	const struct bins_row *row;
	int rc;

	for (;;) {
		rc = peek(gather, source, &row, err);
		if (rc || !row || row->interval > interval)
			return rc;
		if (row->interval < interval)
			return came_late(gather, source, row, err);
		rc = merge(gather, row, source, err);
		if (rc)
			return rc;
		gather->queues[source].at += bins_row_bytes(row);
	}
}

static int gather_in_order(struct gather *gather, struct err *err)
{
	for (;;) {
		uint64_t interval = UINT64_MAX;
		int rc = 0;

		for (unsigned i = 0; i < gather->nsources && !rc; i++) {
			const struct bins_row *row;

			rc = peek(gather, i, &row, err);
			if (!rc && row)
				interval = min_u64(interval, row->interval);
		}
		if (rc || interval == UINT64_MAX)
			return rc;
		rc = go_to(gather, interval, err);
		for (unsigned i = 0; i < gather->nsources && !rc; i++)
			rc = merge_source(gather, i, interval, err);
		if (!rc)
			rc = finish_interval(gather, err);
		if (rc)
			return rc;
	}
}

static int compare_kept(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->row->interval != y->row->interval)
		return x->row->interval < y->row->interval ? -1 : 1;
	return x->source < y->source ? -1 : x->source > y->source;
}

/* Everything a program keeps is in these two lists. */
struct keep {
	struct kept *rows;
	char **parts;
	size_t nrows, rows_room, nparts, parts_room;
};

static int keep_part(struct keep *keep, struct part *part, struct err *err)
{
	size_t room = keep->parts_room;
	void *grown;

	if (keep->nparts == room) {
		room = room ? 2 * room : 64;
		grown = realloc(keep->parts, room * sizeof(*keep->parts));
		if (!grown)
			return err_env(err, -ENOMEM, "no memory to keep all intervals");
		keep->parts = grown;
		keep->parts_room = room;
	}
	keep->parts[keep->nparts++] = part->rows;
	for (size_t at = 0; at < part->rows_bytes;) {
		const struct bins_row *row = (const void *)(part->rows + at);

		if (keep->nrows == keep->rows_room) {
			room = keep->rows_room ? 2 * keep->rows_room : 4096;
			grown = realloc(keep->rows, room * sizeof(*keep->rows));
			if (!grown)
				return err_env(err, -ENOMEM, "no memory to keep all intervals");
			keep->rows = grown;
			keep->rows_room = room;
		}
		keep->rows[keep->nrows++] = (struct kept){row, part->source};
		at += bins_row_bytes(row);
	}
	return 0;
}

static int show_kept(struct gather *gather, struct keep *keep, struct err *err)
{
	int rc = 0;

	if (keep->nrows)
		qsort(keep->rows, keep->nrows, sizeof(*keep->rows), compare_kept);
	for (size_t i = 0; i < keep->nrows && !rc;) {
		uint64_t interval = keep->rows[i].row->interval;

		rc = go_to(gather, interval, err);
		for (; i < keep->nrows && keep->rows[i].row->interval == interval && !rc; i++)
			rc = merge(gather, keep->rows[i].row, keep->rows[i].source, err);
		if (!rc)
			rc = finish_interval(gather, err);
	}
	return rc;
}

static int gather_all(struct gather *gather, struct err *err)
{
	struct keep keep = {0};
	int rc = 0;

	for (unsigned i = 0; i < gather->nsources && !rc; i++) {
		struct part part = {0};

		while (!part.is_last && !rc) {
			part = (struct part){0};
			rc = parts_next(gather->parts, i, &part, err);
			note_span(gather, &part);
			if (!rc)
				rc = keep_part(&keep, &part, err);
		}
	}
	if (!rc)
		rc = show_kept(gather, &keep, err);
	for (size_t i = 0; i < keep.nparts; i++)
		free(keep.parts[i]);
	free(keep.parts);
	free(keep.rows);
	return rc;
}

static int check(struct trace_reader **readers, unsigned count,
		 const struct gather_options *options, struct err *err)
{
	const struct trace_info *first = trace_info(readers[0]);

	if (count > GATHER_SOURCES_MAX)
		return err_input(err, "more than %u logs at once", GATHER_SOURCES_MAX);
	for (unsigned i = 0; i < count; i++) {
		const struct trace_info *info = trace_info(readers[i]);

		if (info->kind != first->kind || info->windowed != first->windowed ||
		    info->epoch != first->epoch)
			return err_input(err,
					 "%s and %s are logs of different sorts: take one "
					 "sort at a time",
					 trace_path(readers[0]), trace_path(readers[i]));
		if (info->windowed && info->window_ns > options->bins.interval_ns)
			return err_input(err,
					 "%s: its windows are %.3f s long, which is more "
					 "than the interval: say --interval=%.3fs or more",
					 trace_path(readers[i]), (double)info->window_ns / 1e9,
					 (double)info->window_ns / 1e9);
	}
	return 0;
}

int gather_run(struct trace_reader **readers, unsigned count,
	       const struct gather_options *options, const struct gather_sink *sink,
	       struct gather_totals *ret_totals, struct err *err)
{
	struct gather gather = {.options = options,
				.sink = sink,
				.totals = ret_totals,
				.readers = readers,
				.nsources = count};
	int rc = check(readers, count, options, err);

	*ret_totals = (struct gather_totals){.first_ns = UINT64_MAX};
	if (rc)
		return rc;
	gather.windowed = trace_info(readers[0])->windowed;
	gather.latency = trace_info(readers[0])->kind != TRACE_BW &&
			 trace_info(readers[0])->kind != TRACE_IOPS;
	gather.parts = parts_new(readers, count, &options->bins, options->threads, err);
	gather.queues = calloc(count, sizeof(*gather.queues));
	if (!gather.parts || !gather.queues)
		rc = err_env(err, -ENOMEM, "no memory for intervals");
	else
		rc = options->keep_all ? gather_all(&gather, err)
				       : gather_in_order(&gather, err);
	if (!rc && gather.begun)
		rc = go_to(&gather, options->until_ns / options->bins.interval_ns, err);
	for (unsigned i = 0; i < count && gather.queues; i++)
		free(gather.queues[i].part.rows);
	for (unsigned i = 0; i < gather.ngroups; i++)
		free(gather.group[i]);
	free(gather.queues);
	parts_free(gather.parts);
	return rc;
}
