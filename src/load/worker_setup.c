/* Before and after the loop: memory, engine, flow, buffers; resource use at the end. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/file.h"
#include "load/buffer_file.h"
#include "load/worker.h"
#include "load/worker_priv.h"

#define HUGE_BYTES (2 * MiB)

static uint64_t largest_block(const struct job_spec *spec)
{
	uint64_t most = 0;

	for (unsigned d = 0; d < NDATA; d++) {
		if (!spec->rw.does[d] || d == OP_TRIM)
			continue;
		most = max_u64(most, spec->bs[d].max);
		for (unsigned i = 0; i < spec->bssplit[d].count; i++)
			most = max_u64(most, spec->bssplit[d].entry[i].max_bytes);
	}
	return most ? most : 1;
}

uint64_t worker_buffers_need(const struct job_spec *spec)
{
	const struct engine_ops *ops = engine_find(spec->ioengine);
	uint64_t depth = ops && ops->caps & ENGINE_DEPTH_1 ? 1 : spec->iodepth, need;

	return __builtin_mul_overflow(largest_block(spec), depth, &need) ? UINT64_MAX : need;
}

static bool is_huge(enum mem_kind mem)
{
	return mem == MEM_SHMHUGE || mem == MEM_MMAPHUGE;
}

#define SECTOR_BYTES 512

/* Blocks below a page lie side by side: a page each, all would meet in the same few sets of the
 * core's cache (32 of 512 bytes: 4 to 8 % of an io_uring read of /dev/zero). */
static size_t natural_align(uint64_t block, size_t page)
{
	size_t align = SECTOR_BYTES;

	while (align < block && align < page)
		align *= 2;
	return align;
}

/* Anonymous memory, or that of a file. Huge pages are reserved now: one that is missing later is
 * a SIGBUS. */
static int map_memory(struct worker *w, const struct job_spec *spec, struct err *err)
{
	bool shared =
		spec->mem == MEM_MMAPSHARED || spec->mem == MEM_SHM || spec->mem == MEM_SHMHUGE;
	int flags = shared ? MAP_SHARED : MAP_PRIVATE;
	autofd fd = -1;

	flags |= is_huge(spec->mem) ? 0 : MAP_NORESERVE;
	if (!spec->mem_path) {
		flags |= MAP_ANONYMOUS | (is_huge(spec->mem) ? MAP_HUGETLB : 0);
	} else {
		fd = buffer_file_open(spec->mem_path, w->buffers_bytes, is_huge(spec->mem),
				      err);
		if (fd < 0)
			return fd;
	}
	w->buffers = mmap(NULL, w->buffers_bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (w->buffers != MAP_FAILED)
		return 0;
	w->buffers = NULL;
	if (is_huge(spec->mem))
		return err_env(err, -errno,
			       "%s: no huge pages for %zu MiB of buffers; reserve them in "
			       "/proc/sys/vm/nr_hugepages, or take mem=mmap",
			       spec->name, (size_t)(w->buffers_bytes / MiB));
	return err_env(err, -errno, "%s: no memory for %zu MiB of buffers (iodepth x bs): %s",
		       spec->name, (size_t)(w->buffers_bytes / MiB), err_name(errno));
}

/* One mapping for all buffers of the worker; each begins on a multiple of its size, up to a
 * page (or on iomem_align, if larger). */
static int map_buffers(struct worker *w, const struct job_spec *spec, struct err *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t align = spec->iomem_align > page ? spec->iomem_align
						: natural_align(largest_block(spec), page);

	w->buffer_bytes = round_up_size(largest_block(spec), align);
	if (__builtin_mul_overflow(w->buffer_bytes, (size_t)w->depth, &w->buffers_bytes))
		return err_env(err, -ENOMEM, "%s: iodepth times bs is beyond any memory",
			       spec->name);
	if (is_huge(spec->mem))
		w->buffers_bytes = round_up_size(w->buffers_bytes, HUGE_BYTES);
	return map_memory(w, spec, err);
}

static void lay_out_requests(struct worker *w, struct arena *arena)
{
	w->reqs = arena_alloc(arena, w->depth * sizeof(struct req), CACHE_LINE_BYTES);
	w->batches = arena_array(arena, struct batch, w->depth);
	w->done = arena_array(arena, struct req *, w->depth);
	w->dues = arena_array(arena, uint64_t, w->depth);
	for (unsigned i = w->depth; i-- > 0;) {
		w->reqs[i].slot = i;
		w->reqs[i].buf = (char *)w->buffers + i * w->buffer_bytes;
		w->reqs[i].next = w->free;
		w->free = &w->reqs[i];
		w->batches[i].next_free = i + 1;
	}
	w->nfree = w->depth;
}

/* Sizes of submissions and of reaping. By default at most depth/8 requests go into one
 * submission: bigger batches came last on virtio and loop devices and blur the stamps
 * (doc/design.md). */
static void settle_batches(struct worker *w, const struct job_spec *spec)
{
	unsigned usual = w->depth / 8 > 0 ? w->depth / 8 : 1;

	w->batch_limit =
		spec->iodepth_batch_given && spec->iodepth_batch ? spec->iodepth_batch : usual;
	if (spec->iodepth_batch_given && spec->iodepth_batch == 0)
		w->batch_limit = w->depth; /* fio: 0 is the depth */
	if (w->batch_limit > w->depth)
		w->batch_limit = w->depth;
	w->batch_floor = spec->iodepth_batch_given ? w->batch_limit : 1;
	w->reap_min = spec->batch_complete_min_given ? spec->iodepth_batch_complete_min : 1;
	w->reap_max = w->depth;
	if (spec->batch_complete_max_given)
		w->reap_max = spec->iodepth_batch_complete_max;
	else if (w->reap_min > 1)
		w->reap_max = w->reap_min; /* a size that is given is kept to, as by fio */
	if (w->reap_min > w->depth)
		w->reap_min = w->depth;
	if (w->reap_max < w->reap_min || w->reap_max == 0)
		w->reap_max = w->reap_min ? w->reap_min : 1;
	if (w->reap_max > w->depth)
		w->reap_max = w->depth;
	w->low = spec->iodepth_low && spec->iodepth_low < w->depth ? spec->iodepth_low : 0;
	w->reaped_depths = w->reap_min <= 1 && !w->low;
}

static void plan_tallies(struct worker *w, const struct job_spec *spec, struct tally_plan *plan)
{
	for (unsigned d = 0; d < NDATA; d++) {
		plan->dir[d] = spec->rw.does[d];
		w->rated |= spec->rate[d] || spec->rate_iops[d];
		w->max_latency_ns[d] = spec->max_latency[d];
		w->limits_latency |= spec->max_latency[d] > 0;
	}
	plan->dir[DIR_SYNC] = spec->fsync || spec->fdatasync;
	plan->kind[TALLY_TOTAL] = !spec->disable_lat || w->sync_engine;
	plan->kind[TALLY_SLAT] = !w->sync_engine && !spec->disable_slat;
	plan->kind[TALLY_CLAT] = !w->sync_engine && !spec->disable_clat;
	plan->kind[TALLY_RESPONSE] = w->rated;
	plan->lateness = w->rated;
	if (spec->gtod_reduce ||
	    (spec->disable_lat && spec->disable_clat && spec->disable_slat)) {
		memset(plan->kind, 0, sizeof(plan->kind));
		plan->lateness = false;
		w->rated = false;
	}
	w->timed = plan->kind[TALLY_TOTAL] || plan->kind[TALLY_SLAT] || plan->kind[TALLY_CLAT];
}

static int open_parts(struct worker *w, const struct worker_setup *setup,
		      const struct engine_ops *ops, struct err *err)
{
	const struct job_spec *spec = setup->spec;
	struct engine_setup engine = {.spec = spec,
				      .clock = setup->clock,
				      .targets = setup->targets,
				      .ntargets = setup->ntargets,
				      .reqs = w->reqs,
				      .depth = w->depth,
				      .buffers = w->buffers,
				      .buffer_bytes = w->buffer_bytes,
				      .arena = setup->arena};
	struct flow_setup flow = {.spec = spec,
				  .clock = setup->clock,
				  .targets = setup->targets,
				  .ntargets = setup->ntargets,
				  .clone = setup->clone,
				  .seed = setup->seed,
				  .shared = setup->flow_shared,
				  .arena = setup->arena};
	int rc;

	rc = flow_open(&flow, &w->flow, err);
	if (!rc && (spec->rw.does[OP_WRITE] || spec->rw.does[OP_READ]))
		rc = fill_open(spec, setup->seed, setup->arena, &w->fill);
	if (!rc)
		rc = engine_open(ops, &engine, &w->engine, err);
	return rc;
}

int worker_open(const struct worker_setup *setup, struct worker **ret_worker, struct err *err)
{
	const struct job_spec *spec = setup->spec;
	const struct engine_ops *ops =
		setup->engine ? setup->engine : engine_find(spec->ioengine);
	struct tally_plan plan = {0};
	struct worker *w;
	int rc;

	assert(ops); /* job_check knows the engines */
	w = arena_alloc(setup->arena, sizeof(*w), CACHE_LINE_BYTES);
	w->spec = spec;
	w->clock = setup->clock;
	w->shared = setup->shared;
	w->targets = setup->targets;
	w->clone = setup->clone;
	w->cpu_index = setup->cpu_index;
	w->limited = setup->limited;
	w->capture = setup->capture;
	w->drain_ticks = clock_span_ticks(setup->clock, setup->drain_ns);
	w->continue_on = spec->continue_on_error;
	w->sync_engine = ops->caps & ENGINE_DEPTH_1;
	w->last_cpu = -1;
	w->depth = w->sync_engine ? 1 : spec->iodepth;
	rc = map_buffers(w, spec, err);
	if (rc)
		return rc;
	lay_out_requests(w, setup->arena);
	settle_batches(w, spec);
	plan_tallies(w, spec, &plan);
	mailbox_init(&w->mailbox, &plan, setup->arena);
	rc = open_parts(w, setup, ops, err);
	if (rc) {
		worker_close(w);
		return rc;
	}
	w->wants_done = flow_wants_done(w->flow);
	if (w->capture && !setup->captures_offsets && w->depth <= CAPTURE_RUN_MAX)
		w->run_length = flow_one_length(w->flow);
	w->wants_run = w->limits_latency || w->run_length;
	w->timed |= w->run_length > 0;
	*ret_worker = w;
	return 0;
}

static uint64_t timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_usec * NS_PER_US;
}

static struct worker_use use_now(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage) < 0)
		return (struct worker_use){.cpu_ns = clock_thread_cpu_ns()};
	return (struct worker_use){.cpu_ns = clock_thread_cpu_ns(),
				   .user_ns = timeval_ns(&usage.ru_utime),
				   .sys_ns = timeval_ns(&usage.ru_stime),
				   .switches = (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw),
				   .major_faults = (uint64_t)usage.ru_majflt,
				   .minor_faults = (uint64_t)usage.ru_minflt};
}

int worker_start(struct worker *w)
{
	struct fill *fill = w->fill;
	int rc = 0;

	w->tid = (int)gettid();
	/* First touch by the worker's own thread, and what a write carries from the start on. */
	for (unsigned i = 0; i < w->depth && fill; i++)
		fill_first(fill, (char *)w->buffers + i * w->buffer_bytes, w->buffer_bytes);
	if (fill && (!fill_is_needed(fill) || !w->spec->rw.does[OP_WRITE]))
		w->fill = NULL;
	if (w->engine->ops->start)
		rc = w->engine->ops->start(w->engine, &w->err);
	if (!w->clock->virtual_ns)
		w->before = use_now(); /* setting up is no cost of the load */
	return rc;
}

/* The kernel may tell user and system apart by ticks alone (4 ms): the sum is made exact. */
static struct worker_use use_since(const struct worker_use *before)
{
	struct worker_use use = use_now();
	uint64_t ticked;

	use.cpu_ns -= before->cpu_ns;
	use.user_ns -= before->user_ns;
	ticked = use.user_ns + use.sys_ns - before->sys_ns;
	use.user_ns = ticked ? muldiv_u64(use.cpu_ns, use.user_ns, ticked) : use.cpu_ns;
	use.sys_ns = use.cpu_ns - use.user_ns;
	use.switches -= before->switches;
	use.major_faults -= before->major_faults;
	use.minor_faults -= before->minor_faults;
	return use;
}

void worker_go(struct worker *w, uint64_t start_ticks)
{
	const struct job_spec *spec = w->spec;
	uint64_t ramp = clock_span_ticks(w->clock, spec->ramp_time);

	w->wants_each = w->rated || (w->capture && !w->run_length);
	w->prepares = w->limited || w->rated || w->sync_engine || w->fill;
	w->start_ticks = w->begin_ticks = w->depth_stamp = w->turned = start_ticks;
	w->ramp_end = ramp ? start_ticks + ramp : UINT64_MAX;
	w->deadline = spec->runtime
			      ? start_ticks + ramp + clock_span_ticks(w->clock, spec->runtime)
			      : UINT64_MAX;
	w->drain_end = UINT64_MAX;
	if (w->capture)
		capture_begin(w->capture, start_ticks);
	w->row = start_ticks > w->shared->grid_ticks
			 ? clock_span_ns(w->clock, start_ticks - w->shared->grid_ticks) /
				   w->shared->interval_ns
			 : 0;
	w->row_end = worker_row_ticks(w, w->row + 1);
	w->tally = mailbox_current(&w->mailbox);
	w->tally->row = w->row;
	w->tally->ramp = ramp > 0;
	w->next_event = min_u64(min_u64(w->row_end, w->ramp_end), w->deadline);
	flow_start(w->flow, start_ticks);
	atomic_store_explicit(&w->mailbox.through_row, w->row, memory_order_release);
	atomic_store_explicit(&w->state, WORKER_ON, memory_order_release);
}

void worker_finish(struct worker *w)
{
	if (!w->clock->virtual_ns) /* what simulating costs is no figure of the run */
		w->used = use_since(&w->before);
	w->end_ticks = clock_ticks(w->clock); /* after it: the span holds all that is counted */
	if (w->flow) {
		w->arrivals_behind = flow_backlog(w->flow, min_u64(w->end_ticks, w->deadline));
		flow_stop(w->flow);
	}
	if (!w->clock->virtual_ns)
		w->last_cpu = sched_getcpu();
}

void worker_close(struct worker *w)
{
	if (w->engine && w->engine->ops->close)
		w->engine->ops->close(w->engine);
	w->engine = NULL;
	if (w->buffers)
		(void)munmap(w->buffers, w->buffers_bytes); /* our own mapping */
	w->buffers = NULL;
}
