#include "base/program.h"

#include <ctype.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/lang.h"

#define OUTPUT_LIMIT_BYTES (16u << 20)
#define SIGNAL_STATUS	   128 /* as shells have it */

void program_done(struct program_end *end)
{
	str_done(&end->out);
	str_done(&end->error);
}

static bool is_program(const char *folder, size_t length, const char *name,
		       struct str *ret_path)
{
	str_clear(ret_path);
	str_add_bytes(ret_path, folder, length);
	str_printf(ret_path, "%s%s", length ? "/" : "", name);
	return access(str_text(ret_path), X_OK) == 0;
}

bool program_find(const char *name, struct str *ret_path)
{
	const char *path = getenv("PATH");
	autostr folders = {0};

	if (strchr(name, '/'))
		return is_program("", 0, name, ret_path);
	str_printf(&folders, "%s:/usr/local/sbin:/usr/sbin:/sbin",
		   path ? path : "/usr/bin:/bin");
	for (const char *at = str_text(&folders); at;) {
		size_t length = strcspn(at, ":");

		if (length && is_program(at, length, name, ret_path))
			return true;
		at = at[length] ? at + length + 1 : NULL;
	}
	str_clear(ret_path);
	return false;
}

/* --- the child --- */

struct child {
	pid_t pid;
	int out, error; /* reading ends; -1: at its end */
};

static int spawn_actions(posix_spawn_file_actions_t *actions, const int out[2],
			 const int error[2])
{
	int rc = posix_spawn_file_actions_init(actions);

	if (rc)
		return rc;
	rc = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(actions, out[1], STDOUT_FILENO);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(actions, error[1], STDERR_FILENO);
	if (rc)
		(void)posix_spawn_file_actions_destroy(actions);
	return rc;
}

/* Our own, but for the locale. */
static char **child_environment(char *locale)
{
	size_t count = 0, kept = 0;
	char **copy;

	while (environ[count])
		count++;
	copy = calloc(count + 2, sizeof(*copy));
	if (!copy)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (!str_starts(environ[i], "LC_ALL="))
			copy[kept++] = environ[i];
	}
	copy[kept] = locale;
	return copy;
}

static int spawn(const char *path, const char *const *argv, const int out[2],
		 const int error[2], pid_t *ret_pid)
{
	char locale[] = "LC_ALL=C";
	char **environment = child_environment(locale);
	posix_spawn_file_actions_t actions;
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): only const is cast away */
	char *const *words = (char *const *)(uintptr_t)argv;
	posix_spawnattr_t attributes;
	sigset_t none;
	int rc = environment ? posix_spawnattr_init(&attributes) : ENOMEM;

	if (rc) {
		free(environment);
		return -rc;
	}
	sigemptyset(&none);
	(void)posix_spawnattr_setpgroup(&attributes, 0);
	(void)posix_spawnattr_setsigmask(&attributes, &none);
	(void)posix_spawnattr_setflags(&attributes,
				       POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	rc = spawn_actions(&actions, out, error);
	if (!rc) {
		rc = posix_spawn(ret_pid, path, &actions, &attributes, words, environment);
		(void)posix_spawn_file_actions_destroy(&actions);
	}
	(void)posix_spawnattr_destroy(&attributes);
	free(environment);
	return -rc;
}

static int child_start(const char *path, const char *const *argv, struct child *child)
{
	int out[2] = {-1, -1}, error[2] = {-1, -1}, rc = 0;

	if (pipe2(out, O_CLOEXEC) < 0 || pipe2(error, O_CLOEXEC) < 0)
		rc = -errno;
	if (!rc)
		rc = spawn(path, argv, out, error, &child->pid);
	file_close_fd(&out[1]);
	file_close_fd(&error[1]);
	if (rc) {
		file_close_fd(&out[0]);
		file_close_fd(&error[0]);
		return rc;
	}
	child->out = out[0];
	child->error = error[0];
	return 0;
}

/* One read; closes `fd` at its end. */
static int take(int *fd, struct str *text)
{
	char bytes[1 << 14];
	ssize_t n = read(*fd, bytes, sizeof(bytes));

	if (n > 0)
		str_add_bytes(text, bytes, (size_t)n);
	else if (n == 0 || errno != EINTR)
		file_close_fd(fd);
	return text->length > OUTPUT_LIMIT_BYTES ? -EFBIG : 0;
}

static int wait_ms(uint64_t until_ns)
{
	uint64_t now = clock_monotonic_ns();

	if (until_ns == UINT64_MAX)
		return -1;
	return now >= until_ns ? 0 : (int)min_u64((until_ns - now) / NS_PER_MS + 1, 60000);
}

static int child_listen(struct child *child, uint64_t until_ns, struct program_end *end)
{
	while (child->out >= 0 || child->error >= 0) {
		struct pollfd fds[] = {{.fd = child->out, .events = POLLIN},
				       {.fd = child->error, .events = POLLIN}};
		int timeout = wait_ms(until_ns), n, rc = 0;

		if (timeout == 0)
			return -ETIMEDOUT;
		n = poll(fds, ARRAY_SIZE(fds), timeout);
		if (n > 0 && fds[0].revents)
			rc = take(&child->out, &end->out);
		if (n > 0 && fds[1].revents && !rc)
			rc = take(&child->error, &end->error);
		if (rc)
			return rc;
	}
	return 0;
}

static int child_reap(struct child *child)
{
	int status;

	while (waitpid(child->pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return WIFSIGNALED(status) ? SIGNAL_STATUS + WTERMSIG(status) : WEXITSTATUS(status);
}

int program_run(const char *const *argv, uint64_t timeout_ns, struct program_end *ret_end,
		struct err *err)
{
	uint64_t until_ns = timeout_ns ? clock_monotonic_ns() + timeout_ns : UINT64_MAX;
	struct child child = {.out = -1, .error = -1};
	autostr path = {0};
	int rc, status;

	*ret_end = (struct program_end){0};
	if (!program_find(argv[0], &path))
		return err_env(err, -ENOENT, "the program \"%s\" is not installed", argv[0]);
	rc = child_start(str_text(&path), argv, &child);
	if (rc < 0)
		return err_env(err, rc, "cannot start %s: %s", str_text(&path), err_name(rc));
	rc = child_listen(&child, until_ns, ret_end);
	if (rc < 0)
		(void)kill(-child.pid, SIGKILL);
	file_close_fd(&child.out);
	file_close_fd(&child.error);
	status = child_reap(&child);
	if (rc == -ETIMEDOUT)
		return err_env(err, rc, "%s did not end within %llu s", argv[0],
			       (unsigned long long)(timeout_ns / NS_PER_S));
	if (rc < 0)
		return err_env(err, rc, "%s printed more than %u MiB", argv[0],
			       OUTPUT_LIMIT_BYTES >> 20);
	if (status < 0)
		return err_env(err, status, "%s: how it ended is not known: %s", argv[0],
			       err_name(status));
	ret_end->status = status;
	return 0;
}

const char *program_complaint(const struct program_end *end, char *text, size_t size_bytes)
{
	const char *from = str_text(end->error.length ? &end->error : &end->out);
	size_t length = 0;

	from += strspn(from, " \t\r\n");
	for (; *from && length + 1 < size_bytes; from++) {
		bool blank = isspace((unsigned char)*from) || !isprint((unsigned char)*from);

		if (blank && (length == 0 || text[length - 1] == ' '))
			continue;
		text[length++] = blank ? ' ' : *from;
	}
	while (length && text[length - 1] == ' ')
		length--;
	text[length] = '\0';
	if (!length)
		(void)snprintf(text, size_bytes, N_("exit status %d"), end->status);
	return text;
}
