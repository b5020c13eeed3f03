/*
 * The logs that a run wrote: where each lies, and whether its rows add up to what the run
 * counted. Nothing where there is none.
 */
#pragma once

#include "report/document.h"
#include "result/result.h"

void logs_page(struct document *doc, const struct result *result);
