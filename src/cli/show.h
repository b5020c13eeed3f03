/*
 * What is shown while a run goes on: the live line on a terminal's stderr, or lines of JSON
 * on a descriptor (--progress=json). Use: show_init, hooks from show_hooks, show_done.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "job/job.h"
#include "run/run.h"

struct show {
	const struct job_set *set;
	bool live, json;
	int fd;		 /* of the JSON lines */
	char title[160]; /* before the line: "RND4K Q32T1 read"; "" none */
	char *consent;	 /* what was typed, for runs to come; NULL: not kept */
	size_t consent_bytes;
	bool wrote;	/* the target, in an earlier run: the data there are ours */
	unsigned shown; /* columns of the line that stands there now */
};

int show_init(struct show *show, const struct job_set *set, struct err *err);
void show_hooks(struct show *show, struct run_hooks *ret_hooks);
/* Takes the live line away. */
void show_done(struct show *show);
