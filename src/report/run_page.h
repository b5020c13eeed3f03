/*
 * The report of one run: what was measured, what each group of jobs did, how it went over time,
 * what the devices counted, what to mind. Pure; `result` is written to only for what merging
 * its workers takes from its arena.
 */
#pragma once

#include "report/document.h"
#include "result/result.h"

void run_page(struct document *doc, struct result *result);

/* The result's notes, warnings first. */
void run_page_notes(struct document *doc, const struct result *result);

/* The parts of it, for pages in another order: a table for each group of jobs; what the devices
 * counted, what did not come back, and the notes; the sentence. */
void run_page_groups(struct document *doc, struct result *result);
void run_page_end(struct document *doc, const struct result *result);
void run_page_sentence(struct document *doc, struct result *result);
