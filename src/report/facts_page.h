/* The parts of a page that say what was measured, on what machine, and what to mind: shared by
 * the reports of a run and of quick. */
#pragma once

#include "report/document.h"
#include "result/result.h"

/* Targets, their devices and file systems, the host, the time of day; then `more`. `result` may be
 * NULL: there is nothing to say then. */
void facts_page(struct document *doc, const struct result *result, const struct fact *more,
		unsigned nmore);
/* What the devices counted, beside what was asked; nothing where no counters were read. */
void facts_page_devices(struct document *doc, const struct result *result);
/* "1.92 TB", "Samsung ... (nvme0n1), 1.92 TB, PCIe 4.0 x4, scheduler none". */
const char *facts_page_device(struct document *doc, const struct device *device);
/* What is known to move figures, before and after: what differs first. Nothing where nothing was
 * recorded. */
void facts_page_environment(struct document *doc, const struct environment *environment);
