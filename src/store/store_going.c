/*
 * Which runs go on at this moment: each holds a lock on the byte of its number, in an empty file
 * beside the store. The kernel drops the lock with the process, whatever ended it, so that a run
 * that was cut off is told from one that goes on. The store's own file is not locked for this:
 * closing a second descriptor of it would drop SQLite's locks.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/lang.h"
#include "store/store_place.h"
#include "store/store_plan.h"
#include "store/store_priv.h"

static int open_beside(struct store *store, bool make)
{
	autostr path = {0};

	str_printf(&path, "%s-running", store->path);
	if (make && store_place_make(str_text(&path), NULL))
		return -1;
	return open(str_text(&path), (make ? O_RDWR : O_RDONLY) | O_CLOEXEC);
}

static struct flock byte_of(int64_t run, short type)
{
	return (struct flock){
		.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)run, .l_len = 1};
}

void store_going_begin(struct store *store, int64_t run)
{
	struct flock lock = byte_of(run, F_WRLCK);

	if (store->going_fd < 0)
		store->going_fd = open_beside(store, true);
	if (store->going_fd >= 0) /* where it cannot be had, a run that goes on looks cut off */
		(void)fcntl(store->going_fd, F_OFD_SETLK, &lock);
}

bool store_goes_on(struct store *store, int64_t run)
{
	struct flock lock = byte_of(run, F_RDLCK);
	int fd = open_beside(store, false);
	bool goes_on = fd >= 0 && !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type == F_WRLCK;

	if (fd >= 0)
		(void)close(fd);
	return goes_on;
}

void store_going_end(struct store *store)
{
	if (store->going_fd >= 0)
		(void)close(store->going_fd);
	store->going_fd = -1;
}

/* --- plans: each holds a file of its own, which its processes share --- */

void store_plan_lock_path(const struct store *store, const char *uid, struct str *out)
{
	const char *slash = strrchr(store->path, '/');

	str_add_bytes(out, store->path, slash ? (size_t)(slash - store->path + 1) : 0);
	str_printf(out, "plan-%s.lock", uid);
}

/* Taking the lock for a moment is the only way to ask; whoever is to hold it tries again. */
bool store_plan_goes_on(const struct store *store, const char *uid)
{
	autostr path = {0};
	bool goes_on;
	int fd;

	store_plan_lock_path(store, uid, &path);
	fd = open(str_text(&path), O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	goes_on = flock(fd, LOCK_SH | LOCK_NB) != 0;
	(void)close(fd);
	return goes_on;
}

const char *store_plan_state(const struct store *store, const char *uid, const char *kept)
{
	if (str_equal(kept, "done") || str_equal(kept, "unfinished"))
		return kept;
	if (store_plan_goes_on(store, uid))
		return N_("running");
	return str_equal(kept, "running") ? N_("cut off") : kept;
}
