/*
 * The simulated SSD: a request takes the controller, the link, and dies; a write is done when the
 * cache has taken it in. Written pages fill units (a flash page on all planes of a die), units go
 * to the dies in turn. A unit's place in the write cache is free again when it is programmed.
 *
 * What is simplified: the pages of a flushed, half-filled unit are charged as a whole program but
 * take no more room in the block; data in the SLC cache that is overwritten before it is folded is
 * folded all the same.
 */
#include <stdlib.h>

#include "base/assert.h"
#include "base/bits.h"
#include "sim/ssd_priv.h"

/* No unit of collection is more than this part of the drive: with fewer blocks (a small size, a
 * scale-down) the open ones would count as spare space and write amplification would be off. */
#define BLOCKS_MIN 1024

static uint32_t collection_pages(const struct ssd *ssd)
{
	const struct profile *profile = &ssd->drive.profile;
	uint64_t dies = profile->unit_dies ? profile->unit_dies : ssd->flash.ndies;
	uint64_t pages = dies * profile->block_pages * ssd->unit_pages;
	uint64_t most = ssd->drive.size_bytes / PROFILE_PAGE_BYTES / BLOCKS_MIN;

	if (pages > most)
		pages = most / ssd->unit_pages * ssd->unit_pages;
	return (uint32_t)max_u64(pages, max_u64(ssd->unit_pages, 2));
}

static int ssd_open(struct drive *drive, struct err *err)
{
	struct ssd *ssd = ssd_of(drive);
	const struct profile *profile = &drive->profile;
	struct ftl_config config = {
		.user_pages = drive->size_bytes / PROFILE_PAGE_BYTES,
		.policy = (enum gc_policy)profile->gc,
		.choices = (uint32_t)profile->gc_choices,
		.wear_delta = (uint32_t)profile->wear_delta,
		.gc_stream = profile->gc_stream,
		.seed = profile->seed,
	};
	int rc;

	flash_init(&ssd->flash, &drive->arena, profile);
	ssd->unit_pages = (uint32_t)(ssd->flash.unit_bytes / PROFILE_PAGE_BYTES);
	config.pages_per_block = collection_pages(ssd);
	config.blocks = ftl_blocks_for(config.user_pages, config.pages_per_block,
				       (uint32_t)profile->op_ppm) +
			(config.gc_stream ? 1 : 0);
	rc = ftl_check(&config, err);
	if (rc)
		return rc;
	ftl_init(&ssd->ftl, &drive->arena, &config);
	ssd->nslots = (uint32_t)max_u64(1, profile->cache_bytes / ssd->flash.unit_bytes);
	ssd->slots = arena_array(&drive->arena, uint64_t, ssd->nslots);
	if (profile->versions)
		ssd->versions = arena_array(&drive->arena, uint64_t, config.user_pages);
	drive->tables_bytes = ftl_memory_bytes(&ssd->ftl) + ssd->nslots * sizeof(*ssd->slots) +
			      (ssd->versions ? config.user_pages * sizeof(*ssd->versions) : 0);
	ssd->temperature_mc = (int64_t)profile->ambient_mc;
	ssd->last_op = DRIVE_FLUSH; /* neither a read nor a write yet */
	return 0;
}

static void ssd_close(struct drive *drive)
{
	free(ssd_of(drive)->recent);
}

/* The controller, then the link, slower when hot; returns when the data has crossed it. */
static uint64_t cross_link(struct ssd *ssd, const struct drive_request *request,
			   uint64_t now_ns, uint64_t ready_ns)
{
	const struct profile *profile = &ssd->drive.profile;
	uint64_t ns = drive_transfer_ns(request->bytes, profile->link_bytes_s);

	if (ssd->hot)
		ns = muldiv_u64(ns, PROFILE_PPM, profile->throttle_ppm);
	if (request->op != ssd->last_op && ssd->last_op != DRIVE_FLUSH && profile->turn_ns)
		flash_load_all(&ssd->flash, profile->turn_ns, now_ns);
	ssd->last_op = request->op;
	/* Reads come out in the order of asking; a write waits for nobody's flash. */
	return request->op == DRIVE_READ ? drive_queue(&ssd->link_free_ns, ready_ns, ns)
					 : drive_pipe(&ssd->link_free_ns, now_ns, ready_ns, ns);
}

static uint64_t read_pages(struct ssd *ssd, uint64_t first, uint64_t end, uint64_t now_ns)
{
	uint64_t done_ns = now_ns;

	/* Neighbours in one unit are one read; what was never written costs the flash nothing. */
	for (uint64_t page = first; page < end;) {
		uint32_t physical = ftl_find(&ssd->ftl, (uint32_t)page);
		uint32_t unit = physical / ssd->unit_pages;
		uint64_t pages = 1;

		if (physical == FTL_NONE) {
			page++;
			continue;
		}
		while (page + pages < end &&
		       ftl_find(&ssd->ftl, (uint32_t)(page + pages)) / ssd->unit_pages == unit)
			pages++;
		done_ns = max_u64(done_ns, flash_read(&ssd->flash, unit % ssd->flash.ndies,
						      pages * PROFILE_PAGE_BYTES, now_ns));
		page += pages;
	}
	return done_ns;
}

static void close_unit(struct ssd *ssd, uint64_t now_ns)
{
	uint64_t program_ns = ssd_place_unit(ssd, now_ns);
	uint64_t finish_ns = flash_program(&ssd->flash, ssd->next_die, program_ns,
					   ssd_pay_debt(ssd), now_ns);

	if (ssd->drive.profile.cache_volatile)
		ssd_recent_close(ssd, ssd->fill, finish_ns);
	ssd->next_die = ssd->next_die + 1 == ssd->flash.ndies ? 0 : ssd->next_die + 1;
	ssd->slots[ssd->slot] = finish_ns;
	ssd->slot = ssd->slot + 1 == ssd->nslots ? 0 : ssd->slot + 1;
	ssd->finish_ns = max_u64(ssd->finish_ns, finish_ns);
	ssd->programmed_pages += ssd->unit_pages;
	ssd->fill = 0;
}

/* Returns when the cache has a place for it. */
static inline uint64_t write_page(struct ssd *ssd, uint32_t page, uint64_t now_ns)
{
	uint64_t place_ns = ssd->slots[ssd->slot];

	ftl_write(&ssd->ftl, page);
	if (unlikely(ssd->ftl.counts.collections != ssd->collections))
		ssd_charge_collection(ssd, now_ns);
	if (ssd->drive.profile.cache_volatile)
		ssd_recent_add(ssd, page, ssd->drive.requests, now_ns);
	if (ssd->versions)
		ssd->versions[page] = ssd->drive.requests;
	if (++ssd->fill == ssd->unit_pages)
		close_unit(ssd, now_ns);
	return place_ns;
}

static uint64_t submit_write(struct ssd *ssd, const struct drive_request *request,
			     uint64_t now_ns, uint64_t ready_ns)
{
	const struct profile *profile = &ssd->drive.profile;
	uint64_t first = request->offset / PROFILE_PAGE_BYTES;
	uint64_t last = request->offset + request->bytes;
	uint64_t end = (last + PROFILE_PAGE_BYTES - 1) / PROFILE_PAGE_BYTES;

	ready_ns = cross_link(ssd, request, now_ns, ready_ns);
	if (request->offset % PROFILE_PAGE_BYTES || last % PROFILE_PAGE_BYTES) {
		/* The rest of a page is read, to be written again with it. */
		ready_ns = read_pages(ssd, first, first + 1, ready_ns);
		if (end - first > 1)
			ready_ns = read_pages(ssd, end - 1, end, ready_ns);
	}
	for (uint64_t page = first; page < end; page++)
		ready_ns = max_u64(ready_ns, write_page(ssd, (uint32_t)page, now_ns));
	if (request->fua && profile->cache_volatile) {
		if (ssd->fill)
			close_unit(ssd, now_ns);
		ready_ns = max_u64(ready_ns, ssd->finish_ns);
	}
	return ready_ns + drive_transfer_ns(request->bytes, profile->stream_bytes_s) +
	       profile->write_ns;
}

static uint64_t submit_flush(struct ssd *ssd, uint64_t now_ns)
{
	uint64_t done_ns = now_ns;

	if (ssd->drive.profile.cache_volatile) {
		if (ssd->fill)
			close_unit(ssd, now_ns);
		done_ns = max_u64(done_ns, ssd->finish_ns);
	}
	return done_ns + ssd->drive.profile.flush_ns;
}

/* Whole pages only, as drives do: a part of a page keeps its data. */
static uint64_t submit_trim(struct ssd *ssd, const struct drive_request *request,
			    uint64_t now_ns)
{
	uint64_t first = (request->offset + PROFILE_PAGE_BYTES - 1) / PROFILE_PAGE_BYTES;
	uint64_t end = (request->offset + request->bytes) / PROFILE_PAGE_BYTES;

	for (uint64_t page = first; page < end; page++) {
		ftl_trim(&ssd->ftl, (uint32_t)page);
		if (ssd->versions)
			ssd->versions[page] = 0;
	}
	return now_ns + ssd->drive.profile.trim_ns;
}

static uint64_t unmapped_bytes(const struct ssd *ssd, const struct drive_request *request)
{
	uint64_t end = request->offset + request->bytes, unmapped = 0;

	for (uint64_t at = request->offset; at < end;) {
		uint64_t page = at / PROFILE_PAGE_BYTES;
		uint64_t to = min_u64((page + 1) * PROFILE_PAGE_BYTES, end);

		unmapped += ftl_find(&ssd->ftl, (uint32_t)page) == FTL_NONE ? to - at : 0;
		at = to;
	}
	return unmapped;
}

static uint64_t submit_read(struct ssd *ssd, const struct drive_request *request,
			    uint64_t now_ns, uint64_t ready_ns)
{
	uint64_t first = request->offset / PROFILE_PAGE_BYTES;
	uint64_t end = (request->offset + request->bytes + PROFILE_PAGE_BYTES - 1) /
		       PROFILE_PAGE_BYTES;

	ready_ns = read_pages(ssd, first, end, ready_ns);
	return cross_link(ssd, request, now_ns, ready_ns) + ssd->drive.profile.read_ns;
}

static void ssd_submit(struct drive *drive, const struct drive_request *request,
		       uint64_t now_ns)
{
	struct ssd *ssd = ssd_of(drive);
	uint64_t ready_ns, done_ns = now_ns;

	ftl_expect(&ssd->ftl, (uint32_t)(request->offset / PROFILE_PAGE_BYTES));
	ssd_idle(ssd, now_ns);
	ssd_warm(ssd, now_ns);
	ssd->heat_bytes += request->bytes;
	ready_ns =
		drive_pipe(&drive->command_free_ns, now_ns, now_ns, drive->profile.command_ns);
	switch (request->op) {
	case DRIVE_READ:
		drive->unmapped_read_bytes += unmapped_bytes(ssd, request);
		done_ns = submit_read(ssd, request, now_ns, ready_ns);
		break;
	case DRIVE_WRITE:
		done_ns = submit_write(ssd, request, now_ns, ready_ns);
		break;
	case DRIVE_FLUSH:
		done_ns = submit_flush(ssd, ready_ns);
		break;
	case DRIVE_TRIM:
		done_ns = submit_trim(ssd, request, ready_ns);
		break;
	}
	ssd->idle_ns = max_u64(ssd->idle_ns, max_u64(done_ns, ssd->finish_ns));
	drive_complete(drive, request, drive->requests, done_ns);
}

static uint64_t ssd_version(const struct drive *drive, uint64_t offset)
{
	const struct ssd *ssd = (const struct ssd *)(const void *)drive;

	return ssd->versions ? ssd->versions[offset / PROFILE_PAGE_BYTES] : 0;
}

static void ssd_health(struct drive *drive, uint64_t now_ns, struct drive_health *health)
{
	struct ssd *ssd = ssd_of(drive);
	const struct ftl *ftl = &ssd->ftl;
	uint64_t least = UINT64_MAX;

	ssd_idle(ssd, now_ns);
	ssd->idle_ns = max_u64(ssd->idle_ns, now_ns);
	ssd_warm(ssd, now_ns);
	for (uint32_t i = 0; i < ftl->config.blocks; i++)
		least = min_u64(least, ftl->blocks[i].erases);
	health->nand_written_bytes =
		(ssd->programmed_pages + ssd->fill + ftl->counts.moved_pages) *
		PROFILE_PAGE_BYTES;
	health->erases = ftl->counts.erases;
	health->least_erases = least;
	health->most_erases = ftl->most_erases;
	assert(ftl->config.blocks);
	assert(drive->profile.rated_cycles);
	health->used_ppm = muldiv_u64(ftl->counts.erases, PROFILE_PPM,
				      ftl->config.blocks * drive->profile.rated_cycles);
	health->throttled_ns = drive->health.throttled_ns;
	health->slc_bytes = ssd_slc_size_pages(ssd) * PROFILE_PAGE_BYTES;
	health->slc_used_bytes = ssd->slc_pages * PROFILE_PAGE_BYTES;
	health->mapped_bytes = ftl->mapped_pages * PROFILE_PAGE_BYTES;
	health->temperature_mc = ssd->temperature_mc;
}

static int64_t ssd_temperature_mc(const struct drive *drive)
{
	return ((const struct ssd *)(const void *)drive)->temperature_mc;
}

static int ssd_fill_slc(struct drive *drive, uint64_t now_ns, uint64_t part_ppm)
{
	struct ssd *ssd = ssd_of(drive);

	if (!drive->profile.slc_max_bytes)
		return -ENXIO;
	ssd_idle(ssd, now_ns); /* what was folded until now counts */
	ssd->idle_ns = max_u64(ssd->idle_ns, now_ns);
	ssd->slc_pages = muldiv_u64(ssd_slc_size_pages(ssd), part_ppm, PROFILE_PPM);
	return 0;
}

static const char *ssd_broken(const struct drive *drive)
{
	return ftl_broken(&((const struct ssd *)(const void *)drive)->ftl);
}

static void state_ftl(struct ftl *ftl, struct state_file *state)
{
	uint64_t physical = (uint64_t)ftl->config.blocks * ftl->config.pages_per_block;

	state_table(state, ftl->map, ftl->config.user_pages);
	state_table(state, ftl->owner, physical);
	state_table(state, ftl->blocks, ftl->config.blocks);
	state_table(state, ftl->free, ftl->config.blocks);
	state_table(state, ftl->head, ftl->config.pages_per_block + 1);
	state_table(state, ftl->closed, ftl->config.blocks);
	state_field(state, ftl->counts);
	state_field(state, ftl->mapped_pages);
	state_field(state, ftl->log);
	state_field(state, ftl->free_first);
	state_field(state, ftl->nfree);
	state_field(state, ftl->lowest);
	state_field(state, ftl->nclosed);
	state_field(state, ftl->most_erases);
	state_field(state, ftl->wear_check_in);
	state_field(state, ftl->rng);
}

/* A drive at rest: what is in the cache counts as programmed. */
static void ssd_state(struct drive *drive, struct state_file *state)
{
	struct ssd *ssd = ssd_of(drive);

	state_ftl(&ssd->ftl, state);
	state_field(state, ssd->flash.rng);
	state_field(state, ssd->next_die);
	state_field(state, ssd->programmed_pages);
	state_field(state, ssd->collections);
	state_field(state, ssd->moved_pages);
	state_field(state, ssd->debt_ns);
	state_field(state, ssd->debt_pages);
	state_field(state, ssd->slc_pages);
	state_field(state, ssd->temperature_mc);
	if (ssd->versions)
		state_table(state, ssd->versions, ssd->ftl.config.user_pages);
	if (state->loads) {
		ssd->nrecent = ssd->fill = 0;
		ssd->idle_ns = drive->now_ns;
	}
}

const struct drive_ops drive_ssd = {
	.bytes = sizeof(struct ssd),
	.open = ssd_open,
	.close = ssd_close,
	.submit = ssd_submit,
	.power_cut = ssd_power_cut,
	.unsafe = ssd_unsafe,
	.version = ssd_version,
	.health = ssd_health,
	.temperature_mc = ssd_temperature_mc,
	.state = ssd_state,
	.fill_slc = ssd_fill_slc,
	.broken = ssd_broken,
};
