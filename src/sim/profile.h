/*
 * What a simulated drive is: the values of its profile, a small text file of "key = value" lines
 * (profiles/NAME.profile, built into the program), with any of them overridden in the target's
 * name: "nvme-enterprise,op=12%,size=8g,seed=7". The table of keys in profile_keys.c is the one
 * place where a key, its unit, its default and its bounds stand.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "sim/ftl.h"

#define PROFILE_PPM 1000000u

/* A mapped page, the least that a simulated SSD reads and writes. */
#define PROFILE_PAGE_BYTES 4096u

enum profile_kind { PROFILE_SSD, PROFILE_HDD, PROFILE_CLOUD };

/* Rates are bytes or operations a second, 0: no limit. Parts are per million. */
struct profile {
	char name[64];
	uint64_t kind; /* enum profile_kind; all words and flags are 64 bits wide, as the table
			  of keys writes them */
	uint64_t size_bytes, seed, scale;
	uint64_t command_ns;	    /* each request, one after the other */
	uint64_t read_ns, write_ns; /* on top of each, side by side */
	uint64_t flush_ns, trim_ns;
	uint64_t variation_ppm;	    /* deviation of a flash or base time */
	uint64_t link_bytes_s;	    /* both ways together */
	uint64_t uncorrectable_ppb; /* of 4 KiB read */
	uint64_t stall_every_ns, stall_ns;
	uint64_t versions; /* flag: remember which write each page holds (for tests) */

	/* SSD */
	uint64_t op_ppm;
	uint64_t channels, dies, planes, blocks, block_pages, page_bytes;
	uint64_t unit_dies; /* dies in a unit of collection; 0: all */
	uint64_t gc, gc_choices, gc_stream;
	uint64_t gc_burst; /* flag: a collection is not spread over the writes that it serves */
	uint64_t gc_idle_ns, gc_idle_ppm;
	uint64_t wear_delta, rated_cycles;
	uint64_t flash_read_ns, flash_program_ns, flash_erase_ns, suspend_ns;
	uint64_t channel_bytes_s, stream_bytes_s;
	uint64_t cache_bytes, cache_volatile;
	uint64_t slc_min_bytes, slc_max_bytes, slc_program_ns, slc_idle_ns, fold_bytes;
	uint64_t turn_ns; /* of all dies, between a read and a write: the map is reloaded */
	uint64_t ambient_mc, heat_mc, cooling_ns, throttle_mc, throttle_ppm;

	/* hard disk */
	uint64_t members, stripe_bytes;
	uint64_t rpm, outer_bytes_s, inner_bytes_s;
	uint64_t seek_track_ns, seek_average_ns, seek_full_ns, settle_write_ns;
	uint64_t queue, write_queue, read_ahead_bytes;

	/* cloud disk */
	uint64_t iops_base, iops_per_gib, iops_max, iops_burst, iops_credits;
	uint64_t bytes_base, bytes_per_gib, bytes_max, bytes_burst, bytes_credits;
	uint64_t jitter_ns;
};

/* "NAME[,key=value...]". Everything is checked; the error names key, text and remedy. */
int profile_parse(const char *target, struct profile *ret_profile, struct err *err);

/* The same from text of profile files, without the built-in ones (`name` is for errors). */
int profile_parse_text(const char *name, const char *text, struct profile *ret_profile,
		       struct err *err);

/* All keys of the profile's kind, "key = value  # help" lines, read back by profile_parse_text. */
void profile_format(const struct profile *profile, struct str *out);

/* The shipped ones, in order of name; NULL after the last. */
struct profile_text {
	const char *name, *text;
};
extern const struct profile_text profile_texts[];
/* The file as it stands, comments and all; NULL if there is none of that name. */
const char *profile_find(const char *name);
/* Its first comment line, for lists. */
void profile_summary(const char *text, struct str *out);

/* Bytes after the scale-down. */
static inline uint64_t profile_scaled(const struct profile *profile, uint64_t bytes)
{
	uint64_t scaled = bytes / profile->scale;

	return scaled / PROFILE_PAGE_BYTES * PROFILE_PAGE_BYTES;
}
