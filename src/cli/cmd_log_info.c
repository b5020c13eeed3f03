/* assay log info: what a log is, how that was decided, and what it holds. */
#include <stdlib.h>

#include "base/bits.h"
#include "base/json.h"
#include "base/lang.h"
#include "base/quantity.h"
#include "cli/emit.h"
#include "cli/log_priv.h"
#include "report/document.h"
#include "report/figures.h"
#include "trace/logname.h"

struct sums {
	struct log_tally tally;
	uint64_t first_ns, last_ns, min, max;
	bool any;
};

static const char *const direction_names[SAMPLE_OPS] = {"read", "write", "trim"};
static const char *const format_names[] = {N_("fio text"), N_("fio histograms"),
					   N_("assay blocks")};

static int read_sums(struct trace_reader *reader, struct sums *sums, struct err *err)
{
	struct trace_batch batch;
	int rc;

	*sums = (struct sums){
		.tally.by_direction = true, .first_ns = UINT64_MAX, .min = UINT64_MAX};
	while ((rc = trace_next(reader, &batch, err)) > 0) {
		for (unsigned i = 0; i < batch.count; i++) {
			const struct sample *sample = &batch.samples[i];
			uint64_t count = sample->flags & SAMPLE_COUNT ? sample->extra : 1;

			sums->tally.ios[sample->op] += count;
			sums->tally.bytes[sample->op] += count * sample->length;
			sums->first_ns = min_u64(sums->first_ns, sample->time_ns);
			sums->last_ns = max_u64(sums->last_ns, sample->time_ns);
			sums->min = min_u64(sums->min, sample->value);
			sums->max = max_u64(sums->max, sample->value);
		}
		sums->any = true;
	}
	return rc;
}

static bool is_latency(const struct trace_info *info)
{
	return info->kind != TRACE_BW && info->kind != TRACE_IOPS;
}

static void add_line(void *context, const char *text)
{
	struct str *list = context;

	str_printf(list, "%s%s.", list->length ? " " : "", text);
}

static void facts(struct document *doc, const struct trace_reader *reader,
		  const struct sums *sums)
{
	const struct trace_info *info = trace_info(reader);
	const struct trace_counts *counts = trace_counts(reader);
	autostr damage = {0};
	double span_s = (double)(sums->last_ns - sums->first_ns) / 1e9;
	struct fact list[] = {
		{N_("is"),
		 document_text(doc, "%s, %s%s", format_names[info->format],
			       document_say(doc, info->packing),
			       info->epoch ? document_say(doc, N_(", times since 1970")) : "")},
		{N_("decided"), info->about},
		{N_("job"), info->job ? document_text(doc, "%s.%u", info->job_name, info->job)
				      : (info->job_name[0] ? info->job_name : NULL)},
		{N_("host"), info->host[0] ? info->host : NULL},
		{N_("rows"), figure_count(doc, counts->rows)},
		{"span", sums->any ? document_text(doc, "%.3f s to %.3f s",
						   (double)sums->first_ns / 1e9,
						   (double)sums->last_ns / 1e9)
				   : NULL},
		{N_("rate"),
		 sums->any && span_s > 0
			 ? document_text(doc, "%s rows/s",
					 figure_plain(doc, (double)counts->rows / span_s))
			 : NULL},
	};

	log_each_damage(reader, add_line, &damage);
	document_heading(doc, 2, "%s", trace_path(reader));
	document_facts(doc, list, ARRAY_SIZE(list));
	if (damage.length)
		document_prose(doc, TONE_WARNING, "%s", str_text(&damage));
}

static void totals(struct document *doc, const struct trace_reader *reader,
		   const struct sums *sums)
{
	static const char *const heads[] = {N_("direction"), "requests", "bytes", NULL};
	struct table table;

	if (trace_info(reader)->windowed) {
		document_prose(doc, TONE_INFO,
			       "windowed: how many requests there were is not in this log");
		return;
	}
	table_init(&table, heads);
	for (unsigned op = 0; op < SAMPLE_OPS; op++) {
		if (!sums->tally.ios[op])
			continue;
		table_cell(doc, &table, "%s", direction_names[op]);
		table_cell(doc, &table, "%s", figure_count(doc, sums->tally.ios[op]));
		table_cell(doc, &table, "%s", figure_count(doc, sums->tally.bytes[op]));
	}
	document_table(doc, &table);
}

static void damage_json(struct json *json, const struct trace_counts *counts)
{
	json_add_u64(json, "stray_bytes", counts->stray_bytes);
	json_open_array(json, "damage");
	for (unsigned i = 0; i < counts->ndamages; i++) {
		const struct trace_damage *damage = &counts->damage[i];

		json_open_object(json, NULL);
		json_add_u64(json, "at_byte", damage->at);
		json_add_u64(json, "bytes", damage->bytes);
		json_add_u64(json, "rows_lost", damage->rows);
		json_add_bool(json, "all_rows_known", damage->rows_known);
		json_add_u64(json, "from_ns", damage->from_ns);
		if (damage->to_ns != UINT64_MAX)
			json_add_u64(json, "to_ns", damage->to_ns);
		json_close_object(json);
	}
	json_close_array(json);
}

static void info_json(struct json *json, const struct trace_reader *reader,
		      const struct sums *sums)
{
	const struct trace_info *info = trace_info(reader);
	const struct trace_counts *counts = trace_counts(reader);

	json_open_object(json, NULL);
	json_add_string(json, "path", trace_path(reader));
	json_add_string(json, "format", format_names[info->format]);
	json_add_string(json, "packing", info->packing);
	json_add_string(json, "kind", trace_kind_name(info->kind));
	json_add_string(json, "decided", info->about);
	json_add_bool(json, "windowed", info->windowed);
	json_add_bool(json, "epoch", info->epoch);
	json_add_u64(json, "window_ns", info->window_ns);
	if (is_latency(info))
		json_add_string(json, "unit", info->unit == TRACE_UNIT_US ? "us" : "ns");
	json_add_string(json, "job_name", info->job_name);
	json_add_u64(json, "job", info->job);
	json_add_string(json, "host", info->host);
	json_add_u64(json, "rows", counts->rows);
	json_add_u64(json, "bad_rows", counts->bad_rows);
	json_add_u64(json, "zero_rows", counts->zero_rows);
	json_add_u64(json, "remarks", counts->remarks);
	json_add_u64(json, "backward", counts->backward);
	json_add_u64(json, "blocks_lost", counts->blocks_lost);
	damage_json(json, counts);
	json_add_bool(json, "cut_off", counts->cut_row || counts->cut_stream);
	if (sums->any) {
		json_add_u64(json, "first_ns", sums->first_ns);
		json_add_u64(json, "last_ns", sums->last_ns);
		json_add_u64(json, "value_min", sums->min);
		json_add_u64(json, "value_max", sums->max);
	}
	for (unsigned op = 0; op < SAMPLE_OPS && !info->windowed; op++) {
		json_open_object(json, direction_names[op]);
		json_add_u64(json, "total_ios", sums->tally.ios[op]);
		json_add_u64(json, "io_bytes", sums->tally.bytes[op]);
		json_close_object(json);
	}
	json_close_object(json);
}

static int show(const struct log_options *options, const struct log_files *files,
		struct str *out, struct err *err)
{
	bool as_json = options->format == LOG_JSON;
	struct page_style style;
	struct document doc;
	struct json json;
	int rc = 0;

	emit_style(&style, options->output != NULL);
	document_init_text(&doc, out, &style);
	json_init(&json, out);
	if (as_json)
		json_open_array(&json, NULL);
	for (unsigned i = 0; i < files->count && !rc; i++) {
		struct sums sums;

		rc = read_sums(files->readers[i], &sums, err);
		if (rc)
			break;
		(void)log_check_totals(options, files, i, &sums.tally);
		if (as_json) {
			info_json(&json, files->readers[i], &sums);
		} else {
			facts(&doc, files->readers[i], &sums);
			totals(&doc, files->readers[i], &sums);
		}
	}
	if (as_json && !rc) {
		json_close_array(&json);
		str_add_char(out, '\n');
	}
	document_done(&doc);
	return rc;
}

int log_info(int argc, char **argv, struct err *err)
{
	struct log_options options;
	struct log_files files = {0};
	autostr out = {0};
	int rc = log_parse(argc, argv, " ", &options, err);

	if (!rc && options.format != LOG_FORMAT_NONE && options.format != LOG_TEXT &&
	    options.format != LOG_JSON)
		rc = err_input(err, "--format: text or json");
	if (!rc)
		rc = log_open(&options, &files, err);
	if (!rc)
		rc = show(&options, &files, &out, err);
	if (!rc) {
		rc = emit_text(options.output, &out, err);
		log_say_counts(&options, &files);
		rc = rc ? rc : log_damage_exit(&files);
	}
	log_close(&files);
	free(options.paths);
	return rc;
}
