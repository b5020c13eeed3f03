#include "cli/emit.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.h"

int emit_error(const struct err *err)
{
	autostr text = {0};

	(void)fflush(stdout);
	lang_say(lang_environment_is_utf8() ? lang_of_environment() : LANG_EN, err->text,
		 &text);
	(void)fprintf(stderr, "assay: %s\n", str_text(&text));
	return err->kind == ERR_NONE ? ERR_ENVIRONMENT : (int)err->kind;
}

static bool is_stdout(const char *path)
{
	return !path || str_equal(path, "-");
}

static int open_report(const char *path, int flags, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);

	if (fd < 0)
		return err_env(err, -errno, "cannot write the report to \"%s\": %s", path,
			       err_name(errno));
	return fd;
}

int emit_check(const char *path, struct err *err)
{
	autofd fd = -1;

	if (is_stdout(path)) {
		int flags = fcntl(STDOUT_FILENO, F_GETFL);

		if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
			return err_env(err, -EBADF,
				       "stdout is closed: the report needs it, or -o FILE");
		return 0;
	}
	fd = open_report(path, 0, err);
	return fd < 0 ? fd : 0;
}

int emit_text(const char *path, const struct str *text, struct err *err)
{
	autofd fd = -1;
	int rc;

	(void)fflush(stdout);
	if (is_stdout(path)) {
		rc = file_write_all(STDOUT_FILENO, str_text(text), text->length);
		return rc ? err_env(err, rc, "cannot write to stdout: %s", err_name(rc)) : 0;
	}
	fd = open_report(path, O_TRUNC, err);
	rc = fd < 0 ? fd : file_write_all(fd, str_text(text), text->length);
	if (!rc)
		return 0;
	(void)file_write_all(STDOUT_FILENO, str_text(text),
			     text->length); /* the first cause counts */
	return err_env(err, rc, "writing the report to \"%s\": %s; it stands on stdout", path,
		       err_name(rc));
}

unsigned emit_columns(int fd)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return 80;
}

void emit_style(struct page_style *style, bool to_file)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	bool terminal = !to_file && isatty(STDOUT_FILENO);

	*style = (struct page_style){.columns = 80};
	style->lang = lang_of_environment();
	/* A locale that this system does not have may still be the terminal's. */
	style->utf8 = str_equal(nl_langinfo(CODESET), "UTF-8") ||
		      (style->lang != LANG_EN && lang_environment_is_utf8());
	if (!style->utf8)
		style->lang = LANG_EN;
	style->color =
		terminal && !(no_color && *no_color) && !(term && str_equal(term, "dumb"));
}
