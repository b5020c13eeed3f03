/*
 * What fio's text has before the report: a line for each job, the version, what is started,
 * and a failed worker as it fails. ("Laying out IO file" is said by run/ as it happens.)
 */
#pragma once

#include "base/str.h"
#include "job/job.h"
#include "result/result.h"

/* "NAME: (g=0): rw=read, ..." for each job ("..." for clones), "fio-3.42", "Starting N
 * processes". Without a set of jobs (nothing to do) it is the version alone. */
void fio_start(const struct job_set *set, struct str *out);

/* "fio: pid=1, err=28/file:/dev/full, func=write, error=No space left on device". */
void fio_start_error(const struct job_result *job, struct str *out);

/* "fio: io_u error on file /dev/full: No space left on device: write offset=0, buflen=4096". */
void fio_request_error(const struct job_result *job, struct str *out);
