/* The table of quick: whole pages, the median and range of repeats, notes said once. */
#include "report/quick_page.h"

#include "report/golden.h"
#include "result/sample.h"

#define CELLS 2
#define RUNS  3

static const struct page_style utf8 = {.utf8 = true};

/* Scales what each worker did, and its latencies the other way. */
static void scale(struct sample *s, uint64_t percent)
{
	for (unsigned i = 0; i < SAMPLE_WORKERS; i++)
		for (enum dir dir = DIR_READ; dir <= DIR_WRITE; dir++) {
			struct dir_result *figures = &s->jobs[i].dir[dir];

			figures->ios = figures->ios * percent / 100;
			figures->bytes = figures->ios * 4096;
			sample_latency(s, &figures->lat[LAT_TOTAL], 300 * NS_PER_MS / percent,
				       figures->ios);
		}
}

static void only(struct sample *s, enum dir dir)
{
	enum dir other = dir == DIR_READ ? DIR_WRITE : DIR_READ;

	for (unsigned i = 0; i < SAMPLE_WORKERS; i++)
		s->jobs[i].dir[other] = (struct dir_result){0};
}

struct fixture {
	struct sample *sample[CELLS][NQUICK_LOADS][RUNS];
	struct result *results[CELLS][NQUICK_LOADS][RUNS];
	struct quick_cell cells[CELLS];
	struct quick quick;
};

static void fixture_init(struct fixture *f, unsigned nruns)
{
	*f = (struct fixture){.quick = {.ncells = CELLS,
					.nruns = nruns,
					.mix_read_percent = 70,
					.time_ns = 3 * NS_PER_S,
					.ramp_ns = 500 * NS_PER_MS,
					.written_bytes = 5000000000}};
	f->cells[0].name = "RND4K Q32T4";
	f->cells[1].name = "RND4K Q1T1";
	f->quick.cells = f->cells;
	for (unsigned cell = 0; cell < CELLS; cell++)
		for (unsigned load = 0; load < NQUICK_LOADS; load++) {
			for (unsigned run = 0; run < nruns; run++) {
				struct sample *s = calloc(1, sizeof(*s));

				assert_non_null(s);
				sample_init(s);
				scale(s, (cell ? 10 : 100) + 10 * ((run + 1) % 3));
				if (load != QUICK_MIX)
					only(s, load == QUICK_READ ? DIR_READ : DIR_WRITE);
				f->sample[cell][load][run] = s;
				f->results[cell][load][run] = &s->result;
			}
			f->cells[cell].runs[load] = f->results[cell][load];
		}
}

static void fixture_done(struct fixture *f)
{
	for (unsigned cell = 0; cell < CELLS; cell++)
		for (unsigned load = 0; load < NQUICK_LOADS; load++)
			for (unsigned run = 0; run < RUNS; run++)
				if (f->sample[cell][load][run]) {
					sample_done(f->sample[cell][load][run]);
					free(f->sample[cell][load][run]);
				}
}

static void render(const struct fixture *f, struct str *out)
{
	struct document doc;

	document_init_text(&doc, out, &utf8);
	quick_page(&doc, &f->quick);
	document_done(&doc);
}

static void one_run_a_cell_reads_as_written_down(void **state)
{
	struct fixture f;
	autostr out = {0};

	(void)state;
	fixture_init(&f, 1);
	render(&f, &out);
	check_golden("quick.txt", str_text(&out));
	fixture_done(&f);
}

/* Runs of 120, 100 and 110 %: the median is 110 % of 14,000 reads a second. */
static void repeats_show_median_and_range(void **state)
{
	struct fixture f;
	autostr out = {0};

	(void)state;
	fixture_init(&f, RUNS);
	render(&f, &out);
	check_golden("quick-repeat.txt", str_text(&out));
	assert_non_null(strstr(str_text(&out), "57.3–68.8  15,400"));
	fixture_done(&f);
}

static void cells_that_were_not_run_are_left_out(void **state)
{
	struct fixture f;
	autostr out = {0};

	(void)state;
	fixture_init(&f, 1);
	for (unsigned cell = 0; cell < CELLS; cell++)
		f.cells[cell].runs[QUICK_WRITE] = f.cells[cell].runs[QUICK_MIX] = NULL;
	f.quick.incomplete = "stopped by SIGINT";
	f.quick.written_bytes = 0;
	render(&f, &out);
	assert_null(strstr(str_text(&out), "mix 70/30"));
	assert_null(strstr(str_text(&out), "writes"));
	assert_non_null(strstr(str_text(&out), "written      nothing"));
	assert_non_null(strstr(str_text(&out), "not complete: stopped by SIGINT"));
	fixture_done(&f);
}

static unsigned count(const char *text, const char *piece)
{
	unsigned n = 0;

	for (text = strstr(text, piece); text; text = strstr(text + 1, piece))
		n++;
	return n;
}

static void a_note_of_many_runs_is_said_once(void **state)
{
	struct fixture f;
	autostr out = {0};

	(void)state;
	fixture_init(&f, 1);
	for (unsigned cell = 0; cell < CELLS; cell++)
		for (unsigned load = 0; load < NQUICK_LOADS; load++)
			result_note(f.results[cell][load][0], "governor", SEVERITY_INFO, NULL,
				    "of all runs");
	result_note(f.results[1][QUICK_READ][0], "steal", SEVERITY_WARNING, NULL, "of one run");
	result_note(f.results[0][QUICK_READ][0], "depth", SEVERITY_WARNING, NULL,
		    "of two runs");
	result_note(f.results[1][QUICK_WRITE][0], "depth", SEVERITY_WARNING, NULL,
		    "of two runs");
	render(&f, &out);
	assert_int_equal(count(str_text(&out), "of all runs"), 1);
	assert_int_equal(count(str_text(&out), "of one run"), 1);
	assert_int_equal(count(str_text(&out), "of two runs"), 1);
	assert_non_null(strstr(str_text(&out), "\nnote: of all runs\n"));
	assert_non_null(strstr(str_text(&out), "\nwarning: RND4K Q1T1, read: of one run\n"));
	assert_non_null(
		strstr(str_text(&out),
		       "\nwarning: RND4K Q32T4, read, and in 1 more run: of two runs\n"));
	assert_non_null(strstr(str_text(&out), "2 warnings above."));
	fixture_done(&f);
}

static void without_any_result_nothing_was_measured(void **state)
{
	const struct quick quick = {.nruns = 1, .incomplete = "the disk is full"};
	struct document doc;
	autostr out = {0};

	(void)state;
	document_init_text(&doc, &out, &utf8);
	quick_page(&doc, &quick);
	document_done(&doc);
	assert_non_null(strstr(str_text(&out),
			       "nothing was measured; not complete: the disk is full."));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_run_a_cell_reads_as_written_down),
		cmocka_unit_test(repeats_show_median_and_range),
		cmocka_unit_test(cells_that_were_not_run_are_left_out),
		cmocka_unit_test(a_note_of_many_runs_is_said_once),
		cmocka_unit_test(without_any_result_nothing_was_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
