/* The parts of filesystem_of_path that stacks, targets and tests use too. */
#pragma once

#include <limits.h>

#include "device/filesystem.h"

struct mount;

/* `path` itself, or what its dangling links lead to, cut down to what exists. */
int filesystem_nearest(const char *path, char ret_path[PATH_MAX]);
/* `mount` may be NULL: then only statfs speaks. */
void filesystem_from_mount(struct filesystem *ret_fs, const struct mount *mount,
			   const char *path);
/* From type, mount point and number in `fs`, and statfs' magic. */
enum filesystem_kind filesystem_classify(const struct filesystem *fs, unsigned long magic);
