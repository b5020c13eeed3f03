#include "serve/contents.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/lang.h"

static int open_nameless(void)
{
	const char *folder = getenv("TMPDIR");

	return open(folder && *folder ? folder : "/var/tmp", O_RDWR | O_TMPFILE | O_CLOEXEC,
		    0600);
}

static int check_file(int fd, const char *path, uint64_t size_bytes, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_env(err, -errno, "%s: %s", path, err_name(errno));
	if (!S_ISREG(st.st_mode))
		return err_refused(err,
				   "%s: not a regular file, which a simulated drive's "
				   "contents go to",
				   path);
	if (st.st_size && (uint64_t)st.st_size != size_bytes)
		return err_refused(err,
				   "%s: holds %llu bytes, the drive %llu: name a new file, or "
				   "give the drive that size (size=)",
				   path, (unsigned long long)st.st_size,
				   (unsigned long long)size_bytes);
	if (flock(fd, LOCK_EX | LOCK_NB))
		return err_refused(err, "%s: in use by another served drive", path);
	return 0;
}

int contents_open(struct contents *contents, const char *path, uint64_t size_bytes,
		  struct err *err)
{
	const char *name = path ? path : N_("contents of the drive");
	int rc;

	*contents = (struct contents){.fd = -1, .size_bytes = size_bytes};
	contents->fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : open_nameless();
	if (contents->fd < 0)
		return err_env(err, -errno,
			       path ? N_("%s: cannot be opened (%s)")
				    : N_("%s: cannot be opened (%s): give --backing=FILE, or a "
					 "folder in TMPDIR"),
			       name, err_name(errno));
	rc = check_file(contents->fd, name, size_bytes, err);
	if (!rc && ftruncate(contents->fd, (off_t)size_bytes))
		rc = err_env(err, -errno, "%s: cannot be made %llu bytes long (%s)", name,
			     (unsigned long long)size_bytes, err_name(errno));
	if (rc)
		contents_close(contents);
	return rc;
}

static struct contents_undo *undo_at(const struct contents *contents, size_t i)
{
	return &contents->undos[(contents->first + i) & (contents->room - 1)];
}

void contents_close(struct contents *contents)
{
	contents_settle(contents, UINT64_MAX);
	free(contents->undos);
	contents->undos = NULL;
	if (contents->fd >= 0)
		(void)close(contents->fd);
	contents->fd = -1;
}

int contents_read(const struct contents *contents, uint64_t offset, void *data, size_t bytes)
{
	char *to = data;

	while (bytes) {
		ssize_t n = pread(contents->fd, to, bytes, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO; /* somebody cut the file short */
		to += n;
		offset += (uint64_t)n;
		bytes -= (size_t)n;
	}
	return 0;
}

static int put(const struct contents *contents, uint64_t offset, const void *data, size_t bytes)
{
	const char *from = data;

	while (bytes) {
		ssize_t n = pwrite(contents->fd, from, bytes, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		from += n;
		offset += (uint64_t)n;
		bytes -= (size_t)n;
	}
	return 0;
}

static int grow(struct contents *contents)
{
	size_t room = contents->room ? 2 * contents->room : 1024;
	struct contents_undo *undos = malloc(room * sizeof(*undos));

	if (!undos)
		return -ENOMEM;
	for (size_t i = 0; i < contents->count; i++)
		undos[i] = *undo_at(contents, i);
	free(contents->undos);
	contents->undos = undos;
	contents->first = 0;
	contents->room = room;
	return 0;
}

static int keep_page(struct contents *contents, uint64_t write, uint64_t page)
{
	unsigned char *before = malloc(CONTENTS_PAGE_BYTES);
	int rc = before ? 0 : -ENOMEM;

	if (!rc && contents->count == contents->room)
		rc = grow(contents);
	if (!rc)
		rc = contents_read(contents, page * CONTENTS_PAGE_BYTES, before,
				   CONTENTS_PAGE_BYTES);
	if (rc) {
		free(before);
		return rc;
	}
	*undo_at(contents, contents->count++) =
		(struct contents_undo){.write = write, .page = page, .before = before};
	return 0;
}

int contents_write(struct contents *contents, uint64_t write, uint64_t offset, const void *data,
		   size_t bytes)
{
	uint64_t first = offset / CONTENTS_PAGE_BYTES;
	uint64_t end = (offset + bytes + CONTENTS_PAGE_BYTES - 1) / CONTENTS_PAGE_BYTES;

	for (uint64_t page = first; write && page < end; page++) {
		int rc = keep_page(contents, write, page);

		if (rc)
			return rc; /* what was kept is what the file still holds */
	}
	return put(contents, offset, data, bytes);
}

int contents_trim(struct contents *contents, uint64_t offset, uint64_t bytes)
{
	for (size_t i = 0; i < contents->count; i++) {
		struct contents_undo *undo = undo_at(contents, i);
		uint64_t at = undo->page * CONTENTS_PAGE_BYTES;

		if (at < offset || at + CONTENTS_PAGE_BYTES > offset + bytes)
			continue;
		free(undo->before);
		undo->before = NULL;
	}
	if (fallocate(contents->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
		      (off_t)bytes))
		return -errno;
	return 0;
}

int contents_sync(const struct contents *contents)
{
	return fdatasync(contents->fd) ? -errno : 0;
}

void contents_settle(struct contents *contents, uint64_t write)
{
	while (contents->count && undo_at(contents, 0)->write <= write) {
		free(undo_at(contents, 0)->before);
		contents->first = (contents->first + 1) & (contents->room - 1);
		contents->count--;
	}
}

/* Index of the first with this number or a higher one. */
static size_t find_write(const struct contents *contents, uint64_t write)
{
	size_t from = 0, end = contents->count;

	while (from < end) {
		size_t middle = from + (end - from) / 2;

		if (undo_at(contents, middle)->write < write)
			from = middle + 1;
		else
			end = middle;
	}
	return from;
}

int contents_undo(struct contents *contents, uint64_t write, uint64_t page, unsigned kept)
{
	size_t at = find_write(contents, write), skip = kept * (size_t)CONTENTS_SECTOR_BYTES;
	const struct contents_undo *undo;

	assert(skip < CONTENTS_PAGE_BYTES);
	if (at == contents->count || page < undo_at(contents, at)->page)
		return 0;
	at += page - undo_at(contents, at)->page; /* the pages of a write are neighbours */
	if (at >= contents->count)
		return 0;
	undo = undo_at(contents, at);
	if (undo->write != write || !undo->before)
		return 0;
	return put(contents, page * CONTENTS_PAGE_BYTES + skip, undo->before + skip,
		   CONTENTS_PAGE_BYTES - skip);
}
