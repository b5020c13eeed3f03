/*
 * What is on a device: signatures by libblkid's low-level probing (all of them, not just the
 * first), on the device and on each of its partitions; then blocks, read past the page cache.
 */
#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/rng.h"
#include "base/str.h"
#include "device/device_priv.h"
#include "device/guard_priv.h"
#include "device/sysfs_priv.h"

#define SAMPLES	     256
#define SAMPLE_BYTES 4096
#define EDGE_BYTES   MiB
#define SAMPLE_SEED  1 /* where in its stratum a block is read; the same places each time */

static enum guard_signature_kind usage_kind(const char *usage)
{
	if (str_equal(usage, "raid"))
		return SIGNATURE_RAID;
	if (str_equal(usage, "crypto"))
		return SIGNATURE_CRYPTO;
	return SIGNATURE_FILESYSTEM; /* "filesystem", and "other": swap */
}

static const char *probe_value(blkid_probe probe, const char *name)
{
	const char *value = NULL;

	return blkid_probe_lookup_value(probe, name, &value, NULL) == 0 && value ? value : "";
}

static void signature_add(struct guard_facts *facts, blkid_probe probe, const char *name)
{
	struct guard_signature signature = {.kind = SIGNATURE_PARTITIONS};
	const char *type = probe_value(probe, "PTTYPE"), *offset = "PTMAGIC_OFFSET";

	if (!type[0]) {
		type = probe_value(probe, "TYPE");
		offset = "SBMAGIC_OFFSET";
		signature.kind = usage_kind(probe_value(probe, "USAGE"));
	}
	if (!type[0])
		return;
	TEXT_SET(signature.type, "%s", type);
	TEXT_SET(signature.label, "%s", probe_value(probe, "LABEL"));
	TEXT_SET(signature.device, "%s", name);
	(void)text_u64(probe_value(probe, offset), &signature.at_bytes);
	for (unsigned i = 0; i < facts->nsignatures && i < GUARD_SIGNATURES_MAX; i++) {
		if (str_equal(facts->signature[i].type, signature.type) &&
		    str_equal(facts->signature[i].device, name))
			return; /* its second copy */
	}
	if (facts->nsignatures < GUARD_SIGNATURES_MAX)
		facts->signature[facts->nsignatures] = signature;
	facts->nsignatures++;
}

int signatures_gather(struct guard_facts *facts, int fd, const char *name)
{
	blkid_probe probe = blkid_new_probe();
	int rc;

	if (!probe)
		return -ENOMEM;
	errno = 0;
	if (blkid_probe_set_device(probe, fd, 0, 0) < 0) {
		rc = errno ? -errno : -EIO;
		blkid_free_probe(probe);
		return rc;
	}
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(
		probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE | BLKID_SUBLKS_LABEL |
			       BLKID_SUBLKS_MAGIC | BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(probe, 1);
	blkid_probe_set_partitions_flags(probe, BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT);
	while ((rc = blkid_do_probe(probe)) == 0)
		signature_add(facts, probe, name);
	blkid_free_probe(probe);
	return rc < 0 ? -EIO : 0;
}

static bool is_zero(const uint8_t *bytes, size_t count)
{
	return count == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, count - 1) == 0);
}

struct sampler {
	struct guard_facts *facts;
	int fd;
	uint32_t unit_bytes; /* 4 KiB, or the device's larger block */
	uint8_t *buffer;     /* of a MiB */
};

/* Reads [offset, offset + bytes) and books its blocks. 1: data was found; 0; or -errno. */
static int sample(struct sampler *sampler, uint64_t offset, uint64_t bytes)
{
	struct guard_facts *facts = sampler->facts;
	uint64_t done = 0;

	while (done < bytes) {
		ssize_t n = pread(sampler->fd, sampler->buffer + done, bytes - done,
				  (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EIO; /* the device is shorter than it says */
		done += (uint64_t)n;
	}
	for (uint64_t at = 0; at < bytes; at += sampler->unit_bytes) {
		facts->sampled_blocks++;
		if (is_zero(sampler->buffer + at, min_u64(sampler->unit_bytes, bytes - at)))
			continue;
		if (facts->data_blocks++ == 0)
			facts->first_data_bytes = offset + at;
	}
	return facts->data_blocks > 0;
}

static int sample_range(struct sampler *sampler, uint64_t from, uint64_t to)
{
	int rc = 0;

	for (uint64_t at = from; at < to && rc == 0; at += EDGE_BYTES)
		rc = sample(sampler, at, min_u64(EDGE_BYTES, to - at));
	return rc;
}

/* A block in each of 256 equal parts of what lies between the edges. */
static int sample_between(struct sampler *sampler, uint64_t from, uint64_t to)
{
	uint64_t unit = sampler->unit_bytes, span = (to - from) / SAMPLES;
	struct rng rng;
	int rc = 0;

	rng_seed(&rng, SAMPLE_SEED, 0);
	for (uint64_t i = 0; i < SAMPLES && rc == 0; i++) {
		uint64_t at = from + i * span + rng_below(&rng, span / unit) * unit;

		rc = sample(sampler, at / unit * unit, unit);
	}
	return rc;
}

int samples_gather(struct guard_facts *facts, int fd, uint64_t size_bytes, uint32_t block_bytes)
{
	struct sampler sampler = {
		.facts = facts,
		.fd = fd,
		.unit_bytes = block_bytes > SAMPLE_BYTES ? block_bytes : SAMPLE_BYTES,
		.buffer = aligned_alloc(SAMPLE_BYTES, EDGE_BYTES),
	};
	uint64_t last;
	int rc;

	if (!sampler.buffer)
		return -ENOMEM;
	if (size_bytes <= 2 * EDGE_BYTES + SAMPLES * (uint64_t)sampler.unit_bytes) {
		rc = sample_range(&sampler, 0, size_bytes);
	} else {
		last = (size_bytes - EDGE_BYTES) / sampler.unit_bytes * sampler.unit_bytes;
		rc = sample_range(&sampler, 0, EDGE_BYTES);
		if (rc == 0)
			rc = sample_range(&sampler, last, size_bytes);
		if (rc == 0)
			rc = sample_between(&sampler, EDGE_BYTES, last);
	}
	free(sampler.buffer);
	return rc < 0 ? rc : 0;
}

/* O_DIRECT where the device allows it; else the page cache is asked to forget first. */
static int open_direct(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECT);

	if (fd >= 0 || errno != EINVAL)
		return fd < 0 ? -errno : fd;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return fd;
}

static int probe_device(struct guard_facts *facts, const struct device *device)
{
	autofd fd = open(device->path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return signatures_gather(facts, fd, device->name);
}

static void probe_partitions(struct guard_facts *facts, const struct device *device,
			     const struct device_roots *roots)
{
	autodir dir = sysfs_open(roots, device->sysfs, "");
	const char *name;

	while (dir && (name = sysfs_next(dir))) {
		char folder[400];
		struct device partition;

		TEXT_SET(folder, "%s/%s", device->sysfs, name);
		if (sysfs_exists(roots, folder, "partition") &&
		    device_load(&partition, name, roots) == 0)
			(void)probe_device(facts,
					   &partition); /* what its disk shows is enough */
	}
}

/* Nothing that we know of uses the device; does somebody hold it? The open is closed at once,
 * and being read-only it makes no event for udev. */
static void probe_exclusive(struct guard_facts *facts, const struct device *device)
{
	autofd fd = open(device->path, O_RDONLY | O_CLOEXEC | O_EXCL);

	if (fd >= 0 || errno != EBUSY)
		return;
	for (unsigned i = 0; i < facts->nsignatures && i < GUARD_SIGNATURES_MAX; i++) {
		const struct guard_signature *signature = &facts->signature[i];

		if (!str_equal(signature->type, "zfs_member"))
			continue;
		use_add(facts, USE_ZFS, signature->device, "%s", signature->label);
		return;
	}
	use_add(facts, USE_EXCLUSIVE, device->name, "another program or the kernel");
}

void contents_gather(struct guard_facts *facts, const struct device *device,
		     const struct device_roots *roots)
{
	autofd fd = open_direct(device->path);
	int rc;

	if (fd < 0) {
		facts->unreadable = fd;
		return;
	}
	rc = probe_device(facts, device);
	if (device->kind != DEVICE_PARTITION)
		probe_partitions(facts, device, roots);
	if (facts->nuses == 0)
		probe_exclusive(facts, device);
	if (rc == 0 && facts->nuses == 0 && facts->nsignatures == 0) /* else it is settled */
		rc = samples_gather(facts, fd, device->size_bytes, device->logical_block_bytes);
	facts->unreadable = rc;
}
