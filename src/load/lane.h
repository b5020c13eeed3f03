/*
 * Where the next request of one target goes. A lane is a target as one flow sees it: its
 * region, the positions of its sequential streams, the random order it is in the middle of.
 * The rule is what all lanes of a flow share: sizes, alignment, and the function that places
 * a request, chosen once at set-up. Nothing here allocates or can fail; a lane that has
 * nowhere left to go says so, and lane_reset() starts it over with another order.
 *
 * Rules of sequential holes (rw=write:8k), of random groups (rw=randwrite:4) and of strided
 * zones are fio's, found by its behaviour (tests/load/flow_fio.c holds the cases).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/rng.h"
#include "engine/target.h"
#include "job/spec.h"
#include "load/length.h"
#include "load/onepass.h"
#include "load/permute.h"
#include "load/spread.h"

struct piece {
	uint64_t offset; /* into the target */
	uint32_t len;
	enum op op; /* in and out: a map of mixed sizes may choose it where `op_is_free` */
	bool op_is_free;
};

struct lane {
	uint64_t start_bytes,
		region_bytes;		 /* of the target; what follows is relative to start */
	uint64_t wrap_bytes;		 /* holes that lead beyond begin at 0 again */
	uint64_t base_bytes, span_bytes; /* where random requests go: the region, or a zone */
	uint64_t units;			 /* in the span */
	uint64_t units_left;		 /* units, or pieces, yet to come from the order */
	struct permute order;
	uint64_t passes;	  /* orders used so far */
	uint64_t pos[NDATA];	  /* behind the last request */
	uint64_t last[NDATA];	  /* the start of the last request */
	uint64_t zone_done_bytes; /* moved in this zone */
	struct spread *spread;	  /* NULL: uniform */
	struct onepass *onepass;  /* of sprandom, or NULL */
	uint16_t target;
	bool done; /* nowhere left to go in this pass */
};

#define PATTERN_SHIFT  10
#define PATTERN_PIECES (1u << PATTERN_SHIFT)

/* Mixed sizes, each unit once (lane.c). */
struct pattern_piece {
	uint64_t at; /* bytes from the start of the pattern */
	uint32_t len;
	uint32_t op;
};

struct lane_rule {
	bool (*place)(struct lane_rule *rule, struct lane *lane, struct piece *piece);
	bool (*scatter)(struct lane_rule *rule, struct lane *lane, struct piece *piece);
	struct length length[NDATA];
	struct rng rng;
	uint64_t seed;
	uint64_t unit; /* bytes; the grid of random offsets */
	int64_t skip_bytes;
	uint64_t every, every_left; /* rw=randread:N */
	bool identical;
	uint64_t random_upto[NDATA];   /* percentage_random, of 2^32 */
	int first_op;		       /* the first direction that occurs */
	struct pattern_piece *pattern; /* NULL: one size, or no map */
	uint64_t pattern_bytes;
	bool unaligned;	    /* bs_unaligned */
	bool mapped;	    /* each unit once */
	double spare;	    /* of the drive, for sprandom */
	bool mixed_ops;	    /* sizes differ by direction: the map chooses it */
	uint64_t read_upto; /* of 2^32: share of reads, for mixed_ops */
	uint64_t zone_bytes, zone_range_bytes, zone_step_bytes; /* zone_bytes 0: no zones */
};

void lane_rule_init(struct lane_rule *rule, const struct job_spec *spec, uint64_t seed,
		    struct arena *arena);
void lane_init(struct lane *lane, const struct lane_rule *rule, const struct job_spec *spec,
	       const struct target *target, struct arena *arena);

/* The next pass over the region. */
void lane_reset(struct lane *lane, const struct lane_rule *rule);

/* Fills the piece for piece->op; false: nowhere left to go. */
static inline bool lane_next(struct lane_rule *rule, struct lane *lane, struct piece *piece)
{
	return rule->place(rule, lane, piece);
}

/* Bytes of one pass over the region if each block is visited once; 0: no natural end. */
uint64_t lane_pass_bytes(const struct lane *lane, const struct lane_rule *rule);
