/*
 * What judge, compare and plot share: logs read into a series and a density, and the options
 * that the other commands of `assay log` do not have.
 */
#pragma once

#include "cli/log_priv.h"
#include "cli/verdict.h"
#include "stat/closeup.h"
#include "stat/density.h"
#include "stat/policy.h"
#include "stat/slowest.h"

#define GAUGE_SPECS_MAX 16

struct gauge_options {
	struct log_options log;
	struct arena arena;
	const char *format, *title, *policy_name, *store;
	bool outstanding, has_interval, wants_density, wants_closeup;
	unsigned slowest; /* of the slowest requests, how many are wanted */
	double margin;
	uint64_t seed;
	struct qos_spec specs[GAUGE_SPECS_MAX];
	unsigned nspecs;
	struct policy policy;
	unsigned split; /* of the paths, those before "--"; 0: no "--" */
};

/* Takes its own options out of argv and leaves the others to log_parse(); reads the policy. */
int gauge_parse(int argc, char **argv, const char *own, struct gauge_options *ret_options,
		struct err *err);
void gauge_done(struct gauge_options *options);

/* One run: the logs of its jobs, merged in the order of time. */
struct gauge {
	struct series series;
	struct density density;
	struct closeup closeup; /* where the log has each request */
	struct slowest slowest; /* requests, where the log has each */
	struct qos_run run;
	struct qos qos;
	struct trace_info info;	     /* of the first log */
	uint64_t window_end_ns;	     /* of the last window */
	struct row_span *spans;	     /* of each log's rows, likewise */
	struct log_tally *tallies;   /* of each log's rows, while they are read; in the arena */
	uint64_t origin_ns;	     /* of the series, in the logs' time */
	const struct qos_span *lost; /* in the series' time; in the arena */
	unsigned nlost;
	int damaged; /* exit code of logs that are damaged, else 0 */
	const char *subject;
	const char *
		agrees; /* with the totals of the run's JSON, in words; NULL: not known, or not */
	const char *notes[48];
	unsigned nnotes;
};

int gauge_read(struct gauge_options *options, const char *const *paths, unsigned npaths,
	       struct gauge *ret_gauge, struct err *err);
/* The figures of gauge->run. */
void gauge_settle(struct gauge_options *options, struct gauge *gauge);
void gauge_free(struct gauge *gauge);

/* The logs of options->log.paths, those of one run's jobs as one gauge; released with
 * log_groups_free() also after an error. */
struct log_groups {
	struct gauge *gauges;
	unsigned count;
};
int log_groups_damaged(const struct log_groups *groups); /* as gauge.damaged */
int log_groups_read(struct gauge_options *options, unsigned most, struct log_groups *ret_groups,
		    struct err *err);
void log_groups_free(struct log_groups *groups);

/* The format that was asked for; text unless another was. */
bool gauge_wants(const struct gauge_options *options, const char *format);
/* Opens a page of text or markdown; any other format is an error that names `formats`. */
struct document;
int gauge_begin_page(const struct gauge_options *options, const char *formats,
		     struct document *doc, struct str *out, struct err *err);
