#include "report/quick_page.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/lang.h"
#include "report/facts_page.h"
#include "report/figures.h"

#define RUNS_MAX 1000 /* of a cell; more are not looked at */

/* All runs of one cell and load together. */
struct cell_figures {
	unsigned runs;			       /* that did something */
	double mb_s[RUNS_MAX], iops[RUNS_MAX]; /* ascending */
	struct lat lat;			       /* service time, all directions, all runs */
	double cpu_ns_per_io;
};

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *sorted, unsigned count)
{
	if (!count)
		return 0;
	return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

static void add_latency(struct document *doc, struct lat *into, const struct lat *from)
{
	if (!from->sums.total || !from->hist)
		return;
	if (!into->hist) {
		into->hist = arena_new(&doc->arena, struct hist);
		hist_sums_init(&into->sums);
	}
	hist_merge(into->hist, from->hist);
	hist_sums_merge(&into->sums, &from->sums);
}

/* One run is one job; its clones are one group. */
static void add_run(struct document *doc, struct cell_figures *cell, struct result *result,
		    double *cpu_ns, double *ios)
{
	unsigned ngroups;
	const struct job_result *group = result_groups(result, &ngroups);
	double iops = 0, bytes = 0;

	if (!ngroups || !figure_total_ios(group) || cell->runs == RUNS_MAX)
		return;
	for (enum dir dir = DIR_READ; dir < NDATA; dir++) {
		struct rate rate = result_rate(group, dir);
		const char *kind;

		iops += rate.ios_per_s;
		bytes += rate.bytes_per_s;
		add_latency(doc, &cell->lat, figure_service(&group->dir[dir], &kind));
	}
	cell->iops[cell->runs] = iops;
	cell->mb_s[cell->runs] = bytes / 1e6;
	cell->runs++;
	*cpu_ns += (double)(group->user_ns + group->sys_ns + group->beyond_ns);
	*ios += (double)(figure_total_ios(group) + group->ramp_ios);
}

/* What the page is made of: each cell summed up once. */
struct view {
	struct document *doc;
	const struct quick *quick;
	struct cell_figures **sums; /* NQUICK_LOADS a cell */
};

static const struct cell_figures *view_sum(const struct view *view, unsigned cell,
					   enum quick_load load)
{
	return view->sums[cell * NQUICK_LOADS + load];
}

static struct cell_figures *cell_sum(struct document *doc, const struct quick *quick,
				     const struct quick_cell *cell, enum quick_load load)
{
	struct cell_figures *sum = arena_new(&doc->arena, struct cell_figures);
	double cpu_ns = 0, ios = 0;

	if (!cell->runs[load])
		return sum;
	for (unsigned i = 0; i < quick->nruns; i++)
		if (cell->runs[load][i])
			add_run(doc, sum, cell->runs[load][i], &cpu_ns, &ios);
	qsort(sum->mb_s, sum->runs, sizeof(*sum->mb_s), compare_doubles);
	qsort(sum->iops, sum->runs, sizeof(*sum->iops), compare_doubles);
	sum->cpu_ns_per_io = ios > 0 ? cpu_ns / ios : 0;
	return sum;
}

static void cell_row(struct document *doc, struct table *table, const struct quick *quick,
		     const char *name, const struct cell_figures *cell)
{
	static const double percents[] = {50, 99, 99.9};
	const struct lat_unit us = {"us", NS_PER_US};

	table_cell(doc, table, "%s", name);
	table_cell(doc, table, "%s", figure_plain(doc, median(cell->mb_s, cell->runs)));
	if (quick->nruns > 1)
		table_cell(doc, table, "%s–%s", figure_plain(doc, cell->mb_s[0]),
			   figure_plain(doc, cell->mb_s[cell->runs - 1]));
	table_cell(doc, table, "%s", figure_plain(doc, median(cell->iops, cell->runs)));
	for (unsigned i = 0; i < ARRAY_SIZE(percents); i++)
		table_cell(doc, table, "%s",
			   figure_percentile(doc, &cell->lat, percents[i], us));
	table_cell(doc, table, "%s", figure_plain(doc, cell->cpu_ns_per_io / 1000));
}

static const char *load_name(struct document *doc, const struct quick *quick,
			     enum quick_load load)
{
	if (load == QUICK_MIX)
		return document_text(doc, "mix %u/%u", quick->mix_read_percent,
				     100 - quick->mix_read_percent);
	return lang_text(doc->style.lang, load == QUICK_READ ? N_("read") : N_("write"));
}

static void load_table(const struct view *view, enum quick_load load)
{
	struct document *doc = view->doc;
	const struct quick *quick = view->quick;
	const char *const one[] = {load_name(doc, quick, load),
				   N_("MB/s"),
				   N_("IOPS"),
				   N_("p50 us"),
				   N_("p99 us"),
				   N_("p99.9 us"),
				   N_("CPU us/IO"),
				   NULL};
	const char *const many[] = {one[0],   "MB/s",	  N_("min–max"), "IOPS", "p50 us",
				    "p99 us", "p99.9 us", "CPU us/IO",	 NULL};
	struct table table;

	table_init(&table, quick->nruns > 1 ? many : one);
	for (unsigned i = 0; i < quick->ncells; i++) {
		const struct cell_figures *sum = view_sum(view, i, load);

		if (sum->runs)
			cell_row(doc, &table, quick, quick->cells[i].name, sum);
	}
	document_table(doc, &table);
}

/* --- notes of many runs: each said once, with where --- */

struct seen {
	const struct note *note;
	const char *first_cell, *first_load;
	unsigned runs;
};

#define SEEN_MAX 64

struct seen_list {
	struct seen seen[SEEN_MAX];
	unsigned count, results;
};

static void see(struct seen_list *list, const struct note *note, const char *cell,
		const char *load)
{
	for (unsigned i = 0; i < list->count; i++)
		if (str_equal(list->seen[i].note->id, note->id)) {
			list->seen[i].runs++;
			return;
		}
	if (list->count < SEEN_MAX)
		list->seen[list->count++] = (struct seen){note, cell, load, 1};
}

typedef void visitor(const struct result *result, const char *cell, const char *load,
		     void *context);

static void visit_results(struct document *doc, const struct quick *quick, visitor *visit,
			  void *context)
{
	for (enum quick_load load = QUICK_READ; load < NQUICK_LOADS; load++)
		for (unsigned i = 0; i < quick->ncells; i++) {
			const struct quick_cell *cell = &quick->cells[i];

			for (unsigned k = 0; cell->runs[load] && k < quick->nruns; k++)
				if (cell->runs[load][k])
					visit(cell->runs[load][k], cell->name,
					      load_name(doc, quick, load), context);
		}
}

static void see_result(const struct result *result, const char *cell, const char *load,
		       void *context)
{
	struct seen_list *list = context;

	list->results++;
	for (unsigned i = 0; i < result->nnotes; i++)
		see(list, &result->notes[i], cell, load);
}

static unsigned count_warnings(const struct seen_list *list)
{
	unsigned count = 0;

	for (unsigned i = 0; i < list->count; i++)
		count += list->seen[i].note->severity == SEVERITY_WARNING;
	return count;
}

static void notes_page(struct document *doc, const struct seen_list *list)
{
	if (list->count)
		document_heading(doc, 2, "notes");
	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < list->count; i++) {
			const struct seen *seen = &list->seen[i];
			enum tone tone = pass ? TONE_INFO : TONE_WARNING;

			if ((seen->note->severity == SEVERITY_WARNING) != (pass == 0))
				continue;
			if (seen->runs >= list->results)
				document_prose(doc, tone, "%s",
					       document_say(doc, seen->note->text));
			else if (seen->runs == 1)
				document_prose(doc, tone, "%s, %s: %s", seen->first_cell,
					       seen->first_load,
					       document_say(doc, seen->note->text));
			else
				document_prose(
					doc, tone,
					PLURAL(seen->runs - 1, "%s, %s, and in %u more run: %s",
					       "%s, %s, and in %u more runs: %s"),
					seen->first_cell, seen->first_load, seen->runs - 1,
					document_say(doc, seen->note->text));
		}
}

static void keep_first(const struct result *result, const char *cell, const char *load,
		       void *context)
{
	const struct result **first = context;

	(void)cell, (void)load;
	if (!*first)
		*first = result;
}

/* Each run has a simulated drive of its own, fresh: the logs add up, but for what is no sum. */
static void add_log(const struct result *result, const char *cell, const char *load,
		    void *context)
{
	struct simulated_facts *sum = context;
	const struct run_facts *facts = &result->facts;
	const struct simulated_facts *log =
		facts->ntargets ? facts->targets[0].simulated : NULL;

	(void)cell, (void)load;
	if (!log)
		return;
	sum->scale = log->scale;
	sum->host_read_bytes += log->host_read_bytes;
	sum->host_written_bytes += log->host_written_bytes;
	sum->nand_written_bytes += log->nand_written_bytes;
	sum->erases += log->erases;
	sum->most_erases = max_u64(sum->most_erases, log->most_erases);
	sum->used_ppm += log->used_ppm;
	sum->media_errors += log->media_errors;
	sum->throttled_ns += log->throttled_ns;
	sum->temperature_mc = sum->temperature_mc > log->temperature_mc ? sum->temperature_mc
									: log->temperature_mc;
}

/* The facts of the first run, the drive's log of all. */
static void facts_of_all(struct document *doc, const struct quick *quick,
			 const struct result *first, const struct fact *facts, unsigned count)
{
	struct simulated_facts *log = arena_new(&doc->arena, struct simulated_facts);
	struct target_facts target;
	struct result all;

	if (!first || first->facts.ntargets != 1 || !first->facts.targets[0].simulated) {
		facts_page(doc, first, facts, count);
		return;
	}
	visit_results(doc, quick, add_log, log);
	target = first->facts.targets[0];
	target.simulated = log;
	all = *first;
	all.facts.targets = &target;
	facts_page(doc, &all, facts, count);
}

/* --- the sentence --- */

static void add_best(const struct view *view, enum quick_load load, struct str *out)
{
	double mb_s = 0, iops = 0;

	for (unsigned i = 0; i < view->quick->ncells; i++) {
		const struct cell_figures *sum = view_sum(view, i, load);
		double cell_mb_s = median(sum->mb_s, sum->runs);
		double cell_iops = median(sum->iops, sum->runs);

		mb_s = cell_mb_s > mb_s ? cell_mb_s : mb_s;
		iops = cell_iops > iops ? cell_iops : iops;
	}
	if (iops > 0)
		document_add(view->doc, out, "%s%s up to %s and %s IOPS",
			     out->length ? ", " : "",
			     lang_text(view->doc->style.lang,
				       load == QUICK_READ ? N_("reads") : N_("writes")),
			     figure_rate(view->doc, mb_s * 1e6), figure_plain(view->doc, iops));
}

/* The last cell is the one with the shallowest queue: what one request takes alone. */
static void add_alone(const struct view *view, struct str *out)
{
	unsigned last = view->quick->ncells - 1;
	const struct cell_figures *sum = view_sum(view, last, QUICK_READ);
	uint64_t p50, p99;

	if (!figure_percentile_ns(&sum->lat, 50, &p50) ||
	    !figure_percentile_ns(&sum->lat, 99, &p99))
		return;
	document_add(view->doc, out, "; %s: half of the reads within %s, 99 of 100 within %s",
		     view->quick->cells[last].name, figure_time(view->doc, p50),
		     figure_time(view->doc, p99));
}

static void sentence(const struct view *view, unsigned warnings)
{
	const char *incomplete = view->quick->incomplete;
	autostr text = {0};

	add_best(view, QUICK_READ, &text);
	add_best(view, QUICK_WRITE, &text);
	if (!text.length)
		document_add(view->doc, &text, "nothing was measured");
	else
		add_alone(view, &text);
	if (incomplete)
		document_add(view->doc, &text, "; not complete: %s",
			     document_say(view->doc, incomplete));
	if (warnings)
		document_add(view->doc, &text,
			     PLURAL(warnings, "; mind the %u warning above",
				    "; mind the %u warnings above"),
			     warnings);
	document_prose(view->doc, TONE_VERDICT, "%s.", str_text(&text));
}

static void head(struct document *doc, const struct quick *quick, const struct result *first)
{
	const char *repeats = "";
	struct fact facts[2];

	if (quick->nruns > 1)
		repeats =
			document_text(doc,
				      ", %u times: medians of MB/s and IOPS, latencies of all "
				      "runs together",
				      quick->nruns);
	facts[0] = (struct fact){N_("method"),
				 document_text(doc,
					       "each cell %s, after %s that are not "
					       "counted%s; MB is 10^6 bytes",
					       figure_time(doc, quick->time_ns),
					       figure_time(doc, quick->ramp_ns), repeats)};
	facts[1] = (struct fact){
		N_("written"), quick->written_bytes ? figure_decimal(doc, quick->written_bytes)
						    : N_("nothing")};
	document_heading(doc, 1, "%s",
			 lang_text(doc->style.lang,
				   first && first->simulated
					   ? N_("what was simulated (no drive was touched)")
					   : N_("what was measured")));
	facts_of_all(doc, quick, first, facts, ARRAY_SIZE(facts));
}

static struct view view_of(struct document *doc, const struct quick *quick)
{
	struct view view = {
		.doc = doc,
		.quick = quick,
		.sums = arena_array(&doc->arena, struct cell_figures *,
				    (size_t)quick->ncells * NQUICK_LOADS),
	};

	for (unsigned i = 0; i < quick->ncells; i++)
		for (enum quick_load load = QUICK_READ; load < NQUICK_LOADS; load++)
			view.sums[i * NQUICK_LOADS + load] =
				cell_sum(doc, quick, &quick->cells[i], load);
	return view;
}

void quick_page_sentence(struct document *doc, const struct quick *quick)
{
	const struct view view = view_of(doc, quick);
	struct seen_list list = {0};

	visit_results(doc, quick, see_result, &list);
	sentence(&view, count_warnings(&list));
}

void quick_page_tables(struct document *doc, const struct quick *quick)
{
	const struct view view = view_of(doc, quick);
	struct seen_list list = {0};

	for (enum quick_load load = QUICK_READ; load < NQUICK_LOADS; load++)
		load_table(&view, load);
	visit_results(doc, quick, see_result, &list);
	notes_page(doc, &list);
}

void quick_page_facts(struct document *doc, const struct quick *quick)
{
	const struct result *first = NULL;

	visit_results(doc, quick, keep_first, &first);
	head(doc, quick, first);
}

void quick_page(struct document *doc, const struct quick *quick)
{
	quick_page_facts(doc, quick);
	quick_page_tables(doc, quick);
	quick_page_sentence(doc, quick);
}
