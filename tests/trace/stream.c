/* Odd ends and odd rows: cut off, torn, repeated, of zeros, too long, going back. */
#include "unit.h"

#include "base/bits.h"
#include "logfile.h"

static struct logread read_text(const char *text, bool lenient)
{
	struct trace_options options = {.lenient = lenient};
	struct logread read;

	logread_text("j_clat.1.log", text, strlen(text), &options, &read);
	free(read.samples);
	read.samples = NULL;
	return read;
}

static void a_cut_off_line_is_left_out_and_said(void **state)
{
	static const char whole[] = "1, 1111, 0, 4096, 0\n2, 22222, 0, 4096, 0\n";
	struct logread read;

	(void)state;
	read = read_text(whole, false);
	assert_int_equal(read.count, 2);
	assert_false(read.counts.cut_row);
	for (size_t bytes = 21; bytes < sizeof(whole) - 2; bytes++) {
		char text[sizeof(whole)] = "";

		memcpy(text, whole, bytes);
		read = read_text(text, false);
		assert_int_equal(read.err.code, 0);
		assert_int_equal(read.count, 1);
		assert_true(read.counts.cut_row);
	}
	/* only the newline is missing: the last column is whole, as the row before shows */
	read = read_text("1, 1111, 0, 4096, 0\n2, 22222, 0, 4096, 0", false);
	assert_int_equal(read.count, 2);
}

static void a_bad_row_is_named_by_file_and_line(void **state)
{
	struct logread read;

	(void)state;
	read = read_text("# x\n1, 2, 0, 4096, 0\n1, 2, 0, 4096, 0\n1, 2, 5, 4096, 0\n", false);
	assert_int_equal(read.err.kind, ERR_INPUT);
	assert_non_null(strstr(read.err.text, "j_clat.1.log:4: "));
	assert_non_null(strstr(read.err.text, "direction"));
	read = read_text("# x\n1, 2, 0, 4096, 0\n1, 2, 5, 4096, 0\nx\n1, 2, 0, 4096, 0\n",
			 true);
	assert_int_equal(read.err.code, 0);
	assert_int_equal(read.count, 2);
	assert_int_equal(read.counts.bad_rows, 2);
	assert_int_equal(read.counts.first_bad_line, 3);
}

static void rows_of_zeros_remarks_and_steps_back_are_counted(void **state)
{
	struct logread read;

	(void)state;
	read = read_text("5, 2, 0, 4096, 0\n5, 2, 0, 4096, 0\n3, 2, 0, 4096, 0\n\n# y\n"
			 "0, 0, 0, 0, 0\n0, 0, 0, 0, 0\n",
			 false);
	assert_int_equal(read.err.code, 0);
	assert_int_equal(read.count, 3);
	assert_int_equal(read.counts.zero_rows, 2);
	assert_int_equal(read.counts.remarks, 2);
	assert_int_equal(read.counts.backward, 1);
	assert_int_equal(read.counts.first_backward_line, 3);
}

static void a_log_that_turns_to_windows_is_an_error(void **state)
{
	struct logread read;

	(void)state;
	read = read_text("5, 2, 0, 4096, 0\n6, 2, 0, 0, 0\n", false);
	assert_non_null(strstr(read.err.text, ":2: "));
	assert_non_null(strstr(read.err.text, "windows"));
}

static void a_tail_of_zero_bytes_is_said(void **state)
{
	static const char text[] = "5, 2, 0, 4096, 0\n6, 2\0\0\0\0\0\0\0";
	struct trace_options options = {0};
	struct logread read;

	(void)state;
	logread_text("j_clat.1.log", text, sizeof(text), &options, &read);
	assert_int_equal(read.err.code, 0);
	assert_int_equal(read.count, 1);
	assert_true(read.counts.cut_row);
	assert_int_equal(read.counts.nul_bytes, 8);
	free(read.samples);
}

static void nothing_is_a_log_without_rows(void **state)
{
	struct logread read;

	(void)state;
	read = read_text("", false);
	assert_int_equal(read.err.code, 0);
	assert_int_equal(read.count, 0);
}

static void values_beyond_32_bits_are_kept(void **state)
{
	static const char text[] = "5, 5000000000, 0, 4096, 0\n5, 123456789012, 1, 4096, 0\n"
				   "5, 1234567890123456789, 1, 4096, 0\n";
	struct trace_options options = {0};
	struct logread read;

	(void)state;
	logread_text("j_clat.1.log", text, sizeof(text) - 1, &options, &read);
	assert_int_equal(read.samples[0].value, 5000000000);
	assert_int_equal(read.samples[1].value, 123456789012);
	assert_int_equal(read.samples[2].value, 1234567890123456789);
	free(read.samples);
}

/* Each cut of a file into two parts gives all rows, once. */
static void parts_of_a_file_are_the_file(void **state)
{
	static const char text[] = "1, 11, 0, 4096, 0\n2, 22, 0, 4096, 0\n3, 33, 0, 4096, 0\n";
	struct trace_options options = {0};
	struct logfile file;

	(void)state;
	logfile_write(&file, "j_clat.1.log", text, sizeof(text) - 1);
	for (uint64_t cut = 0; cut <= sizeof(text); cut++) {
		struct err err = {0};
		uint64_t sum = 0, count = 0;

		for (unsigned part = 0; part < 2; part++) {
			struct trace_reader *reader = trace_open(file.path, &options, &err);
			struct trace_batch batch;

			assert_non_null(reader);
			trace_set_range(reader, part ? cut : 0, part ? UINT64_MAX : cut);
			while (trace_next(reader, &batch, &err) > 0)
				for (unsigned i = 0; i < batch.count; i++, count++)
					sum += batch.samples[i].value;
			trace_close(reader);
		}
		assert_int_equal(err.code, 0);
		assert_int_equal(count, 3);
		assert_int_equal(sum, 66);
	}
	logfile_remove(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cut_off_line_is_left_out_and_said),
		cmocka_unit_test(a_bad_row_is_named_by_file_and_line),
		cmocka_unit_test(rows_of_zeros_remarks_and_steps_back_are_counted),
		cmocka_unit_test(a_log_that_turns_to_windows_is_an_error),
		cmocka_unit_test(a_tail_of_zero_bytes_is_said),
		cmocka_unit_test(nothing_is_a_log_without_rows),
		cmocka_unit_test(values_beyond_32_bits_are_kept),
		cmocka_unit_test(parts_of_a_file_are_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
