#include "cli/show.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/lang.h"
#include "cli/emit.h"
#include "report/live.h"

#define LOOK_FOR_SIGNAL_MS 50

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

static void on_estimate(void *context, uint64_t cpu_ns)
{
	struct show *show = context;
	autostr line = {0};

	if (show->live)
		clear(show, &line);
	str_add(&line, "assay: ");
	lang_add(&line, "simulating this takes about %llu s of CPU time",
		 (unsigned long long)((cpu_ns + NS_PER_S / 2) / NS_PER_S));
	str_add_char(&line, '\n');
	put(STDERR_FILENO, &line);
}

/* A person must be there to read the question and to type: stdin and stderr are terminals. */
static bool may_ask(const struct show *show)
{
	return show->set->face == FACE_NATIVE && isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

/* Until something can be read; a signal that came before the wait must end it as well. */
static int wait_for_input(void)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

	while (!run_last_signal()) {
		if (poll(&input, 1, LOOK_FOR_SIGNAL_MS) > 0)
			return 0;
	}
	return -EINTR;
}

static int read_line(char *ret_line, size_t size_bytes)
{
	size_t length = 0;

	while (length + 1 < size_bytes) {
		int rc = wait_for_input();
		ssize_t n;

		if (rc)
			return rc;
		n = read(STDIN_FILENO, &ret_line[length], 1);
		if (n < 0)
			return -errno;
		if (n == 0 && !length)
			return -ENODATA; /* Ctrl-D: no answer is no consent */
		if (n == 0 || ret_line[length] == '\n')
			break;
		length++;
	}
	ret_line[length] = '\0';
	return 0;
}

static int on_ask(void *context, const struct guard_verdict *verdict, char *ret_token,
		  size_t size_bytes)
{
	struct show *show = context;
	autostr text = {0};
	int rc;

	if (show->wrote && verdict->unnamed_data) {
		(void)snprintf(ret_token, size_bytes, "%s", verdict->token);
		return 0;
	}
	if (!may_ask(show))
		return -ENOTTY;
	if (show->consent && str_equal(show->consent, verdict->token)) {
		(void)snprintf(ret_token, size_bytes, "%s", show->consent);
		return 0;
	}
	clear(show, &text);
	lang_say(lang_of_messages(), verdict->message, &text);
	str_add(&text, "\n\n");
	lang_add(&text, "Type %s to let this run destroy it: ", verdict->token);
	put(STDERR_FILENO, &text);
	rc = read_line(ret_token, size_bytes);
	if (!rc && show->consent)
		(void)snprintf(show->consent, show->consent_bytes, "%s", ret_token);
	return rc;
}

void show_hooks(struct show *show, struct run_hooks *ret_hooks)
{
	*ret_hooks = (struct run_hooks){.context = show, .estimate = on_estimate};
	if (show->live || show->json)
		ret_hooks->progress = on_progress;
	if (show->live)
		ret_hooks->say = on_say;
	if (show->wrote || may_ask(show))
		ret_hooks->ask = on_ask;
}

void show_done(struct show *show)
{
	autostr line = {0};

	if (!show->shown)
		return;
	clear(show, &line);
	put(STDERR_FILENO, &line);
}
