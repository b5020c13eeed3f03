#include "store/store_place.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/unit.h"
#include "store/store.h"

/* The user behind sudo; NULL when there is none, or we are not root. */
static const struct passwd *invoking_user(void)
{
	const char *text = getenv("SUDO_UID");
	uint64_t uid;

	if (geteuid() != 0 || !text || unit_parse_count(text, &uid, NULL) || uid == 0)
		return NULL;
	return getpwuid((uid_t)uid);
}

int store_default_path(struct str *ret_path, struct err *err)
{
	const struct passwd *user = invoking_user();
	const char *data = user ? NULL : getenv("XDG_DATA_HOME");
	const char *home = user ? user->pw_dir : getenv("HOME");

	/* sudo hands on XDG_DATA_HOME of the user or of root, by its configuration: the home
	 * of the one who called is what is certain. */
	if (!home || !*home) {
		user = getpwuid(geteuid());
		home = user ? user->pw_dir : NULL;
	}
	if (data && *data == '/')
		str_printf(ret_path, "%s/assay/results.db", data);
	else if (home && *home == '/')
		str_printf(ret_path, "%s/.local/share/assay/results.db", home);
	else
		return err_env(
			err, -ENOENT,
			"no home folder to keep results in; name a file with --store=, or "
			"write --no-store");
	return 0;
}

static bool lies_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return length > 1 && strncmp(path, folder, length) == 0 && path[length] == '/';
}

/* Owner of what is made at `path`; nothing changes where there is no other than us. */
static int give_away(int fd, const char *path)
{
	const struct passwd *user = invoking_user();

	if (!user || !lies_below(path, user->pw_dir))
		return 0;
	return fchown(fd, user->pw_uid, user->pw_gid) < 0 ? -errno : 0;
}

static int make_folder(const char *path)
{
	autofd fd = -1;

	if (mkdir(path, 0755) < 0)
		return errno == EEXIST ? 0 : -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : give_away(fd, path);
}

static int make_folders(const char *path)
{
	autostr folder = {0};
	int rc = 0;

	for (const char *slash = strchr(path + 1, '/'); slash && !rc;
	     slash = strchr(slash + 1, '/')) {
		struct stat st;

		str_clear(&folder);
		str_add_bytes(&folder, path, (size_t)(slash - path));
		if (stat(str_text(&folder), &st) < 0)
			rc = make_folder(str_text(&folder));
	}
	return rc;
}

int store_state_folder(bool make, struct str *ret_path, struct err *err)
{
	autostr store = {0};
	int rc = store_default_path(&store, err);

	if (rc == 0 && make)
		rc = make_folders(str_text(&store));
	if (rc < 0)
		return err_env(err, rc, "cannot make the folder of \"%s\": %s",
			       str_text(&store), err_name(rc));
	str_add_bytes(ret_path, str_text(&store),
		      (size_t)(strrchr(str_text(&store), '/') - str_text(&store)));
	return 0;
}

int store_place_make(const char *path, struct err *err)
{
	autofd fd = open(path, O_RDWR | O_CLOEXEC);
	int rc = 0;

	if (fd >= 0)
		return 0;
	if (errno == ENOENT) {
		rc = make_folders(path);
		if (!rc)
			fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	}
	if (fd >= 0)
		rc = give_away(fd, path);
	else if (!rc)
		rc = -errno;
	if (rc && rc != -EEXIST) /* another process made it meanwhile: as good */
		return err_env(err, rc,
			       "cannot make the store \"%s\": %s; name another file with "
			       "--store=, or write --no-store",
			       path, err_name(rc));
	return 0;
}

int store_place_give(const char *path)
{
	autofd fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : give_away(fd, path);
}
