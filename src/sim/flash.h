/*
 * The flash of a simulated SSD in time: dies that read first and work off programs and erases in
 * between, and channels. O(1) for each operation: a die is the end of what it does now and an
 * amount of queued background work.
 */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "base/rng.h"
#include "sim/profile.h"

struct flash_die {
	uint64_t busy_ns;   /* until: reads, or the program at work */
	uint64_t read_ns;   /* until: reads alone */
	uint64_t queued_ns; /* of programs and erases that wait */
};

struct flash {
	struct flash_die *dies;
	uint64_t *channels_ns; /* each is free from */
	uint32_t ndies, nchannels;
	uint64_t unit_bytes; /* programmed together: a page on all planes of a die */
	uint64_t read_ns, program_ns, erase_ns, slc_program_ns, suspend_ns;
	uint64_t variation_ppm, channel_bytes_s;
	struct rng rng;
};

void flash_init(struct flash *flash, struct arena *arena, const struct profile *profile);

/* `bytes` of one unit on die `die`, asked for at `now_ns`; returns when they have left the
 * channel. */
uint64_t flash_read(struct flash *flash, uint32_t die, uint64_t bytes, uint64_t now_ns);

/* One unit, by `program_ns` (flash->program_ns or slc_program_ns) and after `extra_ns` of other
 * work of the die; returns when it is programmed, unless reads come in between. */
uint64_t flash_program(struct flash *flash, uint32_t die, uint64_t program_ns,
		       uint64_t extra_ns, uint64_t now_ns);

/* Work of `ns` for each die. */
void flash_load_all(struct flash *flash, uint64_t ns, uint64_t now_ns);

/* When a die has nothing left to do. */
uint64_t flash_end_ns(const struct flash *flash);
