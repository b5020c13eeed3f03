/* The numbers in a page: four digits come back, coarse tiles lose no spike, text cannot end the
 * element that they stand in. */
#include "report/graph_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bits.h"
#include "base/rng.h"
#include "unit.h"

#define POINTS 7207 /* no multiple of a tile's join */

static void four_digits_come_back(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 61, 0);
	for (unsigned i = 0; i < 100000; i++) {
		double value = pow(10, -6 + 24 * rng_unit(&rng));
		double back = graph_decode(graph_code(value));

		assert_true(fabs(back / value - 1) <= 0.0005001);
		assert_true(graph_code(back) == graph_code(value));
	}
	for (unsigned i = 1; i < 10000; i++)
		assert_true(graph_decode(graph_code(i)) == i);
	assert_true(isnan(graph_decode(graph_code((double)NAN))));
	assert_true(graph_decode(graph_code(0)) == 0);
	assert_true(graph_code(9999.7) == graph_code(10000));
	assert_true(graph_code(1e30) < 1 << 18 && graph_code(1e-30) >= 2);
}

static void codes_keep_the_order(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 62, 0);
	for (unsigned i = 0; i < 100000; i++) {
		double a = pow(10, 18 * rng_unit(&rng)), b = a * (1 + 0.1 * rng_unit(&rng));

		assert_true(graph_code(a) <= graph_code(b));
	}
}

static const char *key(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	assert_non_null(at);
	at += strlen(name);
	return at + strspn(at, " :\"[");
}

/* What stands in base64 at `text`, unpacked. */
static unsigned char *unpack(const char *text, size_t *ret_count)
{
	static const char signs[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t length = strcspn(text, "\""), used = 0;
	unsigned char *packed = malloc(length), *plain = malloc(1 << 20);
	uLongf plain_bytes = 1 << 20;
	uint32_t bits = 0;

	for (size_t i = 0; i < length && text[i] != '='; i++) {
		const char *sign = strchr(signs, text[i]);

		assert_non_null(sign);
		bits = bits << 6 | (uint32_t)(sign - signs);
		if (i % 4)
			packed[used++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
	}
	assert_int_equal(uncompress(plain, &plain_bytes, packed, used), Z_OK);
	free(packed);
	*ret_count = plain_bytes;
	return plain;
}

/* The next array of codes, as the page's script reads it. */
static const unsigned char *read_codes(const unsigned char *at, unsigned count, double *values)
{
	bool steps = *at++;
	uint32_t code = 0;

	for (unsigned i = 0; i < count; i++) {
		uint32_t read = at[i] | (uint32_t)at[count + i] << 8 |
				(uint32_t)at[2 * count + i] << 16;

		code = steps ? code + ((read >> 1) ^ -(read & 1)) : read;
		values[i] = graph_decode(code);
	}
	return at + 3 * (size_t)count;
}

static double rounded(double value)
{
	return graph_decode(graph_code(value));
}

static bool same(double a, double b)
{
	return (isnan(a) && isnan(b)) || a == b;
}

static struct graph graph_of(const struct graph_line *lines, unsigned nlines)
{
	return (struct graph){
		.id = "t",
		.title = "a </script> title",
		.x_words = "time",
		.y_words = "latency",
		.x = {.unit = SCALE_SECONDS, .high = POINTS},
		.y = {.kind = SCALE_LOG, .unit = SCALE_TIME_NS, .low = 1, .high = 1e9},
		.step = 1,
		.lines = lines,
		.nlines = nlines};
}

static void tiles_hold_the_least_and_the_greatest(void **state)
{
	static double y[2][POINTS], values[POINTS];
	const struct graph_line lines[2] = {{.name = "p99", .y = y[0], .count = POINTS},
					    {.name = "max", .y = y[1], .count = POINTS}};
	const struct graph graph = graph_of(lines, 2);
	unsigned join[GRAPH_TILES_MAX], tiles = graph_tiles(POINTS, join);
	const unsigned char *at;
	unsigned char *bytes;
	struct rng rng;
	autostr out = {0};
	size_t count;

	(void)state;
	rng_seed(&rng, 63, 0);
	for (unsigned i = 0; i < POINTS; i++) {
		y[0][i] = rng_unit(&rng) < 0.01 ? (double)NAN : 1e5 * (1 + rng_unit(&rng));
		y[1][i] = rng_unit(&rng) < 0.001 ? 2e9 : 1e6 * (1 + rng_unit(&rng));
	}
	graph_data(&graph, &out);
	assert_null(strchr(out.text, '<'));
	bytes = unpack(key(out.text, "\"tiles\""), &count);
	at = bytes;
	assert_int_equal(tiles, 2);
	for (unsigned l = 0; l < 2; l++) {
		at = read_codes(at, POINTS, values);
		for (unsigned i = 0; i < POINTS; i++)
			assert_true(same(values[i], rounded(y[l][i])));
		for (unsigned pass = 0; pass < 2; pass++) {
			for (unsigned i = 0; i < (POINTS + 9) / 10; i++) {
				double want = (double)NAN;

				for (unsigned k = i * 10; k < i * 10 + 10 && k < POINTS; k++)
					want = pass ? fmax(want, y[l][k]) : fmin(want, y[l][k]);
				assert_true(i * 10U + *at < POINTS);
				assert_true(same(values[i * 10 + *at++], rounded(want)));
			}
		}
	}
	assert_int_equal(at - bytes, count);
	free(bytes);
}

static void long_lines_over_their_own_x_keep_their_ends(void **state)
{
	static double x[20000], y[20000];
	const struct graph_line line = {.name = "written", .x = x, .y = y, .count = 20000};
	const struct graph graph = graph_of(&line, 1);
	autostr out = {0};
	unsigned commas = 0;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		x[i] = i;
		y[i] = i == 12345 ? 77777 : 100;
	}
	graph_data(&graph, &out);
	assert_non_null(strstr(out.text, "77777"));
	for (const char *c = strstr(key(out.text, "\"lines\""), "\"y\""); *c != ']'; c++)
		commas += *c == ',';
	assert_true(commas < 4100);
}

static void a_field_comes_back(void **state)
{
	static const double edges[] = {1, 10, 100};
	static const uint32_t counts[] = {0, 1, 70000, 4000000000U, 3, 0};
	const struct graph_field field = {
		.columns = 3, .rows = 2, .x_step = 0.5, .edges = edges, .count = counts};
	struct graph graph = graph_of(NULL, 0);
	unsigned char *bytes;
	autostr out = {0};
	size_t count;

	(void)state;
	graph.field = &field;
	graph_data(&graph, &out);
	bytes = unpack(key(out.text, "\"counts\""), &count);
	assert_int_equal(count, 24);
	for (unsigned i = 0; i < 6; i++)
		assert_true((bytes[i] | (uint32_t)bytes[6 + i] << 8 |
			     (uint32_t)bytes[12 + i] << 16 | (uint32_t)bytes[18 + i] << 24) ==
			    counts[i]);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(four_digits_come_back),
		cmocka_unit_test(codes_keep_the_order),
		cmocka_unit_test(tiles_hold_the_least_and_the_greatest),
		cmocka_unit_test(long_lines_over_their_own_x_keep_their_ends),
		cmocka_unit_test(a_field_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
