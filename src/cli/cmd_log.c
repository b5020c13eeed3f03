/* assay log: the logs of fio and our own, read, cut into intervals, converted. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/unit.h"
#include "cli/command.h"
#include "cli/emit.h"
#include "cli/log_priv.h"
#include "trace/fiofast.h"
#include "trace/logname.h"

#define THREADS_LIMIT 16

struct verb {
	const char *name;
	int (*main)(int argc, char **argv, struct err *err);
};

static const struct verb verbs[] = {
	{"bin", log_bin},     {"info", log_info},	{"head", log_head},
	{"cut", log_cut},     {"merge", log_merge},	{"convert", log_convert},
	{"judge", log_judge}, {"compare", log_compare}, {"plot", log_plot},
};

static int parse_kind(const char *text, struct log_options *options, struct err *err)
{
	options->trace.hints.kind = trace_kind_find(text);
	if (options->trace.hints.kind == TRACE_UNKNOWN)
		return err_input(err,
				 "\"%s\" is no kind of log (lat, clat, slat, bw, iops, hist)",
				 text);
	return 0;
}

static int parse_unit(const char *text, struct log_options *options, struct err *err)
{
	options->trace.hints.unit = str_equal(text, "ns")   ? TRACE_UNIT_NS
				    : str_equal(text, "us") ? TRACE_UNIT_US
							    : TRACE_UNIT_UNKNOWN;
	return options->trace.hints.unit
		       ? 0
		       : err_input(err, "\"%s\" is no unit of latencies (ns, us)", text);
}

static int parse_windowed(const char *text, struct log_options *options, struct err *err)
{
	options->trace.hints.windowed = str_equal(text, "yes")	? TRACE_YES
					: str_equal(text, "no") ? TRACE_NO
								: TRACE_UNASKED;
	return options->trace.hints.windowed ? 0
					     : err_input(err, "\"%s\" is not yes or no", text);
}

static int parse_window(const char *text, struct log_options *options, struct err *err)
{
	options->trace.hints.windowed = TRACE_YES;
	return unit_parse_time(text, "ms", &options->trace.hints.window_ns, err);
}

static int parse_depth(const char *text, struct log_options *options, struct err *err)
{
	int rc = unit_parse_double(text, &options->trace.hints.depth, err);

	if (!rc && options->trace.hints.depth <= 0)
		return err_input(err, "\"%s\" is no number of requests in flight", text);
	return rc;
}

static int parse_interval(const char *text, struct log_options *options, struct err *err)
{
	int rc = unit_parse_time(text, "s", &options->gather.bins.interval_ns, err);

	if (!rc && !options->gather.bins.interval_ns)
		return err_input(err, "\"%s\" is no interval", text);
	return rc;
}

/* Comma lists: `take` is called with each word. */
static int each_word(const char *text, struct log_options *options,
		     int (*take)(const char *, struct log_options *, struct err *),
		     struct err *err)
{
	int rc = 0;

	while (!rc) {
		size_t length = strcspn(text, ",");
		autostr word = {0};

		str_add(&word, "");
		str_add_bytes(&word, text, length);
		rc = take(str_text(&word), options, err);
		if (!text[length])
			break;
		text += length + 1;
	}
	return rc;
}

static int take_group(const char *word, struct log_options *options, struct err *err)
{
	if (str_equal(word, "job"))
		options->gather.by_source = true;
	else if (str_equal(word, "direction"))
		options->gather.bins.by_direction = true;
	else if (str_equal(word, "bs"))
		options->gather.bins.by_length = true;
	else
		return err_input(err, "\"%s\" is nothing to group by (job, direction, bs)",
				 word);
	return 0;
}

static int parse_by(const char *text, struct log_options *options, struct err *err)
{
	return each_word(text, options, take_group, err);
}

static int take_threshold(const char *word, struct log_options *options, struct err *err)
{
	struct bins_options *bins = &options->gather.bins;

	if (bins->nthresholds == BINS_THRESHOLDS_MAX)
		return err_input(err, "more than %u thresholds", BINS_THRESHOLDS_MAX);
	return unit_parse_time(word, "ms", &bins->threshold_ns[bins->nthresholds++], err);
}

static int parse_threshold(const char *text, struct log_options *options, struct err *err)
{
	return each_word(text, options, take_threshold, err);
}

static int parse_format(const char *text, struct log_options *options, struct err *err)
{
	static const struct {
		const char *name;
		enum log_format format;
	} formats[] = {{"csv", LOG_CSV},      {"json", LOG_JSON}, {"text", LOG_TEXT},
		       {"fio", LOG_FIO},      {"fio2", LOG_FIO2}, {"fz", LOG_FZ},
		       {"blocks", LOG_BLOCKS}};

	for (unsigned i = 0; i < ARRAY_SIZE(formats); i++)
		if (str_equal(text, formats[i].name)) {
			options->format = formats[i].format;
			return 0;
		}
	return err_input(err, "\"%s\" is no format (csv, json, text, fio, fio2, fz, blocks)",
			 text);
}

static int parse_char(const char *text, char *ret, struct err *err)
{
	if (str_equal(text, "tab") || str_equal(text, "\\t"))
		text = "\t";
	if (strlen(text) != 1 || (*text >= '0' && *text <= '9') || *text == '"' || *text == '-')
		return err_input(err, "\"%s\" is not one sign that can stand between numbers",
				 text);
	*ret = *text;
	return 0;
}

static int parse_decimal(const char *text, struct log_options *options, struct err *err)
{
	return parse_char(text, &options->decimal, err);
}

static int parse_separator(const char *text, struct log_options *options, struct err *err)
{
	return parse_char(text, &options->separator, err);
}

static int parse_from(const char *text, struct log_options *options, struct err *err)
{
	return unit_parse_time(text, "s", &options->from_ns, err);
}

static int parse_to(const char *text, struct log_options *options, struct err *err)
{
	return unit_parse_time(text, "s", &options->to_ns, err);
}

static int parse_rows(const char *text, struct log_options *options, struct err *err)
{
	return unit_parse_count(text, &options->rows, err);
}

static int parse_threads(const char *text, struct log_options *options, struct err *err)
{
	uint64_t threads;
	int rc = unit_parse_count(text, &threads, err);

	if (!rc && (threads < 1 || threads > THREADS_LIMIT))
		return err_input(err, "\"%s\" is not 1 to %u threads", text, THREADS_LIMIT);
	options->gather.threads = rc ? 0 : (unsigned)threads;
	return rc;
}

static int parse_loops(const char *text, struct log_options *options, struct err *err)
{
	options->trace.fast_set = fiofast_find(text);
	options->gather.bins.portable = trace_is_portable(&options->trace);
	return options->trace.fast_set
		       ? 0
		       : err_input(err,
				   "this processor runs no loops \"%s\" (portable, "
				   "sse2, avx2, avx512)",
				   text);
}

static const struct option {
	const char *name;
	int (*parse)(const char *text, struct log_options *options, struct err *err);
} valued[] = {
	{"kind", parse_kind},
	{"unit", parse_unit},
	{"windowed", parse_windowed},
	{"window", parse_window},
	{"depth", parse_depth},
	{"interval", parse_interval},
	{"by", parse_by},
	{"threshold", parse_threshold},
	{"format", parse_format},
	{"decimal", parse_decimal},
	{"separator", parse_separator},
	{"from", parse_from},
	{"to", parse_to},
	{"rows", parse_rows},
	{"threads", parse_threads},
	{"loops", parse_loops},
};

/* These go with every command. */
#define COMMON " kind unit windowed window depth format "

static bool is_allowed(const char *allowed, const char *name)
{
	autostr word = {0};

	str_printf(&word, " %s ", name);
	return strstr(allowed, str_text(&word)) || strstr(COMMON, str_text(&word));
}

static int parse_valued(const char *word, const char *allowed, struct log_options *options,
			struct err *err)
{
	const char *value = strchr(word, '=');

	for (unsigned i = 0; i < ARRAY_SIZE(valued); i++) {
		size_t length = strlen(valued[i].name);
		int rc;

		if (strncmp(word, valued[i].name, length) != 0 ||
		    (word[length] != '=' && word[length]))
			continue;
		if (!is_allowed(allowed, valued[i].name))
			break;
		if (!value)
			return err_input(err, "--%s needs a value: --%s=...", valued[i].name,
					 valued[i].name);
		rc = valued[i].parse(value + 1, options, err);
		if (rc)
			err_context(err, "--%s", valued[i].name);
		return rc;
	}
	return err_input(err,
			 "\"--%s\" is no option of this command; `assay help log` lists them",
			 word);
}

static int parse_word(int argc, char **argv, int *at, const char *allowed,
		      struct log_options *options, struct err *err)
{
	const char *word = argv[*at];

	if (str_equal(word, "--lenient")) {
		options->trace.lenient = true;
	} else if (str_equal(word, "--quiet")) {
		options->quiet = true;
	} else if (str_equal(word, "--keep-all") && is_allowed(allowed, "keep-all")) {
		options->gather.keep_all = true;
	} else if (str_equal(word, "-o")) {
		if (++*at == argc)
			return err_input(err, "-o needs the name of a file");
		options->output = str_equal(argv[*at], "-") ? NULL : argv[*at];
	} else if (str_starts(word, "--json=")) {
		options->json = word + strlen("--json=");
	} else if (str_starts(word, "--")) {
		return parse_valued(word + 2, allowed, options, err);
	} else if (word[0] == '-' && word[1]) {
		return err_input(err, "\"%s\" is no option of this command", word);
	} else {
		options->paths[options->npaths++] = word;
	}
	return 0;
}

int log_parse(int argc, char **argv, const char *allowed, struct log_options *ret_options,
	      struct err *err)
{
	struct log_options *options = ret_options;

	*options = (struct log_options){.gather.bins.interval_ns = NS_PER_S,
					.gather.threads = 1,
					.to_ns = UINT64_MAX,
					.rows = 10};
	options->paths = calloc((size_t)argc + 1, sizeof(*options->paths));
	if (!options->paths)
		return err_env(err, -ENOMEM, "no memory");
	for (int i = 1; i < argc; i++) {
		int rc = parse_word(argc, argv, &i, allowed, options, err);

		if (rc)
			return rc;
	}
	if (!options->npaths)
		return err_input(err, "name the log files (- is standard input)");
	return emit_check_place(options->output, argc, argv, err);
}

int log_open(const struct log_options *options, struct log_files *ret_files, struct err *err)
{
	struct log_files *files = ret_files;

	*files = (struct log_files){0};
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
	files->readers = calloc(options->npaths, sizeof(*files->readers));
	files->totals = calloc(options->npaths, sizeof(*files->totals));
	if (!files->readers || !files->totals)
		return err_env(err, -ENOMEM, "no memory");
	for (unsigned i = 0; i < options->npaths; i++) {
		struct trace_options trace = options->trace;

		if (log_find_totals(options, options->paths[i], &trace, &files->totals[i], err))
			return err->code;
		files->readers[i] = trace_open(options->paths[i], &trace, err);
		if (!files->readers[i])
			return err->code;
		files->count++;
	}
	return 0;
}

void log_close(struct log_files *files)
{
	for (unsigned i = 0; i < files->count; i++)
		trace_close(files->readers[i]);
	free(files->readers);
	free(files->totals);
	*files = (struct log_files){0};
}

void log_job_name(const struct trace_info *info, struct str *out)
{
	str_add(out, info->job_name);
	if (info->job)
		str_printf(out, ".%u", info->job);
	if (info->host[0])
		str_printf(out, "@%s", info->host);
}

void log_note(const struct log_options *options, const char *fmt, ...)
{
	autostr said = {0};
	va_list args;

	if (options->quiet)
		return;
	va_start(args, fmt);
	lang_vprintf(lang_of_messages(), &said, fmt, args);
	va_end(args);
	str_make_safe(said.text);
	(void)fprintf(stderr, lang_here("note: %s\n"), str_text(&said));
}

void log_say_kinds(const struct log_options *options, const struct log_files *files)
{
	for (unsigned i = 0; i < files->count; i++)
		log_note(options, "%s: %s", trace_path(files->readers[i]),
			 trace_info(files->readers[i])->about);
}

/* Damage is said whatever --quiet says. */
static void warn(void *context, const char *text)
{
	autostr said = {0};

	(void)context;
	lang_say(lang_of_messages(), text, &said);
	str_make_safe(said.text);
	(void)fprintf(stderr, "%s%s\n", lang_here("warning: "), str_text(&said));
}

void log_say_counts(const struct log_options *options, const struct log_files *files)
{
	for (unsigned i = 0; i < files->count; i++) {
		const struct trace_counts *c = trace_counts(files->readers[i]);
		const char *path = trace_path(files->readers[i]);

		if (c->bad_rows)
			log_note(options,
				 PLURAL(c->bad_rows, "%s: %llu bad row left out, in line %llu",
					"%s: %llu bad rows left out, the first in line %llu"),
				 path, (unsigned long long)c->bad_rows,
				 (unsigned long long)c->first_bad_line);
		if (c->zero_rows)
			log_note(options,
				 PLURAL(c->zero_rows, "%s: %llu row of zeros left out",
					"%s: %llu rows of zeros left out"),
				 path, (unsigned long long)c->zero_rows);
		if (c->backward)
			log_note(options,
				 PLURAL(c->backward,
					"%s: time goes back %llu time, in line %llu",
					"%s: time goes back %llu times, first in line %llu"),
				 path, (unsigned long long)c->backward,
				 (unsigned long long)c->first_backward_line);
		if (c->cut_row)
			log_note(options, "%s: the last line is cut off, and left out", path);
		if (c->nul_bytes)
			log_note(options,
				 PLURAL(c->nul_bytes, "%s: %llu byte of zero at its end",
					"%s: %llu bytes of zero at its end"),
				 path, (unsigned long long)c->nul_bytes);
		log_each_damage(files->readers[i], warn, NULL);
	}
}

int log_damage_exit(const struct log_files *files)
{
	for (unsigned i = 0; i < files->count; i++)
		if (trace_is_damaged(trace_counts(files->readers[i])))
			return ERR_INPUT;
	return 0;
}

int cmd_log(int argc, char **argv)
{
	struct err err = {0};

	for (unsigned i = 0; argc > 1 && i < ARRAY_SIZE(verbs); i++) {
		int rc;

		if (!str_equal(argv[1], verbs[i].name))
			continue;
		rc = verbs[i].main(argc - 1, argv + 1, &err);
		return rc < 0 ? emit_error(&err) : rc;
	}
	if (argc > 1)
		(void)err_input(&err, "log: there is no command \"%s\"\n%s", argv[1],
				command_find("log")->help);
	else
		(void)err_input(&err, "log: say what to do\n%s", command_find("log")->help);
	return emit_error(&err);
}
