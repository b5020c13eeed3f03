/*
 * The numbers of a graph as JSON, for the reader's own zoom in a page of HTML. Lines over equal
 * steps of time become tiles: the steps themselves, and coarser ones with the least and the
 * greatest value of each, so that a zoomed-out view draws few points and still shows every spike.
 *
 * A value is four significant digits in 18 bits: 0 is unknown, 1 is zero, else 2 + (exponent + 10)
 * * 9000 + (mantissa - 1000) with the mantissa in 1000 to 9999. An array is one byte (1: what
 * follows are zigzagged differences of neighbours) and three planes of bytes, which zlib packs
 * well: a day of seconds is 70 to 150 KB a line. Lines follow one another, each with its tiles: the
 * first tile is such an array; of the coarser ones a byte a point says which of the points of the
 * next finer tile is the least, then a byte a point which is the greatest.
 *
 * "fine", where there are windows of finer steps: "step", "windows" as [begin, count], "lines" that
 * have values there, and in "tiles" for each of those one such array over all windows.
 */
#pragma once

#include "report/graph.h"

#define GRAPH_TILES_MAX 3

/* The steps that a tile joins: 1, 10, 60; fewer tiles where there are few steps. */
unsigned graph_tiles(unsigned count, unsigned *ret_join /* GRAPH_TILES_MAX */);

uint32_t graph_code(double value);
double graph_decode(uint32_t code); /* NAN: unknown */

void graph_data(const struct graph *graph, struct str *out);
