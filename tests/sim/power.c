/*
 * What a drive promises about data: reads return the newest write, a flushed or FUA write is never
 * lost, a lost one falls back to what was there before. Random operations, seeds 1 to 20, against
 * a model that remembers every write of every page.
 */
#include <stdlib.h>

#include "sim/loop.h"

#define PAGES	   512
#define OPERATIONS 4000
#define WRITES_MAX (OPERATIONS + 1)

struct model {
	struct drive *drive;
	uint64_t now_ns, seed;
	uint64_t page_of[WRITES_MAX], before[WRITES_MAX]; /* by number of the request */
	bool safe[WRITES_MAX]; /* flushed, or FUA, and the drive said so */
	bool fua[WRITES_MAX], flush[WRITES_MAX], lost[WRITES_MAX];
	uint64_t newest[PAGES];
	uint64_t nlost;
};

static void note_lost(void *arg, uint64_t offset, uint64_t write, unsigned sectors)
{
	struct model *model = arg;

	assert_int_equal(sectors, 0); /* flash keeps or loses pages; so does a cache */
	assert_int_equal(model->page_of[write], offset / 4096);
	assert_false(model->safe[write]);
	model->lost[write] = true;
	model->nlost++;
}

/* Completions up to `now`: what they make safe. */
static void reap(struct model *model)
{
	struct drive_done done[64];
	unsigned n;

	while ((n = drive_reap(model->drive, model->now_ns, done, 64))) {
		for (unsigned i = 0; i < n; i++) {
			uint64_t request = done[i].tag;

			if (model->fua[request])
				model->safe[request] = true;
			/* A flush is for all that was written before it. */
			for (uint64_t j = 1; model->flush[request] && j < request; j++)
				model->safe[j] = true;
		}
	}
}

static void submit(struct model *model, struct rng *rng, uint64_t number)
{
	uint64_t page = rng_below(rng, PAGES), kind = rng_below(rng, 20);
	struct drive_request request = {.offset = page * 4096, .bytes = 4096, .tag = number};

	if (kind == 0)
		request = (struct drive_request){.op = DRIVE_FLUSH, .tag = number};
	else if (kind == 1)
		request.op = DRIVE_TRIM;
	else if (kind < 6)
		request.op = DRIVE_READ;
	else
		request.op = DRIVE_WRITE;
	request.fua = kind == 6;
	model->flush[number] = kind == 0;
	if (request.op == DRIVE_WRITE) {
		model->page_of[number] = page;
		model->before[number] = model->newest[page];
		model->newest[page] = number;
		model->fua[number] = request.fua;
	} else if (request.op == DRIVE_TRIM) {
		model->newest[page] = 0;
	}
	assert_int_equal(drive_submit(model->drive, &request, model->now_ns), number);
	if (request.op == DRIVE_READ)
		assert_int_equal(drive_version(model->drive, page * 4096), model->newest[page]);
}

static void cut(struct model *model)
{
	struct drive_lost lost = {note_lost, model};

	drive_power_cut(model->drive, model->now_ns, &lost);
	for (uint64_t page = 0; page < PAGES; page++) {
		uint64_t write = model->newest[page];

		while (write && model->lost[write])
			write = model->before[write];
		model->newest[page] = write;
		assert_int_equal(drive_version(model->drive, page * 4096), write);
	}
}

static uint64_t run(const char *target, uint64_t seed)
{
	struct model *model = calloc(1, sizeof(*model));
	uint64_t nlost;
	struct rng rng;

	model->drive = open_drive(target);
	rng_seed(&rng, seed, 3);
	for (uint64_t number = 1; number < WRITES_MAX; number++) {
		submit(model, &rng, number);
		model->now_ns += rng_below(&rng, 400000);
		reap(model);
		if (rng_below(&rng, 200) == 0)
			cut(model);
		if (number % 512 == 0 && drive_broken(model->drive))
			fail_msg("%s", drive_broken(model->drive));
	}
	nlost = model->nlost;
	drive_close(model->drive);
	free(model);
	return nlost;
}

#define SMALL                                                                           \
	"sata-tlc-128g,size=2m,op=40%,slc_min=0,slc_max=512k,block_pages=4,cache=256k," \
	"versions=1,"

static void nothing_flushed_is_lost(void **state)
{
	uint64_t nlost = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++)
		nlost += run(SMALL "cache_volatile=1", seed);
	assert_true(nlost > 100); /* or the test would prove nothing */
}

static void a_protected_cache_loses_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++)
		assert_int_equal(run(SMALL "cache_volatile=0", seed), 0);
}

/* A disk's cache: what was written and not flushed is lost, what was flushed is not. */
static void a_hard_disk_loses_its_cache(void **state)
{
	struct model *model = calloc(1, sizeof(*model));
	struct drive_lost lost = {note_lost, model};
	struct drive_request flush = {.op = DRIVE_FLUSH};
	struct drive_done done[64];

	(void)state;
	model->drive = open_drive("hdd-7200-raid0,size=64m");
	for (uint64_t i = 1; i <= 30; i++) {
		struct drive_request write = {
			.offset = i * 4096 * 11, .bytes = 4096, .op = DRIVE_WRITE};

		model->page_of[i] = i * 11;
		(void)drive_submit(model->drive, &write, 0);
		if (i == 20) {
			(void)drive_submit(model->drive, &flush, 0);
			break;
		}
		model->safe[i] = true;
	}
	model->safe[20] = true;
	while (drive_in_flight(model->drive)) {
		model->now_ns = drive_next(model->drive);
		(void)drive_reap(model->drive, model->now_ns, done, 64);
	}
	drive_power_cut(model->drive, model->now_ns, &lost);
	assert_int_equal(model->nlost, 0);
	for (uint64_t i = 22; i <= 31; i++) {
		struct drive_request write = {
			.offset = i * 4096 * 11, .bytes = 4096, .op = DRIVE_WRITE};

		model->page_of[i] = i * 11;
		assert_int_equal(drive_submit(model->drive, &write, model->now_ns), i);
	}
	drive_power_cut(model->drive, model->now_ns + 1000, &lost);
	assert_true(model->nlost >= 8);
	drive_close(model->drive);
	free(model);
}

/* What a power cut took of one write: from a byte on, so many pages, of which the first may be
 * torn. */
struct tear {
	uint64_t from, pages;
};

static void note_tear(void *arg, uint64_t offset, uint64_t write, unsigned sectors)
{
	struct tear *tear = arg;

	assert_int_equal(write, 1);
	assert_true(sectors < 8);
	if (!tear->pages++)
		tear->from = offset + sectors * UINT64_C(512);
	else
		assert_int_equal(sectors, 0);
}

#define TEAR_FROM  40960
#define TEAR_BYTES 131072

/* Bytes of a write to a disk without a cache that are on the platter at `cut_ns`. */
static uint64_t kept_at(uint64_t cut_ns, bool *ret_done)
{
	struct drive *drive = open_drive("hdd-7200-raid0,members=1,write_queue=0");
	struct drive_request write = {
		.offset = TEAR_FROM, .bytes = TEAR_BYTES, .op = DRIVE_WRITE};
	struct tear tear = {.from = TEAR_FROM + TEAR_BYTES};
	struct drive_lost lost = {note_tear, &tear};
	struct drive_done done;

	*ret_done = false;
	(void)drive_submit(drive, &write, 0);
	while (drive_next(drive) <= cut_ns)
		*ret_done |= drive_reap(drive, drive_next(drive), &done, 1) > 0;
	assert_int_equal(drive_settled(drive), *ret_done || drive_next(drive) == UINT64_MAX);
	drive_power_cut(drive, cut_ns, &lost);
	assert_int_equal(tear.pages, (TEAR_FROM + TEAR_BYTES - tear.from + 4095) / 4096);
	drive_close(drive);
	return tear.from - TEAR_FROM;
}

/* The head writes on and on: later cuts find more, sector by sector, and what was said to be done
 * all of it. */
static void a_hard_disk_is_cut_off_in_the_middle_of_a_write(void **state)
{
	uint64_t before = 0, torn = 0, cut_ns = 0;
	bool done = false;

	(void)state;
	for (; !done; cut_ns += 7919) {
		uint64_t kept = kept_at(cut_ns, &done);

		assert_int_equal(kept % 512, 0);
		assert_true(kept >= before);
		torn += kept % 4096 != 0;
		before = kept;
	}
	assert_int_equal(before, TEAR_BYTES);
	assert_true(torn > 20); /* 128 KiB take 1 ms, in steps of 8 us */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_flushed_is_lost),
		cmocka_unit_test(a_protected_cache_loses_nothing),
		cmocka_unit_test(a_hard_disk_loses_its_cache),
		cmocka_unit_test(a_hard_disk_is_cut_off_in_the_middle_of_a_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
