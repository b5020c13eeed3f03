#include "cli/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* A socket's path is short: the folder is named by its descriptor. */
static void address_of(int folder_fd, const char *uid, struct sockaddr_un *ret_address)
{
	*ret_address = (struct sockaddr_un){.sun_family = AF_UNIX};
	(void)snprintf(ret_address->sun_path, sizeof(ret_address->sun_path),
		       "/proc/self/fd/%d/plan-%.40s.sock", folder_fd, uid);
}

static int bind_to(const struct watch *watch, const char *uid)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un address;
	mode_t mask;
	bool bound;

	if (fd < 0)
		return -1;
	address_of(watch->folder_fd, uid, &address);
	(void)unlinkat(watch->folder_fd, watch->name, 0); /* of a process that was killed */
	mask = umask(0077);
	bound = !bind(fd, (struct sockaddr *)&address, sizeof(address));
	(void)umask(mask);
	if (bound && !listen(fd, SOMAXCONN))
		return fd;
	(void)close(fd);
	return -1;
}

void watch_open(struct watch *watch, const char *folder, const char *uid)
{
	*watch = (struct watch){.fd = -1};
	(void)snprintf(watch->name, sizeof(watch->name), "plan-%.40s.sock", uid);
	watch->folder_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (watch->folder_fd >= 0)
		watch->fd = bind_to(watch, uid);
}

/* The plan itself must not run out of descriptors. */
static bool may_take(int fd)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_NOFILE, &limit) && (rlim_t)fd < limit.rlim_cur / 2;
}

static bool make_room(struct watch *watch)
{
	unsigned room = watch->room ? 2 * watch->room : 16;
	int *grown;

	if (watch->nreaders < watch->room)
		return true;
	grown = realloc(watch->reader, room * sizeof(*grown));
	if (!grown)
		return false;
	watch->reader = grown;
	watch->room = room;
	return true;
}

/* Who cannot be taken is let go, and does not wait for lines that never come. */
static void take_in(struct watch *watch)
{
	int fd;

	while ((fd = accept4(watch->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		if (may_take(fd) && make_room(watch))
			watch->reader[watch->nreaders++] = fd;
		else
			(void)close(fd);
	}
}

void watch_say(struct watch *watch, const char *line)
{
	unsigned kept = 0;

	if (watch->fd < 0)
		return;
	take_in(watch);
	for (unsigned i = 0; i < watch->nreaders; i++) {
		int fd = watch->reader[i];
		ssize_t n = send(fd, line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno != EAGAIN)
			(void)close(fd); /* it went away */
		else
			watch->reader[kept++] = fd;
	}
	watch->nreaders = kept;
}

void watch_close(struct watch *watch)
{
	if (watch->fd < 0)
		return;
	for (unsigned i = 0; i < watch->nreaders; i++)
		(void)close(watch->reader[i]);
	free(watch->reader);
	(void)unlinkat(watch->folder_fd, watch->name, 0); /* gone already is as good */
	(void)close(watch->fd);
	(void)close(watch->folder_fd);
	*watch = (struct watch){.fd = -1};
}

int watch_connect(const char *folder, const char *uid)
{
	int folder_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), rc = 0;
	struct sockaddr_un address;

	if (folder_fd < 0 || fd < 0) {
		rc = -errno;
	} else {
		address_of(folder_fd, uid, &address);
		if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
			rc = -errno;
	}
	if (folder_fd >= 0)
		(void)close(folder_fd);
	if (rc && fd >= 0)
		(void)close(fd);
	return rc ? rc : fd;
}
