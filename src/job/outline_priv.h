/*
 * Between the text and the specs: blocks of settings in order, not yet applied. argv.c and
 * the job files fill them, outline.c makes specs of them. All memory is the set's arena.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "job/job.h"

struct setting {
	const char *key, *value; /* value NULL: bare */
	const char *where;
};

/* A section of a file, or what stands for one on the command line. */
struct block {
	bool global;
	const char *name; /* of a job */
	const char *where;
	unsigned file; /* 0: the command line; job files count from 1 */
	struct setting *settings;
	size_t nsettings;
};

struct outline {
	struct job_set *set;
	struct block *blocks;
	size_t nblocks;
	const char **files; /* job files named on the command line, in order */
	size_t nfiles;
	unsigned file; /* the one being read */
};

struct block *outline_add_block(struct outline *outline, const char *name, const char *where);
/* Adds to the newest block. */
void outline_add_setting(struct outline *outline, const char *key, const char *value,
			 const char *where);
void outline_add_file(struct outline *outline, const char *path);

/* argv.c: the command's own options are set at once (set->options), the rest goes into the
 * outline. */
int argv_read(struct outline *outline, int argc, char **argv, struct err *err);
