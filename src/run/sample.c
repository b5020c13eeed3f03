/*
 * What a target that is read holds before the run: blocks of zeros, and a file's holes. Drives
 * and file systems answer reads of those without touching their medium, so that a figure made
 * of them says nothing. At most SAMPLES reads, at one random place in each of as many equal
 * parts, and an end by the clock: a slow drive is not kept.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rng.h"
#include "run/run_priv.h"

#define SAMPLES	       64
#define SAMPLE_BYTES   4096
#define SAMPLE_TIME_NS (100 * NS_PER_MS)
#define EXTENTS_MAX    4096 /* holes beyond that many are not counted */

static int open_to_look(const struct run_file *file)
{
	int flags = O_RDONLY | O_CLOEXEC | O_NOATIME;
	int fd = open(file->path, flags | O_DIRECT); /* leaves nothing in the page cache */

	if (fd < 0 && errno == EPERM) /* not ours: O_NOATIME is refused */
		fd = open(file->path, O_RDONLY | O_CLOEXEC | O_DIRECT);
	if (fd < 0)
		fd = open(file->path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM); /* no read-ahead */
	return fd;
}

static bool is_zero(const uint64_t *words, size_t count)
{
	uint64_t any = 0;

	for (size_t i = 0; i < count; i++)
		any |= words[i];
	return !any;
}

static void sample_blocks(const struct run *run, int fd, uint64_t bytes,
			  struct target_facts *facts)
{
	_Alignas(SAMPLE_BYTES) static uint64_t words[SAMPLE_BYTES / sizeof(uint64_t)];
	uint64_t until_ns = run_now_ns(run) + SAMPLE_TIME_NS;
	uint64_t blocks = bytes / SAMPLE_BYTES, parts = min_u64(blocks, SAMPLES);
	uint64_t state = clock_wall_ns();

	for (uint64_t i = 0; i < parts && run_now_ns(run) < until_ns; i++) {
		uint64_t from = blocks * i / parts, to = blocks * (i + 1) / parts;
		uint64_t at = from + rng_splitmix(&state) % (to - from);

		if (pread(fd, words, sizeof(words), (off_t)(at * SAMPLE_BYTES)) !=
		    (ssize_t)sizeof(words))
			return; /* the run itself will say what is wrong */
		facts->blocks_sampled++;
		facts->blocks_zero += is_zero(words, ARRAY_SIZE(words));
	}
}

static uint64_t holes_of(int fd, uint64_t bytes)
{
	uint64_t holes = 0;
	off_t at = 0;

	for (unsigned i = 0; i < EXTENTS_MAX && (uint64_t)at < bytes; i++) {
		off_t data = lseek(fd, at, SEEK_DATA);

		if (data < 0 && errno != ENXIO)
			return 0; /* a file system that cannot tell */
		if (data < 0 || (uint64_t)data > bytes)
			data = (off_t)bytes;
		holes += (uint64_t)(data - at);
		at = lseek(fd, data, SEEK_HOLE);
		if (at < 0)
			break;
	}
	return holes;
}

void run_sample(struct run *run, const struct run_file *file)
{
	uint64_t bytes = min_u64(file->size_bytes, file->needed_bytes);
	autofd fd = -1;

	if (file->kind != TARGET_FILE && file->kind != TARGET_BLOCK)
		return;
	fd = open_to_look(file);
	if (fd < 0)
		return;
	if (file->kind == TARGET_FILE)
		file->facts->hole_bytes = holes_of(fd, bytes);
	if (!file->filled)
		sample_blocks(run, fd, bytes, file->facts);
}
