/*
 * TRIM and zero fill. In pieces, so that whoever waits can end it and see how far it is. Zeros
 * are written by O_DIRECT: BLKZEROOUT may be carried out without a write, and would not be what
 * the word says.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/lang.h"
#include "device/purge_priv.h"
#include "device/sysfs_priv.h"

#define TRIM_PIECE_BYTES GiB
#define ZERO_ALIGN_BYTES 4096

void purge_blocks_look(struct purge_plan *plan)
{
	struct purge_rung *trim = &plan->rung[PURGE_TRIM], *zero = &plan->rung[PURGE_ZERO];
	const struct device *device = &plan->facts.device;
	bool is_file = plan->facts.target == GUARD_FILE;

	TEXT_SET(trim->text, "%s",
		 is_file			    ? N_("the blocks of the file given back")
		 : device->kind == DEVICE_PARTITION ? N_("TRIM of the whole partition")
						    : N_("TRIM of the whole device"));
	trim->possible = trim->applies = true;
	if (!is_file && !device->discard_max_bytes)
		purge_impossible(trim, "the device takes no TRIM");
	TEXT_SET(zero->text, "zeros written over %s",
		 is_file			    ? N_("the whole file")
		 : device->kind == DEVICE_PARTITION ? N_("the whole partition")
						    : N_("the whole device"));
	zero->possible = zero->applies = true;
	if (!is_file && device->read_only == ANSWER_YES) {
		purge_impossible(trim, "it is read-only");
		purge_impossible(zero, "it is read-only");
	}
}

static int trim_piece(int fd, bool is_file, uint64_t offset, uint64_t bytes)
{
	uint64_t range[2] = {offset, bytes};

	if (!is_file)
		return ioctl(fd, BLKDISCARD, range) < 0 ? -errno : 0;
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
			 (off_t)bytes) < 0
		       ? -errno
		       : 0;
}

static int zero_piece(int fd, const void *zeros, uint64_t offset, uint64_t bytes)
{
	while (bytes) {
		ssize_t n = pwrite(fd, zeros, bytes, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		offset += (uint64_t)n;
		bytes -= (uint64_t)n;
	}
	return 0;
}

static int open_target(const struct purge_plan *plan, const struct purge_wish *wish,
		       struct err *err)
{
	bool is_file = plan->facts.target == GUARD_FILE;
	int flags = O_RDWR | O_CLOEXEC | (is_file ? 0 : O_EXCL);
	bool direct = plan->method == PURGE_ZERO;
	const char *path = is_file ? plan->facts.path : plan->facts.device.path;
	int fd = open(path, flags | (direct ? O_DIRECT : 0)), rc;

	if (fd < 0 && errno == EINVAL && direct) /* tmpfs of older kernels */
		fd = open(path, flags);
	if (fd < 0)
		return err_env(err, -errno, "%s cannot be opened to purge it: %s", path,
			       err_name(errno));
	rc = guard_recheck_fd(fd, &plan->facts, wish->roots, err);
	if (rc == 0)
		return fd;
	file_close_fd(&fd);
	return rc;
}

static int fail(const struct purge_plan *plan, int rc, uint64_t done, struct err *err)
{
	const char *word = plan->method == PURGE_TRIM ? "TRIM" : N_("zero fill");

	if (rc == -EINTR)
		return err_env(err, rc, "%s: %s was ended after %llu of %llu MiB",
			       plan->facts.path, word, (unsigned long long)(done / MiB),
			       (unsigned long long)(plan->size_bytes / MiB));
	return err_env(err, rc, "%s: %s failed at %llu MiB: %s", plan->facts.path, word,
		       (unsigned long long)(done / MiB), err_name(rc));
}

int purge_blocks_do(const struct purge_plan *plan, const struct purge_wish *wish,
		    uint64_t *ret_written_bytes, struct err *err)
{
	bool is_trim = plan->method == PURGE_TRIM;
	bool is_file = plan->facts.target == GUARD_FILE;
	uint64_t piece = is_trim ? TRIM_PIECE_BYTES : PURGE_ZERO_PIECE_BYTES, at = 0;
	autofd fd = open_target(plan, wish, err);
	void *zeros = NULL;
	int rc = 0;

	if (fd < 0)
		return fd;
	if (!is_trim && posix_memalign(&zeros, ZERO_ALIGN_BYTES, PURGE_ZERO_PIECE_BYTES))
		return err_env(err, -ENOMEM, "no memory for a buffer of zeros");
	if (zeros)
		memset(zeros, 0, PURGE_ZERO_PIECE_BYTES);
	while (at < plan->size_bytes && rc == 0) {
		uint64_t bytes = min_u64(piece, plan->size_bytes - at);

		if (wish->stop && wish->stop(wish->stop_arg, at, plan->size_bytes))
			rc = -EINTR;
		else if (is_trim)
			rc = trim_piece(fd, is_file, at, bytes);
		else
			rc = zero_piece(fd, zeros, at, bytes);
		at += rc == 0 ? bytes : 0;
	}
	free(zeros);
	if (rc == 0 && fsync(fd) < 0)
		rc = -errno;
	*ret_written_bytes = is_trim ? 0 : at;
	return rc < 0 ? fail(plan, rc, at, err) : 0;
}
