/* Numbers with units: what is understood, what is refused and with which remedy. Seed 20261130. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "base/unit.h"

#define SEED 20261130

static void size_units_are_powers_of_1024_and_1000(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} cases[] = {
		{"0", 0},	    {"1", 1},
		{"512B", 512},	    {"4k", 4096},
		{"4K", 4096},	    {"4ki", 4096},
		{"4kiB", 4096},	    {"4KiB", 4096},
		{"4kB", 4000},	    {"1m", MiB},
		{"1MiB", MiB},	    {"1MB", 1000000},
		{"2g", 2 * GiB},    {"2GB", 2000000000},
		{"3t", 3 * TiB},    {"3TB", 3000000000000},
		{"1p", 1024 * TiB}, {"1PB", 1000000000000000},
		{"4.5k", 4608},	    {"1.5MB", 1500000},
		{"0.5k", 512},	    {"0x1000", 4096},
		{"0x10k", 16384},   {"9223372036854775807", INT64_MAX},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = {0};
		uint64_t bytes = 1;

		if (unit_parse_size(cases[i].text, &bytes, &err))
			fail_msg("%s", err.text);
		if (bytes != cases[i].bytes)
			fail_msg("%s: %llu", cases[i].text, (unsigned long long)bytes);
	}
}

struct refusal {
	const char *text, *remedy;
};

static void size_refuses_with_the_remedy(void **state)
{
	static const struct refusal cases[] = {
		{"4KB", "write 4k for powers of 1024, or 4kB for powers of 1000"},
		{"4Kb", "write 4k for powers of 1024, or 4kB"},
		{"4kb", "write 4k"},
		{"4mb", "write 4m for powers of 1024, or 4MB for powers of 1000"},
		{"4Gb", "write 4g for powers of 1024, or 4GB"},
		{"4q", "unknown unit \"q\""},
		{"4kx", "unknown unit \"kx\""},
		{"4 k", "unknown unit"},
		{"", "is not a size"},
		{"k", "is not a size"},
		{"-4k", "is negative"},
		{"+4k", "is not a size"},
		{"4.5", "not a whole number of bytes"},
		{"0.0001k", "not a whole number of bytes"},
		{"4.", "a digit must follow the point"},
		{"1.2345678901234567k", "too many digits"},
		{"9223372036854775808", "too large"},
		{"8192p", "too large"},
		{"99999999999999999999", "too large"},
		{"0x", "digits must follow 0x"},
		{"0x10000000000000000", "too large"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = {0};
		uint64_t bytes = 77;

		assert_int_equal(unit_parse_size(cases[i].text, &bytes, &err), -EINVAL);
		assert_int_equal(err.kind, ERR_INPUT);
		assert_int_equal(bytes, 77);
		if (!strstr(err.text, cases[i].remedy) || !strstr(err.text, cases[i].text))
			fail_msg("%s: %s", cases[i].text, err.text);
	}
}

static void time_needs_its_unit_where_that_is_not_seconds(void **state)
{
	static const struct {
		const char *text, *bare;
		uint64_t ns;
	} good[] = {
		{"10", "s", 10 * NS_PER_S},
		{"1.5", "s", 1500 * NS_PER_MS},
		{"0", "us", 0},
		{"10us", "us", 10 * NS_PER_US},
		{"10usec", "s", 10 * NS_PER_US},
		{"250ms", "s", 250 * NS_PER_MS},
		{"250msec", "ms", 250 * NS_PER_MS},
		{"7ns", "s", 7},
		{"2m", "s", 120 * NS_PER_S},
		{"2h", "s", 7200 * NS_PER_S},
		{"1d", "s", 86400 * NS_PER_S},
		{"0.25s", "us", 250 * NS_PER_MS},
	};
	static const struct {
		const char *text, *bare, *remedy;
	} bad[] = {
		{"10", "us", "write 10us"},
		{"500", "ms", "write 500ms"},
		{"2sec", "s", "write 2s"},
		{"1min", "s", "write 1m"},
		{"1.5min", "s", "write 1.5m"},
		{"1hour", "s", "write 1h"},
		{"3 s", "s", "is not a unit of time"},
		{"3x", "s", "is not a unit of time"},
		{"-1", "s", "is negative"},
		{"0.5ns", "s", "not a whole number of nanoseconds"},
		{"200000d", "s", "too large"},
		{"s", "s", "is not a time"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(good); i++) {
		struct err err = {0};
		uint64_t ns = 1;

		if (unit_parse_time(good[i].text, good[i].bare, &ns, &err))
			fail_msg("%s", err.text);
		assert_int_equal(ns, good[i].ns);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
		struct err err = {0};
		uint64_t ns = 77;

		assert_int_equal(unit_parse_time(bad[i].text, bad[i].bare, &ns, &err), -EINVAL);
		assert_int_equal(ns, 77);
		if (!strstr(err.text, bad[i].remedy))
			fail_msg("%s: %s", bad[i].text, err.text);
	}
}

static void counts_take_no_unit(void **state)
{
	struct err err = {0};
	uint64_t count = 77;

	(void)state;
	assert_int_equal(unit_parse_count("10k", &count, &err), -EINVAL);
	assert_non_null(strstr(err.text, "write 10000, or 10240"));
	err = (struct err){0};
	assert_int_equal(unit_parse_count("1.5", &count, &err), -EINVAL);
	assert_int_equal(count, 77);
	assert_int_equal(unit_parse_count("0x20", &count, NULL), 0);
	assert_int_equal(count, 32);
}

static void percent_is_at_most_the_whole(void **state)
{
	uint32_t percent = 77;

	(void)state;
	assert_int_equal(unit_parse_percent("300%", &percent, NULL), -EINVAL);
	assert_int_equal(unit_parse_percent("100.01%", &percent, NULL), -EINVAL);
	assert_int_equal(unit_parse_percent("50", &percent, NULL), -EINVAL);
	assert_int_equal(percent, 77);
	assert_int_equal(unit_parse_percent("12.5%", &percent, NULL), 0);
	assert_int_equal(percent, 1250);
	assert_int_equal(unit_parse_percent("100%", &percent, NULL), 0);
	assert_int_equal(percent, 10000);
}

/* A number of random magnitude, often a round one. */
static uint64_t draw(struct rng *rng)
{
	uint64_t value = rng_next(rng) >> (1 + rng_below(rng, 62));

	return rng_below(rng, 2) ? value >> 11 << 10 : value;
}

static void what_is_printed_reads_back(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, SEED, 0);
	for (int i = 0; i < 20000; i++) {
		uint64_t value = draw(&rng), size = 0, ns = 0;
		uint32_t percent = (uint32_t)rng_below(&rng, 10001), read = 0;
		double number = (rng_unit(&rng) - 0.5) * (double)value, same = 0;
		autostr text = {0};

		unit_format_size(value, &text);
		assert_int_equal(unit_parse_size(str_text(&text), &size, NULL), 0);
		assert_int_equal(size, value);
		str_clear(&text);
		unit_format_time(value, &text);
		assert_int_equal(unit_parse_time(str_text(&text), "us", &ns, NULL), 0);
		assert_int_equal(ns, value);
		str_clear(&text);
		unit_format_percent(percent, &text);
		assert_int_equal(unit_parse_percent(str_text(&text), &read, NULL), 0);
		assert_int_equal(read, percent);
		str_clear(&text);
		unit_format_double(number, &text);
		assert_int_equal(unit_parse_double(str_text(&text), &same, NULL), 0);
		assert_true(same == number);
	}
}

/* Against a slow way: a decimal fraction of a unit, computed with integers alone. */
static void fractions_are_exact(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, SEED, 1);
	for (int i = 0; i < 20000; i++) {
		unsigned whole = (unsigned)rng_below(&rng, 1000);
		unsigned milli = (unsigned)rng_below(&rng, 1000);
		uint64_t thousandths = ((uint64_t)whole * 1000 + milli) * MiB, bytes = 77;
		char text[40];
		int rc;

		(void)snprintf(text, sizeof(text), "%u.%03um", whole, milli);
		rc = unit_parse_size(text, &bytes, NULL);
		assert_int_equal(rc, thousandths % 1000 ? -EINVAL : 0);
		assert_int_equal(bytes, thousandths % 1000 ? 77 : thousandths / 1000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(size_units_are_powers_of_1024_and_1000),
		cmocka_unit_test(size_refuses_with_the_remedy),
		cmocka_unit_test(time_needs_its_unit_where_that_is_not_seconds),
		cmocka_unit_test(counts_take_no_unit),
		cmocka_unit_test(percent_is_at_most_the_whole),
		cmocka_unit_test(what_is_printed_reads_back),
		cmocka_unit_test(fractions_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
