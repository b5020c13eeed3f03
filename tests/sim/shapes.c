/* The course of a drive over time: where theory puts the plateau, the fall, the cache's end, the
 * stall, and what each profile promises. Seed 1. */
#include <stdlib.h>

#include "sim/loop.h"
#include "stat/theory.h"

/* A fresh drive under random writes of 4 KiB: a plateau until all spare blocks are used, at 1 + op
 * of its size; then the fall; from three sizes on the rate that write amplification leaves. */
static void a_fresh_drive_falls_to_its_steady_state(void **state)
{
	struct loop loop = {.depth = 32, .bytes = 4096, .random = true};
	double plateau, steady, wa, program = 900, read = 60, erase = 4000, per_page;
	uint64_t pages, fell = 0;

	(void)state;
	rng_seed(&loop.rng, 1, 1);
	/* The controller is out of the way, so that flash alone sets the rates. */
	loop.drive = open_drive("sata-enterprise,scale=400,gc=fifo,variation=0%,"
				"command_time=0,link_rate=0,channel_rate=0,cache=1m");
	pages = drive_size_bytes(loop.drive) / 4096;
	loop.requests = pages / 50;
	(void)loop_run(&loop); /* the cache takes the first in at once */
	plateau = loop_run(&loop).iops;
	for (unsigned step = 2; step < 8 * 50; step++) {
		struct loop_figures figures = loop_run(&loop);

		if (!fell && figures.iops < .95 * plateau)
			fell = step;
	}
	steady = loop_run(&loop).iops;
	/* 32 dies, 8 pages a program. */
	assert_true(fabs(plateau / (32 * 8 / program * 1e6) - 1) < .03);
	assert_true(fabs((double)fell / 50 - 1.28) < .04);
	/* A unit costs a program for the host; for each moved one a read and a program, and for
	 * each block's worth of both its part of an erase. Of a block's units all are read, as
	 * hardly one has no valid page. */
	wa = theory_fifo(.28);
	per_page = wa * program + wa * read + wa * erase / 512;
	if (fabs(steady / (32 * 8 / per_page * 1e6) - 1) > .05)
		fail_msg("steady %.0f, from theory %.0f", steady, 32 * 8 / per_page * 1e6);
	assert_null(drive_broken(loop.drive));
	drive_close(loop.drive);
}

/* The SLC cache shrinks as the drive fills: it is full when written = max - (max - min) written /
 * size. Seen through the write cache, which still takes in its own size. */
static void the_slc_cache_ends_at_the_right_byte(void **state)
{
	static const char *const targets[] = {"sata-tlc-128g,scale=20,cache=64k",
					      "sata-tlc-128g,scale=20,cache=64k,slc_min=12GB"};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct loop loop = {.depth = 1, .bytes = MiB, .requests = 1};
		double max = 12e9 / 20, min = i ? max : 2e9 / 20, end = 0, size;

		loop.drive = open_drive(targets[i]);
		size = (double)drive_size_bytes(loop.drive);
		while (loop_run(&loop).mb_s > 250)
			end = (double)loop.next * MiB;
		if (fabs(end - max / (1 + (max - min) / size)) > 2 * MiB)
			fail_msg("ends at %.0f, wanted %.0f", end,
				 max / (1 + (max - min) / size));
		/* After a pause it has been folded, as far as a full drive's share goes. */
		loop.now_ns += 600 * NS_PER_S;
		assert_true(loop_run(&loop).mb_s > 250);
		drive_close(loop.drive);
	}
}

/* 100 ms without a completion, and the longest request, over `seconds` of random writes. */
static unsigned stalls(const char *target, unsigned seconds, double *ret_max_ms)
{
	struct loop loop = {.depth = 32, .bytes = 4096, .random = true, .requests = 100};
	unsigned count = 0;
	uint64_t longest = 0;

	rng_seed(&loop.rng, 1, 1);
	loop.drive = open_drive(target);
	while (loop.now_ns < seconds * NS_PER_S) {
		struct loop_figures figures = loop_run(&loop);

		/* A completion's gap is nearly its latency: all 32 wait together. */
		count += figures.max_ns > 200 * NS_PER_MS;
		longest = max_u64(longest, figures.max_ns);
	}
	drive_close(loop.drive);
	*ret_max_ms = (double)longest / 1e6;
	return count;
}

static void the_consumer_drive_stalls_and_the_enterprise_drive_does_not(void **state)
{
	double longest;

	(void)state;
	assert_true(stalls("sata-consumer,scale=20", 20, &longest) >= 3);
	if (longest < 500 || longest > 700)
		fail_msg("longest %.1f ms, document 003 has 600", longest);
	assert_int_equal(stalls("sata-enterprise,scale=400", 10, &longest), 0);
	assert_true(longest < 5);
}

static void heat_throttles(void **state)
{
	struct loop loop = {
		.depth = 8, .bytes = 131072, .reads_percent = 100, .requests = 2000};
	struct drive_health health;
	double cold, hot;

	(void)state;
	loop.drive = open_drive("nvme-enterprise,scale=1000,throttle_at=55000,cooling=5s");
	loop_fill(&loop);
	cold = loop_run(&loop).mb_s;
	while (loop.now_ns < 30 * NS_PER_S)
		hot = loop_run(&loop).mb_s;
	drive_get_health(loop.drive, loop.now_ns, &health);
	assert_true(health.throttled_ns > NS_PER_S);
	assert_true(health.temperature_mc > 50000 && health.temperature_mc < 56000);
	loop.requests = 40000;
	hot = loop_run(&loop).mb_s;
	assert_true(hot < .9 * cold && hot > .4 * cold);
	/* Ten minutes of rest: cold again. */
	loop.now_ns += 600 * NS_PER_S;
	loop.requests = 100;
	assert_true(fabs(loop_run(&loop).mb_s / cold - 1) < .05);
	drive_close(loop.drive);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void assert_near(double value, double wanted, double tolerance)
{
	if (fabs(value - wanted) > tolerance)
		fail_msg("%.4f, wanted %.4f", value, wanted);
}

/* 10 s at 1,000 a second, 0.2 ms each, one stall of 1 s. Closed: the next one leaves at its time or
 * when the one before is back. Open: all leave at their times. Latencies in milliseconds. */
static unsigned stalled_run(bool open, double *latencies)
{
	struct drive *drive = open_drive("cloud-ssd-100g,iops_base=0,iops_per_gib=0,"
					 "bytes_base=0,bytes_per_gib=0,read_latency=0,"
					 "jitter=0,command_time=200us");
	unsigned count = 0, submitted = 0;
	uint64_t due = 0, now = 0;

	while (due < 10 * NS_PER_S || drive_in_flight(drive)) {
		bool may = due < 10 * NS_PER_S && (open || !drive_in_flight(drive));
		struct drive_request request = {.bytes = 4096, .tag = due};
		struct drive_done done;

		if (may && due <= drive_next(drive)) {
			now = max_u64(now, due);
			request.tag = open ? due : now;
			if (submitted++ == 2000)
				drive_stall(drive, now, NS_PER_S);
			(void)drive_submit(drive, &request, now);
			due += NS_PER_MS;
			continue;
		}
		now = drive_next(drive);
		while (drive_reap(drive, now, &done, 1))
			latencies[count++] = (double)(done.done_ns - done.tag) / 1e6;
		/* A closed loop leaves out what it could not send, but for the last. */
		if (!open)
			due = max_u64(due, now / NS_PER_MS * NS_PER_MS);
	}
	drive_close(drive);
	qsort(latencies, count, sizeof(*latencies), by_value);
	return count;
}

static void coordinated_omission_hides_a_stall(void **state)
{
	static double ms[10001];
	double sum = 0;
	unsigned count = stalled_run(false, ms), slow = 0;

	(void)state;
	for (unsigned i = 0; i < count; i++)
		sum += ms[i];
	assert_true(count == 9000 ||
		    count == 9001); /* the stall ends on a slot, or just after */
	assert_near(sum / count, .311, .0005);
	assert_near(ms[count * 999 / 1000], .2, 1e-9);
	sum = 0;
	count = stalled_run(true, ms);
	for (unsigned i = 0; i < count; i++) {
		sum += ms[i];
		slow += ms[i] > 10;
	}
	assert_int_equal(count, 10000);
	assert_near(sum / count, 62.75, .01);
	assert_near(ms[9000 - 1], 200.2, .81);
	assert_near(ms[9900 - 1], 920.2, .81);
	assert_near(ms[9990 - 1], 992.2, .81);
	assert_near(ms[9999], 1000.2, 1e-6);
	assert_near(slow / 100., 12.4, .05);
}

static void uncorrectable_reads_come_at_their_rate(void **state)
{
	struct drive *drive = open_drive("cloud-ssd-100g,uncorrectable=1000000");
	struct drive_request read = {.bytes = 4096};
	struct drive_done done;
	unsigned errors = 0;

	(void)state;
	for (unsigned i = 0; i < 1000000; i++) {
		(void)drive_submit(drive, &read, 0);
		while (drive_reap(drive, 0, &done, 1))
			errors += done.error == -EIO;
	}
	while (drive_in_flight(drive) && drive_reap(drive, drive_next(drive), &done, 1))
		errors += done.error == -EIO;
	assert_true(errors > 850 && errors < 1150);
	drive_close(drive);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fresh_drive_falls_to_its_steady_state),
		cmocka_unit_test(the_slc_cache_ends_at_the_right_byte),
		cmocka_unit_test(the_consumer_drive_stalls_and_the_enterprise_drive_does_not),
		cmocka_unit_test(heat_throttles),
		cmocka_unit_test(coordinated_omission_hides_a_stall),
		cmocka_unit_test(uncorrectable_reads_come_at_their_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
