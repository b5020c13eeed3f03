/* What a path leads to, and the checks around it that need the system. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/str.h"
#include "device/device_priv.h"
#include "device/filesystem_priv.h"
#include "device/guard_priv.h"
#include "device/sysfs_priv.h"

#define OURS_ATTRIBUTE "user.assay"

/* Linux 5.15; Debian 12's headers have it, older ones do not. */
#ifndef BLKGETDISKSEQ
#define BLKGETDISKSEQ _IOR(0x12, 128, uint64_t)
#endif

/* The memory devices of major 1 that swallow writes (Documentation/admin-guide/devices.txt). */
static bool char_is_harmless(dev_t number)
{
	return major(number) == 1 &&
	       (minor(number) == 3 || minor(number) == 5 || minor(number) == 7);
}

int guard_gather_device(struct guard_facts *ret_facts, const struct device *device,
			bool with_contents, const struct device_roots *roots, struct err *err)
{
	int rc;

	*ret_facts = (struct guard_facts){.target = GUARD_BLOCK, .device = *device};
	TEXT_SET(ret_facts->path, "%s", device->path);
	rc = uses_gather(ret_facts, device, roots, err);
	if (rc == 0 && with_contents)
		contents_gather(ret_facts, device, roots);
	return rc;
}

static int gather_block(struct guard_facts *facts, const char *path,
			const struct device_roots *roots, struct err *err)
{
	struct device device;
	int rc = device_from_path(&device, path, roots, err);

	if (rc == 0)
		rc = guard_gather_device(facts, &device, true, roots, err);
	if (rc == 0 && !device_is_serial(path))
		TEXT_SET(facts->path, "%s", path);
	return rc;
}

static int gather_file(struct guard_facts *facts, const struct stat *st,
		       const struct device_roots *roots, struct err *err)
{
	char value[8];
	int rc = filesystem_of_path(&facts->fs, facts->path, roots, err);

	facts->target = GUARD_FILE;
	facts->file_bytes = (uint64_t)st->st_size;
	facts->file_dev = st->st_dev;
	facts->file_ino = st->st_ino;
	facts->ours = getxattr(facts->path, OURS_ATTRIBUTE, value, sizeof(value)) == 1 &&
		      value[0] == '1';
	if (rc == 0 && !filesystem_is_kernel(&facts->fs))
		rc = uses_gather_file(facts, roots, err);
	return rc;
}

static int gather_new_file(struct guard_facts *facts, const struct device_roots *roots,
			   struct err *err)
{
	facts->target = GUARD_NEW_FILE;
	return filesystem_of_path(&facts->fs, facts->path, roots, err);
}

int guard_gather(struct guard_facts *ret_facts, const char *path,
		 const struct device_roots *roots, struct err *err)
{
	struct stat st;

	*ret_facts = (struct guard_facts){.target = GUARD_SIM};
	if (strlen(path) >= sizeof(ret_facts->path))
		return err_set(err, ERR_INPUT, -ENAMETOOLONG, "%.80s…: the path is too long",
			       path);
	TEXT_SET(ret_facts->path, "%s", path);
	if (str_starts(path, "sim:"))
		return 0;
	if (device_is_serial(path))
		return gather_block(ret_facts, path, roots, err);
	if (stat(path, &st) < 0) {
		if (errno == ENOENT)
			return gather_new_file(ret_facts, roots, err);
		return err_env(err, -errno, "%s: %s", path, err_name(errno));
	}
	if (S_ISBLK(st.st_mode))
		return gather_block(ret_facts, path, roots, err);
	if (S_ISREG(st.st_mode))
		return gather_file(ret_facts, &st, roots, err);
	if (S_ISCHR(st.st_mode)) {
		ret_facts->target = GUARD_CHAR;
		ret_facts->harmless = char_is_harmless(st.st_rdev);
		ret_facts->char_major = major(st.st_rdev);
		ret_facts->char_minor = minor(st.st_rdev);
		return 0;
	}
	return err_input(err, "%s is %s: a target is a file or a device", path,
			 S_ISDIR(st.st_mode) ? N_("a directory") : N_("a pipe or a socket"));
}

int guard_check(const char *path, const struct guard_rules *rules,
		const struct device_roots *roots, struct guard_facts *ret_facts,
		struct guard_verdict *ret_verdict, struct err *err)
{
	struct guard_verdict verdict;
	struct guard_facts facts;
	int rc = guard_gather(&facts, path, roots, err);

	if (rc < 0)
		return rc;
	guard_decide(&facts, rules, &verdict);
	if (ret_facts)
		*ret_facts = facts;
	if (ret_verdict)
		*ret_verdict = verdict;
	if (verdict.decision != GUARD_ALLOW)
		return err_refused(err, "%s", verdict.message);
	return 0;
}

static int changed(const struct guard_facts *facts, const char *what, struct err *err)
{
	return err_refused(err,
			   "%.200s is not what was looked at a moment ago: its %s differs; "
			   "nothing was written",
			   facts->path, what);
}

static int recheck_block(int fd, const struct stat *st, const struct guard_facts *facts,
			 const struct device_roots *roots, struct err *err)
{
	const struct device *device = &facts->device;
	struct device now;
	uint64_t bytes, seq;
	int rc;

	if (!S_ISBLK(st->st_mode) ||
	    !device_has_number(device, major(st->st_rdev), minor(st->st_rdev)))
		return changed(facts, N_("device number"), err);
	if (ioctl(fd, BLKGETSIZE64, &bytes) < 0)
		return err_env(err, -errno, "%.200s: %s", facts->path, err_name(errno));
	if (bytes != device->size_bytes)
		return changed(facts, "size", err);
	if (device->diskseq && ioctl(fd, BLKGETDISKSEQ, &seq) == 0 && seq != device->diskseq)
		return changed(facts, N_("attachment (it was unplugged and came back)"), err);
	rc = device_load(&now, device->name, roots);
	if (rc < 0)
		return err_env(err, rc, "%.200s has gone from sysfs", facts->path);
	if (!str_equal(now.serial, device->serial) || !str_equal(now.wwid, device->wwid))
		return changed(facts, "serial", err);
	return 0;
}

int guard_recheck_fd(int fd, const struct guard_facts *facts, const struct device_roots *roots,
		     struct err *err)
{
	struct stat st;

	if (facts->target == GUARD_SIM)
		return 0;
	if (fstat(fd, &st) < 0)
		return err_env(err, -errno, "%.200s: %s", facts->path, err_name(errno));
	switch (facts->target) {
	case GUARD_BLOCK:
		return recheck_block(fd, &st, facts, roots, err);
	case GUARD_FILE:
		if (!S_ISREG(st.st_mode) || st.st_dev != facts->file_dev ||
		    st.st_ino != facts->file_ino)
			return changed(facts, "inode", err);
		return 0;
	case GUARD_NEW_FILE:
		if (!S_ISREG(st.st_mode) || (st.st_size && !guard_is_ours(fd)))
			return changed(facts, N_("existence (somebody made it)"), err);
		return 0;
	case GUARD_CHAR:
		if (!S_ISCHR(st.st_mode) || major(st.st_rdev) != facts->char_major ||
		    minor(st.st_rdev) != facts->char_minor)
			return changed(facts, N_("device number"), err);
		return 0;
	case GUARD_SIM:
		break;
	}
	return 0;
}

int guard_mark_ours(int fd)
{
	return fsetxattr(fd, OURS_ATTRIBUTE, "1", 1, 0) < 0 ? -errno : 0;
}

bool guard_is_ours(int fd)
{
	char value[8];

	return fgetxattr(fd, OURS_ATTRIBUTE, value, sizeof(value)) == 1 && value[0] == '1';
}

void guard_tokens_parse(struct arena *arena, const char *text, const char *const **ret_tokens,
			unsigned *ret_ntokens)
{
	const char **tokens;
	unsigned count = 0, room = 1;

	for (const char *c = text; *c; c++)
		room += *c == ',';
	tokens = arena_array(arena, const char *, room);
	while (*text) {
		size_t length = strcspn(text, ",");

		if (length)
			tokens[count++] = arena_strndup(arena, text, length);
		text += length;
		text += *text == ',';
	}
	*ret_tokens = tokens;
	*ret_ntokens = count;
}
