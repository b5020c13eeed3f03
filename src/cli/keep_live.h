/*
 * A run kept while it goes on: its head when it begins, and every few seconds what it has done
 * since, so that a killed process, a crash or a lost machine costs these seconds and not the
 * run. The figures are copied in the control plane's thread, which takes a millisecond; a thread
 * of its own writes them, so that a slow disk under the store holds nobody up. Where the store
 * lies on a drive that is measured, all but the head waits until the run has ended.
 */
#pragma once

#include "cli/keep.h"

/* When: after 1, 2, 4 and 8 s, every KEEP_NS, and from KEEP_SHARE of these on each time after
 * another hundredth of what the run took so far, KEEP_MOST_NS at most, for the totals are written
 * anew each time: 10 to 30 ms of CPU time, beside the workers'. */
#define KEEP_FIRST_NS NS_PER_S
#define KEEP_NS	      (5 * NS_PER_S)
#define KEEP_MOST_NS  (60 * NS_PER_S)
#define KEEP_SHARE    100

struct keep_live;

/* What is about to run: a part of the record that keep_save() will be given. */
struct keep_part {
	const char *kind;	 /* of the record: "run", "quick" */
	const char *name, *load; /* of the part; NULL */
	unsigned repeat;
	uint64_t written_bytes; /* by the parts before it */
};
/* Does nothing with --no-store. keep_live_end() waits for the thread, whatever the run came to. */
int keep_live_begin(struct keep *keep, const struct keep_part *part, const struct job_set *set,
		    struct run_hooks *hooks, struct err *err);
void keep_live_end(struct keep *keep);
/* A part of several is whole: it is in the store before the next one begins. */
int keep_live_part(struct keep *keep, const struct keep_part *part, struct result *result,
		   const struct job_set *set, struct err *err);
/* Nothing was measured: what was kept goes again. */
void keep_live_forget(struct keep *keep);
