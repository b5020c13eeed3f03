/*
 * What the name of a log file says: NAME_{bw,iops,lat,clat,slat,clat_hist}.JOB.log, without the
 * number with per_job_logs=0, with .HOST after it in client mode, .gz .zst .fz behind all of it,
 * and agg-read_bw.log. Pure text.
 */
#pragma once

#include "trace/sample.h"

#define LOGNAME_MAX 80

struct logname {
	enum trace_kind kind;	  /* TRACE_UNKNOWN: the name does not tell */
	unsigned job;		  /* 0: no number in it */
	char prefix[LOGNAME_MAX]; /* "randread" of randread_clat.1.log */
	char host[LOGNAME_MAX];	  /* "" without */
	int aggregate_op; /* enum sample_op of a bandwidth log of the whole run, else -1 */
};

void logname_parse(const char *path, struct logname *ret_name);

const char *trace_kind_name(enum trace_kind kind); /* "clat" */
/* TRACE_UNKNOWN for a word that is none. */
enum trace_kind trace_kind_find(const char *word);
