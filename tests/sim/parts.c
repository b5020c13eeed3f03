/*
 * Each part of a simulated SSD, alone: link, channels, write cache, flush, collection in idle time,
 * and what its SMART figures say of it. All others are out of the way, so the figure is exact.
 */
#include <stdio.h>

#include "sim/loop.h"
#include "sim/ssd_priv.h"

/* One die of 16 KiB units, programs of 1 ms; nothing else takes time. */
#define BARE                                                                            \
	"kind=ssd\nsize=64m\nop=20%%\nchannels=1\ndies=1\nplanes=1\npage_size=16k\n"    \
	"block_pages=16\ncache=64k\nvariation=0%%\nflash_read=1us\nflash_program=1ms\n" \
	"flash_erase=1ns\nchannel_rate=0\nlink_rate=0\nwear_delta=0\n"

static struct drive *open_text(const char *more)
{
	char text[1024];
	struct profile profile;
	struct drive *drive = NULL;
	struct err err = {0};

	(void)snprintf(text, sizeof(text), BARE "%s", more);
	if (profile_parse_text("bare", text, &profile, &err) ||
	    drive_open_profile(&profile, &drive, &err))
		fail_msg("%s", err.text);
	return drive;
}

static double read_rate(const char *more, uint64_t bytes)
{
	struct loop loop = {.depth = 32, .bytes = bytes, .reads_percent = 100};
	double mb_s;

	loop.drive = open_text(more);
	loop_fill(&loop);
	loop.now_ns += NS_PER_S;
	loop.warm = 100;
	loop.requests = 2000;
	mb_s = loop_run(&loop).mb_s;
	drive_close(loop.drive);
	return mb_s;
}

static void assert_within(double value, double wanted, double percent)
{
	if (fabs(value / wanted - 1) * 100 > percent)
		fail_msg("%.4f, wanted %.4f within %.2f %%", value, wanted, percent);
}

static void the_narrowest_way_sets_the_rate(void **state)
{
	(void)state;
	assert_within(read_rate("link_rate=100MB\n", 131072), 100, .1);
	assert_within(read_rate("channel_rate=50MB\n", 131072), 50, .1);
	assert_within(read_rate("channels=4\nchannel_rate=50MB\n", 131072), 200, 1);
	assert_within(read_rate("channels=4\nchannel_rate=50MB\nlink_rate=120MB\n", 131072),
		      120, .5);
	/* The controller, one after the other: 10 us each. */
	assert_within(read_rate("channels=4\ncommand_time=10us\n", 4096), 409.6, .1);
}

static uint64_t one(struct drive *drive, const struct drive_request *request, uint64_t *now_ns)
{
	uint64_t began_ns = *now_ns;
	struct drive_done done;

	(void)drive_submit(drive, request, *now_ns);
	do
		*now_ns = drive_next(drive);
	while (!drive_reap(drive, *now_ns, &done, 1));
	return done.done_ns - began_ns;
}

static void flush_and_fua_wait_for_the_flash_and_a_cached_write_does_not(void **state)
{
	static const struct drive_request write = {.bytes = 4096, .op = DRIVE_WRITE},
					  fua = {.bytes = 4096, .op = DRIVE_WRITE, .fua = true},
					  flush = {.op = DRIVE_FLUSH};
	struct drive *drive = open_text("write_latency=20us\nflush_latency=50us\n");
	uint64_t now_ns = 0;

	(void)state;
	assert_int_equal(one(drive, &write, &now_ns), 20000);
	assert_int_equal(one(drive, &flush, &now_ns), NS_PER_MS + 50000);
	assert_int_equal(one(drive, &flush, &now_ns), 50000); /* nothing is left */
	assert_int_equal(one(drive, &fua, &now_ns), NS_PER_MS + 20000);
	drive_close(drive);
	/* Behind capacitors the cache is as good as flash. */
	drive = open_text("write_latency=20us\nflush_latency=50us\ncache_volatile=0\n");
	now_ns = 0;
	assert_int_equal(one(drive, &fua, &now_ns), 20000);
	assert_int_equal(one(drive, &flush, &now_ns), 50000);
	drive_close(drive);
}

/* The cache takes in its own size at once; from then on a place is free when a unit of 16 KiB has
 * been programmed, in 1 ms. */
static void the_write_cache_takes_in_its_size(void **state)
{
	struct drive *drive = open_text("cache=1m\nwrite_latency=1us\n");
	struct drive_request write = {.bytes = 4096, .op = DRIVE_WRITE};
	uint64_t now_ns = 0, fast = 0;

	(void)state;
	for (; one(drive, &write, &now_ns) == 1000; fast++)
		write.offset += 4096;
	assert_int_equal(fast, MiB / 4096);
	for (int i = 0; i < 400; i++) {
		uint64_t before_ns = now_ns;

		write.offset += 4096;
		(void)one(drive, &write, &now_ns);
		if (i == 399)
			assert_true(now_ns - before_ns <= NS_PER_MS);
	}
	assert_within((double)now_ns, 400. / 4 * 1e6 + (double)fast * 1e3, 2);
	drive_close(drive);
}

/* In idle time blocks are freed ahead: the next writes move nothing. */
static void collection_in_idle_time_is_no_cost_later(void **state)
{
	double amplification[2];

	(void)state;
	for (int idle = 0; idle < 2; idle++) {
		struct loop loop = {.depth = 8, .bytes = 4096, .random = true};
		struct drive_health before, after;

		rng_seed(&loop.rng, 1, 1);
		loop.drive = open_text(idle ? "gc_idle=1s\ngc_idle_free=10%\n" : "");
		loop_fill(&loop);
		loop.requests = 3 * drive_size_bytes(loop.drive) / 4096;
		(void)loop_run(&loop);
		loop.now_ns += 300 * NS_PER_S;
		loop.requests = 1;
		(void)loop_run(&loop);
		drive_get_health(loop.drive, loop.now_ns, &before);
		loop.requests = drive_size_bytes(loop.drive) / 4096 / 20;
		(void)loop_run(&loop);
		drive_get_health(loop.drive, loop.now_ns, &after);
		amplification[idle] =
			(double)(after.nand_written_bytes - before.nand_written_bytes) /
			(double)(after.host_written_bytes - before.host_written_bytes);
		assert_null(drive_broken(loop.drive));
		drive_close(loop.drive);
	}
	assert_true(amplification[0] > 2.5);
	assert_true(amplification[1] < 1.05);
}

/* Bytes of the host are counted; bytes of the flash are what blocks were erased and filled with;
 * life is erases by rated erases; temperature is ambient and what the load adds. */
static void smart_figures_are_those_of_the_flash(void **state)
{
	struct loop loop = {.depth = 8, .bytes = 4096, .random = true};
	const struct ftl_config *config;
	struct drive_health health;
	double block_bytes, mb_s;

	(void)state;
	rng_seed(&loop.rng, 1, 1);
	loop.drive = open_text("ambient=30000\nheat=500\ncooling=1s\nrated_cycles=1000\n");
	config = &ssd_of(loop.drive)->ftl.config;
	block_bytes = config->pages_per_block * 4096.;
	loop_fill(&loop);
	loop.requests = 4 * drive_size_bytes(loop.drive) / 4096;
	mb_s = loop_run(&loop).mb_s;
	drive_get_health(loop.drive, loop.now_ns, &health);
	assert_int_equal(health.host_written_bytes, 5 * drive_size_bytes(loop.drive));
	assert_int_equal(health.mapped_bytes, drive_size_bytes(loop.drive));
	assert_true((double)health.nand_written_bytes >= (double)health.erases * block_bytes);
	assert_true((double)health.nand_written_bytes <=
		    (double)(health.erases + config->blocks) * block_bytes);
	assert_true(health.least_erases * config->blocks <= health.erases);
	assert_true(health.most_erases * config->blocks >= health.erases);
	assert_int_equal(health.used_ppm, health.erases * 1000 / config->blocks);
	assert_within((double)health.temperature_mc, 30000 + 500 * mb_s, 1);
	drive_close(loop.drive);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_narrowest_way_sets_the_rate),
		cmocka_unit_test(flush_and_fua_wait_for_the_flash_and_a_cached_write_does_not),
		cmocka_unit_test(the_write_cache_takes_in_its_size),
		cmocka_unit_test(collection_in_idle_time_is_no_cost_later),
		cmocka_unit_test(smart_figures_are_those_of_the_flash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
