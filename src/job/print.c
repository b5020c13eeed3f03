/*
 * "assay run --print": the effective options of each job, as a job file that the native face
 * reads back to the same jobs. What differs from what was given carries the reason behind it.
 */
#include <string.h>

#include "base/str.h"
#include "job/options_priv.h"

static bool of_job(const struct job_note *note, const char *job)
{
	return note->job && job ? str_equal(note->job, job) : !note->job && !job;
}

static void print_note(const struct job_note *note, struct str *out)
{
	str_add(out, "# ");
	if (note->option)
		str_printf(out, "%s: ", note->option);
	str_printf(out, "%s\n", note->text);
}

/* Notes that stand behind no option's line. */
static void print_notes(const struct job_set *set, const char *job, bool changed,
			struct str *out)
{
	for (const struct job_note *note = set->notes; note; note = note->next)
		if (of_job(note, job) && (changed || note->kind != NOTE_CHANGED))
			print_note(note, out);
}

/* Why `opt` is not what was given; NULL when it is. */
static const struct job_note *change_of(const struct job_set *set, const char *job,
					const struct opt *opt)
{
	const struct job_note *last = NULL;

	for (const struct job_note *note = set->notes; note; note = note->next)
		if (note->kind == NOTE_CHANGED && note->option && of_job(note, job) &&
		    opt_find(note->option) == opt)
			last = note;
	return last;
}

/* buffered says what direct says, the mix is stated once, and what has no effect is a note. */
static bool is_said_elsewhere(const struct opt *opt)
{
	return opt_is_cli(opt) || opt->deed != OPT_ACTS || opt->kind == OPT_BOOL_INVERSE ||
	       str_equal(opt->name, "name") || str_equal(opt->name, "rwmixwrite");
}

static void print_option(const struct job_set *set, const struct job_spec *spec,
			 const struct opt *opt, struct str *out)
{
	const struct job_note *change = change_of(set, spec->name, opt);
	autostr value = {0};

	opt_format(opt, spec, NULL, &value);
	if (!change) {
		if (value.length && opt_is_set(opt, spec))
			str_printf(out, "%s=%s\n", opt->name, str_text(&value));
		return;
	}
	if (value.length)
		str_printf(out, "%s=%s ", opt->name, str_text(&value));
	str_printf(out, "# %s%s%s\n", value.length ? "" : opt->name, value.length ? "" : ": ",
		   change->text);
}

static void print_job(const struct job_set *set, const struct job_spec *spec, struct str *out)
{
	const char *group = "";

	str_printf(out, "[%s]\n", spec->name ? spec->name : "");
	print_notes(set, spec->name, false, out);
	for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt)) {
		autostr line = {0};

		if (is_said_elsewhere(opt) || !opt_fits_engine(opt, spec->ioengine))
			continue;
		print_option(set, spec, opt, &line);
		if (!line.length)
			continue;
		if (!str_equal(group, opt_group(opt))) {
			group = opt_group(opt);
			str_printf(out, "# --- %s ---\n", group);
		}
		str_add(out, str_text(&line));
	}
}

void job_print(const struct job_set *set, struct str *out)
{
	print_notes(set, NULL, true, out);
	for (unsigned i = 0; i < set->njobs; i++) {
		if (i)
			str_add_char(out, '\n');
		print_job(set, set->jobs[i], out);
	}
}
