/*
 * fio's JSON, key for key in fio's order (version 3.42), and after fio's own members one last,
 * "assay": what we have to say about the run. ASSAY_NOTES=0 leaves that out
 * (fio_report.notes).
 */
#pragma once

#include "base/str.h"
#include "report/fio_figures.h"

void fio_json(const struct fio_report *report, struct str *out);
