/*
 * A drive that is served: a model, its contents, and what can be done to it while it runs. Time
 * is an argument, as in sim/drive.h; who serves it (mount.c) brings the clock and the requests.
 */
#pragma once

#include <stdbool.h>

#include "base/rng.h"
#include "serve/contents.h"
#include "serve/serve.h"
#include "sim/drive.h"

/* The caller's memory until served_reap gives it back. */
struct served_request {
	struct served_request *next, *last; /* served's own */
	uint64_t arrival_ns, start_ns;	    /* start: when the throttle lets it through */
	uint64_t due_ns;		    /* when the model has it done */
	uint64_t offset, bytes;		    /* inside the drive */
	void *data;			    /* read into, or written from */
	void *owner;			    /* the caller's */
	int error;			    /* 0 or a negative errno, once it is given back */
	enum drive_op op;
};

struct served {
	struct drive *drive;
	struct contents contents;
	struct served_request waiting, flying, failed; /* heads of rings */
	uint64_t throttle_ns_per_op, throttle_bytes_s, throttle_free_ns;
	uint64_t error_every, error_count;
	bool fail_reads, fail_writes;
	struct rng rng; /* where a torn page tears */
};

/* `target` as drive_open takes it, `backing` as contents_open does. */
int served_open(struct served *served, const char *target, const char *backing,
		struct err *err);
void served_close(struct served *served); /* after all requests have been given back */

void served_add(struct served *served, struct served_request *request, uint64_t now_ns);
/* When to look again; UINT64_MAX: nothing is under way. */
uint64_t served_next(const struct served *served);
/* The next request that is done, or NULL. Starts those that the throttle lets through. */
struct served_request *served_reap(struct served *served, uint64_t now_ns);

/* Carries it out: 0, or -EINVAL for what no command says, or what the contents met with. */
int served_obey(struct served *served, const struct serve_command *command, uint64_t now_ns);
