/*
 * The simulated hard disk, or several of them striped. A disk is a head over a turning platter:
 * where it is follows from the time, so that seek and rotation come out of the positions and the
 * queue can be worked off nearest first, as disks do. Zones: the rate falls from the outer to the
 * inner tracks. Writes are done when the disk's cache has taken them in, if it has one.
 */
#include <stdlib.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/memory.h"
#include "sim/drive_priv.h"

#define ZONES	     32
#define SECTOR_BYTES 512
#define NEVER	     UINT64_MAX
/* Positions on the way of the head: parts of the whole stroke. */
#define STROKE_BITS 30

/* A request's part on one disk. */
struct hdd_part {
	uint64_t position, bytes, order, arrive_ns;
	uint32_t parent;
	bool write, fua;
	bool cached; /* in the write cache: its request knows nothing of it any more */
};

struct hdd_parent {
	struct drive_request request;
	uint64_t order, done_ns;
	uint32_t left; /* parts; 0: the place is free */
};

/* What the head writes, or will have written by a flush: its end may lie ahead. */
struct hdd_written {
	uint64_t position, bytes, order, start_ns, end_ns;
};

struct hdd_disk {
	uint64_t free_ns;			   /* the head has finished */
	uint64_t position;			   /* of the head, in bytes */
	uint64_t ahead_from, ahead_ns, ahead_next; /* read ahead from, since, expected next */
	struct hdd_part *parts;			   /* in order of arrival; own memory */
	uint32_t nparts, room, ncached;
	struct hdd_written *written; /* in order of time; own memory */
	uint32_t nwritten, written_room;
};

struct hdd {
	struct drive drive;
	struct hdd_disk *disks;
	struct hdd_parent *parents; /* own memory */
	uint32_t nparents;
	uint64_t disk_bytes, turn_ns, zone_bytes;
	uint64_t track_bytes[ZONES];
	int64_t seek_root_ns, seek_line_ns; /* seek = track + root * sqrt(d) + line * d */
	uint64_t link_free_ns;
};

static struct hdd *hdd_of(struct drive *drive)
{
	return (struct hdd *)(void *)drive;
}

static int hdd_open(struct drive *drive, struct err *err)
{
	struct hdd *hdd = hdd_of(drive);
	const struct profile *p = &drive->profile;
	int64_t third = (int64_t)(p->seek_average_ns - p->seek_track_ns);
	int64_t whole = (int64_t)(p->seek_full_ns - p->seek_track_ns);

	(void)err; /* profile_parse has checked all there is */
	hdd->disks = arena_array(&drive->arena, struct hdd_disk, p->members);
	hdd->disk_bytes =
		(drive->size_bytes / p->stripe_bytes / p->members + 1) * p->stripe_bytes;
	hdd->turn_ns = 60 * NS_PER_S / p->rpm;
	hdd->zone_bytes = hdd->disk_bytes / ZONES + 1;
	for (uint64_t i = 0; i < ZONES; i++) {
		uint64_t rate = p->outer_bytes_s -
				(p->outer_bytes_s - p->inner_bytes_s) * i / (ZONES - 1);

		hdd->track_bytes[i] = muldiv_u64(rate, hdd->turn_ns, NS_PER_S);
	}
	/* Through seek_average at 1/3 and seek_full at 1: sqrt(1/3) - 1/3 = 0.244017. */
	hdd->seek_root_ns = (3 * third - whole) * 1000000 / 732051;
	hdd->seek_line_ns = whole - hdd->seek_root_ns;
	return 0;
}

static void hdd_close(struct drive *drive)
{
	struct hdd *hdd = hdd_of(drive);

	for (uint64_t i = 0; hdd->disks && i < drive->profile.members; i++) {
		free(hdd->disks[i].parts);
		free(hdd->disks[i].written);
	}
	free(hdd->parents);
}

static uint64_t square_root(uint64_t x)
{
	uint64_t root = 0;

	for (uint64_t bit = 1ULL << 31; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= x)
			root |= bit;
	return root;
}

static uint64_t track_at(const struct hdd *hdd, uint64_t position)
{
	return hdd->track_bytes[position / hdd->zone_bytes];
}

static uint64_t seek_ns(const struct hdd *hdd, uint64_t from, uint64_t to, bool write)
{
	const struct profile *profile = &hdd->drive.profile;
	uint64_t way = from > to ? from - to : to - from;
	int64_t part, root, ns;

	if (way < track_at(hdd, from))
		return 0;
	part = (int64_t)muldiv_u64(way, 1ULL << STROKE_BITS, hdd->disk_bytes);
	root = (int64_t)square_root((uint64_t)part << STROKE_BITS);
	ns = (int64_t)profile->seek_track_ns + (hdd->seek_root_ns * root >> STROKE_BITS) +
	     (hdd->seek_line_ns * part >> STROKE_BITS);
	return max_u64(profile->seek_track_ns, ns < 0 ? 0 : (uint64_t)ns) +
	       (write ? profile->settle_write_ns : 0);
}

/* Seek, then wait for the sector: the platter's angle is the time's remainder. */
static uint64_t access_ns(const struct hdd *hdd, const struct hdd_disk *disk,
			  const struct hdd_part *part, uint64_t now_ns)
{
	uint64_t track = track_at(hdd, part->position), seek, here, there;

	if (part->position == disk->position && now_ns == disk->free_ns)
		return 0; /* the head is just there */
	seek = seek_ns(hdd, disk->position, part->position, part->write);
	here = (now_ns + seek) % hdd->turn_ns;
	there = muldiv_u64(part->position % hdd->zone_bytes % track, hdd->turn_ns, track);
	return seek + (there >= here ? there - here : there + hdd->turn_ns - here);
}

static uint64_t media_ns(const struct hdd *hdd, uint64_t position, uint64_t bytes)
{
	return muldiv_u64(bytes, hdd->turn_ns, track_at(hdd, position));
}

static bool is_read_ahead(const struct hdd *hdd, const struct hdd_disk *disk,
			  const struct hdd_part *part)
{
	return hdd->drive.profile.read_ahead_bytes && !part->write &&
	       disk->ahead_next == part->position && disk->ahead_ns;
}

/* Reads come before cached writes, unless the cache is full and others wait for it. */
static uint32_t choose(const struct hdd *hdd, const struct hdd_disk *disk, uint64_t now_ns)
{
	const struct profile *profile = &hdd->drive.profile;
	uint32_t best = 0, reads = 0, seen = 0;
	uint64_t least = NEVER;
	bool writes_wait = profile->write_queue && disk->ncached >= profile->write_queue;

	for (uint32_t i = 0; i < disk->nparts; i++) {
		const struct hdd_part *part = &disk->parts[i];
		uint64_t ns;

		if (part->arrive_ns > now_ns)
			break;
		if (part->write && profile->write_queue && !part->cached && !part->fua)
			continue; /* waits for a place in the cache */
		if (!part->cached && seen++ >= profile->queue)
			continue;
		if (part->cached && reads && !writes_wait)
			continue;
		ns = is_read_ahead(hdd, disk, part) ? 0 : access_ns(hdd, disk, part, now_ns);
		if (!part->write && !reads && !writes_wait)
			least = NEVER; /* the first read beats every write */
		reads += !part->write;
		if (ns < least) {
			least = ns;
			best = i;
		}
	}
	return best;
}

static void finish_part(struct hdd *hdd, const struct hdd_part *part, uint64_t done_ns)
{
	struct hdd_parent *parent = &hdd->parents[part->parent];

	parent->done_ns = max_u64(parent->done_ns, done_ns);
	if (--parent->left)
		return;
	done_ns = parent->done_ns + (parent->request.op == DRIVE_READ
					     ? hdd->drive.profile.read_ns
					     : hdd->drive.profile.write_ns);
	drive_complete(&hdd->drive, &parent->request, parent->order, done_ns);
}

/* Writes enter the cache in order of arrival, while it has places. */
static void admit(struct hdd *hdd, struct hdd_disk *disk, uint64_t now_ns)
{
	uint64_t places = hdd->drive.profile.write_queue;

	for (uint32_t i = 0; i < disk->nparts && disk->ncached < places; i++) {
		struct hdd_part *part = &disk->parts[i];

		if (!part->write || part->cached || part->fua)
			continue;
		part->cached = true;
		disk->ncached++;
		finish_part(hdd, part, max_u64(now_ns, part->arrive_ns));
	}
}

static void note_written(const struct hdd *hdd, struct hdd_disk *disk,
			 const struct hdd_part *part, uint64_t end_ns)
{
	uint32_t over = 0;

	while (over < disk->nwritten && disk->written[over].end_ns <= hdd->drive.now_ns)
		over++;
	disk->nwritten -= over;
	for (uint32_t i = 0; over && i < disk->nwritten; i++)
		disk->written[i] = disk->written[i + over];
	if (disk->nwritten == disk->written_room) {
		disk->written_room = disk->written_room ? 2 * disk->written_room : 16;
		disk->written = memory_resize(disk->written, disk->written_room,
					      sizeof(*disk->written));
	}
	disk->written[disk->nwritten++] = (struct hdd_written){
		.position = part->position,
		.bytes = part->bytes,
		.order = part->order,
		.start_ns = end_ns - media_ns(hdd, part->position, part->bytes),
		.end_ns = end_ns,
	};
}

static void serve(struct hdd *hdd, struct hdd_disk *disk, uint64_t now_ns)
{
	uint32_t chosen = choose(hdd, disk, now_ns);
	struct hdd_part part = disk->parts[chosen];
	uint64_t end_ns, end = part.position + part.bytes;

	if (is_read_ahead(hdd, disk, &part)) {
		uint64_t streamed_ns = disk->ahead_ns +
				       media_ns(hdd, disk->ahead_from, end - disk->ahead_from);

		end_ns = max_u64(now_ns, streamed_ns);
	} else {
		end_ns = now_ns + access_ns(hdd, disk, &part, now_ns) +
			 media_ns(hdd, part.position, part.bytes);
		disk->ahead_from = end;
		disk->ahead_ns = part.write ? 0 : end_ns;
	}
	/* The buffer is full: the stream stops, and starts again from here. */
	if (disk->ahead_ns && end - disk->ahead_from > hdd->drive.profile.read_ahead_bytes) {
		disk->ahead_from = end;
		disk->ahead_ns = end_ns;
	}
	if (part.write)
		note_written(hdd, disk, &part, end_ns);
	disk->ahead_next = end;
	disk->position = end;
	disk->free_ns = end_ns;
	for (uint32_t i = chosen; i + 1 < disk->nparts; i++)
		disk->parts[i] = disk->parts[i + 1];
	disk->nparts--;
	if (part.cached)
		disk->ncached--;
	else
		finish_part(hdd, &part, end_ns);
	admit(hdd, disk, end_ns);
}

/* When the disk takes up its next part: the head is free and something is there. */
static uint64_t next_of(const struct hdd_disk *disk)
{
	return disk->nparts ? max_u64(disk->free_ns, disk->parts[0].arrive_ns) : NEVER;
}

static uint64_t hdd_next(const struct drive *drive)
{
	const struct hdd *hdd = (const struct hdd *)(const void *)drive;
	uint64_t next = NEVER;

	for (uint64_t i = 0; i < drive->profile.members; i++)
		next = min_u64(next, next_of(&hdd->disks[i]));
	return next;
}

static void hdd_advance(struct drive *drive, uint64_t now_ns)
{
	struct hdd *hdd = hdd_of(drive);

	for (uint64_t i = 0; i < drive->profile.members; i++)
		while (next_of(&hdd->disks[i]) <= now_ns)
			serve(hdd, &hdd->disks[i], next_of(&hdd->disks[i]));
}

static uint32_t new_parent(struct hdd *hdd)
{
	uint32_t old = hdd->nparents;

	for (uint32_t i = 0; i < old; i++)
		if (!hdd->parents[i].left)
			return i;
	hdd->nparents = old ? 2 * old : 64;
	hdd->parents = memory_resize(hdd->parents, hdd->nparents, sizeof(*hdd->parents));
	for (uint32_t i = old; i < hdd->nparents; i++)
		hdd->parents[i].left = 0;
	return old;
}

static void add_part(struct hdd_disk *disk, const struct hdd_part *part)
{
	if (disk->nparts == disk->room) {
		disk->room = disk->room ? 2 * disk->room : 64;
		disk->parts = memory_resize(disk->parts, disk->room, sizeof(*disk->parts));
	}
	assert(disk->parts);
	disk->parts[disk->nparts++] = *part;
}

static void split(struct hdd *hdd, uint32_t parent, uint64_t ready_ns)
{
	const struct profile *profile = &hdd->drive.profile;
	const struct drive_request *request = &hdd->parents[parent].request;
	uint64_t offset = request->offset, end = offset + request->bytes;

	while (offset < end) {
		uint64_t stripe = offset / profile->stripe_bytes;
		uint64_t in_stripe = offset % profile->stripe_bytes;
		uint64_t bytes = min_u64(end - offset, profile->stripe_bytes - in_stripe);
		struct hdd_disk *disk = &hdd->disks[stripe % profile->members];
		struct hdd_part part = {
			.position =
				stripe / profile->members * profile->stripe_bytes + in_stripe,
			.bytes = bytes,
			.order = hdd->drive.requests,
			.arrive_ns = ready_ns,
			.parent = parent,
			.write = request->op == DRIVE_WRITE,
			.fua = request->fua,
		};
		struct hdd_part *last = disk->nparts ? &disk->parts[disk->nparts - 1] : NULL;

		/* Stripes that follow each other on a disk are one part. */
		if (last && last->parent == parent && last->order == part.order &&
		    last->position + last->bytes == part.position) {
			last->bytes += bytes;
		} else {
			add_part(disk, &part);
			hdd->parents[parent].left++;
		}
		offset += bytes;
	}
}

static void hdd_submit(struct drive *drive, const struct drive_request *request,
		       uint64_t now_ns)
{
	struct hdd *hdd = hdd_of(drive);
	const struct profile *profile = &drive->profile;
	uint64_t ready_ns =
		drive_pipe(&drive->command_free_ns, now_ns, now_ns, profile->command_ns);
	uint32_t parent;

	if (request->op == DRIVE_FLUSH) {
		uint64_t done_ns = ready_ns;

		/* All that is cached is written, in the order of a sweep. */
		for (uint64_t i = 0; i < profile->members; i++) {
			struct hdd_disk *disk = &hdd->disks[i];

			while (disk->ncached)
				serve(hdd, disk, max_u64(now_ns, next_of(disk)));
			done_ns = max_u64(done_ns, disk->free_ns);
		}
		drive_complete(drive, request, drive->requests, done_ns + profile->flush_ns);
		return;
	}
	if (request->op == DRIVE_TRIM || !request->bytes) {
		drive_complete(drive, request, drive->requests, ready_ns + profile->trim_ns);
		return;
	}
	ready_ns = drive_pipe(&hdd->link_free_ns, now_ns, ready_ns,
			      drive_transfer_ns(request->bytes, profile->link_bytes_s));
	parent = new_parent(hdd);
	hdd->parents[parent] =
		(struct hdd_parent){.request = *request, .order = drive->requests};
	hdd->parents[parent].left = 1; /* held while it is split */
	split(hdd, parent, ready_ns);
	hdd->parents[parent].left--;
	for (uint64_t i = 0; i < profile->members; i++)
		admit(hdd, &hdd->disks[i], ready_ns);
}

/* Where on the drive a disk's byte lies. */
static uint64_t offset_of(const struct hdd *hdd, uint64_t disk, uint64_t position)
{
	const struct profile *profile = &hdd->drive.profile;
	uint64_t stripe = position / profile->stripe_bytes;

	return (stripe * profile->members + disk) * profile->stripe_bytes +
	       position % profile->stripe_bytes;
}

/* All of a write but its first `kept` bytes. */
static void lose(const struct hdd *hdd, uint64_t disk, const struct hdd_written *written,
		 uint64_t kept, const struct drive_lost *lost)
{
	uint64_t from = written->position + kept, end = written->position + written->bytes;

	while (lost && lost->page && from < end) {
		unsigned sectors = (unsigned)(from % PROFILE_PAGE_BYTES / SECTOR_BYTES);

		from -= from % PROFILE_PAGE_BYTES;
		lost->page(lost->arg, offset_of(hdd, disk, from), written->order, sectors);
		from += PROFILE_PAGE_BYTES;
	}
}

/* Bytes that the head has written by now, in whole sectors. */
static uint64_t bytes_on_disk(const struct hdd_written *written, uint64_t now_ns)
{
	uint64_t bytes;

	if (now_ns <= written->start_ns)
		return 0;
	bytes = muldiv_u64(written->bytes, now_ns - written->start_ns,
			   written->end_ns - written->start_ns);
	return bytes / SECTOR_BYTES * SECTOR_BYTES;
}

/* What was cached, what waited, and the rest of what the head was writing. */
static void disk_power_cut(struct hdd *hdd, uint64_t number, uint64_t now_ns,
			   const struct drive_lost *lost)
{
	struct hdd_disk *disk = &hdd->disks[number];

	for (uint32_t i = disk->nparts; i-- > 0;) {
		const struct hdd_part *part = &disk->parts[i];
		const struct hdd_written waiting = {
			.position = part->position, .bytes = part->bytes, .order = part->order};

		if (part->write)
			lose(hdd, number, &waiting, 0, lost);
	}
	for (uint32_t i = disk->nwritten; i-- > 0 && disk->written[i].end_ns > now_ns;)
		lose(hdd, number, &disk->written[i], bytes_on_disk(&disk->written[i], now_ns),
		     lost);
	disk->nparts = disk->ncached = disk->nwritten = 0;
	disk->free_ns = now_ns;
	disk->ahead_ns = 0;
}

static void hdd_power_cut(struct drive *drive, uint64_t now_ns, const struct drive_lost *lost)
{
	struct hdd *hdd = hdd_of(drive);

	for (uint64_t i = 0; i < drive->profile.members; i++)
		disk_power_cut(hdd, i, now_ns, lost);
	for (uint32_t i = 0; i < hdd->nparents; i++)
		hdd->parents[i].left = 0;
}

static uint64_t hdd_unsafe(const struct drive *drive)
{
	const struct hdd *hdd = (const struct hdd *)(const void *)drive; /* its first member */
	uint64_t oldest = UINT64_MAX;

	for (uint64_t i = 0; i < drive->profile.members; i++) {
		const struct hdd_disk *disk = &hdd->disks[i];

		for (uint32_t j = 0; j < disk->nparts; j++)
			if (disk->parts[j].write)
				oldest = min_u64(oldest, disk->parts[j].order);
		for (uint32_t j = 0; j < disk->nwritten; j++)
			if (disk->written[j].end_ns > drive->now_ns)
				oldest = min_u64(oldest, disk->written[j].order);
	}
	return oldest;
}

static void hdd_state(struct drive *drive, struct state_file *state)
{
	struct hdd *hdd = hdd_of(drive);

	for (uint64_t i = 0; i < drive->profile.members; i++)
		state_field(state, hdd->disks[i].position);
}

const struct drive_ops drive_hdd = {
	.bytes = sizeof(struct hdd),
	.open = hdd_open,
	.close = hdd_close,
	.submit = hdd_submit,
	.next = hdd_next,
	.advance = hdd_advance,
	.power_cut = hdd_power_cut,
	.unsafe = hdd_unsafe,
	.state = hdd_state,
};
