/*
 * The same from every compiler at every optimisation: state and time are integers, and so is what
 * random times are made from. tools/same-everywhere runs this from gcc and clang at -O0, -O2, -O3.
 */
#include "sim/loop.h"

#include "sim/draw.h"

/* The first draws of seed 1: the same from every compiler. */
static void draws_are_the_same_everywhere(void **state)
{
	struct rng rng;
	uint64_t mix = 0;

	(void)state;
	rng_seed(&rng, 1, 0);
	for (int i = 0; i < 1000; i++) {
		mix = mix * 31 + draw_exponential(&rng, 1000000007);
		mix = mix * 31 + draw_normal(&rng, 1000000007, 99999989);
	}
	assert_int_equal(mix, 0x6f03d5638d1cdf3ULL);
}

/* Times of completion of a mixed run, folded into one number: the same from every compiler. */
static void a_run_is_the_same_everywhere(void **state)
{
	static const struct {
		const char *target;
		uint64_t digest;
	} rows[] = {
		{"sata-tlc-128g,scale=1000", 0x64e94788feb9fcULL},
		{"nvme-enterprise,scale=1000", 0x7773134ffdefd8a8ULL},
		{"sata-consumer,scale=1000", 0x8fa3f83afcbe6c08ULL},
		{"hdd-7200-raid0", 0x96605126dc7379aaULL},
		{"cloud-ssd-100g", 0x84ed4b0c585dcdf3ULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct loop loop = {.depth = 16,
				    .bytes = 8192,
				    .random = true,
				    .reads_percent = 30,
				    .requests = 500};
		uint64_t digest = 0;

		rng_seed(&loop.rng, 1, 1);
		loop.drive = open_drive(rows[i].target);
		for (int j = 0; j < 20; j++) {
			(void)loop_run(&loop);
			digest = digest * 1000003 + loop.now_ns;
		}
		drive_close(loop.drive);
		if (digest != rows[i].digest)
			fail_msg("%s: 0x%llx", rows[i].target, (unsigned long long)digest);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(draws_are_the_same_everywhere),
		cmocka_unit_test(a_run_is_the_same_everywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
