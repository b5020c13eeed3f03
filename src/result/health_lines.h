/* The health of drives around a run or a step of a plan, for people. */
#pragma once

#include "base/arena.h"
#include "result/facts.h"

/* A copy whose texts and array lie in the arena. */
struct health_facts *health_facts_copy(struct arena *arena, const struct health_facts *health,
				       unsigned count);

/* What is worth a line: what moved, and what tells a state. Texts for people. */
struct health_line {
	const char *title; /* "written by the host" */
	char before[64], after[64], change[64];
};
unsigned health_lines(const struct health_facts *health, struct health_line *ret_lines);
#define HEALTH_LINES_MAX (NHEALTH + 1) /* write amplification has no field */
