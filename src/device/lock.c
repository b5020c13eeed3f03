#include "device/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/lang.h"
#include "base/str.h"
#include "device/sysfs_priv.h"

#define PATIENCE_MS 800
#define NAP_MS	    50

static void command_of(unsigned long pid, const struct device_roots *roots, char ret_comm[64])
{
	char path[64];
	autostr text = {0};

	ret_comm[0] = '\0';
	TEXT_SET(path, "%lu/comm", pid);
	if (proc_read(roots, path, &text) == 0)
		text_set(ret_comm, 64, "%s", str_text(&text));
	text_trim(ret_comm);
}

/* Another process of that name. */
static bool is_other_run(unsigned long pid, const char *comm, const struct device_roots *roots)
{
	char other[64];

	command_of(pid, roots, other);
	return pid != (unsigned long)getpid() && str_equal(other, comm);
}

/* Lines such as "3: FLOCK  ADVISORY  WRITE 4711 00:06:412 0 EOF": major and minor in
 * hexadecimal. Only other processes named `comm` count, unless that is NULL. 0: nobody that we
 * can see. */
static unsigned long holder_of(int fd, const char *comm, const struct device_roots *roots)
{
	autostr locks = {0};
	struct stat st;

	if (fstat(fd, &st) < 0 || proc_read(roots, "locks", &locks) < 0)
		return 0;
	for (const char *line = str_text(&locks); line && *line;) {
		unsigned long pid, inode;
		unsigned dev_major, dev_minor;

		/* NOLINTNEXTLINE(cert-err34-c): the kernel's own text */
		if (sscanf(line, "%*u: FLOCK %*s %*s %lu %x:%x:%lu", &pid, &dev_major,
			   &dev_minor, &inode) == 4 &&
		    inode == st.st_ino && dev_major == major(st.st_dev) &&
		    dev_minor == minor(st.st_dev) && (!comm || is_other_run(pid, comm, roots)))
			return pid;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return 0;
}

static int refused(int fd, const char *path, enum device_hold hold,
		   const struct device_roots *roots, struct err *err)
{

	unsigned long pid = holder_of(fd, NULL, roots);
	char comm[64] = "", name[100] = N_("another program");

	if (pid) {
		command_of(pid, roots, comm);
		TEXT_SET(name, "process %lu%s%s%s", pid, comm[0] ? " (" : "", comm,
			 comm[0] ? ")" : "");
	}
	return err_set(
		err, ERR_REFUSED, -EBUSY,
		hold == HOLD_EXCLUSIVE
			? N_("%s is locked by %s, and is needed alone here; wait until that "
			     "has ended")
			: N_("%s is locked by %s, and is needed shared here; wait until that "
			     "has ended"),
		path, name);
}

static int lock_path(const char *path, enum device_hold hold, const struct device_roots *roots,
		     int *ret_fd, struct err *err)
{
	int operation = (hold == HOLD_EXCLUSIVE ? LOCK_EX : LOCK_SH) | LOCK_NB;
	const struct timespec nap = {.tv_nsec = (long)(NAP_MS * NS_PER_MS)};
	autofd fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return err_env(err, -errno, "%s cannot be opened to lock it: %s", path,
			       err_name(errno));
	for (unsigned waited_ms = 0; flock(fd, operation) < 0; waited_ms += NAP_MS) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_env(err, -errno, "%s cannot be locked: %s", path,
				       err_name(errno));
		if (waited_ms >= PATIENCE_MS)
			return refused(fd, path, hold, roots, err);
		(void)nanosleep(&nap, NULL);
	}
	*ret_fd = file_keep_fd(&fd);
	return 0;
}

int device_lock(const char *path, enum device_hold hold, const struct device_roots *roots,
		struct device_lock *ret_lock, struct err *err)
{
	struct device_lock lock = DEVICE_LOCK_NONE;
	struct device device;
	char disk[80];
	int rc;

	*ret_lock = lock;
	if (device_from_path(&device, path, roots, NULL) < 0)
		return 0;
	if (device.kind == DEVICE_PARTITION) {
		TEXT_SET(disk, "%s/%s", roots->dev, device.parent);
		rc = lock_path(disk, HOLD_SHARED, roots, &lock.disk_fd, err);
		if (rc < 0)
			return rc;
	}
	rc = lock_path(device.path, hold, roots, &lock.fd, err);
	if (rc < 0) {
		device_unlock(&lock);
		return rc;
	}
	*ret_lock = lock;
	return 0;
}

void device_unlock(struct device_lock *lock)
{
	file_close_fd(&lock->fd);
	file_close_fd(&lock->disk_fd);
}

unsigned long device_lock_other_run(const struct device_lock *lock,
				    const struct device_roots *roots)
{
	int fd = lock->disk_fd >= 0 ? lock->disk_fd : lock->fd;
	char own[64];

	if (fd < 0)
		return 0;
	command_of((unsigned long)getpid(), roots, own);
	return holder_of(fd, own, roots);
}
