/* The parts of reading a result, each beside the writer's part of the same name. */
#pragma once

#include "result/json_read_priv.h"
#include "result/native_json_read.h"

int native_json_read_object(const json_t *root, struct job_set *set, struct result *result,
			    struct err *err);
void native_json_read_facts(struct json_reader *reader, const json_t *root,
			    struct result *result);
void native_json_read_group(struct json_reader *reader, const json_t *group,
			    const struct job_set *set, struct job_result *ret_job);
/* null, or missing in what was written before: none. */
void native_json_read_logs(struct json_reader *reader, const json_t *root,
			   struct result *result);
void native_json_read_vitals(struct json_reader *reader, const json_t *root,
			     struct vitals *ret_vitals);
/* health_json.c: the array that health_json() writes. */
void json_read_health(struct json_reader *reader, const json_t *array,
		      struct health_facts **ret_health, unsigned *ret_count);
/* {"99.000000": 123, ...} as told percentiles; values are in units of `unit_ns`. */
void json_read_told(struct json_reader *reader, const json_t *percentiles, struct lat *lat,
		    double unit_ns);
/* jansson with what we want of it: whole text, errors as ours. NULL and err on failure. */
json_t *json_read_parse(const char *text, size_t bytes, struct err *err);
