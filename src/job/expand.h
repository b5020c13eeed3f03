/*
 * What stands for something else in a value: ${VAR} from the environment, the words
 * $pagesize, $mb_memory and $ncpus, and arithmetic on them.
 *
 * Once one of the words occurs and an operator with it, the value is an expression of whole
 * numbers: + - * / % ^ and parentheses with their usual precedence, ^ to the right, division
 * towards zero, 64 bits signed. A value without such a word is never calculated: "4-8" is a
 * list of CPUs and "2*4" fio's business.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "job/job.h"

/* Variables that stand before the environment's: of a plan. */
struct expand_names {
	/* The value of ${NAME}; NULL: the environment is asked. */
	const char *(*find)(void *arg, const char *name);
	void *arg;
};

/*
 * Appends the value to `ret_text`. fio face: an unset variable is empty, "${" without its
 * brace is text, and a value with one of the words must be a number or an expression (fio
 * hands it to bc). Native face: unset and unclosed are errors, and text that is not an
 * expression stays text.
 */
int expand_value(const char *value, enum face face, struct str *ret_text, struct err *err);
/* The same with names of the caller's own; NULL: none. */
int expand_value_with(const char *value, enum face face, const struct expand_names *names,
		      struct str *ret_text, struct err *err);

/* The expression alone. On failure `err` says what is wrong with it, without naming it. */
int expand_calculate(const char *text, int64_t *ret_value, struct err *err);
