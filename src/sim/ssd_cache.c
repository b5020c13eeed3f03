/* The pages that a volatile write cache still holds, and their loss. */
#include <stdlib.h>

#include "base/bits.h"
#include "base/memory.h"
#include "sim/ssd_priv.h"

static struct ssd_recent *recent_at(struct ssd *ssd, uint32_t i)
{
	return &ssd->recent[(ssd->recent_first + i) & (ssd->recent_room - 1)];
}

static void grow(struct ssd *ssd)
{
	uint32_t room = ssd->recent_room ? 2 * ssd->recent_room : 1024;
	struct ssd_recent *ring = memory_take(room * sizeof(*ring));

	for (uint32_t i = 0; i < ssd->nrecent; i++)
		ring[i] = *recent_at(ssd, i);
	free(ssd->recent);
	ssd->recent = ring;
	ssd->recent_first = 0;
	ssd->recent_room = room;
}

void ssd_recent_add(struct ssd *ssd, uint32_t page, uint64_t write, uint64_t now_ns)
{
	/* Two leave for each that comes: the ring holds what is not programmed, and little else.*/
	for (int i = 0; i < 2 && ssd->nrecent && recent_at(ssd, 0)->finish_ns <= now_ns; i++) {
		ssd->recent_first = (ssd->recent_first + 1) & (ssd->recent_room - 1);
		ssd->nrecent--;
	}
	if (ssd->nrecent == ssd->recent_room)
		grow(ssd);
	*recent_at(ssd, ssd->nrecent++) = (struct ssd_recent){
		.write = write,
		.before = ssd->versions ? ssd->versions[page] : 0,
		.finish_ns = SSD_NEVER,
		.page = page,
	};
}

void ssd_recent_close(struct ssd *ssd, uint32_t pages, uint64_t finish_ns)
{
	for (uint32_t i = 0; i < pages && i < ssd->nrecent; i++)
		recent_at(ssd, ssd->nrecent - 1 - i)->finish_ns = finish_ns;
}

uint64_t ssd_unsafe(const struct drive *drive)
{
	const struct ssd *ssd = (const struct ssd *)(const void *)drive; /* its first member */

	return ssd->nrecent ? ssd->recent[ssd->recent_first].write : UINT64_MAX;
}

void ssd_power_cut(struct drive *drive, uint64_t now_ns, const struct drive_lost *lost)
{
	struct ssd *ssd = ssd_of(drive);

	/* Newest first: a page that was written twice falls back to the older write if that one
	 * had been programmed, and further if not. */
	for (uint32_t i = ssd->nrecent; i-- > 0;) {
		struct ssd_recent *recent = recent_at(ssd, i);

		if (recent->finish_ns <= now_ns)
			continue;
		if (lost && lost->page)
			lost->page(lost->arg, recent->page * (uint64_t)PROFILE_PAGE_BYTES,
				   recent->write, 0);
		if (!ssd->versions || ssd->versions[recent->page] != recent->write)
			continue;
		ssd->versions[recent->page] = recent->before;
		if (!recent->before)
			ftl_trim(&ssd->ftl, recent->page);
	}
	ssd->nrecent = 0;
	ssd->fill = 0;
	for (uint32_t i = 0; i < ssd->nslots; i++)
		ssd->slots[i] = 0;
	for (uint32_t i = 0; i < ssd->flash.ndies; i++)
		ssd->flash.dies[i] = (struct flash_die){now_ns, now_ns, 0};
	ssd->finish_ns = ssd->idle_ns = now_ns;
}
