/*
 * Where on the target the slowest requests of a log went, and when: a dot each, time by offset,
 * coloured by how slow. Nothing where offsets were not logged.
 */
#pragma once

#include "report/qos_graphs.h"

/* `slowest` is sorted. */
void slow_map(struct document *doc, const struct qos_graphs *graphs,
	      const struct slowest *slowest);
