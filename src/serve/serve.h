/*
 * assay sim serve: a simulated drive for every other program, as the file MOUNTPOINT/disk,
 * in real time. One thread: it takes requests from FUSE, sleeps until the model has the next
 * one done, and replies. Commands come as an extended attribute of the file, so that whoever
 * may write to the drive may control it, and nobody else.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "sim/drive.h"

#define SERVE_DISK_NAME	   "disk"
#define SERVE_ATTRIBUTE	   "user.assay.command"
#define SERVE_HEALTH	   "user.assay.health"
#define SERVE_STALL_MAX_NS UINT64_C(86400000000000) /* a day */

enum serve_verb { SERVE_CUT = 1, SERVE_STALL, SERVE_ERRORS, SERVE_THROTTLE, SERVE_SLC };
enum serve_failing { SERVE_FAIL_ALL, SERVE_FAIL_READS, SERVE_FAIL_WRITES };

/* The attribute's value: whole, or it is refused. */
struct serve_command {
	uint64_t verb;	 /* enum serve_verb */
	uint64_t first;	 /* cut: 1 tears pages; stall: ns; errors: every n-th, 0: none;
			    throttle: requests a second, 0: no limit; slc: how full, in
			    parts per million */
	uint64_t second; /* errors: enum serve_failing; throttle: bytes a second, 0: no limit */
};

/* The value of SERVE_HEALTH: what is served, and its own log. */
struct serve_health {
	char target[512]; /* as drive_open takes it */
	struct drive_health log;
};

struct serve_setup {
	const char *target;	/* as drive_open takes it */
	const char *mountpoint; /* an existing folder */
	const char *backing;	/* the contents; NULL: a file without a name, gone at the end */
	/* The model's state (drive_save): loaded if it is there, saved when the drive has been
	 * served; NULL: it begins new, and is gone at the end. */
	const char *state;
	const char
		*log; /* NULL, or a new file: arrival_ns due_ns done_ns op offset bytes errno */
	/* It can be used. What it returns, unless 0, ends the serving: serve_run returns it. */
	int (*ready)(void *arg, const char *file, uint64_t size_bytes);
	void *arg;
};

/* Serves until SIGTERM, SIGINT or SIGHUP, or until it is unmounted. */
int serve_run(const struct serve_setup *setup, struct err *err);
/* To the drive that is served at `mountpoint`. Returns when it has been carried out. */
int serve_send(const char *mountpoint, const struct serve_command *command, struct err *err);
int serve_ask(const char *mountpoint, struct serve_health *ret_health, struct err *err);
