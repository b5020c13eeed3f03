/* What is seen of a plan while it runs: on this terminal, and by those who watch. */
#include <math.h>
#include <stdio.h>

#include "base/lang.h"
#include "base/quantity.h"
#include "cli/plan_page_priv.h"
#include "cli/plan_session.h"
#include "report/live.h"

#define WATCH_COLUMNS 100

static void on_say(void *context, const char *line)
{
	autostr said = {0};

	(void)context;
	lang_say(lang_of_messages(), line, &said);
	str_add(&said, ""); /* there is a text, if an empty one */
	str_make_safe(said.text);
	(void)fprintf(stderr, "assay: %s\n", str_text(&said));
}

/* Of this lane as it stands, and of those that have not begun. */
static void guess_left(const struct plan_session *s, const struct plan_task *task,
		       struct plan_guess *ret_left)
{
	*ret_left = (struct plan_guess){0};
	for (unsigned r = task->repetition; r < s->kept.record.repetitions; r++)
		for (unsigned t = 0; t < s->x.ndrives; t++) {
			if (s->x.only >= 0 && (unsigned)s->x.only != t)
				continue;
			const struct plan_subject subject = {
				.path = s->x.drives[t].path,
				.size_bytes = s->x.drives[t].size_bytes,
				.is_file = s->x.drives[t].kind == PLAN_FILE,
				.scale = s->kept.record.scale,
				.speeds = s->speeds[t]};
			const struct plan_lane lane = {.plan = &s->kept.plan,
						       .journal = &s->kept.journal,
						       .spec = s->sheet,
						       .target = t,
						       .repetition = r};
			struct plan_guess guess;

			plan_estimate_left(&lane, &subject, &guess);
			plan_guess_add(ret_left, &guess);
		}
}

static void add_left(const struct plan_guess *left, struct str *out)
{
	autostr least = {0}, most = {0};

	quantity_time(left->least_ns, &least);
	quantity_time(left->most_ns, &most);
	if (left->open)
		lang_add(out, "%s or more left", str_text(&least));
	else if (left->most_ns > left->least_ns + left->least_ns / 10)
		lang_add(out, "%s to %s left", str_text(&least), str_text(&most));
	else
		lang_add(out, "%s left", str_text(&least));
}

/* How far the rounds are from steady: the worst of the tracked variables. */
static void add_distance(const struct plan_session *s, const struct plan_task *task,
			 struct str *out)
{
	const struct plan_lane lane = {.plan = &s->kept.plan,
				       .journal = &s->kept.journal,
				       .target = task->target,
				       .repetition = task->repetition};
	const struct plan_step *step = &s->kept.plan.steps[task->step];
	struct plan_steady steady;
	double range = 0, slope = 0;

	if (step->kind != PLAN_ROUNDS)
		return;
	plan_steady(&lane, task->step, task->pass, &steady);
	for (unsigned v = 0; v < step->until.count; v++) {
		range = fmax(range, steady.proof[v].range_percent);
		slope = fmax(slope, steady.proof[v].slope_percent);
	}
	lang_add(out, " round %u", task->round + 1);
	if (steady.rounds > 1)
		lang_add(out, " (range %.0f of %.0f %%, slope %.0f of %.0f %%)", range,
			 step->until.range_percent, slope, step->until.slope_percent);
}

static bool is_seen(const struct plan_session *s)
{
	return s->show.live || s->watch.nreaders || s->say_fd >= 0;
}

static void on_before(void *context, const struct plan_task *task, unsigned number)
{
	struct plan_session *s = context;
	const struct plan_step *step = &s->kept.plan.steps[task->step];
	const char *cell = step->cells[task->cell].name;
	struct plan_guess left;
	autostr text = {0};

	(void)number;
	s->show.wrote = s->x.drives[task->target].wrote;
	if (!is_seen(s))
		(void)snprintf(s->show.title, sizeof(s->show.title), "%u/%u %s %s",
			       task->step + 1, s->kept.plan.nsteps, step->name, cell);
	watch_say(&s->watch, ""); /* who came since */
	if (!is_seen(s))
		return;
	guess_left(s, task, &left);
	str_printf(&text, "%u/%u %s", task->step + 1, s->kept.plan.nsteps, step->name);
	add_distance(s, task, &text);
	str_printf(&text, "%s%s, ", *cell ? " " : "", cell);
	add_left(&left, &text);
	(void)snprintf(s->show.title, sizeof(s->show.title), "%s", str_text(&text));
}

/* A slice of a soak that failed is told at once: days may be left. */
static void on_after(void *context, const struct plan_entry *entry)
{
	struct plan_session *s = context;
	const struct plan_lane lane = {.plan = &s->kept.plan,
				       .journal = &s->kept.journal,
				       .spec = s->sheet,
				       .target = entry->task.target,
				       .repetition = entry->task.repetition};
	autostr line = {0};

	if (!plan_slice_words(&lane, entry, &line))
		return;
	on_say(s, str_text(&line));
	str_add_char(&line, '\n');
	watch_say(&s->watch, str_text(&line));
}

/* One interval: for the terminal here, and for those who watch. */
static void on_progress(void *context, const struct progress *progress)
{
	struct plan_session *s = context;
	autostr line = {0};

	if (s->shown.progress)
		s->shown.progress(s->shown.context, progress);
	str_printf(&line, "%s  ", s->show.title);
	live_text(progress, WATCH_COLUMNS, &line);
	if (s->say_fd >= 0)
		crew_say(s->say_fd, (unsigned)s->x.only, str_text(&line));
	str_add_char(&line, '\n');
	watch_say(&s->watch, str_text(&line));
}

static void on_run_say(void *context, const char *line)
{
	const struct plan_session *s = context;

	if (s->shown.say)
		s->shown.say(s->shown.context, line);
}

int plan_live_ask(void *context, const struct guard_verdict *verdict, char *ret_token,
		  size_t size_bytes)
{
	const struct plan_session *s = context;

	return s->shown.ask ? s->shown.ask(s->shown.context, verdict, ret_token, size_bytes)
			    : -ENOTTY;
}

void plan_live_hooks(struct plan_session *s, struct plan_hooks *hooks)
{
	hooks->context = s;
	hooks->before = on_before;
	hooks->after = on_after;
	hooks->say = on_say;
	s->run_hooks = (struct run_hooks){
		.context = s, .progress = on_progress, .say = on_run_say, .ask = plan_live_ask};
	hooks->run = &s->run_hooks;
}
