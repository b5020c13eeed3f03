/*
 * A store as years of work leave it, for bench/store.py: `store_fill PATH RUNS SECONDS JOBS`
 * saves so many runs, each of one job with a row a second, the first and the last with a
 * histogram a row; with JOBS, instead, one run whose
 * histograms of every second and job are kept. Everything goes through store_save() but the
 * histograms by row, which go into their table as the schema has them. Seed 20268.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/assert.h"
#include "result/codec.h"
#include "store/second.h"
#include "store/store.h"

#define SEED  20268
#define KINDS 64 /* different seconds, used in turn */

static void fill_row(struct rng *rng, struct row *row, unsigned second)
{
	row->begin_ns = second * NS_PER_S;
	row->end_ns = row->begin_ns + NS_PER_S;
	row->dir[DIR_READ] = (struct row_dir){.ios = 90000 + rng_below(rng, 20000),
					      .bytes = 400000000,
					      .p50_ns = 80000,
					      .p99_ns = 150000 + rng_below(rng, 50000),
					      .p999_ns = 300000,
					      .max_ns = 2000000,
					      .mean_ns = 82000.5};
}

/* Of the runs that are compared, as runs have them: their ratio's interval is drawn from these. */
static void give_histograms(struct rng *rng, struct result *result)
{
	struct hist *hist = calloc(1, sizeof(*hist));
	struct str blobs[KINDS] = {0};

	assert(hist);
	result->series_kind = LAT_TOTAL;
	for (unsigned i = 0; i < KINDS; i++) {
		a_second(rng, hist);
		codec_hist_encode(hist, &blobs[i]);
	}
	for (unsigned i = 0; i < result->nrows; i++) {
		const struct str *blob = &blobs[rng_below(rng, KINDS)];

		result_set_interval_hist(result, i, DIR_READ, blob->text, blob->length);
	}
	for (unsigned i = 0; i < KINDS; i++)
		str_done(&blobs[i]);
	free(hist);
}

static int save_run(struct store *store, struct rng *rng, unsigned seconds, bool has_histograms)
{
	static const char *const options[][2] = {{"filename", "/dev/nvme0n1"},
						 {"rw", "randread"},
						 {"bs", "4k"},
						 {"iodepth", "8"}};
	struct record record;
	struct record_part *part;
	struct job_spec *spec;
	struct job_result *job;
	struct result *result;
	struct err err = {0};
	int rc = 0;

	record_init(&record, "run");
	part = record_add_part(&record, NULL, NULL, 0);
	job_set_init(part->set, FACE_NATIVE);
	result_init(part->result, part->set);
	result = part->result;
	spec = job_new(part->set, "load");
	for (size_t i = 0; i < ARRAY_SIZE(options) && !rc; i++)
		rc = job_set_option(part->set, spec, options[i][0], options[i][1], &err);
	job_add_unchecked(part->set, spec);
	job = result->jobs = arena_new(&result->arena, struct job_result);
	*job = (struct job_result){.spec = spec, .name = "load", .members = 1};
	job->end_ns = job->dir[DIR_READ].runtime_ns = seconds * NS_PER_S;
	job->dir[DIR_READ].ios = seconds * (95000 + rng_below(rng, 10000));
	job->dir[DIR_READ].bytes = job->dir[DIR_READ].ios * 4096;
	result->njobs = 1;
	result->interval_ns = NS_PER_S;
	result->rows = arena_array(&result->arena, struct row, seconds + 1);
	result->nrows = seconds;
	for (unsigned i = 0; i < seconds; i++)
		fill_row(rng, &result->rows[i], i);
	if (has_histograms)
		give_histograms(rng, result);
	record_settle(&record);
	if (!rc)
		rc = store_save(store, &record, NULL, &err);
	if (rc)
		(void)fprintf(stderr, "%s\n", err.text);
	record_done(&record);
	return rc;
}

static int save_histograms(const char *path, struct rng *rng, unsigned seconds, unsigned jobs)
{
	struct str blobs[KINDS] = {0};
	struct hist *hist = calloc(1, sizeof(*hist));
	sqlite3_stmt *insert = NULL;
	sqlite3 *db = NULL;
	int rc = !hist;

	for (unsigned i = 0; i < KINDS && !rc; i++) {
		a_second(rng, hist);
		codec_hist_encode(hist, &blobs[i]);
	}
	rc = rc || sqlite3_open(path, &db) || sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) ||
	     sqlite3_prepare_v2(db, "INSERT INTO histograms VALUES (1,?,0,2,?,?)", -1, &insert,
				NULL);
	for (unsigned job = 0; job < jobs && !rc; job++)
		for (unsigned i = 0; i < seconds && !rc; i++) {
			const struct str *blob = &blobs[rng_below(rng, KINDS)];

			rc = sqlite3_bind_int(insert, 1, (int)job) ||
			     sqlite3_bind_int(insert, 2, (int)i) ||
			     sqlite3_bind_blob(insert, 3, blob->text, (int)blob->length,
					       SQLITE_STATIC) ||
			     sqlite3_step(insert) != SQLITE_DONE || sqlite3_reset(insert);
		}
	rc = rc ||
	     sqlite3_exec(db, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
	(void)sqlite3_finalize(insert);
	(void)sqlite3_close(db);
	for (unsigned i = 0; i < KINDS; i++)
		str_done(&blobs[i]);
	free(hist);
	return rc;
}

int main(int argc, char **argv)
{
	unsigned runs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	unsigned seconds = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
	unsigned jobs = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 0;
	struct store *store;
	struct err err = {0};
	struct rng rng;
	int rc = 0;

	if (argc < 4)
		return 2;
	rng_seed(&rng, SEED, 0);
	if (store_open(argv[1], STORE_WRITE, &store, &err)) {
		(void)fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	for (unsigned i = 0; i < runs && !rc; i++)
		rc = save_run(store, &rng, jobs ? 0 : seconds,
			      !jobs && (i == 0 || i == runs - 1));
	store_close(store);
	if (!rc && jobs)
		rc = save_histograms(argv[1], &rng, seconds, jobs);
	return rc ? 1 : 0;
}
