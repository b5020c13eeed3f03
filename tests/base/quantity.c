/* Numbers for people: examples at the edges, and one order property. */
#include "base/quantity.h"

#include <stdlib.h>

#include "base/bits.h"
#include "unit.h"

struct example {
	uint64_t value;
	const char *text;
};

static void check(void (*format)(uint64_t, struct str *), const struct example *examples,
		  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		autostr out = {0};

		format(examples[i].value, &out);
		assert_string_equal(str_text(&out), examples[i].text);
	}
}

static void times_read_as_people_write_them(void **state)
{
	static const struct example examples[] = {
		{0, "0 ns"},
		{999, "999 ns"},
		{1000, "1 us"},
		{1234, "1.23 us"},
		{12340, "12.3 us"},
		{999499, "999 us"},
		{999999, "1.00 ms"},
		{2200 * NS_PER_MS, "2.20 s"},
		{119 * NS_PER_S, "119 s"},
		{120 * NS_PER_S, "2 min 00 s"},
		{3725 * NS_PER_S, "1 h 02 min"},
	};

	(void)state;
	check(quantity_time, examples, ARRAY_SIZE(examples));
}

static void sizes_of_memory_are_binary(void **state)
{
	static const struct example examples[] = {
		{0, "0 B"},
		{1023, "1023 B"},
		{4096, "4 KiB"},
		{GiB, "1 GiB"},
		{GiB + GiB / 2, "1.50 GiB"},
		{3 * TiB, "3 TiB"},
	};

	(void)state;
	check(quantity_size, examples, ARRAY_SIZE(examples));
}

static void sizes_of_drives_are_decimal(void **state)
{
	static const struct example examples[] = {
		{999, "999 B"},
		{4096, "4.10 kB"},
		{500000000000, "500 GB"},
		{1920383410176, "1.92 TB"},
	};

	(void)state;
	check(quantity_decimal, examples, ARRAY_SIZE(examples));
}

static void counts_are_grouped(void **state)
{
	static const struct example examples[] = {
		{0, "0"},
		{999, "999"},
		{1000, "1,000"},
		{1234567, "1,234,567"},
		{UINT64_MAX, "18,446,744,073,709,551,615"},
	};

	(void)state;
	check(quantity_count, examples, ARRAY_SIZE(examples));
}

static void plain_values_keep_three_digits(void **state)
{
	static const struct {
		double value;
		const char *text;
	} examples[] = {{0, "0"},	  {0.0123, "0.012"}, {1.234, "1.23"},
			{12.345, "12.3"}, {99.96, "100"},    {123456.7, "123,457"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
		autostr out = {0};

		quantity_plain(examples[i].value, &out);
		assert_string_equal(str_text(&out), examples[i].text);
	}
}

/* What is printed is within half a per cent of what was given, whatever the magnitude. */
static void rates_are_within_half_a_percent(void **state)
{
	static const struct {
		const char *name;
		double size;
	} units[] = {{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}};

	(void)state;
	for (double rate = 1; rate < 9e13; rate *= 1.0137) {
		autostr out = {0};
		char *unit;
		double printed;

		quantity_rate(rate, &out);
		printed = strtod(str_text(&out), &unit);
		for (size_t i = 0; i < ARRAY_SIZE(units); i++)
			if (str_equal(unit + 1, units[i].name))
				printed *= units[i].size;
		assert_true(printed > rate * 0.995 - 0.005 && printed < rate * 1.005 + 0.005);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_read_as_people_write_them),
		cmocka_unit_test(sizes_of_memory_are_binary),
		cmocka_unit_test(sizes_of_drives_are_decimal),
		cmocka_unit_test(counts_are_grouped),
		cmocka_unit_test(plain_values_keep_three_digits),
		cmocka_unit_test(rates_are_within_half_a_percent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
