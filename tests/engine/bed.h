/*
 * A test bed for one engine: job, target, requests and buffers, made and released in a line
 * each. Included by the tests of this folder; every function aborts the test where the bed itself
 * cannot be made.
 */
#pragma once

#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"
#include "base/str.h"
#include "engine/engine.h"
#include "unit.h"

#define BED_IN_FLIGHT 0x80 /* in req->flags: the engine has it */

#define BED_BLOCK     4096u
#define BED_FOREVER   UINT64_MAX
#define BED_DEPTH_MAX 128u

struct bed {
	struct arena arena;
	struct job_spec spec;
	struct target target;
	struct target_mode mode;
	struct engine_setup setup;
	struct engine *engine;
	struct req reqs[BED_DEPTH_MAX];
	struct err err;
};

static inline void bed_spec(struct job_spec *spec)
{
	*spec = (struct job_spec){
		.rw = {.does = {true, true, true}},
		.iodepth = 1,
		.sqthread_poll_cpu = -1,
		.allow_file_create = true,
	};
}

/* A file of `bytes` zeros under `dir`, its name in `path`. */
static inline void bed_file(const char *dir, char *path, size_t size, off_t bytes)
{
	static unsigned number;
	int fd;

	(void)snprintf(path, size, "%s/assay-bed-%d-%u", dir, (int)getpid(), number++);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, bytes), 0);
	assert_int_equal(close(fd), 0);
}

/* Opens target and engine as the job says. Set bed->spec first (bed_spec). */
static inline void bed_open(struct bed *bed, const struct engine_ops *ops, const char *path,
			    unsigned depth)
{
	if (ops->caps & ENGINE_DEPTH_1)
		depth = 1;
	assert_true(depth <= BED_DEPTH_MAX);
	arena_init_shared(&bed->arena);
	bed->spec.ioengine = ops->name;
	bed->spec.iodepth = depth;
	bed->target = (struct target){.path = path, .fd = -1};
	target_mode_from(&bed->mode, &bed->spec);
	if (target_open(&bed->target, &bed->mode, &bed->err))
		fail_msg("target: %s", bed->err.text);
	bed->setup = (struct engine_setup){
		.spec = &bed->spec,
		.targets = &bed->target,
		.ntargets = 1,
		.reqs = bed->reqs,
		.depth = depth,
		.buffer_bytes = BED_BLOCK,
		.arena = &bed->arena,
	};
	bed->setup.buffers = mmap(NULL, (size_t)depth * BED_BLOCK, PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(bed->setup.buffers != MAP_FAILED);
	for (unsigned i = 0; i < depth; i++)
		bed->reqs[i] = (struct req){
			.slot = i, .buf = (char *)bed->setup.buffers + (size_t)i * BED_BLOCK};
	if (engine_open(ops, &bed->setup, &bed->engine, &bed->err))
		fail_msg("%s: %s", ops->name, bed->err.text);
	arena_seal(&bed->arena);
	if (engine_start(bed->engine, &bed->err))
		fail_msg("%s: %s", ops->name, bed->err.text);
}

static inline void bed_close(struct bed *bed)
{
	engine_close(bed->engine);
	target_close(&bed->target);
	(void)munmap(bed->setup.buffers, (size_t)bed->setup.depth * BED_BLOCK);
	arena_done(&bed->arena);
}

static inline int bed_submit(struct bed *bed)
{
	return bed->engine->ops->submit ? bed->engine->ops->submit(bed->engine) : 0;
}

static inline struct req *bed_req(struct bed *bed, unsigned slot, enum op op, uint64_t offset)
{
	struct req *req = &bed->reqs[slot];

	req->op = (uint8_t)op;
	req->offset = offset;
	req->len = op < OP_FSYNC ? BED_BLOCK : 0;
	req->res = -12345;
	req->flags = BED_IN_FLIGHT;
	return req;
}

/* Queue, submit and reap one request; its result. */
static inline int32_t bed_one(struct bed *bed, enum op op, uint64_t offset)
{
	struct req *req = bed_req(bed, 0, op, offset), *done = NULL;
	int n;

	assert_int_equal(bed->engine->ops->queue(bed->engine, req), 0);
	assert_int_equal(bed_submit(bed), 0);
	do /* 0: woken early, by the kernel's work on a ring that was closed before */
		n = bed->engine->ops->reap(bed->engine, &done, 1, 1, BED_FOREVER);
	while (n == 0);
	assert_int_equal(n, 1);
	assert_ptr_equal(done, req);
	return req->res;
}

/* A loop device on memory: gone with its last descriptor, also when a test fails. */
struct bed_loop {
	int file, device;
	char path[32];
};

/* False, and said, where it cannot be had (not root). */
static inline bool bed_loop_open(struct bed_loop *loop, off_t bytes, bool read_only)
{
	struct loop_config config = {
		.info = {.lo_flags =
				 LO_FLAGS_AUTOCLEAR | (read_only ? LO_FLAGS_READ_ONLY : 0)}};
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), number;
	bool made = false;

	loop->file = memfd_create("assay-bed", MFD_CLOEXEC);
	assert_int_equal(ftruncate(loop->file, bytes), 0);
	config.fd = (unsigned)loop->file;
	/* Between asking and taking, another program may take the number: again, then. */
	for (unsigned again = 0; control >= 0 && !made && again < 20; again++) {
		number = ioctl(control, LOOP_CTL_GET_FREE);
		if (number < 0)
			break;
		(void)snprintf(loop->path, sizeof(loop->path), "/dev/loop%d", number);
		loop->device = open(loop->path, (read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC);
		made = loop->device >= 0 && !ioctl(loop->device, LOOP_CONFIGURE, &config);
		if (!made && loop->device >= 0)
			(void)close(loop->device);
	}
	if (control >= 0)
		(void)close(control);
	if (!made) {
		(void)close(loop->file);
		print_message("skipped: no loop device can be made here\n");
	}
	return made;
}

static inline void bed_loop_close(struct bed_loop *loop)
{
	(void)close(loop->device);
	(void)close(loop->file);
}
