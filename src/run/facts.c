/*
 * What was measured and on what. Three moments: before the layout (host, targets, the devices
 * below them, and whether others use those), after it (sizes, holes, counters), and when the
 * last worker has ended (counters again). Files of one file system share one look at it.
 */
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/lang.h"
#include "device/stack.h"
#include "run/run_priv.h"
#include "sim/drive.h"

#define IDLE_WATCH_MS	  100
#define IDLE_WORTHY_NS	  NS_PER_S /* runs below that do not wait for a look at others' I/O */
#define TARGETS_SAMPLED	  64	   /* of many files the first ones speak for all */
#define MAJOR_MEMORY	  1	   /* /dev/null, zero, full, random: no device behind them */
#define NUMA_UNKNOWN	  (-1)
#define NUMA_WITHOUT_NODE (-2) /* no worker seen yet */

/* --- CPU of the whole process, the kernel's io-wq threads and reaped workers among it --- */

static uint64_t timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_usec * NS_PER_US;
}

static struct cpu_use cpu_use_now(void)
{
	static const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
	struct cpu_use use = {0};

	for (unsigned i = 0; i < ARRAY_SIZE(whose); i++) {
		struct rusage usage;

		if (getrusage(whose[i], &usage) < 0)
			continue;
		use.user_ns += timeval_ns(&usage.ru_utime);
		use.sys_ns += timeval_ns(&usage.ru_stime);
	}
	return use;
}

/* --- targets --- */

static const char *kind_name(enum target_kind kind)
{
	static const char *const names[] = {[TARGET_FILE] = N_("file"),
					    [TARGET_BLOCK] = N_("block device"),
					    [TARGET_CHAR] = N_("character device"),
					    [TARGET_NONE] = "none",
					    [TARGET_SIM] = N_("simulated drive")};

	return names[kind];
}

/* The layers between a target and its devices: "backing file /x.img of loop0". */
static const char *via_text(struct arena *arena, const struct device_stack *stack)
{
	autostr text = {0};

	for (unsigned i = 0; i < stack->count; i++) {
		if (stack->layer[i].above >= 0)
			str_printf(&text, "%s%s", text.length ? ", " : "", stack->layer[i].via);
	}
	return text.length ? arena_strdup(arena, text.text) : NULL;
}

/* Where a file lies; of all files with one st_dev the first is looked at. */
static void place_file(struct run *run, const struct run_file *file,
		       struct target_facts *target)
{
	struct arena *arena = &run->result->arena;
	struct device_stack stack = {0};
	struct filesystem *fs;

	if (file->kind == TARGET_FILE) {
		fs = arena_new(arena, struct filesystem);
		if (filesystem_of_path(fs, file->path, &device_roots_real, NULL) == 0)
			target->fs = fs;
		target->is_memory = target->fs && fs->kind == FILESYSTEM_MEMORY;
	}
	if (target->is_memory ||
	    device_of_file(&run->arena, file->path, &device_roots_real, &stack, NULL) < 0)
		return;
	target->via = via_text(arena, &stack);
	target->device = run_disks_add(run, &stack);
}

static void copy_place(struct target_facts *target, const struct target_facts *other)
{
	target->fs = other->fs;
	target->is_memory = other->is_memory;
	target->via = other->via;
	target->device = other->device;
}

static void look_at_target(struct run *run, struct run_file *file, struct target_facts *target)
{
	*target = (struct target_facts){.path = arena_strdup(&run->result->arena, file->path),
					.kind = kind_name(file->kind),
					.direct = file->direct,
					.device = -1};
	file->facts = target;
	switch (file->kind) {
	case TARGET_NONE:
		target->path = NULL;
		target->is_memory = true;
		return;
	case TARGET_SIM:
		target->direct = true; /* no page cache of ours stands before it */
		target->size_bytes = file->size_bytes;
		return;
	case TARGET_CHAR:
		target->is_memory = file->char_major == MAJOR_MEMORY;
		return;
	case TARGET_FILE:
	case TARGET_BLOCK:
		break;
	}
	for (const struct run_file *other = run->files; other != file; other = other->next) {
		if (file->existed && other->existed && other->kind == file->kind &&
		    file->kind == TARGET_FILE && other->dev == file->dev) {
			copy_place(target, other->facts);
			return;
		}
	}
	place_file(run, file, target);
}

static void look_at_targets(struct run *run)
{
	struct run_facts *facts = &run->result->facts;
	unsigned count = 0;

	for (const struct run_file *file = run->files; file; file = file->next)
		count++;
	facts->targets = arena_array(&run->result->arena, struct target_facts, count + 1);
	for (struct run_file *file = run->files; file; file = file->next)
		look_at_target(run, file, &facts->targets[facts->ntargets++]);
}

/* --- what is around it --- */

/* Not for the fio face, which shows nothing of it and waits for nothing. */
static void look_around(struct run *run, struct environment *ret_environment)
{
	struct run_facts *facts = &run->result->facts;
	const char **paths = arena_array(&run->arena, const char *, facts->ntargets + 1);
	unsigned count = 0;

	if (run->set->face != FACE_NATIVE || run->result->simulated)
		return;
	for (unsigned i = 0; i < facts->ntargets; i++) {
		if (facts->targets[i].path)
			paths[count++] = facts->targets[i].path;
	}
	environment_read(&run->result->arena, paths, count, &device_roots_real,
			 ret_environment);
}

/* --- the three moments --- */

/* Is the run long enough that a look at others' I/O does not weigh on it? fio waits for
 * nothing. */
static bool is_worth_watching(const struct run *run)
{
	if (run->set->face != FACE_NATIVE)
		return false;
	for (unsigned j = 0; j < run->njobs; j++) {
		if (run->jobs[j].spec->runtime < IDLE_WORTHY_NS)
			return false;
	}
	return true;
}

void run_facts_look(struct run *run)
{
	struct run_facts *facts = &run->result->facts;

	if (!run->result->simulated) {
		host_read(&facts->host, &device_roots_real);
		facts->has_host = true;
	}
	facts->clock = run->clock.tsc ? "tsc" : "clock_gettime";
	facts->worker_numa_node = NUMA_WITHOUT_NODE;
	look_at_targets(run);
	look_around(run, &facts->environment);
	run_disks_settle(run);
	if (is_worth_watching(run))
		run_disks_watch(run, IDLE_WATCH_MS);
}

void run_facts_before(struct run *run)
{
	unsigned sampled = 0;

	run_health_read(run, false);
	for (struct run_file *file = run->files; file; file = file->next) {
		file->facts->size_bytes = file->size_bytes;
		if (file->reads && !file->facts->is_memory && sampled++ < TARGETS_SAMPLED)
			run_sample(run, file);
	}
	(void)host_cpu_read(&run->cpu_before, HOST_CPU_ALL, &device_roots_real);
	run->cpu_use_before = cpu_use_now();
	run_disks_read(run, false);
}

void run_facts_worker(struct run *run, const struct worker *worker)
{
	struct run_facts *facts = &run->result->facts;
	unsigned cpu = (unsigned)worker->last_cpu;
	int node;

	if (worker->last_cpu < 0)
		return;
	node = host_cpu_node(cpu, &device_roots_real);
	if (facts->worker_numa_node == NUMA_WITHOUT_NODE)
		facts->worker_numa_node = node;
	else if (facts->worker_numa_node != node)
		facts->worker_numa_node = NUMA_UNKNOWN;
	for (unsigned i = 0; i < facts->ndevices; i++) {
		int at = facts->devices[i].device.numa_node;
		unsigned distance = host_numa_distance(at, cpu, &device_roots_real);

		if (distance > facts->numa_distance)
			facts->numa_distance = distance;
	}
}

static uint64_t requests_of(const struct job_result *job)
{
	uint64_t ios = job->ramp_ios;

	for (unsigned d = 0; d < NDIR; d++)
		ios += job->dir[d].ios;
	return ios;
}

static bool is_async(const struct job_result *job)
{
	return !(engine_find(job->spec->ioengine)->caps & ENGINE_DEPTH_1);
}

/* What the workers' threads did not use themselves goes to those whose requests others may
 * carry out; by requests, for nobody counts it closer. */
static void share_beyond(struct result *result)
{
	uint64_t own = 0, all = result->facts.used.user_ns + result->facts.used.sys_ns;
	uint64_t requests[2] = {0}; /* of sync engines, of others */

	for (unsigned i = 0; i < result->njobs; i++) {
		const struct job_result *job = &result->jobs[i];

		own += job->user_ns + job->sys_ns;
		requests[is_async(job)] += requests_of(job);
	}
	if (all <= own)
		return;
	for (unsigned i = 0; i < result->njobs; i++) {
		struct job_result *job = &result->jobs[i];

		if (is_async(job) && requests[true])
			job->beyond_ns =
				muldiv_u64(all - own, requests_of(job), requests[true]);
		else if (!requests[true] && requests[false])
			job->beyond_ns =
				muldiv_u64(all - own, requests_of(job), requests[false]);
	}
}

/* Filling buffers and making rings is no cost of the load; nearly all of it is the user's. */
static void leave_setup_out(struct cpu_use *use, uint64_t setup_ns)
{
	uint64_t of_user = min_u64(use->user_ns, setup_ns);

	use->user_ns -= of_user;
	use->sys_ns -= min_u64(use->sys_ns, setup_ns - of_user);
}

static void ask_drives(struct run *run)
{
	for (struct run_file *file = run->files; file; file = file->next) {
		struct simulated_facts *facts;
		struct drive_health health;

		if (!file->drive || !file->facts)
			continue;
		drive_get_health(file->drive, run->virtual_ns, &health);
		facts = arena_new(&run->result->arena, struct simulated_facts);
		*facts = (struct simulated_facts){
			.scale = drive_profile(file->drive)->scale,
			.host_read_bytes = health.host_read_bytes,
			.host_written_bytes = health.host_written_bytes,
			.nand_written_bytes = health.nand_written_bytes,
			.erases = health.erases,
			.most_erases = health.most_erases,
			.used_ppm = health.used_ppm,
			.media_errors = health.media_errors,
			.throttled_ns = health.throttled_ns,
			.temperature_mc = health.temperature_mc,
			.unmapped_read_bytes = drive_unmapped_read_bytes(file->drive),
		};
		file->facts->simulated = facts;
	}
}

void run_facts_after(struct run *run)
{
	struct run_facts *facts = &run->result->facts;
	struct environment now = {.count = 0};
	struct cpu_use use = cpu_use_now();
	struct host_cpu cpu;

	ask_drives(run);
	if (run->result->simulated) {
		run_health_read(run, true);
		return; /* neither this machine nor its disks have to do with it */
	}
	run_disks_read(run, true);
	run_disks_publish(run);
	look_around(run, &now);
	if (now.count)
		environment_update(&run->result->arena, &facts->environment, &now);
	if (run->cpu_before.total_ns &&
	    host_cpu_read(&cpu, HOST_CPU_ALL, &device_roots_real) == 0)
		host_cpu_difference(&run->cpu_before, &cpu, &facts->cpu);
	facts->used.user_ns = use.user_ns - run->cpu_use_before.user_ns;
	facts->used.sys_ns = use.sys_ns - run->cpu_use_before.sys_ns;
	leave_setup_out(&facts->used, run->setup_cpu_ns);
	share_beyond(run->result);
	if (facts->worker_numa_node == NUMA_WITHOUT_NODE)
		facts->worker_numa_node = NUMA_UNKNOWN;
	run_health_read(run, true); /* last: its processes are not of the load */
}
