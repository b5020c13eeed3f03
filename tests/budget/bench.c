#include "budget/bench.h"

#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SEED	   7
#define FILE_BYTES MiB
#define WORDS_MAX  32

static void parse(struct bench *bench, const char *options)
{
	char text[1024], *word[WORDS_MAX], *rest = text;
	struct err err = {0};
	int count = 0;

	(void)snprintf(text, sizeof(text), "%s", options);
	while ((word[count] = strsep(&rest, " ")))
		assert_true(++count < WORDS_MAX);
	job_set_init(&bench->set, FACE_NATIVE);
	if (job_parse(&bench->set, count, word, &err))
		fail_msg("%s", err.text);
	assert_int_equal(bench->set.njobs, 1);
}

static void open_target(struct bench *bench, const struct job_spec *spec)
{
	struct target *target = &bench->target;
	char block[1 << 12] = {1};
	struct target_mode mode;
	struct err err = {0};
	int fd;

	*target = (struct target){.path = bench->path, .fd = -1, .kind = TARGET_NONE};
	if (engine_find(spec->ioengine)->caps & ENGINE_FAKE) {
		target->size_bytes = target->region_bytes = target->io_bytes = spec->size.bytes;
		return;
	}
	(void)snprintf(bench->path, sizeof(bench->path), "budget-%d", (int)getpid());
	fd = open(bench->path, O_CREAT | O_EXCL | O_WRONLY, 0600);
	assert_true(fd >= 0);
	for (uint64_t at = 0; at < FILE_BYTES; at += sizeof(block))
		assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
	(void)close(fd);
	target_mode_from(&mode, spec);
	if (target_open(target, &mode, &err))
		fail_msg("%s", err.text);
	target->region_bytes = target->io_bytes = FILE_BYTES;
}

struct worker *bench_add_worker(struct bench *bench, unsigned clone)
{
	struct worker_setup setup = {.spec = bench->set.jobs[0],
				     .clock = &bench->clock,
				     .shared = bench->shared,
				     .targets = &bench->target,
				     .ntargets = 1,
				     .clone = clone,
				     .seed = SEED + clone,
				     .drain_ns = NS_PER_S,
				     .capture = bench->capture,
				     .arena = &bench->arena};
	struct worker *worker = NULL;
	struct err err = {0};

	if (worker_open(&setup, &worker, &err))
		fail_msg("%s", err.text);
	return worker;
}

void bench_open(struct bench *bench, const char *options, uint64_t interval_ns)
{
	bench_open_captured(bench, options, interval_ns, 0);
}

void bench_open_captured(struct bench *bench, const char *options, uint64_t interval_ns,
			 unsigned entries)
{
	memset(bench, 0, sizeof(*bench));
	parse(bench, options);
	arena_init_shared(&bench->arena);
	if (entries)
		bench->capture = capture_new(&bench->arena, entries);
	clock_calibrate(&bench->clock);
	bench->shared = arena_alloc(&bench->arena, sizeof(*bench->shared), CACHE_LINE_BYTES);
	bench->shared->interval_ns = interval_ns;
	open_target(bench, bench->set.jobs[0]);
	bench->worker = bench_add_worker(bench, 0);
}

bool bench_start(struct bench *bench)
{
	return worker_start(bench->worker) == 0;
}

void bench_go(struct bench *bench)
{
	bench->shared->grid_ticks = clock_ticks(&bench->clock);
	worker_go(bench->worker, bench->shared->grid_ticks);
}

uint64_t bench_ios(const struct bench *bench)
{
	const struct tally *tally = bench->worker->mailbox.tally;
	uint64_t ios = 0;

	for (unsigned i = 0; i < 2; i++) {
		for (unsigned d = 0; d < NDIR; d++)
			ios += tally[i].dir[d].ios;
	}
	return ios;
}

void bench_close(struct bench *bench)
{
	worker_close(bench->worker);
	target_close(&bench->target);
	if (bench->path[0])
		(void)unlink(bench->path);
	arena_done(&bench->arena);
	job_set_done(&bench->set);
}

const char *bench_why_not(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return "a sanitizer build has costs of its own";
#elif defined(ASSAY_DEBUG)
	return "a debug build is not what runs";
#else
	return NULL;
#endif
}
