/* The parts of `assay plan`: options that its words share, and the words. */
#pragma once

#include <stdbool.h>

#include "cli/native.h"
#include "plan/plan.h"

#define PLAN_SET_MAX   64
#define PLAN_WORDS_MAX 64

struct plan_options {
	const char *words[1 + PLAN_WORDS_MAX]; /* the plan, then targets */
	unsigned nwords;
	const char *set[PLAN_SET_MAX];
	unsigned nset;
	const char *spec_path, *output, *format_text;
	enum native_format format;
	bool text;		/* of show */
	bool dry_run, parallel; /* of run */
	bool no_report;
	const char *destroy, *store, *progress, *on_finish;
	uint64_t max_write_bytes;
	bool has_max_write;
	int progress_fd;
	unsigned repeat, scale, keep_worst;
	struct plan_spec spec;
	struct plan_wish wish;
};

typedef int plan_word(struct plan_options *options, struct err *err);
plan_word plan_list_word, plan_show_word, plan_check_word; /* cmd_plan_show.c */
plan_word plan_run_word, plan_resume_word,
	plan_estimate_word; /* cmd_plan_run.c; exit codes above 0 */

/* Reads the plan that the first word names. */
int plan_options_open(struct plan_options *options, struct plan *ret_plan, struct err *err);
