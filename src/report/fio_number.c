#include "report/fio_number.h"

#include <math.h>

#include "base/bits.h"

#define STEPS 6

static const char *const suffixes[3][2][STEPS] = {
	[FIO_COUNT] = {{"", "k", "M", "G", "T", "P"}, {"", "k", "M", "G", "T", "P"}},
	[FIO_BYTES] = {{"B", "KiB", "MiB", "GiB", "TiB", "PiB"},
		       {"B", "kB", "MB", "GB", "TB", "PB"}},
	[FIO_BITS] = {{"bit", "Kibit", "Mibit", "Gibit", "Tibit", "Pibit"},
		      {"bit", "kbit", "Mbit", "Gbit", "Tbit", "Pbit"}},
};

static unsigned whole_digits(double value)
{
	unsigned digits = 1;

	value = floor(value);
	while (value >= 10) {
		value = floor(value / 10);
		digits++;
	}
	return digits;
}

void fio_number(struct str *out, double value, struct fio_scale scale)
{
	unsigned step = scale.step, whole = whole_digits(value), decimals = 0;

	while (whole > scale.digits && step + 1 < STEPS) {
		value /= scale.base;
		step++;
		whole = whole_digits(value);
	}
	if (step > scale.step && scale.digits > whole + 1)
		decimals = scale.digits - whole - 1;
	str_printf(out, "%.*f%s", (int)decimals, step > scale.step ? value : floor(value),
		   suffixes[scale.unit][scale.base == 1000][step]);
}

void fio_number_ns(struct str *out, uint64_t value)
{
	fio_number(out, (double)value,
		   (struct fio_scale){.digits = 6, .base = 1000, .unit = FIO_COUNT});
}
