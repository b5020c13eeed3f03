/*
 * fio's --showcmd: the job set as one command line. Unlike fio's own it can be pasted into a
 * shell (values are quoted) and repeats what several [global] sections or several job files
 * mean.
 */
#include <string.h>

#include "job/job.h"

static void add_quoted(struct str *out, const char *text)
{
	str_add_char(out, '\'');
	for (; *text; text++)
		if (*text == '\'')
			str_add(out, "'\\''");
		else
			str_add_char(out, *text);
	str_add_char(out, '\'');
}

static bool is_plain(const char *text)
{
	return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "0123456789_@%+=:,./-")] == '\0';
}

static void add_option(struct str *out, const struct given *given)
{
	str_printf(out, "--%s", given->key);
	if (given->value[0]) {
		str_add_char(out, '=');
		/* fio puts a description in double quotes, whatever it holds. */
		if (str_equal(given->key, "description") && !strpbrk(given->value, "\"\\$`!"))
			str_printf(out, "\"%s\"", given->value);
		else if (is_plain(given->value))
			str_add(out, given->value);
		else
			add_quoted(out, given->value);
	}
	str_add_char(out, ' ');
}

static bool same_given(const struct given *a, const struct given *b)
{
	return str_equal(a->key, b->key) && str_equal(a->value, b->value);
}

/* Do the globals of each job only add to those of the job before? Then they can stand as
 * globals; else (a second job file) each job repeats its own. */
static bool globals_nest(const struct job_set *set)
{
	for (unsigned i = 1; i < set->njobs; i++) {
		const struct job_spec *before = set->jobs[i - 1], *spec = set->jobs[i];

		if (spec->nglobal < before->nglobal)
			return false;
		for (unsigned k = 0; k < before->nglobal; k++)
			if (!same_given(&before->global[k], &spec->global[k]))
				return false;
	}
	return true;
}

static void add_globals(struct str *out, const struct job_spec *spec, unsigned from)
{
	for (unsigned i = from; i < spec->nglobal; i++)
		add_option(out, &spec->global[i]);
}

void job_showcmd(const struct job_set *set, struct str *out)
{
	bool nest = globals_nest(set);
	unsigned shown = 0; /* globals so far */

	str_add(out, "fio ");
	for (unsigned i = 0; i < set->njobs; i++) {
		const struct job_spec *spec = set->jobs[i];
		const struct given name = {.key = "name", .value = spec->name};
		bool stonewall = spec->stonewall;

		if (nest && spec->nglobal > shown) {
			str_add(out, i ? "--name=global " : "");
			add_globals(out, spec, shown);
			shown = spec->nglobal;
		}
		add_option(out, &name);
		if (!nest)
			add_globals(out, spec, 0);
		for (unsigned k = 0; k < spec->ngiven + spec->nglobal; k++) {
			const struct given *given = k < spec->ngiven
							    ? &spec->given[k]
							    : &spec->global[k - spec->ngiven];

			stonewall &= !str_equal(given->key, "stonewall");
			if (k < spec->ngiven && !str_equal(given->key, "name"))
				add_option(out, given);
		}
		if (stonewall) /* of a further job file */
			str_add(out, "--stonewall ");
	}
	str_add_char(out, '\n');
}
