/*
 * What we say beside fio's own output: the last member "assay" of the JSON, or lines that begin
 * with "assay:" after fio's last line of text. Nothing is said on stderr.
 */
#pragma once

#include "base/json.h"
#include "base/str.h"
#include "report/fio_figures.h"

void fio_notes_json(const struct fio_report *report, struct json *json);
void fio_notes_text(const struct fio_report *report, struct str *out);
