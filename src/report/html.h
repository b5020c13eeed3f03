/*
 * The document as one file of HTML: opened from a disk, without a network. Nothing is loaded from
 * elsewhere, and a Content-Security-Policy inside the page forbids it; texts are escaped, so what
 * a drive or a file is called cannot become markup. Graphs are SVG inside the page.
 */
#pragma once

#include "report/document.h"

struct html_head {
	const char *title;
	enum lang lang;
	const char *program; /* "assay 0.1.0", said at the end */
};

/* The head's texts are copied. */
void document_init_html(struct document *doc, struct str *out, const struct html_head *head);
