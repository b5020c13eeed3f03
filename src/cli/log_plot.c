/* assay log plot: SVG, PNG, HTML, or a picture in the terminal. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bits.h"
#include "cli/emit.h"
#include "cli/log_gauge.h"
#include "report/bitmap.h"
#include "report/plot.h"
#include "trace/logname.h"

/* The jobs of one run are one picture: the same folder, name, kind and host, other numbers. */
static bool same_run(const char *a, const char *b)
{
	const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
	size_t folder_a = slash_a ? (size_t)(slash_a - a) : 0;
	size_t folder_b = slash_b ? (size_t)(slash_b - b) : 0;
	struct logname name_a, name_b;

	logname_parse(a, &name_a);
	logname_parse(b, &name_b);
	return folder_a == folder_b && !strncmp(a, b, folder_a) && name_a.job && name_b.job &&
	       name_a.job != name_b.job && name_a.kind == name_b.kind &&
	       str_equal(name_a.prefix, name_b.prefix) && str_equal(name_a.host, name_b.host);
}

struct pictures {
	struct gauge *gauges;
	struct plot_log *logs;
	unsigned count;
};

static int read_groups(struct gauge_options *options, struct pictures *pictures,
		       struct err *err)
{
	const struct log_options *log = &options->log;
	const char **group = arena_array(&options->arena, const char *, log->npaths);
	bool *taken = arena_array(&options->arena, bool, log->npaths);
	int rc = 0;

	for (unsigned i = 0; i < log->npaths && !rc; i++) {
		struct gauge *gauge = &pictures->gauges[pictures->count];
		unsigned n = 0;

		if (taken[i])
			continue;
		if (pictures->count == PLOT_LOGS_MAX)
			return err_input(err,
					 "more than %d runs in one plot: plot them in parts",
					 PLOT_LOGS_MAX);
		for (unsigned j = i; j < log->npaths; j++) {
			if (taken[j] || (j != i && !same_run(log->paths[i], log->paths[j])))
				continue;
			taken[j] = true;
			group[n++] = log->paths[j];
		}
		rc = gauge_read(options, group, n, gauge, err);
		pictures->logs[pictures->count++] =
			(struct plot_log){.name = gauge->subject,
					  .run = &gauge->run,
					  .facts = gauge->qos.facts,
					  .density = &gauge->density};
	}
	return rc;
}

static int to_png(const struct plot *plot, const char *path, struct err *err)
{
	struct plot_size size = plot_size(plot);
	struct bitmap bitmap;
	int rc = bitmap_begin(&bitmap, size.width, size.height, 2, err);

	if (rc)
		return rc;
	plot_draw(plot, &bitmap.canvas);
	return bitmap_end(&bitmap, path, err);
}

/* The format as it was said, or by the name of the file, or text. */
static const char *format_of(const struct gauge_options *options)
{
	const char *dot = options->log.output ? strrchr(options->log.output, '.') : NULL;

	if (options->format)
		return options->format;
	return dot ? dot + 1 : options->log.output ? "svg" : "text";
}

static int write_plot(const struct gauge_options *options, const struct plot *plot,
		      struct err *err)
{
	const char *format = format_of(options);
	autostr out = {0};
	struct page_style style;

	if (!strcasecmp(format, "png")) {
		if (!options->log.output)
			return err_input(err, "a PNG goes into a file: give -o NAME.png");
		return to_png(plot, options->log.output, err);
	}
	if (!strcasecmp(format, "svg")) {
		plot_svg(plot, &out);
	} else if (!strcasecmp(format, "html")) {
		plot_html(plot, &out);
	} else if (!strcasecmp(format, "text") || !strcasecmp(format, "txt")) {
		emit_style(&style, options->log.output != NULL);
		plot_text(plot, style.columns ? style.columns : 80, style.utf8, &out);
	} else {
		return err_input(err, "\"%s\" is no format of plots (svg, png, html, text)",
				 format);
	}
	return emit_text(options->log.output, &out, err);
}

int log_plot(int argc, char **argv, struct err *err)
{
	struct gauge_options options;
	struct pictures pictures = {0};
	struct plot plot = {.limits_ns = {5 * NS_PER_MS, 200 * NS_PER_MS}, .nlimits = 2};
	int rc = gauge_parse(argc, argv, " format title ", &options, err);

	if (!rc) {
		const struct bins_options *bins = &options.log.gather.bins;

		options.wants_density = true;
		pictures.gauges = arena_array(&options.arena, struct gauge, PLOT_LOGS_MAX);
		pictures.logs = arena_array(&options.arena, struct plot_log, PLOT_LOGS_MAX);
		rc = read_groups(&options, &pictures, err);
		if (bins->nthresholds)
			plot.nlimits = 0;
		for (unsigned i = 0; i < bins->nthresholds && i < PLOT_LIMITS_MAX; i++)
			plot.limits_ns[plot.nlimits++] = bins->threshold_ns[i];
	}
	if (!rc) {
		plot.logs = pictures.logs;
		plot.nlogs = pictures.count;
		plot.title = options.title	   ? options.title
			     : pictures.count == 1 ? pictures.logs[0].name
						   : "Logs side by side";
		rc = write_plot(&options, &plot, err);
	}
	for (unsigned i = 0; i < pictures.count; i++)
		gauge_free(&pictures.gauges[i]);
	gauge_done(&options);
	return rc;
}
