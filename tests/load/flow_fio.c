/*
 * Stop rules, counts and coverage against fio's: each row is a small job that Debian's fio
 * 3.33 ran on files (psync, --write_iolog), with what it counted: data requests, bytes,
 * different (file, offset) pairs where they do not depend on its random numbers, and syncs.
 * trimwrite ran on a loop device. Our random order is another one; seed 11.
 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "job/job.h"
#include "load/flow.h"

#define ANY (-1)

struct row {
	const char *options;
	int ios;
	int64_t bytes;
	int places; /* different (file, offset) pairs; ANY: fio's depend on its random numbers */
	int syncs;
};

/* clang-format off */
static const struct row rows[] = {
	/* sizes and stop */
	{"rw=write size=100k bs=7k", 14, 100352, 14, 0},
	{"rw=randwrite size=100k bs=7k", 14, 100352, 14, 0},
	{"rw=write size=100k io_size=50k bs=7k", 8, 57344, 8, 0},
	{"rw=write size=50k io_size=100k bs=7k", 14, 100352, 7, 0},
	{"rw=randwrite size=50k io_size=100k bs=7k", 14, 100352, 7, 0},
	{"rw=write size=64k io_size=30k bs=4k", 8, 32768, 8, 0},
	{"rw=write size=64k io_size=100k bs=4k", 25, 102400, 16, 0},
	{"rw=write size=64k io_size=1k bs=4k", 1, 4096, 1, 0},
	{"rw=randwrite size=64k io_size=200k bs=4k", 50, 204800, 16, 0},
	{"rw=write size=66k bs=4k io_size=100k", 25, 102400, 16, 0},
	{"rw=write size=66k bs=4k io_size=66k", 16, 65536, 16, 0},
	{"rw=write size=66k bs=4k io_size=67k", 16, 65536, 16, 0},
	{"rw=randwrite size=66k bs=4k norandommap io_size=100k", 25, 102400, ANY, 0},
	{"rw=randwrite size=66k bs=4k norandommap", 17, 69632, ANY, 0},
	{"rw=write size=100k bs=7k io_size=300k", 42, 301056, 14, 0},
	{"rw=randwrite size=100k bs=7k io_size=300k", 42, 301056, 14, 0},
	{"rw=randwrite size=100k bs=7k io_size=300k norandommap", 43, 308224, ANY, 0},
	{"rw=write size=64k bs=48k io_size=128k", 2, 98304, 1, 0},
	/* number_ios */
	{"rw=randwrite size=64k number_ios=5 bs=4k", 5, 20480, 5, 0},
	{"rw=randwrite size=64k number_ios=50 bs=4k", 16, 65536, 16, 0},
	{"rw=write size=64k number_ios=50 bs=4k", 16, 65536, 16, 0},
	{"rw=write size=64k number_ios=60 bs=4k io_size=400k", 60, 245760, 16, 0},
	{"rw=randrw size=64k number_ios=10 bs=4k", 10, 40960, 10, 0},
	/* loops */
	{"rw=write size=64k number_ios=5 bs=4k loops=3", 15, 61440, 15, 0},
	{"rw=randwrite size=64k number_ios=50 bs=4k loops=3", 48, 196608, 16, 0},
	{"rw=write size=64k bs=4k number_ios=6 loops=4", 24, 98304, 16, 0},
	{"rw=randwrite size=64k loops=3 bs=4k", 48, 196608, 16, 0},
	{"rw=randwrite size=64k loops=3 io_size=100k bs=4k", 48, 196608, 16, 0},
	{"rw=write size=64k loops=3 io_size=100k bs=4k", 48, 196608, 16, 0},
	{"rw=randwrite size=64k loops=3 io_size=30k bs=4k", 23, 94208, 16, 0},
	{"rw=write size=64k bs=4k loops=2 io_size=200k", 64, 262144, 16, 0},
	{"rw=write size=66k bs=4k loops=2", 32, 131072, 16, 0},
	{"rw=randwrite size=66k bs=4k loops=3", 48, 196608, 16, 0},
	{"rw=randwrite size=66k bs=4k norandommap loops=3", 50, 204800, ANY, 0},
	{"rw=randwrite size=100k bs=7k loops=3", 42, 301056, 14, 0},
	{"rw=write size=64k bs=64k loops=3", 3, 196608, 1, 0},
	{"rw=randwrite size=64k bs=48k loops=3", 3, 147456, 1, 0},
	/* offset, filesize */
	{"rw=write size=64k offset=16k bs=4k", 16, 65536, 16, 0},
	{"rw=write filesize=64k offset=16k bs=4k", 12, 49152, 12, 0},
	{"rw=randwrite filesize=64k offset=18k bs=4k", 11, 45056, 11, 0},
	{"rw=randwrite size=64k offset=18k bs=4k", 16, 65536, 16, 0},
	{"rw=write filesize=128k size=64k bs=4k io_size=128k", 32, 131072, 32, 0},
	{"rw=randwrite filesize=128k size=64k bs=4k io_size=128k", 32, 131072, 32, 0},
	{"rw=randwrite filesize=128k size=64k bs=4k", 16, 65536, 16, 0},
	{"rw=write filesize=128k size=64k bs=4k loops=2", 32, 131072, 32, 0},
	{"rw=write filesize=128k offset=32k bs=4k", 24, 98304, 24, 0},
	{"rw=write filesize=128k size=64k offset=32k bs=4k loops=2", 32, 131072, 24, 0},
	/* holes and groups */
	{"rw=write:4k size=64k bs=4k", 16, 65536, 8, 0},
	{"rw=write:8k size=64k bs=4k", 6, 24576, 6, 0},
	{"rw=write:8k size=64k bs=4k io_size=100k", 25, 102400, 6, 0},
	{"rw=write:8k size=64k bs=4k io_size=64k", 16, 65536, 6, 0},
	{"rw=write:8k size=64k bs=4k loops=2", 12, 49152, 6, 0},
	{"rw=write:4k size=64k bs=4k loops=2", 32, 131072, 8, 0},
	{"rw=write:-8k size=64k bs=4k", 16, 65536, 15, 0},
	{"rw=write:-12k size=64k bs=4k", 16, 65536, 8, 0},
	{"rw=write:-4k size=64k bs=4k", 16, 65536, 1, 0},
	{"rw=write:-8k size=64k bs=4k offset=16k", 16, 65536, 15, 0},
	{"rw=write:-12k size=64k bs=4k offset=16k", 16, 65536, 7, 0},
	{"rw=write:4k size=64k bs=4k offset=16k", 8, 32768, 8, 0},
	{"rw=write:12k size=64k bs=4k offset=16k", 4, 16384, 4, 0},
	{"rw=write:12k size=64k filesize=128k bs=4k offset=16k", 7, 28672, 7, 0},
	{"rw=write:-4k filesize=100k bs=4k offset=4k", 24, 98304, 1, 0},
	{"rw=write:12k filesize=64k bs=4k offset=8k", 7, 28672, 7, 0},
	{"rw=write:8k size=128k bs=4k offset=4k", 22, 90112, 22, 0},
	{"rw=write:12k size=64k filesize=128k bs=4k", 16, 65536, 8, 0},
	{"rw=write:4 size=64k bs=4k rw_sequencer=identical", 15, 61440, 15, 0},
	{"rw=randwrite:4 size=64k bs=4k rw_sequencer=identical", 16, 65536, 4, 0},
	{"rw=randwrite:3 size=1m bs=4k rw_sequencer=identical", 256, 1048576, 86, 0},
	{"rw=randwrite:4 size=64k bs=4k", 16, 65536, ANY, 0},
	{"rw=randwrite:3 size=1m bs=4k io_size=2m", 512, 2097152, ANY, 0},
	{"rw=randwrite:3 size=1m bs=4k loops=2", 512, 2097152, ANY, 0},
	/* mixed sizes: bytes and stop, not the number of requests */
	{"rw=write size=256k bsrange=4k-16k", ANY, 262144, ANY, 0},
	{"rw=randwrite size=256k bsrange=4k-16k", ANY, 262144, ANY, 0},
	{"rw=randwrite size=256k bsrange=3k-16k", ANY, 261120, ANY, 0},
	{"rw=write size=256k bssplit=4k/50:8k/50", ANY, 262144, ANY, 0},
	{"rw=randwrite size=256k bssplit=4k/50:8k/25:64k/", ANY, 262144, ANY, 0},
	{"rw=write size=100k bssplit=4k/50:16k/50", ANY, 102400, ANY, 0},
	{"rw=randwrite size=1m bsrange=4k-64k loops=2", ANY, 2097152, ANY, 0},
	{"rw=write size=1m bsrange=4k-64k loops=2", ANY, 2097152, ANY, 0},
	{"rw=write size=1m bsrange=4k-64k io_size=3m", ANY, 3145728, ANY, 0},
	{"rw=write size=1000k bssplit=3k/20:5k/80", 333, 1022976, 333, 0},
	{"rw=randwrite size=1000k bssplit=3k/20:5k/80", 333, 1022976, 333, 0},
	{"rw=randwrite size=1000k bssplit=4k/20:6k/80", 250, 1024000, 250, 0},
	{"rw=randwrite size=1000k bssplit=8k/20:64k/80", ANY, 1024000, ANY, 0},
	{"rw=randwrite size=1000k bssplit=8k/20:64k/80 loops=2", ANY, 2048000, ANY, 0},
	/* alignment */
	{"rw=randwrite size=100k bs=8k ba=4k", 13, 106496, ANY, 0},
	{"rw=randwrite size=100k bs=4k ba=8k", 25, 102400, ANY, 0},
	{"rw=randwrite size=1m bs=4k ba=512", 256, 1048576, ANY, 0},
	{"rw=randwrite size=1m bs=12k ba=4k io_size=2m", 171, 2101248, ANY, 0},
	/* mixes */
	{"rw=randrw size=128k bs=4k", 32, 131072, 32, 0},
	{"rw=randrw size=128k bs=4k rwmixread=70", 32, 131072, 32, 0},
	{"rw=rw size=128k bs=4k rwmixread=70", 32, 131072, ANY, 0},
	{"rw=rw size=128k bs=4k rwmixread=0", 32, 131072, 32, 0},
	{"rw=rw size=128k bs=4k rwmixread=100", 32, 131072, 32, 0},
	{"rw=randrw size=128k bs=4k rwmixread=100", 32, 131072, 32, 0},
	{"rw=rw:4 size=128k bs=4k rwmixread=50", 32, 131072, ANY, 0},
	{"rw=randrw:4 size=128k bs=4k rwmixread=50", 32, 131072, ANY, 0},
	{"rw=rw size=128k bs=4k io_size=256k", 64, 262144, ANY, 0},
	{"rw=rw size=4m bs=4k rwmixread=90 io_size=8m", 2048, 8388608, 1024, 0},
	{"rw=rw size=4m bs=4k rwmixread=90 loops=2", 2048, 8388608, 1024, 0},
	{"rw=randrw size=4m bs=4k rwmixread=50 io_size=8m", 2048, 8388608, 1024, 0},
	/* syncs */
	{"rw=write size=64k bs=4k fsync=4", 16, 65536, 16, 3},
	{"rw=write size=64k bs=4k fdatasync=4", 16, 65536, 16, 3},
	{"rw=write size=64k bs=4k fsync=1", 16, 65536, 16, 15},
	{"rw=write size=64k bs=4k fsync=4 fdatasync=3", 16, 65536, 16, 7},
	{"rw=write size=64k bs=4k fsync=4 number_ios=8", 8, 32768, 8, 1},
	{"rw=write size=64k bs=4k fsync=4 loops=2", 32, 131072, 16, 8},
	{"rw=write size=32k bs=4k io_size=64k fsync=4", 16, 65536, 8, 4},
	{"rw=write size=32k bs=4k io_size=64k fsync=3", 16, 65536, 8, 5},
	{"rw=write size=32k bs=4k loops=2 fsync=3", 16, 65536, 8, 5},
	{"rw=write size=1m bs=4k number_ios=10 fsync=1", 10, 40960, 10, 9},
	{"rw=write size=1m bs=4k number_ios=10 fdatasync=2", 10, 40960, 10, 4},
	{"rw=randwrite size=66k bs=4k fsync=4", 16, 65536, 16, 4},
	{"rw=write size=66k bs=4k fsync=4 loops=2", 32, 131072, 16, 9},
	{"rw=write size=32k bs=4k nrfiles=2 fsync=2", 8, 32768, 8, 3},
	{"rw=write size=32k bs=4k nrfiles=2 fsync=4 loops=2", 16, 65536, 8, 4},
	/* several files */
	{"rw=write size=64k bs=4k nrfiles=4", 16, 65536, 16, 0},
	{"rw=write size=70k bs=4k nrfiles=3", 15, 61440, 15, 0},
	{"rw=randwrite size=64k bs=4k nrfiles=4", 16, 65536, 16, 0},
	{"rw=write size=64k bs=4k nrfiles=4 openfiles=2", 16, 65536, 16, 0},
	{"rw=write size=64k bs=4k nrfiles=4 openfiles=2 loops=2", 32, 131072, 16, 0},
	{"rw=write size=64k bs=4k nrfiles=4 file_service_type=sequential", 16, 65536, 16, 0},
	{"rw=write size=64k bs=4k nrfiles=4 file_service_type=random", 16, 65536, 16, 0},
	{"rw=write size=64k bs=4k nrfiles=4 file_service_type=roundrobin:3", 16, 65536, 16, 0},
	{"rw=write size=64k bs=4k nrfiles=4 file_service_type=random:3", 16, 65536, 16, 0},
	{"rw=randwrite size=64k bs=4k nrfiles=4 file_service_type=zipf:1.2", 16, 65536, ANY, 0},
	{"rw=randwrite size=64k bs=4k nrfiles=4 file_service_type=pareto:0.2", 16, 65536, ANY, 0},
	{"rw=randwrite size=64k bs=4k nrfiles=4 file_service_type=normal:20", 16, 65536, ANY, 0},
	{"rw=randwrite size=64k bs=4k nrfiles=4 io_size=32k", 8, 32768, 8, 0},
	{"rw=write size=64k bs=4k nrfiles=4 io_size=128k", 32, 131072, 16, 0},
	{"rw=write size=64k bs=4k nrfiles=4 loops=2", 32, 131072, 16, 0},
	{"rw=write filesize=16k bs=4k nrfiles=4", 16, 65536, 16, 0},
	{"rw=write size=70k bs=4k nrfiles=3 loops=2", 30, 122880, 15, 0},
	{"rw=write size=70k bs=4k nrfiles=3 io_size=140k", 35, 143360, 15, 0},
	{"rw=randwrite size=70k bs=4k nrfiles=3 io_size=100k", 25, 102400, 15, 0},
	{"rw=randwrite size=70k bs=4k nrfiles=3 number_ios=7", 7, 28672, 7, 0},
	{"rw=randwrite size=70k bs=4k nrfiles=3 norandommap", 18, 73728, ANY, 0},
	{"rw=randwrite size=70k bs=4k nrfiles=3 file_service_type=sequential", 15, 61440, 15, 0},
	{"rw=write size=64k bs=4k nrfiles=4 file_service_type=sequential io_size=40k", 10, 40960, 10, 0},
	{"rw=randwrite size=64k bs=4k nrfiles=4 norandommap io_size=30k", 8, 32768, ANY, 0},
	/* partly random, distributions */
	{"rw=randwrite size=64k bs=4k percentage_random=50", 16, 65536, ANY, 0},
	{"rw=randwrite size=64k bs=4k percentage_random=0", 16, 65536, 16, 0},
	{"rw=randwrite size=64k bs=4k percentage_random=50 norandommap", 16, 65536, ANY, 0},
	{"rw=randwrite size=1m bs=4k percentage_random=90", 256, 1048576, ANY, 0},
	{"rw=randwrite size=64k bs=4k percentage_random=50 io_size=128k", 32, 131072, ANY, 0},
	{"rw=randrw size=66k bs=4k rwmixread=30 percentage_random=100,0", 17, 69632, ANY, 0},
	{"rw=randwrite size=64k bs=4k random_distribution=zipf:1.2", 16, 65536, ANY, 0},
	{"rw=randwrite size=66k bs=4k random_distribution=pareto:0.3", 17, 69632, ANY, 0},
	{"rw=randwrite size=640k bs=4k random_distribution=normal:10", 160, 655360, ANY, 0},
	{"rw=randwrite size=64k bs=4k random_distribution=zoned:50/10:30/20:20/70", 16, 65536, ANY, 0},
	{"rw=randwrite size=64k bs=4k random_distribution=zoned_abs:50/16k:50/48k", 16, 65536, ANY, 0},
	{"rw=randwrite size=64k bs=4k random_generator=lfsr", 16, 65536, 16, 0},
	{"rw=randwrite size=66k bs=4k random_generator=lfsr loops=2", 32, 131072, 16, 0},
	/* strided zones */
	{"rw=write size=64k bs=4k zonemode=strided zonesize=8k zoneskip=8k", 16, 65536, 8, 0},
	{"rw=write size=64k bs=4k zonemode=strided zonesize=8k zonerange=16k", 16, 65536, 8, 0},
	{"rw=randwrite size=64k bs=4k zonemode=strided zonesize=8k zonerange=16k", 16, 65536, ANY, 0},
	{"rw=randwrite size=64k bs=4k zonemode=strided zonesize=8k zoneskip=8k", 16, 65536, 8, 0},
	{"rw=write size=64k bs=4k zonemode=strided zonesize=8k zonerange=16k io_size=128k", 32, 131072, 8, 0},
	{"rw=write size=64k bs=4k zonesize=10k zonemode=strided zonerange=16k", 16, 65536, 12, 0},
	{"rw=write size=64k bs=4k zonemode=strided zonesize=8k zoneskip=8k loops=2", 32, 131072, 8, 0},
	{"rw=write size=64k bs=4k zonemode=strided zonesize=12k zoneskip=8k", 10, 40960, 10, 0},
	{"rw=randwrite size=64k bs=4k zonemode=strided zonesize=12k zoneskip=8k", 10, 40960, 10, 0},
	{"rw=randread size=64k bs=4k zonemode=strided zonesize=8k zonerange=8k io_size=128k", 32, 131072, 16, 0},
	{"rw=write size=64k offset=8k bs=4k zonemode=strided zonesize=8k zoneskip=8k", 16, 65536, 8, 0},
	{"rw=write size=48k filesize=64k offset=8k bs=4k zonemode=strided zonesize=8k zoneskip=8k", 12, 49152, 8, 0},
	{"rw=randwrite size=1m bs=4k zonemode=strided zonesize=64k zonerange=128k norandommap", 256, 1048576, ANY, 0},
	/* trims */
	{"rw=trimwrite size=64k bs=4k", 32, 131072, 16, 0},
	{"rw=randtrimwrite size=64k bs=4k", 32, 131072, 16, 0},
	{"rw=randtrimwrite size=64k bs=4k norandommap", 32, 131072, ANY, 0},
	{"rw=trimwrite size=64k bs=4k io_size=32k", 16, 65536, 8, 0},
	{"rw=trimwrite size=64k bs=4k number_ios=5", 10, 40960, 5, 0},
	{"rw=trimwrite size=64k bs=4k loops=2", 64, 262144, 16, 0},
	{"rw=trimwrite size=64k bs=4k io_size=128k", 32, 131072, 16, 0},
	{"rw=randtrim size=64k bs=4k", 16, 65536, 16, 0},
};
/* clang-format on */

enum { PLACES_MAX = 1 << 13 };

struct place {
	uint64_t target, offset;
};

struct counted {
	int ios, syncs, places;
	int64_t bytes, total;
	struct place place[PLACES_MAX];
};

/* fio's layout of a job's files (3.33): filesize wins, else size is shared among the files. */
static unsigned lay_out(const struct job_spec *spec, struct target *targets)
{
	unsigned n = spec->nrfiles ? spec->nrfiles : 1;

	for (unsigned i = 0; i < n; i++) {
		struct target *t = &targets[i];
		uint64_t size = spec->size.bytes / n, offset = spec->offset.bytes;

		t->start_bytes = offset;
		t->size_bytes = spec->filesize.max ? spec->filesize.max : size + offset;
		t->region_bytes = t->size_bytes - offset;
		t->io_bytes = spec->io_size.given ? spec->io_size.bytes / n
			      : spec->size.given  ? size
						  : t->region_bytes;
	}
	return n;
}

static struct job_spec *parse(struct job_set *set, const char *options)
{
	char text[300], *word, *save = NULL;
	struct job_spec *spec;
	struct err err = {0};

	job_set_init(set, FACE_FIO);
	spec = job_new(set, "row");
	assert_true(strlen(options) < sizeof(text));
	strcpy(text, options);
	for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *value = strchr(word, '=');

		if (value)
			*value++ = 0;
		if (job_set_option(set, spec, word, value, &err))
			fail_msg("%s: %s", options, err.text);
	}
	if (job_add(set, spec, &err))
		fail_msg("%s: %s", options, err.text);
	return spec;
}

static int compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static void count_places(struct counted *counted)
{
	int all = counted->places;

	qsort(counted->place, (size_t)all, sizeof(counted->place[0]), compare);
	counted->places = all > 0;
	for (int i = 1; i < all; i++)
		counted->places += compare(&counted->place[i], &counted->place[i - 1]) != 0;
}

static void run(const struct job_spec *spec, struct arena *arena, struct counted *counted)
{
	static struct target targets[8];
	uint64_t now = 0;
	struct clock clock;
	struct flow_setup setup = {
		.spec = spec, .clock = &clock, .targets = targets, .seed = 11, .arena = arena};
	struct flow *flow;
	struct err err = {0};
	struct req req = {0};

	clock_virtual(&clock, &now);
	memset(targets, 0, sizeof(targets));
	setup.ntargets = lay_out(spec, targets);
	if (flow_open(&setup, &flow, &err))
		fail_msg("%s", err.text);
	flow_start(flow, 0);
	counted->total = (int64_t)flow_total_bytes(flow);
	while (flow_next(flow, now, &req) == FLOW_READY) {
		const struct target *t = &targets[req.target];

		assert_true(req.target < setup.ntargets);
		if (req.op >= OP_FSYNC) {
			counted->syncs++;
			continue;
		}
		assert_true(req.offset >= t->start_bytes);
		assert_true(req.offset + req.len <= t->start_bytes + t->region_bytes);
		assert_true(counted->ios < PLACES_MAX);
		counted->ios++;
		counted->bytes += req.len;
		counted->place[counted->places++] = (struct place){req.target, req.offset};
	}
	assert_int_equal(flow_next(flow, now, &req), FLOW_END);
	flow_stop(flow);
	count_places(counted);
}

static void flow_counts_are_those_of_fio(void **state)
{
	static struct counted counted;
	unsigned wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct arena arena;
		struct job_set set;

		arena_init(&arena);
		memset(&counted, 0, sizeof(counted));
		run(parse(&set, row->options), &arena, &counted);
		/* Holes have an end that only walking finds: what is foretold is an upper bound. */
		if (strchr(row->options, ':') || strstr(row->options, "zone")
			    ? counted.total < counted.bytes
			    : counted.total != counted.bytes) {
			wrong++;
			print_error("%s: foretold %lld\n", row->options,
				    (long long)counted.total);
		}
		if ((row->ios != ANY && row->ios != counted.ios) ||
		    row->bytes != counted.bytes ||
		    (row->places != ANY && row->places != counted.places) ||
		    row->syncs != counted.syncs) {
			wrong++;
			print_error(
				"%s: fio %d ios %lld bytes %d places %d syncs, ours %d %lld "
				"%d %d\n",
				row->options, row->ios, (long long)row->bytes, row->places,
				row->syncs, counted.ios, (long long)counted.bytes,
				counted.places, counted.syncs);
		}
		job_set_done(&set);
		arena_done(&arena);
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flow_counts_are_those_of_fio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
