/* One line that says where a run stands, from a struct progress: text for a terminal (without a
 * newline, cut to `columns`), or one line of JSON for --progress=json (with its newline). */
#pragma once

#include "base/str.h"
#include "result/progress.h"

void live_text(const struct progress *progress, unsigned columns, struct str *out);
void live_json(const struct progress *progress, struct str *out);
