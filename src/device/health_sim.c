/* Health of a simulated drive, in the fields of real ones. */
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "device/health.h"
#include "sim/drive.h"

static int64_t as_value(uint64_t count)
{
	return count > INT64_MAX ? INT64_MAX : (int64_t)count;
}

void health_of_sim(struct health *ret_health, const struct profile *profile,
		   const struct drive_health *log)
{
	int64_t *value = ret_health->value;

	health_init(ret_health, "");
	ret_health->at_unix_ns = clock_wall_ns();
	(void)snprintf(ret_health->model, sizeof(ret_health->model), "%s", profile->name);
	(void)snprintf(ret_health->protocol, sizeof(ret_health->protocol), "simulated");
	(void)snprintf(ret_health->source, sizeof(ret_health->source), "sim:%s", profile->name);
	ret_health->size_bytes = profile_scaled(profile, profile->size_bytes);
	ret_health->passed = ANSWER_YES;
	value[HEALTH_HOST_READ_BYTES] = as_value(log->host_read_bytes);
	value[HEALTH_HOST_WRITTEN_BYTES] = as_value(log->host_written_bytes);
	value[HEALTH_HOST_READS] = as_value(log->host_reads);
	value[HEALTH_HOST_WRITES] = as_value(log->host_writes);
	value[HEALTH_UNSAFE_SHUTDOWNS] = as_value(log->unsafe_shutdowns);
	value[HEALTH_MEDIA_ERRORS] = as_value(log->media_errors);
	if (profile->kind != PROFILE_SSD)
		return; /* no flash, no wear, and no thermometer in the model */
	value[HEALTH_NAND_WRITTEN_BYTES] = as_value(log->nand_written_bytes);
	value[HEALTH_USED_PPM] = as_value(log->used_ppm);
	value[HEALTH_TEMPERATURE_MC] = log->temperature_mc;
	value[HEALTH_THROTTLED_NS] = as_value(log->throttled_ns);
}
