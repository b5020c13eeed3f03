/* What stands beside the pictures of a run: its worst intervals, its percentiles. */
#include <math.h>

#include "base/bits.h"
#include "base/quantity.h"
#include "report/qos_graphs.h"

static unsigned worst_of(const struct qos_run *run, unsigned *found, unsigned most)
{
	const struct series_cell *cells = run->part[SERIES_ALL].cells;
	unsigned count = 0;

	for (unsigned i = run->range.first; cells && i < run->range.end; i++) {
		unsigned at = count < most ? count : most;

		while (at > 0 && cells[found[at - 1]].max_ns < cells[i].max_ns)
			at--;
		if (at == most || !cells[i].max_ns)
			continue;
		count += count < most;
		for (unsigned k = count - 1; k > at; k--)
			found[k] = found[k - 1];
		found[at] = i;
	}
	return count;
}

/* Where a close-up shows it, a second more on each side; else ten intervals more. */
static struct table_link link_to(struct document *doc, const struct qos_graphs *graphs,
				 double from, double to)
{
	double step = (double)graphs->run->interval_ns / 1e9;
	bool is_close = graphs->closeup && to - from <= 1 &&
			closeup_shows(graphs->closeup, (uint64_t)((from + to) / 2));
	double more = is_close ? 1 : 10 * step;

	return (struct table_link){.graph = arena_printf(&doc->arena, "%siops", graphs->prefix),
				   .from = fmax(from - more, 0),
				   .to = to + more};
}

void qos_worst_table(struct document *doc, const struct qos_graphs *graphs, unsigned most)
{
	static const char *const heads[] = {N_("worst intervals"), N_("slowest request"),
					    N_("completions"), N_("mean latency"), NULL};
	const struct qos_run *run = graphs->run;
	unsigned *found = arena_array(&doc->arena, unsigned, most + 1), count = 0;
	double step = (double)run->interval_ns / 1e9;
	struct table table;

	if (run->has_latency)
		count = worst_of(run, found, most);
	table_init(&table, heads);
	for (unsigned i = 0; i < count; i++) {
		const struct series_cell *cell = &run->part[SERIES_ALL].cells[found[i]];
		const struct table_link link =
			link_to(doc, graphs, found[i] * step, (found[i] + 1) * step);
		autostr slowest = {0}, mean = {0};

		quantity_time(cell->max_ns, &slowest);
		quantity_time((uint64_t)series_cell_mean_ns(cell), &mean);
		table_cell(doc, &table, "%.6g s to %.6g s", found[i] * step,
			   (found[i] + 1) * step);
		table_link(doc, &table, &link);
		table_cell(doc, &table, "%s", str_text(&slowest));
		table_cell(doc, &table, "%llu", (unsigned long long)cell->count);
		table_cell(doc, &table, "%s", str_text(&mean));
	}
	document_table(doc, &table);
}

void qos_slowest_table(struct document *doc, const struct qos_graphs *graphs,
		       const struct slowest *slowest, unsigned most)
{
	static const char *const heads[] = {N_("slowest requests, by completion"),
					    N_("latency"),
					    N_("direction"),
					    N_("size"),
					    N_("offset"),
					    NULL};
	struct table table;

	table_init(&table, heads);
	for (unsigned i = 0; i < slowest->count && i < most; i++) {
		const struct slow_request *one = &slowest->request[i];
		double at = (double)one->time_ns / 1e9;
		const struct table_link link = link_to(doc, graphs, at, at);
		autostr latency = {0}, size = {0}, offset = {0};

		quantity_time(one->latency_ns, &latency);
		quantity_size(one->bytes, &size);
		quantity_count(one->offset, &offset);
		table_cell(doc, &table, "%.3f s", at);
		table_link(doc, &table, &link);
		table_cell(doc, &table, "%s", str_text(&latency));
		table_cell(doc, &table, "%s",
			   lang_text(doc->style.lang, qos_dir_name(one->dir)));
		table_cell(doc, &table, "%s", one->bytes ? str_text(&size) : "");
		table_cell(doc, &table, "%s", one->has_offset ? str_text(&offset) : "");
	}
	document_table(doc, &table);
}

static void percentile_row(struct document *doc, struct table *table, const struct qos_run *run,
			   unsigned d, double percent)
{
	struct check_value value = {0};
	autostr text = {0}, low = {0}, high = {0};

	qos_percentile(run, (enum series_dir)d, percent, &value);
	if (value.state != CHECK_KNOWN || isinf(value.high))
		return;
	check_format(&value, &text);
	quantity_time((uint64_t)value.low, &low);
	quantity_time((uint64_t)value.high, &high);
	table_cell(doc, table, "%s p%.7g",
		   lang_text(doc->style.lang, qos_dir_name((enum series_dir)d)), percent);
	table_cell(doc, table, "%s", str_text(&text));
	table_cell(doc, table, "%s to %s", str_text(&low), str_text(&high));
	table_cell(doc, table, "%llu", (unsigned long long)run->part[d].sums.total);
	table_cell(doc, table, "%.0f", (double)run->part[d].sums.total * (1 - percent / 100));
}

void qos_percentile_table(struct document *doc, const struct qos_run *run)
{
	static const char *const heads[] = {N_("percentile"), N_("latency"), N_("95 % bounds"),
					    N_("requests"),   N_("beyond"),  NULL};
	static const double percents[] = {50, 90, 99, 99.9, 99.99, 99.999, 99.9999};
	struct table table;

	table_init(&table, heads);
	for (unsigned d = 0; d < SERIES_ALL; d++) {
		for (unsigned i = 0; i < ARRAY_SIZE(percents) && run->part[d].cells; i++) {
			if (hist_percentile_is_sound(run->part[d].sums.total, percents[i]))
				percentile_row(doc, &table, run, d, percents[i]);
		}
	}
	document_table(doc, &table);
}
