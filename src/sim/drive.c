/* What all simulated drives share: opening, completions in order, health. */
#include "sim/drive.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/memory.h"
#include "sim/drive_priv.h"

static const struct drive_ops *const kinds[] = {
	[PROFILE_SSD] = &drive_ssd, [PROFILE_HDD] = &drive_hdd, [PROFILE_CLOUD] = &drive_cloud};

int drive_open_profile(const struct profile *profile, struct drive **ret_drive, struct err *err)
{
	const struct drive_ops *ops = kinds[profile->kind];
	struct arena arena;
	struct drive *drive;
	int rc;

	arena_init(&arena);
	drive = arena_alloc(&arena, ops->bytes, 64);
	drive->ops = ops;
	drive->profile = *profile;
	drive->arena = arena;
	drive->size_bytes = profile_scaled(profile, profile->size_bytes);
	rng_seed(&drive->rng, profile->seed, 2);
	drive->next_stall_ns = profile->stall_every_ns ? 0 : UINT64_MAX;
	rc = ops->open(drive, err);
	if (rc) {
		err_context(err, "simulated drive %s", profile->name);
		drive_close(drive);
		return rc;
	}
	*ret_drive = drive;
	return 0;
}

int drive_open(const char *target, struct drive **ret_drive, struct err *err)
{
	struct profile profile;
	int rc = profile_parse(target, &profile, err);

	return rc ? rc : drive_open_profile(&profile, ret_drive, err);
}

void drive_close(struct drive *drive)
{
	struct arena arena;

	if (!drive)
		return;
	if (drive->ops->close)
		drive->ops->close(drive);
	free(drive->line);
	free(drive->heap);
	arena = drive->arena; /* the drive lies in it */
	arena_done(&arena);
}

const struct profile *drive_profile(const struct drive *drive)
{
	return &drive->profile;
}

uint64_t drive_size_bytes(const struct drive *drive)
{
	return drive->size_bytes;
}

uint64_t drive_memory_bytes(const struct drive *drive)
{
	return drive->ops->bytes + drive->tables_bytes +
	       ((uint64_t)drive->line_room + drive->heap_room) * sizeof(struct drive_pending);
}

static bool is_before(const struct drive_pending *a, const struct drive_pending *b)
{
	return a->done_ns != b->done_ns ? a->done_ns < b->done_ns : a->order < b->order;
}

static struct drive_pending *line_at(const struct drive *drive, unsigned i)
{
	return &drive->line[(drive->line_first + i) & (drive->line_room - 1)];
}

static void line_add(struct drive *drive, const struct drive_pending *pending)
{
	if (unlikely(drive->nline == drive->line_room)) {
		unsigned room = drive->line_room ? 2 * drive->line_room : 64;
		struct drive_pending *line = memory_take(room * sizeof(*line));

		for (unsigned i = 0; i < drive->nline; i++)
			line[i] = *line_at(drive, i);
		free(drive->line);
		drive->line = line;
		drive->line_first = 0;
		drive->line_room = room;
	}
	*line_at(drive, drive->nline++) = *pending;
}

static void heap_add(struct drive *drive, const struct drive_pending *pending)
{
	struct drive_pending *heap;
	unsigned at = drive->nheap++;

	if (drive->nheap > drive->heap_room) {
		drive->heap_room = drive->heap_room ? 2 * drive->heap_room : 64;
		drive->heap = memory_resize(drive->heap, drive->heap_room, sizeof(*pending));
	}
	heap = drive->heap;
	for (; at && is_before(pending, &heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = *pending;
}

static void heap_take(struct drive *drive)
{
	struct drive_pending *heap = drive->heap, last = heap[--drive->nheap];
	unsigned at = 0, child;

	while ((child = 2 * at + 1) < drive->nheap) {
		if (child + 1 < drive->nheap && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &last))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
}

static bool is_heaps_turn(const struct drive *drive)
{
	return drive->nheap && (!drive->nline || is_before(&drive->heap[0], line_at(drive, 0)));
}

/* The next completion, or NULL. */
static const struct drive_pending *first_pending(const struct drive *drive)
{
	if (is_heaps_turn(drive))
		return &drive->heap[0];
	return drive->nline ? line_at(drive, 0) : NULL;
}

static void take_first(struct drive *drive)
{
	if (is_heaps_turn(drive)) {
		heap_take(drive);
		return;
	}
	drive->line_first = (drive->line_first + 1) & (drive->line_room - 1);
	drive->nline--;
}

static int32_t draw_error(struct drive *drive, const struct drive_request *request)
{
	uint64_t pages = (request->bytes + PROFILE_PAGE_BYTES - 1) / PROFILE_PAGE_BYTES;

	if (!drive->profile.uncorrectable_ppb || request->op != DRIVE_READ)
		return 0;
	for (uint64_t i = 0; i < pages; i++) {
		if (rng_below(&drive->rng, 1000000000) < drive->profile.uncorrectable_ppb) {
			drive->health.media_errors++;
			return -EIO;
		}
	}
	return 0;
}

void drive_complete(struct drive *drive, const struct drive_request *request, uint64_t order,
		    uint64_t done_ns)
{
	const struct drive_pending pending = {.done_ns = done_ns,
					      .order = order,
					      .tag = request->tag,
					      .error = draw_error(drive, request)};

	if (drive->nline && is_before(&pending, line_at(drive, drive->nline - 1)))
		heap_add(drive, &pending);
	else
		line_add(drive, &pending);
}

static void count(struct drive_health *health, const struct drive_request *request)
{
	switch (request->op) {
	case DRIVE_READ:
		health->host_reads++;
		health->host_read_bytes += request->bytes;
		break;
	case DRIVE_WRITE:
		health->host_writes++;
		health->host_written_bytes += request->bytes;
		break;
	case DRIVE_FLUSH:
		health->flushes++;
		break;
	case DRIVE_TRIM:
		health->trimmed_bytes += request->bytes;
		break;
	}
}

/* The stall that began last, if it is not over; counted from the first request. */
static void stall_by_itself(struct drive *drive, uint64_t now_ns)
{
	uint64_t every_ns = drive->profile.stall_every_ns, began_ns;

	if (!drive->requests)
		drive->stall_zero_ns = now_ns;
	began_ns = now_ns - (now_ns - drive->stall_zero_ns) % every_ns;
	drive->next_stall_ns = began_ns + every_ns;
	if (began_ns > drive->stall_zero_ns)
		drive->command_free_ns =
			max_u64(drive->command_free_ns, began_ns + drive->profile.stall_ns);
}

uint64_t drive_submit(struct drive *drive, const struct drive_request *request, uint64_t now_ns)
{
	assert(now_ns >= drive->now_ns);
	assert(request->bytes <= drive->size_bytes);
	assert(request->offset <= drive->size_bytes - request->bytes);
	assert(!((request->offset | request->bytes) & 511));
	drive->now_ns = now_ns;
	if (drive->ops->advance)
		drive->ops->advance(drive, now_ns);
	if (unlikely(now_ns >= drive->next_stall_ns))
		stall_by_itself(drive, now_ns);
	drive->requests++;
	drive->in_flight++;
	count(&drive->health, request);
	drive->ops->submit(drive, request, now_ns);
	return drive->requests;
}

uint64_t drive_next(const struct drive *drive)
{
	const struct drive_pending *first = first_pending(drive);
	uint64_t next = first ? first->done_ns : UINT64_MAX;

	return drive->ops->next ? min_u64(next, drive->ops->next(drive)) : next;
}

unsigned drive_reap(struct drive *drive, uint64_t now_ns, struct drive_done *done, unsigned max)
{
	const struct drive_pending *first;
	unsigned n = 0;

	assert(now_ns >= drive->now_ns);
	drive->now_ns = now_ns;
	if (drive->ops->advance)
		drive->ops->advance(drive, now_ns);
	while (n < max && (first = first_pending(drive)) && first->done_ns <= now_ns) {
		done[n++] = (struct drive_done){first->done_ns, first->tag, first->error};
		drive->in_flight--;
		take_first(drive);
	}
	return n;
}

unsigned drive_in_flight(const struct drive *drive)
{
	return drive->in_flight;
}

uint64_t drive_unmapped_read_bytes(const struct drive *drive)
{
	return drive->unmapped_read_bytes;
}

void drive_stall(struct drive *drive, uint64_t now_ns, uint64_t ns)
{
	assert(now_ns >= drive->now_ns);
	drive->command_free_ns = max_u64(drive->command_free_ns, now_ns) + ns;
}

void drive_power_cut(struct drive *drive, uint64_t now_ns, const struct drive_lost *lost)
{
	assert(now_ns >= drive->now_ns);
	if (drive->ops->advance)
		drive->ops->advance(drive, now_ns);
	drive->now_ns = now_ns;
	drive->nline = drive->nheap = drive->in_flight = 0;
	drive->command_free_ns = now_ns;
	drive->health.unsafe_shutdowns++;
	drive->ops->power_cut(drive, now_ns, lost);
}

int drive_fill_slc(struct drive *drive, uint64_t now_ns, uint64_t part_ppm)
{
	assert(now_ns >= drive->now_ns);
	assert(part_ppm <= PROFILE_PPM);
	drive->now_ns = now_ns;
	return drive->ops->fill_slc ? drive->ops->fill_slc(drive, now_ns, part_ppm) : -ENXIO;
}

uint64_t drive_settled(const struct drive *drive)
{
	uint64_t oldest = drive->ops->unsafe ? drive->ops->unsafe(drive) : UINT64_MAX;

	return min_u64(drive->requests, oldest - 1);
}

uint64_t drive_version(const struct drive *drive, uint64_t offset)
{
	return drive->ops->version ? drive->ops->version(drive, offset) : 0;
}

void drive_get_health(struct drive *drive, uint64_t now_ns, struct drive_health *ret_health)
{
	*ret_health = drive->health;
	if (drive->ops->health)
		drive->ops->health(drive, max_u64(now_ns, drive->now_ns), ret_health);
	else
		ret_health->nand_written_bytes = ret_health->host_written_bytes;
}

int64_t drive_temperature_mc(const struct drive *drive)
{
	return drive->ops->temperature_mc ? drive->ops->temperature_mc(drive) : 0;
}

const char *drive_broken(const struct drive *drive)
{
	return drive->ops->broken ? drive->ops->broken(drive) : NULL;
}
