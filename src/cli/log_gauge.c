#include "cli/log_gauge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/unit.h"
#include "cli/emit.h"
#include "stat/compare.h"
#include "trace/logname.h"
#include "trace/merge.h"
#include "trace/row_span.h"

#define DENSITY_GRAIN_NS NS_PER_MS

/* "iops=100000", "bandwidth=500MB/s", "p99=2ms": a number as checks write it. */
static int parse_spec(const char *text, struct gauge_options *options, struct err *err)
{
	const char *equals = strchr(text, '=');
	struct check_value value;
	int rc;

	if (!equals || equals == text || !equals[1])
		return err_input(err, "\"%s\": write NAME=VALUE, as in iops=100000", text);
	if (options->nspecs == GAUGE_SPECS_MAX)
		return err_input(err, "more than %d of them", GAUGE_SPECS_MAX);
	rc = check_number(equals + 1, &value, err);
	if (rc)
		return rc;
	options->specs[options->nspecs++] = (struct qos_spec){
		.name = arena_strndup(&options->arena, text, (size_t)(equals - text)),
		.value = value};
	return 0;
}

static int parse_margin(const char *text, struct gauge_options *options, struct err *err)
{
	uint32_t percent_x100;
	int rc = unit_parse_percent(text, &percent_x100, err);

	if (!rc)
		options->margin = percent_x100 / 1e4;
	return rc;
}

static int parse_seed(const char *text, struct gauge_options *options, struct err *err)
{
	return unit_parse_count(text, &options->seed, err);
}

static int parse_policy(const char *text, struct gauge_options *options, struct err *err)
{
	(void)err;
	options->policy_name = text;
	return 0;
}

static int parse_format(const char *text, struct gauge_options *options, struct err *err)
{
	(void)err;
	options->format = text;
	return 0;
}

static int parse_title(const char *text, struct gauge_options *options, struct err *err)
{
	(void)err;
	options->title = text;
	return 0;
}

static int parse_store(const char *text, struct gauge_options *options, struct err *err)
{
	(void)err;
	options->store = text;
	return 0;
}

static const struct own_option {
	const char *name;
	int (*parse)(const char *text, struct gauge_options *options, struct err *err);
} own_options[] = {
	{"policy", parse_policy}, {"spec", parse_spec},	    {"format", parse_format},
	{"title", parse_title},	  {"margin", parse_margin}, {"seed", parse_seed},
	{"store", parse_store},
};

/* 1: the word was one of ours; 0: it is not. */
static int take_own(const char *word, const char *own, struct gauge_options *options,
		    struct err *err)
{
	autostr name = {0};
	int rc;

	if (!str_starts(word, "--") || !strchr(word, '='))
		return 0;
	str_add_char(&name, ' ');
	str_add_bytes(&name, word + 2, strcspn(word + 2, "="));
	str_add_char(&name, ' ');
	if (!strstr(own, str_text(&name)))
		return 0;
	for (unsigned i = 0; i < ARRAY_SIZE(own_options); i++) {
		size_t length = strlen(own_options[i].name);

		if (strncmp(word + 2, own_options[i].name, length) != 0 ||
		    word[2 + length] != '=')
			continue;
		rc = own_options[i].parse(word + 3 + length, options, err);
		if (rc)
			err_context(err, "--%s", own_options[i].name);
		return rc ? rc : 1;
	}
	return 0;
}

static int read_policy(struct gauge_options *options, struct err *err)
{
	const struct qos specs = {.specs = options->specs, .nspecs = options->nspecs};

	return verdict_policy(options->policy_name, &specs, &options->arena, &options->policy,
			      err);
}

/* How many of the words name logs. */
static unsigned paths_of(int count, char **words)
{
	unsigned paths = 0;

	for (int i = 1; i < count; i++)
		paths += (*words[i] != '-' || str_equal(words[i], "-")) &&
			 !str_equal(words[i - 1], "-o");
	return paths;
}

int gauge_parse(int argc, char **argv, const char *own, struct gauge_options *ret_options,
		struct err *err)
{
	struct gauge_options *options = ret_options;
	char **rest = calloc((size_t)argc + 1, sizeof(*rest));
	int nrest = 1, rc = 0;

	*options = (struct gauge_options){.seed = COMPARE_SEED};
	arena_init(&options->arena);
	if (!rest)
		return err_env(err, -ENOMEM, "no memory");
	rest[0] = argv[0];
	for (int i = 1; i < argc && rc >= 0; i++) {
		options->has_interval |= str_starts(argv[i], "--interval");
		if (str_equal(argv[i], "--outstanding")) {
			options->outstanding = true;
			continue;
		}
		if (str_equal(argv[i], "--") && strstr(own, " -- ")) {
			options->split = paths_of(nrest, rest);
			continue;
		}
		rc = take_own(argv[i], own, options, err);
		if (rc == 0)
			rest[nrest++] = argv[i];
	}
	if (rc >= 0)
		rc = log_parse(nrest, rest, " interval threshold ", &options->log, err);
	free(rest);
	rc = rc ? rc : read_policy(options, err);
	if (!rc && !options->has_interval && options->policy.interval_ns)
		options->log.gather.bins.interval_ns = options->policy.interval_ns;
	return rc;
}

void gauge_done(struct gauge_options *options)
{
	arena_done(&options->arena);
	free(options->log.paths);
}

static void note(struct gauge *gauge, const char *text)
{
	if (gauge->nnotes < ARRAY_SIZE(gauge->notes))
		gauge->notes[gauge->nnotes++] = text;
}

/* Logs of one run are of one kind: the same requests must not be counted twice. */
static int check_kinds(const struct log_files *files, uint64_t interval_ns, struct err *err)
{
	const struct trace_info *first = trace_info(files->readers[0]);

	for (unsigned i = 0; i < files->count; i++) {
		const struct trace_info *info = trace_info(files->readers[i]);

		if (info->windowed && info->window_ns > interval_ns)
			return err_input(
				err,
				"\"%s\": its windows are %.3f s long, which is more than the "
				"interval: say --interval=%.3fs or more",
				trace_path(files->readers[i]), (double)info->window_ns / 1e9,
				(double)info->window_ns / 1e9);
		if (info->windowed != first->windowed)
			return err_input(
				err,
				"\"%s\" is a windowed log and \"%s\" is not: give logs "
				"of one sort",
				trace_path(files->readers[info->windowed ? i : 0]),
				trace_path(files->readers[info->windowed ? 0 : i]));
		if (info->kind != first->kind || info->format != first->format)
			return err_input(
				err,
				"\"%s\" is a %s log and \"%s\" a %s log: the same requests "
				"would count twice; give logs of one kind",
				trace_path(files->readers[0]), trace_kind_name(first->kind),
				trace_path(files->readers[i]), trace_kind_name(info->kind));
		if (info->epoch != first->epoch)
			return err_input(
				err, "\"%s\" counts time from the epoch, and \"%s\" does not",
				trace_path(files->readers[first->epoch ? 0 : i]),
				trace_path(files->readers[first->epoch ? i : 0]));
	}
	return 0;
}

/* A window counts in the interval that its middle lies in: windows drift by a millisecond or
 * two, and hardly one is cut by an interval's end. */
static void take_window(struct gauge *gauge, struct row_span *span, const struct sample *from,
			struct series_sample *one)
{
	uint64_t window_ns = from->time_ns - row_span_begin_ns(span, from);
	uint64_t end_ns = one->time_ns;

	one->time_ns -= min_u64(one->time_ns, window_ns / 2);
	gauge->window_end_ns = max_u64(gauge->window_end_ns, end_ns);
	gauge->series.begin_ns =
		min_u64(gauge->series.begin_ns, end_ns - min_u64(end_ns, window_ns));
	if (gauge->info.kind == TRACE_IOPS) {
		one->count = muldiv_u64(from->value, window_ns, NS_PER_S);
		one->bytes = 0;
	} else if (gauge->info.kind == TRACE_BW) {
		one->bytes = muldiv_u64(from->value * KiB, window_ns, NS_PER_S);
	}
}

static void take_request(struct gauge *gauge, const struct sample *from,
			 const struct series_sample *one)
{
	const struct slow_request request = {.time_ns = one->time_ns,
					     .latency_ns = one->latency_ns,
					     .bytes = one->bytes,
					     .offset = from->flags & SAMPLE_OFFSET ? from->extra
										   : 0,
					     .dir = one->dir,
					     .has_offset = from->flags & SAMPLE_OFFSET};

	if (gauge->density.count)
		density_add(&gauge->density, one->time_ns, one->latency_ns, one->count);
	if (from->flags & SAMPLE_COUNT) {
		/* Of a second's bins each request must be known. */
		closeup_done(&gauge->closeup);
		return;
	}
	if (gauge->slowest.most)
		slowest_add(&gauge->slowest, &request);
	if (gauge->closeup.seconds)
		closeup_add(&gauge->closeup, one);
}

static int take_batch(struct gauge *gauge, const struct trace_batch *batch, uint64_t *origin_ns,
		      struct err *err)
{
	struct series *series = &gauge->series;
	struct log_tally *tally = &gauge->tallies[batch->source];
	struct row_span *span = &gauge->spans[batch->source];
	int rc = 0;

	if (gauge->info.epoch && !series->any) {
		uint64_t first_ns = batch->samples[0].time_ns;

		first_ns -=
			min_u64(first_ns, series->has_latency ? batch->samples[0].value : 0);
		*origin_ns = first_ns - first_ns % NS_PER_S;
	}
	for (unsigned i = 0; i < batch->count && !rc; i++) {
		const struct sample *from = &batch->samples[i];
		struct series_sample one = {
			.time_ns = from->time_ns - min_u64(from->time_ns, *origin_ns),
			.latency_ns = from->value,
			.bytes = from->length,
			.count = from->flags & SAMPLE_COUNT ? from->extra : 1,
			.dir = (enum series_dir)from->op};

		if (from->flags & SAMPLE_COUNT) {
			uint64_t middle_ns = row_span_middle_ns(span, from);

			one.time_ns -= min_u64(one.time_ns, from->time_ns - middle_ns);
			one.bytes *= one.count;
		}
		if (gauge->info.windowed)
			take_window(gauge, span, from, &one);
		tally->ios[from->op] += one.count;
		tally->bytes[from->op] += one.bytes;
		rc = series_add(series, &one, err);
		if (series->has_latency && !gauge->info.windowed)
			take_request(gauge, from, &one);
	}
	return rc;
}

static int read_all(struct gauge *gauge, const struct log_files *files, struct err *err)
{
	struct trace_merge *merge = merge_new(files->readers, files->count, err);
	struct trace_batch batch;
	int rc = merge ? 1 : -ENOMEM;

	while (rc > 0) {
		rc = merge_next(merge, &batch, err);
		if (rc > 0) {
			int taken = take_batch(gauge, &batch, &gauge->origin_ns, err);

			rc = taken ? taken : rc;
		}
	}
	if (merge)
		merge_free(merge);
	return rc;
}

/* Where the run's JSON is at hand: do the rows add up, and did the run go on after them? */
static int check_totals(struct gauge_options *options, struct gauge *gauge,
			const struct log_options *log, const struct log_files *files,
			struct err *err)
{
	uint64_t end_ns = log_run_end_ns(files), last_ns = gauge->series.last_ns;

	unsigned agree = 0;

	for (unsigned i = 0; i < files->count; i++) {
		enum totals_check check = log_check_totals(log, files, i, &gauge->tallies[i]);

		agree += check == TOTALS_AGREE;
		if (check == TOTALS_DIFFER)
			note(gauge,
			     arena_printf(&options->arena,
					  N_("%s does not agree with %s: rows are missing, or "
					     "too many; the verdict is about those that are "
					     "there"),
					  trace_path(files->readers[i]),
					  files->totals[i].path));
	}
	if (agree == files->count)
		gauge->agrees =
			arena_printf(&options->arena, N_("rows and bytes agree with %s"),
				     files->totals[0].path);
	if (end_ns <= last_ns + log->gather.bins.interval_ns)
		return 0;
	note(gauge,
	     arena_printf(&options->arena,
			  N_("the last request completed at %.3f s, the run ended at %.3f s"),
			  (double)last_ns / 1e9, (double)end_ns / 1e9));
	return series_end(&gauge->series, end_ns, err);
}

struct noting {
	struct gauge_options *options;
	struct gauge *gauge;
};

static void note_kept(void *context, const char *text)
{
	struct noting *noting = context;

	note(noting->gauge, arena_strdup(&noting->options->arena, text));
}

/* What is lost of a log is told on its page, and no limit is kept where it might have been. */
static int note_damage(struct gauge_options *options, struct gauge *gauge,
		       const struct log_files *files)
{
	struct noting noting = {options, gauge};
	struct qos_span *lost = arena_array(&options->arena, struct qos_span,
					    (size_t)files->count * (TRACE_DAMAGES_MAX + 1));
	uint64_t origin_ns = gauge->origin_ns;

	gauge->lost = lost;
	for (unsigned i = 0; i < files->count; i++) {
		const struct trace_counts *counts = trace_counts(files->readers[i]);

		log_each_damage(files->readers[i], note_kept, &noting);
		for (unsigned d = 0; d < counts->ndamages; d++) {
			const struct trace_damage *damage = &counts->damage[d];

			lost[gauge->nlost++] = (struct qos_span){
				.begin_ns =
					damage->from_ns - min_u64(damage->from_ns, origin_ns),
				.end_ns = damage->to_ns - min_u64(damage->to_ns, origin_ns)};
		}
		if (counts->cut_stream)
			lost[gauge->nlost++] = (struct qos_span){
				.begin_ns = gauge->series.last_ns, .end_ns = UINT64_MAX};
	}
	gauge->damaged = log_damage_exit(files);
	return 0;
}

static int set_thresholds(const struct gauge_options *options, struct series *series,
			  struct err *err)
{
	const struct policy *policy = &options->policy;
	const uint64_t *more = options->log.gather.bins.threshold_ns;
	int rc = 0;

	for (unsigned i = 0; i < policy->nthresholds && !rc; i++)
		rc = series_threshold(series, policy->thresholds_ns[i], err);
	for (unsigned i = 0; i < options->log.gather.bins.nthresholds && !rc; i++)
		rc = series_threshold(series, more[i], err);
	return rc;
}

void gauge_settle(struct gauge_options *options, struct gauge *gauge)
{
	if (options->outstanding)
		gauge->run.outstanding = QOS_ALWAYS;
	qos_init(&gauge->qos, &gauge->run, &options->arena);
	gauge->qos.specs = options->specs;
	gauge->qos.nspecs = options->nspecs;
}

/* A windowed log tells the one figure that it holds, and where windows are missing. */
static void settle_windows(struct gauge *gauge, struct qos_run *run)
{
	run->windowed = true;
	run->outstanding = QOS_UNKNOWN;
	run->has_latency = false;
	run->why_no_latency =
		N_("a windowed log (log_avg_msec) holds means: log each request, or "
		   "write a histogram log");
	run->level = gauge->info.kind == TRACE_IOPS ? QOS_COMPLETIONS
		     : gauge->info.kind == TRACE_BW ? QOS_BANDWIDTH
						    : QOS_MEAN_LATENCY;
	note(gauge,
	     N_("a windowed log (log_avg_msec) holds means: of latencies and single requests "
		"nobody can tell"));
}

static void settle(struct gauge_options *options, struct gauge *gauge)
{
	struct qos_run *run = &gauge->run;

	qos_from_series(&gauge->series, run);
	run->lost = gauge->lost;
	run->nlost = gauge->nlost;
	if (gauge->info.format == TRACE_FIO_HIST) {
		run->outstanding = QOS_UNKNOWN;
		note(gauge,
		     N_("a histogram log holds bins: extremes are their middles, and what was "
			"outstanding it does not tell"));
	}
	if (gauge->info.windowed) {
		settle_windows(gauge, run);
	} else if (!run->has_latency) {
		run->why_no_latency =
			arena_printf(&options->arena, N_("a log of %s holds no latencies"),
				     trace_kind_name(gauge->info.kind));
		note(gauge, arena_printf(&options->arena,
					 N_("%s: give the lat or clat log to judge them"),
					 run->why_no_latency));
	}
	if (gauge->info.kind == TRACE_SLAT)
		note(gauge, N_("slat is the time of submission alone: judge lat or clat"));
	if (gauge->series.late && !gauge->info.windowed)
		note(gauge,
		     arena_printf(
			     &options->arena,
			     PLURAL(gauge->series.late,
				    "%llu sample lies before its neighbours in time: it is "
				    "counted, and its interval has no percentiles",
				    "%llu samples lie before their neighbours in time: they "
				    "are counted, and their intervals have no percentiles"),
			     (unsigned long long)gauge->series.late));
	gauge_settle(options, gauge);
}

int gauge_read(struct gauge_options *options, const char *const *paths, unsigned npaths,
	       struct gauge *ret_gauge, struct err *err)
{
	struct log_options log = options->log;
	struct log_files files = {0};
	struct gauge *gauge = ret_gauge;
	int rc;

	*gauge = (struct gauge){0};
	log.paths = arena_array(&options->arena, const char *, npaths);
	memcpy(log.paths, paths, npaths * sizeof(*paths));
	log.npaths = npaths;
	gauge->subject = npaths == 1 ? paths[0]
				     : arena_printf(&options->arena, N_("%s and %u more"),
						    paths[0], npaths - 1);
	series_init(&gauge->series, log.gather.bins.interval_ns);
	if (options->wants_density)
		density_init(&gauge->density, DENSITY_GRAIN_NS);
	if (options->wants_closeup)
		closeup_init(&gauge->closeup);
	slowest_init(&gauge->slowest, &options->arena, options->slowest);
	rc = log_open(&log, &files, err);
	rc = rc ? rc : check_kinds(&files, log.gather.bins.interval_ns, err);
	rc = rc ? rc : set_thresholds(options, &gauge->series, err);
	if (!rc) {
		gauge->info = *trace_info(files.readers[0]);
		gauge->series.has_latency =
			gauge->info.kind != TRACE_IOPS && gauge->info.kind != TRACE_BW;
		log_say_kinds(&log, &files);
		gauge->tallies = arena_array(&options->arena, struct log_tally, files.count);
		for (unsigned i = 0; i < files.count; i++)
			gauge->tallies[i] = (struct log_tally){.by_direction = true};
		gauge->spans = arena_array(&options->arena, struct row_span, files.count);
		for (unsigned i = 0; i < files.count; i++)
			row_span_init(&gauge->spans[i], trace_info(files.readers[i]));
		rc = read_all(gauge, &files, err);
		if (!rc)
			rc = series_end(&gauge->series, gauge->window_end_ns, err);
		log_say_counts(&log, &files);
		rc = rc ? rc : note_damage(options, gauge, &files);
		rc = rc ? rc : check_totals(options, gauge, &log, &files, err);
	}
	log_close(&files);
	series_finish(&gauge->series);
	slowest_sort(&gauge->slowest);
	closeup_finish(&gauge->closeup);
	if (!rc && !gauge->series.any)
		rc = err_input(err, "\"%s\" holds no sample", gauge->subject);
	if (!rc)
		settle(options, gauge);
	return rc;
}

void gauge_free(struct gauge *gauge)
{
	series_done(&gauge->series);
	density_done(&gauge->density);
	closeup_done(&gauge->closeup);
}

bool gauge_wants(const struct gauge_options *options, const char *format)
{
	return str_equal(options->format ? options->format : "text", format);
}

int gauge_begin_page(const struct gauge_options *options, const char *formats,
		     struct document *doc, struct str *out, struct err *err)
{
	struct page_style style;

	if (gauge_wants(options, "markdown")) {
		document_init_markdown(doc, out);
	} else if (gauge_wants(options, "text")) {
		emit_style(&style, options->log.output != NULL);
		document_init_text(doc, out, &style);
	} else {
		return err_input(err, "--format: \"%s\" is none of %s", options->format,
				 formats);
	}
	return 0;
}
