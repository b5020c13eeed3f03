/* The machine around the drive: what makes figures wander or lower them. */
#include <math.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/str.h"
#include "result/plausible_priv.h"

#define OTHER_IOS_PER_S 5.0
#define OTHER_IOS_LEAST 3 /* one request in a short look is no use worth a warning */
#define WALL_JUMP_NS	(100 * (int64_t)NS_PER_MS)
#define DRIFT_PPM	500.0
#define NUMA_LOCAL	10

void check_governor(struct result *result)
{
	const char *governor = result->facts.host.governor;

	if (result->facts.has_host && *governor && !str_equal(governor, "performance"))
		result_note(result, "governor", SEVERITY_INFO, NULL,
			    "the CPU frequency governor is \"%s\": latencies at low depth hold "
			    "the time a core takes to speed up (performance keeps it fast)",
			    governor);
}

void check_numa(struct result *result)
{
	if (result->facts.numa_distance > NUMA_LOCAL)
		result_note(
			result, "numa-distance", SEVERITY_WARNING, NULL,
			"workers and device are on different NUMA nodes (distance %u, local "
			"is %d): bind the job with numa_cpu_nodes",
			result->facts.numa_distance, NUMA_LOCAL);
}

void check_link_down(struct result *result)
{
	for (unsigned i = 0; i < result->facts.ndevices; i++) {
		const struct device *device = &result->facts.devices[i].device;

		if (device->link.trained_down)
			result_note(result, "link-trained-down", SEVERITY_WARNING, NULL,
				    "%s: the link runs at %s, the drive can do %s: look at the "
				    "slot, the riser and the cable",
				    device->name, device->link.text, device->link.max_text);
	}
}

void check_other_io(struct result *result)
{
	for (unsigned i = 0; i < result->facts.ndevices; i++) {
		const struct device_counters *idle = &result->facts.devices[i].idle;
		uint64_t ios = idle->read.ios + idle->write.ios + idle->discard.ios;
		double seconds = (double)idle->at_ns / (double)NS_PER_S, rate;

		if (!idle->at_ns || ios < OTHER_IOS_LEAST)
			continue;
		rate = (double)ios / seconds;
		if (rate >= OTHER_IOS_PER_S)
			result_note(result, "other-io", SEVERITY_WARNING, NULL,
				    "%s was in use before the run (%.0f requests a second, "
				    "%s): others share the figures",
				    result->facts.devices[i].device.name, rate,
				    say_rate(result,
					     (double)(idle->read.bytes + idle->write.bytes) /
						     seconds));
	}
}

#define CHANGES_SHOWN 3

static const char *value_or_unknown(const char *value)
{
	return value ? value : "unknown";
}

/* One note for each: whoever reads them in another language reads each as one sentence. */
void check_environment(struct result *result)
{
	const struct environment *environment = &result->facts.environment;
	unsigned count = 0;

	for (unsigned i = 0; i < environment->count; i++) {
		const struct environment_entry *entry = &environment->entries[i];

		if (!environment_changed(entry) || count++ >= CHANGES_SHOWN)
			continue;
		result_note(
			result, "environment-changed", SEVERITY_WARNING, NULL,
			"the environment changed during the run: %s of %s was \"%.80s\" and "
			"is \"%.80s\"; what was measured before and after that is not of "
			"one setting",
			entry->name, entry->of, value_or_unknown(entry->before),
			value_or_unknown(entry->after));
	}
	if (count > CHANGES_SHOWN)
		result_note(
			result, "environment-changed", SEVERITY_WARNING, NULL,
			PLURAL(count - CHANGES_SHOWN,
			       "the environment changed during the run: %u more setting (see "
			       "the JSON)",
			       "the environment changed during the run: %u more settings (see "
			       "the JSON)"),
			count - CHANGES_SHOWN);
}

void check_other_run(struct result *result)
{
	for (unsigned i = 0; i < result->facts.ntargets; i++) {
		const struct target_facts *target = &result->facts.targets[i];

		if (target->other_run_pid)
			result_note(result, "other-run", SEVERITY_WARNING, NULL,
				    "another assay run (process %lu) used %s at the same time: "
				    "the two share the figures; let one end first",
				    target->other_run_pid, target->path);
	}
}

void check_battery(struct result *result)
{
	if (result->facts.has_host && result->facts.host.power == POWER_BATTERY)
		result_note(result, "on-battery", SEVERITY_WARNING, NULL,
			    "the machine runs on battery: CPU, link and drive may save power");
}

void check_clock(struct result *result)
{
	if (llabs(result->wall_jump_ns) > WALL_JUMP_NS)
		result_note(result, "wall-clock-jump", SEVERITY_WARNING, NULL,
			    "the wall clock was moved by %s%s during the run: times of day are "
			    "off, spans and rates are not",
			    result->wall_jump_ns < 0 ? "-" : "",
			    say_time(result, (uint64_t)llabs(result->wall_jump_ns)));
	if (fabs(result->clock_drift_ppm) > DRIFT_PPM)
		result_note(result, "clock-drift", SEVERITY_WARNING, NULL,
			    "the clock that took the stamps drifted by %.0f millionths against "
			    "the kernel's: all times are off by as much",
			    result->clock_drift_ppm);
}
