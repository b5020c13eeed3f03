/* What a log is taken for, or asked about: each row of the page of variants, each trap. */
#include "unit.h"

#include "base/bits.h"
#include "logfile.h"
#include "trace/logname.h"

struct known {
	const char *name, *text;
	enum trace_kind kind;
	bool windowed, offset, prio, issue, max, epoch;
	enum trace_unit unit;
	unsigned rows;
};

#define ROWS3(row) row "\n" row "\n" row "\n"

static const struct known variants[] = {
	{.name = "j_clat.1.log",
	 .text = ROWS3("3, 5308, 0, 4096, 0"),
	 .kind = TRACE_CLAT,
	 .prio = true,
	 .unit = TRACE_UNIT_NS,
	 .rows = 3},
	{.name = "j_lat.log",
	 .text = ROWS3("0, 5308, 0, 4096, 61440, 0"),
	 .kind = TRACE_LAT,
	 .prio = true,
	 .offset = true,
	 .unit = TRACE_UNIT_NS,
	 .rows = 3},
	{.name = "j_slat.1.log",
	 .text = ROWS3("0, 5308, 0, 4096, 61440, 0x0003"),
	 .kind = TRACE_SLAT,
	 .prio = true,
	 .offset = true,
	 .unit = TRACE_UNIT_NS,
	 .rows = 3},
	{.name = "j_clat.1.log",
	 .text = ROWS3("0, 5308, 0, 4096, 61440, 0, 99887766"),
	 .kind = TRACE_CLAT,
	 .prio = true,
	 .offset = true,
	 .issue = true,
	 .unit = TRACE_UNIT_NS,
	 .rows = 3},
	{.name = "j_clat.1.log",
	 .text = ROWS3("0, 5308, 0, 4096, 0x4001, 99887766"),
	 .kind = TRACE_CLAT,
	 .prio = true,
	 .issue = true,
	 .unit = TRACE_UNIT_NS,
	 .rows = 3},
	{.name = "j_lat.1.log",
	 .text = "500, 8016, 0, 0, 0\n500, 9016, 1, 0, 0\n1000, 8, 0, 0, 0\n",
	 .kind = TRACE_LAT,
	 .windowed = true,
	 .prio = true,
	 .unit = TRACE_UNIT_NS,
	 .rows = 3},
	{.name = "j_lat.1.log",
	 .text = "500, 333, 5785, 0, 0, 0, 0x0000, 0\n",
	 .kind = TRACE_LAT,
	 .windowed = true,
	 .prio = true,
	 .offset = true,
	 .issue = true,
	 .max = true,
	 .unit = TRACE_UNIT_NS,
	 .rows = 1},
	{.name = "j_lat.1.log",
	 .text = "500, 333, 5785, 0, 0, 0\n",
	 .kind = TRACE_LAT,
	 .windowed = true,
	 .prio = true,
	 .max = true,
	 .unit = TRACE_UNIT_NS,
	 .rows = 1},
	{.name = "j_clat.1.log",
	 .text = ROWS3("1796025248588, 6936, 0, 4096, 0"),
	 .kind = TRACE_CLAT,
	 .prio = true,
	 .epoch = true,
	 .unit = TRACE_UNIT_NS,
	 .rows = 3},
	{.name = "j_iops.2.log",
	 .text = ROWS3("0, 1, 0, 4096, 0"),
	 .kind = TRACE_IOPS,
	 .prio = true,
	 .rows = 3},
	{.name = "anything",
	 .text = ROWS3("0, 1, 0, 4096, 0"),
	 .kind = TRACE_IOPS,
	 .prio = true,
	 .rows = 3},
	{.name = "j_iops.1.log",
	 .text = "500, 900, 0, 4096, 0\n1000, 910, 0, 4096, 0\n",
	 .kind = TRACE_IOPS,
	 .windowed = true,
	 .prio = true,
	 .rows = 2},
	{.name = "j_bw.1.log",
	 .text = ROWS3("0, 4000, 0, 4096, 0"),
	 .kind = TRACE_BW,
	 .prio = true,
	 .rows = 3},
	{.name = "agg-read_bw.log",
	 .text = "500, 4000, 0, 0, 0\n1000, 4000, 0, 0, 0\n",
	 .kind = TRACE_BW,
	 .windowed = true,
	 .prio = true,
	 .rows = 2},
	{.name = "j_bw.1.log",
	 .text = "500, 40, 0, 4096, 0\n1001, 41, 0, 4096, 0\n1501, 4, 0, 4096, 0\n",
	 .kind = TRACE_BW,
	 .windowed = true,
	 .prio = true,
	 .rows = 3},
	{.name = "j_clat.1.log.host-7",
	 .text = "# fio 3\r\n3, 5308, 0, 4096, 0\r\n",
	 .kind = TRACE_CLAT,
	 .prio = true,
	 .unit = TRACE_UNIT_NS,
	 .rows = 1},
};

static void variants_are_known_by_their_rows(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(variants); i++) {
		const struct known *v = &variants[i];
		struct trace_options options = {0};
		struct logread read;

		logread_text(v->name, v->text, strlen(v->text), &options, &read);
		if (read.err.code)
			fail_msg("variant %u: %s", i, read.err.text);
		assert_int_equal(read.info.kind, v->kind);
		assert_int_equal(read.info.windowed, v->windowed);
		assert_int_equal(read.info.has_offset, v->offset);
		assert_int_equal(read.info.has_prio, v->prio);
		assert_int_equal(read.info.has_issue, v->issue);
		assert_int_equal(read.info.has_max, v->max);
		assert_int_equal(read.info.epoch, v->epoch);
		assert_int_equal(read.info.unit, v->unit);
		assert_int_equal(read.count, v->rows);
		assert_true(read.info.about[0]);
		free(read.samples);
	}
}

static void the_unit_follows_from_littles_law(void **state)
{
	/* 2000 rows in 100 ms at 1.6 ms each are 32 in flight, read as us 32,000 */
	autostr ns = {0}, us = {0};
	struct trace_options options = {0};
	struct logread read;

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		str_printf(&ns, "%u, 1600000, 0, 4096\n", i / 20);
		str_printf(&us, "%u, 1600, 0, 4096\n", i / 20);
	}
	logread_text("j_clat.1.log", ns.text, ns.length, &options, &read);
	assert_int_equal(read.info.unit, TRACE_UNIT_NS);
	assert_int_equal(read.samples[0].value, 1600000);
	assert_non_null(strstr(read.info.about, "32"));
	free(read.samples);

	/* as ns 0.032, as us 32: either may be, so it is asked for */
	logread_text("j_clat.1.log", us.text, us.length, &options, &read);
	assert_int_equal(read.err.kind, ERR_INPUT);
	assert_non_null(strstr(read.err.text, "--unit="));

	options.hints.depth = 32;
	logread_text("j_clat.1.log", us.text, us.length, &options, &read);
	assert_int_equal(read.err.code, 0);
	assert_int_equal(read.info.unit, TRACE_UNIT_US);
	assert_int_equal(read.samples[0].value, 1600000);
	free(read.samples);

	options.hints.unit = TRACE_UNIT_NS;
	logread_text("j_clat.1.log", us.text, us.length, &options, &read);
	assert_int_equal(read.samples[0].value, 1600);
	free(read.samples);
}

/* Name, text, and the option that the question names. */
static const char *const asked[][3] = {
	{"odd", "0, 5308, 0, 4096, 0\n0, 99, 0, 4096, 0\n", "--kind="},
	{"j_lat.1.log", "500, 8016, 0, 0\n1000, 8000, 0, 0\n", "--unit="},
	{"j_bw.1.log", "5, 8016, 0, 4096, 0\n", "--windowed="},
	{"j_iops.1.log", "100, 1, 0, 4096, 0\n200, 1, 0, 4096, 0\n300, 1, 0, 4096, 0\n",
	 "--windowed="},
	{"j_clat.1.log", "1, 2\n", NULL},
	{"j_hist.1.log", "0, 5308, 0, 4096, 0\n", "--kind="},
};

static void what_cannot_be_known_is_asked(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(asked); i++) {
		struct trace_options options = {0};
		struct logread read;

		logread_text(asked[i][0], asked[i][1], strlen(asked[i][1]), &options, &read);
		assert_int_equal(read.err.kind, ERR_INPUT);
		if (asked[i][2] && !strstr(read.err.text, asked[i][2]))
			fail_msg("%u: %s", i, read.err.text);
	}
}

static void names_are_taken_apart(void **state)
{
	struct logname name;

	(void)state;
	logname_parse("/d.log/rand_read_clat_hist.12.log.host.dom.gz", &name);
	assert_int_equal(name.kind, TRACE_HIST);
	assert_int_equal(name.job, 12);
	assert_string_equal(name.prefix, "rand_read");
	assert_string_equal(name.host, "host.dom");
	logname_parse("x_iops.1.log.fz", &name);
	assert_int_equal(name.kind, TRACE_IOPS);
	assert_string_equal(name.host, "");
	logname_parse("x_iops.log", &name);
	assert_int_equal(name.job, 0);
	logname_parse("agg-write_bw.log", &name);
	assert_int_equal(name.aggregate_op, SAMPLE_WRITE);
	logname_parse("clat", &name);
	assert_int_equal(name.kind, TRACE_UNKNOWN);
}

static void histograms_of_both_sizes_and_all_coarsenesses(void **state)
{
	static const unsigned sizes[] = {1856, 1216};

	(void)state;
	for (unsigned i = 0; i < 2 * 7; i++) {
		unsigned coarseness = i / 2, bins = sizes[i % 2] >> coarseness;
		uint64_t unit = i % 2 ? NS_PER_US : 1;
		struct trace_options options = {0};
		struct logread read;
		autostr text = {0};

		/* a count in the bin of 1000: group 4 (512 to 1023), bin 61 of 64 */
		str_add(&text, "1000, 1, 4096");
		for (unsigned bin = 0; bin < bins; bin++)
			str_printf(&text, ", %u",
				   bin == (4 * 64 + 61 + 0u) >> coarseness ? 7 : 0);
		str_add(&text, "\n");
		logread_text("j_clat_hist.1.log", text.text, text.length, &options, &read);
		assert_int_equal(read.err.code, 0);
		assert_int_equal(read.info.coarseness, coarseness);
		assert_int_equal(read.count, 1);
		assert_int_equal(read.samples[0].extra, 7);
		assert_int_equal(read.samples[0].op, SAMPLE_WRITE);
		assert_true((double)read.samples[0].value >
			    1000.0 * (double)unit * (1 - 2 * read.info.value_error));
		assert_true((double)read.samples[0].value <
			    1000.0 * (double)unit * (1 + 2 * read.info.value_error));
		free(read.samples);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variants_are_known_by_their_rows),
		cmocka_unit_test(the_unit_follows_from_littles_law),
		cmocka_unit_test(what_cannot_be_known_is_asked),
		cmocka_unit_test(names_are_taken_apart),
		cmocka_unit_test(histograms_of_both_sizes_and_all_coarsenesses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
