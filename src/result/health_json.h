/* The health of drives around a run or a step of a plan, as JSON and back. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "result/facts.h"

struct json;

/* [{"device": "nvme0n1", "before": {..., "values": {"host_reads": 5, ...}}, "after": ...}, ...];
 * values hold what is known alone, and a reading that was not made is null. */
void health_json(struct json *json, const char *key, const struct health_facts *health,
		 unsigned count);
/* The same as a text of its own, for the store. */
void health_json_text(const struct health_facts *health, unsigned count, struct str *out);
int health_json_parse(struct arena *arena, const char *text, struct health_facts **ret_health,
		      unsigned *ret_count, struct err *err);
