/* Intervals: against a count of the plain sort, on one thread and several, and the log with a
 * stall that present tools draw as a flat line. Seed 7. */
#include "trace/gather.h"

#include <math.h>

#include "unit.h"

#include "base/bits.h"
#include "base/rng.h"
#include "logfile.h"

#define ROWS_MAX 4096

struct rows {
	struct gather_row row[ROWS_MAX];
	unsigned count;
	struct gather_totals totals;
	struct err err;
};

static int keep(void *context, const struct gather_row *row, struct err *err)
{
	struct rows *rows = context;

	(void)err;
	assert_true(rows->count < ROWS_MAX);
	rows->row[rows->count] = *row;
	rows->row[rows->count++].hist = NULL;
	return 0;
}

static void gather_files(const struct logfile *files, unsigned count,
			 const struct gather_options *options, struct rows *ret)
{
	struct trace_reader *readers[32];
	struct trace_options trace = {0};
	struct gather_sink sink = {ret, keep};

	memset(ret, 0, sizeof(*ret));
	for (unsigned i = 0; i < count; i++) {
		readers[i] = trace_open(files[i].path, &trace, &ret->err);
		assert_non_null(readers[i]);
	}
	(void)gather_run(readers, count, options, &sink, &ret->totals, &ret->err);
	for (unsigned i = 0; i < count; i++)
		trace_close(readers[i]);
}

static void gather_text(const char *name, const struct str *text,
			const struct gather_options *options, struct rows *ret)
{
	struct logfile file;

	logfile_write(&file, name, str_text(text), text->length);
	gather_files(&file, 1, options, ret);
	logfile_remove(&file);
}

static const struct gather_options by_second = {
	.bins = {.interval_ns = NS_PER_S,
		 .nthresholds = 2,
		 .threshold_ns = {5 * NS_PER_MS, 200 * NS_PER_MS}}};

/* 1000 rows a second for 10 s, but nothing from 3.0 to 5.2 s, which ends with one of 2.2 s. */
static void a_stall_is_two_rows_of_zeros(void **state)
{
	static const unsigned expected[] = {1000, 1000, 1000, 0,    0,
					    800,  1000, 1000, 1000, 1000};
	static struct rows rows;

	(void)state;
	for (unsigned kind = 0; kind < 2; kind++) {
		autostr text = {0};

		for (unsigned ms = 0; ms < 10000; ms++) {
			if (ms >= 3000 && ms < 5200)
				continue;
			str_printf(&text, "%u, %llu, 0, 4096, 0\n", ms,
				   kind		? 1ULL
				   : ms == 5200 ? 2200000000ULL
						: 90000ULL);
		}
		gather_text(kind ? "j_iops.1.log" : "j_clat.1.log", &text, &by_second, &rows);
		if (rows.err.code) /* rows of 1 at even distances: as it should, it asks */
			assert_non_null(strstr(rows.err.text, "windowed"));
		assert_int_equal(rows.count, 10);
		for (unsigned i = 0; i < 10; i++) {
			assert_int_equal(rows.row[i].begin_ns, i * NS_PER_S);
			assert_int_equal(rows.row[i].count, expected[i]);
			assert_true(rows.row[i].ios_per_s == expected[i]);
			assert_int_equal(rows.row[i].bytes, expected[i] * 4096);
			assert_int_equal(rows.row[i].has_latency, !kind && expected[i]);
		}
		assert_int_equal(rows.totals.empty_rows, 2);
		if (kind)
			continue;
		assert_int_equal(rows.row[5].max_ns, 2200000000);
		assert_int_equal(rows.row[5].over[0], 1);
		assert_int_equal(rows.row[5].over[1], 1);
		assert_false(
			rows.row[5].percentile_is_sound[3]); /* 800 are too few for p99.9 */
		assert_true(rows.row[4].count == 0 && isnan(rows.row[4].mean_ns));
	}
}

struct plain {
	uint64_t time_ms, value;
	unsigned op, length, source;
};

/* Several jobs, directions and block sizes, with pauses; about `megabytes` of text in all. */
static unsigned make_logs(struct logfile *files, unsigned jobs, unsigned rows,
			  struct plain *plain)
{
	struct rng rng;
	unsigned count = 0;

	rng_seed(&rng, 7, jobs);
	for (unsigned job = 0; job < jobs; job++) {
		uint64_t time_ms = rng_below(&rng, 2000);
		autostr text = {0};
		char name[32];

		for (unsigned i = 0; i < rows; i++) {
			struct plain *p = &plain[count++];

			time_ms += rng_below(&rng, 50) == 0;
			time_ms += rng_below(&rng, rows) < 2 ? rng_below(&rng, 4000) : 0;
			*p = (struct plain){
				time_ms, 1000 + (rng_next(&rng) >> (36 + rng_below(&rng, 20))),
				(unsigned)rng_below(&rng, 3), rng_below(&rng, 40) ? 4096 : 8192,
				job};
			str_printf(&text, "%llu, %llu, %u, %u, 0\n",
				   (unsigned long long)p->time_ms, (unsigned long long)p->value,
				   p->op, p->length);
		}
		(void)snprintf(name, sizeof(name), "j_clat.%u.log", job + 1);
		logfile_write(&files[job], name, text.text, text.length);
	}
	return count;
}

/* Each row counted again from the plain list. */
static void check_rows(const struct rows *rows, const struct gather_options *options,
		       const struct plain *plain, unsigned count)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < rows->count; i++) {
		const struct gather_row *row = &rows->row[i];
		uint64_t n = 0, sum = 0, bytes = 0, max = 0, min = UINT64_MAX, over = 0;

		for (unsigned k = 0; k < count; k++) {
			const struct plain *p = &plain[k];

			if (p->time_ms * NS_PER_MS < row->begin_ns ||
			    p->time_ms * NS_PER_MS >= row->end_ns ||
			    (options->by_source && p->source != row->source) ||
			    (options->bins.by_direction && p->op != row->op) ||
			    (options->bins.by_length && p->length != row->length))
				continue;
			n++;
			sum += p->value;
			bytes += p->length;
			max = max_u64(max, p->value);
			min = min_u64(min, p->value);
			over += p->value > options->bins.threshold_ns[0];
		}
		assert_int_equal(row->count, n);
		assert_int_equal(row->bytes, bytes);
		assert_int_equal(row->over[0], over);
		total += n;
		if (!n)
			continue;
		assert_int_equal(row->max_ns, max);
		assert_int_equal(row->min_ns, min);
		assert_true(fabs(row->mean_ns - (double)sum / (double)n) < 1);
	}
	assert_int_equal(total, count);
}

static void intervals_are_the_counts_of_the_sort(void **state)
{
	static struct plain plain[4 * 5000];
	static struct rows rows, other;
	struct logfile files[4];
	unsigned count = make_logs(files, 4, 5000, plain);

	(void)state;
	for (unsigned turn = 0; turn < 16; turn++) {
		struct gather_options options = {
			.bins = {.interval_ns = turn & 8 ? 300 * NS_PER_MS : NS_PER_S,
				 .by_direction = turn & 1,
				 .by_length = turn & 2,
				 .nthresholds = 1,
				 .threshold_ns = {100000}},
			.by_source = turn & 4,
			.threads = 1 + turn % 3};

		gather_files(files, 4, &options, &rows);
		assert_int_equal(rows.err.code, 0);
		check_rows(&rows, &options, plain, count);
		options.keep_all = true;
		gather_files(files, 4, &options, &other);
		assert_int_equal(other.count, rows.count);
		assert_memory_equal(other.row, rows.row, rows.count * sizeof(rows.row[0]));
	}
	for (unsigned i = 0; i < 4; i++)
		logfile_remove(&files[i]);
}

/* Some 20 MiB: several parts of a file, side by side. */
static void threads_change_nothing(void **state)
{
	static struct rows one, many;
	struct plain *plain = calloc(900000, sizeof(*plain));
	struct logfile file;
	struct gather_options options = by_second;

	(void)state;
	assert_non_null(plain);
	(void)make_logs(&file, 1, 900000, plain);
	free(plain);
	options.bins.by_direction = true;
	gather_files(&file, 1, &options, &one);
	for (options.threads = 2; options.threads <= 5; options.threads++) {
		gather_files(&file, 1, &options, &many);
		assert_int_equal(many.err.code, 0);
		assert_int_equal(many.count, one.count);
		assert_memory_equal(many.row, one.row, one.count * sizeof(one.row[0]));
		assert_memory_equal(&many.totals, &one.totals, sizeof(one.totals));
	}
	logfile_remove(&file);
}

static void windows_are_shared_out_to_intervals(void **state)
{
	static struct rows rows;
	autostr text = {0};

	(void)state;
	/* windows of 501 ms, as a loaded machine makes them: no interval may lose one */
	for (unsigned i = 1; i <= 4000; i++)
		str_printf(&text, "%u, 1000, 0, 0, 0\n%u, 500, 1, 0, 0\n", i * 501, i * 501);
	gather_text("j_iops.1.log", &text, &by_second, &rows);
	assert_int_equal(rows.err.code, 0);
	for (unsigned i = 0; i + 1 < rows.count; i++) {
		assert_true(fabs(rows.row[i].ios_per_s - 1500) < 1e-6);
		assert_false(rows.row[i].has_count);
		assert_false(rows.row[i].has_latency);
	}
	assert_int_equal(rows.count, 2004);
}

static void time_that_goes_back_is_an_error_with_its_remedy(void **state)
{
	static struct rows rows;
	struct gather_options options = by_second;
	autostr text = {0};

	(void)state;
	for (unsigned i = 0; i < 8000; i++)
		str_printf(&text, "%u, 1000, 0, 4096, 0\n", i % 4000);
	gather_text("j_clat.1.log", &text, &options, &rows);
	assert_int_equal(rows.err.kind, ERR_INPUT);
	assert_non_null(strstr(rows.err.text, ":4001: "));
	assert_non_null(strstr(rows.err.text, "--keep-all"));
	options.keep_all = true;
	gather_text("j_clat.1.log", &text, &options, &rows);
	assert_int_equal(rows.err.code, 0);
	assert_int_equal(rows.count, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(rows.row[i].count, 2000);
}

static void epoch_logs_begin_where_they_begin(void **state)
{
	static struct rows rows;
	autostr text = {0};

	(void)state;
	str_add(&text, "1796025248588, 6936, 0, 4096, 0\n1796025250588, 6936, 0, 4096, 0\n");
	gather_text("j_clat.1.log", &text, &by_second, &rows);
	assert_int_equal(rows.count, 3);
	assert_int_equal(rows.row[0].begin_ns, 1796025248 * NS_PER_S);
	assert_int_equal(rows.row[1].count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stall_is_two_rows_of_zeros),
		cmocka_unit_test(intervals_are_the_counts_of_the_sort),
		cmocka_unit_test(threads_change_nothing),
		cmocka_unit_test(windows_are_shared_out_to_intervals),
		cmocka_unit_test(time_that_goes_back_is_an_error_with_its_remedy),
		cmocka_unit_test(epoch_logs_begin_where_they_begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
