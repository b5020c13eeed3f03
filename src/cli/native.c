#include "cli/native.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/emit.h"
#include "report/run_page.h"
#include "result/native_json.h"

int native_format_parse(const char *text, enum native_format *ret_format, struct err *err)
{
	static const char *const names[] = {"text", "json", "markdown"};

	*ret_format = NATIVE_TEXT;
	if (!text)
		return 0;
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		if (!str_equal(text, names[i]))
			continue;
		*ret_format = (enum native_format)i;
		return 0;
	}
	return err_input(err, "format: \"%s\" is none of text, json, markdown", text);
}

static void begin_page(struct document *doc, struct str *out, enum native_format format,
		       const char *path)
{
	struct page_style style;

	if (format == NATIVE_MARKDOWN) {
		document_init_markdown(doc, out);
		return;
	}
	emit_style(&style, path && !str_equal(path, "-"));
	document_init_text(doc, out, &style);
}

int native_emit_run(struct result *result, enum native_format format, const char *path,
		    struct err *err)
{
	struct document doc;
	autostr out = {0};

	if (format == NATIVE_JSON) {
		native_json(result, ASSAY_VERSION, &out);
	} else {
		begin_page(&doc, &out, format, path);
		run_page(&doc, result);
		document_done(&doc);
	}
	return emit_text(path, &out, err);
}

static void quick_json(const struct quick *quick, struct str *out)
{
	static const char *const loads[NQUICK_LOADS] = {"read", "write", "mix"};
	unsigned room = quick->ncells * NQUICK_LOADS * quick->nruns, count = 0;
	struct native_json_run *runs = calloc(room ? room : 1, sizeof(*runs));

	for (unsigned c = 0; runs && c < quick->ncells; c++) {
		for (unsigned load = 0; load < NQUICK_LOADS; load++) {
			for (unsigned r = 0; quick->cells[c].runs[load] && r < quick->nruns;
			     r++)
				runs[count++] = (struct native_json_run){
					.name = quick->cells[c].name,
					.load = loads[load],
					.repeat = r,
					.result = quick->cells[c].runs[load][r]};
		}
	}
	native_json_runs(runs, count, ASSAY_VERSION, out);
	free(runs);
}

int native_emit_quick(struct quick *quick, enum native_format format, const char *path,
		      struct err *err)
{
	struct document doc;
	autostr out = {0};

	if (format == NATIVE_JSON) {
		quick_json(quick, &out);
	} else {
		begin_page(&doc, &out, format, path);
		quick_page(&doc, quick);
		document_done(&doc);
	}
	return emit_text(path, &out, err);
}
