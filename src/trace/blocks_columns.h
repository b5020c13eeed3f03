/* The inner loop of the block format's reader (blocks.h): samples that are a time and a value. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "trace/sample.h"

struct blocks_cursor {
	const uint8_t *control, *data; /* of the next sample */
	uint64_t time_ns;	       /* of the one before */
	uint64_t unit_ns;
};

/* Up to `count` samples, and COLUMNS_MAX, before the first that has more than a value of at most
 * four bytes and a time; loads up to 8 bytes for each of them. Moves the data and the time on.
 * `portable`: by the loop that every processor runs. */
unsigned blocks_columns(struct blocks_cursor *cursor, unsigned count, bool portable,
			struct sample_columns *ret_columns);
