#include "cli/show.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/emit.h"
#include "report/live.h"

static void put(int fd, const struct str *text)
{
	ssize_t n = write(fd, str_text(text), text->length);

	(void)n; /* a reader that went away must not end the run */
}

int show_init(struct show *show, const struct job_set *set, struct err *err)
{
	const struct run_options *options = &set->options;
	bool never = options->eta && str_equal(options->eta, "never");

	*show = (struct show){.set = set, .fd = -1};
	show->live = isatty(STDERR_FILENO) && !never && !options->progress;
	if (!options->progress || !str_equal(options->progress, "json"))
		return 0;
	show->json = true;
	show->fd = options->progress_fd;
	if (fcntl(show->fd, F_GETFD) < 0)
		return err_input(err, "progress_fd=%d: no such descriptor is open", show->fd);
	return 0;
}

static void clear(struct show *show, struct str *line)
{
	str_add_char(line, '\r');
	for (unsigned i = 0; i < show->shown; i++)
		str_add_char(line, ' ');
	str_add_char(line, '\r');
	show->shown = 0;
}

static void on_progress(void *context, const struct progress *progress)
{
	struct show *show = context;
	unsigned columns = emit_columns(STDERR_FILENO), used;
	autostr line = {0}, text = {0};

	if (show->json) {
		live_json(progress, &line);
		put(show->fd, &line);
		return;
	}
	if (!show->live)
		return;
	clear(show, &line);
	if (*show->title)
		str_printf(&text, "%s  ", show->title);
	used = str_columns(str_text(&text));
	live_text(progress, columns > used + 20 ? columns - used - 1 : 20, &text);
	str_add(&line, str_text(&text));
	show->shown = str_columns(str_text(&text));
	put(STDERR_FILENO, &line);
}

static void on_say(void *context, const char *text)
{
	struct show *show = context;
	autostr line = {0};

	if (!show->live)
		return;
	clear(show, &line);
	str_add(&line, text);
	show->shown = str_columns(text);
	put(STDERR_FILENO, &line);
}

void show_hooks(struct show *show, struct run_hooks *ret_hooks)
{
	*ret_hooks = (struct run_hooks){.context = show};
	if (show->live || show->json)
		ret_hooks->progress = on_progress;
	if (show->live)
		ret_hooks->say = on_say;
}

void show_done(struct show *show)
{
	autostr line = {0};

	if (!show->shown)
		return;
	clear(show, &line);
	put(STDERR_FILENO, &line);
}
