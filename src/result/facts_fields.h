/* The members of what stands around a run (result/facts.h), as the native JSON names them. */
#pragma once

#include "result/json_fields.h"

extern const struct json_field host_fields[], host_cpu_fields[], filesystem_fields[];
extern const struct json_field device_link_fields[], device_counters_fields[];
extern const struct json_field simulated_fields[], health_texts[];
