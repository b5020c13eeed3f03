/* All targets of a plan at once (--parallel): a process a target, and one that has them all. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/emit.h"
#include "cli/plan_limit.h"
#include "cli/plan_session.h"

/* In a process of its own, with what the other one had looked at, asked for and locked. */
static int on_target(void *context, unsigned target, int say_fd)
{
	struct plan_session *s = context;
	struct err err = {0};
	int rc;

	s->x.only = (int)target;
	s->say_fd = say_fd;
	s->show.live = false;
	s->watch = (struct watch){.fd = -1};
	for (unsigned i = 0; i < s->kept.journal.count; i++) {
		const struct plan_entry *entry = &s->kept.journal.entries[i];

		if (entry->task.target == target)
			s->x.last_unix_ns = entry->began_unix_ns + entry->span_ns;
	}
	rc = keep_open(&s->keep, s->options->store, false, &err);
	s->x.store = s->keep.store;
	if (!rc)
		rc = plan_execute(&s->x, &err);
	keep_close(&s->keep);
	if (rc == -EINTR)
		return 128 + (s->x.signal ? s->x.signal : SIGINT);
	if (s->x.at_limit)
		return PLAN_AT_LIMIT_CODE;
	if (rc)
		err_context(&err, "%s", s->x.drives[target].path);
	return rc ? emit_error(&err) : 0;
}

/* To those who watch, and on the terminal a part of the line for each. */
static void on_line(void *context, unsigned target, const char *line)
{
	struct plan_session *s = context;
	unsigned n = s->x.ndrives, part = (emit_columns(STDERR_FILENO) - 1) / n;
	autostr text = {0};

	str_printf(&text, "%s: %s\n", s->x.drives[target].path, line);
	watch_say(&s->watch, str_text(&text));
	(void)snprintf(s->heard[target], sizeof(s->heard[target]), "%s", line);
	if (!s->shown.say)
		return;
	str_clear(&text);
	for (unsigned i = 0; i < n; i++) {
		str_printf(&text, "%.*s%s", (int)(part > 3 ? part - 3 : 1), s->heard[i],
			   i + 1 < n ? " | " : "");
	}
	s->shown.say(s->shown.context, str_text(&text));
}

/* The journal as all of them wrote it. */
static int read_again(struct plan_session *s, struct err *err)
{
	int rc = keep_open(&s->keep, s->options->store, false, err);

	s->x.store = s->keep.store;
	if (!rc)
		rc = store_plan_load(s->keep.store, s->kept.record.id, &s->reread, err);
	if (rc)
		return rc;
	plan_journal_done(&s->kept.journal);
	plan_journal_load(&s->kept.journal, &s->reread);
	return 0;
}

/* Of several the first that was no signal: it says more. */
static int worst_code(struct plan_session *s, const int *codes, struct err *err)
{
	unsigned failed = 0;
	int first = 0;

	for (unsigned i = 0; i < s->x.ndrives; i++) {
		if (codes[i] > 128)
			s->x.signal = codes[i] - 128;
		else if (codes[i] == PLAN_AT_LIMIT_CODE)
			s->x.at_limit = true;
		else if (codes[i] && !failed++)
			first = codes[i];
	}
	if (failed)
		return err_set(err, (enum err_kind)first, -EIO,
			       "of %u targets %u did not come to their end (above): `assay "
			       "plan resume p%" PRId64 "` goes on",
			       s->x.ndrives, failed, s->kept.record.id);
	return s->x.signal ? -EINTR : s->x.at_limit ? -E2BIG : 0;
}

int plan_all_at_once(struct plan_session *s, struct err *err)
{
	const struct crew crew = {
		.context = s, .work = on_target, .hear = on_line, .stop = plan_take_signal};
	int codes[PLAN_TARGETS_MAX] = {0};
	struct err other = {0};
	int rc, again;

	keep_close(&s->keep); /* a database does not go through fork() */
	s->x.store = NULL;
	rc = crew_run(&crew, s->x.ndrives, codes, err);
	if (!rc)
		rc = worst_code(s, codes, err);
	again = read_again(s, rc ? &other : err);
	if (again)
		return rc ? rc : again;
	return plan_finish(&s->x, rc, err);
}
