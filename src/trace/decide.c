/*
 * What a text log is, from its name, its first rows and the hints. The rules, in the order of
 * their strength: what an option or the JSON says; what the rows prove; what the name says. A
 * question that none of them answers is an error which names the option.
 */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/str.h"
#include "trace/reader_priv.h"

#define HEAD_ROWS_MAX  20000
#define EPOCH_MIN_MS   100000000000ULL /* 1973: no run lasts that long */
#define HIST_COLUMNS   3	       /* before the bins */
#define BINS_NS	       1856u	       /* 29 groups of 64, fio 3 */
#define BINS_US	       1216u	       /* 19 groups of 64, fio 2 */
#define COARSENESS_MAX 6u
#define WINDOW_MIN_MS  10     /* below that, gaps between rows say nothing */
#define DEPTH_MAX      4096.0 /* no log's job holds more requests in flight */

/* What the first rows show. */
struct head {
	unsigned lines, rows, columns, bins_columns; /* lines: remarks are none */
	bool third_is_max;			     /* the third column is no direction */
	/* How many rows have it; the most decide, so that one bad row changes nothing. */
	unsigned third_big, ones, bs_zero, last_small, fifth_small;
	uint32_t hex; /* columns of the first row */
	uint64_t first_ms, last_ms, value_sum;
	unsigned same_time;		 /* rows with time and direction of a row just before */
	uint64_t min_gap_ms, max_gap_ms; /* between rows of one direction */
	uint64_t usual_gap_ms;		 /* that of most: the last window of a run is shorter */
	unsigned usual_votes;
	uint64_t last_of_ms[SAMPLE_OPS];
	unsigned of[SAMPLE_OPS];
};

void decide_say(struct trace_info *info, const char *fmt, ...)
{
	size_t have = strlen(info->about);
	va_list args;

	if (have && have + 3 < sizeof(info->about)) {
		memcpy(info->about + have, "; ", sizeof("; "));
		have += 2;
	}
	va_start(args, fmt);
	(void)vsnprintf(info->about + have, sizeof(info->about) - have, fmt, args);
	va_end(args);
}

static unsigned count_columns(const char *row, const char *end)
{
	unsigned columns = 1;

	for (; row < end; row++)
		columns += *row == ',';
	return columns;
}

static bool most(const struct head *head, unsigned rows)
{
	return rows > head->rows / 2;
}

/* Rates per window are 1 now and then, those per request always. */
static bool most_are_one(const struct head *head)
{
	return 10 * head->ones > 9 * head->rows;
}

/* The majority's, windows that drift by a millisecond taken as alike (Boyer and Moore, 1981). */
static void vote(struct head *head, uint64_t gap_ms)
{
	uint64_t usual = head->usual_gap_ms, slack = usual / 20 + 1;

	if (gap_ms + slack >= usual && gap_ms <= usual + slack) {
		head->usual_votes++;
		head->usual_gap_ms =
			min_u64(usual, gap_ms); /* what drifts is later, not sooner */
	} else if (head->usual_votes > 0) {
		head->usual_votes--;
	} else {
		head->usual_gap_ms = gap_ms;
		head->usual_votes = 1;
	}
}

static void head_gap(struct head *head, uint64_t ms, uint64_t op)
{
	if (op >= SAMPLE_OPS)
		return;
	if (head->of[op]++) {
		uint64_t gap = ms - min_u64(ms, head->last_of_ms[op]);

		head->same_time += gap == 0;
		vote(head, gap);
		head->min_gap_ms = min_u64(head->min_gap_ms, gap);
		head->max_gap_ms = max_u64(head->max_gap_ms, gap);
	}
	head->last_of_ms[op] = ms;
}

/* Columns are counted by the first row; rows that differ are the reader's to complain about. */
static void head_add(struct head *head, const char *row, const char *end)
{
	uint64_t n[FIOROW_COLUMNS_MAX];
	uint32_t hex;
	unsigned columns = count_columns(row, end), bs;

	head->lines++;
	if (!head->rows && columns > HIST_COLUMNS + (BINS_US >> COARSENESS_MAX) - 1) {
		head->bins_columns = columns;
		return;
	}
	columns = fiorow_split(row, end, FIOROW_COLUMNS_MAX, n, &hex);
	if (columns < FIOROW_COLUMNS_MIN || (head->rows && columns != head->columns))
		return;
	if (head->rows && !n[0] && !n[1] && !n[2] && !n[3])
		return; /* a row of zeros at the end */
	if (!head->rows++) {
		head->columns = columns;
		head->hex = hex;
		head->first_ms = n[0];
	}
	head->last_ms = n[0];
	head->value_sum += n[1];
	head->third_big += n[2] >= SAMPLE_OPS;
	head->ones += n[1] == 1;
	head->last_small += n[columns - 1] <= 1;
	head->fifth_small += columns < 5 || n[4] <= 1;
	bs = head->third_is_max ? 4 : 3;
	head->bs_zero += bs < columns && n[bs] == 0;
	head_gap(head, n[0], n[bs - 1]);
}

static void head_read(struct head *head, const struct lines *lines, bool third_is_max)
{
	const char *row = lines->text + lines->begin, *limit = lines->text + lines->fill;

	*head = (struct head){.third_is_max = third_is_max, .min_gap_ms = UINT64_MAX};
	while (head->rows < HEAD_ROWS_MAX && !head->bins_columns) {
		const char *end = memchr(row, '\n', (size_t)(limit - row));

		if (!end)
			return;
		while (row < end && *row == ' ')
			row++;
		if (row < end && *row != '#' && *row != '\r')
			head_add(head, row, end);
		row = end + 1;
	}
}

static int decide_bins(struct trace_info *info, unsigned columns, struct err *err)
{
	unsigned bins = columns - HIST_COLUMNS;

	for (unsigned k = 0; k <= COARSENESS_MAX; k++) {
		if (bins != BINS_NS >> k && bins != BINS_US >> k)
			continue;
		info->format = TRACE_FIO_HIST;
		info->kind = TRACE_HIST;
		info->bins = bins;
		info->coarseness = k;
		info->unit = bins == BINS_NS >> k ? TRACE_UNIT_NS : TRACE_UNIT_US;
		/* bins of a group are 1/64 of its low end wide, halved at each coarseness */
		info->value_error = 0.5 * (double)(1u << k) / 64;
		decide_say(
			info,
			info->unit == TRACE_UNIT_NS
				? N_("a histogram log: %u bins are fio 3's (ns), coarseness %u")
				: N_("a histogram log: %u bins are fio 2's (us), coarseness "
				     "%u"),
			bins, k);
		decide_say(info, "values are the bins' middles, right to %.2g %%",
			   100 * info->value_error);
		return 0;
	}
	return err_input(err,
			 "%u columns are no log of fio: a row has 4 to 8, a histogram 3 "
			 "and 1856 or 1216 bins, or these halved up to 6 times",
			 columns);
}

/* Which columns there are; see fiorow.h for their order. */
static int decide_columns(struct trace_reader *reader, const struct head *head, struct err *err)
{
	struct fiorow_shape *shape = &reader->shape;
	struct trace_info *info = &reader->info;
	unsigned max = head->third_is_max, extra = head->columns - 4 - max, prio_at;

	if (head->columns < 4 + max)
		return err_input(err,
				 "%u columns, and the third is no direction (0, 1, 2): "
				 "this is no log of fio",
				 head->columns);
	*shape = (struct fiorow_shape){
		.columns = (uint8_t)head->columns, .max = max, .value_scale = 1};
	if (extra == 1) { /* the priority, or an offset of before fio 3.18 */
		shape->prio =
			most(head, head->last_small) || (head->hex >> (head->columns - 1) & 1);
		shape->offset = !shape->prio;
	} else if (extra == 2) { /* offset and priority, or priority and issue time */
		bool fifth_is_prio = head->hex >> (4 + max) & 1;

		if (!(head->hex >> (5 + max) & 1) && !max && !most(head, head->last_small))
			fifth_is_prio |= most(head, head->fifth_small);
		shape->prio = true;
		shape->issue = fifth_is_prio;
		shape->offset = !fifth_is_prio;
	} else if (extra == 3) {
		shape->offset = shape->prio = shape->issue = true;
	} else if (extra > 3) {
		return err_input(err, "%u columns are no log of fio", head->columns);
	}
	prio_at = 4 + max + shape->offset;
	shape->prio_hex = shape->prio && (head->hex >> prio_at & 1);
	info->columns = head->columns;
	info->has_max = shape->max;
	info->has_offset = shape->offset;
	info->has_prio = shape->prio;
	info->prio_hex = shape->prio_hex;
	info->has_issue = shape->issue;
	return 0;
}

static int decide_kind(struct trace_info *info, const struct head *head,
		       const struct logname *name, enum trace_kind hint, struct err *err)
{
	info->kind = hint ? hint : name->kind;
	if (hint)
		decide_say(info, "%s by what was said", trace_kind_name(hint));
	else if (name->kind)
		decide_say(info, "%s by its name", trace_kind_name(name->kind));
	else if (most_are_one(head) && head->same_time) {
		info->kind = TRACE_IOPS;
		decide_say(info, "iops by its rows, which are all 1");
	} else
		return err_input(err, "neither its name nor its rows tell whether these are "
				      "latencies or rates: say --kind=lat|clat|slat|bw|iops");
	if (info->kind == TRACE_HIST)
		return err_input(err,
				 "a histogram log has 3 columns and its bins, this one "
				 "has %u columns: say --kind= for what it is",
				 head->columns);
	return 0;
}

static bool is_latency(enum trace_kind kind)
{
	return kind == TRACE_LAT || kind == TRACE_CLAT || kind == TRACE_SLAT;
}

/* The gaps of windows are all alike: true for rows at 500, 1001, 1500. */
static bool gaps_are_even(const struct head *head)
{
	return head->rows >= 3 && head->min_gap_ms >= WINDOW_MIN_MS &&
	       head->min_gap_ms != UINT64_MAX &&
	       head->max_gap_ms <= head->min_gap_ms + head->min_gap_ms / 5 + 2;
}

static int windowed_by_rows(struct trace_info *info, const struct head *head, bool aggregate,
			    struct err *err)
{
	if (most(head, head->bs_zero) || aggregate) {
		info->windowed = true;
		decide_say(info, aggregate ? N_("windowed: of the whole run")
					   : N_("windowed: the block size is 0"));
	} else if (is_latency(info->kind)) {
		decide_say(info, "a row per request: the block size is there");
	} else if (info->kind == TRACE_IOPS && !most_are_one(head)) {
		info->windowed = true;
		decide_say(info, "windowed: the rates are not all 1");
	} else if (head->same_time) {
		decide_say(info, "a row per request: rows share a time");
	} else if (gaps_are_even(head)) {
		if (info->kind == TRACE_IOPS)
			return err_input(err, "a rate of 1 at even distances is a window's or "
					      "a request's: say --windowed=yes|no");
		info->windowed = true;
		decide_say(info, "windowed: rows come at even distances");
	} else if (head->rows >= 3) {
		decide_say(info, "a row per request: rows come at uneven distances");
	} else {
		return err_input(err,
				 "%u rows do not tell windows from single requests: say "
				 "--windowed=yes|no",
				 head->rows);
	}
	return 0;
}

/* A run of one window and a bit has one gap, which is the bit; its first window began at 0. */
static uint64_t usual_window_ms(const struct head *head)
{
	unsigned rows = 0;

	for (unsigned op = 0; op < SAMPLE_OPS; op++)
		rows = rows > head->of[op] ? rows : head->of[op];
	if (rows > 2 || head->first_ms >= EPOCH_MIN_MS)
		return head->usual_gap_ms;
	return max_u64(head->usual_gap_ms, head->first_ms);
}

static int decide_windows(struct trace_reader *reader, const struct head *head, bool aggregate,
			  struct err *err)
{
	const struct trace_hints *hints = &reader->options.hints;
	struct trace_info *info = &reader->info;
	int rc = 0;

	if (hints->windowed == TRACE_UNASKED) {
		rc = windowed_by_rows(info, head, aggregate, err);
	} else {
		info->windowed = hints->windowed == TRACE_YES;
		decide_say(info, info->windowed ? N_("windowed, as was said")
						: N_("a row per request, as was said"));
	}
	if (rc || !info->windowed)
		return rc;
	if (hints->window_ns)
		info->window_ns = hints->window_ns;
	else
		info->window_ns = usual_window_ms(head) * NS_PER_MS;
	return 0;
}

/* Little's law: requests in flight = requests per second times latency. The two readings are
 * a factor of 1000 apart. */
static int unit_by_depth(struct trace_info *info, const struct head *head, double depth,
			 struct err *err)
{
	uint64_t span_ms = head->last_ms - min_u64(head->last_ms, head->first_ms);
	double as_ns = span_ms ? (double)head->value_sum / 1e6 / (double)span_ms : 0;
	double as_us = as_ns * 1000;

	if (info->windowed || !span_ms || as_ns <= 0)
		return err_input(err, "4 columns may be ns (fio 3) or us (fio 2), and this log "
				      "cannot tell: say --unit=ns|us, or keep the run's JSON "
				      "beside it");
	if (as_us > (depth > 0 ? depth * 1.5 : DEPTH_MAX)) {
		info->unit = TRACE_UNIT_NS;
		decide_say(info,
			   "ns: read as us, %.3g requests would be in flight, read as ns "
			   "%.3g",
			   as_us, as_ns);
	} else if (depth > 0 && as_us >= depth / 3) {
		info->unit = TRACE_UNIT_US;
		decide_say(info,
			   "us: that makes %.3g requests in flight, where %.3g are known "
			   "to be",
			   as_us, depth);
	} else {
		return err_input(err,
				 "its latencies may be ns (then %.3g requests were in "
				 "flight) or us (then %.3g): say --unit=ns|us, or "
				 "--depth=N, or keep the run's JSON beside it",
				 as_ns, as_us);
	}
	return 0;
}

static int decide_unit(struct trace_reader *reader, const struct head *head, struct err *err)
{
	const struct trace_hints *hints = &reader->options.hints;
	struct trace_info *info = &reader->info;
	int rc = 0;

	if (!is_latency(info->kind))
		return 0;
	if (hints->unit) {
		info->unit = hints->unit;
		decide_say(info, hints->unit == TRACE_UNIT_NS ? N_("ns, as was said")
							      : N_("us, as was said"));
	} else if (info->has_prio) {
		info->unit = TRACE_UNIT_NS;
		decide_say(info, "ns: fio has a priority column since 3.18");
	} else {
		rc = unit_by_depth(info, head, hints->depth, err);
	}
	reader->shape.value_scale = info->unit == TRACE_UNIT_US ? NS_PER_US : 1;
	return rc;
}

static uint8_t flags_of(const struct trace_info *info)
{
	unsigned flags = 0;

	flags |= info->windowed ? SAMPLE_WINDOW : 0;
	flags |= info->has_max ? SAMPLE_MAX : 0;
	flags |= info->has_offset && !info->has_max ? SAMPLE_OFFSET : 0;
	flags |= info->has_prio ? SAMPLE_PRIO : 0;
	flags |= info->prio_hex ? SAMPLE_PRIO_HEX : 0;
	return (uint8_t)flags;
}

int decide_text(struct trace_reader *reader, const struct logname *name, struct err *err)
{
	struct trace_info *info = &reader->info;
	struct head head;
	int rc;

	head_read(&head, &reader->lines, false);
	if (most(&head, head.third_big))
		head_read(&head, &reader->lines, true);
	if (head.bins_columns)
		return decide_bins(info, head.bins_columns, err);
	info->kind = reader->options.hints.kind ? reader->options.hints.kind : name->kind;
	if (!head.rows) {
		if (head.lines && !info->kind)
			return err_input(err, "the first lines hold no row of a log of fio");
		decide_say(info, "there is no row in it");
		reader->shape =
			(struct fiorow_shape){.columns = FIOROW_COLUMNS_MIN, .value_scale = 1};
		return 0;
	}
	rc = decide_columns(reader, &head, err);
	if (!rc)
		rc = decide_kind(info, &head, name, reader->options.hints.kind, err);
	if (!rc)
		rc = decide_windows(reader, &head, name->aggregate_op >= 0, err);
	if (!rc)
		rc = decide_unit(reader, &head, err);
	if (rc)
		return rc;
	info->epoch = head.first_ms >= EPOCH_MIN_MS;
	reader->shape.any_windows = info->windowed;
	reader->shape.windowed = info->windowed && !most(&head, head.bs_zero);
	reader->shape.flags = flags_of(info);
	return 0;
}
