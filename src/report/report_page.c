#include "report/report_page.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/lang.h"
#include "report/cells_page.h"
#include "report/facts_page.h"
#include "report/figures.h"
#include "report/graph.h"
#include "report/pair_graphs.h"
#include "report/run_page.h"
#include "report/slow_map.h"
#include "report/vitals_graphs.h"
#include "result/figure.h"
#include "result/result_qos.h"

#define WORST_INTERVALS	 20
#define SLOWEST_REQUESTS 50
#define REMARKS_MAX	 64
#define LIMIT_SLOW_NS	 (5 * NS_PER_MS)
#define LIMIT_STALL_NS	 (200 * NS_PER_MS)

/* --- notes beside the graph that they concern --- */

static const char *graph_of_note(const char *id)
{
	static const struct {
		const char *id, *graph;
	} homes[] = {
		{"few-samples", "percentiles"},
		{"latency-not-measured", "percentiles"},
		{"zero-intervals", "iops"},
		{"two-levels", "iops"},
		{"rows-joined", "iops"},
		{"depth-not-reached", "iops"},
		{"littles-law", "iops"},
		{"generator-bound", "iops"},
		{"steal", "iops"},
		{"above-link", "bandwidth"},
		{"link-trained-down", "bandwidth"},
		{"memory-target", "bandwidth"},
		{"less-at-device", "bandwidth"},
		{"within-cache", "written"},
		{"repeated-data", "written"},
		{"behind-schedule", "exceedance"},
		{"late-arrivals", "exceedance"},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(homes); i++) {
		if (str_equal(homes[i].id, id))
			return homes[i].graph;
	}
	return NULL;
}

static unsigned remarks_of(struct document *doc, const struct result *result,
			   struct graph_remark *remarks)
{
	unsigned count = 0;

	for (unsigned i = 0; i < result->nnotes && count < REMARKS_MAX; i++) {
		const char *graph = graph_of_note(result->notes[i].id);

		if (graph)
			remarks[count++] = (struct graph_remark){
				graph, document_say(doc, result->notes[i].text)};
	}
	return count;
}

/* --- one run --- */

struct run_view {
	struct arena arena; /* of the cells: a day of seconds is 30 MB */
	struct qos_run run;
	struct qos qos;
	struct verdict verdict;
	struct judged judged;
	struct qos_ranges ranges;
	struct graph_remark remarks[REMARKS_MAX];
	struct density density[SERIES_ALL];
};

static int view_run(struct run_view *view, const struct result *result,
		    const struct policy *policy, const char *prefix, struct err *err)
{
	int rc;

	*view = (struct run_view){0};
	arena_init(&view->arena);
	rc = result_qos_density(result, &view->arena, &view->run, view->density, err);
	if (rc)
		return rc;
	qos_ranges_init(&view->ranges);
	qos_ranges_add(&view->ranges, &view->run);
	qos_init(&view->qos, &view->run, &view->arena);
	view->judged = (struct judged){
		.subject = "", .qos = &view->qos, .verdict = &view->verdict, .prefix = prefix};
	return policy ? policy_judge(policy, &view->qos, &view->arena, &view->verdict, err) : 0;
}

static void view_done(struct run_view *view)
{
	for (unsigned d = 0; d < SERIES_ALL; d++)
		density_done(&view->density[d]);
	arena_done(&view->arena);
}

static void mark_page(struct document *doc, const struct record *record)
{
	if (record_is_simulated(record))
		document_prose(doc, TONE_MARK,
			       "simulated: figures of a model, no drive was touched");
	if (record->incomplete)
		document_prose(doc, TONE_MARK, "not complete: %s",
			       document_say(doc, record->incomplete));
}

/* Groups as the tables have them; the members of one stand side by side. */
static unsigned groups_of(const struct result *result)
{
	unsigned count = result->njobs > 0;

	for (unsigned i = 1; i < result->njobs; i++) {
		const struct job_result *job = &result->jobs[i], *before = job - 1;
		bool reported = job->spec->group_reporting && before->spec->group_reporting;

		count += job->group != before->group ||
			 (job->spec->number != before->spec->number && !reported);
	}
	return count;
}

static void graphs_of_run(struct document *doc, struct run_view *view,
			  const struct result *result, const char *prefix)
{
	struct qos_graphs graphs = {.run = &view->run,
				    .ranges = &view->ranges,
				    .limits_ns = {LIMIT_SLOW_NS, LIMIT_STALL_NS},
				    .nlimits = 2,
				    .prefix = prefix,
				    .mark = result->simulated ? N_("simulated") : NULL,
				    .remarks = view->remarks,
				    .nremarks = remarks_of(doc, result, view->remarks)};

	for (unsigned d = 0; d < SERIES_ALL; d++)
		graphs.density[d] = &view->density[d];
	document_heading(doc, 2, "figures");
	if (groups_of(result) > 1)
		document_prose(doc, TONE_INFO,
			       "figures and percentiles here are of all %u groups of jobs "
			       "together, which may be different loads: each group's own stand "
			       "in its table above",
			       groups_of(result));
	qos_graphs(doc, &graphs);
	vitals_graphs(doc, &(struct vitals_view){.vitals = &result->vitals,
						 .begin_s = view->ranges.begin_s,
						 .end_s = view->ranges.end_s,
						 .prefix = prefix,
						 .simulated = result->simulated});
	qos_percentile_table(doc, &view->run);
	if (view->run.range.end - view->run.range.first > 1)
		qos_worst_table(doc, &graphs, WORST_INTERVALS);
}

static int part_page(struct document *doc, const struct report_run *run, unsigned part,
		     struct err *err)
{
	struct result *result = run->record->parts[part].result;
	const char *prefix = part ? arena_printf(&doc->arena, "part%u-", part + 1) : "";
	struct run_view *view = arena_new(&doc->arena, struct run_view);
	int rc = view_run(view, result, run->policy, prefix, err);

	if (rc) {
		view_done(view);
		return rc;
	}
	run_page_sentence(doc, result);
	if (run->policy) {
		document_prose(doc, TONE_PLAIN,
			       "Judged by the policy \"%s\":", run->policy->name);
		judge_page_sentence(doc, &view->judged);
		judge_page_verdict(doc, &view->judged);
	}
	document_heading(doc, 2, "what was tested");
	facts_page(doc, result, NULL, 0);
	run_page_groups(doc, result);
	graphs_of_run(doc, view, result, prefix);
	view_done(view);
	run_page_end(doc, result);
	facts_page_environment(doc, &result->facts.environment);
	return 0;
}

/* --- assay quick --- */

/* One line a cell: its rates over time, or its percentiles, all on one graph. */
struct quick_sketch {
	struct graph graph;
	struct graph_line lines[GRAPH_LINES_MAX];
};

static void add_percentiles(struct document *doc, struct quick_sketch *sketch, const char *name,
			    const struct hist *hist, unsigned cell)
{
	const unsigned steps = 120;
	uint64_t total = hist_total(hist);
	double last = total > HIST_NEEDS_ABOVE ? log10((double)total / HIST_NEEDS_ABOVE) : 0;
	double *x, *y;

	if (last <= 0 || sketch->graph.nlines == GRAPH_LINES_MAX)
		return;
	x = arena_array(&doc->arena, double, steps + 1);
	y = arena_array(&doc->arena, double, steps + 1);
	for (unsigned i = 0; i <= steps; i++) {
		x[i] = last * i / steps;
		y[i] = (double)hist_percentile_ns(hist, 100 - 100 * pow(10, -x[i]));
	}
	sketch->graph.x.high = fmax(sketch->graph.x.high, last);
	sketch->lines[sketch->graph.nlines++] = (struct graph_line){
		.name = document_text(doc, PLURAL(total, "%s, %s request", "%s, %s requests"),
				      name, figure_count(doc, total)),
		.stroke = graph_stroke(cell),
		.x = x,
		.y = y,
		.count = steps + 1};
}

/* All directions and repetitions of one cell. */
static void add_hists(const struct quick *quick, const struct quick_cell *cell,
		      enum quick_load load, struct hist *hist)
{
	for (unsigned r = 0; cell->runs[load] && r < quick->nruns; r++) {
		const struct result *result = cell->runs[load][r];

		for (unsigned j = 0; result && j < result->njobs; j++) {
			for (enum dir dir = DIR_READ; dir < NDATA; dir++) {
				const char *kind;
				const struct lat *lat =
					figure_service(&result->jobs[j].dir[dir], &kind);

				if (lat->hist)
					hist_merge(hist, lat->hist);
			}
		}
	}
}

static void quick_graph(struct document *doc, const struct report_run *run,
			enum quick_load load)
{
	static const char *const ids[] = {"percentiles-read", "percentiles-write",
					  "percentiles-mix"};
	static const char *const titles[] = {N_("Latency by percentile, reads"),
					     N_("Latency by percentile, writes"),
					     N_("Latency by percentile, mix")};
	const struct quick *quick = run->quick;
	struct quick_sketch sketch = {
		.graph = {
			.id = ids[load],
			.title = titles[load],
			.note = N_(
				"Each curve ends where fewer than ten requests lie beyond it."),
			.x_words = N_("share of the requests that take at most this long"),
			.y_words = N_("latency"),
			.unit = N_("ns"),
			.x = {.kind = SCALE_NINES, .unit = SCALE_PERCENT},
			.y = {.kind = SCALE_LOG, .unit = SCALE_TIME_NS}}};

	sketch.graph.lines = sketch.lines;
	for (unsigned i = 0; i < quick->ncells; i++) {
		struct hist *hist = arena_new(&doc->arena, struct hist);

		add_hists(quick, &quick->cells[i], load, hist);
		add_percentiles(doc, &sketch, quick->cells[i].name, hist, i);
	}
	graph_fit_y(&sketch.graph);
	if (record_is_simulated(run->record))
		sketch.graph.title = document_text(
			doc, "%s (%s)", lang_text(doc->style.lang, sketch.graph.title),
			lang_text(doc->style.lang, N_("simulated")));
	if (sketch.graph.nlines)
		document_graph(doc, &sketch.graph);
}

/* Before the run that began first, and after the one that began last. */
static void quick_environment(struct document *doc, const struct record *record)
{
	const struct result *first = NULL, *last = NULL;
	struct environment joined;

	for (unsigned i = 0; i < record->nparts; i++) {
		const struct result *one = record->parts[i].result;

		if (!first || one->wall_start_ns < first->wall_start_ns)
			first = one;
		if (!last || one->wall_start_ns > last->wall_start_ns)
			last = one;
	}
	if (!first)
		return;
	facts_environment_join(&doc->arena, &first->facts.environment, &last->facts.environment,
			       &joined);
	facts_page_environment(doc, &joined);
}

static void quick_part(struct document *doc, const struct report_run *run)
{
	document_prose(doc, TONE_MARK,
		       "short form: seconds a cell and no preconditioning; no qualification");
	quick_page_sentence(doc, run->quick);
	document_heading(doc, 2, "what was tested");
	quick_page_facts(doc, run->quick);
	quick_page_tables(doc, run->quick);
	document_heading(doc, 2, "figures");
	for (enum quick_load load = QUICK_READ; load < NQUICK_LOADS; load++)
		quick_graph(doc, run, load);
	quick_environment(doc, run->record);
}

/* --- the end of every report of a record --- */

static void again_page(struct document *doc, const struct record *record)
{
	const char *text = record->job_text;
	bool line;

	if (!text || !*text)
		return;
	line = text[strlen(text) - 1] == '\n';
	document_heading(doc, 2, "to run it again");
	document_prose(doc, TONE_CODE, "%s",
		       arena_printf(&doc->arena, "assay run - <<'END-OF-JOB'\n%s%sEND-OF-JOB",
				    text, line ? "" : "\n"));
}

static void about_page(struct document *doc, const struct record *record)
{
	const struct fact facts[] = {
		{N_("measured by"), record->program},
		{N_("kept as"), record->id},
		{N_("uid"), *record->uid ? record->uid : NULL},
	};

	document_heading(doc, 2, "about this report");
	document_facts(doc, facts, ARRAY_SIZE(facts));
	for (unsigned i = 0; i < record->nremarks; i++)
		document_prose(doc, TONE_INFO, "%s", record->remarks[i].text);
}

int report_run_page(struct document *doc, const struct report_run *run, struct err *err)
{
	struct record *record = run->record;
	int rc = 0;

	document_heading(doc, 1, "%s", record->title ? record->title : record->kind);
	mark_page(doc, record);
	if (run->quick) {
		quick_part(doc, run);
	} else if (record->nparts) {
		for (unsigned i = 0; i < record->nparts && !rc; i++)
			rc = part_page(doc, run, i, err);
	} else {
		cells_page(doc, record);
	}
	again_page(doc, record);
	about_page(doc, record);
	return rc;
}

/* --- logs --- */

static void log_part(struct document *doc, const struct report_logs *logs, unsigned i,
		     const struct qos_ranges *ranges)
{
	const struct report_log *log = &logs->logs[i];
	const struct qos_graphs graphs = {.run = log->judged->qos->run,
					  .ranges = ranges,
					  .density = {[SERIES_ALL] = log->density},
					  .closeup = log->closeup,
					  .limits_ns = {LIMIT_SLOW_NS, LIMIT_STALL_NS},
					  .nlimits = 2,
					  .prefix = log->judged->prefix};

	document_heading(doc, 2, "figures of %s", log->name);
	judge_page_facts(doc, log->judged);
	qos_graphs(doc, &graphs);
	if (log->slowest)
		slow_map(doc, &graphs, log->slowest);
	qos_percentile_table(doc, graphs.run);
	qos_worst_table(doc, &graphs, WORST_INTERVALS);
	if (log->slowest)
		qos_slowest_table(doc, &graphs, log->slowest, SLOWEST_REQUESTS);
	judge_page_rules(doc, log->judged);
}

static void logs_together(struct document *doc, const struct report_logs *logs,
			  const struct qos_ranges *ranges)
{
	struct pair_side *sides = arena_array(&doc->arena, struct pair_side, logs->nlogs);

	for (unsigned i = 0; i < logs->nlogs; i++)
		sides[i] =
			(struct pair_side){logs->logs[i].name, logs->logs[i].judged->qos->run};
	pair_graphs(doc, sides, logs->nlogs, ranges);
}

void report_logs_page(struct document *doc, const struct report_logs *logs)
{
	struct qos_ranges ranges;

	qos_ranges_init(&ranges);
	document_heading(doc, 1, "%s", logs->title);
	for (unsigned i = 0; i < logs->nlogs; i++) {
		const struct report_log *log = &logs->logs[i];

		qos_ranges_add(&ranges, log->judged->qos->run);
		if (logs->nlogs > 1)
			document_heading(doc, 2, "verdict on %s", log->name);
		judge_page_sentence(doc, log->judged);
		judge_page_verdict(doc, log->judged);
	}
	if (logs->nlogs > 1)
		logs_together(doc, logs, &ranges);
	for (unsigned i = 0; i < logs->nlogs; i++)
		log_part(doc, logs, i, &ranges);
}
