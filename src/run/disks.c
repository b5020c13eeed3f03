/*
 * The block devices below the targets and their counters. Two views of them: the leaves, where
 * bytes meet hardware (run_facts.devices), and fio's disk_util: the disks that the targets
 * themselves stand on, with what dm and md are made of.
 */
#include <string.h>
#include <time.h>

#include "base/str.h"
#include "device/stack.h"
#include "run/run_priv.h"

#define DISKS_MAX 256 /* beyond that, devices go uncounted */

static struct run_disk *disk_get(struct run *run, const struct device *device)
{
	struct run_disk *disk;

	if (!run->disks)
		run->disks = arena_array(&run->arena, struct run_disk, DISKS_MAX);
	for (unsigned i = 0; i < run->ndisks; i++) {
		if (device_has_number(&run->disks[i].device, device->major, device->minor))
			return &run->disks[i];
	}
	if (run->ndisks == DISKS_MAX)
		return NULL;
	disk = &run->disks[run->ndisks++];
	disk->device = *device;
	return disk;
}

/* A partition's disk is the layer after it: counters of partitions lack what others do. */
static struct run_disk *whole_disk(struct run *run, const struct device_stack *stack,
				   unsigned layer)
{
	const struct device *device = &stack->layer[layer].device;

	if (device->kind == DEVICE_PARTITION && layer + 1 < stack->count &&
	    stack->layer[layer + 1].above == (int)layer)
		device = &stack->layer[layer + 1].device;
	return disk_get(run, device);
}

static void add_top(struct run *run, const struct device_stack *stack, unsigned layer)
{
	struct run_disk *top = whole_disk(run, stack, layer);
	enum device_kind kind = stack->layer[layer].device.kind;

	if (!top || top->is_top)
		return;
	top->is_top = true;
	if (kind != DEVICE_DM && kind != DEVICE_MD)
		return;
	for (unsigned i = 0; i < stack->count; i++) {
		struct run_disk *member;

		if (stack->layer[i].above != (int)layer)
			continue;
		member = whole_disk(run, stack, i);
		if (member && top->nbelow < RUN_DISK_BELOW_MAX)
			top->below[top->nbelow++] = (unsigned)(member - run->disks);
	}
}

int run_disks_add(struct run *run, const struct device_stack *stack)
{
	int first = -1;

	for (unsigned i = 0; i < stack->count; i++) {
		struct run_disk *disk;

		if (stack->layer[i].above < 0)
			add_top(run, stack, i);
		if (!stack->layer[i].leaf)
			continue;
		disk = disk_get(run, &stack->layer[i].device);
		if (!disk)
			continue;
		if (!disk->is_leaf)
			disk->leaf = run->nleaves++;
		disk->is_leaf = true;
		if (first < 0)
			first = (int)disk->leaf;
	}
	return first;
}

void run_disks_settle(struct run *run)
{
	struct run_facts *facts = &run->result->facts;

	facts->ndevices = run->nleaves;
	facts->devices =
		arena_array(&run->result->arena, struct device_facts, run->nleaves + 1);
	for (unsigned i = 0; i < run->ndisks; i++) {
		if (run->disks[i].is_leaf)
			facts->devices[run->disks[i].leaf].device = run->disks[i].device;
	}
}

void run_disks_watch(struct run *run, unsigned window_ms)
{
	struct timespec window = {.tv_nsec = (long)(window_ms * NS_PER_MS)};
	struct run_facts *facts = &run->result->facts;
	struct device_counters *first =
		arena_array(&run->arena, struct device_counters, facts->ndevices + 1);

	if (!facts->ndevices)
		return;
	for (unsigned i = 0; i < facts->ndevices; i++) {
		if (counters_read(&first[i], &facts->devices[i].device, &device_roots_real) < 0)
			first[i].at_ns = 0;
	}
	(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &window, NULL); /* a signal cuts it short */
	for (unsigned i = 0; i < facts->ndevices; i++) {
		struct device_facts *device = &facts->devices[i];
		struct device_counters now;

		if (first[i].at_ns &&
		    counters_read(&now, &device->device, &device_roots_real) == 0)
			counters_difference(&first[i], &now, &device->idle);
	}
}

void run_disks_read(struct run *run, bool after)
{
	for (unsigned i = 0; i < run->ndisks; i++) {
		struct run_disk *disk = &run->disks[i];
		struct device_counters *into = after ? &disk->after : &disk->before;

		if (counters_read(into, &disk->device, &device_roots_real) == 0)
			disk->has_counters = after ? disk->has_counters : true;
		else
			disk->has_counters = false; /* gone: half a difference is none */
	}
}

/* fio prints its tables once; the native face has the leaves. */
static bool wants_disk_use(const struct run *run)
{
	for (unsigned j = 0; j < run->njobs; j++) {
		if (run->set->face == FACE_FIO && run->jobs[j].spec->disk_util)
			return true;
	}
	return false;
}

/* The sums over the devices below one, which disk_use_add divides. */
static void add_members(const struct run *run, const struct run_disk *top,
			struct disk_use *into)
{
	for (unsigned i = 0; i < top->nbelow; i++) {
		const struct run_disk *member = &run->disks[top->below[i]];
		struct disk_use use;

		disk_use_from(&use, member->device.name, &member->before, &member->after);
		disk_use_add_member(into, &use);
	}
}

static void publish_use(struct run *run)
{
	struct result *result = run->result;
	struct disk_use *all =
		arena_array(&result->arena, struct disk_use, 2 * run->ndisks + 1);
	unsigned count = 0;

	for (unsigned i = 0; i < run->ndisks; i++) {
		const struct run_disk *top = &run->disks[i];

		if (!top->is_top || !top->has_counters)
			continue;
		disk_use_from(&all[count], arena_strdup(&result->arena, top->device.name),
			      &top->before, &top->after);
		add_members(run, top, &all[count++]);
	}
	for (unsigned i = 0; i < run->ndisks; i++) {
		const struct run_disk *top = &run->disks[i];

		for (unsigned k = 0; k < top->nbelow; k++) {
			struct run_disk *member = &run->disks[top->below[k]];

			if (member->is_top || !member->has_counters)
				continue;
			member->is_top = true; /* once, however many stand on it */
			disk_use_from(&all[count++],
				      arena_strdup(&result->arena, member->device.name),
				      &member->before, &member->after);
		}
	}
	result->disks = all;
	result->ndisks = count;
}

/* Of a target that is a disk or lies on one, in the view from above: a loop device's own counters
 * tell of others what those of the disk below its file mix with everything else. */
static void add_through(const struct run *run, struct run_facts *facts)
{
	facts->has_through = facts->ntargets > 0;
	for (unsigned i = 0; i < facts->ntargets; i++)
		if (!str_equal(facts->targets[i].kind, "block device"))
			facts->has_through = false;
	for (unsigned i = 0; i < run->ndisks; i++) {
		const struct run_disk *top = &run->disks[i];

		if (!top->is_top)
			continue;
		facts->has_through &= top->has_counters;
		facts->through_bytes[DIR_READ] +=
			top->after.read.bytes - top->before.read.bytes;
		facts->through_bytes[DIR_WRITE] +=
			top->after.write.bytes - top->before.write.bytes;
	}
}

void run_disks_publish(struct run *run)
{
	struct run_facts *facts = &run->result->facts;

	for (unsigned i = 0; i < run->ndisks; i++) {
		const struct run_disk *disk = &run->disks[i];
		struct device_facts *device;

		if (!disk->is_leaf)
			continue;
		device = &facts->devices[disk->leaf];
		device->has_counters = disk->has_counters;
		device->before = disk->before;
		device->after = disk->after;
	}
	add_through(run, facts);
	if (wants_disk_use(run))
		publish_use(run);
}
