#include "job/check_priv.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "job/options.h"
#include "job/outline_priv.h"

/* --- what the rules speak with --- */

static const struct given *last_given(const struct given *given, unsigned count,
				      const char *key)
{
	while (count--)
		if (str_equal(given[count].key, key))
			return &given[count];
	return NULL;
}

static const struct given *find_given(const struct job_spec *spec, const char *key)
{
	const struct given *own = last_given(spec->given, spec->ngiven, key);

	return own ? own : last_given(spec->global, spec->nglobal, key);
}

const char *check_given(const struct check *check, const char *key)
{
	const struct given *given = find_given(check->spec, key);

	return given ? given->value : NULL;
}

bool check_writes(const struct job_spec *spec)
{
	return spec->rw.does[DIR_WRITE] || spec->rw.does[DIR_TRIM];
}

/* Names the option's own place where it was given, else the job's. */
static int refuse(const struct check *check, const char *option, const char *text)
{
	const struct job_spec *spec = check->spec;
	const struct given *given = find_given(spec, option);
	const char *where = given ? given->where : spec->where;

	return err_input(check->err, "%s%s[%s]: %s: %s", where ? where : "", where ? ": " : "",
			 spec->name, option, text);
}

int check_refuse(const struct check *check, const char *option, const char *fmt, ...)
{
	autostr text = {0};
	va_list args;

	va_start(args, fmt);
	str_vprintf(&text, fmt, args);
	va_end(args);
	return refuse(check, option, str_text(&text));
}

int check_settle(const struct check *check, const char *option, const char *fmt, ...)
{
	autostr text = {0};
	va_list args;

	va_start(args, fmt);
	str_vprintf(&text, fmt, args);
	va_end(args);
	if (check->set->face == FACE_NATIVE)
		return refuse(check, option, str_text(&text));
	job_note_add(check->set, NOTE_CHANGED, check->spec->name, option, "%s",
		     str_text(&text));
	return 0;
}

static void note(const struct check *check, enum note_kind kind, const char *option,
		 const struct str *text)
{
	job_note_add(check->set, kind, check->spec->name, option, "%s", str_text(text));
}

void check_changed(const struct check *check, const char *option, const char *fmt, ...)
{
	autostr text = {0};
	va_list args;

	va_start(args, fmt);
	str_vprintf(&text, fmt, args);
	va_end(args);
	note(check, NOTE_CHANGED, option, &text);
}

void check_warn(const struct check *check, const char *option, const char *fmt, ...)
{
	autostr text = {0};
	va_list args;

	va_start(args, fmt);
	str_vprintf(&text, fmt, args);
	va_end(args);
	note(check, NOTE_WARNING, option, &text);
}

/* --- what no face lets pass --- */

static int check_readonly(const struct check *check)
{
	const struct job_spec *spec = check->spec;

	if (!check->set->options.readonly)
		return 0;
	if (check_writes(spec))
		return check_refuse(check, "rw",
				    "\"%s\" writes or trims, and --readonly forbids that: take "
				    "one of the two away",
				    spec->rw.text);
	if (spec->create_only)
		return check_refuse(check, "create_only",
				    "makes files, and --readonly forbids that: take one of the "
				    "two away");
	if (spec->unlink || spec->unlink_each_loop)
		return check_refuse(
			check, spec->unlink ? "unlink" : "unlink_each_loop",
			"removes files, and --readonly forbids that: take one of the "
			"two away");
	return 0;
}

/* Jobs that wait: the one waited for stands before, and is the only one of its name. */
static int check_wait_for(const struct check *check)
{
	const char *wait_for = check->spec->wait_for;
	unsigned found = 0;

	if (!wait_for)
		return 0;
	if (str_equal(wait_for, check->spec->name))
		return check_refuse(check, "wait_for", "a job cannot wait for itself");
	for (unsigned i = 0; i < check->set->njobs; i++)
		found += str_equal(check->set->jobs[i]->name, wait_for);
	if (!found)
		return check_refuse(check, "wait_for",
				    "no job before this one is named \"%s\": name one that "
				    "stands above",
				    wait_for);
	if (found > 1)
		return check_refuse(
			check, "wait_for",
			"%u jobs are named \"%s\": the one to wait for needs a name "
			"of its own",
			found, wait_for);
	return 0;
}

/* An option of an engine that is not this job's: an error where the job gives it, a remark
 * where it comes from the globals (jobs of several engines share those). */
static int check_engine_options(const struct check *check)
{
	struct job_spec *spec = check->spec;
	autostr engines = {0};

	for (unsigned i = 0; i < spec->ngiven + spec->nglobal; i++) {
		bool own = i < spec->ngiven;
		const char *key = own ? spec->given[i].key : spec->global[i - spec->ngiven].key;
		const struct opt *opt = opt_find(key);

		if (!opt || !opt->engines || opt_fits_engine(opt, spec->ioengine))
			continue;
		str_clear(&engines);
		opt_format_engines(opt, &engines);
		if (own)
			return check_refuse(check, key,
					    "is an option of %s, and this job's ioengine is %s",
					    str_text(&engines), spec->ioengine);
		check_warn(check, key, "without effect on %s: it is an option of %s",
			   spec->ioengine, str_text(&engines));
	}
	return 0;
}

/* Two options that set one thing: of those that a job gives both, the last one counts. */
static int check_pairs(const struct check *check)
{
	static const struct {
		const char *key, *other;
	} pairs[] = {
		{"rwmixread", "rwmixwrite"},
		{"rwmixwrite", "rwmixread"},
		{"direct", "buffered"},
		{"buffered", "direct"},
	};
	const struct job_spec *spec = check->spec;
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(pairs) && !rc; i++) {
		const struct given *given = last_given(spec->given, spec->ngiven, pairs[i].key);
		const struct given *other =
			last_given(spec->given, spec->ngiven, pairs[i].other);
		autostr effective = {0};

		job_format_option(spec, pairs[i].key, &effective);
		if (given && other &&
		    strtoul(given->value, NULL, 0) != strtoul(str_text(&effective), NULL, 0))
			rc = check_settle(check, pairs[i].key,
					  "%s is overridden by %s=%s, which sets the same",
					  given->value, other->key, other->value);
	}
	return rc;
}

/* --- order and groups --- */

/* fio's numbering: a job that waits for the earlier ones, or asks for it, opens a new group;
 * the very first job is group 0 either way. */
static void derive_groups(struct job_set *set, struct job_spec *spec)
{
	const struct job_spec *before = set->njobs ? set->jobs[set->njobs - 1] : NULL;

	spec->number = set->njobs;
	spec->group_start = !before || spec->stonewall || spec->new_group;
	spec->group = before ? before->group + spec->group_start : 0;
	spec->stonewall_group = before ? before->stonewall_group + spec->stonewall : 0;
}

void job_add_unchecked(struct job_set *set, struct job_spec *spec)
{
	derive_groups(set, spec);
	set->jobs = arena_more(&set->arena, set->jobs, set->njobs, sizeof(struct job_spec *));
	set->jobs[set->njobs++] = spec;
}

int job_add(struct job_set *set, struct job_spec *spec, struct err *err)
{
	static int (*const rules[])(const struct check *) = {
		check_readonly, check_wait_for, check_engine_options, check_pairs,
		check_target,	check_sizes,	check_random,	      check_buffers,
		check_engine,	check_time,	check_rate,
	};
	const struct check check = {.set = set, .spec = spec, .err = err};

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		int rc = rules[i](&check);

		if (rc)
			return rc;
	}
	job_add_unchecked(set, spec);
	return 0;
}
