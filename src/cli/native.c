#include "cli/native.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/emit.h"
#include "cli/quick_view.h"
#include "report/cells_page.h"
#include "report/quick_page.h"
#include "report/run_page.h"
#include "result/record_json.h"

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

void native_begin_page(struct document *doc, struct str *out, enum native_format format,
		       const char *path)
{
	struct page_style style;

	if (format == NATIVE_CSV) {
		document_init_csv(doc, out);
		return;
	}
	if (format == NATIVE_MARKDOWN) {
		document_init_markdown(doc, out);
		doc->style.lang = lang_of_environment();
		return;
	}
	emit_style(&style, path && !str_equal(path, "-"));
	document_init_text(doc, out, &style);
}

/* Kept results say how they are called. */
static void kept(struct document *doc, const struct record *record)
{
	if (record->id)
		document_prose(doc, TONE_PLAIN,
			       "kept as %s: `assay results show %s` shows it again", record->id,
			       record->id);
}

static void page_of(struct document *doc, struct record *record)
{
	struct quick_view quick;

	if (str_equal(record->kind, "quick")) {
		quick_view_init(&quick, record);
		quick_page(doc, &quick.page);
		quick_view_done(&quick);
	} else if (record->nparts) {
		if (record->incomplete)
			document_prose(doc, TONE_MARK, "not complete: %s",
				       document_say(doc, record->incomplete));
		for (unsigned i = 0; i < record->nparts; i++)
			run_page(doc, record->parts[i].result);
	} else {
		cells_page(doc, record);
	}
	kept(doc, record);
}

int native_emit_record(struct record *record, enum native_format format, const char *path,
		       struct err *err)
{
	struct document doc;
	autostr out = {0};

	if (format == NATIVE_JSON) {
		record_run_json(record, ASSAY_VERSION, &out);
	} else {
		native_begin_page(&doc, &out, format, path);
		page_of(&doc, record);
		document_done(&doc);
	}
	return emit_text(path, &out, err);
}
