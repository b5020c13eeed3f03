/* The fast rows are the byte-by-byte rows: on random logs of every shape, with every set of
 * loops that this processor runs. Seed of every random sequence: 4. */
#include "trace/fiofast.h"

#include "unit.h"

#include "base/bits.h"
#include "logfile.h"
#include "rowgen.h"

/* The oracle: each line through fiorow_parse, nothing else. */
struct slow {
	struct sample *samples;
	unsigned count, bad, remarks, zeros;
};

static void read_slowly(const struct str *text, const struct fiorow_shape *shape,
			struct slow *ret)
{
	const char *row = text->text, *limit = text->text + text->length, *end;

	*ret = (struct slow){.samples = calloc(text->length / 2 + 1, sizeof(struct sample))};
	assert_non_null(ret->samples);
	while ((end = memchr(row, '\n', (size_t)(limit - row)))) {
		struct fiorow_marks marks;

		switch (fiorow_parse(shape, row, end, &ret->samples[ret->count], &marks)) {
		case FIOROW_OK:
			ret->count++;
			break;
		case FIOROW_SKIP:
			ret->remarks++;
			break;
		case FIOROW_ZERO:
			ret->zeros++;
			break;
		case FIOROW_COLUMNS:
		case FIOROW_NUMBER:
		case FIOROW_RANGE:
		case FIOROW_DIRECTION:
		case FIOROW_PRIO:
		case FIOROW_CHANGED:
		case FIOROW_FAULTS:
			ret->bad++;
			break;
		}
		row = end + 1;
	}
}

static struct fiorow_shape shape_of(const struct rowgen *gen)
{
	bool issue = gen->columns == 7 || gen->issue;

	return (struct fiorow_shape){
		.columns = (uint8_t)gen->columns,
		.offset = gen->columns >= 6 && !gen->issue,
		.prio = gen->columns >= 5,
		.prio_hex = gen->hex,
		.issue = issue && gen->columns >= 6,
		.value_scale = 1,
		.flags = (uint8_t)((gen->columns >= 5 ? SAMPLE_PRIO : 0) |
				   (gen->hex ? SAMPLE_PRIO_HEX : 0) |
				   (gen->columns >= 6 && !gen->issue ? SAMPLE_OFFSET : 0))};
}

/* By columns: the same times, values, directions and lengths. */
static unsigned compare_columns(const struct str *text, const struct trace_options *options,
				const struct slow *slow)
{
	struct logread fast;

	logread_text_as("x_clat.1.log", text->text, text->length, options, true, &fast);
	assert_int_equal(fast.err.code, 0);
	assert_int_equal(fast.count, slow->count);
	assert_int_equal(fast.counts.bad_rows, slow->bad);
	for (unsigned i = 0; i < slow->count; i++) {
		const struct sample *s = &slow->samples[i];
		struct sample narrow = {.time_ns = s->time_ns,
					.value = s->value,
					.op = s->op,
					.length = s->length};

		assert_memory_equal(&fast.samples[i], &narrow, sizeof(narrow));
	}
	free(fast.samples);
	return fast.in_columns;
}

static void compare(const struct str *text, const struct rowgen *gen)
{
	struct fiorow_shape shape = shape_of(gen);
	struct slow slow;
	unsigned in_columns;

	read_slowly(text, &shape, &slow);
	for (unsigned at = 0; fiofast_at(at); at++) {
		struct trace_options options = {
			.lenient = true, .fast_set = at + 1, .hints.unit = TRACE_UNIT_NS};
		struct logread fast;

		logread_text("x_clat.1.log", text->text, text->length, &options, &fast);
		assert_int_equal(fast.err.code, 0);
		assert_int_equal(fast.count, slow.count);
		assert_int_equal(fast.counts.bad_rows, slow.bad);
		assert_int_equal(fast.counts.zero_rows, slow.zeros);
		assert_int_equal(fast.counts.remarks, slow.remarks);
		for (unsigned i = 0; i < slow.count; i++)
			assert_memory_equal(&fast.samples[i], &slow.samples[i],
					    sizeof(struct sample));
		free(fast.samples);
		in_columns = compare_columns(text, &options, &slow);
		/* most of them; issue times of 17 digits and more go the slow way */
		if (gen->calm && !gen->odd_percent && slow.count > 1000 && !shape.issue)
			assert_true(in_columns > slow.count / 2);
	}
	free(slow.samples);
}

/* A first page of plain rows, by which the log is known for what it is, and then anything. */
static void make_log(struct rowgen *gen, struct rng *rng, unsigned rows, struct str *out)
{
	unsigned odd = gen->odd_percent;

	gen->odd_percent = 0;
	str_printf(out, "0, 777777, 1, 4096%s", gen->columns == 4 ? "\n" : "");
	if (gen->columns >= 6 && !gen->issue)
		str_add(out, ", 8589934592");
	if (gen->columns >= 5)
		str_add(out, gen->hex ? ", 0x0000" : ", 0");
	if (gen->columns == 7 || (gen->columns == 6 && gen->issue))
		str_add(out, ", 8589934593");
	if (gen->columns > 4)
		str_add(out, "\n");
	gen->odd_percent = odd;
	for (unsigned i = 0; i < rows; i++)
		rowgen_row(gen, rng, out);
}

static void fast_rows_are_the_slow_rows(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 4, 0);
	for (unsigned i = 0; i < 192; i++) {
		struct rowgen gen = {.columns = 4 + i % 4,
				     .crlf = i / 4 % 2,
				     .hex = i / 8 % 2 && i % 4,
				     .issue = i / 16 % 2 && i % 4 == 2,
				     .odd_percent = i / 32 % 3 * 7,
				     .calm = i >= 96};
		autostr text = {0};

		make_log(&gen, &rng, 1 + (unsigned)rng_below(&rng, 3000), &text);
		compare(&text, &gen);
	}
}

/* Longer than the buffer of 256 KiB, so that rows lie across its end. */
static void rows_across_the_buffer_are_whole(void **state)
{
	struct rowgen gen = {.columns = 5, .odd_percent = 1};
	struct rng rng;
	autostr text = {0};

	(void)state;
	rng_seed(&rng, 4, 1);
	make_log(&gen, &rng, 60000, &text);
	assert_true(text.length > 1 << 20);
	compare(&text, &gen);
}

/* Every byte of a row, replaced by every other: the two agree on what is left. */
static void any_byte_may_be_wrong(void **state)
{
	struct rowgen gen = {.columns = 6};
	static const char row[] = "12, 3456, 1, 4096, 8192, 0\n";

	(void)state;
	for (unsigned at = 0; at < sizeof(row) - 1; at += 1) {
		autostr text = {0};

		for (unsigned i = 0; i < 300; i++) /* most rows say what the log is */
			str_add(&text, "12, 3456, 1, 4096, 8589934592, 0\n");
		for (unsigned byte = 1; byte < 256; byte++) {
			str_add(&text, row);
			text.text[text.length - sizeof(row) + 1 + at] = (char)byte;
		}
		str_add(&text, row);
		compare(&text, &gen);
	}
}

static void indexes_are_the_newlines(void **state)
{
	static char text[5000 + 2 * FIOFAST_PAD];
	static uint32_t ends[5030];
	struct rng rng;

	(void)state;
	rng_seed(&rng, 4, 2);
	for (unsigned turn = 0; turn < 200; turn++) {
		size_t from = rng_below(&rng, 100), to = from + rng_below(&rng, 4800);
		unsigned percent = (unsigned)rng_below(&rng, 101);

		for (size_t i = 0; i < sizeof(text); i++)
			text[i] = rng_below(&rng, 100) < percent ? '\n'
								 : (char)rng_below(&rng, 256);
		for (unsigned at = 0; fiofast_at(at); at++) {
			unsigned count = fiofast_at(at)->index(text, from, to, ends), have = 0;

			for (size_t i = from; i < to; i++)
				if (text[i] == '\n')
					assert_int_equal(ends[have++], i);
			assert_int_equal(have, count);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fast_rows_are_the_slow_rows),
		cmocka_unit_test(rows_across_the_buffer_are_whole),
		cmocka_unit_test(any_byte_may_be_wrong),
		cmocka_unit_test(indexes_are_the_newlines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
