/*
 * The document as files: each graph as NAME.svg and NAME.png in a folder, for papers and slides.
 * Nothing else of the page is written.
 */
#pragma once

#include "base/err.h"
#include "report/document.h"

struct figure_files {
	const char *folder; /* is there */
	bool only_check;    /* whether each may be written (base/outfile.h): none is */
	unsigned count;	    /* of graphs written */
	int rc;		    /* of the first that could not be; the others go on */
	struct err err;
};

void document_init_figures(struct document *doc, struct str *out, struct figure_files *files);
