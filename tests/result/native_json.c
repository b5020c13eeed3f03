/* Our JSON: valid by its own schema, and with the figures that the result holds. */
#include "result/native_json.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "base/file.h"
#include "result/sample.h"
#include "result/schema.h"

static json_t *parse(const struct str *text)
{
	json_error_t error;
	json_t *json = json_loads(str_text(text), JSON_REJECT_DUPLICATES, &error);

	if (!json)
		fail_msg("line %d: %s", error.line, error.text);
	return json;
}

static json_t *load_schema(void)
{
	const char *data = getenv("TEST_DATA");
	autostr path = {0}, text = {0};

	str_printf(&path, "%s/../../doc/result.schema.json", data ? data : "tests/data");
	assert_int_equal(file_read(str_text(&path), 1 << 20, &text), 0);
	return parse(&text);
}

static void check_schema(const json_t *json)
{
	json_t *root = load_schema();
	struct schema schema = {.root = root};

	if (!schema_check(&schema, root, json, "result"))
		fail_msg("%s", str_text(&schema.where));
	str_done(&schema.where);
	json_decref(root);
}

static json_t *render(struct sample *s)
{
	autostr out = {0};

	native_json(&s->result, "0.1.0", &out);
	return parse(&out);
}

/* Follows "a.b.0.c" (a number indexes an array). Keys with a dot are given after "/". */
static const json_t *at(const json_t *json, const char *path)
{
	char copy[200], *rest = copy, *key;

	assert_true(strlen(path) < sizeof(copy));
	memcpy(copy, path, strlen(path) + 1);
	while ((key = strsep(&rest, "/")))
		json = json_is_array(json) ? json_array_get(json, (size_t)(*key - '0'))
					   : json_object_get(json, key);
	if (!json)
		fail_msg("no %s", path);
	return json;
}

static void make_everything_happen(struct sample *s)
{
	static struct unfinished hung = {
		.op = OP_READ, .offset = 8192, .age_ns = 12 * NS_PER_S};
	static struct steady_result steady = {.attained = true, .samples = 5};
	static struct job_note note = {.kind = NOTE_CHANGED,
				       .job = "mixed",
				       .option = "iodepth_batch",
				       .text = "is 32"};
	static struct given given[] = {{.key = "bs", .value = "4k"},
				       {.key = "group_reporting", .value = ""}};

	sample_stall(s);
	sample_rate(s);
	sample_vitals(s);
	sample_logs(s);
	s->jobs[0].first_error = (struct first_error){.code = EIO, .op = OP_WRITE};
	s->jobs[0].error = EIO;
	s->jobs[0].killed_by = SIGKILL;
	s->jobs[0].unfinished = &hung;
	s->jobs[0].nunfinished = 1;
	s->jobs[0].steady = &steady;
	s->set.notes = &note;
	s->set.global = given;
	s->set.nglobal = 2;
	s->spec.given = given;
	s->spec.ngiven = 1;
	s->result.interrupted = true;
	s->result.signal = SIGINT;
	s->result.facts.cpu.total_ns = 1;
	s->device.idle.at_ns = 1;
	result_plausibility(&s->result);
}

static void a_plain_result_fits_the_schema(void **state)
{
	struct sample s;
	json_t *json;

	(void)state;
	sample_init(&s);
	json = render(&s);
	check_schema(json);
	json_decref(json);
	sample_done(&s);
}

static void a_result_with_everything_fits_the_schema(void **state)
{
	struct sample s;
	json_t *json;

	(void)state;
	sample_init(&s);
	make_everything_happen(&s);
	json = render(&s);
	check_schema(json);
	json_decref(json);
	sample_done(&s);
}

static void an_empty_result_fits_the_schema(void **state)
{
	struct job_set set = {0};
	struct result result;
	autostr out = {0};
	json_t *json;

	(void)state;
	result_init(&result, &set);
	native_json(&result, "0.1.0", &out);
	json = parse(&out);
	check_schema(json);
	json_decref(json);
	result_done(&result);
}

static void several_runs_fit_the_schema(void **state)
{
	struct sample s;
	autostr out = {0};
	json_t *json;

	(void)state;
	sample_init(&s);
	native_json_runs(
		&(const struct native_json_run){
			.name = "RND4K Q1T1", .load = "read", .repeat = 0, .result = &s.result},
		1, "0.1.0", &out);
	json = parse(&out);
	check_schema(json);
	assert_string_equal(json_string_value(at(json, "runs/0/name")), "RND4K Q1T1");
	json_decref(json);
	sample_done(&s);
}

/* The checker itself refuses: an unknown key, a lacking one, a wrong type. */
static void the_schema_refuses_what_it_does_not_name(void **state)
{
	struct sample s;
	json_t *root = load_schema(), *json;
	struct schema schema = {.root = root};

	(void)state;
	sample_init(&s);
	json = render(&s);
	assert_true(schema_check(&schema, root, json, "result"));
	json_object_set_new(json, "surprise", json_integer(1));
	assert_false(schema_check(&schema, root, json, "result"));
	json_object_del(json, "surprise");
	json_object_set_new(json, "span_ns", json_string("10"));
	assert_false(schema_check(&schema, root, json, "result"));
	json_object_del(json, "span_ns");
	assert_false(schema_check(&schema, root, json, "result"));
	str_done(&schema.where);
	json_decref(json);
	json_decref(root);
	sample_done(&s);
}

static void figures_are_those_of_the_result(void **state)
{
	struct sample s;
	const json_t *read;
	json_t *json;

	(void)state;
	sample_init(&s);
	json = render(&s);
	read = at(json, "groups/0/read");
	assert_int_equal(json_integer_value(at(read, "ios")), 140000);
	assert_true(json_number_value(at(read, "ios_per_s")) == 14000);
	assert_true(json_number_value(at(read, "bytes_per_s")) == 14000 * 4096);
	assert_int_equal(json_integer_value(at(read, "latency/service/samples")), 140000);
	assert_true(json_is_null(at(read, "latency/submission")));
	assert_true(json_is_null(at(json, "groups/0/arrivals")));
	assert_int_equal(json_integer_value(at(json, "groups/0/depth/asked")), 64);
	assert_true(json_number_value(at(json, "groups/0/cpu/per_io_ns")) == 5000);
	assert_int_equal(json_integer_value(at(json, "devices/0/after/write_ios")), 60100);
	json_decref(json);
	sample_done(&s);
}

/* 140,000 samples carry p99.99 (100,000) and no more. */
static void unsound_percentiles_are_null_and_say_what_they_need(void **state)
{
	struct sample s;
	const json_t *service;
	json_t *json;

	(void)state;
	sample_init(&s);
	json = render(&s);
	service = at(json, "groups/0/read/latency/service");
	assert_true(json_is_integer(at(service, "percentiles_ns/99.99")));
	assert_true(json_is_null(at(service, "percentiles_ns/99.999")));
	assert_int_equal(json_integer_value(at(service, "needs/99.999")), 1000000);
	assert_null(json_object_get(at(service, "needs"), "99.99"));
	json_decref(json);
	sample_done(&s);
}

static void the_sparse_histogram_adds_up(void **state)
{
	struct sample s;
	const json_t *bucket;
	json_t *json;
	json_int_t sum = 0, end = 0;
	size_t i;

	(void)state;
	sample_init(&s);
	json = render(&s);
	json_array_foreach(at(json, "groups/0/read/latency/service/histogram"), i, bucket)
	{
		json_int_t low = json_integer_value(json_array_get(bucket, 0));

		assert_true(low >= end);
		end = low + json_integer_value(json_array_get(bucket, 1));
		sum += json_integer_value(json_array_get(bucket, 2));
	}
	assert_int_equal(sum, 140000);
	json_decref(json);
	sample_done(&s);
}

static void an_idle_interval_is_a_row_of_zeros_without_latency(void **state)
{
	struct sample s;
	json_t *json;

	(void)state;
	sample_init(&s);
	sample_stall(&s);
	json = render(&s);
	assert_int_equal(json_array_size(at(json, "series")), SAMPLE_SECONDS);
	assert_int_equal(json_integer_value(at(json, "series/5/read/ios")), 0);
	assert_null(json_object_get(at(json, "series/5/read"), "p99_ns"));
	assert_int_equal(json_integer_value(at(json, "series/4/read/ios")), 14000);
	assert_null(json_object_get(at(json, "series/4"), "trim"));
	assert_true(json_is_integer(at(json, "series/4/read/p99.9_ns")));
	assert_true(json_is_null(at(json, "series/4/write/p99.9_ns"))); /* 6000 requests */
	json_decref(json);
	sample_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_result_fits_the_schema),
		cmocka_unit_test(a_result_with_everything_fits_the_schema),
		cmocka_unit_test(an_empty_result_fits_the_schema),
		cmocka_unit_test(several_runs_fit_the_schema),
		cmocka_unit_test(the_schema_refuses_what_it_does_not_name),
		cmocka_unit_test(figures_are_those_of_the_result),
		cmocka_unit_test(unsound_percentiles_are_null_and_say_what_they_need),
		cmocka_unit_test(the_sparse_histogram_adds_up),
		cmocka_unit_test(an_idle_interval_is_a_row_of_zeros_without_latency),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
