/* Any text as what smartctl printed: an error with words, or values that are unknown or sane. */
#include "device/health.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

static void must_be_sane(const struct health *health)
{
	struct health nothing;
	char text[80];

	health_difference(health, health, &nothing);
	for (unsigned i = 0; i < NHEALTH; i++) {
		int64_t value = health->value[i];

		if (value == HEALTH_UNKNOWN && nothing.value[i] != HEALTH_UNKNOWN)
			abort();
		if (value < 0 && value != HEALTH_UNKNOWN && i != HEALTH_TEMPERATURE_MC)
			abort();
		if (health_fields[i].counts && value != HEALTH_UNKNOWN && nothing.value[i] != 0)
			abort();
		health_format((enum health_field)i, value, text, sizeof(text));
		if (!text[0])
			abort();
	}
	if (health_write_amplification(&nothing) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct health health;
	struct err err = {0};

	if (health_parse(&health, (const char *)data, bytes, &err) < 0 && !err.text[0])
		abort();
	must_be_sane(&health);
	if (bytes >= HEALTH_OCP_BYTES)
		(void)health_parse_ocp(&health, data);
	must_be_sane(&health);
	return 0;
}
