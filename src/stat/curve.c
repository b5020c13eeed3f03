/* See curve.h. */
#include "stat/curve.h"

#include <math.h>

int curve_knee(const double *x, const double *y, unsigned count, enum curve_shape shape)
{
	double best = CURVE_BEND, x0, x1, y0, y1;
	int knee = -1;

	if (count < 3)
		return -1;
	x0 = x[0];
	x1 = x[count - 1];
	y0 = y[0];
	y1 = y[count - 1];
	for (unsigned i = 0; shape == CURVE_SATURATES && i < count; i++)
		y1 = fmax(y1, y[i]); /* it may fall again behind its greatest */
	if (!(x1 > x0) || !(y1 > y0))
		return -1;
	for (unsigned i = 1; i + 1 < count; i++) {
		double across = (x[i] - x0) / (x1 - x0), up = (y[i] - y0) / (y1 - y0);
		double away = shape == CURVE_TAKES_OFF ? across - up : up - across;

		if (away > best) {
			best = away;
			knee = (int)i;
		}
	}
	return knee;
}
