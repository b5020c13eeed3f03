/*
 * Each plausibility note is provoked by one change to a result that has none, and stays away at
 * the nearest harmless change. No randomness.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/file.h"
#include "result/result.h"
#include "unit.h"

#define WORKERS	   2
#define SECONDS	   10
#define IOS	   100000u /* each worker */
#define READS	   70000u
#define WRITES	   30000u
#define DEPTH	   32u
#define SERVICE_NS (SECONDS * NS_PER_S * DEPTH / IOS) /* what Little's law asks for */

struct fixture {
	struct job_set set;
	struct job_spec spec, *specs[1];
	struct result result;
	struct job_result jobs[WORKERS];
	struct row rows[SECONDS];
	struct target_facts target;
	struct device_facts device;
	struct filesystem fs;
	const char *path;
};

static void set_latency(struct fixture *f, struct lat *lat, uint64_t ns, uint64_t count)
{
	if (!lat->hist)
		lat->hist = arena_new(&f->result.arena, struct hist);
	*lat->hist = (struct hist){0};
	hist_sums_init(&lat->sums);
	hist_add(lat->hist, ns, count);
	hist_sums_add(&lat->sums, ns, count);
}

static void init_worker(struct fixture *f, unsigned i)
{
	struct job_result *job = &f->jobs[i];

	*job = (struct job_result){.spec = &f->spec, .name = "job", .clone = i, .members = 1};
	job->end_ns = SECONDS * NS_PER_S;
	job->runtime_ns = job->end_ns;
	job->depth_mean = DEPTH;
	job->core_busy_max_percent = 40;
	for (enum dir dir = DIR_READ; dir <= DIR_WRITE; dir++) {
		struct dir_result *figures = &job->dir[dir];

		figures->ios = dir == DIR_READ ? READS : WRITES;
		figures->bytes = figures->ios * 4096;
		figures->runtime_ns = job->end_ns;
		set_latency(f, &figures->lat[LAT_TOTAL], SERVICE_NS, figures->ios);
	}
}

static void init_facts(struct fixture *f)
{
	struct run_facts *facts = &f->result.facts;

	f->path = "/dev/nvme0n1";
	f->target = (struct target_facts){.path = f->path,
					  .kind = "block device",
					  .size_bytes = 600000000,
					  .direct = true,
					  .blocks_sampled = 64};
	f->device.device = (struct device){.name = "nvme0n1",
					   .kind = DEVICE_DISK,
					   .size_bytes = 600000000,
					   .rotational = ANSWER_NO};
	f->device.device.link =
		(struct device_link){.text = "PCIe 3.0 x4", .bytes_per_s = 3938461538};
	facts->asked_bytes[DIR_READ] = WORKERS * READS * 4096ULL;
	facts->asked_bytes[DIR_WRITE] = WORKERS * WRITES * 4096ULL;
	f->device.has_counters = true;
	f->device.before.read.bytes = 12345678;
	f->device.after.read.bytes = 12345678 + facts->asked_bytes[DIR_READ];
	f->device.after.write.bytes = facts->asked_bytes[DIR_WRITE];
	f->device.idle.at_ns = NS_PER_S;
	facts->has_host = true;
	(void)snprintf(facts->host.governor, sizeof(facts->host.governor), "performance");
	facts->host.power = POWER_MAINS;
	facts->cpu = (struct host_cpu){.total_ns = 20 * NS_PER_S};
	facts->numa_distance = 10;
	facts->targets = &f->target;
	facts->ntargets = 1;
	facts->devices = &f->device;
	facts->ndevices = 1;
}

/* A run about which there is nothing to say. */
static void fixture_init(struct fixture *f)
{
	*f = (struct fixture){0};
	f->spec = (struct job_spec){.name = "job",
				    .ioengine = "io_uring",
				    .rw = {.does = {true, true}, .random = true},
				    .bs = {{4096, 4096}, {4096, 4096}},
				    .rwmixread = 70,
				    .iodepth = DEPTH,
				    .numjobs = WORKERS,
				    .direct = true,
				    .refuse_repeat = true,
				    .stats = true};
	f->specs[0] = &f->spec;
	f->set = (struct job_set){.face = FACE_NATIVE, .jobs = f->specs, .njobs = 1};
	result_init(&f->result, &f->set);
	f->result.jobs = f->jobs;
	f->result.njobs = WORKERS;
	f->result.interval_ns = NS_PER_S;
	f->result.span_ns = SECONDS * NS_PER_S;
	for (unsigned i = 0; i < WORKERS; i++)
		init_worker(f, i);
	for (unsigned i = 0; i < SECONDS; i++) {
		f->rows[i].begin_ns = i * NS_PER_S;
		f->rows[i].end_ns = (i + 1) * NS_PER_S;
		f->rows[i].dir[DIR_READ].ios = WORKERS * READS / SECONDS;
		f->rows[i].dir[DIR_READ].bytes = WORKERS * READS / SECONDS * 4096ULL;
	}
	f->result.rows = f->rows;
	f->result.nrows = SECONDS;
	init_facts(f);
}

static const struct note *find_note(const struct result *result, const char *id)
{
	for (unsigned i = 0; i < result->nnotes; i++)
		if (str_equal(result->notes[i].id, id))
			return &result->notes[i];
	return NULL;
}

static void a_plain_run_has_no_notes(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	result_plausibility(&f.result);
	if (f.result.nnotes)
		print_message("%s: %s\n", f.result.notes[0].id, f.result.notes[0].text);
	assert_int_equal(f.result.nnotes, 0);
	result_done(&f.result);
}

/* --- what each note is provoked by, and what is nearest to it and harmless --- */

static void scale_latency(struct fixture *f, double factor)
{
	for (unsigned i = 0; i < WORKERS; i++)
		for (enum dir dir = DIR_READ; dir <= DIR_WRITE; dir++)
			set_latency(f, &f->jobs[i].dir[dir].lat[LAT_TOTAL],
				    (uint64_t)(SERVICE_NS * factor), f->jobs[i].dir[dir].ios);
}

static void latency_12_percent_low(struct fixture *f)
{
	scale_latency(f, 0.88);
}

static void latency_9_percent_low(struct fixture *f)
{
	scale_latency(f, 0.91);
}

static void latency_20_percent_high(struct fixture *f)
{
	scale_latency(f, 1.2);
}

static void long_requests_when_the_ramp_ends(struct fixture *f)
{
	scale_latency(f, 1.2);
	f->spec.ramp_time = NS_PER_S;
	for (unsigned i = 0; i < WORKERS; i++)
		f->jobs[i].dir[DIR_READ].lat[LAT_TOTAL].sums.max_ns = 2 * NS_PER_S;
}

static void half_the_depth(struct fixture *f)
{
	scale_latency(f, 0.5);
	f->jobs[0].depth_mean = f->jobs[1].depth_mean = DEPTH / 2.0;
}

static void nearly_the_depth(struct fixture *f)
{
	scale_latency(f, 0.92);
	f->jobs[0].depth_mean = f->jobs[1].depth_mean = 0.92 * DEPTH;
}

static void core_at(struct fixture *f, double percent)
{
	f->jobs[1].core_busy_max_percent = percent;
}

static void core_busy(struct fixture *f)
{
	core_at(f, 97);
}

static void core_below(struct fixture *f)
{
	core_at(f, 94);
}

static void steal_5_percent(struct fixture *f)
{
	f->result.facts.cpu.steal_ns = NS_PER_S;
}

static void steal_half_a_percent(struct fixture *f)
{
	f->result.facts.cpu.steal_ns = NS_PER_S / 10;
}

static void rated(struct fixture *f, uint64_t due)
{
	f->spec.rate_iops[DIR_READ] = 7000;
	f->spec.rate_iops[DIR_WRITE] = 3000;
	for (unsigned i = 0; i < WORKERS; i++) {
		f->jobs[i].arrivals_due = due;
		set_latency(f, &f->jobs[i].lateness, 20 * NS_PER_US, IOS);
	}
}

static void rate_missed(struct fixture *f)
{
	rated(f, IOS * 102 / 100);
}

static void rate_kept(struct fixture *f)
{
	rated(f, IOS * 1005ULL / 1000);
}

static void arrivals_late(struct fixture *f)
{
	rated(f, IOS);
	hist_add(f->jobs[0].lateness.hist, 5 * NS_PER_MS, IOS / 40);
}

static void a_few_arrivals_late(struct fixture *f)
{
	rated(f, IOS);
	hist_add(f->jobs[0].lateness.hist, 5 * NS_PER_MS, IOS / 100);
}

static void mix_asked_60(struct fixture *f)
{
	f->spec.rwmixread = 60;
}

static void mix_asked_69(struct fixture *f)
{
	f->spec.rwmixread = 69;
}

/* 56 % reads of 1000 fair draws: 3.8 deviations. */
static void few_requests_off_by_chance(struct fixture *f)
{
	f->spec.rwmixread = 50;
	for (unsigned i = 0; i < WORKERS; i++) {
		f->jobs[i].dir[DIR_READ].ios = 280;
		f->jobs[i].dir[DIR_WRITE].ios = 220;
	}
}

static void one_member_ends_early(struct fixture *f)
{
	f->jobs[0].end_ns = 3 * NS_PER_S;
}

static void one_member_ends_a_little_early(struct fixture *f)
{
	f->jobs[0].end_ns -= 400 * NS_PER_MS;
}

static void two_sequential_clones(struct fixture *f)
{
	f->spec.rw.random = false;
	f->spec.filename = (struct text_list){.items = &f->path, .count = 1};
}

static void clones_with_their_parts(struct fixture *f)
{
	two_sequential_clones(f);
	f->spec.offset_increment = (struct amount){.bytes = GiB, .given = true};
}

static void refuse_direct(struct fixture *f)
{
	f->target.direct = false;
}

static void ask_buffered(struct fixture *f)
{
	f->spec.direct = f->target.direct = false;
}

static void memory_is_never_direct(struct fixture *f)
{
	f->target = (struct target_facts){
		.path = "/dev/shm/x", .kind = "file", .is_memory = true, .device = -1};
	f->result.facts.ndevices = 0;
}

static void device_reads(struct fixture *f, double share)
{
	f->device.after.read.bytes =
		f->device.before.read.bytes +
		(uint64_t)(share * (double)f->result.facts.asked_bytes[DIR_READ]);
}

static void device_reads_85_percent(struct fixture *f)
{
	device_reads(f, 0.85);
}

static void device_reads_91_percent(struct fixture *f)
{
	device_reads(f, 0.91);
}

static void device_reads_120_percent(struct fixture *f)
{
	device_reads(f, 1.2);
}

static void device_reads_105_percent(struct fixture *f)
{
	device_reads(f, 1.05);
}

static void one_row_reads(struct fixture *f, uint64_t bytes)
{
	f->rows[4].dir[DIR_READ].bytes = bytes;
}

static void faster_than_the_link(struct fixture *f)
{
	one_row_reads(f, 4100000000);
}

static void as_fast_as_the_link(struct fixture *f)
{
	one_row_reads(f, 3900000000);
}

static void zero_blocks(struct fixture *f, unsigned count)
{
	f->target.blocks_zero = count;
}

static void half_of_it_is_zero(struct fixture *f)
{
	zero_blocks(f, 32);
}

static void hardly_any_is_zero(struct fixture *f)
{
	zero_blocks(f, 2);
}

static void file_with_holes(struct fixture *f)
{
	f->target.hole_bytes = 100000000;
}

static void holes_but_no_reads(struct fixture *f)
{
	file_with_holes(f);
	f->spec.rw.does[DIR_READ] = false;
	f->jobs[0].dir[DIR_READ].ios = f->jobs[1].dir[DIR_READ].ios = 0;
}

static void zram_device(struct fixture *f)
{
	f->device.device.kind = DEVICE_ZRAM;
}

static void on_file_system(struct fixture *f, bool swallows)
{
	f->fs = (struct filesystem){.type = "btrfs", .swallows_size = swallows};
	f->target.fs = &f->fs;
}

static void on_compressing_file_system(struct fixture *f)
{
	on_file_system(f, true);
}

static void on_plain_file_system(struct fixture *f)
{
	on_file_system(f, false);
}

static void device_of(struct fixture *f, uint64_t size, enum answer rotational)
{
	f->device.device.size_bytes = size;
	f->device.device.rotational = rotational;
}

static void big_drive(struct fixture *f)
{
	device_of(f, 1920383410176, ANSWER_NO);
}

static void loop_on_a_drive(struct fixture *f)
{
	big_drive(f);
	f->target.path = "/dev/loop0";
	f->target.via = "backing file /x.img of loop0";
}

static void big_disk_that_wrote_more_than_it_caches(struct fixture *f)
{
	device_of(f, 20000000000000, ANSWER_YES);
	f->result.facts.asked_bytes[DIR_WRITE] = 2 * GiB;
	f->device.after.write.bytes = 2 * GiB;
}

static void zero_ios(struct fixture *f)
{
	for (unsigned i = 0; i < WORKERS; i++)
		for (unsigned dir = 0; dir < NDIR; dir++)
			f->jobs[i].dir[dir] = (struct dir_result){0};
}

static void create_only(struct fixture *f)
{
	zero_ios(f);
	f->spec.create_only = true;
}

static void untimed(struct fixture *f)
{
	for (unsigned i = 0; i < WORKERS; i++)
		for (unsigned dir = 0; dir < NDIR; dir++)
			f->jobs[i].dir[dir].lat[LAT_TOTAL] = (struct lat){0};
	f->spec.gtod_reduce = true;
}

static void writes_alone(struct fixture *f, uint64_t count)
{
	for (unsigned i = 0; i < WORKERS; i++) {
		struct dir_result *write = &f->jobs[i].dir[DIR_WRITE];

		write->ios = count / WORKERS;
		set_latency(f, &write->lat[LAT_TOTAL], SERVICE_NS, write->ios);
	}
}

static void few_writes(struct fixture *f)
{
	writes_alone(f, 9000);
}

static void enough_writes(struct fixture *f)
{
	writes_alone(f, 10000);
}

static void idle_for_two_rows(struct fixture *f)
{
	f->rows[5].dir[DIR_READ] = f->rows[6].dir[DIR_READ] = (struct row_dir){0};
}

static void idle_in_think_time(struct fixture *f)
{
	idle_for_two_rows(f);
	f->spec.thinktime = 3 * NS_PER_S;
}

static void fixed_seed(struct fixture *f)
{
	f->spec.randrepeat = true;
}

static void fixed_seed_unused(struct fixture *f)
{
	fixed_seed(f);
	f->spec.rw.random = false;
}

static void buffers_reused(struct fixture *f)
{
	f->spec.refuse_repeat = false;
	f->spec.scramble_buffers = true;
}

static void buffers_refilled(struct fixture *f)
{
	buffers_reused(f);
	f->spec.refill_buffers = true;
}

static void governor(struct fixture *f)
{
	(void)snprintf(f->result.facts.host.governor, sizeof(f->result.facts.host.governor),
		       "powersave");
}

static void no_cpufreq(struct fixture *f)
{
	f->result.facts.host.governor[0] = '\0';
}

static void far_node(struct fixture *f)
{
	f->result.facts.numa_distance = 21;
}

static void node_unknown(struct fixture *f)
{
	f->result.facts.numa_distance = 0;
}

static void slow_link(struct fixture *f)
{
	f->device.device.link.trained_down = true;
}

static void link_unknown(struct fixture *f)
{
	f->device.device.link = (struct device_link){0};
}

static void others_before(struct fixture *f, uint64_t ios)
{
	f->device.idle.write.ios = ios;
	f->device.idle.write.bytes = ios * 4096;
}

static void busy_before(struct fixture *f)
{
	others_before(f, 50);
}

static void hardly_busy_before(struct fixture *f)
{
	others_before(f, 4);
}

static void a_stray_request_before(struct fixture *f)
{
	others_before(f, 2);
	f->device.idle.at_ns = NS_PER_S / 10; /* 20 a second, if that were enough to go by */
}

static void another_run(struct fixture *f)
{
	f->target.other_run_pid = 4711;
}

static void battery(struct fixture *f)
{
	f->result.facts.host.power = POWER_BATTERY;
}

static void power_unknown(struct fixture *f)
{
	f->result.facts.host.power = POWER_UNKNOWN;
}

static void wall_moved(struct fixture *f)
{
	f->result.wall_jump_ns = -2 * (int64_t)NS_PER_S;
}

static void wall_slewed(struct fixture *f)
{
	f->result.wall_jump_ns = 5 * (int64_t)NS_PER_MS;
}

static void clock_off(struct fixture *f)
{
	f->result.clock_drift_ppm = -800;
}

static void clock_fine(struct fixture *f)
{
	f->result.clock_drift_ppm = 30;
}

static void failing_writes(struct fixture *f)
{
	f->jobs[1].dir[DIR_WRITE].errors = 3;
	f->jobs[1].total_errors = 3;
	f->jobs[1].first_error = (struct first_error){
		.code = 5, .op = OP_WRITE, .offset = 8192, .bytes = 4096, .path = f->path};
}

static void failed_at_opening(struct fixture *f)
{
	f->jobs[1].error = 2;
}

static void killed(struct fixture *f)
{
	f->jobs[1].killed_by = SIGSEGV;
}

static void came_short(struct fixture *f)
{
	f->jobs[1].dir[DIR_READ].short_ios = 7;
}

static void ctrl_c(struct fixture *f)
{
	f->result.interrupted = true;
	f->result.signal = SIGINT;
}

static void hung_request(struct fixture *f)
{
	static struct unfinished hung = {.op = OP_READ, .age_ns = 12 * NS_PER_S};

	f->jobs[0].unfinished = &hung;
	f->jobs[0].nunfinished = 1;
}

static void limit_reached(struct fixture *f)
{
	f->jobs[0].stopped_by_limit = true;
}

static void rows_joined(struct fixture *f)
{
	f->jobs[0].row_merges = 2;
}

static void disks_shown(struct fixture *f)
{
	static struct disk_use disk = {.name = "nvme0n1"};

	f->set.face = FACE_FIO;
	f->result.disks = &disk;
	f->result.ndisks = 1;
}

static void disks_not_shown(struct fixture *f)
{
	disks_shown(f);
	f->set.face = FACE_NATIVE;
}

static void nothing(struct fixture *f)
{
	(void)f;
}

struct rule {
	const char *id;
	void (*provoke)(struct fixture *f);
	const char *says; /* a piece of its text */
	void (*harmless)(struct fixture *f);
};

static const struct rule rules[] = {
	{"littles-law", latency_12_percent_low, "56.32", latency_9_percent_low},
	{"littles-law", latency_12_percent_low, "64 requests", half_the_depth},
	{"littles-law", latency_20_percent_high, "76.8", long_requests_when_the_ramp_ends},
	{"depth-not-reached", half_the_depth, "32 in flight on average, 64 asked",
	 nearly_the_depth},
	{"generator-bound", core_busy, "97 %", core_below},
	{"steal", steal_5_percent, "5.0 %", steal_half_a_percent},
	{"behind-schedule", rate_missed, "200,000 of 204,000", rate_kept},
	{"late-arrivals", arrivals_late, "more than 5", a_few_arrivals_late},
	{"mix-not-met", mix_asked_60, "70.0 % of the requests were reads, 60 %", mix_asked_69},
	{"mix-not-met", mix_asked_60, "70.0 %", few_requests_off_by_chance},
	{"unequal-times", one_member_ends_early, "3 s of 10 s", one_member_ends_a_little_early},
	{"sequential-clones", two_sequential_clones, "2 clones", clones_with_their_parts},
	{"direct-refused", refuse_direct, "/dev/nvme0n1", ask_buffered},
	{"buffered", ask_buffered, "without direct=1", memory_is_never_direct},
	{"less-at-device", device_reads_85_percent, "487 MB (85 %)", device_reads_91_percent},
	{"more-at-device", device_reads_120_percent, "688 MB", device_reads_105_percent},
	{"above-link", faster_than_the_link, "4.10 GB/s", as_fast_as_the_link},
	{"zero-blocks", half_of_it_is_zero, "32 of 64", hardly_any_is_zero},
	{"holes", file_with_holes, "100 MB of its 600 MB", holes_but_no_reads},
	{"memory-target", zram_device, "no drive was measured", nothing},
	{"memory-target", memory_is_never_direct, "/dev/shm/x lies in memory", refuse_direct},
	{"file-system-compresses", on_compressing_file_system, "btrfs", on_plain_file_system},
	{"within-cache", big_drive, "246 MB written to a device of 1.92 TB",
	 big_disk_that_wrote_more_than_it_caches},
	{"within-cache", loop_on_a_drive,
	 "246 MB written to /dev/loop0 (backing file /x.img of loop0), which lies on nvme0n1 of "
	 "1.92 TB",
	 big_disk_that_wrote_more_than_it_caches},
	{"zero-io", zero_ios, "not one request", create_only},
	{"latency-not-measured", untimed, "gtod_reduce", nothing},
	{"few-samples", few_writes, "write: 9,000 requests; percentiles above p99.89",
	 enough_writes},
	{"zero-intervals", idle_for_two_rows, "2 of 10 intervals of 1 s", idle_in_think_time},
	{"fixed-seed", fixed_seed, "randrepeat=1", fixed_seed_unused},
	{"repeated-data", buffers_reused, "refill_buffers", buffers_refilled},
	{"governor", governor, "powersave", no_cpufreq},
	{"numa-distance", far_node, "21", node_unknown},
	{"link-trained-down", slow_link, "PCIe 3.0 x4", link_unknown},
	{"other-io", busy_before, "50 requests a second", hardly_busy_before},
	{"other-io", busy_before, "50 requests a second", a_stray_request_before},
	{"other-run", another_run, "process 4711", busy_before},
	{"on-battery", battery, "battery", power_unknown},
	{"wall-clock-jump", wall_moved, "-2 s", wall_slewed},
	{"clock-drift", clock_off, "-800", clock_fine},
	{"io-errors", failing_writes,
	 "3 requests failed; the first: write of 4096 bytes at offset 8192 of /dev/nvme0n1: "
	 "input/output error",
	 failed_at_opening},
	{"job-failed", failed_at_opening, "1 worker ended with an error: no such file",
	 failing_writes},
	{"worker-died", killed, "1 worker died by SIGSEGV", nothing},
	{"short-transfers", came_short, "7 requests", nothing},
	{"interrupted", ctrl_c, "SIGINT", limit_reached},
	{"unfinished", hung_request, "12 s old", ctrl_c},
	{"write-limit", limit_reached, "--max-write", ctrl_c},
	{"rows-joined", rows_joined, "2 intervals", nothing},
	{"disk-util", disks_shown, "not full", disks_not_shown},
};

/* Notes are printed by every format in every locale: plain ASCII, one line. */
static void each_note_comes_when_provoked_in_one_line_of_ascii(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		struct fixture f;
		const struct note *note;

		fixture_init(&f);
		rules[i].provoke(&f);
		result_plausibility(&f.result);
		note = find_note(&f.result, rules[i].id);
		if (!note || !strstr(note->text, rules[i].says))
			fail_msg("%s (rule %zu): %s", rules[i].id, i,
				 note ? note->text : "did not come");
		for (unsigned k = 0; k < f.result.nnotes; k++)
			for (const char *c = f.result.notes[k].text; *c; c++)
				assert_in_range(*c, ' ', '~');
		result_done(&f.result);
	}
}

static void each_note_stays_away_when_harmless(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		struct fixture f;
		const struct note *note;

		fixture_init(&f);
		rules[i].harmless(&f);
		result_plausibility(&f.result);
		note = find_note(&f.result, rules[i].id);
		if (note)
			fail_msg("%s (rule %zu) came: %s", rules[i].id, i, note->text);
		result_done(&f.result);
	}
}

/* doc/plausibility.md names every note. */
static void every_note_is_documented(void **state)
{
	const char *data = getenv("TEST_DATA");
	autostr path = {0}, doc = {0};

	(void)state;
	str_printf(&path, "%s/../../doc/plausibility.md", data ? data : "tests/data");
	assert_int_equal(file_read(str_text(&path), 1 << 20, &doc), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		autostr quoted = {0};

		str_printf(&quoted, "`%s`", rules[i].id);
		if (!strstr(str_text(&doc), str_text(&quoted)))
			fail_msg("%s is not in doc/plausibility.md", rules[i].id);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_note_is_documented),
		cmocka_unit_test(a_plain_run_has_no_notes),
		cmocka_unit_test(each_note_comes_when_provoked_in_one_line_of_ascii),
		cmocka_unit_test(each_note_stays_away_when_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
