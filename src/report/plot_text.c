/* A plot for the terminal: shades for the density, one row of bars for IOPS, the percentiles. */
#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/lang.h"
#include "base/quantity.h"
#include "report/document.h"
#include "report/plot_priv.h"

#define TEXT_ROWS   16
#define LABEL_WIDTH 10
#define WIDTH_MAX   400

struct field {
	unsigned width;
	double low_log, high_log; /* of the latencies, base 10 */
	double column_s, begin_s;
	const uint32_t *count; /* [row * width + column], row 0 is the lowest */
	uint32_t most;
};

static void gather(const struct plot_log *log, const struct plot_ranges *ranges,
		   struct field *field, uint32_t *count)
{
	const struct density *density = log->density;
	double column_s = (double)density->column_ns / 1e9;

	for (unsigned c = 0; c < density->ncolumns; c++) {
		double at = ((c + 0.5) * column_s - ranges->begin_s) / field->column_s;

		if (at < 0)
			continue;
		for (unsigned r = 0; r < DENSITY_ROWS; r++) {
			uint32_t n = density->count[(size_t)c * DENSITY_ROWS + r];
			double ns = (double)max_u64(
				hist_low_ns(r * DENSITY_BUCKETS_PER_ROW) +
					hist_width_ns(r * DENSITY_BUCKETS_PER_ROW) *
						DENSITY_BUCKETS_PER_ROW / 2,
				1);
			double y = (log10(ns) - field->low_log) /
				   (field->high_log - field->low_log) * TEXT_ROWS;
			unsigned row = (unsigned)fmin(fmax(y, 0), TEXT_ROWS - 1);
			unsigned column = (unsigned)fmin(at, field->width - 1);
			uint32_t *cell = &count[row * field->width + column];

			if (!n)
				continue;
			*cell = (uint32_t)min_u64((uint64_t)*cell + n, UINT32_MAX);
			field->most = (uint32_t)max_u64(field->most, *cell);
		}
	}
	field->count = count;
}

static const char *shade(uint32_t count, uint32_t most, bool utf8)
{
	static const char *const fine[] = {" ", "·", "░", "▒", "▓", "█"};
	static const char *const plain[] = {" ", ".", ":", "+", "*", "#"};
	unsigned level = 0;

	if (count)
		level = 1 + (unsigned)fmin(4.999 * log(count) / fmax(log(most), 1e-9), 4);
	return utf8 ? fine[level] : plain[level];
}

/* The row of a limit, or TEXT_ROWS. */
static unsigned limit_row(const struct plot *plot, const struct field *field, unsigned i)
{
	double y = (log10((double)plot->limits_ns[i]) - field->low_log) /
		   (field->high_log - field->low_log) * TEXT_ROWS;

	return y >= 0 && y < TEXT_ROWS ? (unsigned)y : TEXT_ROWS;
}

static void field_row(const struct plot *plot, const struct field *field, unsigned row,
		      bool utf8, struct str *out)
{
	double ns = pow(10, field->low_log + (field->high_log - field->low_log) * (row + 0.5) /
						     TEXT_ROWS);
	bool limit = false;
	autostr label = {0};

	for (unsigned i = 0; i < plot->nlimits; i++) {
		if (limit_row(plot, field, i) != row)
			continue;
		limit = true;
		ns = (double)plot->limits_ns[i];
	}
	quantity_time((uint64_t)ns, &label);
	str_add_right(out, str_text(&label), LABEL_WIDTH - 2);
	str_add(out, limit ? (utf8 ? " ┤" : " +") : (utf8 ? " │" : " |"));
	for (unsigned c = 0; c < field->width; c++) {
		uint32_t n = field->count[row * field->width + c];

		if (!n && limit)
			str_add(out, utf8 ? "┄" : "-");
		else
			str_add(out, shade(n, field->most, utf8));
	}
	while (str_has_end(out, " "))
		out->text[--out->length] = '\0';
	str_add_char(out, '\n');
}

static void latency_field(const struct plot *plot, const struct plot_log *log,
			  const struct plot_ranges *ranges, struct field *field,
			  const struct page_style *style, struct str *out)
{
	struct arena arena;

	arena_init(&arena);
	field->most = 1;
	gather(log, ranges, field,
	       arena_array(&arena, uint32_t, (size_t)field->width * TEXT_ROWS));
	str_add(out, lang_here("Latency over time"));
	str_add_char(out, '\n');
	for (unsigned r = TEXT_ROWS; r-- > 0;)
		field_row(plot, field, r, style->utf8, out);
	arena_done(&arena);
}

/* One bar a column: the lowest rate of the intervals in it, so that a stall is not averaged
 * away. */
static void iops_row(const struct plot_log *log, const struct field *field,
		     const struct page_style *style, struct str *out)
{
	const struct qos_run *run = log->run;
	const struct series_cell *cells = run->part[SERIES_ALL].cells;
	bool is_latency = run->level == QOS_MEAN_LATENCY;
	double (*worst)(double, double) = is_latency ? fmax : fmin;
	double values[WIDTH_MAX];
	const struct chart chart = {.values = values, .count = field->width};

	for (unsigned c = 0; c < field->width; c++)
		values[c] = (double)NAN;
	for (unsigned i = run->range.first; cells && i < run->range.end; i++) {
		double from = (double)i * (double)run->interval_ns / 1e9 - field->begin_s;
		unsigned first = (unsigned)fmax(from / field->column_s, 0);
		unsigned last = (unsigned)fmax(
			ceil((from + (double)run->interval_ns / 1e9) / field->column_s - 1e-9),
			0);

		for (unsigned c = first;
		     c < (last > first ? last : first + 1) && c < field->width; c++)
			values[c] = worst(values[c], qos_level_of(run, &cells[i]));
	}
	if (is_latency)
		lang_add(
			out,
			"mean latency, the slowest interval of each column; 0 is an empty one");
	else
		lang_add(out, "%s, the lowest interval of each column; 0 is an empty one",
			 qos_level_unit(run));
	str_add_char(out, '\n');
	str_add_left(out, "", LABEL_WIDTH);
	document_sparkline(&chart, style->utf8, field->width, out);
	str_add_char(out, '\n');
}

static void time_axis(const struct field *field, struct str *out)
{
	char first[32], last[32];
	int length;

	(void)snprintf(first, sizeof(first), "%.4g s", field->begin_s);
	length = snprintf(last, sizeof(last), "%.6g s",
			  field->begin_s + field->column_s * field->width);
	str_add_left(out, "", LABEL_WIDTH);
	str_add_left(out, first, field->width - (unsigned)length);
	str_add(out, last);
	str_add_char(out, '\n');
}

static void percentiles(const struct qos_run *run, struct document *doc)
{
	static const double percents[] = {50, 90, 99, 99.9, 99.99, 99.999};
	static const char *const heads[] = {"latency", "min",	 "p50",	    "p90", "p99",
					    "p99.9",   "p99.99", "p99.999", "max", NULL};
	struct table table;

	table_init(&table, heads);
	for (unsigned d = 0; d < SERIES_ALL; d++) {
		const struct qos_part *part = &run->part[d];

		if (!part->cells || !part->sums.total)
			continue;
		table_cell(doc, &table, "%s", qos_dir_name((enum series_dir)d));
		for (unsigned i = 0; i < ARRAY_SIZE(percents) + 2; i++) {
			uint64_t ns = i == 0 ? part->sums.min_ns : part->sums.max_ns;
			autostr text = {0};

			if (i > 0 && i <= ARRAY_SIZE(percents)) {
				ns = hist_percentile_is_sound(part->sums.total, percents[i - 1])
					     ? min_u64(hist_percentile_ns(part->hist,
									  percents[i - 1]),
						       part->sums.max_ns)
					     : UINT64_MAX;
			}
			if (ns != UINT64_MAX)
				quantity_time(ns, &text);
			table_cell(doc, &table, "%s", text.length ? text.text : "–");
		}
	}
	document_table(doc, &table);
}

void plot_text(const struct plot *plot, unsigned columns, bool utf8, struct str *out)
{
	const struct page_style style = {.utf8 = utf8, .columns = columns};
	struct plot_ranges ranges;
	struct document doc;

	plot_ranges(plot, &ranges);
	document_init_text(&doc, out, &style);
	document_heading(&doc, 1, "%s", plot->title);
	for (unsigned i = 0; i < plot->nlogs; i++) {
		const struct plot_log *log = &plot->logs[i];
		unsigned width =
			(unsigned)min_u64(max_u64(columns, 40) - LABEL_WIDTH, WIDTH_MAX);
		struct field field = {.width = width,
				      .low_log = log10(fmax(ranges.low_ns, 1)),
				      .high_log = log10(fmax(ranges.high_ns, 10)),
				      .begin_s = ranges.begin_s};

		if (isinf(field.low_log) || field.high_log <= field.low_log)
			field.low_log = field.high_log - 1;
		field.column_s = fmax(ranges.end_s - ranges.begin_s, 1e-6) / width;
		document_heading(&doc, 2, "%s", log->name);
		if (log->run->has_latency && log->density)
			latency_field(plot, log, &ranges, &field, &style, out);
		iops_row(log, &field, &style, out);
		time_axis(&field, out);
		if (log->run->has_latency)
			percentiles(log->run, &doc);
	}
	document_done(&doc);
}
