/* What drives say of themselves, before and after a run or a plan. */
#pragma once

#include "report/document.h"
#include "result/facts.h"

/* A table a drive: what moved, and its state. Nothing where no drive told anything. */
void health_page(struct document *doc, const struct health_facts *health, unsigned count);
