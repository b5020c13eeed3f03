/* Whole runs in this process: a job file in text, a folder of its own, and the result. */
#pragma once

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "run/run.h"
#include "unit.h"

struct bed {
	char folder[64], before[4096];
	struct job_set set;
	struct run_hooks hooks;
	struct result result;
	struct err err;
	int rc;
};

/* A new empty folder becomes the working directory. */
static inline void bed_init(struct bed *bed)
{
	*bed = (struct bed){0};
	(void)snprintf(bed->folder, sizeof(bed->folder), "run-%d", (int)getpid());
	assert_non_null(getcwd(bed->before, sizeof(bed->before)));
	assert_int_equal(mkdir(bed->folder, 0700), 0);
	assert_int_equal(chdir(bed->folder), 0);
}

static inline int bed_remove_one(const char *path, const struct stat *st, int kind,
				 struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static inline void bed_done(struct bed *bed)
{
	assert_int_equal(chdir(bed->before), 0);
	assert_int_equal(nftw(bed->folder, bed_remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* Runs it; `prepare` may set options of the command, or what no job file could. */
static inline int bed_run_with(struct bed *bed, enum face face, const char *text,
			       void (*prepare)(struct job_set *set))
{
	int rc;

	job_set_init(&bed->set, face);
	rc = job_parse_text(&bed->set, "test.fio", text, strlen(text), &bed->err);
	if (rc)
		fail_msg("%s", bed->err.text);
	if (prepare)
		prepare(&bed->set);
	result_init(&bed->result, &bed->set);
	bed->err = (struct err){0};
	bed->rc = run_execute(&bed->set, &bed->hooks, &bed->result, &bed->err);
	return bed->rc;
}

static inline int bed_run(struct bed *bed, enum face face, const char *text)
{
	return bed_run_with(bed, face, text, NULL);
}

static inline void bed_end_run(struct bed *bed)
{
	result_done(&bed->result);
	job_set_done(&bed->set);
}

static inline void bed_write_file(const char *path, const void *bytes, size_t count)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
}
