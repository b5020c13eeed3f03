/*
 * fio's text report ("normal"): a block for each job or group, the run status groups, the
 * disks, and after fio's last line our notes as lines that begin with "assay:".
 */
#pragma once

#include "base/str.h"
#include "report/fio_figures.h"

void fio_normal(const struct fio_report *report, struct str *out);

/* "8003KiB/s" and, of the other base, "8195kB/s"; in bits where the job says so. */
void fio_rate_text(const struct job_spec *spec, double bytes_per_s, struct str *ret_main,
		   struct str *ret_other);
