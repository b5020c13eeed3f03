/* Did the requests reach a device, and what did it have to do for them? */
#include <string.h>

#include "base/bits.h"
#include "base/lang.h"
#include "result/plausible_priv.h"

#define REACHED_SHARE	  0.90 /* of the bytes asked, at the device */
#define EXCESS_SHARE	  1.10
#define WORTH_COMPARING	  MiB /* fewer bytes drown in metadata and read-ahead */
#define ZERO_SHARE_FLOOR  20  /* one sampled block in so many may be zero */
#define DISK_CACHE_BYTES  GiB /* more than a rotating disk has on board */
#define FLASH_CACHE_SHARE 3   /* a TLC drive can write a third of itself in one-bit mode */

static bool all_specs_direct(const struct result *result)
{
	for (unsigned i = 0; i < result->set->njobs; i++)
		if (!result->set->jobs[i]->direct)
			return false;
	return result->set->njobs > 0;
}

static bool is_cached_kind(const struct target_facts *target)
{
	return !target->is_memory && target->kind &&
	       (str_equal(target->kind, "file") || str_equal(target->kind, "block device"));
}

void check_direct(struct result *result)
{
	bool asked = all_specs_direct(result);

	for (unsigned i = 0; i < result->facts.ntargets; i++) {
		const struct target_facts *target = &result->facts.targets[i];

		if (target->direct || !is_cached_kind(target))
			continue;
		if (asked)
			result_note(
				result, "direct-refused", SEVERITY_WARNING, NULL,
				target->fs
					? N_("%s: direct I/O was asked for and refused by %s: "
					     "figures are those of the page cache")
					: N_("%s: direct I/O was asked for and refused%s: "
					     "figures are those of the page cache"),
				target->path, target->fs ? target->fs->type : "");
		else
			result_note(
				result, "buffered", SEVERITY_INFO, NULL,
				"%s: without direct=1 reads may come from memory, and writes "
				"count as done once they are in it",
				target->path);
	}
}

/* Do the devices' counters speak for all that was asked? */
static bool counters_cover_all(const struct run_facts *facts)
{
	bool any = false;

	for (unsigned i = 0; i < facts->ntargets; i++) {
		if (facts->targets[i].is_memory)
			return false;
		if (facts->targets[i].device < 0)
			return false;
		any = true;
	}
	for (unsigned i = 0; i < facts->ndevices; i++)
		if (!facts->devices[i].has_counters)
			return false;
	return any && facts->ndevices;
}

static uint64_t bytes_at_devices(const struct run_facts *facts, enum dir dir)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < facts->ndevices; i++) {
		const struct device_counters *before = &facts->devices[i].before;
		const struct device_counters *after = &facts->devices[i].after;

		if (dir == DIR_READ)
			sum += after->read.bytes - before->read.bytes;
		else
			sum += after->write.bytes - before->write.bytes;
	}
	return sum;
}

static bool through_loop(const struct run_facts *facts)
{
	for (unsigned i = 0; i < facts->ntargets; i++)
		if (facts->targets[i].via && strstr(facts->targets[i].via, "backing file"))
			return true;
	return false;
}

static const char *why_less(const struct run_facts *facts, enum dir dir)
{
	for (unsigned i = 0; i < facts->ntargets; i++)
		if (!facts->targets[i].direct)
			return dir == DIR_READ
				       ? N_("the rest came from the page cache")
				       : N_("the rest was still in the page cache at the end");
	if (dir == DIR_READ)
		return through_loop(facts)
			       ? N_("the rest was answered above it: from the page cache of "
				    "the "
				    "loop device's file (losetup --direct-io=on avoids that), "
				    "or "
				    "as blocks that were never written are")
			       : N_("the rest was answered above it, as blocks that were never "
				    "written are");
	return N_("a layer above it kept, merged or compressed the rest");
}

static void compare_bytes(struct result *result, enum dir dir, bool others_told)
{
	uint64_t asked = result->facts.asked_bytes[dir];
	uint64_t seen = bytes_at_devices(&result->facts, dir);

	if (asked < WORTH_COMPARING)
		return;
	if ((double)seen < REACHED_SHARE * (double)asked)
		result_note(result, "less-at-device", SEVERITY_WARNING, NULL,
			    "%s: %s were asked for, %s (%.0f %%) reached the device: %s",
			    dir_names[dir], say_decimal(result, asked),
			    say_decimal(result, seen), 100.0 * (double)seen / (double)asked,
			    why_less(&result->facts, dir));
	else if (!others_told && (double)seen > EXCESS_SHARE * (double)asked)
		result_note(result, "more-at-device", SEVERITY_WARNING, NULL,
			    "%s: %s were asked for, the device moved %s: others used it, or "
			    "a layer above it adds (read-ahead, journal, mirror, parity)",
			    dir_names[dir], say_decimal(result, asked),
			    say_decimal(result, seen));
}

/* Whoever else reads or writes a target during the run has a part in its figures. */
static bool others_are_told(struct result *result)
{
	bool told = false;
	const struct run_facts *facts = &result->facts;
	uint64_t asked = facts->asked_bytes[DIR_READ] + facts->asked_bytes[DIR_WRITE];

	for (unsigned dir = DIR_READ; dir <= DIR_WRITE && facts->has_through; dir++) {
		uint64_t through = facts->through_bytes[dir];
		uint64_t others = through - min_u64(through, facts->asked_bytes[dir]);

		if (others < WORTH_COMPARING ||
		    (double)others <= (EXCESS_SHARE - 1) * (double)asked)
			continue;
		told = true;
		result_note(result, "more-at-device", SEVERITY_WARNING, NULL,
			    "%s: %s were asked for, and %s went through the target: others "
			    "used it during the run, and share the figures",
			    dir_names[dir], say_decimal(result, facts->asked_bytes[dir]),
			    say_decimal(result, through));
	}
	return told;
}

void check_device_bytes(struct result *result)
{
	bool told = others_are_told(result);

	if (!counters_cover_all(&result->facts))
		return;
	compare_bytes(result, DIR_READ, told);
	compare_bytes(result, DIR_WRITE, told);
}

static double fastest_row(const struct result *result, enum dir dir)
{
	double fastest = 0;

	for (unsigned i = 0; i < result->nrows; i++) {
		const struct row *row = &result->rows[i];
		double rate;

		if (row->partial || row->end_ns <= row->begin_ns)
			continue;
		rate = (double)row->dir[dir].bytes * (double)NS_PER_S /
		       (double)(row->end_ns - row->begin_ns);
		fastest = rate > fastest ? rate : fastest;
	}
	return fastest;
}

/* A link's payload is less than its line rate, so one interval above that proves a cache. */
void check_link_ceiling(struct result *result)
{
	const struct run_facts *facts = &result->facts;
	double ceiling = 0;

	for (unsigned i = 0; i < facts->ntargets; i++)
		if (facts->targets[i].device < 0)
			return;
	for (unsigned i = 0; i < facts->ndevices; i++) {
		if (!facts->devices[i].device.link.bytes_per_s)
			return;
		ceiling += (double)facts->devices[i].device.link.bytes_per_s;
	}
	if (!facts->ndevices)
		return;
	for (enum dir dir = DIR_READ; dir <= DIR_WRITE; dir++) {
		double rate = fastest_row(result, dir);

		if (rate > ceiling)
			result_note(result, "above-link", SEVERITY_WARNING, NULL,
				    "%s: %s is more than the link can carry (%s, %s): part of "
				    "it never crossed the link",
				    dir_names[dir], say_rate(result, rate),
				    facts->devices[0].device.link.text,
				    say_rate(result, ceiling));
	}
}

static bool device_is_memory(const struct device_facts *facts)
{
	return facts->device.kind == DEVICE_ZRAM || facts->device.kind == DEVICE_RAM;
}

void check_memory_target(struct result *result)
{
	const struct run_facts *facts = &result->facts;

	for (unsigned i = 0; i < facts->ntargets; i++) {
		const struct target_facts *target = &facts->targets[i];

		if (target->is_memory ||
		    (target->device >= 0 && device_is_memory(&facts->devices[target->device])))
			result_note(result, "memory-target", SEVERITY_INFO, NULL,
				    "%s lies in memory: no drive was measured",
				    target->path ? target->path
						 : N_("the null engine's target"));
	}
}

void check_swallowed(struct result *result)
{
	for (unsigned i = 0; i < result->facts.ntargets; i++) {
		const struct target_facts *target = &result->facts.targets[i];

		if (target->fs && target->fs->swallows_size && result_has_writes(result))
			result_note(result, "file-system-compresses", SEVERITY_WARNING, NULL,
				    "%s: %s compresses or deduplicates what is written: how "
				    "much reaches the device depends on the data",
				    target->path, target->fs->type);
	}
}

/* The model knows each read that its map answered. */
static void check_unmapped(struct result *result, const struct target_facts *target)
{
	uint64_t unmapped = target->simulated->unmapped_read_bytes;

	if (unmapped && unmapped * ZERO_SHARE_FLOOR >= result->facts.asked_bytes[DIR_READ])
		result_note(result, "unwritten-blocks", SEVERITY_WARNING, NULL,
			    "%s: %s of the reads were of blocks never written, or trimmed: a "
			    "drive answers those from its map; write the whole target first",
			    target->path, say_decimal(result, unmapped));
}

void check_zero_blocks(struct result *result)
{
	if (!result_has_reads(result))
		return;
	for (unsigned i = 0; i < result->facts.ntargets; i++) {
		const struct target_facts *target = &result->facts.targets[i];

		if (target->simulated)
			check_unmapped(result, target);
		if (target->is_memory)
			continue;
		if (target->hole_bytes)
			result_note(result, "holes", SEVERITY_WARNING, NULL,
				    "%s: %s of its %s are holes: reads of them never reach "
				    "the device",
				    target->path, say_decimal(result, target->hole_bytes),
				    say_decimal(result, target->size_bytes));
		else if (target->blocks_zero &&
			 target->blocks_zero * ZERO_SHARE_FLOOR >= target->blocks_sampled)
			result_note(
				result, "zero-blocks", SEVERITY_WARNING, NULL,
				PLURAL(target->blocks_sampled,
				       "%s: %u of %u block looked at is all zero (never "
				       "written, or trimmed): a drive answers such reads from "
				       "its map; write the whole target first",
				       "%s: %u of %u blocks looked at are all zero (never "
				       "written, or trimmed): a drive answers such reads "
				       "from its map; write the whole target first"),
				target->path, target->blocks_zero, target->blocks_sampled);
	}
}

/* What lies between the first target and its drive is named, so that nobody takes the drive for
 * what was measured. */
static const char *written_to(struct result *result)
{
	const struct run_facts *facts = &result->facts;

	if (facts->ndevices == 1 && facts->ntargets && facts->targets[0].via)
		return arena_printf(&result->arena, N_("%s (%s), which lies on %s"),
				    facts->targets[0].path, facts->targets[0].via,
				    facts->devices[0].device.name);
	return facts->ndevices == 1 ? N_("a device") : N_("several devices");
}

void check_drive_cache(struct result *result)
{
	const struct run_facts *facts = &result->facts;
	uint64_t written = facts->asked_bytes[DIR_WRITE], cache = 0, size = 0;

	if (!written || !facts->ndevices)
		return;
	for (unsigned i = 0; i < facts->ndevices; i++) {
		const struct device *device = &facts->devices[i].device;

		if (device_is_memory(&facts->devices[i]) || !device->size_bytes)
			return;
		size += device->size_bytes;
		cache += device->rotational == ANSWER_YES
				 ? DISK_CACHE_BYTES
				 : device->size_bytes / FLASH_CACHE_SHARE;
	}
	if (written < cache)
		result_note(result, "within-cache", SEVERITY_INFO, NULL,
			    "%s written to %s of %s: within any drive's cache, not a sustained "
			    "rate",
			    say_decimal(result, written), written_to(result),
			    say_decimal(result, size));
}
