/* Parsing in tests: words in, a set out; and the set as one line of text to compare. */
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "job/job.h"

#define WORDS_MAX 40

/* `line` is cut at its blanks: a command line without argv[0]. */
static inline int parse_line(struct job_set *set, enum face face, const char *line,
			     struct err *err)
{
	char copy[1000], *argv[WORDS_MAX], *rest = copy, *word;
	int argc = 0;

	assert_true(strlen(line) < sizeof(copy));
	strcpy(copy, line);
	while ((word = strsep(&rest, " ")))
		if (*word) {
			assert_true(argc < WORDS_MAX);
			argv[argc++] = word;
		}
	job_set_init(set, face);
	return job_parse(set, argc, argv, err);
}

static inline void write_file(const char *path, const char *text)
{
	autostream file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
}

static inline void add_given(struct str *out, const struct given *given, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		str_printf(out, "%s%s%s%s", i ? " " : "", given[i].key,
			   given[i].value[0] ? "=" : "", given[i].value);
}

/* "{globals} NAME GROUP/WAVE(own options)" for each job. */
static inline void summarise(const struct job_set *set, struct str *out)
{
	for (unsigned i = 0; i < set->njobs; i++) {
		const struct job_spec *spec = set->jobs[i];

		str_add(out, i ? " " : "");
		if (spec->nglobal) {
			str_add_char(out, '{');
			add_given(out, spec->global, spec->nglobal);
			str_add(out, "} ");
		}
		str_printf(out, "%s %u/%u(", spec->name, spec->group, spec->stonewall_group);
		add_given(out, spec->given, spec->ngiven);
		str_add_char(out, ')');
	}
}

static inline const struct job_note *find_note(const struct job_set *set, enum note_kind kind,
					       const char *option)
{
	for (const struct job_note *n = set->notes; n; n = n->next)
		if (n->kind == kind && n->option && str_equal(n->option, option))
			return n;
	return NULL;
}
