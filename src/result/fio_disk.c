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

void disk_use_from(struct disk_use *ret_disk, const char *name,
		   const struct device_counters *before, const struct device_counters *after)
{
	uint64_t span_ns = since(before->at_ns, after->at_ns);
	struct disk_use disk = {.name = name};
	double util = 0;

	disk_direction(&disk, 0, &before->read, &after->read);
	disk_direction(&disk, 1, &before->write, &after->write);
	disk.in_queue_ms = since(before->queue_ms, after->queue_ms);
	if (span_ns)
		util = 100.0 * (double)NS_PER_MS *
		       (double)since(before->active_ms, after->active_ms) / (double)span_ns;
	disk.util_percent = util < 100 ? util : 100; /* the kernel rounds up to its tick */
	*ret_disk = disk;
}

/* One more value of a mean over `before` values. */
static void mean_add(double *mean, double value, unsigned before)
{
	*mean += (value - *mean) / (before + 1);
}

void disk_use_add_member(struct disk_use *disk, const struct disk_use *member)
{
	for (unsigned dir = 0; dir < 2; dir++) {
		mean_add(&disk->aggr_ios[dir], (double)member->ios[dir], disk->below);
		mean_add(&disk->aggr_merges[dir], (double)member->merges[dir], disk->below);
		mean_add(&disk->aggr_sectors[dir], (double)member->sectors[dir], disk->below);
		mean_add(&disk->aggr_ticks_ms[dir], (double)member->ticks_ms[dir], disk->below);
	}
	mean_add(&disk->aggr_in_queue_ms, (double)member->in_queue_ms, disk->below);
	mean_add(&disk->aggr_util_percent, member->util_percent, disk->below);
	disk->below++;
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
	for (unsigned i = 0; i < facts->ndevices; i++) {
		const struct device_facts *device = &facts->devices[i];

		if (device->has_counters)
			disk_use_from(&result->disks[result->ndisks++], device->device.name,
				      &device->before, &device->after);
	}
}
