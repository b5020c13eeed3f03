/* The file system of one file, and the loop that serves it. */
#define FUSE_USE_VERSION 312

#include <dirent.h>
#include <fcntl.h>
#include <fuse3/fuse_lowlevel.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/lang.h"
#include "serve/served.h"

#define DISK_INO   2
#define FOREVER_S  1e6 /* names and attributes never change: the kernel may keep them */
#define BACKGROUND 512 /* requests in flight that the kernel lets through; else 12 */
#define RECEIVES   64  /* requests taken in before the next reply */
#define LEAVE_NS   UINT64_C(1000000000) /* how long requests in flight are waited for */

struct mount {
	struct served served;
	struct fuse_session *session;
	FILE *log;
	uint64_t zero_ns; /* CLOCK_MONOTONIC of the drive's time 0 */
	uint64_t in_flight;
	const char *target;
	bool log_is_behind;
};

/* One request: the model's part, then its data. */
struct transfer {
	struct served_request request;
	unsigned char data[];
};

static uint64_t drive_now_ns(const struct mount *mount)
{
	return clock_monotonic_ns() - mount->zero_ns;
}

static void write_log(struct mount *mount, const struct served_request *request)
{
	static const char letters[] = {[DRIVE_READ] = 'r',
				       [DRIVE_WRITE] = 'w',
				       [DRIVE_FLUSH] = 'f',
				       [DRIVE_TRIM] = 't'};

	if (!mount->log)
		return;
	(void)fprintf(mount->log, "%llu %llu %llu %c %llu %llu %d\n",
		      (unsigned long long)(mount->zero_ns + request->arrival_ns),
		      (unsigned long long)(mount->zero_ns + request->due_ns),
		      (unsigned long long)clock_monotonic_ns(), letters[request->op],
		      (unsigned long long)request->offset, (unsigned long long)request->bytes,
		      -request->error);
	mount->log_is_behind = true;
}

static void reply(struct mount *mount, struct served_request *request)
{
	struct transfer *transfer = container_of(request, struct transfer, request);

	write_log(mount, request);
	if (request->error)
		(void)fuse_reply_err(request->owner, -request->error);
	else if (request->op == DRIVE_READ)
		(void)fuse_reply_buf(request->owner, (const char *)transfer->data,
				     request->bytes);
	else if (request->op == DRIVE_WRITE)
		(void)fuse_reply_write(request->owner, request->bytes);
	else
		(void)fuse_reply_err(request->owner, 0);
	free(transfer);
	mount->in_flight--;
}

/* Bytes of the request that lie on the drive. */
static uint64_t clip(const struct mount *mount, uint64_t offset, uint64_t bytes)
{
	uint64_t size_bytes = drive_size_bytes(mount->served.drive);

	return offset >= size_bytes ? 0 : min_u64(bytes, size_bytes - offset);
}

static void take(fuse_req_t fuse, enum drive_op op, uint64_t offset, uint64_t bytes,
		 const char *data)
{
	struct mount *mount = fuse_req_userdata(fuse);
	bool moves = op == DRIVE_READ || op == DRIVE_WRITE;
	struct transfer *transfer = malloc(sizeof(*transfer) + (moves ? bytes : 0));

	if (!transfer) {
		(void)fuse_reply_err(fuse, ENOMEM);
		return;
	}
	if (data)
		memcpy(transfer->data, data, bytes);
	transfer->request = (struct served_request){.offset = offset,
						    .bytes = bytes,
						    .data = transfer->data,
						    .owner = fuse,
						    .op = op};
	mount->in_flight++;
	served_add(&mount->served, &transfer->request, drive_now_ns(mount));
}

static struct stat stat_of(const struct mount *mount, fuse_ino_t ino)
{
	struct stat st = {.st_ino = ino,
			  .st_mode = S_IFDIR | 0755,
			  .st_nlink = 2,
			  .st_uid = geteuid(),
			  .st_gid = getegid()};

	if (ino == DISK_INO) {
		st.st_mode = S_IFREG | 0600;
		st.st_nlink = 1;
		st.st_size = (off_t)drive_size_bytes(mount->served.drive);
		st.st_blocks = st.st_size / CONTENTS_SECTOR_BYTES;
		st.st_blksize = CONTENTS_PAGE_BYTES;
	}
	return st;
}

static void on_init(void *user, struct fuse_conn_info *conn)
{
	(void)user;
	conn->max_background = BACKGROUND;
	conn->congestion_threshold = BACKGROUND;
	conn->want |= conn->capable & FUSE_CAP_ASYNC_DIO;
}

static void on_lookup(fuse_req_t fuse, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param entry = {
		.ino = DISK_INO, .attr_timeout = FOREVER_S, .entry_timeout = FOREVER_S};

	if (parent != FUSE_ROOT_ID || strcmp(name, SERVE_DISK_NAME) != 0) {
		(void)fuse_reply_err(fuse, ENOENT);
		return;
	}
	entry.attr = stat_of(fuse_req_userdata(fuse), DISK_INO);
	(void)fuse_reply_entry(fuse, &entry);
}

static void on_getattr(fuse_req_t fuse, fuse_ino_t ino, struct fuse_file_info *file)
{
	struct stat st = stat_of(fuse_req_userdata(fuse), ino);

	(void)file;
	(void)fuse_reply_attr(fuse, &st, FOREVER_S);
}

/* The size is fixed, as a device's is: O_TRUNC and ftruncate succeed and change nothing. */
static void on_setattr(fuse_req_t fuse, fuse_ino_t ino, struct stat *attr, int to_set,
		       struct fuse_file_info *file)
{
	(void)attr, (void)to_set;
	on_getattr(fuse, ino, file);
}

static void on_open(fuse_req_t fuse, fuse_ino_t ino, struct fuse_file_info *file)
{
	/* The kernel's struct fuse_open_out by hand: libfuse before 3.15 has no word for
	 * parallel writes, without which one waits for the other. */
	enum { DIRECT_IO = 1 << 0, PARALLEL_DIRECT_WRITES = 1 << 6 };
	const struct {
		uint64_t handle;
		uint32_t flags, padding;
	} out = {.flags = DIRECT_IO | PARALLEL_DIRECT_WRITES};

	(void)file;
	if (ino != DISK_INO)
		(void)fuse_reply_err(fuse, EISDIR);
	else
		(void)fuse_reply_buf(fuse, (const char *)&out, sizeof(out));
}

static void on_readdir(fuse_req_t fuse, fuse_ino_t ino, size_t size, off_t offset,
		       struct fuse_file_info *file)
{
	struct stat st = stat_of(fuse_req_userdata(fuse), DISK_INO);
	char entry[256];
	size_t bytes = fuse_add_direntry(fuse, entry, sizeof(entry), SERVE_DISK_NAME, &st, 1);

	(void)file;
	if (ino != FUSE_ROOT_ID || offset > 0 || bytes > size)
		(void)fuse_reply_buf(fuse, NULL, 0);
	else
		(void)fuse_reply_buf(fuse, entry, bytes);
}

static void on_read(fuse_req_t fuse, fuse_ino_t ino, size_t size, off_t offset,
		    struct fuse_file_info *file)
{
	uint64_t bytes = clip(fuse_req_userdata(fuse), (uint64_t)offset, size);

	(void)ino, (void)file;
	if (!bytes)
		(void)fuse_reply_buf(fuse, NULL, 0);
	else
		take(fuse, DRIVE_READ, (uint64_t)offset, bytes, NULL);
}

static void on_write(fuse_req_t fuse, fuse_ino_t ino, const char *data, size_t size,
		     off_t offset, struct fuse_file_info *file)
{
	uint64_t bytes = clip(fuse_req_userdata(fuse), (uint64_t)offset, size);

	(void)ino, (void)file;
	if (!bytes)
		(void)fuse_reply_err(fuse, ENOSPC);
	else
		take(fuse, DRIVE_WRITE, (uint64_t)offset, bytes, data);
}

static void on_fsync(fuse_req_t fuse, fuse_ino_t ino, int datasync, struct fuse_file_info *file)
{
	(void)ino, (void)datasync, (void)file;
	take(fuse, DRIVE_FLUSH, 0, 0, NULL);
}

static void on_fallocate(fuse_req_t fuse, fuse_ino_t ino, int mode, off_t offset, off_t length,
			 struct fuse_file_info *file)
{
	uint64_t bytes = clip(fuse_req_userdata(fuse), (uint64_t)offset, (uint64_t)length);

	(void)ino, (void)file;
	if (!(mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE)))
		(void)fuse_reply_err(fuse, 0); /* the space is there already */
	else
		take(fuse, DRIVE_TRIM, (uint64_t)offset, bytes, NULL);
}

static void on_setxattr(fuse_req_t fuse, fuse_ino_t ino, const char *name, const char *value,
			size_t size, int flags)
{
	struct mount *mount = fuse_req_userdata(fuse);
	struct serve_command command;

	(void)flags;
	if (ino != DISK_INO || strcmp(name, SERVE_ATTRIBUTE) != 0) {
		(void)fuse_reply_err(fuse, EOPNOTSUPP);
		return;
	}
	if (size != sizeof(command)) {
		(void)fuse_reply_err(fuse, EINVAL);
		return;
	}
	memcpy(&command, value, sizeof(command));
	(void)fuse_reply_err(fuse, -served_obey(&mount->served, &command, drive_now_ns(mount)));
}

static void on_getxattr(fuse_req_t fuse, fuse_ino_t ino, const char *name, size_t size)
{
	struct mount *mount = fuse_req_userdata(fuse);
	struct serve_health health = {0};

	if (ino != DISK_INO || strcmp(name, SERVE_HEALTH) != 0) {
		(void)fuse_reply_err(fuse, ENODATA);
		return;
	}
	if (!size) {
		(void)fuse_reply_xattr(fuse, sizeof(health));
		return;
	}
	if (size < sizeof(health)) {
		(void)fuse_reply_err(fuse, ERANGE);
		return;
	}
	(void)snprintf(health.target, sizeof(health.target), "%s", mount->target);
	drive_get_health(mount->served.drive, drive_now_ns(mount), &health.log);
	(void)fuse_reply_buf(fuse, (const char *)&health, sizeof(health));
}

static const struct fuse_lowlevel_ops ops = {
	.init = on_init,
	.lookup = on_lookup,
	.getattr = on_getattr,
	.setattr = on_setattr,
	.open = on_open,
	.readdir = on_readdir,
	.read = on_read,
	.write = on_write,
	.fsync = on_fsync,
	.fallocate = on_fallocate,
	.setxattr = on_setxattr,
	.getxattr = on_getxattr,
};

static void reply_to_all_due(struct mount *mount)
{
	struct served_request *request;

	while ((request = served_reap(&mount->served, drive_now_ns(mount))))
		reply(mount, request);
}

/* Until the next reply is due; idle times bring the log up to date. */
static struct timespec *time_to_wait(struct mount *mount, struct timespec *room)
{
	uint64_t next_ns = served_next(&mount->served), now_ns = drive_now_ns(mount);
	uint64_t ns = next_ns > now_ns ? next_ns - now_ns : 0;

	if (mount->log_is_behind && !mount->in_flight) {
		(void)fflush(mount->log);
		mount->log_is_behind = false;
	}
	if (next_ns == UINT64_MAX)
		return NULL;
	*room = (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S),
				  .tv_nsec = (long)(ns % NS_PER_S)};
	return room;
}

static void receive(struct mount *mount, struct fuse_buf *buf)
{
	for (int i = 0; i < RECEIVES && !fuse_session_exited(mount->session); i++) {
		if (fuse_session_receive_buf(mount->session, buf) <= 0)
			return; /* -EAGAIN: all taken; or it was unmounted, and has exited */
		fuse_session_process_buf(mount->session, buf);
	}
}

static void serve(struct mount *mount, const sigset_t *while_waiting)
{
	struct pollfd ready = {.fd = fuse_session_fd(mount->session), .events = POLLIN};
	struct fuse_buf buf = {0};
	struct timespec room;
	uint64_t leave_ns;

	while (!fuse_session_exited(mount->session)) {
		reply_to_all_due(mount);
		if (ppoll(&ready, 1, time_to_wait(mount, &room), while_waiting) > 0)
			receive(mount, &buf);
	}
	leave_ns = drive_now_ns(mount) + LEAVE_NS;
	for (reply_to_all_due(mount);
	     mount->in_flight && served_next(&mount->served) < leave_ns;
	     reply_to_all_due(mount))
		(void)ppoll(NULL, 0, time_to_wait(mount, &room), NULL);
	free(buf.mem);
}

static void block_signals(sigset_t *ret_before)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGHUP);
	(void)sigprocmask(SIG_BLOCK, &set, ret_before);
}

static int mount_session(struct mount *mount, const struct serve_setup *setup, struct err *err)
{
	char *words[] = {(char[]){"assay"}, (char[]){"-o"},
			 (char[]){"fsname=assay-sim,default_permissions"}, NULL};
	struct fuse_args args = FUSE_ARGS_INIT(3, words);
	int fd;

	mount->session = fuse_session_new(&args, &ops, sizeof(ops), mount);
	fuse_opt_free_args(&args);
	if (!mount->session)
		return err_env(err, -ENOMEM, "%s: no FUSE session", setup->mountpoint);
	if (fuse_session_mount(mount->session, setup->mountpoint)) {
		fuse_session_destroy(mount->session);
		return err_env(
			err, -EIO,
			"%s: cannot be mounted: it must be an empty folder, /dev/fuse be "
			"open to you, and fusermount3 there (fuse3)",
			setup->mountpoint);
	}
	fd = fuse_session_fd(mount->session);
	if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) ||
	    fuse_set_signal_handlers(mount->session)) {
		fuse_session_unmount(mount->session);
		fuse_session_destroy(mount->session);
		return err_env(err, -EIO, "%s: signals cannot be taken", setup->mountpoint);
	}
	return 0;
}

static int run_session(struct mount *mount, const struct serve_setup *setup)
{
	sigset_t before;
	char file[4096];
	int rc = 0;

	(void)snprintf(file, sizeof(file), "%s/%s", setup->mountpoint, SERVE_DISK_NAME);
	(void)prctl(PR_SET_TIMERSLACK, 1);
	block_signals(&before);
	if (setup->ready)
		rc = setup->ready(setup->arg, file, drive_size_bytes(mount->served.drive));
	if (!rc)
		serve(mount, &before);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	fuse_remove_signal_handlers(mount->session);
	fuse_session_unmount(mount->session);
	fuse_session_destroy(mount->session);
	return rc;
}

/* What was never answered: the kernel ends it with the connection. */
static void drop_the_rest(struct mount *mount, struct served_request *ring)
{
	while (ring->next != ring) {
		struct served_request *request = ring->next;

		ring->next = request->next;
		free(container_of(request, struct transfer, request));
		mount->in_flight--;
	}
}

static bool is_empty(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	bool empty = true;

	while (dir && empty && (entry = readdir(dir)))
		empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
	if (dir)
		(void)closedir(dir);
	return empty; /* or not to be read, which mounting will say */
}

static int check_folder(const char *mountpoint, struct err *err)
{
	struct stat st;

	if (stat(mountpoint, &st))
		return errno == ENOENT
			       ? err_env(err, -errno, "%s: %s: make the folder first",
					 mountpoint, err_name(errno))
			       : err_env(err, -errno, "%s: %s", mountpoint, err_name(errno));
	if (!S_ISDIR(st.st_mode))
		return err_input(err, "%s: not a folder, which a drive is mounted on",
				 mountpoint);
	/* It would hide what is there, a drive that is served already not the least. */
	if (!is_empty(mountpoint))
		return err_input(err, "%s: not empty: a drive is mounted on an empty folder",
				 mountpoint);
	return 0;
}

/* A new state is written at once: that it cannot be is known before the work, not after. */
static int take_state(struct drive *drive, const char *path, struct err *err)
{
	if (!path)
		return 0;
	return access(path, F_OK) ? drive_save(drive, path, err) : drive_load(drive, path, err);
}

/* What nobody waits for any more is done in the model's own time. */
static int put_state(struct drive *drive, const char *path, struct err *err)
{
	struct drive_done done;

	while (drive_in_flight(drive))
		(void)drive_reap(drive, drive_next(drive), &done, 1);
	return drive_save(drive, path, err);
}

static int end_session(struct mount *mount, const struct serve_setup *setup, struct err *err)
{
	const char *contents = setup->backing ? setup->backing : N_("contents of the drive");
	int rc;

	drop_the_rest(mount, &mount->served.flying);
	drop_the_rest(mount, &mount->served.waiting);
	rc = contents_sync(&mount->served.contents);
	if (rc)
		return err_env(err, rc, "%s: %s", contents, err_name(rc));
	return setup->state ? put_state(mount->served.drive, setup->state, err) : 0;
}

int serve_run(const struct serve_setup *setup, struct err *err)
{
	struct mount mount = {.zero_ns = clock_monotonic_ns(), .target = setup->target};
	int rc = check_folder(setup->mountpoint, err);

	if (!rc)
		rc = served_open(&mount.served, setup->target, setup->backing, err);
	if (rc)
		return rc;
	rc = take_state(mount.served.drive, setup->state, err);
	if (!rc && setup->log) {
		mount.log = fopen(setup->log, "wxe");
		if (!mount.log)
			rc = err_env(err, -errno, "%s: %s; the log is a new file", setup->log,
				     err_name(errno));
	}
	if (!rc)
		rc = mount_session(&mount, setup, err);
	if (!rc) {
		int ended;

		rc = run_session(&mount, setup);
		ended = end_session(&mount, setup, err);
		rc = ended ? ended : rc;
	}
	if (mount.log && fclose(mount.log) && !rc)
		rc = err_env(err, -EIO, "%s: the log is not complete", setup->log);
	served_close(&mount.served);
	return rc;
}
