/*
 * Runs a command on one core and says what it cost: wall time from fork to exit, CPU time as
 * wait4 counts it (all threads, those of io-wq too, and all children that were waited for), and
 * the largest resident size of any one process. A small program does it because a child's peak
 * memory includes its parent's at the fork: an interpreter's would hide a small child's.
 *
 * usage: meter REPORT CORE CGROUP COMMAND [ARGUMENT]...
 *
 * CGROUP is a cgroup's folder to run in, or "-". Writes "wall_ns user_us system_us peak_kib" to
 * the file REPORT; exits as the command did.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long wall_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long long micros(struct timeval t)
{
	return t.tv_sec * 1000000LL + t.tv_usec;
}

static void pin(int core)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(core, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		fprintf(stderr, "meter: core %d: %s\n", core, strerror(errno));
}

static void join(const char *cgroup)
{
	char path[4096];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) < 0)
		fprintf(stderr, "meter: %s: %s\n", path, strerror(errno));
	if (fd >= 0)
		close(fd);
}

static int report(const char *path, long long spent_ns, const struct rusage *used)
{
	FILE *file = fopen(path, "w");

	if (!file) {
		fprintf(stderr, "meter: %s: %s\n", path, strerror(errno));
		return 1;
	}
	fprintf(file, "%lld %lld %lld %ld\n", spent_ns, micros(used->ru_utime),
		micros(used->ru_stime), used->ru_maxrss);
	return fclose(file) ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct rusage used;
	long long begin_ns;
	int status;
	pid_t pid;

	if (argc < 5) {
		fputs("usage: meter REPORT CORE CGROUP COMMAND [ARGUMENT]...\n", stderr);
		return 2;
	}
	pin(atoi(argv[2]));
	if (strcmp(argv[3], "-") != 0)
		join(argv[3]);
	begin_ns = wall_ns();
	pid = fork();
	if (pid == 0) {
		execvp(argv[4], argv + 4);
		fprintf(stderr, "meter: %s: %s\n", argv[4], strerror(errno));
		_exit(127);
	}
	while (pid > 0 && wait4(pid, &status, 0, &used) < 0 && errno == EINTR)
		;
	if (pid < 0 || report(argv[1], wall_ns() - begin_ns, &used))
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
