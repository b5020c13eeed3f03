/*
 * A served drive on virtual time. What must hold after a power cut, whatever came before (random
 * operations, seeds 1 to 10): each sector holds a write that is not older than the last flush, and
 * without --torn each page is of one write. A model keeps every version of every page.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/served.h"
#include "unit.h"

#define PAGES	   256
#define OPERATIONS 1500
#define SECTORS	   (CONTENTS_PAGE_BYTES / CONTENTS_SECTOR_BYTES)

#define SMALL "sata-tlc-128g,size=2m,op=40%,slc_min=0,slc_max=512k,block_pages=4,cache=256k,"

struct bed {
	struct served served;
	uint64_t now_ns;
	/* By page. Values count up, so "not older" is "not less"; 0 is zeros. newest: written last;
	 * floor: the least that a flush makes safe; safe: the least that a cut may show; zeroed: of
	 * the last trim, which nothing older outlives. */
	uint64_t newest[PAGES], floor[PAGES], flush_floor[PAGES], safe[PAGES], zeroed[PAGES];
	struct served_request *flush;
	uint64_t errors;
};

static struct bed *bed_open(const char *target)
{
	struct bed *bed = calloc(1, sizeof(*bed));
	struct err err = {0};

	if (served_open(&bed->served, target, NULL, &err))
		fail_msg("%s", err.text);
	return bed;
}

static void finish(struct bed *bed, struct served_request *request)
{
	if (request == bed->flush) {
		for (unsigned i = 0; i < PAGES && !request->error; i++)
			bed->safe[i] = bed->flush_floor[i] > bed->safe[i] ? bed->flush_floor[i]
									  : bed->safe[i];
		bed->flush = NULL;
	}
	bed->errors += request->error != 0;
	free(request->data);
	free(request);
}

static void reap(struct bed *bed)
{
	struct served_request *request;

	while ((request = served_reap(&bed->served, bed->now_ns)))
		finish(bed, request);
}

static void wait_all(struct bed *bed)
{
	uint64_t next;

	while (reap(bed), (next = served_next(&bed->served)) != UINT64_MAX)
		bed->now_ns = next > bed->now_ns ? next : bed->now_ns;
}

static void bed_close(struct bed *bed)
{
	wait_all(bed);
	served_close(&bed->served);
	free(bed);
}

static struct served_request *add(struct bed *bed, enum drive_op op, uint64_t page,
				  uint64_t value, unsigned pages)
{
	struct served_request *request = calloc(1, sizeof(*request));
	size_t bytes = op == DRIVE_FLUSH ? 0 : (size_t)pages * CONTENTS_PAGE_BYTES;
	uint64_t *words = bytes ? malloc(bytes) : NULL;

	for (size_t i = 0; i < bytes / 8; i++)
		words[i] = value;
	*request = (struct served_request){
		.op = op, .offset = page * CONTENTS_PAGE_BYTES, .bytes = bytes, .data = words};
	served_add(&bed->served, request, bed->now_ns);
	return request;
}

/* The value in each sector of a page; a sector is of one write. */
static void look(const struct bed *bed, uint64_t page, uint64_t ret_seen[SECTORS])
{
	uint64_t words[CONTENTS_PAGE_BYTES / 8];
	const unsigned each = CONTENTS_SECTOR_BYTES / 8;

	assert_int_equal(contents_read(&bed->served.contents, page * CONTENTS_PAGE_BYTES, words,
				       sizeof(words)),
			 0);
	for (unsigned i = 0; i < SECTORS; i++) {
		ret_seen[i] = words[(size_t)i * each];
		for (unsigned j = 1; j < each; j++)
			assert_int_equal(words[i * each + j], ret_seen[i]);
	}
}

static uint64_t first_sector(const struct bed *bed, uint64_t page)
{
	uint64_t seen[SECTORS];

	look(bed, page, seen);
	return seen[0];
}

/* Returns the sectors that lost something. What a page holds after a cut is the new truth; of a
 * torn one, its oldest sector. */
static uint64_t check_page(struct bed *bed, unsigned page, uint64_t *torn_pages)
{
	uint64_t seen[SECTORS], least = UINT64_MAX, most = 0, lost = 0;

	look(bed, page, seen);
	for (unsigned i = 0; i < SECTORS; i++) {
		assert_true(seen[i] >= bed->safe[page]);
		assert_true(seen[i] <= bed->newest[page]);
		assert_true(!seen[i] || seen[i] > bed->zeroed[page]);
		lost += seen[i] != bed->newest[page] && seen[i] != 0;
		least = seen[i] < least ? seen[i] : least;
		most = seen[i] > most ? seen[i] : most;
	}
	*torn_pages += least != most;
	bed->newest[page] = most;
	bed->floor[page] = bed->safe[page] = least;
	return lost;
}

static uint64_t cut(struct bed *bed, bool torn, uint64_t *torn_pages)
{
	struct serve_command command = {SERVE_CUT, torn, 0};
	uint64_t lost = 0;

	assert_int_equal(served_obey(&bed->served, &command, bed->now_ns), 0);
	reap(bed);
	assert_null(bed->flush);
	for (unsigned page = 0; page < PAGES; page++)
		lost += check_page(bed, page, torn_pages);
	return lost;
}

static void step(struct bed *bed, struct rng *rng, uint64_t value)
{
	uint64_t kind = rng_below(rng, 30), page = rng_below(rng, PAGES - 4);
	unsigned pages = 1 + (unsigned)rng_below(rng, 4);

	if (kind == 0 && !bed->flush) {
		bed->flush = add(bed, DRIVE_FLUSH, 0, 0, 0);
		memcpy(bed->flush_floor, bed->floor, sizeof(bed->floor));
	} else if (kind == 1) {
		(void)add(bed, DRIVE_TRIM, page, 0, pages);
		for (uint64_t i = page; i < page + pages; i++) {
			bed->zeroed[i] = value;
			bed->floor[i] = bed->flush_floor[i] = bed->safe[i] = 0;
		}
	} else {
		(void)add(bed, DRIVE_WRITE, page, value, pages);
		for (unsigned i = 0; i < pages; i++)
			bed->newest[page + i] = bed->floor[page + i] = value;
	}
}

static void run(const char *target, uint64_t seed, bool torn, uint64_t *lost,
		uint64_t *torn_pages)
{
	struct bed *bed = bed_open(target);
	struct rng rng;

	rng_seed(&rng, seed, 5);
	for (uint64_t value = 1; value <= OPERATIONS; value++) {
		step(bed, &rng, value);
		bed->now_ns += rng_below(&rng, 300000);
		reap(bed);
		if (rng_below(&rng, 150) == 0)
			*lost += cut(bed, torn, torn_pages);
	}
	bed_close(bed);
}

static void nothing_flushed_is_lost_and_pages_stay_whole(void **state)
{
	uint64_t lost = 0, torn_pages = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++)
		run(SMALL "cache_volatile=1", seed, false, &lost, &torn_pages);
	assert_int_equal(torn_pages, 0);
	assert_true(lost > 1000); /* or the test would prove nothing */
}

static void torn_pages_are_torn_between_allowed_writes(void **state)
{
	uint64_t lost = 0, torn_pages = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++)
		run(SMALL "cache_volatile=1", seed, true, &lost, &torn_pages);
	assert_true(torn_pages > 100);
}

static void a_hard_disk_loses_what_was_not_flushed(void **state)
{
	uint64_t lost = 0, torn_pages = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++)
		run("hdd-7200-raid0,size=64m", seed, false, &lost, &torn_pages);
	assert_true(lost > 100);
}

#define LONG 64

/* One write of 64 pages at a time to a disk without a cache, cut off at random: its first sectors
 * are new, the others old, and somewhere in the middle of a page. */
static void a_hard_disk_tears_what_its_head_writes(void **state)
{
	struct bed *bed = bed_open("hdd-7200-raid0,size=64m,write_queue=0");
	struct serve_command command = {.verb = SERVE_CUT};
	uint64_t torn_pages = 0;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 1, 5);
	for (uint64_t value = 1; value <= 400; value++) {
		uint64_t seen[LONG * SECTORS], page = LONG * rng_below(&rng, PAGES / LONG);
		unsigned news = 0;

		(void)add(bed, DRIVE_WRITE, page, value, LONG);
		for (uint64_t end = bed->now_ns + rng_below(&rng, 16000000);;) {
			uint64_t next = served_next(&bed->served);

			bed->now_ns = next < end ? next : end;
			reap(bed);
			if (bed->now_ns == end)
				break;
		}
		assert_int_equal(served_obey(&bed->served, &command, bed->now_ns), 0);
		reap(bed);
		for (unsigned i = 0; i < LONG; i++)
			look(bed, page + i, &seen[(size_t)i * SECTORS]);
		while (news < LONG * SECTORS && seen[news] == value)
			news++;
		for (unsigned i = news; i < LONG * SECTORS; i++)
			assert_true(seen[i] < value);
		torn_pages += news % SECTORS != 0;
	}
	assert_true(torn_pages > 20);
	bed_close(bed);
}

static void the_slc_cache_is_filled_on_demand(void **state)
{
	struct bed *bed = bed_open("sata-tlc-128g,scale=20,cache=64k");
	struct serve_command command = {.verb = SERVE_SLC, .first = 1000000};
	struct drive_health health;
	uint64_t fast_ns, slow_ns;

	(void)state;
	for (uint64_t i = 0; i < 64; i++)
		(void)add(bed, DRIVE_WRITE, i * 64, 1, 64);
	wait_all(bed);
	fast_ns = bed->now_ns;
	assert_int_equal(served_obey(&bed->served, &command, bed->now_ns), 0);
	drive_get_health(bed->served.drive, bed->now_ns, &health);
	assert_int_equal(health.slc_used_bytes, health.slc_bytes);
	for (uint64_t i = 0; i < 64; i++)
		(void)add(bed, DRIVE_WRITE, (64 + i) * 64, 1, 64);
	wait_all(bed);
	slow_ns = bed->now_ns - fast_ns;
	assert_true(slow_ns > 3 * fast_ns); /* 414 against 90 MB/s */
	command.first = 0;
	assert_int_equal(served_obey(&bed->served, &command, bed->now_ns), 0);
	drive_get_health(bed->served.drive, bed->now_ns, &health);
	assert_int_equal(health.slc_used_bytes, 0);
	bed_close(bed);
}

static void what_is_settled_is_forgotten(void **state)
{
	struct bed *bed = bed_open(SMALL "cache_volatile=1");

	(void)state;
	for (uint64_t i = 1; i <= 64; i++)
		(void)add(bed, DRIVE_WRITE, i, i, 1);
	assert_true(bed->served.contents.count > 0);
	(void)add(bed, DRIVE_FLUSH, 0, 0, 0);
	wait_all(bed);
	for (uint64_t i = 1; i <= 64; i++) { /* two leave for each that comes */
		(void)add(bed, DRIVE_WRITE, 1, i, 1);
		wait_all(bed);
	}
	assert_true(bed->served.contents.count <= 64);
	bed_close(bed);
}

static void a_protected_cache_keeps_nothing_to_undo(void **state)
{
	struct bed *bed = bed_open(SMALL "cache_volatile=0");

	(void)state;
	for (uint64_t i = 1; i <= 64; i++)
		(void)add(bed, DRIVE_WRITE, i, i, 1);
	assert_int_equal(bed->served.contents.count, 0);
	bed_close(bed);
}

static void a_cut_ends_all_requests_in_errors(void **state)
{
	struct bed *bed = bed_open(SMALL "cache_volatile=1");
	struct serve_command command = {.verb = SERVE_THROTTLE, .first = 10};

	(void)state;
	assert_int_equal(served_obey(&bed->served, &command, 0), 0);
	for (uint64_t i = 1; i <= 16; i++)
		(void)add(bed, DRIVE_WRITE, i, i, 1);
	command = (struct serve_command){.verb = SERVE_CUT};
	assert_int_equal(served_obey(&bed->served, &command, 0), 0);
	reap(bed);
	assert_int_equal(bed->errors, 16);
	assert_true(served_next(&bed->served) == UINT64_MAX);
	for (uint64_t i = 1; i <= 16; i++)
		assert_int_equal(first_sector(bed, i), 0);
	bed_close(bed);
}

static void a_throttle_keeps_its_rate(void **state)
{
	struct bed *bed = bed_open("nvme-enterprise,size=64m");
	struct serve_command command = {.verb = SERVE_THROTTLE, .first = 1000};

	(void)state;
	assert_int_equal(served_obey(&bed->served, &command, 0), 0);
	for (uint64_t i = 0; i < 1001; i++)
		(void)add(bed, DRIVE_READ, i, 0, 1);
	wait_all(bed);
	assert_in_range(bed->now_ns, 1000000000, 1001000000);
	command =
		(struct serve_command){.verb = SERVE_THROTTLE, .second = UINT64_C(4096) * 500};
	assert_int_equal(served_obey(&bed->served, &command, bed->now_ns), 0);
	for (uint64_t i = 0; i < 501; i++)
		(void)add(bed, DRIVE_READ, i, 0, 1);
	wait_all(bed);
	assert_in_range(bed->now_ns, 2000000000, 2003000000);
	bed_close(bed);
}

static void every_nth_of_its_kind_fails(void **state)
{
	struct bed *bed = bed_open("nvme-enterprise,size=64m");
	struct serve_command command = {SERVE_ERRORS, 10, SERVE_FAIL_WRITES};

	(void)state;
	assert_int_equal(served_obey(&bed->served, &command, 0), 0);
	for (uint64_t i = 0; i < 100; i++) {
		(void)add(bed, DRIVE_WRITE, i, i, 1);
		(void)add(bed, DRIVE_READ, i, 0, 1);
	}
	wait_all(bed);
	assert_int_equal(bed->errors, 10);
	assert_int_equal(first_sector(bed, 8), 8);
	assert_int_equal(first_sector(bed, 9), 0); /* a write that failed moved nothing */
	bed_close(bed);
}

static void a_stall_holds_up_what_comes(void **state)
{
	struct bed *bed = bed_open("nvme-enterprise,size=64m");
	struct serve_command command = {.verb = SERVE_STALL, .first = 2000000000};

	(void)state;
	assert_int_equal(served_obey(&bed->served, &command, 0), 0);
	(void)add(bed, DRIVE_READ, 0, 0, 1);
	wait_all(bed);
	assert_in_range(bed->now_ns, 2000000000, 2001000000);
	bed_close(bed);
}

static void wrong_commands_change_nothing(void **state)
{
	static const struct serve_command wrong[] = {
		{0, 0, 0},
		{SERVE_CUT, 2, 0},
		{SERVE_STALL, SERVE_STALL_MAX_NS + 1, 0},
		{SERVE_ERRORS, 1, 3},
		{SERVE_THROTTLE, UINT64_MAX, 0},
		{SERVE_SLC, 1000001, 0},
		{99, 0, 0},
	};
	struct bed *bed = bed_open("nvme-enterprise,size=64m,slc_max=0,slc_min=0");
	struct serve_command slc = {.verb = SERVE_SLC, .first = 500000};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(served_obey(&bed->served, &wrong[i], 0), -EINVAL);
	assert_int_equal(served_obey(&bed->served, &slc, 0), -ENXIO); /* it has none */
	bed_close(bed);
}

static void a_file_of_another_size_is_left_alone(void **state)
{
	struct served served;
	struct err err = {0};
	char path[64];
	int fd;

	(void)state;
	(void)snprintf(path, sizeof(path), "/tmp/served-%d", (int)getpid());
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	assert_int_equal(write(fd, "precious", 8), 8);
	assert_int_not_equal(served_open(&served, "nvme-enterprise,size=64m", path, &err), 0);
	assert_int_equal(err.kind, ERR_REFUSED);
	assert_int_equal(lseek(fd, 0, SEEK_END), 8);
	(void)close(fd);
	(void)unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_flushed_is_lost_and_pages_stay_whole),
		cmocka_unit_test(torn_pages_are_torn_between_allowed_writes),
		cmocka_unit_test(a_hard_disk_loses_what_was_not_flushed),
		cmocka_unit_test(a_hard_disk_tears_what_its_head_writes),
		cmocka_unit_test(the_slc_cache_is_filled_on_demand),
		cmocka_unit_test(what_is_settled_is_forgotten),
		cmocka_unit_test(a_protected_cache_keeps_nothing_to_undo),
		cmocka_unit_test(a_cut_ends_all_requests_in_errors),
		cmocka_unit_test(a_throttle_keeps_its_rate),
		cmocka_unit_test(every_nth_of_its_kind_fails),
		cmocka_unit_test(a_stall_holds_up_what_comes),
		cmocka_unit_test(wrong_commands_change_nothing),
		cmocka_unit_test(a_file_of_another_size_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
