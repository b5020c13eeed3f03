/* Sixteen jobs merged are the sort of all their rows. Seed 6. */
#include "trace/merge.h"

#include "unit.h"

#include "base/bits.h"
#include "base/rng.h"
#include "logfile.h"

#define JOBS 16
#define ROWS 3000

struct tagged {
	uint64_t time_ns, value;
	unsigned source, number; /* of the row in its source */
};

static int compare(const void *a, const void *b)
{
	const struct tagged *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static unsigned make_logs(struct logfile *files, struct tagged *rows)
{
	struct rng rng;
	unsigned count = 0;

	rng_seed(&rng, 6, 0);
	for (unsigned job = 0; job < JOBS; job++) {
		unsigned own = (unsigned)rng_below(&rng, ROWS);
		uint64_t time_ms = rng_below(&rng, 50);
		char name[32];
		autostr text = {0};

		str_add(&text, "");
		for (unsigned i = 0; i < own; i++) {
			uint64_t value = rng_below(&rng, 1 << 20);

			time_ms += rng_below(&rng, 5) == 0;
			str_printf(&text, "%llu, %llu, 0, 4096, 0\n",
				   (unsigned long long)time_ms, (unsigned long long)value);
			rows[count++] = (struct tagged){time_ms * NS_PER_MS, value, job, i};
		}
		(void)snprintf(name, sizeof(name), "j_clat.%u.log", job + 1);
		logfile_write(&files[job], name, str_text(&text), text.length);
	}
	return count;
}

static void sixteen_jobs_merged_are_the_sort_of_all_rows(void **state)
{
	static struct tagged rows[JOBS * ROWS];
	struct logfile files[JOBS];
	struct trace_reader *readers[JOBS];
	struct trace_options options = {0};
	unsigned count = make_logs(files, rows), at = 0;
	struct trace_merge *merge;
	struct trace_batch batch;
	struct err err = {0};

	(void)state;
	qsort(rows, count, sizeof(rows[0]), compare);
	for (unsigned job = 0; job < JOBS; job++) {
		readers[job] = trace_open(files[job].path, &options, &err);
		assert_non_null(readers[job]);
	}
	merge = merge_new(readers, JOBS, &err);
	while (merge_next(merge, &batch, &err) > 0) {
		for (unsigned i = 0; i < batch.count; i++, at++) {
			assert_int_equal(batch.samples[i].time_ns, rows[at].time_ns);
			assert_int_equal(batch.samples[i].value, rows[at].value);
			assert_int_equal(batch.source, rows[at].source);
		}
	}
	assert_int_equal(err.code, 0);
	assert_int_equal(at, count);
	merge_free(merge);
	for (unsigned job = 0; job < JOBS; job++) {
		trace_close(readers[job]);
		logfile_remove(&files[job]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sixteen_jobs_merged_are_the_sort_of_all_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
