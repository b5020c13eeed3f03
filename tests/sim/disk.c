/* Each part of a simulated hard disk against what its values say: zones, seeks and rotation, queue,
 * read-ahead, write cache. Seed 1. */
#include "sim/loop.h"

#define DISK "hdd-7200-raid0,members=1,size=1000GB,read_latency=0,write_latency=0,link_rate=0,"

static struct loop_figures measure(const char *target, struct loop loop)
{
	struct loop_figures figures;

	rng_seed(&loop.rng, 1, 1);
	loop.drive = open_drive(target);
	if (loop.from == UINT64_MAX) /* the innermost GB */
		loop.from = (drive_size_bytes(loop.drive) - 1000000000) / MiB * MiB;
	figures = loop_run(&loop);
	drive_close(loop.drive);
	return figures;
}

static void assert_within(double value, double wanted, double percent)
{
	if (fabs(value / wanted - 1) * 100 > percent)
		fail_msg("%.3f, wanted %.3f within %.1f %%", value, wanted, percent);
}

static void outer_tracks_are_twice_as_fast_as_inner_ones(void **state)
{
	struct loop loop = {.depth = 4,
			    .bytes = MiB,
			    .reads_percent = 100,
			    .area = 900000000,
			    .warm = 10,
			    .requests = 500};
	double outer, inner;

	(void)state;
	outer = measure(DISK "read_ahead=4m", loop).mb_s;
	loop.from = UINT64_MAX;
	inner = measure(DISK "read_ahead=4m", loop).mb_s;
	assert_within(outer, 130, 2);
	assert_within(inner, 65, 2);
	for (const struct profile_text *p = profile_texts; p->name; p++) {
		struct profile profile;

		if (profile_parse(p->name, &profile, NULL) || profile.kind != PROFILE_HDD)
			continue;
		assert_in_range(profile.outer_bytes_s * 10 / profile.inner_bytes_s, 18, 22);
	}
}

/* Two random places are d of the stroke apart, with density 2 (1 - d): the means of d and of its
 * root are 1/3 and 8/15. Then half a turn. */
static void a_random_read_is_a_seek_and_half_a_turn(void **state)
{
	const double track = 800, average = 7400, full = 15000, turn = 60e6 / 7200;
	double root = (3 * (average - track) - (full - track)) / (3 * sqrt(1 / 3.) - 1);
	double line = full - track - root;
	double wanted = track + root * 8 / 15 + line / 3 + turn / 2;
	struct loop loop = {.depth = 1,
			    .bytes = 4096,
			    .random = true,
			    .reads_percent = 100,
			    .requests = 20000};
	double got = measure(DISK "read_ahead=0", loop).mean_us;

	(void)state;
	assert_within(got, wanted, 1);
	/* Without the seek, on a part of the disk that is one track: half a turn is left. */
	loop.area = MiB / 2;
	assert_within(measure(DISK "read_ahead=0", loop).mean_us, turn / 2, 6);
}

static void a_queue_is_worked_off_nearest_first(void **state)
{
	struct loop loop = {.depth = 32,
			    .bytes = 4096,
			    .random = true,
			    .reads_percent = 100,
			    .requests = 3000};
	double one = measure(DISK "queue=1", loop).iops;
	double four = measure(DISK "queue=4", loop).iops;
	double all = measure(DISK "queue=32", loop).iops;

	(void)state;
	assert_true(four > 1.3 * one);
	assert_true(all > 1.3 * four);
}

/* Small sequential reads one at a time: from the buffer, or a turn of the platter each. */
static void read_ahead_makes_small_reads_fast(void **state)
{
	struct loop loop = {.depth = 1, .bytes = 4096, .reads_percent = 100, .requests = 2000};

	(void)state;
	loop.warm = 10; /* the seek there */
	assert_within(measure(DISK "read_ahead=4m,command_time=20us", loop).mb_s, 130, 5);
	assert_within(measure(DISK "read_ahead=0,command_time=20us", loop).iops, 7200 / 60., 2);
}

/* The cache takes in its places at once, and then as fast as the disk works them off; a flush waits
 * for all of them. */
static void the_write_cache_takes_in_its_places(void **state)
{
	struct drive *drive = open_drive(DISK "write_queue=40");
	struct drive_request flush = {.op = DRIVE_FLUSH, .tag = 99};
	struct drive_done done[64];
	unsigned fast = 0;
	uint64_t last = 0;

	(void)state;
	for (uint64_t i = 0; i < 60; i++) {
		struct drive_request write = {.offset = i * 7919 % 60 * 4096 * 4096,
					      .bytes = 4096,
					      .op = DRIVE_WRITE,
					      .tag = i};

		(void)drive_submit(drive, &write, 0);
	}
	fast = drive_reap(drive, 0, done, 64);
	/* One more place: the head takes up the first at once. */
	assert_in_range(fast, 40, 41);
	(void)drive_submit(drive, &flush, 0);
	while (drive_in_flight(drive)) {
		uint64_t next = drive_next(drive);
		unsigned n = drive_reap(drive, next, done, 64);

		for (unsigned i = 0; i < n; i++)
			last = done[i].done_ns;
	}
	assert_true(last > 100 * NS_PER_MS);
	assert_int_equal(drive_settled(drive), 61);
	drive_close(drive);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outer_tracks_are_twice_as_fast_as_inner_ones),
		cmocka_unit_test(a_random_read_is_a_seek_and_half_a_turn),
		cmocka_unit_test(a_queue_is_worked_off_nearest_first),
		cmocka_unit_test(read_ahead_makes_small_reads_fast),
		cmocka_unit_test(the_write_cache_takes_in_its_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
