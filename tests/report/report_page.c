/* The report of a run and of logs: order, marks and links as properties of the pages. */
#include "report/report_page.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "report/figure_files.h"
#include "report/html.h"
#include "report/markup.h"
#include "report/qos_sample.h"
#include "result/sample.h"

static struct qos_sample judged_log;

static void render(struct sample *s, const char *title, struct str *out)
{
	const struct html_head head = {.title = "a run", .program = "assay 0.1.0"};
	struct report_run run = {.policy = &judged_log.policy};
	struct record record;
	struct document doc;

	record_init(&record, "run");
	record_add_live(&record, NULL, NULL, 0, &s->result, &s->set);
	record.title = title;
	record.program = "assay 0.1.0";
	record.job_text = "[mixed]\nrw=randrw\n";
	run.record = &record;
	document_init_html(&doc, out, &head);
	assert_int_equal(report_run_page(&doc, &run, NULL), 0);
	document_done(&doc);
	without_script(out);
	record_done(&record);
}

static size_t place(const char *text, const char *what)
{
	const char *found = strstr(text, what);

	if (!found)
		print_error("missing: %s\n", what);
	assert_non_null(found);
	return (size_t)(found - text);
}

static void the_verdict_stands_first_and_all_parts_follow(void **state)
{
	static const char *const order[] = {
		"<h1>",
		"class=\"verdict\"",
		">outcome<",
		"what was tested",
		"IOPS",
		"figures",
		"<figure id=\"iops\">",
		"<figure id=\"bandwidth\">",
		"<figure id=\"latency-read\">",
		"<figure id=\"latency-write\">",
		"<figure id=\"field-read\">",
		"<figure id=\"field-write\">",
		"<figure id=\"written\">",
		"<figure id=\"percentiles\">",
		"<figure id=\"histogram\">",
		"<figure id=\"exceedance\">",
		"95 % bounds",
		"worst intervals",
		"counted by",
		"to run it again",
		"assay run - &lt;&lt;",
		"about this report",
		"assay 0.1.0",
	};
	struct sample s;
	autostr out = {0};
	size_t last = 0;

	(void)state;
	sample_init(&s);
	result_plausibility(&s.result);
	render(&s, "randrw", &out);
	for (unsigned i = 0; i < ARRAY_SIZE(order); i++) {
		size_t at = last + place(out.text + last, order[i]);

		assert_true(at >= last);
		last = at;
	}
	assert_balanced(out.text);
	assert_null(strstr(out.text, "class=\"mark\""));
	assert_null(strstr(out.text, "\"nan"));
	sample_done(&s);
}

static void a_simulated_run_says_so_in_every_figure(void **state)
{
	struct sample s;
	autostr out = {0};

	(void)state;
	sample_init(&s);
	s.result.simulated = true;
	render(&s, "simulated randrw", &out);
	assert_int_equal(count_of(out.text, "class=\"mark\">simulated"), 1);
	assert_int_equal(count_of(out.text, "(simulated)</title>"),
			 count_of(out.text, "<figure id="));
	sample_done(&s);
}

static void a_stall_fails_is_shaded_and_leads_to_its_place(void **state)
{
	struct sample s;
	autostr out = {0};

	(void)state;
	sample_init(&s);
	sample_stall(&s);
	result_plausibility(&s.result);
	render(&s, "randrw", &out);
	(void)place(out.text, "<td class=\"fail\">fail</td>");
	(void)place(out.text, "5.000 s to 6.000 s");
	(void)place(out.text, "data-from=\"0\" data-to=\"16\"");
	(void)place(out.text, ">no completions<");
	sample_done(&s);
}

/* Notes stand beside the figure that they concern, and below. */
static void a_note_is_beside_its_figure(void **state)
{
	struct sample s;
	autostr out = {0};

	(void)state;
	sample_init(&s);
	result_note(&s.result, "above-link", SEVERITY_WARNING, NULL, "more than the link %s",
		    "<can>");
	render(&s, "randrw", &out);
	assert_int_equal(count_of(out.text, "more than the link &lt;can&gt;"), 2);
	assert_true(place(out.text, "more than the link") >
		    place(out.text, "<figure id=\"bandwidth\">"));
	sample_done(&s);
}

static void hostile_names_do_not_get_in(void **state)
{
	struct sample s;
	autostr out = {0};

	(void)state;
	sample_init(&s);
	(void)snprintf(s.device.device.model, sizeof(s.device.device.model), "%s",
		       "<script>alert(1)</script>");
	s.spec.name = s.jobs[0].name = s.jobs[1].name = "\"><img src=x onerror=alert(1)>";
	s.target.path = "</style><svg onload=alert(1)>";
	(void)snprintf(s.fs.mount_point, sizeof(s.fs.mount_point), "<b>");
	render(&s, "</title><script>alert(1)</script>", &out);
	assert_balanced(out.text);
	assert_int_equal(count_of(out.text, "<script>"), 0);
	assert_int_equal(count_of(out.text, "<img"), 0);
	assert_int_equal(count_of(out.text, "<b>"), 0);
	sample_done(&s);
}

/* Percentiles of two loads in one table are nobody's, unless the page says whose. */
static void different_jobs_in_one_table_are_said(void **state)
{
	static const char said[] = "of all 2 groups of jobs together";
	struct job_spec other;
	struct sample s;
	autostr one = {0}, two = {0};

	(void)state;
	sample_init(&s);
	render(&s, "one", &one);
	assert_null(strstr(one.text, said));
	other = s.spec;
	other.number = 1;
	s.jobs[1].spec = &other;
	render(&s, "two", &two);
	(void)place(two.text, said);
	sample_done(&s);
}

/* What does not exist is absent, not empty. */
static void nothing_measured_leaves_no_figure(void **state)
{
	struct sample s;
	autostr out = {0};

	(void)state;
	sample_init(&s);
	for (unsigned i = 0; i < SAMPLE_WORKERS; i++)
		memset(s.jobs[i].dir, 0, sizeof(s.jobs[i].dir));
	s.result.nrows = 0;
	s.result.facts = (struct run_facts){0};
	render(&s, "nothing", &out);
	(void)place(out.text, "nothing was measured");
	assert_int_equal(count_of(out.text, "<figure"), 0);
	assert_balanced(out.text);
	sample_done(&s);
}

static void logs_page(struct document *doc)
{
	static const struct fact facts[] = {{"what it is", "a log"}};
	struct judged judged[2];
	struct report_log logs[2];
	const struct report_logs page = {.title = "two drives", .logs = logs, .nlogs = 2};

	for (unsigned i = 0; i < 2; i++) {
		judged[i] = (struct judged){.subject = "a.log",
					    .qos = &judged_log.qos,
					    .verdict = &judged_log.verdict,
					    .facts = facts,
					    .nfacts = 1,
					    .prefix = i ? "log2-" : ""};
		logs[i] = (struct report_log){.name = i ? "drive B" : "drive A",
					      .judged = &judged[i],
					      .density = i ? NULL : &judged_log.density};
	}
	report_logs_page(doc, &page);
}

static void logs_side_by_side_have_their_own_figures(void **state)
{
	const struct html_head head = {.title = "two drives"};
	struct document doc;
	autostr out = {0}, text = {0};

	(void)state;
	document_init_html(&doc, &out, &head);
	logs_page(&doc);
	document_done(&doc);
	without_script(&out);
	assert_balanced(out.text);
	assert_int_equal(count_of(out.text, "<figure id=\"iops\">"), 1);
	assert_int_equal(count_of(out.text, "<figure id=\"log2-iops\">"), 1);
	assert_int_equal(count_of(out.text, "<figure id=\"field\">"), 1);
	assert_int_equal(count_of(out.text, "data:image/png"), 2); /* both scales */
	assert_true(place(out.text, "verdict on drive B") < place(out.text, "<figure id"));
	assert_int_equal(count_of(out.text, "class=\"half\""), 4);
	(void)place(out.text, "<figure id=\"dots-latency-2\" class=\"half\">");
	(void)place(out.text, "<figure id=\"percentiles-of-all\">");
	(void)place(out.text, "drive B ÷ drive A");
	document_init_text(&doc, &text, &(struct page_style){.utf8 = true});
	logs_page(&doc);
	document_done(&doc);
	(void)place(text.text, "Where requests lie");
}

static void figures_are_files_and_errors_are_named(void **state)
{
	char folder[] = "/tmp/assay-figures-"
			"XX"
			"XX"
			"XX";
	struct figure_files files = {.folder = folder};
	struct figure_files nowhere = {.folder = "/nonexistent/folder"};
	struct document doc;
	autostr out = {0}, svg = {0}, path = {0};

	(void)state;
	assert_non_null(mkdtemp(folder));
	document_init_figures(&doc, &out, &files);
	logs_page(&doc);
	document_done(&doc);
	assert_int_equal(out.length, 0);
	assert_true(files.count > 10);
	/* without the cairo library only the PNGs are missing, and the error says so */
	assert_true(files.rc == 0 || strstr(files.err.text, "cairo"));
	str_printf(&path, "%s/iops.svg", folder);
	assert_int_equal(file_read(path.text, 1 << 20, &svg), 0);
	assert_balanced(svg.text);
	(void)place(svg.text, "Completions over time");
	document_init_figures(&doc, &out, &nowhere);
	logs_page(&doc);
	document_done(&doc);
	assert_true(nowhere.rc < 0);
	(void)place(nowhere.err.text, "/nonexistent/folder/dots-iops-1.svg");
	str_clear(&path);
	str_printf(&path, "rm -r %s", folder);
	assert_int_equal(system(path.text), 0);
}

static int make(void **state)
{
	(void)state;
	qos_sample_make(&judged_log, 120, 1000, 60);
	return 0;
}

static int unmake(void **state)
{
	(void)state;
	qos_sample_done(&judged_log);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_verdict_stands_first_and_all_parts_follow),
		cmocka_unit_test(a_simulated_run_says_so_in_every_figure),
		cmocka_unit_test(a_stall_fails_is_shaded_and_leads_to_its_place),
		cmocka_unit_test(a_note_is_beside_its_figure),
		cmocka_unit_test(hostile_names_do_not_get_in),
		cmocka_unit_test(different_jobs_in_one_table_are_said),
		cmocka_unit_test(nothing_measured_leaves_no_figure),
		cmocka_unit_test(logs_side_by_side_have_their_own_figures),
		cmocka_unit_test(figures_are_files_and_errors_are_named),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
