/* The table of a profile's keys. */
#pragma once

#include "sim/profile.h"

enum key_type { KEY_SIZE, KEY_RATE, KEY_TIME, KEY_COUNT, KEY_PART, KEY_FLAG, KEY_WORD };

#define KIND_SSD   (1u << PROFILE_SSD)
#define KIND_HDD   (1u << PROFILE_HDD)
#define KIND_CLOUD (1u << PROFILE_CLOUD)
#define KIND_ALL   (KIND_SSD | KIND_HDD | KIND_CLOUD)

struct profile_key {
	const char *name;
	enum key_type type;
	unsigned kinds; /* of drives that it means something for */
	size_t offset;	/* of a uint64_t in struct profile */
	const char *fallback;
	uint64_t min, max;
	const char *help;
	const char *const *words; /* KEY_WORD: ended by NULL, the value is the place */
};

extern const struct profile_key profile_keys[];
const struct profile_key *profile_key_find(const char *name);
