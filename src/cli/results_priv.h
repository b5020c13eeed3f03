/* The parts of `assay results`: options that its words share, and the words. */
#pragma once

#include <stdbool.h>

#include "cli/native.h"
#include "cli/sides.h"

#define RESULTS_WORDS_MAX 1000

struct results {
	const char *words[RESULTS_WORDS_MAX]; /* after the command's word */
	unsigned nwords;
	const char *tag, *target, *output;
	enum native_format format;
	unsigned limit;
	bool anonymous, jobs;
	struct side_source source;
};

typedef int results_word(struct results *results, struct err *err);
results_word results_export, results_import, results_merge; /* cmd_results_io.c */
