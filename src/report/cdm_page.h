/*
 * Results of CrystalDiskMark's tests as lines that look like its own, for those who paste them
 * next to others'. Two layouts: that of versions 8 and 9, and that of version 3. The first line
 * says that assay measured, and how several runs became one score stands below: it is not
 * CrystalDiskMark's output.
 *
 * MB are 10^6 bytes, divided once; IOPS are MB/s by the block size, as there.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum cdm_load { CDM_READ, CDM_WRITE, CDM_MIX, NCDM_LOADS };

struct cdm_cell {
	bool random;
	uint64_t block_bytes;
	unsigned depth, threads;
	double bytes_per_s; /* NAN: not measured, and a dash stands there */
	double mean_ns;
};

struct cdm {
	const char *program; /* "assay 0.1.0" */
	const char *profile; /* "default"; "v3" chooses the other layout */
	const struct cdm_cell *cells[NCDM_LOADS];
	unsigned ncells[NCDM_LOADS];
	unsigned mix_read_percent;
	const char *score;	  /* "best", "median", "mean" */
	unsigned runs, discarded; /* counted ones, and those before them */
	uint64_t size_bytes, time_ns, pause_ns;
	bool zeros;
	const char *target, *date; /* "/dev/sda", "2026/11/30 15:04:05" */
	const char *system;	   /* "Linux 6.1"; NULL unknown */
	bool simulated;
};

void cdm_page(const struct cdm *cdm, struct str *out);
