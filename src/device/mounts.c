#include "device/mounts_priv.h"

#include <ctype.h>
#include <errno.h>
#include <libmount/libmount.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/str.h"
#include "device/sysfs_priv.h"

#define NAMESPACES_MAX 1024

#define CALLS(X)                   \
	X(mnt_new_table_from_file) \
	X(mnt_unref_table)         \
	X(mnt_new_iter)            \
	X(mnt_free_iter)           \
	X(mnt_table_next_fs)       \
	X(mnt_fs_get_devno)        \
	X(mnt_fs_get_id)           \
	X(mnt_fs_get_fstype)       \
	X(mnt_fs_get_source)       \
	X(mnt_fs_get_target)       \
	X(mnt_fs_get_options)

struct libmount {
	CALLS(LIBRARY_CALL)
};

static int libmount_open(struct libmount *ret_libmount)
{
	static const char *const names[] = {CALLS(LIBRARY_NAME)};
	static const struct library library = LIBMOUNT(names);

	return library_open(&library, ret_libmount, sizeof(*ret_libmount), NULL);
}

static void mounts_add(struct arena *arena, struct mounts *mounts, const struct mount *mount)
{
	if (mounts->count == mounts->room) {
		struct mount *items =
			arena_array(arena, struct mount, mounts->room ? 2 * mounts->room : 64);

		if (mounts->count)
			memcpy(items, mounts->items, mounts->count * sizeof(*items));
		mounts->items = items;
		mounts->room = mounts->room ? 2 * mounts->room : 64;
	}
	mounts->items[mounts->count++] = *mount;
}

static const char *copy(struct arena *arena, const char *text)
{
	return text ? arena_strdup(arena, text) : "";
}

int mounts_read(struct arena *arena, const struct device_roots *roots, const char *process,
		const char *namespace, struct mounts *mounts)
{
	char path[SYSFS_PATH_BYTES];
	struct libmount lib;
	struct libmnt_table *table;
	struct libmnt_iter *iter;
	struct libmnt_fs *fs;
	int rc;

	TEXT_SET(path, "%s/%s/mountinfo", roots->proc, process);
	if (access(path, R_OK) < 0)
		return -errno;
	rc = libmount_open(&lib);
	if (rc)
		return rc;
	errno = 0;
	table = lib.mnt_new_table_from_file(path);
	iter = lib.mnt_new_iter(MNT_ITER_FORWARD);
	while (table && iter && lib.mnt_table_next_fs(table, iter, &fs) == 0) {
		dev_t number = lib.mnt_fs_get_devno(fs);
		struct mount mount = {
			.id = lib.mnt_fs_get_id(fs),
			.major = major(number),
			.minor = minor(number),
			.type = copy(arena, lib.mnt_fs_get_fstype(fs)),
			.source = copy(arena, lib.mnt_fs_get_source(fs)),
			.point = copy(arena, lib.mnt_fs_get_target(fs)),
			.options = copy(arena, lib.mnt_fs_get_options(fs)),
			.namespace = namespace,
		};

		mounts_add(arena, mounts, &mount);
	}
	lib.mnt_free_iter(iter);
	lib.mnt_unref_table(table);
	if (!table)
		return errno == ENOMEM ? -ENOMEM : -EINVAL;
	return iter ? 0 : -ENOMEM; /* no mount at all is what the guard must not hear */
}

/* The namespaces seen so far, by the text of their link: "mnt:[4026531841]". */
struct seen {
	char link[NAMESPACES_MAX][40];
	unsigned count;
};

static bool seen_before(struct seen *seen, const char *link)
{
	for (unsigned i = 0; i < seen->count; i++) {
		if (str_equal(seen->link[i], link))
			return true;
	}
	if (seen->count < NAMESPACES_MAX) {
		TEXT_SET(seen->link[seen->count], "%s", link);
		seen->count++;
	}
	return false;
}

static bool namespace_link(const struct device_roots *roots, const char *process,
			   char ret_link[40])
{
	char path[SYSFS_PATH_BYTES];
	ssize_t n;

	TEXT_SET(path, "%s/%s/ns/mnt", roots->proc, process);
	n = readlink(path, ret_link, 39);
	if (n < 0)
		return false; /* no permission, or the process has ended */
	ret_link[n] = '\0';
	return true;
}

int mounts_read_all(struct arena *arena, const struct device_roots *roots,
		    struct mounts *ret_mounts)
{
	struct seen *seen = arena_new(arena, struct seen);
	struct mounts mounts = {.count = 0};
	char link[40];
	const char *name;
	int rc = mounts_read(arena, roots, "self", "", &mounts);
	autodir dir = opendir(roots->proc);

	if (rc < 0)
		return rc;
	if (namespace_link(roots, "self", link))
		(void)seen_before(seen, link);
	/* init's may be readable where its link is not; double mounts do no harm */
	if (namespace_link(roots, "1", link) ? !seen_before(seen, link) : true)
		(void)mounts_read(arena, roots, "1", "process 1's", &mounts);
	while (dir && (name = sysfs_next(dir))) {
		if (!isdigit((unsigned char)name[0]) || !namespace_link(roots, name, link) ||
		    seen_before(seen, link))
			continue;
		(void)mounts_read(arena, roots, name, arena_printf(arena, "process %s's", name),
				  &mounts);
	}
	*ret_mounts = mounts;
	return 0;
}

bool mounts_path_is(const char *path, const struct device *device,
		    const struct device_roots *roots)
{
	struct stat st;

	if (path[0] != '/')
		return false;
	if (stat(path, &st) == 0 && S_ISBLK(st.st_mode))
		return device_has_number(device, major(st.st_rdev), minor(st.st_rdev));
	return roots != &device_roots_real && str_starts(path, "/dev/") &&
	       str_equal(path + strlen("/dev/"), device->name);
}

/* Paths in /proc/swaps have blanks as \040, in place. */
static void unescape(char *text)
{
	char *out = text;

	while (*text) {
		unsigned code;

		/* NOLINTNEXTLINE(cert-err34-c): three octal digits, nothing to overflow */
		if (text[0] == '\\' && sscanf(text + 1, "%3o", &code) == 1) {
			*out++ = (char)code;
			text += strnlen(text, 4);
		} else {
			*out++ = *text++;
		}
	}
	*out = '\0';
}

int swaps_read(struct arena *arena, const struct device_roots *roots, struct swaps *ret_swaps)
{
	struct swaps swaps = {.count = 0};
	autostr text = {0};
	unsigned lines = 0;
	const char *line;
	int rc = proc_read(roots, "swaps", &text);

	if (rc < 0)
		return rc == -ENOENT ? 0 : rc; /* a kernel without swap */
	for (line = str_text(&text); *line; line++)
		lines += *line == '\n';
	swaps.paths = arena_array(arena, const char *, lines + 1);
	line = strchr(str_text(&text), '\n'); /* after the heading */
	while (line && line[1]) {
		size_t length = strcspn(line + 1, " \t\n");
		char *path = arena_strndup(arena, line + 1, length);

		unescape(path);
		swaps.paths[swaps.count++] = path;
		line = strchr(line + 1, '\n');
	}
	*ret_swaps = swaps;
	return 0;
}
