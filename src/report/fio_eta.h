/*
 * fio's live line: "Jobs: 1 (f=1): [r(1)][24.8%][r=20.5MiB/s][r=5248 IOPS][eta 01m:31s]". No
 * end of line and no carriage return: who shows it knows which, and pads over a longer line
 * before.
 */
#pragma once

#include "base/str.h"
#include "job/job.h"
#include "result/progress.h"

void fio_eta(const struct progress *progress, const struct job_set *set, struct str *out);
