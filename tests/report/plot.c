/* Plots: well-formed, self-contained, escaped; scales and PNG against plain arithmetic. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "report/markup.h"
#include "report/plot.h"
#include "report/png.h"
#include "report/qos_sample.h"
#include "report/scale.h"
#include "report/svg.h"

static struct qos_sample stalled;

static void plot_of(struct plot *plot, struct plot_log *logs, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		logs[i] = (struct plot_log){"a <log> & \"more\"\x01\xff", &stalled.run,
					    stalled.qos.facts, &stalled.density};
	*plot = (struct plot){.title = "4k <mixed>",
			      .logs = logs,
			      .nlogs = count,
			      .limits_ns = {5 * NS_PER_MS, 200 * NS_PER_MS},
			      .nlimits = 2};
}

static void files_are_well_formed_and_alone(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= PLOT_LOGS_MAX; n += 3) {
		struct plot_log logs[PLOT_LOGS_MAX];
		struct plot plot;
		autostr svg = {0}, html = {0};

		plot_of(&plot, logs, n);
		plot_svg(&plot, &svg);
		plot_html(&plot, &html);
		assert_balanced(str_text(&svg));
		assert_balanced(str_text(&html));
		assert_int_equal(count_of(svg.text, "data:image/png;base64,"), n);
		/* nothing but the two name spaces is named by address */
		assert_int_equal(count_of(svg.text, "http"), 2);
		assert_int_equal(count_of(html.text, "http"), 2);
		assert_null(strstr(svg.text, "nan"));
		assert_null(strstr(svg.text, "inf"));
		assert_null(strstr(svg.text, "<log>"));
		assert_non_null(strstr(svg.text, "4k &lt;mixed&gt;"));
		assert_non_null(strstr(svg.text, "200 ms"));
		assert_non_null(strstr(svg.text, "2 empty intervals"));
		assert_non_null(strstr(svg.text, "prefers-color-scheme:dark"));
	}
}

static void bad_bytes_do_not_get_into_xml(void **state)
{
	autostr out = {0};

	(void)state;
	svg_escape("a<b>&\"\x01\xff\xc3\xa4\xc3(\xed\xa0\x80\xf0\x9f\x98\x80", &out);
	assert_string_equal(str_text(&out), "a&lt;b&gt;&amp;&quot;??\xc3\xa4?(???"
					    "\xf0\x9f\x98\x80");
}

static uint32_t u32(const char *at)
{
	const unsigned char *b = (const unsigned char *)at;

	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void png_chunks_are_whole_and_pixels_come_back(void **state)
{
	static const uint8_t pixels[6] = {0, 1, 2, 253, 254, 255};
	const struct raster raster = {3, 2, pixels, INK_BLUE};
	static const char *const order[] = {"IHDR", "PLTE", "tRNS", "IDAT", "IEND"};
	unsigned char plain[64];
	uLongf length = sizeof(plain);
	autostr out = {0};
	size_t at = 8;

	(void)state;
	png_write(&raster, 0x0072b2, &out);
	assert_memory_equal(out.text, "\x89PNG\r\n\x1a\n", 8);
	for (unsigned i = 0; i < ARRAY_SIZE(order); i++) {
		uint32_t bytes = u32(out.text + at);
		const Bytef *data = (const Bytef *)out.text + at + 4;

		assert_memory_equal(data, order[i], 4);
		assert_int_equal(u32(out.text + at + 8 + bytes), crc32(0, data, bytes + 4));
		if (i == 3) {
			assert_int_equal(uncompress(plain, &length, data + 4, bytes), Z_OK);
			assert_int_equal(length, 8);
			assert_memory_equal(plain, "\0\0\1\2\0\375\376\377", 8);
		}
		at += 12 + bytes;
	}
	assert_int_equal(at, out.length);
}

static void base64_is_rfc_4648s(void **state)
{
	static const char *const table[][2] = {{"", ""},
					       {"f", "Zg=="},
					       {"fo", "Zm8="},
					       {"foo", "Zm9v"},
					       {"foobar", "Zm9vYmFy"}};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(table); i++) {
		autostr out = {0};

		base64_write(table[i][0], strlen(table[i][0]), &out);
		assert_string_equal(str_text(&out), table[i][1]);
	}
}

static void axes_have_round_ticks(void **state)
{
	struct scale time = {.unit = SCALE_SECONDS, .high = 120, .end = 100};
	struct scale latency = {.kind = SCALE_LOG,
				.unit = SCALE_TIME_NS,
				.low = 13e3,
				.high = 3e8,
				.begin = 100};
	struct scale nines = {.kind = SCALE_NINES, .unit = SCALE_PERCENT, .high = 3.4};
	struct scale_tick ticks[SCALE_TICKS_MAX];
	unsigned count;

	(void)state;
	count = scale_ticks(&time, 6, ticks);
	assert_int_equal(count, 7);
	assert_string_equal(ticks[0].text, "0 s");
	assert_string_equal(ticks[6].text, "120 s");
	scale_round(&latency);
	assert_true(latency.low <= 13e3 && latency.low >= 1e4 && latency.high >= 3e8);
	count = scale_ticks(&latency, 5, ticks);
	assert_string_equal(ticks[0].text, "10 µs");
	assert_string_equal(ticks[count - 1].text, "100 ms");
	assert_true(scale_pixel(&latency, latency.low) == 100);
	assert_true(scale_pixel(&latency, latency.high) == 0);
	scale_round(&nines);
	count = scale_ticks(&nines, 5, ticks);
	assert_int_equal(count, 5);
	assert_string_equal(ticks[3].text, "99.9 %");
}

/* Whatever the range, ticks ascend inside it and pixels stay on the axis. */
static void ticks_lie_inside(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 21, 0);
	for (unsigned i = 0; i < 2000; i++) {
		struct scale scale = {.kind = i % 2 ? SCALE_LOG : SCALE_LINEAR,
				      .unit = (enum scale_unit)(rng_below(&rng, 3)),
				      .low = i % 2 ? pow(10, 9 * rng_unit(&rng)) : 0,
				      .end = 500};
		struct scale_tick ticks[SCALE_TICKS_MAX];
		unsigned count;

		scale.high = scale.low + pow(10, 10 * rng_unit(&rng));
		scale_round(&scale);
		count = scale_ticks(&scale, 1 + (unsigned)rng_below(&rng, 8), ticks);
		assert_true(count <= SCALE_TICKS_MAX);
		for (unsigned t = 0; t < count; t++) {
			double pixel = scale_pixel(&scale, ticks[t].value);

			assert_true(pixel >= 0 && pixel <= 500);
			assert_true(!t || ticks[t].value > ticks[t - 1].value);
		}
	}
}

static void the_terminal_sees_the_stall(void **state)
{
	struct plot_log log;
	struct plot plot;
	autostr out = {0}, ascii = {0};
	const char *line;

	(void)state;
	plot_of(&plot, &log, 1);
	plot_text(&plot, 100, true, &out);
	line = strstr(out.text, "IOPS, the lowest");
	assert_non_null(line);
	line = strchr(line, '\n') + 1;
	assert_non_null(memchr(line, '0', strcspn(line, "\n")));
	assert_non_null(strstr(out.text, "200 ms ┤"));
	assert_non_null(strstr(out.text, "█"));
	plot_text(&plot, 80, false, &ascii);
	for (const char *c = strstr(ascii.text, "Latency over"); *c; c++)
		assert_true((unsigned char)*c < 0x80);
}

static int make(void **state)
{
	(void)state;
	qos_sample_make(&stalled, 120, 1000, 60);
	return 0;
}

static int done(void **state)
{
	(void)state;
	qos_sample_done(&stalled);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_well_formed_and_alone),
		cmocka_unit_test(bad_bytes_do_not_get_into_xml),
		cmocka_unit_test(png_chunks_are_whole_and_pixels_come_back),
		cmocka_unit_test(base64_is_rfc_4648s),
		cmocka_unit_test(axes_have_round_ticks),
		cmocka_unit_test(ticks_lie_inside),
		cmocka_unit_test(the_terminal_sees_the_stall),
	};

	return cmocka_run_group_tests(tests, make, done);
}
