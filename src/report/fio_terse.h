/*
 * fio's terse output, versions 2 to 5: one line of fields with ';' between for each job or
 * group (a second line for the description in version 2). The first line of what scripts parse
 * by position, so no notes of ours here.
 */
#pragma once

#include "base/str.h"
#include "report/fio_figures.h"

void fio_terse(const struct fio_report *report, struct str *out);
