#include "base/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/bits.h"

struct step {
	double size;
	const char *name;
};

/* Three significant digits; whole where the value is whole. */
static void add_digits(double value, struct str *out)
{
	if (value >= 99.95 || fabs(value - round(value)) < 1e-9)
		str_printf(out, "%.0f", value);
	else
		str_printf(out, "%.*f", value >= 9.995 ? 1 : 2, value);
}

/* The biggest step that the value, rounded as it will be printed, still reaches. */
static void add_scaled(double value, const struct step *steps, unsigned count, struct str *out)
{
	unsigned i = 0;

	while (i + 1 < count && value * 1.0005 >= steps[i + 1].size)
		i++;
	add_digits(value / steps[i].size, out);
	str_printf(out, " %s", steps[i].name);
}

void quantity_time(uint64_t ns, struct str *out)
{
	static const struct step steps[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
	uint64_t seconds = (ns + NS_PER_S / 2) / NS_PER_S;

	if (seconds >= 3600)
		str_printf(out, "%" PRIu64 " h %02" PRIu64 " min", seconds / 3600,
			   seconds % 3600 / 60);
	else if (seconds >= 120)
		str_printf(out, "%" PRIu64 " min %02" PRIu64 " s", seconds / 60, seconds % 60);
	else
		add_scaled((double)ns, steps, ARRAY_SIZE(steps), out);
}

void quantity_size(uint64_t bytes, struct str *out)
{
	static const struct step steps[] = {{1, "B"},	     {0x1p10, "KiB"}, {0x1p20, "MiB"},
					    {0x1p30, "GiB"}, {0x1p40, "TiB"}, {0x1p50, "PiB"}};

	add_scaled((double)bytes, steps, ARRAY_SIZE(steps), out);
}

void quantity_decimal(uint64_t bytes, struct str *out)
{
	static const struct step steps[] = {{1, "B"},	 {1e3, "kB"},  {1e6, "MB"},
					    {1e9, "GB"}, {1e12, "TB"}, {1e15, "PB"}};

	add_scaled((double)bytes, steps, ARRAY_SIZE(steps), out);
}

void quantity_rate(double bytes_per_s, struct str *out)
{
	static const struct step steps[] = {
		{1, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}, {1e12, "TB/s"}};

	add_scaled(bytes_per_s, steps, ARRAY_SIZE(steps), out);
}

void quantity_count(uint64_t count, struct str *out)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, count);

	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			str_add_char(out, ',');
		str_add_char(out, digits[i]);
	}
}

void quantity_plain(double value, struct str *out)
{
	if (value >= 99.95)
		quantity_count((uint64_t)(value + 0.5), out);
	else if (value >= 9.995)
		str_printf(out, "%.1f", value);
	else if (value >= 0.9995)
		str_printf(out, "%.2f", value);
	else if (value > 0)
		str_printf(out, "%.3f", value);
	else
		str_add_char(out, '0');
}
