/* What a simulated SSD does by itself: collection, SLC folding, idle work, warming. */
#include "base/bits.h"
#include "sim/ssd_priv.h"

/* The temperature is looked at this often at most. */
#define HEAT_STEP_NS (20 * NS_PER_MS)
/* A throttled drive is let go again when it has cooled by this. */
#define HYSTERESIS_MC 3000

static uint64_t pages_of(const struct ssd *ssd, uint64_t bytes)
{
	return profile_scaled(&ssd->drive.profile, bytes) / PROFILE_PAGE_BYTES;
}

/* The SLC cache lies in blocks that hold no data yet: it shrinks as the drive fills. */
uint64_t ssd_slc_size_pages(const struct ssd *ssd)
{
	uint64_t least = pages_of(ssd, ssd->drive.profile.slc_min_bytes);
	uint64_t most = pages_of(ssd, ssd->drive.profile.slc_max_bytes);

	return most -
	       muldiv_u64(most - least, ssd->ftl.mapped_pages, ssd->ftl.config.user_pages);
}

/* Each unit that holds valid pages is read once, what is valid is programmed, and a block's part
 * of every die is erased. Moved pages stay on their channel (copy-back). */
static uint64_t collection_ns(const struct ssd *ssd, uint64_t moved, uint64_t erased)
{
	const struct flash *flash = &ssd->flash;
	uint64_t block_units = ssd->ftl.config.pages_per_block / ssd->unit_pages;
	uint64_t reads = min_u64(moved, erased * block_units);

	return reads * flash->read_ns + moved * flash->program_ns / ssd->unit_pages +
	       erased * flash->erase_ns * block_units / ssd->drive.profile.block_pages;
}

void ssd_charge_collection(struct ssd *ssd, uint64_t now_ns)
{
	const struct ftl_counts *counts = &ssd->ftl.counts;
	uint64_t collected = counts->collections - ssd->collections;
	uint64_t moved = counts->moved_pages - ssd->moved_pages;
	uint64_t block_pages = ssd->ftl.config.pages_per_block;
	uint64_t ns = collection_ns(ssd, moved, collected);

	ssd->collections = counts->collections;
	ssd->moved_pages = counts->moved_pages;
	if (ssd->drive.profile.gc_burst) {
		flash_load_all(&ssd->flash, ns / ssd->flash.ndies, now_ns);
		return;
	}
	/* The next collection is due when the pages that this one freed are written. */
	ssd->debt_ns += ns;
	ssd->debt_pages = max_u64(collected * block_pages - moved, block_pages / 16 + 1);
}

uint64_t ssd_pay_debt(struct ssd *ssd)
{
	uint64_t ns;

	if (!ssd->debt_ns)
		return 0;
	if (ssd->debt_pages <= ssd->unit_pages) {
		ns = ssd->debt_ns;
		ssd->debt_pages = ssd->unit_pages;
	} else {
		ns = ssd->debt_ns * ssd->unit_pages / ssd->debt_pages;
	}
	ssd->debt_ns -= ns;
	ssd->debt_pages -= ssd->unit_pages;
	return ns;
}

static void fold_burst(struct ssd *ssd, uint64_t now_ns)
{
	const struct flash *flash = &ssd->flash;
	/* Not scaled down: what counts is how long it takes. */
	uint64_t most = ssd->drive.profile.fold_bytes / PROFILE_PAGE_BYTES;
	uint64_t pages = min_u64(ssd->slc_pages, most);
	uint64_t units = (pages + ssd->unit_pages - 1) / ssd->unit_pages;

	flash_load_all(&ssd->flash, units * (flash->read_ns + flash->program_ns) / flash->ndies,
		       now_ns);
	ssd->slc_pages -= pages;
	ssd->programmed_pages += pages;
}

uint64_t ssd_place_unit(struct ssd *ssd, uint64_t now_ns)
{
	uint64_t size;

	if (!ssd->drive.profile.slc_max_bytes)
		return ssd->flash.program_ns;
	size = ssd_slc_size_pages(ssd);
	if (ssd->slc_pages + ssd->unit_pages > size && ssd->drive.profile.fold_bytes)
		fold_burst(ssd, now_ns);
	if (ssd->slc_pages + ssd->unit_pages > size)
		return ssd->flash.program_ns; /* past the cache */
	ssd->slc_pages += ssd->unit_pages;
	return ssd->flash.slc_program_ns;
}

static void fold_idle(struct ssd *ssd, uint64_t ns)
{
	const struct flash *flash = &ssd->flash;
	uint64_t units = muldiv_u64(ns, flash->ndies, flash->read_ns + flash->program_ns);
	uint64_t pages = min_u64(ssd->slc_pages, units * ssd->unit_pages);

	ssd->slc_pages -= pages;
	ssd->programmed_pages += pages;
}

static void collect_idle(struct ssd *ssd, uint64_t ns)
{
	uint64_t target =
		muldiv_u64(ssd->ftl.config.blocks, ssd->drive.profile.gc_idle_ppm, PROFILE_PPM);

	while (ssd->ftl.nfree < target && ns) {
		uint64_t moved = ssd->ftl.counts.moved_pages, took;

		if (!ftl_collect(&ssd->ftl))
			break;
		moved = ssd->ftl.counts.moved_pages - moved;
		took = collection_ns(ssd, moved, 1) / ssd->flash.ndies;
		ns -= min_u64(ns, took);
		ssd->collections = ssd->ftl.counts.collections;
		ssd->moved_pages = ssd->ftl.counts.moved_pages;
	}
}

void ssd_idle(struct ssd *ssd, uint64_t now_ns)
{
	const struct profile *profile = &ssd->drive.profile;
	uint64_t silent_ns;

	if (now_ns <= ssd->idle_ns)
		return;
	silent_ns = now_ns - ssd->idle_ns;
	if (ssd->slc_pages && silent_ns > profile->slc_idle_ns)
		fold_idle(ssd, silent_ns - profile->slc_idle_ns);
	if (profile->gc_idle_ns && silent_ns > profile->gc_idle_ns)
		collect_idle(ssd, silent_ns - profile->gc_idle_ns);
}

void ssd_warm(struct ssd *ssd, uint64_t now_ns)
{
	const struct profile *profile = &ssd->drive.profile;
	uint64_t ns = now_ns - ssd->heat_at_ns, step = profile->cooling_ns / 64;
	int64_t target;

	if (ns < HEAT_STEP_NS)
		return;
	target = (int64_t)(profile->ambient_mc +
			   profile->heat_mc * (ssd->heat_bytes / 1000) * 1000000 / ns);
	if (ssd->hot)
		ssd->drive.health.throttled_ns += ns;
	if (ns > 16 * profile->cooling_ns)
		ssd->temperature_mc = target;
	else
		for (uint64_t left = ns; left; left -= min_u64(left, step))
			ssd->temperature_mc += (target - ssd->temperature_mc) *
					       (int64_t)min_u64(left, step) /
					       (int64_t)profile->cooling_ns;
	ssd->heat_at_ns = now_ns;
	ssd->heat_bytes = 0;
	if (!profile->throttle_mc)
		return;
	if (ssd->temperature_mc >= (int64_t)profile->throttle_mc)
		ssd->hot = 1;
	else if (ssd->temperature_mc < (int64_t)profile->throttle_mc - HYSTERESIS_MC)
		ssd->hot = 0;
}
