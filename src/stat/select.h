/*
 * A rank of unsorted values in linear time: who wants a median of a day of seconds, or its
 * worst thousandth, need not sort it.
 */
#pragma once

#include <stddef.h>

/* The value that `values` would have at `nth` if they were sorted, 0 <= nth < count. They are
 * put in an order in which none before it is greater and none behind it is less. No NAN among
 * them. */
double select_nth(double *values, size_t count, size_t nth);
