/* The parts of `assay report`: what a report is about, and writing it. */
#pragma once

#include "base/err.h"
#include "cli/log_gauge.h"
#include "cli/sides.h"
#include "report/document.h"

struct report_options {
	struct gauge_options gauge; /* subjects are gauge.log.paths */
	const char *store, *figures;
	bool unjudged; /* --policy=none */
	bool has_lang; /* --lang; else the environment's */
	enum lang lang;
};

enum report_format { REPORT_TEXT, REPORT_HTML, REPORT_MARKDOWN, REPORT_CSV };

/* A page of any format: it is asked for once for the file, and once more for --figures. */
typedef int report_content(struct document *doc, void *context, struct err *err);
struct report_job {
	const char *title;
	report_content *content;
	void *context;
};
/* report_write.c */
int report_format_of(const struct report_options *options, enum report_format *ret_format,
		     struct err *err);
int report_write(const struct report_options *options, const struct report_job *job,
		 struct err *err);

/* The page as HTML into the folder "reports" beside the store, as NAME.html with the first eight
 * signs of the uid; *ret_path is its path. */
struct report_place {
	const char *store_path, *name, *uid;
};
int report_keep_page(const struct report_place *place, const struct report_job *job,
		     struct str *ret_path, struct err *err);
/* The same of one record. */
int report_keep(const char *store_path, struct record *record, struct str *ret_path,
		struct err *err);
/* The content of a record's page: a struct report_run. */
report_content report_record_content;
