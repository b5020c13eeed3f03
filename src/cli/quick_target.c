/* What `assay quick` measures: a file of our own in a folder, a file that exists, or a
 * device. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lang.h"
#include "cli/quick_priv.h"
#include "device/device.h"
#include "device/filesystem.h"
#include "device/guard.h"
#include "sim/drive.h"

#define OWN_PREFIX "assay-quick-"
#define OWN_SUFFIX ".dat"
#define ROOM_SHARE 10 /* at most a tenth of the free space */

static int settle_own(struct quick_target *target, const struct quick_options *options,
		      const char *folder, struct err *err)
{
	struct filesystem fs;
	uint64_t room;
	int rc;

	if (options->no_write)
		return err_input(
			err,
			"quick: --no-write needs something to read: name a file or a device");
	rc = filesystem_of_path(&fs, folder, &device_roots_real, err);
	if (rc)
		return rc;
	if (filesystem_is_kernel(&fs))
		return err_input(err, "quick: \"%s\" is on %s, no place for a file", folder,
				 fs.type);
	if (fs.read_only)
		return err_env(err, -EROFS,
			       "quick: \"%s\" is mounted read-only: name another folder",
			       folder);
	if (access(folder, W_OK | X_OK) < 0)
		return err_env(
			err, -errno,
			"quick: no file can be made in \"%s\": %s; name a folder, a file or "
			"a device (assay targets lists them), or cd to a folder of yours",
			folder, err_name(errno));
	room = fs.free_bytes / ROOM_SHARE;
	target->kind = QUICK_OWN_FILE;
	target->writes = true;
	target->size_bytes = options->size_bytes;
	if (options->size_given && options->size_bytes > fs.free_bytes)
		return err_env(err, -ENOSPC,
			       "quick: --size is more than the %llu MiB free on %s",
			       (unsigned long long)(fs.free_bytes / MiB), fs.mount_point);
	if (!options->size_given && target->size_bytes > room)
		target->size_bytes = room - room % MiB;
	if (target->size_bytes < 16 * MiB)
		return err_env(
			err, -ENOSPC,
			"quick: only %llu MiB are free on %s; a tenth of it is too small a file: "
			"name another folder, or give --size=16m",
			(unsigned long long)(fs.free_bytes / MiB), fs.mount_point);
	if (target->size_bytes > options->max_write_bytes)
		return err_input(err,
				 "quick: the test file of %llu MiB is more than --max-write "
				 "allows: give a smaller --size, or raise --max-write",
				 (unsigned long long)(target->size_bytes / MiB));
	(void)snprintf(target->path, sizeof(target->path), "%s%s" OWN_PREFIX "%d" OWN_SUFFIX,
		       folder, str_ends(folder, "/") ? "" : "/", (int)getpid());
	return 0;
}

static int settle_device(struct quick_target *target, const struct quick_options *options,
			 struct err *err)
{
	struct device device;
	int rc = device_from_path(&device, options->target, &device_roots_real, err);

	if (rc)
		return rc;
	target->kind = QUICK_DEVICE;
	target->writes = options->write;
	target->size_bytes = device.size_bytes - device.size_bytes % MiB;
	if (options->size_given && options->size_bytes < target->size_bytes)
		target->size_bytes = options->size_bytes;
	if (target->size_bytes < 16 * MiB)
		return err_input(err, "quick: \"%s\" is too small to measure (16 MiB at least)",
				 options->target);
	(void)snprintf(target->path, sizeof(target->path), "%s", device.path);
	return 0;
}

static int settle_file(struct quick_target *target, const struct quick_options *options,
		       const struct stat *st, struct err *err)
{
	target->kind = QUICK_FILE;
	target->writes = options->write;
	target->size_bytes = (uint64_t)st->st_size - (uint64_t)st->st_size % MiB;
	if (options->size_given && options->size_bytes < target->size_bytes)
		target->size_bytes = options->size_bytes;
	if (target->size_bytes < 16 * MiB)
		return err_input(err, "quick: \"%s\" is too small to measure (16 MiB at least)",
				 options->target);
	(void)snprintf(target->path, sizeof(target->path), "%s", options->target);
	return 0;
}

static int settle_simulated(struct quick_target *target, const struct quick_options *options,
			    struct err *err)
{
	struct drive *drive = NULL;
	int rc = drive_open(options->target + strlen("sim:"), &drive, err);

	if (rc)
		return rc;
	target->kind = QUICK_SIMULATED;
	target->writes = !options->no_write;
	target->size_bytes = drive_size_bytes(drive) - drive_size_bytes(drive) % MiB;
	if (options->size_given && options->size_bytes < target->size_bytes)
		target->size_bytes = options->size_bytes;
	drive_close(drive);
	(void)snprintf(target->path, sizeof(target->path), "%s", options->target);
	return 0;
}

/* Direct I/O, where the target takes it: asked by opening, for only the file system knows. */
static bool takes_direct(const struct quick_target *target)
{
	char folder[4096];
	const char *path = target->path;
	int flags = O_RDONLY | O_DIRECT | O_CLOEXEC;
	autofd fd = -1;

	if (target->kind == QUICK_OWN_FILE) {
		(void)snprintf(folder, sizeof(folder), "%s", target->path);
		*strrchr(folder, '/') = '\0';
		path = *folder ? folder : "/";
		flags = O_RDWR | O_DIRECT | O_TMPFILE | O_CLOEXEC;
	}
	fd = open(path, flags, 0600);
	return fd >= 0 ||
	       errno != EINVAL; /* another refusal comes again, with words, at the run */
}

int quick_target_settle(struct quick_target *target, const struct quick_options *options,
			struct err *err)
{
	const char *given = options->target ? options->target : ".";
	bool by_serial = device_is_serial(given);
	struct stat st = {0};
	int rc;

	*target = (struct quick_target){0};
	if (str_starts(given, "sim:")) {
		target->direct = true;
		return settle_simulated(target, options, err);
	}
	if (!by_serial && stat(given, &st) < 0) {
		rc = errno == ENOENT
			     ? err_env(err, -errno,
				       "quick: \"%s\": %s; name a folder, a file or a device",
				       given, err_name(errno))
			     : err_env(err, -errno, "quick: \"%s\": %s", given,
				       err_name(errno));
	} else if (S_ISDIR(st.st_mode)) {
		rc = settle_own(target, options, given, err);
	} else if (by_serial || S_ISBLK(st.st_mode)) {
		rc = settle_device(target, options, err);
	} else if (S_ISREG(st.st_mode)) {
		rc = settle_file(target, options, &st, err);
	} else {
		rc = err_input(err,
			       "quick: \"%s\" is neither a folder, a file nor a block device",
			       given);
	}
	if (!rc)
		target->direct = takes_direct(target);
	return rc;
}

/* --- files that a killed run left --- */

static bool is_left_over(int folder, const char *name)
{
	autofd fd = -1;
	int pid, used = 0;

	if (!str_starts(name, OWN_PREFIX) || !str_ends(name, OWN_SUFFIX))
		return false;
	if (sscanf(name, OWN_PREFIX "%d%n", &pid, &used) != 1 || /* NOLINT(cert-err34-c) */
	    !str_equal(name + used, OWN_SUFFIX))
		return false;
	if (pid <= 0 || kill(pid, 0) == 0 || errno == EPERM)
		return false; /* its maker may still be at work */
	fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	return fd >= 0 && guard_is_ours(fd);
}

static bool user_says_yes(const char *path)
{
	char answer[16];

	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return false;
	(void)fprintf(
		stderr,
		lang_here("assay: \"%s\" was left by a run that was killed. Remove it? [y/N] "),
		path);
	return fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

void quick_left_over(const struct quick_target *target, const struct quick_options *options)
{
	char folder[4096];
	struct dirent *entry;
	DIR *dir;

	if (target->kind != QUICK_OWN_FILE)
		return;
	(void)snprintf(folder, sizeof(folder), "%s", target->path);
	*strrchr(folder, '/') = '\0';
	dir = opendir(*folder ? folder : "/");
	while (dir && (entry = readdir(dir))) {
		autostr path = {0};

		if (!is_left_over(dirfd(dir), entry->d_name))
			continue;
		str_printf(&path, "%s/%s", folder, entry->d_name);
		if (options->clean)
			(void)fprintf(stderr, lang_here("assay: removes \"%s\"\n"), path.text);
		if (options->clean || user_says_yes(path.text))
			(void)unlinkat(dirfd(dir), entry->d_name,
				       0); /* gone already is as good */
		else
			(void)fprintf(
				stderr,
				lang_here("assay: \"%s\" was left by a run that was killed; "
					  "`assay quick --clean` removes it\n"),
				path.text);
	}
	if (dir)
		(void)closedir(dir);
}
