/*
 * struct done: requests that are over and wait for reap(), oldest first. No engine completes a
 * request in queue(), so what was done there and then (a pread, a discard by ioctl) rests here.
 * Links are req->next; the list owns nothing; { 0 } is an empty one.
 */
#pragma once

#include <errno.h>
#include <stddef.h>

#include "engine/req.h"

struct done {
	struct req *first, *last; /* `last` means something only while `first` is set */
};

/* The kernel moves no more in one request (MAX_RW_COUNT), and res holds no more. */
#define DONE_BYTES_MAX 0x7ffff000u

/* A res that says "all of it". */
static inline int32_t done_all(const struct req *req)
{
	return (int32_t)(req->len < DONE_BYTES_MAX ? req->len : DONE_BYTES_MAX);
}

static inline void done_add(struct done *list, struct req *req, int32_t res)
{
	req->res = res;
	req->next = NULL;
	if (list->first)
		list->last->next = req;
	else
		list->first = req;
	list->last = req;
}

static inline unsigned done_take(struct done *list, struct req **ret_reqs, unsigned max)
{
	struct req *req = list->first;
	unsigned n = 0;

	while (req && n < max) {
		ret_reqs[n++] = req;
		req = req->next;
	}
	list->first = req;
	return n;
}
