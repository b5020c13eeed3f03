/* assay log plot: SVG, PNG, HTML, or a picture in the terminal. */
#include <string.h>
#include <strings.h>

#include "base/bits.h"
#include "base/lang.h"
#include "cli/emit.h"
#include "cli/log_gauge.h"
#include "report/bitmap.h"
#include "report/plot.h"

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
	struct log_groups groups = {0};
	struct plot_log logs[PLOT_LOGS_MAX];
	struct plot plot = {.limits_ns = {5 * NS_PER_MS, 200 * NS_PER_MS}, .nlimits = 2};
	int rc = gauge_parse(argc, argv, " format title ", &options, err);

	if (!rc) {
		const struct bins_options *bins = &options.log.gather.bins;

		options.wants_density = true;
		rc = log_groups_read(&options, PLOT_LOGS_MAX, &groups, err);
		if (bins->nthresholds)
			plot.nlimits = 0;
		for (unsigned i = 0; i < bins->nthresholds && i < PLOT_LIMITS_MAX; i++)
			plot.limits_ns[plot.nlimits++] = bins->threshold_ns[i];
	}
	for (unsigned i = 0; i < groups.count; i++)
		logs[i] = (struct plot_log){.name = groups.gauges[i].subject,
					    .run = &groups.gauges[i].run,
					    .facts = groups.gauges[i].qos.facts,
					    .density = &groups.gauges[i].density};
	if (!rc) {
		plot.logs = logs;
		plot.nlogs = groups.count;
		plot.title = options.title	 ? options.title
			     : groups.count == 1 ? logs[0].name
						 : N_("Logs side by side");
		rc = write_plot(&options, &plot, err);
		rc = rc ? rc : log_groups_damaged(&groups);
	}
	log_groups_free(&groups);
	gauge_done(&options);
	return rc;
}
