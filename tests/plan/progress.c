/* What comes next, steady state, search and aggregation: pure functions of a plan's journal, here
 * with journals made by hand. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "plan/estimate.h"
#include "plan/journal.h"
#include "plan/measure.h"
#include "result/codec.h"

struct bench {
	struct plan plan;
	struct plan_journal journal;
	struct plan_lane lane;
};

static void begin(struct bench *b, const char *text)
{
	struct err err = {0};

	*b = (struct bench){0};
	if (plan_read_text(&b->plan, "x.plan", text, NULL, &err))
		fail_msg("%s", err.text);
	plan_journal_init(&b->journal);
	b->lane = (struct plan_lane){.plan = &b->plan, .journal = &b->journal};
}

static void end(struct bench *b)
{
	plan_journal_done(&b->journal);
	plan_done(&b->plan);
}

/* Adds an entry with so many requests per second, 1000 requests of so many ns each. */
static void did(struct bench *b, const struct plan_task *task, double iops, uint64_t ns)
{
	struct plan_entry entry = {.task = *task};
	struct hist *hist = calloc(1, sizeof(*hist));
	autostr blob = {0};

	plan_figures_init(&entry.figures);
	hist_add(hist, ns, 1000);
	codec_hist_encode(hist, &blob);
	free(hist);
	for (unsigned d = 0; d < NPLAN_DIRS; d++) {
		if (d != PLAN_READ && d != PLAN_ALL)
			continue;
		entry.figures.ios[d] = 1000;
		entry.figures.value[d][CELL_IOS_PER_S] = iops;
		entry.figures.value[d][CELL_BYTES_PER_S] = iops * 4096;
		entry.figures.value[d][CELL_MEAN_NS] = (double)ns;
		entry.figures.value[d][CELL_P99_NS] = (double)ns;
		entry.figures.value[d][CELL_MAX_NS] = (double)ns;
		entry.hist[d] = (struct plan_blob){blob.text, blob.length};
	}
	plan_journal_add(&b->journal, &entry);
}

/* Runs a lane to its end, every cell with `iops`; the names of what was done, for a test. */
static void run_all(struct bench *b, const struct plan_size *size, struct str *ret_names)
{
	struct plan_task task;

	while (plan_next(&b->plan, &b->journal, NULL, size, &task)) {
		str_printf(ret_names, "%u%c%u.%u/%u ", task.target, 'a' + (char)task.step,
			   task.pass, task.round, task.cell);
		did(b, &task, 1000, 1000);
		assert_true(b->journal.count < 1000);
	}
}

static void cells_come_in_order_and_repetitions_around_them(void **state)
{
	struct bench b;
	autostr names = {0};

	(void)state;
	begin(&b, "[s]\nstep=sweep\nsweep=bs=4k,8k\nrepeat=2\n[v]\nstep=check\n"
		  "check=[bs=4k] s.iops > 5\n[r]\nstep=run\n");
	run_all(&b, &(struct plan_size){1, 1}, &names);
	assert_string_equal(str_text(&names), "0a0.0/0 0a0.0/1 0a1.0/0 0a1.0/1 0c0.0/0 ");
	end(&b);
}

static void repetitions_of_a_plan_interleave_a_b_b_a(void **state)
{
	struct bench b;
	autostr names = {0};

	(void)state;
	begin(&b, "[r]\nstep=run\n");
	run_all(&b, &(struct plan_size){2, 4}, &names);
	assert_string_equal(str_text(&names), "0a0.0/0 1a0.0/0 1a0.0/0 0a0.0/0 0a0.0/0 1a0.0/0 "
					      "1a0.0/0 0a0.0/0 ");
	end(&b);
}

/* The journal is all that counts: whatever its prefix, the rest comes out the same. */
static void a_plan_goes_on_where_its_journal_ends(void **state)
{
	static const char text[] = "[s]\nstep=sweep\nsweep=bs=4k,8k iodepth=1,2\n"
				   "[r]\nstep=rounds\nuntil=steady(iops)\nrepeat=2\n"
				   "[f]\nstep=find\nfind=p99 < 5us\nby=iodepth\nto=8\n";
	autostr whole = {0};
	struct bench b;

	(void)state;
	begin(&b, text);
	run_all(&b, &(struct plan_size){1, 1}, &whole);
	for (unsigned kept = 0; kept <= b.journal.count; kept++) {
		struct bench again;
		autostr names = {0};

		begin(&again, text);
		for (unsigned i = 0; i < kept; i++) {
			const struct plan_task *task = &b.journal.entries[i].task;

			str_printf(&names, "%u%c%u.%u/%u ", task->target,
				   'a' + (char)task->step, task->pass, task->round, task->cell);
			plan_journal_add(&again.journal, &b.journal.entries[i]);
		}
		run_all(&again, &(struct plan_size){1, 1}, &names);
		assert_string_equal(str_text(&names), str_text(&whole));
		end(&again);
	}
	end(&b);
}

/* --- steady state --- */

static unsigned rounds_of(struct bench *b, const double *iops, unsigned count)
{
	struct plan_task task;
	unsigned done = 0;

	while (plan_step_next(&b->lane, 0, &task)) {
		assert_int_equal(task.round, done);
		did(b, &task, iops[done < count ? done : count - 1], 1000);
		done++;
	}
	return done;
}

/* The vectors of SNIA's rule (range, slope), each as the last five of a longer fall. */
static void rounds_end_with_the_window_that_is_steady(void **state)
{
	static const struct {
		double iops[5];
		bool steady;
	} vectors[] = {
		{{30000, 29500, 30400, 29800, 30100}, true},
		{{33500, 31800, 30200, 29900, 29700}, false},
		{{30000, 24500, 30100, 29900, 30050}, true},
		{{31500, 30800, 30000, 29300, 28400}, false},
		{{32000, 31200, 30000, 29000, 28500}, false},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(vectors); i++) {
		double iops[8] = {90000, 70000, 50000};
		struct plan_steady steady;
		struct bench b;

		memcpy(iops + 3, vectors[i].iops, sizeof(vectors[i].iops));
		begin(&b, "[r]\nstep=rounds\nuntil=steady(iops)\nmax_rounds=8\n");
		assert_int_equal(rounds_of(&b, iops, 8), 8);
		plan_steady(&b.lane, 0, 0, &steady);
		assert_int_equal(steady.attained, vectors[i].steady);
		assert_int_equal(steady.rounds, 8);
		assert_int_equal(steady.first_round, 3);
		assert_int_equal(steady.nwindow, 5);
		end(&b);
	}
}

/* What counts is what the rounds wrote, of the target as far as the plan uses it. */
static void rounds_end_when_the_target_was_written_so_often(void **state)
{
	static const double falling[] = {90, 80, 70, 60, 50, 40, 30, 20, 10};
	static const uint64_t size_bytes[] = {1000};
	struct plan_steady steady;
	struct plan_task task;
	struct bench b;
	unsigned done = 0;

	(void)state;
	begin(&b, "[r]\nstep=rounds\nrw=randwrite\nuntil=steady(iops)\nmax_fills=2\n");
	b.journal.size_bytes = size_bytes;
	b.journal.ntargets = 1;
	while (plan_step_next(&b.lane, 0, &task)) {
		did(&b, &task, falling[done % 9] + 1, 1000);
		b.journal.entries[done++].written_bytes = 300;
	}
	plan_steady(&b.lane, 0, 0, &steady);
	assert_int_equal(done, 7); /* 2100 bytes */
	assert_true(steady.is_full);
	assert_false(steady.attained);
	assert_true(fabs(steady.fills - 2.1) < 1e-9);
	b.journal.ntargets = 0; /* a file that has no size of its own */
	assert_true(plan_step_next(&b.lane, 0, &task));
	end(&b);
}

/* Falling IOPS do not pass because their slope is negative. */
static void a_slope_counts_without_its_sign(void **state)
{
	static const double up[] = {100, 103, 106, 109, 112},
			    down[] = {112, 109, 106, 103, 100};
	struct plan_steady rising, falling;
	struct bench b;

	(void)state;
	begin(&b, "[r]\nstep=rounds\nuntil=steady(iops)\nmax_rounds=5\n");
	(void)rounds_of(&b, up, 5);
	plan_steady(&b.lane, 0, 0, &rising);
	end(&b);
	begin(&b, "[r]\nstep=rounds\nuntil=steady(iops)\nmax_rounds=5\n");
	(void)rounds_of(&b, down, 5);
	plan_steady(&b.lane, 0, 0, &falling);
	end(&b);
	assert_false(rising.attained);
	assert_false(falling.attained);
	assert_true(fabs(rising.proof[0].slope_percent - falling.proof[0].slope_percent) <
		    1e-9);
	assert_true(fabs(rising.proof[0].slope - 3) < 1e-9);
	assert_true(fabs(falling.proof[0].slope + 3) < 1e-9);
}

/* "Not reached after N rounds" is a result, with the last window's numbers. */
static void rounds_that_are_never_steady_end_at_their_limit(void **state)
{
	static const double iops[] = {100, 200, 100, 200, 100, 200, 100, 200, 100, 200};
	struct plan_figures figures;
	struct plan_steady steady;
	struct bench b;

	(void)state;
	begin(&b, "[r]\nstep=rounds\nuntil=steady(iops)\nmax_rounds=9\n");
	assert_int_equal(rounds_of(&b, iops, 10), 9);
	plan_steady(&b.lane, 0, 0, &steady);
	assert_false(steady.attained);
	assert_int_equal(steady.first_round, 4);
	assert_true(plan_cell_figures(&b.lane, 0, 0, &figures));
	assert_true(fabs(figures.value[PLAN_ALL][CELL_IOS_PER_S] - 140) < 1e-9);
	end(&b);
}

/* All tracked variables must hold the rule in the same window. */
/* A plateau that lasts longer than five rounds is not taken for the steady state. */
static void one_round_in_a_stride_is_judged(void **state)
{
	double iops[60];
	struct plan_steady steady;
	struct plan_figures figures;
	struct bench b;

	(void)state;
	for (unsigned i = 0; i < 60;
	     i++) /* seven rounds as new, then less and less, then level */
		iops[i] = i < 7 ? 90000 : i < 20 ? 90000 - 6000.0 * (i - 7) : 12000;
	begin(&b, "[r]\nstep=rounds\nuntil=steady(iops, stride=3)\nmax_rounds=60\n");
	/* Judged are rounds 0, 3, 6 ...; the first of five that are level is 21. */
	assert_int_equal(rounds_of(&b, iops, 60), 34);
	plan_steady(&b.lane, 0, 0, &steady);
	assert_true(steady.attained);
	assert_int_equal(steady.first_round, 21);
	assert_int_equal(steady.nwindow, 13);
	assert_float_equal(steady.proof[0].mean, 12000, 1e-9);
	assert_true(plan_cell_figures(&b.lane, 0, 0, &figures));
	assert_float_equal(figures.value[PLAN_ALL][CELL_IOS_PER_S], 12000, 1e-9);
	end(&b);
}

static void every_variable_must_be_steady(void **state)
{
	struct plan_task task;
	struct plan_steady steady;
	struct bench b;
	unsigned rounds = 0;

	(void)state;
	begin(&b, "[r]\nstep=rounds\nsweep=bs=4k,64k\nmax_rounds=12\n"
		  "until=steady(iops[bs=4k], bw[bs=64k], window=3)\n");
	while (plan_step_next(&b.lane, 0, &task)) {
		bool late = task.cell == 1 && task.round < 6; /* the second falls longer */

		did(&b, &task, late ? 1000.0 - 100.0 * task.round : 400, 1000);
		rounds = task.round + 1;
	}
	plan_steady(&b.lane, 0, 0, &steady);
	assert_true(steady.attained);
	assert_int_equal(rounds, 9);
	assert_int_equal(steady.first_round, 6);
	end(&b);
}

/* --- figures of several runs --- */

static void percentiles_of_a_window_come_from_merged_histograms(void **state)
{
	struct plan_task task = {0};
	struct plan_figures figures;
	struct bench b;

	(void)state;
	begin(&b, "[r]\nstep=rounds\nuntil=steady(iops, window=4)\nmax_rounds=4\n");
	for (unsigned i = 0; i < 4; i++) {
		assert_true(plan_step_next(&b.lane, 0, &task));
		did(&b, &task, 1000, i == 3 ? 1000000 : 1000);
	}
	assert_true(plan_cell_figures(&b.lane, 0, 0, &figures));
	/* The mean of the four p50 would be 250,750 ns. */
	assert_true(figures.value[PLAN_ALL][CELL_P50_NS] < 1010);
	assert_true(figures.value[PLAN_ALL][CELL_P99_NS] > 990000);
	assert_true(fabs(figures.value[PLAN_ALL][CELL_MEAN_NS] - 250750) < 1);
	assert_int_equal(figures.ios[PLAN_ALL], 4000);
	end(&b);
}

static void repetitions_are_put_together_as_the_plan_says(void **state)
{
	static const struct {
		const char *how;
		double iops, mean_ns;
	} cases[] = {{"median", 110, 3000}, {"mean", 400, 13000.0 / 3}, {"best", 1000, 1000}};
	/* The first is discarded. */
	static const double iops[] = {5000, 90, 110, 1000};
	static const uint64_t ns[] = {10, 1000, 3000, 9000};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		struct plan_figures figures;
		struct plan_task task;
		char text[200];
		struct bench b;

		(void)snprintf(text, sizeof(text),
			       "[a]\nstep=run\nrepeat=4\ndiscard=1\naggregate=%s\n",
			       cases[i].how);
		begin(&b, text);
		for (unsigned n = 0; plan_step_next(&b.lane, 0, &task); n++)
			did(&b, &task, iops[n], ns[n]);
		assert_true(plan_cell_figures(&b.lane, 0, 0, &figures));
		assert_true(fabs(figures.value[PLAN_ALL][CELL_IOS_PER_S] - cases[i].iops) <
			    1e-9);
		assert_true(fabs(figures.value[PLAN_ALL][CELL_MEAN_NS] - cases[i].mean_ns) <
			    1e-6);
		end(&b);
	}
}

/* --- find --- */

/* Latency as of a queue: it takes off near the limit. */
static void find_ends_at_the_true_limit(void **state)
{
	(void)state;
	for (unsigned limit = 1; limit <= 200; limit += 7) {
		struct plan_found *found = calloc(1, sizeof(*found));
		struct plan_task task;
		struct bench b;

		begin(&b, "[f]\nstep=find\nfind=p99 < 1ms\nby=iodepth\nto=200\n");
		while (plan_step_next(&b.lane, 0, &task)) {
			did(&b, &task, fmin(task.load, 64) * 1000,
			    task.load <= limit ? 900000 : 1100000);
			assert_true(b.journal.count < 40);
		}
		plan_found(&b.lane, 0, found);
		assert_true(found->best >= 0);
		assert_true(fabs(found->point[found->best].load - limit) < 1e-9);
		assert_true(found->knee >= 0);
		assert_true(fabs(found->point[found->knee].load - 64) < 17);
		free(found);
		end(&b);
	}
}

static void a_rate_is_found_within_its_precision(void **state)
{
	struct plan_found *found = calloc(1, sizeof(*found));
	struct plan_task task;
	struct bench b;

	(void)state;
	begin(&b, "[f]\nstep=find\nfind=p99 < 1ms\nby=rate\nprecision=1%\n");
	while (plan_step_next(&b.lane, 0, &task)) {
		if (!b.journal.count)
			assert_true(task.load == 0); /* first what it can without a rate */
		did(&b, &task, task.load == 0 ? 50000 : 500 * task.load,
		    (uint64_t)(task.load <= 73.4 ? 900000 : 5000000));
		assert_true(b.journal.count < 60);
	}
	plan_found(&b.lane, 0, found);
	assert_true(found->saturated_ios_per_s == 50000);
	assert_true(found->point[found->best].load <= 73.4);
	assert_true(found->point[found->best].load > 72.4);
	free(found);
	end(&b);
}

static void where_no_load_holds_find_says_so(void **state)
{
	struct plan_found *found = calloc(1, sizeof(*found));
	struct plan_task task;
	struct bench b;

	(void)state;
	begin(&b, "[f]\nstep=find\nfind=p99 < 1ms\nby=numjobs\nto=4\n");
	while (plan_step_next(&b.lane, 0, &task))
		did(&b, &task, 1000, 5000000);
	plan_found(&b.lane, 0, found);
	assert_int_equal(found->best, -1);
	free(found);
	end(&b);
}

/* --- verdicts --- */

static void a_check_is_asked_of_each_cell_it_names(void **state)
{
	struct plan_verdict *verdicts;
	struct plan_task task;
	struct arena arena;
	struct bench b;

	(void)state;
	begin(&b, "[s]\nstep=sweep\nrw=randread\nsweep=bs=4k,8k\ncheck=iops > 150\n"
		  "check=[bs=8k] p99 < 1ms\n[v]\nstep=check\n"
		  "check=[bs=4k] s.iops >= 50% of 220\n");
	while (plan_step_next(&b.lane, 0, &task))
		did(&b, &task, task.cell ? 200 : 100, 5000);
	arena_init(&arena);
	assert_int_equal(plan_step_verdicts(&b.lane, 0, &arena, &verdicts), 3);
	assert_int_equal(verdicts[0].outcome, OUTCOME_FAIL);
	assert_int_equal(verdicts[1].outcome, OUTCOME_PASS);
	assert_int_equal(verdicts[2].outcome, OUTCOME_PASS);
	assert_int_equal(verdicts[2].cell, 1);
	assert_string_equal(verdicts[0].text, "iops > 150: 100");
	assert_true(plan_step_failed(&b.lane, 0));
	assert_int_equal(plan_step_verdicts(&b.lane, 1, &arena, &verdicts), 1);
	assert_int_equal(verdicts[0].outcome, OUTCOME_FAIL);
	arena_done(&arena);
	end(&b);
}

#define AFTER_ROUNDS                                                                     \
	"[global]\nrw=randread\nbs=4k\n[level]\nstep=rounds\nruntime=5s\nmax_rounds=5\n" \
	"until=steady(iops, window=5, range=20%, slope=10%)\n"

/* The level of the rounds is 1000; the step after them does `iops`. How far, in percent? */
static double departed(const char *after, double iops, bool *ret_left)
{
	const struct plan_size size = {1, 1};
	struct plan_departure gone = {0};
	struct plan_task task;
	struct bench b;
	double percent = (double)NAN;
	autostr text = {0};
	unsigned last;

	str_printf(&text, "%s%s", AFTER_ROUNDS, after);
	begin(&b, str_text(&text));
	while (plan_next(&b.plan, &b.journal, NULL, &size, &task))
		did(&b, &task, task.step == b.plan.nsteps - 1 ? iops : 1000, 1000);
	last = b.journal.count - 1;
	while (b.journal.entries[last].task.load > 0) /* a search's points */
		last--;
	if (plan_departure(&b.lane, &b.journal.entries[last], &gone))
		percent = gone.percent;
	*ret_left = gone.left;
	end(&b);
	return percent;
}

static void a_step_after_rounds_is_held_against_their_level(void **state)
{
	static const char same[] = "[then]\nstep=run\nbs=4096\nruntime=60s\ntime_based\n";
	bool left;

	(void)state;
	assert_true(fabs(departed(same, 1000, &left)) < 1e-9 && !left);
	assert_true(fabs(departed(same, 1099, &left) - 9.9) < 1e-9 && !left);
	assert_true(fabs(departed(same, 1101, &left) - 10.1) < 1e-9 && left);
	assert_true(fabs(departed(same, 880, &left) + 12) < 1e-9 && left);
	/* The cell of a sweep that is that load; another one is not. */
	assert_true(departed("[then]\nstep=sweep\nsweep=iodepth=8,1\n", 500, &left) == -50 &&
		    left);
	assert_true(isnan(departed("[then]\nstep=sweep\nsweep=iodepth=1,8\n", 500, &left)));
	assert_true(isnan(departed("[then]\nstep=run\nbs=8k\n", 500, &left)) && !left);
	assert_true(isnan(departed("[then]\nstep=run\nrange=50%\n", 500, &left)));
	/* A search by rate begins without one: its loads are shares of that. */
	assert_true(departed("[then]\nstep=find\nfind=p99 < 1s\nby=rate\n"
			     "rate_process=poisson\n",
			     500, &left) == -50 &&
		    left);
	assert_true(
		isnan(departed("[then]\nstep=find\nfind=p99 < 1s\nby=iodepth\n", 500, &left)));
	/* What brings the drive elsewhere ends the level; a look at it does not. */
	assert_true(isnan(departed("[new]\nstep=purge\n[then]\nstep=run\n", 500, &left)));
	assert_true(departed("[look]\nstep=snapshot\n[then]\nstep=run\n", 500, &left) == -50);
}

static void what_was_not_measured_cannot_be_judged(void **state)
{
	struct plan_verdict *verdicts;
	struct arena arena;
	struct bench b;

	(void)state;
	begin(&b, "[s]\nstep=run\ncheck=iops > 150\ncheck=iops > 90% of spec.iops\n");
	arena_init(&arena);
	assert_int_equal(plan_step_verdicts(&b.lane, 0, &arena, &verdicts), 2);
	assert_int_equal(verdicts[0].outcome, OUTCOME_CANNOT_TELL);
	assert_int_equal(verdicts[1].outcome, OUTCOME_CANNOT_TELL);
	assert_non_null(strstr(verdicts[0].text, "nothing was measured"));
	arena_done(&arena);
	end(&b);
}

/* --- estimates --- */

static void what_is_done_is_not_before_it(void **state)
{
	struct plan_subject subject = {.path = "TARGET",
				       .size_bytes = 7630 * 128 * KiB, /* 1 GB */
				       .scale = 1,
				       .speeds = {.read = {1e9, 1e9},
						  .write = {1e8, 1e9},
						  .random_write = {1e7, 1e9}}};
	struct plan_guess whole, left;
	struct plan_task task;
	struct bench b;

	(void)state;
	begin(&b, "[f]\nstep=fill\npasses=2\n[s]\nstep=sweep\nrw=randread\nruntime=60s\n"
		  "time_based\nsweep=bs=4k,8k\n[r]\nstep=rounds\nrw=randwrite\nruntime=10s\n"
		  "time_based\nuntil=steady(iops)\n[g]\nstep=fill\n");
	plan_estimate(&b.plan, &subject, &whole);
	assert_int_equal(whole.least_ns / NS_PER_S, 2 + 120 + 50 + 1);
	assert_int_equal(whole.most_ns / NS_PER_S, 20 + 120 + 250 + 10);
	assert_int_equal(whole.least_cells, 1 + 2 + 5 + 1);
	assert_int_equal(whole.most_cells, 1 + 2 + 25 + 1);
	assert_false(whole.open);
	plan_estimate_left(&b.lane, &subject, &left);
	assert_memory_equal(&left, &whole, sizeof(left));
	assert_true(plan_step_next(&b.lane, 0, &task));
	did(&b, &task, 1000, 1000);
	b.journal.entries[0].figures.value[PLAN_WRITE][CELL_BYTES_PER_S] = 5e8;
	plan_estimate_left(&b.lane, &subject, &left);
	/* The second fill is known within a tenth now. */
	assert_in_range(left.least_ns / NS_PER_MS, 120000 + 50000 + 1800,
			120000 + 50000 + 1900);
	assert_in_range(left.most_ns / NS_PER_MS, 120000 + 250000 + 2200,
			120000 + 250000 + 2300);
	while (plan_lane_next(&b.lane, &task))
		did(&b, &task, 1000, 1000);
	plan_estimate_left(&b.lane, &subject, &left);
	assert_int_equal(left.most_ns, 0);
	assert_int_equal(left.most_cells, 0);
	end(&b);
}

static void without_a_rate_the_end_is_open(void **state)
{
	const struct plan_subject subject = {
		.path = "TARGET", .size_bytes = MiB + 1, .scale = 1};
	struct plan_guess whole;
	struct bench b;

	(void)state;
	begin(&b, "[f]\nstep=fill\n");
	plan_estimate(&b.plan, &subject, &whole);
	assert_true(whole.open);
	assert_int_equal(whole.most_written, MiB); /* whole blocks */
	end(&b);
}

static void all_slices_of_a_soak_count_and_one_that_fails_fails_it(void **state)
{
	struct plan_verdict verdict;
	struct plan_figures figures;
	struct plan_task task;
	struct bench b;

	(void)state;
	begin(&b, "[a]\nstep=soak\nfor=1200h\ncheck=max < 1ms\n");
	while (plan_lane_next(&b.lane, &task))
		did(&b, &task, 1000, task.round == 1100 ? 2000000 : 1000);
	assert_int_equal(b.journal.count, 1200);
	assert_true(plan_cell_figures(&b.lane, 0, 0, &figures));
	assert_int_equal(figures.ios[PLAN_ALL], 1200 * 1000);
	assert_int_equal(
		plan_check_judge(&b.lane, 0, &b.plan.steps[0].checks[0], 0, &verdict, NULL), 0);
	assert_int_equal(verdict.outcome, OUTCOME_FAIL);
	assert_non_null(strstr(verdict.text, "in slice 1101; 1 of 1200 slices fail"));
	end(&b);
}

/* --- what was sold --- */

#define UNKNOWN ((double)NAN)

/* A cell of `iops` on the whole with these levels; the verdict of what is asked of it. */
static enum outcome judge_sold(const char *check, double iops, const struct plan_levels *levels,
			       char *ret_text, size_t size)
{
	struct plan_verdict verdict;
	enum outcome outcome;
	autostr text = {0};
	struct bench b;

	str_printf(&text, "[a]\nstep=run\n%s\n", check);
	begin(&b, str_text(&text));
	did(&b, &(struct plan_task){0}, iops, 1000);
	b.journal.entries[0].figures.intervals = isnan(iops) ? 0 : iops > 1 ? 60 : 9;
	b.journal.entries[0].figures.levels = *levels;
	assert_int_equal(
		plan_check_judge(&b.lane, 0, &b.plan.steps[0].checks[0], 0, &verdict, NULL), 0);
	(void)snprintf(ret_text, size, "%s", verdict.measured);
	outcome = verdict.outcome;
	end(&b);
	return outcome;
}

/* 1000 were sold. What a burst does to the mean is no part of it. */
static void what_stays_is_held_against_what_was_sold(void **state)
{
	static const struct {
		const char *check;
		double iops;
		struct plan_levels levels;
		enum outcome outcome;
		const char *text;
	} cases[] = {
		{"entitled",
		 1800,
		 {1010, 3000, 40},
		 OUTCOME_PASS,
		 "1,010 after a burst at 3,000 for 40 s, 101.0 % of what was sold: the throttle"},
		{"entitled",
		 1000,
		 {400, 3000, 40},
		 OUTCOME_FAIL,
		 "40.0 % of what was sold: less than that"},
		{"entitled",
		 3000,
		 {3000, UNKNOWN, UNKNOWN},
		 OUTCOME_CANNOT_TELL,
		 "a burst whose end was not seen"},
		{"entitled",
		 1000,
		 {1000, UNKNOWN, UNKNOWN},
		 OUTCOME_PASS,
		 "1,000 for all of 1 s, 100.0 %"},
		{"entitled",
		 1000,
		 {UNKNOWN, UNKNOWN, UNKNOWN},
		 OUTCOME_CANNOT_TELL,
		 "its rate held no level"},
		{"entitled",
		 900,
		 {UNKNOWN, UNKNOWN, UNKNOWN},
		 OUTCOME_FAIL,
		 "90.0 % of what was sold: less"},
		{"delivered",
		 1800,
		 {400, 3000, 40},
		 OUTCOME_PASS,
		 "180.0 % of what was sold: more than that, a burst"},
		{"delivered",
		 1000,
		 {UNKNOWN, UNKNOWN, UNKNOWN},
		 OUTCOME_PASS,
		 "the throttle, not the disk"},
		{"delivered", 900, {900, UNKNOWN, UNKNOWN}, OUTCOME_FAIL, "less than that"},
	};
	char check[80], text[160];

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		(void)snprintf(check, sizeof(check), "%s=iops of 1000 or 2000", cases[i].check);
		assert_int_equal(
			judge_sold(check, cases[i].iops, &cases[i].levels, text, sizeof(text)),
			cases[i].outcome);
		assert_non_null(strstr(text, cases[i].text));
	}
	assert_int_equal(judge_sold("entitled=bw of 4096000 x 1B/s", 1800, &cases[0].levels,
				    text, sizeof(text)),
			 OUTCOME_PASS);
	assert_int_equal(
		judge_sold("entitled=iops of 1", 1, &cases[4].levels, text, sizeof(text)),
		OUTCOME_CANNOT_TELL);
	assert_non_null(strstr(text, "too short to tell a burst from a level"));
	assert_int_equal(
		judge_sold("entitled=iops of 1 or 2", 1, &cases[4].levels, text, sizeof(text)),
		OUTCOME_CANNOT_TELL);
	assert_string_equal(text, "too short to tell a burst from a level (10 intervals tell)");
}

/* The same as figures of any check. */
static void a_bucket_has_figures(void **state)
{
	static const struct plan_levels burst = {1000, 3000, 40};
	static const struct plan_levels level = {1000, (double)NAN, (double)NAN};
	char text[160];

	(void)state;
	assert_int_equal(judge_sold("check=base_iops == 1000 and burst_iops == 3000 and "
				    "burst_time == 40s and credits == 80000",
				    1800, &burst, text, sizeof(text)),
			 OUTCOME_PASS);
	assert_int_equal(
		judge_sold("check=base_bw == 4096000 x 1B/s", 1800, &burst, text, sizeof(text)),
		OUTCOME_PASS);
	assert_int_equal(judge_sold("check=burst_iops > 1", 1000, &level, text, sizeof(text)),
			 OUTCOME_CANNOT_TELL);
	assert_string_equal(text, "no burst was seen to end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_slices_of_a_soak_count_and_one_that_fails_fails_it),
		cmocka_unit_test(cells_come_in_order_and_repetitions_around_them),
		cmocka_unit_test(repetitions_of_a_plan_interleave_a_b_b_a),
		cmocka_unit_test(a_plan_goes_on_where_its_journal_ends),
		cmocka_unit_test(rounds_end_with_the_window_that_is_steady),
		cmocka_unit_test(rounds_end_when_the_target_was_written_so_often),
		cmocka_unit_test(a_slope_counts_without_its_sign),
		cmocka_unit_test(rounds_that_are_never_steady_end_at_their_limit),
		cmocka_unit_test(one_round_in_a_stride_is_judged),
		cmocka_unit_test(every_variable_must_be_steady),
		cmocka_unit_test(percentiles_of_a_window_come_from_merged_histograms),
		cmocka_unit_test(repetitions_are_put_together_as_the_plan_says),
		cmocka_unit_test(find_ends_at_the_true_limit),
		cmocka_unit_test(a_rate_is_found_within_its_precision),
		cmocka_unit_test(where_no_load_holds_find_says_so),
		cmocka_unit_test(a_check_is_asked_of_each_cell_it_names),
		cmocka_unit_test(a_step_after_rounds_is_held_against_their_level),
		cmocka_unit_test(what_was_not_measured_cannot_be_judged),
		cmocka_unit_test(what_stays_is_held_against_what_was_sold),
		cmocka_unit_test(a_bucket_has_figures),
		cmocka_unit_test(what_is_done_is_not_before_it),
		cmocka_unit_test(without_a_rate_the_end_is_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
