/* A command to a drive that another process serves. */
#include <stdio.h>
#include <sys/xattr.h>

#include "serve/serve.h"

int serve_send(const char *mountpoint, const struct serve_command *command, struct err *err)
{
	char path[4096];

	if (snprintf(path, sizeof(path), "%s/%s", mountpoint, SERVE_DISK_NAME) >=
	    (int)sizeof(path))
		return err_input(err, "%s: too long a path", mountpoint);
	/* XATTR_REPLACE: a file of that name on an ordinary file system has no such attribute. */
	if (!setxattr(path, SERVE_ATTRIBUTE, command, sizeof(*command), XATTR_REPLACE))
		return 0;
	if (errno == ENODATA || errno == EOPNOTSUPP || errno == ENOENT || errno == ENOTDIR)
		return err_env(
			err, -errno,
			"%s: no drive is served here; start one: assay sim serve PROFILE "
			"%s",
			mountpoint, mountpoint);
	return err_env(err, -errno, "%s: %s", path, err_name(errno));
}
