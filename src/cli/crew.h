/*
 * Several processes that do one thing each at the same time, and the one that started them. Each
 * of the crew may say lines; the caller hears them, passes signals on, and waits for all. Who is
 * killed takes its crew along: the kernel ends them.
 *
 * Processes and not threads: what ends one (a signal, a lost device, memory) leaves the others,
 * and a run has the signals of its process for itself. To be started while the process has one
 * thread and holds no database.
 */
#pragma once

#include "base/err.h"

#define CREW_MAX	64
#define CREW_LINE_BYTES 240

struct crew {
	void *context;
	/* In the new process, which ends with what it returns (0 to 255). `say_fd` is for
	 * crew_say(). */
	int (*work)(void *context, unsigned member, int say_fd);
	/* In the caller's, a line of one of them. */
	void (*hear)(void *context, unsigned member, const char *line);
	/* A signal that came since it was asked last, to be passed on; 0 none. */
	int (*stop)(void *context);
};

/* Ends when all have ended. `ret_codes`: exit codes, 128 + n of who was ended by a signal. */
int crew_run(const struct crew *crew, unsigned count, int *ret_codes, struct err *err);
/* A longer line is cut. */
void crew_say(int say_fd, unsigned member, const char *line);
