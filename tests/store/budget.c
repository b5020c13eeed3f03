/* The store's byte budget: 24 h of one-second histograms of 8 jobs within 200 MB, from a small part
 * of it. bench/store.py fills the whole. */
#include "bed.h"
#include "second.h"
#include "unit.h"

#define SEED	 20269
#define DAY_JOBS (86400.0 * 8)
#define MB_MAX	 200.0
#define SECONDS	 500

/* Pages that the store grew by when a run with so many rows, with or without histograms, came. */
static long pages_of(struct store *store, struct rng *rng, bool has_histograms)
{
	long before = number(store, "PRAGMA page_count");
	struct row *rows = calloc(SECONDS, sizeof(*rows));
	struct hist *hist = calloc(1, sizeof(*hist));
	struct live live;

	live_init(&live);
	for (unsigned i = 0; i < SECONDS; i++) {
		rows[i].begin_ns = i * NS_PER_S;
		rows[i].end_ns = (i + 1) * NS_PER_S;
		rows[i].dir[DIR_READ].ios = 12000;
	}
	live.sample.result.rows = rows;
	live.sample.result.nrows = SECONDS;
	live.sample.result.hists = NULL;
	live.sample.result.hists_room = 0;
	for (unsigned i = 0; i < SECONDS && has_histograms; i++) {
		autostr blob = {0};

		a_second(rng, hist);
		codec_hist_encode(hist, &blob);
		result_set_interval_hist(&live.sample.result, i, DIR_READ, blob.text,
					 blob.length);
	}
	save(store, &live.record);
	live_done(&live);
	free(hist);
	free(rows);
	return number(store, "PRAGMA page_count") - before;
}

static void a_day_of_histograms_of_8_jobs_takes_200_mb(void **state)
{
	struct bed *bed = *state;
	double page_bytes = (double)number(bed->store, "PRAGMA page_size"), mb;
	long without, with;
	struct rng rng;

	rng_seed(&rng, SEED, 0);
	without = pages_of(bed->store, &rng, false);
	with = pages_of(bed->store, &rng, true);
	assert_int_equal(number(bed->store, "SELECT count(*) FROM histograms WHERE row >= 0"),
			 SECONDS);
	mb = (double)(with - without) * page_bytes / SECONDS * DAY_JOBS / 1e6;
	print_message("%.0f MB a day\n", mb);
	assert_true(mb <= MB_MAX);
}

#define with_bed(test) cmocka_unit_test_setup_teardown(test, bed_make, bed_clear)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_bed(a_day_of_histograms_of_8_jobs_takes_200_mb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
