/*
 * Any sequence of requests and power cuts on a simulated SSD: reads see the newest write, and what
 * was flushed or written with FUA, and answered, is never older afterwards. The first byte chooses
 * the drive, each pair of further ones an operation: 3 bits of kind, 5 of page, 8 of time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "fuzz/fuzz.h"
#include "sim/drive.h"

#define PAGES	    32
#define STEP_NS	    20000
#define DRIVE_PAGES 256

struct shadow {
	struct drive *drive;
	uint64_t now_ns;
	uint64_t newest[PAGES], safe[PAGES]; /* numbers of writes; 0: trimmed, or never */
	uint64_t flush;			     /* the flush in flight, and what it is for */
	uint64_t flushed[PAGES];
};

static uint64_t offset_of(uint64_t page)
{
	return page * 7 % (DRIVE_PAGES - 1) * 4096;
}

static void settle(struct shadow *s)
{
	struct drive_done done;

	while (drive_reap(s->drive, s->now_ns, &done, 1)) {
		uint64_t page = done.tag >> 32, number = done.tag & UINT32_MAX;

		if (page < PAGES && s->newest[page] == number)
			s->safe[page] = number; /* FUA */
		for (int i = 0; page == PAGES && number == s->flush && i < PAGES; i++)
			if (s->newest[i] && s->flushed[i] > s->safe[i])
				s->safe[i] = s->flushed[i];
	}
}

static void cut(struct shadow *s)
{
	drive_power_cut(s->drive, s->now_ns, NULL);
	for (uint64_t page = 0; page < PAGES; page++) {
		uint64_t version = drive_version(s->drive, offset_of(page));

		assert(version <= s->newest[page]);
		assert(version >= s->safe[page]);
		s->newest[page] = version;
	}
	assert(!drive_broken(s->drive));
}

static void operate(struct shadow *s, uint8_t what, uint64_t *number)
{
	uint64_t page = what >> 3, kind = what & 7;
	struct drive_request request = {.offset = offset_of(page), .bytes = 4096};

	if (kind == 7) {
		cut(s);
		return;
	}
	request.op = kind == 0	 ? DRIVE_READ
		     : kind == 1 ? DRIVE_TRIM
		     : kind == 2 ? DRIVE_FLUSH
				 : DRIVE_WRITE;
	request.fua = kind == 3;
	++*number;
	request.tag = (request.fua ? page : (uint64_t)PAGES + (kind != 2)) << 32 | *number;
	if (kind == 2) {
		request.offset = request.bytes = 0;
		s->flush = *number;
		memcpy(s->flushed, s->newest, sizeof(s->flushed));
	}
	assert(drive_submit(s->drive, &request, s->now_ns) == *number);
	if (request.op == DRIVE_WRITE)
		s->newest[page] = *number;
	else if (request.op == DRIVE_TRIM)
		s->newest[page] = s->safe[page] = s->flushed[page] = 0;
	assert(drive_version(s->drive, offset_of(page)) == s->newest[page]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const char *const targets[] = {
		"sata-tlc-128g,size=1m,op=60%,block_pages=2,slc_min=0,slc_max=256k,cache=128k,"
		"versions=1",
		"sata-consumer,size=1m,op=60%,block_pages=2,slc_min=0,slc_max=0,cache=64k,"
		"versions=1,gc=fifo",
		"sata-enterprise,size=1m,op=90%,block_pages=2,versions=1,gc_stream=1",
	};
	struct shadow shadow = {0};
	struct err err = {0};
	uint64_t number = 0;

	if (bytes < 2 || bytes > 4096)
		return 0;
	if (drive_open(targets[data[0] % 3], &shadow.drive, &err)) {
		(void)fprintf(stderr, "%s\n", err.text);
		abort();
	}
	for (size_t i = 1; i + 1 < bytes; i += 2) {
		shadow.now_ns += data[i + 1] * (uint64_t)STEP_NS;
		settle(&shadow);
		operate(&shadow, data[i], &number);
	}
	cut(&shadow);
	drive_close(shadow.drive);
	return 0;
}
