/* What a plan takes: bytes and runs of each kind of step, of targets of each kind. */
#include "unit.h"

#include <string.h>

#include "base/bits.h"
#include "base/clock.h"
#include "plan/estimate.h"

#define SIZE (1000 * MiB)

static const struct plan_subject drive = {.path = "TARGET",
					  .size_bytes = SIZE,
					  .scale = 1,
					  .speeds = {.read = {1e9, 1e9},
						     .write = {1e8, 1e9},
						     .random_write = {1e7, 1e9},
						     .ios_most = 1000}};

/* The guess of the last step. */
static void guess_of(const char *text, const struct plan_subject *subject,
		     struct plan_guess *ret_guess)
{
	struct plan plan = {0};
	struct err err = {0};

	if (plan_read_text(&plan, "x.plan", text, NULL, &err))
		fail_msg("%s", err.text);
	plan_estimate_step(&plan, plan.nsteps - 1, subject, ret_guess);
	plan_done(&plan);
}

static void what_is_given_by_size_is_exact(void **state)
{
	struct plan_guess guess;

	(void)state;
	guess_of("[a]\nstep=run\nrw=write\nbs=1m\nsize=64m\nnumjobs=2\nloops=3\n", &drive,
		 &guess);
	assert_int_equal(guess.least_written, 2 * 3 * 64 * MiB);
	assert_int_equal(guess.most_written, guess.least_written);
	guess_of("[a]\nstep=fill\nrange=50%\npasses=2\n", &drive, &guess);
	assert_int_equal(guess.least_written, SIZE);
	assert_int_equal(guess.most_written, SIZE);
	guess_of("[a]\nstep=run\nrw=read\nbs=1m\nsize=64m\n", &drive, &guess);
	assert_int_equal(guess.most_written, 0);
}

static void what_is_given_by_time_is_a_range_of_rates(void **state)
{
	struct plan_guess guess, small;

	(void)state;
	guess_of("[a]\nstep=run\nrw=write\nbs=64k\niodepth=8\nruntime=10s\ntime_based\n"
		 "ramp_time=5s\n",
		 &drive, &guess);
	assert_int_equal(guess.least_written / 1000000, 1000); /* a ramp may be all slow */
	assert_int_equal(guess.most_written / 1000000, 15000);
	assert_int_equal(guess.least_ns, 15 * NS_PER_S);
	/* 1000 requests a second at most, and a sixteenth of the slowest rate at least */
	guess_of("[a]\nstep=run\nrw=randwrite\nbs=4k\niodepth=32\nruntime=10s\ntime_based\n",
		 &drive, &small);
	assert_int_equal(small.most_written, 10 * 1000 * 4096);
	assert_int_equal(small.least_written / 10000, 625);
	/* What the job limits is a limit. */
	guess_of("[a]\nstep=run\nrw=write\nbs=64k\niodepth=8\nruntime=10s\ntime_based\n"
		 "rate=1m\n",
		 &drive, &small);
	assert_int_equal(small.most_written, 10 * MiB);
}

static void rounds_end_when_they_have_written_enough(void **state)
{
	static const char text[] = "[a]\nstep=rounds\nrw=write\nbs=64k\niodepth=8\n"
				   "runtime=10s\ntime_based\nuntil=steady(iops)\nmax_fills=2\n";
	struct plan_guess guess;

	(void)state;
	guess_of(text, &drive, &guess);
	assert_int_equal(guess.least_cells, 1); /* one round at the fastest writes ten fills */
	assert_int_equal(guess.most_cells, 3);	/* at the slowest one almost */
	assert_in_range(guess.most_written / 1000000, 12000, 12200);
}

static void a_search_by_rate_writes_a_part_in_each_run(void **state)
{
	struct plan_guess guess;

	(void)state;
	guess_of("[a]\nstep=find\nrw=write\nbs=64k\niodepth=8\nruntime=10s\ntime_based\n"
		 "find=p99 < 1ms\nby=rate\nloads=10%,20%\n",
		 &drive, &guess);
	assert_int_equal(guess.least_cells, 3);
	assert_int_equal(guess.least_written / 1000000, 1300);
}

static void files_are_filled_before_they_are_read(void **state)
{
	static const char read[] = "[a]\nstep=run\nrw=read\nbs=1m\nsize=64m\n",
			  both[] = "[w]\nstep=run\nrw=write\nbs=1m\nsize=64m\n"
				   "[a]\nstep=run\nrw=read\nbs=1m\nsize=100m\n";
	struct plan_subject file = drive;
	struct plan_guess guess;

	(void)state;
	file.is_file = true;
	file.size_bytes = 0;
	guess_of(read, &file, &guess);
	assert_int_equal(guess.least_written, 64 * MiB);
	assert_int_equal(guess.most_written, 64 * MiB);
	guess_of(both, &file, &guess);
	assert_int_equal(guess.most_written, 36 * MiB); /* the step before made the rest */
	file.size_bytes = 128 * MiB;
	guess_of(read, &file, &guess);
	assert_int_equal(guess.most_written, 0);
	guess_of(read, &drive, &guess);
	assert_int_equal(guess.most_written, 0);
	/* A file system that is made for the step is empty. */
	guess_of("[a]\nstep=run\nfilesystem=ext4\nrw=read\nbs=1m\nsize=64m\n", &drive, &guess);
	assert_int_equal(guess.most_written, 64 * MiB);
}

static void a_purge_that_can_only_write_zeros_writes_all(void **state)
{
	struct plan_subject file = drive;
	struct plan_guess guess;

	(void)state;
	guess_of("[a]\nstep=purge\n", &drive, &guess);
	assert_int_equal(guess.most_written, 0);
	file.purge_zeroes[0] = true;
	guess_of("[a]\nstep=purge\n", &file, &guess);
	assert_int_equal(guess.least_written, SIZE);
	guess_of("[a]\nstep=purge\nmethod=zero\n", &drive, &guess);
	assert_int_equal(guess.least_written, SIZE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_given_by_size_is_exact),
		cmocka_unit_test(what_is_given_by_time_is_a_range_of_rates),
		cmocka_unit_test(rounds_end_when_they_have_written_enough),
		cmocka_unit_test(a_search_by_rate_writes_a_part_in_each_run),
		cmocka_unit_test(files_are_filled_before_they_are_read),
		cmocka_unit_test(a_purge_that_can_only_write_zeros_writes_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
