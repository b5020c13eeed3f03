#include "stat/rhythm.h"

#include <math.h>
#include <stdbool.h>

#include "base/bits.h"

#define STEPS_A_DOUBLING 12

struct wave {
	double re, im;
};

static void swap_by_reversed_bits(struct wave *w, unsigned count)
{
	for (unsigned i = 1, j = 0; i < count; i++) {
		unsigned bit = count >> 1;

		for (; j & bit; bit >>= 1)
			j ^= bit;
		j ^= bit;
		if (i < j) {
			struct wave t = w[i];

			w[i] = w[j];
			w[j] = t;
		}
	}
}

/* Cooley and Tukey's transform in place; `count` is a power of two. */
static void transform(struct wave *w, unsigned count)
{
	swap_by_reversed_bits(w, count);
	for (unsigned half = 1; half < count; half *= 2) {
		for (unsigned k = 0; k < half; k++) {
			double angle = -M_PI * k / half, re = cos(angle), im = sin(angle);

			for (unsigned i = k; i < count; i += 2 * half) {
				struct wave *a = &w[i], *b = &w[i + half];
				struct wave turned = {b->re * re - b->im * im,
						      b->re * im + b->im * re};

				*b = (struct wave){a->re - turned.re, a->im - turned.im};
				*a = (struct wave){a->re + turned.re, a->im + turned.im};
			}
		}
	}
}

static double mean_of(const double *values, unsigned count)
{
	double sum = 0;

	for (unsigned i = 0; i < count; i++)
		sum += values[i];
	return sum / count;
}

/* `power` of the frequencies 1 to room / 2 of `room` points; returns their sum. */
static double spectrum(const double *values, unsigned count, struct wave *w, unsigned room)
{
	double mean = mean_of(values, count), sum = 0;

	for (unsigned i = 0; i < count; i++)
		w[i].re = (values[i] - mean) * (0.5 - 0.5 * cos(2 * M_PI * (i + 0.5) / count));
	transform(w, room);
	for (unsigned k = 1; k <= room / 2; k++) {
		w[k].re = w[k].re * w[k].re + w[k].im * w[k].im;
		sum += w[k].re;
	}
	return sum;
}

static bool are_alike(const double *values, unsigned count)
{
	for (unsigned i = 1; i < count; i++) {
		if (values[i] < values[0] || values[i] > values[0])
			return false;
	}
	return true;
}

unsigned rhythm_of(const double *values, unsigned count, struct arena *scratch,
		   struct rhythm_step *ret_steps)
{
	unsigned room = RHYTHM_VALUES_MIN, steps = 0;
	double sum, begin = 0,
		    most = 0; /* of the step: its longest period, its greatest power */
	struct wave *w;

	if (count < RHYTHM_VALUES_MIN || are_alike(values, count))
		return 0;
	while (room < count)
		room *= 2;
	w = arena_array(scratch, struct wave, room);
	sum = spectrum(values, count, w, room);
	for (unsigned k = 1; k <= room / 2; k++) {
		double period = (double)room / k;

		if (period > count / 2.0)
			continue;
		if (!steps || (period < begin / exp2(1.0 / STEPS_A_DOUBLING) &&
			       steps < RHYTHM_STEPS_MAX)) {
			ret_steps[steps++] = (struct rhythm_step){0};
			begin = period;
			most = -1;
		}
		ret_steps[steps - 1].share += w[k].re / sum;
		if (w[k].re > most) {
			ret_steps[steps - 1].period = period;
			most = w[k].re;
		}
	}
	return steps;
}
