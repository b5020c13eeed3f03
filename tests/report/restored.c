/* A result that went through its JSON is shown as the live one: text for text. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "report/document.h"
#include "report/run_page.h"
#include "result/native_json.h"
#include "result/native_json_read.h"
#include "result/sample.h"
#include "unit.h"

static void everything_goes_wrong(struct sample *s)
{
	static struct unfinished hung = {
		.op = OP_READ, .offset = 8192, .age_ns = 12 * NS_PER_S, .path = "/mnt/x\"\n"};
	static struct steady_result steady = {
		.attained = true, .samples = 5, .iops_mean = 1234.5, .bw_mean = 1e9 / 3};

	sample_stall(s);
	sample_rate(s);
	s->jobs[0].first_error =
		(struct first_error){.code = EIO, .op = OP_WRITE, .offset = 1ULL << 40};
	s->jobs[0].error = EIO;
	s->jobs[1].killed_by = SIGKILL;
	s->jobs[0].total_errors = 7;
	s->jobs[0].unfinished = &hung;
	s->jobs[0].nunfinished = 1;
	s->jobs[0].steady = &steady;
	s->jobs[0].ramp_ios = 11;
	s->jobs[1].beyond_ns = 12345;
	s->result.interrupted = true;
	s->result.signal = SIGINT;
	s->result.clock_drift_ppm = -0.25;
	s->result.wall_jump_ns = -5;
	s->result.facts.cpu.total_ns = 77;
	s->device.idle.at_ns = 100 * NS_PER_MS;
	s->device.idle.read.ios = 5;
	s->rows[9].partial = true;
	result_plausibility(&s->result);
}

static void page(struct result *result, struct str *out)
{
	const struct page_style style = {.utf8 = true, .columns = 100};
	struct document doc;

	document_init_text(&doc, out, &style);
	run_page(&doc, result);
	document_done(&doc);
}

static void check_same(struct result *live)
{
	autostr json = {0}, json_again = {0}, text = {0}, text_again = {0};
	struct result restored;
	struct job_set set;
	struct err err = {0};

	native_json(live, "0.1.0", &json);
	page(live, &text);
	if (native_json_read(json.text, json.length, &set, &restored, &err))
		fail_msg("%s", err.text);
	native_json(&restored, "0.1.0", &json_again);
	page(&restored, &text_again);
	assert_string_equal(str_text(&json), str_text(&json_again));
	assert_string_equal(str_text(&text), str_text(&text_again));
	result_done(&restored);
	job_set_done(&set);
}

static void a_plain_result_comes_back(void **state)
{
	struct sample s;
	struct job_set set;

	(void)state;
	sample_spoken(&s, &set);
	check_same(&s.result);
	sample_done(&s);
	job_set_done(&set);
}

static void a_result_with_everything_comes_back(void **state)
{
	struct sample s;
	struct job_set set;

	(void)state;
	sample_spoken(&s, &set);
	everything_goes_wrong(&s);
	check_same(&s.result);
	sample_done(&s);
	job_set_done(&set);
}

/* Members with different spans: the rate of their common time is kept, not made anew. */
static void a_group_keeps_the_rate_of_its_common_time(void **state)
{
	struct sample s;
	struct job_set set;

	(void)state;
	sample_spoken(&s, &set);
	s.jobs[1].end_ns = 7 * NS_PER_S;
	s.jobs[1].nrows = 7;
	check_same(&s.result);
	sample_done(&s);
	job_set_done(&set);
}

/* Damage anywhere is an error or another result; never a crash, never silence about what is
 * no number. */
static void damaged_text_is_refused_or_read(void **state)
{
	autostr json = {0};
	struct sample s;
	struct job_set set;
	unsigned refused = 0;

	(void)state;
	sample_spoken(&s, &set);
	native_json(&s.result, "0.1.0", &json);
	for (size_t at = 0; at < json.length; at += 97) {
		static const char with[] = "x\"-9}[n";
		char kept = json.text[at];
		struct result restored;
		struct job_set other;
		struct err err = {0};

		json.text[at] = with[at % 7];
		if (native_json_read(json.text, json.length, &other, &restored, &err)) {
			assert_true(err.text[0]);
			refused++;
		}
		result_done(&restored);
		job_set_done(&other);
		json.text[at] = kept;
	}
	assert_true(refused > 10);
	sample_done(&s);
	job_set_done(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_result_comes_back),
		cmocka_unit_test(a_result_with_everything_comes_back),
		cmocka_unit_test(a_group_keeps_the_rate_of_its_common_time),
		cmocka_unit_test(damaged_text_is_refused_or_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
