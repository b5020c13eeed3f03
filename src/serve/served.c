#include "serve/served.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/bits.h"

#define RATE_MAX    UINT64_C(1000000000)
#define TEAR_STREAM 11 /* of the drive's seed */

static void ring_init(struct served_request *head)
{
	head->next = head->last = head;
}

static bool ring_is_empty(const struct served_request *head)
{
	return head->next == head;
}

static void ring_add(struct served_request *head, struct served_request *request)
{
	request->next = head;
	request->last = head->last;
	head->last->next = request;
	head->last = request;
}

static void ring_take(struct served_request *request)
{
	request->last->next = request->next;
	request->next->last = request->last;
}

int served_open(struct served *served, const char *target, const char *backing, struct err *err)
{
	int rc;

	*served = (struct served){.contents.fd = -1};
	ring_init(&served->waiting);
	ring_init(&served->flying);
	ring_init(&served->failed);
	rc = drive_open(target, &served->drive, err);
	if (rc)
		return rc;
	rng_seed(&served->rng, drive_profile(served->drive)->seed, TEAR_STREAM);
	rc = contents_open(&served->contents, backing, drive_size_bytes(served->drive), err);
	if (rc)
		drive_close(served->drive);
	return rc;
}

void served_close(struct served *served)
{
	contents_close(&served->contents);
	drive_close(served->drive);
}

/* As the model takes it: whole sectors; of a trim the inner ones, which alone are unmapped. */
static struct drive_request as_model(const struct served_request *request)
{
	uint64_t from = request->offset, end = from + request->bytes;
	const uint64_t unit = CONTENTS_SECTOR_BYTES;

	if (request->op == DRIVE_FLUSH)
		return (struct drive_request){.tag = (uintptr_t)request, .op = DRIVE_FLUSH};
	if (request->op == DRIVE_TRIM) {
		from = round_up_u64(from, unit);
		end = max_u64(end / unit * unit, from);
	} else {
		from = from / unit * unit;
		end = round_up_u64(end, unit);
	}
	return (struct drive_request){.offset = from,
				      .bytes = end - from,
				      .tag = (uintptr_t)request,
				      .op = request->op};
}

static bool is_to_fail(struct served *served, const struct served_request *request)
{
	bool counts = (request->op == DRIVE_READ && served->fail_reads) ||
		      (request->op == DRIVE_WRITE && served->fail_writes);

	return served->error_every && counts &&
	       ++served->error_count % served->error_every == 0;
}

static int move_data(struct served *served, struct served_request *request, uint64_t number)
{
	struct contents *contents = &served->contents;
	uint64_t settled = drive_settled(served->drive);

	switch (request->op) {
	case DRIVE_READ:
		return contents_read(contents, request->offset, request->data, request->bytes);
	case DRIVE_WRITE:
		contents_settle(contents, settled);
		return contents_write(contents, number > settled ? number : 0, request->offset,
				      request->data, request->bytes);
	case DRIVE_TRIM:
		return request->bytes ? contents_trim(contents, request->offset, request->bytes)
				      : 0;
	case DRIVE_FLUSH:
		return 0;
	}
	return 0;
}

static void start(struct served *served, struct served_request *request, uint64_t now_ns)
{
	struct drive_request model = as_model(request);
	bool fails = is_to_fail(served, request);
	uint64_t number = drive_submit(served->drive, &model, now_ns);

	request->error = fails ? -EIO : move_data(served, request, number);
	ring_add(&served->flying, request);
}

static uint64_t throttle_cost_ns(const struct served *served,
				 const struct served_request *request)
{
	uint64_t bytes_ns =
		served->throttle_bytes_s && request->op != DRIVE_TRIM
			? muldiv_u64(request->bytes, NS_PER_S, served->throttle_bytes_s)
			: 0;

	return max_u64(served->throttle_ns_per_op, bytes_ns);
}

void served_add(struct served *served, struct served_request *request, uint64_t now_ns)
{
	request->arrival_ns = now_ns;
	request->start_ns = max_u64(now_ns, served->throttle_free_ns);
	served->throttle_free_ns = request->start_ns + throttle_cost_ns(served, request);
	if (request->start_ns > now_ns || !ring_is_empty(&served->waiting))
		ring_add(&served->waiting, request);
	else
		start(served, request, now_ns);
}

uint64_t served_next(const struct served *served)
{
	uint64_t next = drive_next(served->drive);

	if (!ring_is_empty(&served->failed))
		return 0;
	return ring_is_empty(&served->waiting) ? next
					       : min_u64(next, served->waiting.next->start_ns);
}

struct served_request *served_reap(struct served *served, uint64_t now_ns)
{
	struct served_request *request = served->failed.next;
	struct drive_done done;

	if (!ring_is_empty(&served->failed)) {
		ring_take(request);
		return request;
	}
	while (!ring_is_empty(&served->waiting) && served->waiting.next->start_ns <= now_ns) {
		request = served->waiting.next;
		ring_take(request);
		start(served, request, now_ns);
	}
	if (!drive_reap(served->drive, now_ns, &done, 1))
		return NULL;
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): the tags are our own pointers */
	request = (struct served_request *)(uintptr_t)done.tag;
	ring_take(request);
	request->due_ns = done.done_ns;
	if (!request->error)
		request->error = done.error;
	return request;
}

/* What the model says is lost, to be undone from the newest to the oldest. */
struct loss {
	uint64_t write, page;
	unsigned sectors; /* of the page that hold the new data all the same */
};

struct losses {
	struct loss *all;
	size_t count, room;
	int error;
};

static void note_loss(void *arg, uint64_t offset, uint64_t write, unsigned sectors)
{
	struct losses *losses = arg;

	if (losses->count == losses->room) {
		size_t room = losses->room ? 2 * losses->room : 1024;
		struct loss *all = realloc(losses->all, room * sizeof(*all));

		if (!all) {
			losses->error = -ENOMEM;
			return;
		}
		losses->all = all;
		losses->room = room;
	}
	losses->all[losses->count++] =
		(struct loss){write, offset / CONTENTS_PAGE_BYTES, sectors};
}

static int newest_first(const void *a, const void *b)
{
	const struct loss *x = a, *y = b;

	if (x->write != y->write)
		return x->write < y->write ? 1 : -1;
	return (x->page > y->page) - (x->page < y->page);
}

static void fail_all(struct served *served, struct served_request *from, uint64_t now_ns)
{
	while (!ring_is_empty(from)) {
		struct served_request *request = from->next;

		ring_take(request);
		request->error = -EIO;
		request->due_ns = now_ns;
		ring_add(&served->failed, request);
	}
}

static int cut(struct served *served, bool torn, uint64_t now_ns)
{
	const unsigned sectors = CONTENTS_PAGE_BYTES / CONTENTS_SECTOR_BYTES;
	struct losses losses = {0};
	struct drive_lost lost = {note_loss, &losses};

	/* A disk tears what its head was writing, by itself; only flash is torn on demand. */
	torn = torn && drive_profile(served->drive)->kind == PROFILE_SSD;
	drive_power_cut(served->drive, now_ns, &lost);
	fail_all(served, &served->flying, now_ns);
	fail_all(served, &served->waiting, now_ns);
	served->throttle_free_ns = now_ns;
	if (losses.count)
		qsort(losses.all, losses.count, sizeof(*losses.all), newest_first);
	for (size_t i = 0; i < losses.count; i++) {
		unsigned kept = torn ? (unsigned)rng_below(&served->rng, sectors)
				     : losses.all[i].sectors;
		int rc = contents_undo(&served->contents, losses.all[i].write,
				       losses.all[i].page, kept);

		if (rc && !losses.error)
			losses.error = rc;
	}
	free(losses.all);
	contents_settle(&served->contents, UINT64_MAX);
	return losses.error;
}

static void throttle(struct served *served, const struct serve_command *command,
		     uint64_t now_ns)
{
	served->throttle_ns_per_op = command->first ? NS_PER_S / command->first : 0;
	served->throttle_bytes_s = command->second;
	served->throttle_free_ns = now_ns;
	for (struct served_request *r = served->waiting.next; r != &served->waiting;
	     r = r->next) {
		r->start_ns = served->throttle_free_ns;
		served->throttle_free_ns += throttle_cost_ns(served, r);
	}
}

int served_obey(struct served *served, const struct serve_command *command, uint64_t now_ns)
{
	switch ((enum serve_verb)command->verb) {
	case SERVE_CUT:
		return command->first > 1 ? -EINVAL : cut(served, command->first, now_ns);
	case SERVE_STALL:
		if (command->first > SERVE_STALL_MAX_NS)
			return -EINVAL;
		drive_stall(served->drive, now_ns, command->first);
		return 0;
	case SERVE_ERRORS:
		if (command->second > SERVE_FAIL_WRITES)
			return -EINVAL;
		served->error_every = command->first;
		served->error_count = 0;
		served->fail_reads = command->second != SERVE_FAIL_WRITES;
		served->fail_writes = command->second != SERVE_FAIL_READS;
		return 0;
	case SERVE_SLC:
		if (command->first > PROFILE_PPM)
			return -EINVAL;
		return drive_fill_slc(served->drive, now_ns, command->first);
	case SERVE_THROTTLE:
		if (command->first > RATE_MAX)
			return -EINVAL;
		throttle(served, command, now_ns);
		return 0;
	}
	return -EINVAL;
}
