/* Commands and questions to a drive that another process serves. */
#include <stdio.h>
#include <sys/xattr.h>

#include "serve/serve.h"

static int path_of(const char *mountpoint, char *path, size_t size_bytes, struct err *err)
{
	int length = snprintf(path, size_bytes, "%s/%s", mountpoint, SERVE_DISK_NAME);

	if (length < 0 || (size_t)length >= size_bytes)
		return err_input(err, "%s: too long a path", mountpoint);
	return 0;
}

static int failed(const char *mountpoint, const char *path, struct err *err)
{
	if (errno == ENODATA || errno == EOPNOTSUPP || errno == ENOENT || errno == ENOTDIR)
		return err_env(
			err, -errno,
			"%s: no drive is served here; start one: assay sim serve PROFILE "
			"%s",
			mountpoint, mountpoint);
	if (errno == ENXIO)
		return err_input(err, "%s: this drive has no SLC cache", mountpoint);
	return err_env(err, -errno, "%s: %s", path, err_name(errno));
}

int serve_send(const char *mountpoint, const struct serve_command *command, struct err *err)
{
	char path[4096];
	int rc = path_of(mountpoint, path, sizeof(path), err);

	if (rc)
		return rc;
	/* XATTR_REPLACE: a file of that name on an ordinary file system has no such attribute. */
	if (!setxattr(path, SERVE_ATTRIBUTE, command, sizeof(*command), XATTR_REPLACE))
		return 0;
	return failed(mountpoint, path, err);
}

int serve_ask(const char *mountpoint, struct serve_health *ret_health, struct err *err)
{
	struct serve_health health;
	char path[4096];
	int rc = path_of(mountpoint, path, sizeof(path), err);
	ssize_t n;

	if (rc)
		return rc;
	n = getxattr(path, SERVE_HEALTH, &health, sizeof(health));
	if (n < 0)
		return failed(mountpoint, path, err);
	if (n != sizeof(health))
		return err_env(err, -EPROTO,
			       "%s: served by another version of this program; ask with that "
			       "one, or serve the drive anew",
			       mountpoint);
	health.target[sizeof(health.target) - 1] = 0;
	*ret_health = health;
	return 0;
}
