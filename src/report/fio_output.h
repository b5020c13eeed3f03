/*
 * --output-format: a comma list of normal, terse, json and json+. Several formats follow each
 * other in one stream, in fio's order, whatever the order of the list.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "report/fio_figures.h"

struct fio_formats {
	bool normal, terse, json, bins;
};

/* `list` NULL: normal. --minimal is terse alone, --append-terse terse as well. */
int fio_formats_parse(struct fio_formats *ret_formats, const struct run_options *options,
		      struct err *err);

/* The report in all its formats; sets report->bins as the formats ask. */
void fio_output(struct fio_report *report, const struct fio_formats *formats, struct str *out);
