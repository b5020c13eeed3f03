/*
 * Results of any file that we can read: our exports, what our runs printed as JSON, fio's JSON
 * (2.x and 3.x) and its terse lines (v3 to v5). What kind it is is seen in the text.
 *
 * fio's files hold more than one thing: text before and after, several documents, -nan and inf.
 * A scan cuts the documents out and writes null for what is no JSON; each is then read whole.
 */
#pragma once

#include "result/record.h"

/* As record_read_json(): records in `arena`, the caller's to release, also after an error.
 * `name` is the file's, for messages and titles. */
int import_text(struct arena *arena, const char *name, const char *text, size_t bytes,
		struct record **ret_records, unsigned *ret_count, struct err *err);
