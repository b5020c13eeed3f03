/* assay log bin: logs cut into intervals, as CSV or as lines of JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/json.h"
#include "base/lang.h"
#include "base/memory.h"
#include "base/outfile.h"
#include "base/unit.h"
#include "cli/log_priv.h"

#define DECIMALS_MAX 3

struct table {
	const struct log_options *options;
	const struct log_files *files;
	FILE *out;
	struct str line;
	struct json json;
	unsigned column;
	char over_names[BINS_THRESHOLDS_MAX][40];
};

static const char *const direction_names[] = {"read", "write", "trim", "all"};
static const char *const percentile_names[GATHER_PERCENTS] = {"p50_ns", "p90_ns", "p99_ns",
							      "p99.9_ns", "p99.99_ns"};

/* One cell: in the head its name, in a row its value; "" is an unknown one. A number is text
 * with a point, which becomes the sign wanted. */
static void cell(struct table *table, const char *name, const char *text, bool is_number)
{
	if (table->options->format == LOG_JSON) {
		if (is_number && *text)
			json_add_raw(&table->json, name, text);
		else if (is_number)
			json_add_null(&table->json, name);
		else
			json_add_string(&table->json, name, text);
		return;
	}
	if (table->column++)
		str_add_char(&table->line, table->options->separator);
	if (!is_number && strpbrk(text, ",;\t\"|")) {
		str_add_char(&table->line, '"');
		for (; *text; text++) {
			if (*text == '"')
				str_add_char(&table->line, '"');
			str_add_char(&table->line, *text);
		}
		str_add_char(&table->line, '"');
		return;
	}
	for (; *text; text++)
		str_add_char(&table->line,
			     is_number && *text == '.' ? table->options->decimal : *text);
}

static void cell_u64(struct table *table, const char *name, bool known, uint64_t value)
{
	char text[24] = "";

	if (known)
		(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	cell(table, name, text, true);
}

/* Three decimals at most, without zeros at the end. */
static void cell_double(struct table *table, const char *name, double value)
{
	char text[64] = "";

	if (!isnan(value)) {
		char *end;

		(void)snprintf(text, sizeof(text), "%.*f", DECIMALS_MAX, value);
		end = text + strlen(text);
		while (end[-1] == '0')
			*--end = '\0';
		if (end[-1] == '.')
			*--end = '\0';
	}
	cell(table, name, text, true);
}

/* Exact: nanoseconds have nine decimals. */
static void cell_seconds(struct table *table, const char *name, uint64_t ns)
{
	char text[64], *end;

	(void)snprintf(text, sizeof(text), "%llu.%09llu", (unsigned long long)(ns / NS_PER_S),
		       (unsigned long long)(ns % NS_PER_S));
	end = text + strlen(text);
	while (end[-1] == '0')
		*--end = '\0';
	if (end[-1] == '.')
		*--end = '\0';
	cell(table, name, text, true);
}

static void group_cells(struct table *table, const struct gather_row *row)
{
	const struct gather_options *gather = &table->options->gather;

	if (gather->by_source) {
		autostr job = {0};

		log_job_name(trace_info(table->files->readers[row->source]), &job);
		cell(table, "job", str_text(&job), false);
	}
	if (gather->bins.by_direction)
		cell(table, "direction", direction_names[row->op], false);
	if (gather->bins.by_length)
		cell_u64(table, "bs_bytes", true, row->length);
}

static void row_cells(struct table *table, const struct gather_row *row)
{
	bool full = row->has_latency && !row->windowed;

	cell_seconds(table, "begin_s", row->begin_ns);
	cell_seconds(table, "end_s", row->end_ns);
	group_cells(table, row);
	cell_u64(table, "count", row->has_count, row->count);
	cell_double(table, "iops", row->ios_per_s);
	cell_u64(table, "bytes", row->has_count, row->bytes);
	cell_double(table, "MB_per_s", row->bytes_per_s / 1e6);
	cell_u64(table, "min_ns", full, row->min_ns);
	cell_double(table, "mean_ns", row->mean_ns);
	for (unsigned i = 0; i < GATHER_PERCENTS; i++)
		cell_u64(table, percentile_names[i], full && row->percentile_is_sound[i],
			 row->percentile_ns[i]);
	cell_u64(table, "max_ns", row->has_latency && row->has_max, row->max_ns);
	for (unsigned i = 0; i < table->options->gather.bins.nthresholds; i++)
		cell_u64(table, table->over_names[i], full || (row->has_count && !row->count),
			 row->over[i]);
}

static int write_line(struct table *table, struct err *err)
{
	str_add_char(&table->line, '\n');
	if (fwrite(table->line.text, 1, table->line.length, table->out) != table->line.length)
		return err_env(err, -errno, "the rows cannot be written: %s", err_name(errno));
	str_clear(&table->line);
	return 0;
}

static int take_row(void *context, const struct gather_row *row, struct err *err)
{
	struct table *table = context;

	table->column = 0;
	if (table->options->format == LOG_JSON) {
		json_init_compact(&table->json, &table->line);
		json_open_object(&table->json, NULL);
		row_cells(table, row);
		json_close_object(&table->json);
	} else {
		row_cells(table, row);
	}
	return write_line(table, err);
}

static int write_head(struct table *table, struct err *err)
{
	const struct gather_options *gather = &table->options->gather;
	static const char *const before[] = {"begin_s", "end_s"};
	static const char *const behind[] = {"count",  "iops",	   "bytes",	"MB_per_s",
					     "min_ns", "mean_ns",  "p50_ns",	"p90_ns",
					     "p99_ns", "p99.9_ns", "p99.99_ns", "max_ns"};

	if (table->options->format == LOG_JSON)
		return 0;
	for (unsigned i = 0; i < ARRAY_SIZE(before); i++)
		cell(table, NULL, before[i], false);
	if (gather->by_source)
		cell(table, NULL, "job", false);
	if (gather->bins.by_direction)
		cell(table, NULL, "direction", false);
	if (gather->bins.by_length)
		cell(table, NULL, "bs_bytes", false);
	for (unsigned i = 0; i < ARRAY_SIZE(behind); i++)
		cell(table, NULL, behind[i], false);
	for (unsigned i = 0; i < gather->bins.nthresholds; i++)
		cell(table, NULL, table->over_names[i], false);
	return write_line(table, err);
}

static void say_limits(const struct table *table, const struct gather_totals *totals)
{
	const struct log_options *options = table->options;
	const struct trace_info *info = trace_info(table->files->readers[0]);
	uint64_t interval_ns = options->gather.bins.interval_ns;

	if (info->windowed)
		log_note(options, "a windowed log holds means: counts, percentiles and "
				  "thresholds are not in it, their fields are empty");
	else if (info->kind == TRACE_BW || info->kind == TRACE_IOPS)
		log_note(options, "a %s log holds no latencies: their fields are empty",
			 info->kind == TRACE_BW ? "bw" : "iops");
	else
		log_note(options,
			 "a percentile with fewer than %u samples above it is left "
			 "empty",
			 HIST_NEEDS_ABOVE);
	uint64_t run_end_ns = log_run_end_ns(table->files);

	if (run_end_ns / interval_ns > totals->last_ns / interval_ns)
		log_note(options,
			 "the log ends at %.3f s, the run at %.3f s: nothing completed "
			 "between",
			 (double)totals->last_ns / 1e9, (double)run_end_ns / 1e9);
	else if (totals->rows && totals->last_ns % interval_ns)
		log_note(options, "the log ends at %.3f s, within the last interval",
			 (double)totals->last_ns / 1e9);
	if (totals->lost_rows)
		log_note(options,
			 "of %llu of %llu intervals rows are lost by damage: their fields are "
			 "empty",
			 (unsigned long long)totals->lost_rows,
			 (unsigned long long)totals->rows);
	if (totals->empty_rows)
		log_note(options,
			 PLURAL(totals->rows,
				"%llu of %llu row is of an interval without any completion",
				"%llu of %llu rows are of intervals without any completion"),
			 (unsigned long long)totals->empty_rows,
			 (unsigned long long)totals->rows);
}

static int check(struct log_options *options, struct err *err)
{
	struct bins_options *bins = &options->gather.bins;

	if (options->format == LOG_FORMAT_NONE)
		options->format = LOG_CSV;
	if (options->format != LOG_CSV && options->format != LOG_JSON)
		return err_input(err, "--format: intervals are written as csv or json");
	if (!options->decimal)
		options->decimal = '.';
	if (!options->separator)
		options->separator = options->decimal == ',' ? ';' : ',';
	if (options->separator == options->decimal)
		return err_input(err, "\"%c\" cannot be --decimal and --separator at once",
				 options->decimal);
	if (!bins->nthresholds) {
		bins->threshold_ns[bins->nthresholds++] = 5 * NS_PER_MS;
		bins->threshold_ns[bins->nthresholds++] = 200 * NS_PER_MS;
	}
	return 0;
}

static int run(struct table *table, struct err *err)
{
	const struct log_options *options = table->options;
	struct gather_options gather = options->gather;
	struct gather_sink sink = {.context = table, .row = take_row};
	struct gather_totals totals;
	int rc;

	gather.until_ns = log_run_end_ns(table->files);

	for (unsigned i = 0; i < options->gather.bins.nthresholds; i++) {
		autostr name = {0};

		unit_format_time(options->gather.bins.threshold_ns[i], &name);
		(void)snprintf(table->over_names[i], sizeof(table->over_names[i]), "over_%s",
			       str_text(&name));
	}
	log_say_kinds(options, table->files);
	rc = write_head(table, err);
	if (!rc)
		rc = gather_run(table->files->readers, table->files->count, &gather, &sink,
				&totals, err);
	if (!rc && fflush(table->out))
		rc = err_env(err, -errno, "the rows cannot be written: %s", err_name(errno));
	if (!rc) {
		log_say_counts(options, table->files);
		for (unsigned i = 0; i < table->files->count; i++)
			(void)log_check_totals(
				options, table->files, i,
				&(struct log_tally){.all_bytes = totals.bytes[i]});
		say_limits(table, &totals);
		rc = log_damage_exit(table->files);
	}
	return rc;
}

int log_bin(int argc, char **argv, struct err *err)
{
	struct log_options options;
	struct log_files files = {0};
	struct table table = {.options = &options, .files = &files, .out = stdout};
	struct memory_end end;
	int rc = log_parse(argc, argv,
			   " interval by threshold decimal separator threads loops keep-all ",
			   &options, err);

	if (!rc)
		rc = check(&options, err);
	if (!rc)
		rc = log_open(&options, &files, err);
	if (!rc && options.output) {
		table.out = outfile_open_stream(options.output, OUTFILE_AGAIN, err);
		rc = table.out ? 0 : err->code;
	}
	if (options.output)
		memory_end_add(&end, outfile_undo, &options.output);
	if (!rc)
		rc = run(&table, err);
	if (options.output)
		memory_end_remove(&end);
	if (rc >= 0 && table.out && table.out != stdout)
		outfile_mark(fileno(table.out));
	else if (table.out && table.out != stdout)
		outfile_remove(options.output); /* half a table is none */
	if (table.out && table.out != stdout)
		(void)fclose(table.out); /* flushed and checked before */
	str_done(&table.line);
	log_close(&files);
	free(options.paths);
	return rc;
}
