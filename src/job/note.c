/* The set itself: its memory, its notes, its list of jobs. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "job/options.h"
#include "job/outline_priv.h"

void job_set_init(struct job_set *set, enum face face)
{
	*set = (struct job_set){.face = face};
	arena_init(&set->arena);
	set->notes_end = &set->notes;
	opt_run_defaults(set);
}

void job_set_done(struct job_set *set)
{
	arena_done(&set->arena);
	*set = (struct job_set){0};
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && str_equal(a, b));
}

/* What is said of a global option is said once, not once for each job that has it. */
static bool is_known(const struct job_set *set, const struct job_note *note)
{
	for (const struct job_note *n = set->notes; n; n = n->next)
		if (n->kind == note->kind && same_text(n->job, note->job) &&
		    same_text(n->option, note->option) && str_equal(n->text, note->text))
			return true;
	return false;
}

void job_note_add(struct job_set *set, enum note_kind kind, const char *job, const char *option,
		  const char *fmt, ...)
{
	struct job_note note = {.kind = kind, .job = job, .option = option}, *kept;
	autostr text = {0};
	va_list args;

	va_start(args, fmt);
	str_vprintf(&text, fmt, args);
	va_end(args);
	note.text = str_text(&text);
	if (is_known(set, &note))
		return;
	kept = arena_new(&set->arena, struct job_note);
	*kept = (struct job_note){
		.kind = kind,
		.job = job ? arena_strdup(&set->arena, job) : NULL,
		.option = option ? arena_strdup(&set->arena, option) : NULL,
		.text = arena_strdup(&set->arena, note.text),
	};
	*set->notes_end = kept;
	set->notes_end = &kept->next;
}
