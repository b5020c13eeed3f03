/*
 * Files before the clock starts. A file that is read is filled with random content where it is
 * too short or new; one that is only written is preallocated as fallocate= says. Several
 * threads share the work in pieces; what a failed start made is removed again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lang.h"
#include "base/quantity.h"
#include "base/rng.h"
#include "run/run_priv.h"

#define PIECE_BYTES	(8 * MiB)
#define CHUNK_BYTES	(1 * MiB)
#define LAYOUT_THREADS	4
#define LAYOUT_WATCH_NS (250 * NS_PER_MS)

struct piece {
	const struct run_file *file;
	int fd;
	uint64_t from, to;
};

struct layout {
	struct run *run;
	struct piece *pieces;
	size_t npieces, room;
	_Atomic size_t next; /* piece to take; whoever adds 1 owns it */
	_Atomic uint64_t done_bytes;
	_Atomic int failed; /* negative errno of the first failure */
	_Atomic size_t failed_piece;
	uint64_t total_bytes;
};

static int make_folders(const char *path)
{
	char part[4096];

	(void)snprintf(part, sizeof(part), "%s", path);
	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(part, 0755) < 0 && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return 0;
}

int run_own_add(struct run *run, struct run_file *file, int fd, struct err *err)
{
	struct stat st;

	file->created = true;
	if (fstat(fd, &st) < 0)
		return err_env(err, -errno, "\"%s\": %s", file->path, err_name(errno));
	file->dev = st.st_dev;
	file->ino = st.st_ino;
	(void)guard_mark_ours(fd); /* where attributes exist; the manifest knows it anyhow */
	if (run->nown == run->own_room) {
		unsigned room = run->own_room ? 2 * run->own_room : 16;
		struct guard_own *own = arena_array(&run->arena, struct guard_own, room);

		if (run->nown)
			memcpy(own, run->own, run->nown * sizeof(*own));
		run->own = own;
		run->own_room = room;
	}
	run->own[run->nown++] = (struct guard_own){.dev = st.st_dev, .ino = st.st_ino};
	return 0;
}

static bool is_in_manifest(const struct run *run, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return false;
	for (unsigned i = 0; i < run->nown; i++) {
		if (run->own[i].dev == st.st_dev && run->own[i].ino == st.st_ino)
			return true;
	}
	return false;
}

int run_recheck(const struct run *run, const struct run_file *file, int fd, struct err *err)
{
	if (!file->guard || is_in_manifest(run, fd))
		return 0;
	return guard_recheck_fd(fd, file->guard, &device_roots_real, err);
}

/* What was not there when the guard was asked may be somebody else's by now, so it is made by
 * us or not at all. A dangling link is made where it points to. */
static int open_or_make(const struct run_file *file, bool *ret_made)
{
	int fd;

	*ret_made = false;
	if (file->existed)
		return open(file->path, O_RDWR | O_CLOEXEC);
	fd = open(file->path, O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL, 0644);
	*ret_made = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		fd = open(file->path, O_RDWR | O_CLOEXEC | O_CREAT, 0644);
	return fd;
}

static int cannot_open(const struct run_file *file, int error, struct err *err)
{
	bool elsewhere = error == EACCES || error == EROFS;

	if (file->existed)
		return err_env(err, -error,
			       elsewhere ? N_("cannot write \"%s\": %s; name another folder by "
					      "directory=, or be its owner")
					 : N_("cannot write \"%s\": %s"),
			       file->path, err_name(error));
	return err_env(
		err, -error,
		elsewhere ? N_("cannot make \"%s\": %s; name another folder by directory=, or "
			       "be its owner")
			  : N_("cannot make \"%s\": %s"),
		file->path, err_name(error));
}

static int open_file(struct run *run, struct run_file *file, int *ret_fd, struct err *err)
{
	bool made = false;
	int rc = 0;

	if (!file->existed && run->set->face == FACE_FIO)
		rc = make_folders(file->path);
	if (rc)
		return err_env(err, rc, "cannot make the folder of \"%s\": %s", file->path,
			       err_name(rc));
	*ret_fd = open_or_make(file, &made);
	if (*ret_fd < 0)
		return cannot_open(file, errno, err);
	return made ? run_own_add(run, file, *ret_fd, err)
		    : run_recheck(run, file, *ret_fd, err);
}

static int preallocate(int fd, enum fallocate_mode mode, uint64_t bytes)
{
	int rc = 0;

	switch (mode) {
	case FALLOCATE_NONE:
		return 0;
	case FALLOCATE_NATIVE:
		rc = fallocate(fd, 0, 0, (off_t)bytes) < 0 ? -errno : 0;
		break;
	case FALLOCATE_POSIX:
		rc = -posix_fallocate(fd, 0, (off_t)bytes);
		break;
	case FALLOCATE_KEEP:
		rc = fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)bytes) < 0 ? -errno : 0;
		break;
	case FALLOCATE_TRUNCATE:
		rc = ftruncate(fd, (off_t)bytes) < 0 ? -errno : 0;
		break;
	}
	/* A file system without it is no error: the writes allocate. */
	return rc == -EOPNOTSUPP || rc == -ENOSYS || rc == -EINVAL ? 0 : rc;
}

static void add_piece(struct layout *layout, const struct piece *piece)
{
	if (layout->npieces == layout->room) {
		size_t room = layout->room ? 2 * layout->room : 64;
		struct piece *more = arena_array(&layout->run->arena, struct piece, room);

		if (layout->npieces)
			memcpy(more, layout->pieces, layout->npieces * sizeof(*more));
		layout->pieces = more;
		layout->room = room;
	}
	layout->pieces[layout->npieces++] = *piece;
}

/* Room for all of it? A layout that fills the disk on its way harms more than this run. */
static int check_room(const struct run *run, const struct run_file *file, uint64_t bytes,
		      struct err *err)
{
	struct filesystem fs;
	struct err ignored = {0};

	if (run->set->face == FACE_FIO ||
	    filesystem_of_path(&fs, file->path, &device_roots_real, &ignored) ||
	    fs.swallows_size)
		return 0;
	if (bytes <= fs.free_bytes)
		return 0;
	return err_env(
		err, -ENOSPC,
		"\"%s\" needs %llu more bytes, and %s has %llu free: take a smaller size",
		file->path, (unsigned long long)bytes, fs.mount_point,
		(unsigned long long)fs.free_bytes);
}

static int lay_out_file(struct layout *layout, struct run_file *file, struct err *err)
{
	uint64_t from = file->existed ? min_u64(file->size_bytes, file->needed_bytes) : 0;
	struct stat st;
	int fd = -1, rc;

	if (file->kind != TARGET_FILE ||
	    (file->existed && file->size_bytes >= file->needed_bytes))
		return 0;
	if (file->create_on_open && !file->needs_content)
		return 0;
	if (!file->existed && !file->may_create)
		return 0; /* prepare.c has refused it */
	rc = check_room(layout->run, file, file->needed_bytes - from, err);
	if (!rc)
		rc = open_file(layout->run, file, &fd, err);
	if (rc)
		goto fail;
	rc = preallocate(fd, file->spec->fallocate, file->needed_bytes);
	if (rc) {
		rc = err_env(err, rc, "cannot allocate %llu bytes for \"%s\": %s",
			     (unsigned long long)file->needed_bytes, file->path, err_name(rc));
		goto fail;
	}
	if (!file->needs_content) {
		(void)fstat(fd, &st);
		file->size_bytes = (uint64_t)st.st_size;
		(void)close(fd);
		return 0;
	}
	for (uint64_t at = from; at < file->needed_bytes; at += PIECE_BYTES) {
		struct piece piece = {.file = file, .fd = fd, .from = at};

		piece.to = min_u64(at + PIECE_BYTES, file->needed_bytes);
		add_piece(layout, &piece);
	}
	layout->total_bytes += file->needed_bytes - from;
	file->filled = from == 0;
	file->size_bytes = file->needed_bytes;
	return 0;
fail:
	file_close_fd(&fd);
	return rc;
}

static int write_piece(struct layout *layout, const struct piece *piece, uint64_t *buffer)
{
	struct rng rng;

	rng_seed(&rng, clock_wall_ns(), piece->from); /* content that no two files share */
	for (uint64_t at = piece->from; at < piece->to;) {
		size_t bytes = (size_t)min_u64(CHUNK_BYTES, piece->to - at);
		ssize_t n;

		for (size_t i = 0; i < (bytes + 7) / 8; i++)
			buffer[i] = rng_next(&rng);
		n = pwrite(piece->fd, buffer, bytes, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += (uint64_t)n;
		atomic_fetch_add_explicit(&layout->done_bytes, (uint64_t)n,
					  memory_order_relaxed);
		if (run_signal_seen())
			return -EINTR;
	}
	return 0;
}

static void layout_thread(void *arg)
{
	struct layout *layout = arg;
	uint64_t *buffer = malloc(CHUNK_BYTES + sizeof(*buffer));

	while (!atomic_load(&layout->failed)) {
		size_t at = atomic_fetch_add(&layout->next, 1);
		int expected = 0, rc;

		if (at >= layout->npieces)
			break;
		rc = buffer ? write_piece(layout, &layout->pieces[at], buffer) : -ENOMEM;
		if (rc && atomic_compare_exchange_strong(&layout->failed, &expected, rc))
			atomic_store(&layout->failed_piece, at);
	}
	free(buffer);
}

static void tell_progress(struct layout *layout, uint64_t begun_ns)
{
	const struct run *run = layout->run;
	struct progress progress = {.phase = PROGRESS_LAYOUT,
				    .left_ns = PROGRESS_UNKNOWN,
				    .done_percent = -1,
				    .waiting = run->nworkers,
				    .layout_total_bytes = layout->total_bytes};

	if (!run->hooks->progress)
		return;
	progress.layout_bytes = atomic_load_explicit(&layout->done_bytes, memory_order_relaxed);
	progress.elapsed_ns = run_now_ns(run) - begun_ns;
	if (layout->total_bytes)
		progress.done_percent =
			100.0 * (double)progress.layout_bytes / (double)layout->total_bytes;
	run->hooks->progress(run->hooks->context, &progress);
}

static void wait_and_tell(struct layout *layout, struct thread *threads, unsigned count)
{
	struct timespec pause = {.tv_nsec = 5000000};
	uint64_t begun_ns = run_now_ns(layout->run), told_ns = begun_ns;

	for (unsigned i = 0; i < count; i++) {
		int ignored;

		while (!thread_try_join(&threads[i], &ignored)) {
			(void)nanosleep(&pause, NULL); /* a signal: the threads see it too */
			if (run_now_ns(layout->run) - told_ns < LAYOUT_WATCH_NS)
				continue;
			told_ns = run_now_ns(layout->run);
			tell_progress(layout, begun_ns);
		}
	}
}

static int fill_pieces(struct layout *layout, struct err *err)
{
	struct thread threads[LAYOUT_THREADS];
	unsigned count = 0;
	int rc;

	for (unsigned i = 0; i < LAYOUT_THREADS && i < layout->npieces; i++) {
		if (thread_start(&threads[count], layout_thread, layout, false))
			break;
		count++;
	}
	if (!count)
		layout_thread(layout);
	wait_and_tell(layout, threads, count);
	rc = atomic_load(&layout->failed);
	if (rc == -EINTR)
		return err_env(err, rc, "interrupted while files were laid out");
	if (rc)
		return err_env(err, rc, "writing \"%s\" before the run: %s",
			       layout->pieces[atomic_load(&layout->failed_piece)].file->path,
			       err_name(rc));
	return 0;
}

/* Closes each file once; its content shall be on the disk before the clock starts. */
static int close_files(struct layout *layout, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < layout->npieces; i++) {
		const struct piece *piece = &layout->pieces[i];

		if (i + 1 < layout->npieces && layout->pieces[i + 1].fd == piece->fd)
			continue;
		if (!err->code && fsync(piece->fd) < 0 && !rc)
			rc = err_env(err, -errno, "fsync of \"%s\": %s", piece->file->path,
				     err_name(errno));
		(void)close(piece->fd);
	}
	return rc;
}

static void say_layout(const struct run *run, const struct layout *layout)
{
	char line[200], size[32];
	unsigned files = 0;
	const struct run_file *last = NULL;

	for (size_t i = 0; i < layout->npieces; i++) {
		files += layout->pieces[i].file != last;
		last = layout->pieces[i].file;
	}
	if (!run->hooks->say || !files)
		return;
	(void)snprintf(size, sizeof(size), "%lluMiB",
		       (unsigned long long)(layout->total_bytes / MiB));
	(void)snprintf(line, sizeof(line), "%s: Laying out IO file%s (%u file%s / %s%s)",
		       layout->pieces[0].file->spec->name, files > 1 ? "s" : "", files,
		       files > 1 ? "s" : "", files > 1 ? "total " : "", size);
	run->hooks->say(run->hooks->context, line);
}

/* --max-write counts what is laid out; the workers have the rest. */
static int take_from_budget(const struct layout *layout, struct err *err)
{
	const struct run_options *options = &layout->run->set->options;
	int64_t left, bytes = (int64_t)layout->total_bytes;

	if (!options->max_write || !bytes)
		return 0;
	left = atomic_fetch_sub(layout->run->worker_shared->write_budget, bytes);
	if (left >= bytes)
		return 0;
	(void)atomic_fetch_add(layout->run->worker_shared->write_budget, bytes);
	return err_set(err, ERR_INPUT, -E2BIG,
		       "laying out files writes %llu bytes, more than "
		       "--max-write=%llu: raise it, or take a smaller size",
		       (unsigned long long)layout->total_bytes,
		       (unsigned long long)options->max_write);
}

int run_layout(struct run *run, struct err *err)
{
	struct layout layout = {.run = run};
	int rc = 0, close_rc;

	run->laying_out = true;
	for (struct run_file *file = run->files; file && !rc; file = file->next)
		rc = lay_out_file(&layout, file, err);
	if (!rc)
		rc = take_from_budget(&layout, err);
	if (!rc && layout.npieces) {
		say_layout(run, &layout);
		rc = fill_pieces(&layout, err);
	}
	run->result->layout_bytes = atomic_load(&layout.done_bytes);
	close_rc = close_files(&layout, err);
	if (!rc)
		rc = close_rc;
	run->laying_out = false;
	if (rc)
		run_remove_files(run, true);
	return rc;
}

/* Still the file that we made or looked at? Another one in its place is not ours to remove. */
static bool is_same_file(const struct run_file *file)
{
	struct stat st;

	return stat(file->path, &st) == 0 && st.st_dev == file->dev && st.st_ino == file->ino;
}

void run_remove_files(struct run *run, bool all_created)
{
	for (struct run_file *file = run->files; file; file = file->next) {
		if (file->kind != TARGET_FILE)
			continue;
		if (!file->unlink && !(all_created && file->created))
			continue;
		if (is_same_file(file))
			(void)unlink(file->path); /* gone already is as good */
	}
}
