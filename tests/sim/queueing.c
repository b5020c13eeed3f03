/* Queueing theory, throttles and draws: what is known exactly. Seed 1. */
#include <stdio.h>

#include "sim/loop.h"

#include "sim/draw.h"

/* Requests at random times (Poisson), `rate` a second; the mean latency in microseconds. */
static double open_loop_us(struct drive *drive, double rate, unsigned requests,
			   double *ret_depth)
{
	uint64_t arrival = 0, now = 0, count = 0;
	struct drive_done done[16];
	struct rng rng;
	double sum = 0, area = 0;
	unsigned submitted = 0, flying = 0;

	rng_seed(&rng, 1, 5);
	while (count < requests) {
		uint64_t next = drive_next(drive), then;
		unsigned n;

		then = submitted < requests ? min_u64(next, arrival) : next;
		area += (double)(then - now) * flying;
		now = then;
		if (submitted < requests && arrival <= next) {
			struct drive_request request = {.bytes = 4096, .tag = arrival};

			(void)drive_submit(drive, &request, now);
			submitted++;
			flying++;
			arrival += draw_exponential(&rng, (uint64_t)(1e9 / rate));
			continue;
		}
		n = drive_reap(drive, now, done, 16);
		for (unsigned i = 0; i < n; i++)
			sum += (double)(done[i].done_ns - done[i].tag);
		count += n;
		flying -= n;
	}
	*ret_depth = area / (double)now;
	return sum / requests / 1e3;
}

/* One die, no limit but its read time of 100 us, deviation 20 %: the Pollaczek-Khinchine mean. */
static void a_single_die_follows_pollaczek_khinchine(void **state)
{
	static const double loads[] = {.3, .6, .8, .9};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
		struct profile profile;
		struct drive *drive = NULL;
		struct err err = {0};
		struct drive_request write = {.bytes = 4096, .op = DRIVE_WRITE};
		struct drive_done done;
		double rate = loads[i] / 100e-6, mean, theory, depth;

		if (profile_parse_text("one die",
				       "kind=ssd\nsize=16m\nop=50%\nchannels=1\ndies=1\n"
				       "planes=1\npage_size=4k\nblock_pages=4\ncache=4k\n"
				       "cache_volatile=0\nflash_read=100us\nvariation=20%\n"
				       "flash_program=1ns\nflash_erase=1ns\nchannel_rate=0\n",
				       &profile, &err) ||
		    drive_open_profile(&profile, &drive, &err))
			fail_msg("%s", err.text);
		(void)drive_submit(drive, &write, 0);
		(void)drive_reap(drive, 0, &done, 1);
		mean = open_loop_us(drive, rate, 2000000, &depth);
		theory = 100 + rate * 1e-6 * (100 * 100 + 20 * 20) / (2 * (1 - loads[i]));
		if (fabs(mean / theory - 1) > .02)
			fail_msg("load %.1f: %.2f us, theory %.2f", loads[i], mean, theory);
		/* Little: requests in flight = rate x latency. */
		if (fabs(depth / (rate * mean / 1e6) - 1) > .005)
			fail_msg("load %.1f: depth %.4f, Little %.4f", loads[i], depth,
				 rate * mean / 1e6);
		drive_close(drive);
	}
}

static void the_throttle_delivers_its_rate(void **state)
{
	struct loop loop = {.depth = 64, .bytes = 4096, .random = true, .reads_percent = 100};
	struct loop_figures figures;

	(void)state;
	loop.drive = open_drive("cloud-efficient-100g");
	loop.requests = 100000;
	figures = loop_run(&loop);
	assert_true(fabs(figures.iops / 2600 - 1) < .001);
	loop.bytes = 1 << 20;
	loop.requests = 5000;
	figures = loop_run(&loop);
	assert_true(fabs(figures.iops / 115 - 1) < .001);
	drive_close(loop.drive);
}

/* gp2 of 100 GiB in small: 300 a second, 3,000 while 54,000 credits last, so for 20 s. */
static void a_burst_lasts_as_long_as_its_credits(void **state)
{
	struct loop loop = {.depth = 64, .bytes = 4096, .random = true, .requests = 1};
	struct loop_figures figures;
	uint64_t step = 100;
	double burst_s = 54000 / (3000. - 300);

	(void)state;
	loop.drive = open_drive("cloud-ssd-100g,iops_base=0,iops_per_gib=3,iops_burst=3000,"
				"iops_credits=54000");
	loop.requests = step;
	do {
		figures = loop_run(&loop);
	} while (figures.iops > 1500);
	assert_true(fabs((double)loop.now_ns / 1e9 - burst_s) < (double)step / 300 + .5);
	loop.requests = 3000;
	figures = loop_run(&loop);
	assert_true(fabs(figures.iops / 300 - 1) < .001);
	/* An idle time of 90 s earns credits for ten seconds of burst. */
	loop.now_ns += 90 * NS_PER_S;
	loop.requests = 29000;
	figures = loop_run(&loop);
	assert_true(fabs(figures.iops / 3000 - 1) < .01);
	drive_close(loop.drive);
}

/* 5,400,000 of gp2's in small: the last request of the burst comes when credits / (burst - rate)
 * seconds are over, and burst of them have gone through in each. */
static void the_burst_ends_to_the_request(void **state)
{
	struct loop loop = {.depth = 64, .bytes = 4096, .random = true, .requests = 60000};
	struct loop_figures figures;

	(void)state;
	loop.drive = open_drive("cloud-ssd-100g,iops_base=0,iops_per_gib=3,iops_burst=3000,"
				"iops_credits=54000,bytes_base=0,bytes_per_gib=0,"
				"write_latency=0,jitter=0");
	figures = loop_run(&loop);
	assert_true(fabs(figures.seconds / (54000 / (3000. - 300)) - 1) < .001);
	loop.requests = 3000;
	figures = loop_run(&loop);
	assert_true(fabs(figures.iops / 300 - 1) < .001);
	drive_close(loop.drive);
}

/* What providers sell: min(base + per GiB x size, most), of operations and of bytes. */
static void sold_limits_follow_their_formulas(void **state)
{
	static const struct {
		const char *limits;
		unsigned gib;
		double iops, mb_s; /* 4 KiB and 1 MiB */
	} rows[] = {
#define PL1                                                               \
	"iops_base=1800,iops_per_gib=50,iops_max=50000,bytes_base=120MB," \
	"bytes_per_gib=500kB,bytes_max=350MB"
		{PL1, 100, 6800, 170},
		{PL1, 460, 24800, 350}, /* the cap of bytes is just reached */
		{PL1, 964, 50000, 350},
		{PL1, 4000, 50000, 350},
#define GP2 "iops_base=0,iops_per_gib=3,iops_max=16000,bytes_base=250m,bytes_per_gib=0"
		{GP2, 1000, 3000, 262.144},
		{GP2, 8000, 16000, 262.144},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct loop loop = {.depth = 128, .random = true, .reads_percent = 100};
		char target[400];

		(void)snprintf(target, sizeof(target), "cloud-ssd-100g,jitter=0,size=%ug,%s",
			       rows[i].gib, rows[i].limits);
		loop.drive = open_drive(target);
		loop.bytes = 4096;
		loop.requests = 20000;
		loop.warm = 1000;
		assert_true(fabs(loop_run(&loop).iops / rows[i].iops - 1) < .001);
		loop.bytes = MiB;
		loop.requests = 2000;
		assert_true(fabs(loop_run(&loop).mb_s / rows[i].mb_s - 1) < .001);
		drive_close(loop.drive);
	}
}

/* A fixed part and an exponential one: mean and deviation of what is left of a request. */
static void jitter_has_its_mean(void **state)
{
	struct loop loop = {.depth = 1,
			    .bytes = 4096,
			    .random = true,
			    .reads_percent = 100,
			    .requests = 200000};

	(void)state;
	rng_seed(&loop.rng, 1, 1);
	loop.drive = open_drive("cloud-ssd-100g,iops_base=0,iops_per_gib=0,bytes_base=0,"
				"bytes_per_gib=0,read_latency=500us,jitter=100us");
	assert_true(fabs(loop_run(&loop).mean_us / 600 - 1) < .005);
	drive_close(loop.drive);
}

static void draws_have_their_moments(void **state)
{
	struct rng rng;
	double sum = 0, squares = 0, normal = 0, normal_squares = 0, n = 1000000;

	(void)state;
	rng_seed(&rng, 1, 0);
	for (int i = 0; i < (int)n; i++) {
		double x = (double)draw_exponential(&rng, 1000000) / 1e6;
		double y = (double)draw_normal(&rng, 1000000, 100000) / 1e6;

		sum += x;
		squares += x * x;
		normal += y;
		normal_squares += (y - 1) * (y - 1);
	}
	assert_true(fabs(sum / n - 1) < .004);
	assert_true(fabs(squares / n - 2) < .02);
	assert_true(fabs(normal / n - 1) < .0004);
	assert_true(fabs(sqrt(normal_squares / n) - .1) < .0004);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_single_die_follows_pollaczek_khinchine),
		cmocka_unit_test(the_throttle_delivers_its_rate),
		cmocka_unit_test(a_burst_lasts_as_long_as_its_credits),
		cmocka_unit_test(the_burst_ends_to_the_request),
		cmocka_unit_test(sold_limits_follow_their_formulas),
		cmocka_unit_test(jitter_has_its_mean),
		cmocka_unit_test(draws_have_their_moments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
