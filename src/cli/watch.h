/*
 * Who watches a plan: a socket in the store's folder, made by the process that carries the plan
 * out. Any number may read, up to half of the files that the process may open: the plan needs
 * the others. Nobody can say anything. A line is lost to a watcher that does not keep up, and
 * never held back by one.
 */
#pragma once

#include "base/err.h"

struct watch {
	int fd;	     /* -1: nobody can watch */
	int *reader; /* owned; grows */
	unsigned nreaders, room;
	int folder_fd;
	char name[80];
};

/* Fails quietly: a plan that cannot be watched is carried out all the same. */
void watch_open(struct watch *watch, const char *folder, const char *uid);
/* Takes in who came since, and tells all: one line, with its newline. */
void watch_say(struct watch *watch, const char *line);
void watch_close(struct watch *watch);

/* The other end: a descriptor to read from, or a negative errno. */
int watch_connect(const char *folder, const char *uid);
