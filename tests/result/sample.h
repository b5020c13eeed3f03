/*
 * Hand-built results for the golden tests of the pages: two workers of one job for ten seconds,
 * 70/30 reads and writes, latencies spread evenly over a hundred steps. Nothing is random.
 */
#pragma once

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "result/codec.h"
#include "result/result.h"

#define SAMPLE_WORKERS 2
#define SAMPLE_SECONDS 10

struct sample {
	struct job_set set;
	struct job_spec spec, *specs[1];
	struct result result;
	struct job_result jobs[SAMPLE_WORKERS];
	struct row rows[SAMPLE_SECONDS];
	struct job_row job_rows[SAMPLE_WORKERS][SAMPLE_SECONDS];
	struct target_facts target;
	struct device_facts device;
	struct environment_entry environment[8];
	struct filesystem fs;
};

/* `ios` requests at base, base + 1 %, ... base + 99 %, and one in 2000 at ten times base. */
static inline void sample_latency(struct sample *s, struct lat *lat, uint64_t base_ns,
				  uint64_t ios)
{
	lat->hist = arena_new(&s->result.arena, struct hist);
	hist_sums_init(&lat->sums);
	for (unsigned i = 0; i < 100; i++) {
		uint64_t count = ios / 100 + (i < ios % 100), slow = i ? 0 : ios / 2000;

		hist_add(lat->hist, base_ns + base_ns * i / 100, count - slow);
		hist_sums_add(&lat->sums, base_ns + base_ns * i / 100, count - slow);
		if (slow) {
			hist_add(lat->hist, base_ns * 10, slow);
			hist_sums_add(&lat->sums, base_ns * 10, slow);
		}
	}
}

static inline void sample_worker(struct sample *s, unsigned i)
{
	struct job_result *job = &s->jobs[i];

	*job = (struct job_result){.spec = &s->spec,
				   .name = "mixed",
				   .clone = i,
				   .thread_number = i + 1,
				   .members = 1,
				   .pid = 4711 + (int)i,
				   .engine_about = "io_uring with registered files",
				   .files = "/mnt/test/mixed.0.0",
				   .fill_about = "random data, each write different"};
	job->end_ns = SAMPLE_SECONDS * NS_PER_S;
	job->elapsed_ns = job->runtime_ns = job->end_ns;
	job->user_ns = 200 * NS_PER_MS;
	job->sys_ns = 300 * NS_PER_MS;
	job->switches = 20000;
	job->depth_mean = 31.5;
	job->core_busy_max_percent = 5;
	for (enum dir dir = DIR_READ; dir <= DIR_WRITE; dir++) {
		struct dir_result *figures = &job->dir[dir];

		figures->ios = dir == DIR_READ ? 70000 : 30000;
		figures->bytes = figures->ios * 4096;
		figures->runtime_ns = job->end_ns;
		for (enum lat_kind kind = LAT_CLAT; kind < NLAT; kind++)
			sample_latency(s, &figures->lat[kind],
				       (dir == DIR_READ ? 2400 : 1500) * NS_PER_US,
				       figures->ios);
	}
	job->rows = s->job_rows[i];
	job->nrows = SAMPLE_SECONDS;
	for (unsigned k = 0; k < SAMPLE_SECONDS; k++)
		s->job_rows[i][k] = (struct job_row){.begin_ns = k * NS_PER_S,
						     .end_ns = (k + 1) * NS_PER_S,
						     .ios = {7000, 3000},
						     .bytes = {7000 * 4096, 3000 * 4096}};
}

/* A tenth of what both workers did; the ten make it again, to the last count. */
static inline void sample_histogram(struct sample *s, enum dir dir, unsigned row)
{
	struct lat lat = {0};
	autostr blob = {0};

	sample_latency(s, &lat, (dir == DIR_READ ? 2400 : 1500) * NS_PER_US,
		       s->rows[row].dir[dir].ios);
	codec_hist_encode(lat.hist, &blob);
	result_set_interval_hist(&s->result, row, dir, blob.text, blob.length);
}

/* A drive that warms up, and is not known in the fourth second; and all CPUs. */
static inline void sample_vitals(struct sample *s)
{
	struct vitals *vitals = &s->result.vitals;

	vitals->channels = arena_array(&s->result.arena, struct vital_channel, 2);
	vitals->values = arena_array(&s->result.arena, float, 2 * SAMPLE_SECONDS);
	vitals->nchannels = 2;
	vitals->nrows = SAMPLE_SECONDS;
	vitals->step_ns = NS_PER_S;
	vitals->channels[0] = (struct vital_channel){VITAL_TEMPERATURE, "nvme0n1"};
	vitals->channels[1] = (struct vital_channel){VITAL_CPU, "all"};
	for (unsigned i = 0; i < SAMPLE_SECONDS; i++) {
		vitals->values[i] = i == 3 ? (float)NAN : 31.5F + 0.7F * (float)i;
		vitals->values[SAMPLE_SECONDS + i] = 12.3F;
	}
}

static inline void sample_logs(struct sample *s)
{
	static struct log_result logs[] = {
		{"/data/a_lat.1.alog", "lat", LOG_AGREES, 90, 368640, 90, 368640},
		{"/data/a_clat.1.alog", "clat", LOG_DIFFERS, 89, 364544, 90, 368640},
		{"/data/a_hist.1.alog", "hist", LOG_UNCHECKED, 7, 0, 90, 368640},
		{.path = "/data/b_lat.2.alog", .kind = "lat"},
	};

	s->result.logs = logs;
	s->result.nlogs = 4;
}

static inline void sample_facts(struct sample *s)
{
	struct run_facts *facts = &s->result.facts;

	s->fs = (struct filesystem){.kind = FILESYSTEM_DISK,
				    .type = "ext4",
				    .mount_point = "/mnt/test",
				    .options = "rw,relatime",
				    .size_bytes = 400 * GiB,
				    .free_bytes = 123 * GiB};
	s->target = (struct target_facts){.path = "/mnt/test/mixed.0.0",
					  .kind = "file",
					  .size_bytes = GiB,
					  .direct = true,
					  .fs = &s->fs};
	s->device.device = (struct device){.name = "nvme0n1",
					   .kind = DEVICE_DISK,
					   .model = "ACME Fast 1000",
					   .serial = "S123",
					   .firmware = "1.2",
					   .size_bytes = 500107862016,
					   .rotational = ANSWER_NO,
					   .scheduler = "none",
					   .numa_node = -1};
	s->device.device.link = (struct device_link){.text = "PCIe 3.0 x4",
						     .max_text = "PCIe 3.0 x4",
						     .bytes_per_s = 3938461538,
						     .max_bytes_per_s = 3938461538};
	s->device.has_counters = true;
	s->device.after.at_ns = SAMPLE_SECONDS * NS_PER_S;
	s->device.after.read.ios = 140000;
	s->device.after.read.bytes = 140000 * 4096ULL;
	s->device.after.write.ios = 60100;
	s->device.after.write.bytes = 60100 * 4096ULL;
	s->device.after.queue_ms = 29000;
	facts->asked_ios[DIR_READ] = 140000;
	facts->asked_bytes[DIR_READ] = 140000 * 4096ULL;
	facts->asked_ios[DIR_WRITE] = 60000;
	facts->asked_bytes[DIR_WRITE] = 60000 * 4096ULL;
	facts->has_host = true;
	facts->host = (struct host){.kernel = "6.1.0-44-amd64",
				    .os = "Debian GNU/Linux 12 (bookworm)",
				    .cpu_model = "ACME CPU 9000",
				    .cpus_online = 8,
				    .memory_bytes = 16 * GiB,
				    .governor = "performance",
				    .power = POWER_MAINS};
	facts->clock = "tsc";
	facts->targets = &s->target;
	facts->ntargets = 1;
	facts->devices = &s->device;
	facts->ndevices = 1;
	facts->worker_numa_node = -1;
}

/* A drive that tells: before and after, and of one counter only the end. */
static inline void sample_health(struct sample *s)
{
	struct health_facts *drive = arena_new(&s->result.arena, struct health_facts);

	drive->device = "nvme0n1";
	health_init(&drive->before, "");
	drive->before.at_unix_ns = 1700000000000000000;
	(void)snprintf(drive->before.serial, sizeof(drive->before.serial), "S123");
	(void)snprintf(drive->before.source, sizeof(drive->before.source), "smartctl 7.3");
	drive->before.passed = ANSWER_YES;
	drive->before.value[HEALTH_HOST_WRITTEN_BYTES] = 5000000000;
	drive->before.value[HEALTH_NAND_WRITTEN_BYTES] = 9000000000;
	drive->before.value[HEALTH_TEMPERATURE_MC] = 31000;
	drive->before.value[HEALTH_POWER_ON_HOURS] = 77;
	drive->before.value[HEALTH_MEDIA_ERRORS] = 0;
	drive->after = drive->before;
	drive->after.at_unix_ns += SAMPLE_SECONDS * NS_PER_S;
	drive->after.passed = ANSWER_NO;
	drive->after.value[HEALTH_HOST_WRITTEN_BYTES] += 2000000000;
	drive->after.value[HEALTH_NAND_WRITTEN_BYTES] += 5000000000;
	drive->after.value[HEALTH_TEMPERATURE_MC] = 45000;
	drive->after.value[HEALTH_REALLOCATED] = 3;
	s->result.facts.health = drive;
	s->result.facts.nhealth = 1;
}

static inline void sample_init(struct sample *s)
{
	*s = (struct sample){0};
	s->spec = (struct job_spec){
		.name = "mixed",
		.ioengine = "io_uring",
		.rw = {.does = {true, true}, .random = true, .text = "randrw"},
		.bs = {{4096, 4096}, {4096, 4096}},
		.rwmixread = 70,
		.rwmixwrite = 30,
		.iodepth = 32,
		.numjobs = SAMPLE_WORKERS,
		.direct = true,
		.refuse_repeat = true,
		.stats = true};
	s->specs[0] = &s->spec;
	s->set = (struct job_set){.face = FACE_NATIVE, .jobs = s->specs, .njobs = 1};
	result_init(&s->result, &s->set);
	s->result.jobs = s->jobs;
	s->result.njobs = SAMPLE_WORKERS;
	s->result.interval_ns = NS_PER_S;
	s->result.span_ns = SAMPLE_SECONDS * NS_PER_S;
	s->result.wall_start_ns = 1790000000 * NS_PER_S;
	s->result.wall_end_ns = s->result.wall_start_ns + s->result.span_ns;
	for (unsigned i = 0; i < SAMPLE_WORKERS; i++)
		sample_worker(s, i);
	for (unsigned i = 0; i < SAMPLE_SECONDS; i++) {
		struct row *row = &s->rows[i];

		row->begin_ns = i * NS_PER_S;
		row->end_ns = (i + 1) * NS_PER_S;
		for (enum dir dir = DIR_READ; dir <= DIR_WRITE; dir++)
			row->dir[dir] = (struct row_dir){
				.ios = dir == DIR_READ ? 14000 : 6000,
				.bytes = (dir == DIR_READ ? 14000 : 6000) * 4096ULL,
				.p50_ns = 3500 * NS_PER_US,
				.p99_ns = (4700 + 100 * i) * NS_PER_US,
				.p999_ns = 5 * NS_PER_MS,
				.max_ns = 24 * NS_PER_MS,
				.mean_ns = 3588e3};
		for (enum dir dir = DIR_READ; dir <= DIR_WRITE; dir++)
			sample_histogram(s, dir, i);
	}
	s->result.series_kind = LAT_TOTAL;
	s->result.rows = s->rows;
	s->result.nrows = SAMPLE_SECONDS;
	sample_facts(s);
}

/* The sixth second stands still. */
static inline void sample_stall(struct sample *s)
{
	memset(s->rows[5].dir, 0, sizeof(s->rows[5].dir));
	for (unsigned i = 0; i < SAMPLE_WORKERS; i++)
		memset(s->job_rows[i][5].ios, 0, sizeof(s->job_rows[i][5].ios));
}

/* 11,000 requests a second were asked of each worker. */
static inline void sample_rate(struct sample *s)
{
	s->spec.rate_iops[DIR_READ] = 7700;
	s->spec.rate_iops[DIR_WRITE] = 3300;
	for (unsigned i = 0; i < SAMPLE_WORKERS; i++) {
		struct job_result *job = &s->jobs[i];

		job->arrivals_due = 110000;
		sample_latency(s, &job->lateness, 20 * NS_PER_US, 100000);
		for (enum dir dir = DIR_READ; dir <= DIR_WRITE; dir++)
			sample_latency(s, &job->dir[dir].lat[LAT_RESPONSE], 40 * NS_PER_MS,
				       job->dir[dir].ios);
	}
}

/* Its job said in the job language: what readers of a JSON or a store make of it again. `set`
 * is the caller's to release. */
static inline void sample_spoken(struct sample *s, struct job_set *set)
{
	static const char text[] = "[global]\nioengine=io_uring\ndirect=1\nbs=4k\n"
				   "[mixed]\nrw=randrw\nrwmixread=70\niodepth=32\nnumjobs=2\n"
				   "filename=/mnt/test/mixed.0.0\nsize=1g\nruntime=10s\n"
				   "percentile_list=50:99.9\nbssplit=4k/60:8k/40\n";
	struct err err = {0};

	sample_init(s);
	job_set_init(set, FACE_NATIVE);
	if (job_parse_text(set, "x.job", text, strlen(text), &err))
		(void)fprintf(stderr, "%s\n", err.text);
	s->result.set = set;
	for (unsigned i = 0; i < SAMPLE_WORKERS; i++)
		s->jobs[i].spec = set->jobs[0];
}

static inline void sample_done(struct sample *s)
{
	result_done(&s->result);
}
