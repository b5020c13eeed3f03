#include "cli/crew.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assert.h"
#include "cli/command.h"

#define LOOK_FOR_SIGNAL_MS 50

/* At most PIPE_BUF bytes: the kernel keeps them together whoever else writes. */
struct crew_line {
	unsigned member;
	char text[CREW_LINE_BYTES];
};
_Static_assert(sizeof(struct crew_line) <= 4096, "PIPE_BUF");

struct hands {
	pid_t pid[CREW_MAX];
	unsigned count;
};

void crew_say(int say_fd, unsigned member, const char *line)
{
	struct crew_line message = {.member = member};

	(void)snprintf(message.text, sizeof(message.text), "%s", line);
	/* A pipe that is full loses the line: nobody's I/O waits for a reader. */
	if (write(say_fd, &message, sizeof(message)) < 0)
		return;
}

/* A group of its own: Ctrl-C on the terminal reaches it once, through its parent. */
static void be_of_the_crew(pid_t parent)
{
	(void)setpgid(0, 0); /* cannot fail for a child of ours that has not changed */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(128 + SIGKILL); /* it went before the kernel was told */
}

static int start(const struct crew *crew, unsigned member, int say_fd, pid_t *ret_pid)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		int code;

		be_of_the_crew(parent);
		command_end_without_memory(false);
		code = crew->work(crew->context, member, say_fd);
		(void)fflush(NULL);
		_exit(code);
	}
	(void)setpgid(pid, pid); /* both sides: whoever is first */
	*ret_pid = pid;
	return 0;
}

static void tell_all(const struct hands *hands, int signal)
{
	for (unsigned i = 0; i < hands->count; i++)
		if (hands->pid[i] > 0)
			(void)kill(hands->pid[i], signal); /* who has ended needs none */
}

/* Until every writer has closed its end. */
static void listen_to(const struct crew *crew, const struct hands *hands, int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	struct crew_line line;

	for (;;) {
		int signal = crew->stop(crew->context);
		ssize_t n;

		if (signal)
			tell_all(hands, signal);
		if (poll(&poll_fd, 1, LOOK_FOR_SIGNAL_MS) <= 0)
			continue;
		n = read(fd, &line, sizeof(line));
		if (n == 0)
			return;
		if (n == sizeof(line) && line.member < hands->count)
			crew->hear(crew->context, line.member, line.text);
	}
}

static int code_of(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int crew_run(const struct crew *crew, unsigned count, int *ret_codes, struct err *err)
{
	struct hands hands = {.count = count};
	int pipe_fd[2], rc = 0;

	assert(count <= CREW_MAX);
	(void)fflush(NULL); /* what stands in buffers is said once */
	if (pipe2(pipe_fd, O_CLOEXEC) < 0)
		return err_env(err, -errno, "no pipe: %s", err_name(errno));
	(void)fcntl(pipe_fd[1], F_SETFL, O_NONBLOCK); /* the crew never waits */
	for (unsigned i = 0; i < count && !rc; i++)
		rc = start(crew, i, pipe_fd[1], &hands.pid[i]);
	if (rc) {
		tell_all(&hands, SIGTERM);
		(void)err_env(err, rc, "no process for each target: %s", err_name(-rc));
	}
	(void)close(pipe_fd[1]);
	listen_to(crew, &hands, pipe_fd[0]);
	(void)close(pipe_fd[0]);
	for (unsigned i = 0; i < count; i++)
		ret_codes[i] = hands.pid[i] > 0 ? code_of(hands.pid[i]) : 128 + SIGTERM;
	return rc;
}
