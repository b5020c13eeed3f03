/* The cells of `assay quick`, each a job like any other: made by the same options, run by
 * run/. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/emit.h"
#include "cli/keep_live.h"
#include "cli/quick_priv.h"
#include "engine/engine.h"
#include "run/run.h"

#define QUICK_RAMP "500ms"

struct cell {
	const char *bs, *iodepth, *numjobs;
	bool random;
};

const char *const quick_cell_names[QUICK_CELLS] = {"SEQ1M Q8T1", "SEQ1M Q1T1", "RND4K Q32T1",
						   "RND4K Q32T4", "RND4K Q1T1"};
static const struct cell cells[QUICK_CELLS] = {
	{.bs = "1m", .iodepth = "8", .numjobs = "1"},
	{.bs = "1m", .iodepth = "1", .numjobs = "1"},
	{.bs = "4k", .iodepth = "32", .numjobs = "1", .random = true},
	{.bs = "4k", .iodepth = "32", .numjobs = "4", .random = true},
	{.bs = "4k", .iodepth = "1", .numjobs = "1", .random = true},
};

static int set_all(struct job_set *set, struct job_spec *spec, const char *const (*pairs)[2],
		   struct err *err)
{
	for (; (*pairs)[0]; pairs++) {
		int rc = job_set_option(set, spec, (*pairs)[0], (*pairs)[1], err);

		if (rc)
			return rc;
	}
	return 0;
}

/* io_uring, or libaio where the kernel or its settings refuse it. */
static const char *best_engine(void)
{
	const struct engine_ops *uring = engine_find("io_uring");
	struct err ignored = {0};
	struct job_set set;
	const struct job_spec *spec;
	const char *engine = "libaio";

	job_set_init(&set, FACE_NATIVE);
	spec = job_new(&set, "probe");
	if (uring && (!uring->check || uring->check(spec, &ignored) == 0))
		engine = "io_uring";
	job_set_done(&set);
	return engine;
}

static void escape_colons(const char *path, struct str *out)
{
	for (; *path; path++) {
		if (*path == ':')
			str_add_char(out, '\\');
		str_add_char(out, *path);
	}
}

/* A file of ours, and what --destroy names: the guard is asked like for any other job. */
static void give_consent(struct job_set *set, const struct quick_target *target,
			 const struct quick_options *options)
{
	if (target->kind == QUICK_OWN_FILE)
		set->options.destroy = arena_strdup(&set->arena, target->path);
	else
		set->options.destroy = options->destroy;
	set->options.progress = options->progress;
	set->options.progress_fd = 2;
}

static struct job_spec *new_job(struct job_set *set, const struct quick_target *target,
				const char *name, struct err *err)
{
	struct job_spec *spec = job_new(set, name);
	autostr path = {0}, size = {0};
	int rc;

	escape_colons(target->path, &path);
	str_printf(&size, "%llu", (unsigned long long)target->size_bytes);
	const char *const pairs[][2] = {
		{"filename", str_text(&path)},
		{"size", str_text(&size)},
		{"direct", target->direct ? "1" : "0"},
		{"group_reporting", "1"},
		{"ioengine", target->kind == QUICK_SIMULATED ? "sim" : best_engine()},
		{NULL, NULL},
	};
	rc = set_all(set, spec, pairs, err);
	return rc ? NULL : spec;
}

int quick_prepare(const struct quick_target *target, const struct quick_options *options,
		  const struct keep *keep, struct err *err)
{
	bool own = target->kind == QUICK_OWN_FILE;
	const char *const pairs[][2] = {
		{"rw", own ? "read" : "write"}, {"create_only", "1"}, {NULL, NULL}};
	struct run_hooks hooks;
	struct result result;
	struct job_spec *spec;
	struct job_set set;
	struct show show = {0};
	int rc;

	if (!own && (!target->writes || target->kind == QUICK_SIMULATED))
		return 0;
	job_set_init(&set, FACE_NATIVE);
	result_init(&result, &set);
	give_consent(&set, target, options);
	spec = new_job(&set, target, "test file", err);
	rc = spec ? set_all(&set, spec, pairs, err) : err->code;
	if (!rc)
		rc = job_add(&set, spec, err);
	if (!rc)
		rc = show_init(&show, &set, err);
	if (!rc) {
		show.consent = options->consent;
		show.consent_bytes = options->consent_bytes;
		show_hooks(&show, &hooks);
		keep_hook(keep, &hooks);
		rc = run_execute(&set, &hooks, &result, err);
		show_done(&show);
	}
	result_done(&result);
	job_set_done(&set);
	return rc;
}

static const char *rw_of(const struct cell *cell, enum quick_load load)
{
	static const char *const sequential[NQUICK_LOADS] = {"read", "write", "rw"};
	static const char *const random[NQUICK_LOADS] = {"randread", "randwrite", "randrw"};

	return cell->random ? random[load] : sequential[load];
}

static int make_cell(struct job_set *set, const struct quick_target *target,
		     const struct quick_options *options, unsigned at, enum quick_load load,
		     struct err *err)
{
	const struct cell *cell = &cells[at];
	struct job_spec *spec = new_job(set, target, quick_cell_names[at], err);
	autostr runtime = {0};

	if (!spec)
		return err->code;
	str_printf(&runtime, "%lluus", (unsigned long long)(options->time_ns / NS_PER_US));
	const char *const pairs[][2] = {
		{"rw", rw_of(cell, load)},  {"bs", cell->bs},
		{"iodepth", cell->iodepth}, {"numjobs", cell->numjobs},
		{"time_based", "1"},	    {"runtime", str_text(&runtime)},
		{"ramp_time", QUICK_RAMP},  {"rwmixread", "70"},
		{"norandommap", "1"},	    {NULL, NULL},
	};
	if (set_all(set, spec, pairs, err))
		return err->code;
	return job_add(set, spec, err);
}

int quick_run_cell(const struct quick_target *target, const struct quick_options *options,
		   const struct quick_wish *wish, struct quick_record *ret_record,
		   struct err *err)
{
	static const char *const loads[NQUICK_LOADS] = {"read", "write", "mix"};
	struct job_set *set = &ret_record->set;
	struct result *result = &ret_record->result;
	struct keep_part part = {.kind = "quick",
				 .name = quick_cell_names[wish->cell],
				 .load = loads[wish->load],
				 .repeat = wish->repeat,
				 .written_bytes = wish->written_bytes};
	struct run_hooks hooks;
	struct show show;
	int rc;

	job_set_init(set, FACE_NATIVE);
	result_init(result, set);
	give_consent(set, target, options);
	if (wish->load != QUICK_READ)
		set->options.max_write = wish->budget_bytes;
	rc = make_cell(set, target, options, wish->cell, wish->load, err);
	if (!rc)
		rc = show_init(&show, set, err);
	if (rc)
		return rc;
	(void)snprintf(show.title, sizeof(show.title), "%s %s", quick_cell_names[wish->cell],
		       loads[wish->load]);
	show.consent = options->consent;
	show.consent_bytes = options->consent_bytes;
	show.wrote = options->wrote;
	show_hooks(&show, &hooks);
	rc = keep_live_begin(wish->keep, &part, set, &hooks, err);
	if (!rc)
		rc = run_execute(set, &hooks, result, err);
	keep_live_end(wish->keep);
	show_done(&show);
	if (rc)
		return rc;
	result_plausibility(result);
	return keep_live_part(wish->keep, &part, result, set, err);
}

void quick_record_done(struct quick_record *record)
{
	result_done(&record->result);
	job_set_done(&record->set);
}
