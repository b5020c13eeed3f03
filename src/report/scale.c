#include "report/scale.h"

#include <math.h>
#include <stdio.h>

#include "base/bits.h"

double scale_pixel(const struct scale *scale, double value)
{
	double low = scale->low, high = scale->high, share;

	if (scale->kind == SCALE_LOG) {
		low = log10(low);
		high = log10(high);
		value = log10(fmax(value, scale->low));
	}
	share = high > low ? (value - low) / (high - low) : 0;
	share = fmin(fmax(share, 0), 1);
	return scale->begin + share * (scale->end - scale->begin);
}

/* The next 1, 2 or 5 times a power of ten that is at least `value`. */
static double nice_above(double value)
{
	double power = pow(10, floor(log10(value)));
	double lead = value / power;

	return power * (lead <= 1.0000001 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

static double nice_below(double value)
{
	double power = pow(10, floor(log10(value)));
	double lead = value / power;

	return power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

/* Seconds have steps of their own above a minute. */
static double linear_step(const struct scale *scale, unsigned wish)
{
	static const double seconds[] = {60,   120,   300,   600,   1200,  1800,   3600,
					 7200, 10800, 21600, 43200, 86400, 172800, 604800};
	double step = nice_above((scale->high - scale->low) / fmax(wish, 1));

	if (scale->unit != SCALE_SECONDS || step <= 30)
		return step;
	for (unsigned i = 0; i < ARRAY_SIZE(seconds); i++) {
		if (seconds[i] * wish >= scale->high - scale->low)
			return seconds[i];
	}
	return step;
}

void scale_round(struct scale *scale)
{
	switch (scale->kind) {
	case SCALE_LOG:
		scale->low = nice_below(fmax(scale->low, 1e-9));
		scale->high = nice_above(fmax(scale->high, scale->low * 2));
		break;
	case SCALE_LINEAR:
		if (scale->high <= scale->low)
			scale->high = scale->low + 1;
		if (scale->unit == SCALE_SECONDS)
			break; /* time ends where the run does */
		scale->high =
			scale->low + ceil((scale->high - scale->low) / linear_step(scale, 5)) *
					     linear_step(scale, 5);
		break;
	case SCALE_NINES:
		scale->high = fmax(ceil(scale->high), 1);
		break;
	}
}

static void seconds_text(double value, double step, struct scale_tick *tick)
{
	uint64_t s = (uint64_t)(value + 0.5);

	if (step < 1)
		(void)snprintf(tick->text, sizeof(tick->text), "%.3g s", value);
	else if (step < 60)
		(void)snprintf(tick->text, sizeof(tick->text), "%llu s", (unsigned long long)s);
	else if (step < 3600 && s < 3600)
		(void)snprintf(tick->text, sizeof(tick->text), "%llu min",
			       (unsigned long long)(s / 60));
	else if (step < 3600)
		(void)snprintf(tick->text, sizeof(tick->text), "%llu:%02u h",
			       (unsigned long long)(s / 3600), (unsigned)(s / 60 % 60));
	else
		(void)snprintf(tick->text, sizeof(tick->text), "%llu h",
			       (unsigned long long)(s / 3600));
}

static void plain_text(double value, struct scale_tick *tick)
{
	static const char *const steps[] = {"", "k", "M", "G", "T"};
	unsigned step = 0;

	while (fabs(value) >= 1000 && step + 1 < ARRAY_SIZE(steps)) {
		value /= 1000;
		step++;
	}
	(void)snprintf(tick->text, sizeof(tick->text), "%.4g%s", value, steps[step]);
}

static void time_text(double ns, struct scale_tick *tick)
{
	static const char *const steps[] = {"ns", "µs", "ms", "s"};
	unsigned step = 0;

	while (ns >= 1000 && step + 1 < ARRAY_SIZE(steps)) {
		ns /= 1000;
		step++;
	}
	(void)snprintf(tick->text, sizeof(tick->text), "%.4g %s", ns, steps[step]);
}

static void nines_text(double value, struct scale_tick *tick)
{
	int digits = (int)value - 2;

	if (value < 0.5)
		(void)snprintf(tick->text, sizeof(tick->text), "0 %%");
	else
		(void)snprintf(tick->text, sizeof(tick->text), "%.*f %%",
			       digits > 0 ? digits : 0, 100 - 100 * pow(10, -value));
}

static void words(const struct scale *scale, double step, struct scale_tick *tick)
{
	switch (scale->unit) {
	case SCALE_PLAIN:
		plain_text(tick->value, tick);
		break;
	case SCALE_TIME_NS:
		time_text(tick->value, tick);
		break;
	case SCALE_SECONDS:
		seconds_text(tick->value, step, tick);
		break;
	case SCALE_PERCENT:
		nines_text(tick->value, tick);
		break;
	}
}

/* Decades with words; where they are few, 2 and 5 too. */
static unsigned log_ticks(const struct scale *scale, unsigned wish, struct scale_tick *ticks)
{
	double decades = log10(scale->high / scale->low);
	unsigned count = 0;

	for (int power = (int)floor(log10(scale->low)); pow(10, power) <= scale->high * 1.0001;
	     power++) {
		for (int lead = 1; lead < 10 && count < SCALE_TICKS_MAX; lead++) {
			double value = lead * pow(10, power);

			if (lead != 1 && lead != 2 && lead != 5)
				continue;
			if (lead != 1 && decades * 3 > wish + 2)
				continue;
			if (value < scale->low * 0.9999 || value > scale->high * 1.0001)
				continue;
			ticks[count].value = value;
			words(scale, 1, &ticks[count++]);
		}
	}
	return count;
}

unsigned scale_ticks(const struct scale *scale, unsigned wish, struct scale_tick *ret_ticks)
{
	double step = scale->kind == SCALE_NINES ? 1 : linear_step(scale, wish), value;
	unsigned count = 0;

	if (scale->kind == SCALE_LOG)
		return log_ticks(scale, wish, ret_ticks);
	value = ceil(scale->low / step - 1e-9) * step + 0.0; /* -0 becomes 0 */
	while (value <= scale->high + step * 1e-6 && count < SCALE_TICKS_MAX) {
		ret_ticks[count].value = value;
		words(scale, step, &ret_ticks[count++]);
		value += step;
	}
	return count;
}
