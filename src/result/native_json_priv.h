/* The parts of the native JSON: each writes members into the object that is open. */
#pragma once

#include "base/json.h"
#include "result/result.h"

void native_json_facts(struct json *json, const struct result *result);
/* A whole result; its part without facts and options. Without `whole` what the store keeps in
 * tables of its own is left out: histograms and what follows from them, the series, the notes. */
void native_json_body(struct json *json, struct result *result);
void native_json_head(struct json *json, struct result *result, bool whole);
void native_json_group(struct json *json, const struct job_result *group, bool whole);
void native_json_logs(struct json *json, const struct result *result);
void native_json_vitals(struct json *json, const struct vitals *vitals);
void native_json_options(struct json *json, const struct job_set *set);

/* 0 stands for unknown. */
void json_add_known(struct json *json, const char *key, uint64_t value);
extern const char *const json_op_names[];
extern const char *const json_lat_names[NLAT];
extern const char *const json_rates_over[2]; /* by rated_whole */
extern const char *const json_note_kinds[];  /* by enum note_kind */
