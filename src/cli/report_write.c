/* A report into its file, in the format that the file's name or --format says. */
#include <errno.h>
#include <libgen.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/bits.h"
#include "base/file.h"
#include "cli/emit.h"
#include "cli/quick_view.h"
#include "cli/report_priv.h"
#include "report/figure_files.h"
#include "report/html.h"
#include "report/report_page.h"
#include "store/store_place.h"

#define PROGRAM "assay " ASSAY_VERSION

int report_format_of(const struct report_options *options, enum report_format *ret_format,
		     struct err *err)
{
	static const struct {
		const char *name;
		enum report_format format;
	} names[] = {
		{"text", REPORT_TEXT}, {"txt", REPORT_TEXT},	      {"html", REPORT_HTML},
		{"htm", REPORT_HTML},  {"markdown", REPORT_MARKDOWN}, {"md", REPORT_MARKDOWN},
		{"csv", REPORT_CSV},
	};
	const char *output = options->gauge.log.output, *name = options->gauge.format;
	const char *dot = output ? strrchr(output, '.') : NULL;

	if (!name)
		name = dot ? dot + 1 : output && !str_equal(output, "-") ? "html" : "text";
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcasecmp(name, names[i].name) != 0)
			continue;
		*ret_format = names[i].format;
		return 0;
	}
	return err_input(err, "\"%s\" is no format of reports (html, markdown, csv, text)",
			 name);
}

static void begin(struct document *doc, struct str *out, enum report_format format,
		  const struct report_options *options, const char *title)
{
	const struct html_head head = {
		.title = title, .program = PROGRAM, .lang = options->lang};
	struct page_style style;

	switch (format) {
	case REPORT_HTML:
		document_init_html(doc, out, &head);
		break;
	case REPORT_MARKDOWN:
		document_init_markdown(doc, out);
		doc->style.lang = options->lang;
		break;
	case REPORT_CSV:
		document_init_csv(doc, out);
		doc->style.lang = options->lang;
		break;
	case REPORT_TEXT:
		emit_style(&style, options->gauge.log.output != NULL);
		if (options->has_lang) {
			style.lang = options->lang;
			style.utf8 |= options->lang != LANG_EN;
		}
		document_init_text(doc, out, &style);
		break;
	}
}

/* `only_check`: may all of them be written? Before the first byte of the report is. */
static int write_figures(const struct report_options *options, const struct report_job *job,
			 bool only_check, struct err *err)
{
	const char *folder = options->figures;
	struct figure_files files = {.folder = folder, .only_check = only_check};
	struct document doc;
	autostr out = {0};
	int rc;

	if (!only_check && mkdir(folder, 0777) && errno != EEXIST)
		return err_env(err, -errno, "cannot make the folder \"%s\": %s", folder,
			       err_name(errno));
	document_init_figures(&doc, &out, &files);
	doc.style.lang = options->lang;
	rc = job->content(&doc, job->context, err);
	document_done(&doc);
	if (rc || !files.rc)
		return rc;
	*err = files.err;
	return files.rc;
}

int report_write(const struct report_options *options, const struct report_job *job,
		 struct err *err)
{
	const char *output = options->gauge.log.output;
	enum report_format format;
	struct document doc;
	autostr out = {0};
	int rc = report_format_of(options, &format, err);

	if (rc)
		return rc;
	begin(&doc, &out, format, options, job->title);
	rc = job->content(&doc, job->context, err);
	document_done(&doc);
	if (!rc && options->figures)
		rc = write_figures(options, job, true, err);
	if (!rc && (output || !options->figures))
		rc = emit_text(output, &out, err);
	if (!rc && options->figures)
		rc = write_figures(options, job, false, err);
	return rc;
}

int report_record_content(struct document *doc, void *context, struct err *err)
{
	return report_run_page(doc, context, err);
}

/* "reports/r17-1f0c2a3b.html" beside the store. */
static void report_path(const struct report_place *place, struct str *ret_path)
{
	autostr store = {0};

	str_add(&store, place->store_path);
	str_printf(ret_path, "%s/reports/%s-%.8s.html", dirname(store.text), place->name,
		   place->uid);
}

int report_keep_page(const struct report_place *place, const struct report_job *job,
		     struct str *ret_path, struct err *err)
{
	const struct html_head head = {
		.title = job->title, .program = PROGRAM, .lang = lang_of_environment()};
	struct document doc;
	autostr out = {0};
	int rc;

	report_path(place, ret_path);
	document_init_html(&doc, &out, &head);
	rc = job->content(&doc, job->context, err);
	document_done(&doc);
	rc = rc ? rc : store_place_make(str_text(ret_path), err);
	if (rc)
		return rc;
	rc = file_replace(str_text(ret_path), str_text(&out), out.length);
	rc = rc ? rc : store_place_give(str_text(ret_path));
	return rc ? err_env(err, rc, "cannot write the report \"%s\": %s", str_text(ret_path),
			    err_name(rc))
		  : 0;
}

int report_keep(const char *store_path, struct record *record, struct str *ret_path,
		struct err *err)
{
	const struct report_place place = {store_path, record->id ? record->id : "run",
					   record->uid};
	struct report_run run = {.record = record};
	const struct report_job job = {.title = record->title ? record->title : record->kind,
				       .content = report_record_content,
				       .context = &run};
	struct quick_view quick;

	if (str_equal(record->kind, "quick")) {
		quick_view_init(&quick, record);
		run.quick = &quick.page;
	}
	return report_keep_page(&place, &job, ret_path, err);
}
