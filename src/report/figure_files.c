#include "report/figure_files.h"

#include <errno.h>

#include "base/file.h"
#include "base/outfile.h"
#include "report/bitmap.h"
#include "report/graph.h"

#define PIXELS_PER_UNIT 2 /* sharp on paper */

static void no_heading(struct document *doc, unsigned level, const char *text)
{
	(void)doc, (void)level, (void)text;
}

static void no_prose(struct document *doc, enum tone tone, const char *text)
{
	(void)doc, (void)tone, (void)text;
}

static void no_facts(struct document *doc, const struct fact *facts, unsigned count)
{
	(void)doc, (void)facts, (void)count;
}

static void no_table(struct document *doc, const struct table *table)
{
	(void)doc, (void)table;
}

static int write_svg(const struct graph *graph, const char *path, struct err *err)
{
	autostr svg = {0};
	int rc;

	graph_svg(graph, &svg);
	rc = file_replace(path, str_text(&svg), svg.length);
	if (!rc)
		outfile_mark_path(path);
	return rc ? err_env(err, rc, "cannot write \"%s\": %s", path, err_name(rc)) : 0;
}

static int write_png(const struct graph *graph, const char *path, struct err *err)
{
	struct graph_size size = graph_size(graph, true);
	struct bitmap bitmap;
	int rc = bitmap_begin(&bitmap, size.width, size.height, PIXELS_PER_UNIT, err);

	if (rc)
		return rc;
	graph_draw(graph, true, &bitmap.canvas);
	return bitmap_end(&bitmap, path, err);
}

static void write_graph(struct document *doc, const struct graph *graph)
{
	struct figure_files *files = doc->state;
	const char *svg = document_text(doc, "%s/%s.svg", files->folder, graph->id);
	const char *png = document_text(doc, "%s/%s.png", files->folder, graph->id);
	struct err err = {0};
	int rc;

	rc = outfile_check(svg, OUTFILE_AGAIN, &err);
	rc = rc ? rc : outfile_check(png, OUTFILE_AGAIN, &err);
	if (!rc && !files->only_check) {
		rc = write_svg(graph, svg, &err);
		rc = rc ? rc : write_png(graph, png, &err);
	}
	files->count++;
	if (!rc || files->rc)
		return;
	files->rc = rc;
	files->err = err;
}

static void write_chart(struct document *doc, const struct chart *chart)
{
	struct graph other;

	if (!chart->graph)
		return;
	write_graph(doc, chart->graph);
	if (graph_other(chart->graph, doc->style.lang, &doc->arena, &other))
		write_graph(doc, &other);
}

static const struct document_ops figure_ops = {
	.heading = no_heading,
	.prose = no_prose,
	.facts = no_facts,
	.table = no_table,
	.chart = write_chart,
};

void document_init_figures(struct document *doc, struct str *out, struct figure_files *files)
{
	*doc = (struct document){.ops = &figure_ops,
				 .out = out,
				 .style = {.utf8 = true, .columns = 80},
				 .state = files};
	arena_init(&doc->arena);
}
