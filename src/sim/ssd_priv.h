/* The simulated SSD's own state, shared by ssd.c (requests), ssd_work.c (what the drive does by
 * itself: collection, folding, heat) and ssd_cache.c (what a power cut loses). */
#pragma once

#include "sim/drive_priv.h"
#include "sim/flash.h"

#define SSD_NEVER UINT64_MAX

/* A written page that may not be on flash yet. */
struct ssd_recent {
	uint64_t write, before; /* numbers of this write, and of the one it replaced */
	uint64_t finish_ns;	/* on flash from then on; SSD_NEVER: its unit is still open */
	uint32_t page;
};

struct ssd {
	struct drive drive;
	struct ftl ftl;
	struct flash flash;
	uint32_t unit_pages, next_die;
	uint32_t fill; /* pages in the unit that is being filled */
	uint64_t link_free_ns;
	enum drive_op last_op; /* on the link */
	uint64_t finish_ns;    /* of the last unit that will be programmed */
	uint64_t idle_ns;      /* the host wants nothing from then on */

	uint64_t *slots; /* write cache: when the unit in each is programmed */
	uint32_t nslots, slot;
	struct ssd_recent *recent; /* a ring, oldest first; its own memory */
	uint32_t recent_first, nrecent, recent_room;
	uint64_t *versions; /* of each page, with versions=1 */

	uint64_t programmed_pages;	   /* for the host and by folding, padding included */
	uint64_t collections, moved_pages; /* charged so far */
	uint64_t debt_ns, debt_pages;	   /* collection's time, and the writes that pay it */
	uint64_t slc_pages;		   /* that wait for folding */

	uint64_t heat_at_ns, heat_bytes;
	int64_t temperature_mc;
	uint64_t hot; /* flag: throttled */
};

static inline struct ssd *ssd_of(struct drive *drive)
{
	return (struct ssd *)(void *)drive;
}

/* ssd_work.c */
uint64_t ssd_slc_size_pages(const struct ssd *ssd);
/* Time of dies for what collection did since the last call. */
void ssd_charge_collection(struct ssd *ssd, uint64_t now_ns);
/* The part of it that one more unit pays. */
uint64_t ssd_pay_debt(struct ssd *ssd);
/* Chooses where the next unit goes: the program time, after folding where that is due. */
uint64_t ssd_place_unit(struct ssd *ssd, uint64_t now_ns);
/* What happened while the host was silent, up to `now_ns`. */
void ssd_idle(struct ssd *ssd, uint64_t now_ns);
void ssd_warm(struct ssd *ssd, uint64_t now_ns);

/* ssd_cache.c */
void ssd_recent_add(struct ssd *ssd, uint32_t page, uint64_t write, uint64_t now_ns);
/* The newest `pages` of them lie in a unit that is programmed by `finish_ns`. */
void ssd_recent_close(struct ssd *ssd, uint32_t pages, uint64_t finish_ns);
uint64_t ssd_unsafe(const struct drive *drive);
void ssd_power_cut(struct drive *drive, uint64_t now_ns, const struct drive_lost *lost);
