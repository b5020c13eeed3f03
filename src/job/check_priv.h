/*
 * Rules between options. Each is an error in both faces; or what fio does silently: then the
 * native face refuses, with the remedy, and the fio face does as fio and notes the change.
 */
#pragma once

#include <stdbool.h>

#include "job/job.h"

struct check {
	struct job_set *set;
	struct job_spec *spec;
	struct err *err;
};

/* The value as the user wrote it (this job's, else the globals'), or NULL. */
const char *check_given(const struct check *check, const char *key);

/* "WHERE: [NAME]: OPTION: text" into err. */
int check_refuse(const struct check *check, const char *option, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Native face: an error. fio face: a NOTE_CHANGED, and 0: the caller makes the change. */
int check_settle(const struct check *check, const char *option, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Both faces: the effective value differs; the caller makes the change. */
void check_changed(const struct check *check, const char *option, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void check_warn(const struct check *check, const char *option, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

bool check_writes(const struct job_spec *spec); /* or trims */

/* The rules by subject; each returns 0 or fills err. */
int check_target(const struct check *check);
int check_sizes(const struct check *check);
int check_random(const struct check *check);
int check_buffers(const struct check *check);
int check_engine(const struct check *check);
int check_time(const struct check *check);
int check_rate(const struct check *check);
