/* A record as a table of its cells: for figures that others measured or printed. */
#pragma once

#include "report/document.h"
#include "result/record.h"

void cells_page(struct document *doc, const struct record *record);
/* A figure with its unit's scale: "12.3"; "–" for NAN. */
const char *cells_value(struct document *doc, enum cell_metric metric, double value);
