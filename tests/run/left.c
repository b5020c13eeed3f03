/*
 * The time that a run says it still takes, against the time that it then takes: on a simulated
 * drive and a virtual clock, seed 3.
 */
#include "run/run.h"

#include "bed.h"

#define DRIVE	  "ioengine=sim\nfilename=sim:nvme-enterprise,size=64m,seed=3\nbs=4k\n"
#define READS	  "rw=read\n" DRIVE
#define CALLS_MAX 32

struct said {
	unsigned calls, unknown;
	uint64_t elapsed_ns[CALLS_MAX], left_ns[CALLS_MAX];
};

static void on_progress(void *context, const struct progress *progress)
{
	struct said *said = context;

	assert_true(said->calls < CALLS_MAX);
	said->unknown += progress->left_ns == PROGRESS_UNKNOWN;
	said->elapsed_ns[said->calls] = progress->elapsed_ns;
	said->left_ns[said->calls++] = progress->left_ns;
}

static void run_saying(const char *text, struct said *said)
{
	struct bed bed;

	*said = (struct said){0};
	bed_init(&bed);
	bed.hooks.context = said;
	bed.hooks.progress = on_progress;
	if (bed_run(&bed, FACE_NATIVE, text))
		fail_msg("%s", bed.err.text);
	bed_end_run(&bed);
	bed_done(&bed);
}

static void time_left_is_the_time_it_takes(void **state)
{
	static const struct {
		const char *jobs;
		unsigned end_s; /* from the start to the last request, by the options alone */
	} cases[] = {
		{"[a]\n" READS "rate_iops=1000\nnumber_ios=8000\n", 8},
		{"[a]\n" READS "rate=2m\nsize=16m\n", 8},
		{"[a]\nrw=rw\n" DRIVE "rate_iops=500,500\nnumber_ios=8000\n", 8},
		{"[a]\n" READS "rate_iops=500\nio_size=8m\nloops=2\n", 8},
		{"[a]\n" READS "rate_iops=500\nnumber_ios=4000\nramp_time=3s\n", 8},
		{"[a]\n" READS "runtime=5s\ntime_based=1\nramp_time=3s\nrate_iops=100\n", 8},
		{"[a]\n" READS "rate_iops=1000\nnumber_ios=8000\nruntime=5s\n", 5},
		{"[a]\n" READS "rate_iops=1000\nnumber_ios=5000\nstartdelay=3s\n", 8},
		{"[a]\n" READS "rate_iops=1000\nnumber_ios=3000\n[b]\nstonewall\n" READS
		 "rate_iops=500\nnumber_ios=1500\n[c]\nstonewall\n" READS
		 "runtime=2s\nramp_time=1s\ntime_based=1\nrate_iops=100\n",
		 9},
		{"[a]\n" READS "runtime=2s\nramp_time=1s\ntime_based=1\nrate_iops=100\n"
		 "[b]\nwait_for=a\n" READS "rate_iops=500\nio_size=4m\n"
		 "[c]\n" READS "runtime=2s\ntime_based=1\nrate_iops=100\n",
		 5},
		{"[a]\n" READS "rate_iops=500\nnumber_ios=1000\nnumjobs=3\n"
		 "[b]\nstonewall\n" READS "rate_iops=500\nio_size=4m\nloops=2\n",
		 6},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t end_ns = cases[i].end_s * NS_PER_S;
		struct said said;

		run_saying(cases[i].jobs, &said);
		assert_in_range(said.calls, cases[i].end_s - 1, cases[i].end_s + 1);
		for (unsigned k = 0; k < said.calls; k++) {
			uint64_t told = said.elapsed_ns[k] + said.left_ns[k];

			if (said.left_ns[k] == PROGRESS_UNKNOWN ||
			    told + NS_PER_S / 4 < end_ns || told > end_ns + NS_PER_S / 4)
				fail_msg("case %zu: after %.3f s, %.3f s are left, of %u", i,
					 (double)said.elapsed_ns[k] / NS_PER_S,
					 (double)said.left_ns[k] / NS_PER_S, cases[i].end_s);
		}
	}
}

/* Nothing is guessed of a job that has no limit of time and no rate before it has run. */
static void what_cannot_be_known_is_not_said(void **state)
{
	struct said said;

	(void)state;
	run_saying("[a]\n" READS "runtime=3s\ntime_based=1\nrate_iops=100\n"
		   "[b]\nstonewall\n" READS "size=1m\n",
		   &said);
	assert_true(said.calls >= 2);
	assert_int_equal(said.unknown, said.calls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_left_is_the_time_it_takes),
		cmocka_unit_test(what_cannot_be_known_is_not_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
