/* fio's disk_util: the counters of the devices below the targets, over the run. */
#include "base/bits.h"
#include "result/result.h"

#define SECTOR_BYTES 512

/* A counter that went backwards was reset: nothing is known of it. */
static uint64_t since(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

static void disk_direction(struct disk_use *disk, unsigned dir,
			   const struct counters_direction *before,
			   const struct counters_direction *after)
{
	disk->ios[dir] = since(before->ios, after->ios);
	disk->merges[dir] = since(before->merges, after->merges);
	disk->sectors[dir] = since(before->bytes, after->bytes) / SECTOR_BYTES;
	disk->ticks_ms[dir] = since(before->busy_ms, after->busy_ms);
}

static struct disk_use disk_of(const struct device_facts *facts)
{
	const struct device_counters *before = &facts->before, *after = &facts->after;
	uint64_t span_ns = since(before->at_ns, after->at_ns);
	struct disk_use disk = {.name = facts->device.name};

	disk_direction(&disk, 0, &before->read, &after->read);
	disk_direction(&disk, 1, &before->write, &after->write);
	disk.in_queue_ms = since(before->queue_ms, after->queue_ms);
	if (span_ns)
		disk.util_percent = 100.0 * (double)NS_PER_MS *
				    (double)since(before->active_ms, after->active_ms) /
				    (double)span_ns;
	return disk;
}

static bool wants_disks(const struct result *result)
{
	for (unsigned i = 0; i < result->njobs; i++)
		if (result->jobs[i].spec->disk_util)
			return true;
	return false;
}

void result_fio_disks(struct result *result)
{
	const struct run_facts *facts = &result->facts;

	if (result->ndisks || !wants_disks(result))
		return;
	result->disks = arena_array(&result->arena, struct disk_use, facts->ndevices + 1);
	for (unsigned i = 0; i < facts->ndevices; i++)
		if (facts->devices[i].has_counters)
			result->disks[result->ndisks++] = disk_of(&facts->devices[i]);
}
