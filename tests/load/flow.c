/*
 * The flow as the worker sees it, on a virtual clock of nanoseconds: rates, think time, shares,
 * restarts, and the map of mixed sizes. Seed 5 unless another is stated.
 */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "job/job.h"
#include "load/flow.h"
#include "load/share.h"

struct bench {
	struct job_set set;
	struct job_spec *spec;
	struct arena arena;
	struct clock clock;
	uint64_t now;
	struct target target;
	struct flow *flow;
};

static void bench_parse(struct bench *b, const char *options)
{
	char text[300], *word, *save = NULL;
	struct err err = {0};

	memset(b, 0, sizeof(*b));
	arena_init(&b->arena);
	job_set_init(&b->set, FACE_FIO);
	b->spec = job_new(&b->set, "bench");
	strcpy(text, options);
	for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *value = strchr(word, '=');

		if (value)
			*value++ = 0;
		if (job_set_option(&b->set, b->spec, word, value, &err))
			fail_msg("%s: %s", options, err.text);
	}
	if (job_add(&b->set, b->spec, &err))
		fail_msg("%s: %s", options, err.text);
}

static void bench_open(struct bench *b, const char *options, struct flow_shared *shared)
{
	struct flow_setup setup = {.spec = NULL, .seed = 5, .shared = shared};
	struct err err = {0};

	bench_parse(b, options);
	clock_virtual(&b->clock, &b->now);
	b->target.size_bytes = b->target.region_bytes = b->spec->size.bytes;
	b->target.io_bytes =
		b->spec->io_size.given ? b->spec->io_size.bytes : b->spec->size.bytes;
	setup.spec = b->spec;
	setup.clock = &b->clock;
	setup.targets = &b->target;
	setup.ntargets = 1;
	setup.arena = &b->arena;
	if (flow_open(&setup, &b->flow, &err))
		fail_msg("%s", err.text);
	flow_start(b->flow, b->now);
}

static void bench_done(struct bench *b)
{
	flow_stop(b->flow);
	job_set_done(&b->set);
	arena_done(&b->arena);
}

/* Takes requests until `until` ns, each done at once; the clock moves only when nothing is
 * due. */
static bool run_until(struct bench *b, uint64_t until, uint64_t *ios, uint64_t *ret_last)
{
	struct req req = {0};

	for (;;) {
		switch (flow_next(b->flow, b->now, &req)) {
		case FLOW_READY:
			ios[req.op]++;
			*ret_last = b->now;
			if (flow_wants_done(b->flow))
				flow_done(b->flow, &req, b->now);
			break;
		case FLOW_LATER:
			assert_true(flow_next_due(b->flow) > b->now);
			b->now = flow_next_due(b->flow);
			if (b->now > until)
				return true;
			break;
		case FLOW_DRAIN:
			break;
		case FLOW_END:
			return false;
		}
	}
}

static void flow_keeps_rates_by_direction(void **state)
{
	/* What fio 3.33 counts in 2 s: 600/600, 601/200, 512/1025. */
	static const struct {
		const char *options;
		uint64_t reads, writes;
	} rows[] = {
		{"rw=randrw size=40m rwmixread=70 rate_iops=300", 600, 600},
		{"rw=randrw size=40m rwmixread=70 rate_iops=300,100", 600, 200},
		{"rw=randrw size=40m rwmixread=50 rate=1m,2m", 512, 1024},
		{"rw=randread size=40m rate_iops=300", 600, 0},
		{"rw=randread size=40m rate=1m", 512, 0},
		{"rw=write size=40m rate_iops=777", 0, 1554},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t ios[8] = {0}, last;
		struct bench b;

		bench_open(&b, rows[i].options, NULL);
		assert_true(run_until(&b, 2 * NS_PER_S - 1, ios, &last));
		assert_int_equal(ios[OP_READ], rows[i].reads);
		assert_int_equal(ios[OP_WRITE], rows[i].writes);
		bench_done(&b);
	}
}

/* fio 3.33: 10 reads and 10,230 writes, because writes have no rate and end the job. */
static void flow_lets_an_unrated_direction_run(void **state)
{
	uint64_t ios[8] = {0}, last;
	struct bench b;

	(void)state;
	bench_open(&b, "rw=randrw size=40m rwmixread=70 rate_iops=300,", NULL);
	assert_false(run_until(&b, 2 * NS_PER_S, ios, &last));
	assert_int_equal(ios[OP_READ] + ios[OP_WRITE], 10240);
	assert_true(ios[OP_READ] < 3); /* our clock stands still meanwhile */
	bench_done(&b);
}

static void flow_behind_schedule_keeps_the_schedule(void **state)
{
	struct req req = {0};
	struct bench b;

	(void)state;
	bench_open(&b, "rw=randread size=40m rate_iops=1000", NULL);
	b.now = 5 * NS_PER_S;
	for (uint64_t k = 0; k <= 5000; k++) {
		assert_int_equal(flow_backlog(b.flow, b.now), 5001 - k);
		assert_int_equal(flow_next(b.flow, b.now, &req), FLOW_READY);
		assert_int_equal(req.due, k * NS_PER_MS);
		assert_int_equal(req.flags & REQ_UNRATED, 0);
	}
	assert_int_equal(flow_next(b.flow, b.now, &req), FLOW_LATER);
	assert_int_equal(flow_next_due(b.flow), 5001 * NS_PER_MS);
	assert_int_equal(flow_backlog(b.flow, b.now), 0);
	bench_done(&b);
}

/* fio 3.33 took 505 ms with catching up and 600 ms without (100 requests, 200 a second); its
 * unrated run of 200 ms pauses once more, after the last request. */
static void flow_pauses_for_think_time(void **state)
{
	static const struct {
		const char *options;
		uint64_t last_ms;
	} rows[] = {
		{"rw=randread size=400k thinktime=10000", 990},
		{"rw=randread size=400k thinktime=10000 thinktime_blocks=5", 190},
		{"rw=randread size=400k thinktime=10000 thinktime_blocks=5 "
		 "thinktime_blocks_type=issue",
		 190},
		{"rw=randread size=400k thinktime=10000 thinktime_blocks=5 rate_iops=200", 495},
		{"rw=randread size=400k thinktime=10000 thinktime_blocks=5 rate_iops=200 "
		 "rate_ignore_thinktime=1",
		 590},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t ios[8] = {0}, last;
		struct bench b;

		bench_open(&b, rows[i].options, NULL);
		assert_false(run_until(&b, 10 * NS_PER_S, ios, &last));
		assert_int_equal(ios[OP_READ], 100);
		assert_int_equal(last, rows[i].last_ms * NS_PER_MS);
		bench_done(&b);
	}
}

static void flow_drains_before_thinking(void **state)
{
	struct req req = {0}, again = {0};
	struct bench b;

	(void)state;
	bench_open(
		&b,
		"rw=randread size=400k thinktime=10000 thinktime_spin=2000 thinktime_blocks=2",
		NULL);
	assert_true(flow_wants_done(b.flow));
	assert_int_equal(flow_next(b.flow, 0, &req), FLOW_READY);
	assert_int_equal(flow_next(b.flow, 0, &again), FLOW_READY);
	assert_int_equal(flow_next(b.flow, 0, &again), FLOW_DRAIN);
	flow_done(b.flow, &req, 100);
	assert_int_equal(flow_next(b.flow, 100, &again), FLOW_DRAIN);
	flow_done(b.flow, &req, 300);
	assert_int_equal(flow_next(b.flow, 300, &again), FLOW_LATER);
	assert_int_equal(flow_next_due(b.flow), 300 + 10 * NS_PER_MS);
	assert_int_equal(flow_spin_until(b.flow), 300 + 2 * NS_PER_MS);
	assert_int_equal(flow_next(b.flow, flow_next_due(b.flow), &again), FLOW_READY);
	bench_done(&b);
}

static void flow_pauses_by_time_of_issuing(void **state)
{
	struct req req = {0};
	struct bench b;
	unsigned taken = 0;

	(void)state;
	bench_open(&b,
		   "rw=read size=40m thinktime=1s thinktime_iotime=2s "
		   "thinktime_blocks_type=issue",
		   NULL);
	for (;; taken++) {
		if (flow_next(b.flow, b.now, &req) != FLOW_READY)
			break;
		b.now += 10 * NS_PER_MS;
	}
	assert_int_equal(taken, 200);
	assert_int_equal(flow_next_due(b.flow), 3 * NS_PER_S);
	bench_done(&b);
}

static void flow_shares_follow_the_weights(void **state)
{
	struct arena arena;
	struct flow_shared *shared;
	struct req req = {0};
	struct bench b[2];
	uint64_t taken[2] = {0};

	(void)state;
	arena_init_shared(&arena);
	shared = flow_shared_new(&arena);
	bench_open(&b[0], "rw=randread size=40m flow=3 flow_id=1", shared);
	bench_open(&b[1], "rw=randread size=40m flow=1 flow_id=1", shared);
	for (int turn = 0; turn < 5000; turn++)
		for (int i = 0; i < 2; i++)
			taken[i] += flow_next(b[i].flow, (uint64_t)turn, &req) == FLOW_READY;
	assert_true(taken[0] > 3 * taken[1] - 10);
	assert_true(taken[0] < 3 * taken[1] + 10);
	flow_stop(b[0].flow); /* the other is alone then */
	for (int turn = 0; turn < 100; turn++)
		assert_int_equal(flow_next(b[1].flow, 0, &req), FLOW_READY);
	assert_int_equal(flow_next(b[0].flow, 0, &req), FLOW_END);
	bench_done(&b[0]);
	bench_done(&b[1]);
	arena_done(&arena);
}

static void flow_time_based_never_ends(void **state)
{
	static const char *const options[] = {
		"rw=write size=64k time_based runtime=1 number_ios=10",
		"rw=randwrite size=64k time_based runtime=1 io_size=16k",
		"rw=randrw size=64k time_based runtime=1",
		"rw=randwrite size=64k bsrange=4k-8k time_based runtime=1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		uint64_t seen = 0;
		struct req req = {0};
		struct bench b;

		bench_open(&b, options[i], NULL);
		assert_int_equal(flow_total_bytes(b.flow), 0);
		for (int k = 0; k < 5000; k++) {
			assert_int_equal(flow_next(b.flow, 0, &req), FLOW_READY);
			for (uint64_t u = 0; u < req.len / 4096; u++)
				seen |= 1ULL << (req.offset / 4096 + u);
		}
		assert_int_equal(seen, 0xffff);
		bench_done(&b);
	}
}

static void flow_fill_device_ends_at_enospc(void **state)
{
	struct req req = {0};
	struct bench b;

	(void)state;
	bench_open(&b, "rw=write size=40m fill_device=1", NULL);
	assert_true(flow_wants_done(b.flow));
	assert_int_equal(flow_next(b.flow, 0, &req), FLOW_READY);
	req.res = (int32_t)req.len;
	flow_done(b.flow, &req, 0);
	assert_int_equal(flow_next(b.flow, 0, &req), FLOW_READY);
	req.res = -ENOSPC;
	flow_done(b.flow, &req, 0);
	assert_int_equal(flow_next(b.flow, 0, &req), FLOW_END);
	bench_done(&b);
}

/* Every 4 KiB unit is in exactly one request of a pass, whatever the sizes. */
static void flow_map_of_mixed_sizes_covers_each_unit_once(void **state)
{
	static const char *const options[] = {
		"rw=randwrite size=40m bsrange=4k-64k",
		"rw=randwrite size=10000k bssplit=4k/90:1m/10",
		"rw=randread size=20m bssplit=4k/50:8k/25:64k/",
		"rw=randrw size=40m bs=4k,16k",
		"rw=randrw size=64k bs=4k,16k",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		struct req req = {0};
		struct bench b;
		uint8_t *seen;
		uint64_t units;

		bench_open(&b, options[i], NULL);
		units = b.target.region_bytes / 4096;
		seen = calloc(units, 1);
		assert_non_null(seen);
		while (flow_next(b.flow, 0, &req) == FLOW_READY)
			for (uint64_t u = 0; u < req.len / 4096; u++)
				assert_int_equal(seen[req.offset / 4096 + u]++, 0);
		for (uint64_t u = 0; u < units; u++)
			assert_int_equal(seen[u], 1);
		free(seen);
		bench_done(&b);
	}
}

/* Sizes come in the shares asked for, within 1 % of all requests, in every mode. */
static void flow_sizes_come_in_their_shares(void **state)
{
	static const char *const options[] = {
		"rw=randwrite size=1g bssplit=4k/60:8k/30:64k/10",
		"rw=randwrite size=1g bssplit=4k/60:8k/30:64k/10 norandommap",
		"rw=write size=1g bssplit=4k/60:8k/30:64k/10",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		uint64_t by_size[3] = {0}, all = 0;
		struct req req = {0};
		struct bench b;

		bench_open(&b, options[i], NULL);
		for (; flow_next(b.flow, 0, &req) == FLOW_READY; all++)
			by_size[req.len == 4096 ? 0 : req.len == 8192 ? 1 : 2]++;
		assert_in_range(by_size[0] * 1000 / all, 590, 610);
		assert_in_range(by_size[1] * 1000 / all, 290, 310);
		assert_in_range(by_size[2] * 1000 / all, 90, 110);
		bench_done(&b);
	}
}

static void flow_seed_decides_the_order(void **state)
{
	struct req x = {0}, y = {0};
	struct bench a, b;

	(void)state;
	bench_open(&a, "rw=randrw size=40m rwmixread=30", NULL);
	bench_open(&b, "rw=randrw size=40m rwmixread=30", NULL);
	while (flow_next(a.flow, 0, &x) == FLOW_READY) {
		assert_int_equal(flow_next(b.flow, 0, &y), FLOW_READY);
		assert_int_equal(x.offset, y.offset);
		assert_int_equal(x.op, y.op);
	}
	bench_done(&a);
	bench_done(&b);
}

/* sprandom: (1 + spr_op) times the region, in requests of bs, each block of it at least once; the
 * total is told before. */
static void flow_sprandom_is_one_pass_and_the_spare_space(void **state)
{
	struct req req = {0};
	unsigned char seen[4096] = {0};
	uint64_t count = 0, blocks = 0;
	struct bench b;

	(void)state;
	bench_open(&b, "rw=randwrite size=32m bs=8k sprandom=1 spr_op=0.25", NULL);
	assert_int_equal(flow_total_bytes(b.flow), 40 * 1024 * 1024);
	for (; flow_next(b.flow, b.now, &req) == FLOW_READY; count++) {
		assert_int_equal(req.len, 8192);
		assert_int_equal(req.offset % 8192, 0);
		assert_true(req.offset < 32 * 1024 * 1024);
		blocks += !seen[req.offset / 8192];
		seen[req.offset / 8192] = 1;
	}
	assert_int_equal(blocks, 4096);
	assert_true(count > 5120 - 150 && count < 5120 + 150); /* chance: 4 deviations */
	assert_int_equal(flow_next(b.flow, b.now, &req), FLOW_END);
	bench_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flow_keeps_rates_by_direction),
		cmocka_unit_test(flow_lets_an_unrated_direction_run),
		cmocka_unit_test(flow_behind_schedule_keeps_the_schedule),
		cmocka_unit_test(flow_pauses_for_think_time),
		cmocka_unit_test(flow_drains_before_thinking),
		cmocka_unit_test(flow_pauses_by_time_of_issuing),
		cmocka_unit_test(flow_shares_follow_the_weights),
		cmocka_unit_test(flow_time_based_never_ends),
		cmocka_unit_test(flow_fill_device_ends_at_enospc),
		cmocka_unit_test(flow_map_of_mixed_sizes_covers_each_unit_once),
		cmocka_unit_test(flow_sizes_come_in_their_shares),
		cmocka_unit_test(flow_seed_decides_the_order),
		cmocka_unit_test(flow_sprandom_is_one_pass_and_the_spare_space),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
