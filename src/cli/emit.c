#include "cli/emit.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/outfile.h"
#include "store/store.h"

int emit_error(const struct err *err)
{
	(void)fflush(stdout);
	/* Who asked for memory seldom knows more; who does has put its remedy after a ";". */
	if (err->code == -ENOMEM && !strchr(err->text, ';'))
		(void)fprintf(stderr, "assay: %s; %s\n", err_said(err), memory_remedy());
	else
		(void)fprintf(stderr, "assay: %s\n", err_said(err));
	return err->kind == ERR_NONE ? ERR_ENVIRONMENT : (int)err->kind;
}

/* The stream that `path` is, as /dev/stdout is one; -1: a place of its own. */
static int stream_of(const char *path)
{
	struct stat at, st;

	if (!path || str_equal(path, "-"))
		return STDOUT_FILENO;
	if (stat(path, &at) < 0 || S_ISBLK(at.st_mode))
		return -1;
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (fstat(fd, &st) == 0 && st.st_dev == at.st_dev && st.st_ino == at.st_ino)
			return fd;
	return -1;
}

/* --- what else the command uses --- */

/* A store is three files. */
static bool is_file(const char *path, const struct stat *at)
{
	static const char *const ends[] = {"", "-wal", "-shm"};

	for (unsigned i = 0; *path && i < ARRAY_SIZE(ends); i++) {
		autostr name = {0};
		struct stat st;

		str_printf(&name, "%s%s", path, ends[i]);
		if (stat(str_text(&name), &st) == 0 && st.st_dev == at->st_dev &&
		    st.st_ino == at->st_ino)
			return true;
	}
	return false;
}

/* As a name, as the value of an option, or in a list of names. */
static bool names_file(const char *word, const struct stat *at)
{
	const char *equals = strchr(word, '=');

	if (is_file(word, at) || (equals && is_file(equals + 1, at)))
		return true;
	for (word = equals ? equals + 1 : word; *word;) {
		size_t length = strcspn(word, ":,");
		autostr part = {0};

		str_add_bytes(&part, word, length);
		if (is_file(str_text(&part), at))
			return true;
		word += length + (word[length] != '\0');
	}
	return false;
}

/* By what a file is, not by its name: links lead to it too. An output that is found by the rule
 * of its own kind may still be an input of this very command. */
static int check_words(const char *path, int argc, char **argv, struct err *err)
{
	autostr store = {0};
	struct stat at;

	if (stat(path, &at) < 0 || !S_ISREG(at.st_mode))
		return 0;
	if (store_default_path(&store, NULL) == 0 && is_file(str_text(&store), &at))
		return err_input(err, "\"%s\" is the store of all results: name another file",
				 path);
	for (int i = 1; i < argc; i++) {
		if (str_equal(argv[i], "-o") || str_equal(argv[i], "--output"))
			i++;
		else if (!str_starts(argv[i], "--output=") && names_file(argv[i], &at))
			return err_input(err,
					 "\"%s\" is used by this command (\"%s\"): the output "
					 "needs another name",
					 path, argv[i]);
	}
	return 0;
}

static int check_place(const char *path, enum outfile_rule rule, int argc, char **argv,
		       struct err *err)
{
	int rc = outfile_check(path, rule, err);

	return rc ? rc : check_words(path, argc, argv, err);
}

int emit_check_place(const char *path, int argc, char **argv, struct err *err)
{
	return stream_of(path) >= 0 ? 0 : check_place(path, OUTFILE_AGAIN, argc, argv, err);
}

int emit_check(const char *path, int argc, char **argv, struct err *err)
{
	autofd fd = -1;
	struct stat st;
	int rc;

	if (stream_of(path) >= 0) {
		int flags = fcntl(stream_of(path), F_GETFL);

		if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
			return err_env(err, -EBADF,
				       "stdout is closed: the report needs it, or -o FILE");
		return 0;
	}
	rc = check_place(path, OUTFILE_AGAIN, argc, argv, err);
	if (rc || (stat(path, &st) == 0 && !S_ISREG(st.st_mode)))
		return rc; /* a FIFO would wait for its reader here, and lose it */
	fd = outfile_open(path, OUTFILE_AGAIN, 0, err);
	/* What is a target of the same command is there only now. */
	rc = fd < 0 ? fd : check_words(path, argc, argv, err);
	return rc;
}

int emit_open_fio(const char *path, int argc, char **argv, struct err *err)
{
	autofd fd = -1;
	int rc = check_place(path, OUTFILE_ANY, argc, argv, err);

	if (rc)
		return rc;
	fd = outfile_open(path, OUTFILE_ANY, 0, err);
	rc = fd < 0 ? fd : check_words(path, argc, argv, err);
	if (!rc)
		rc = outfile_empty(fd, path, err);
	return rc ? rc : file_keep_fd(&fd);
}

static int write_stream(int fd, const struct str *text, struct err *err)
{
	int rc = file_write_all(fd, str_text(text), text->length);

	return rc ? err_env(err, rc, "cannot write to %s: %s",
			    fd == STDOUT_FILENO ? "stdout" : "stderr", err_name(rc))
		  : 0;
}

static int write_file(const char *path, const struct str *text, struct err *err)
{
	autofd fd = outfile_open(path, OUTFILE_AGAIN, 0, err);
	int rc = fd < 0 ? fd : outfile_empty(fd, path, err);

	if (rc)
		return rc;
	rc = file_write_all(fd, str_text(text), text->length);
	if (rc)
		return err_env(err, rc, "writing to \"%s\": %s", path, err_name(rc));
	outfile_mark(fd);
	return 0;
}

int emit_text(const char *path, const struct str *text, struct err *err)
{
	int stream = stream_of(path), rc;
	struct err why = {0};

	(void)fflush(stdout);
	if (stream >= 0)
		return write_stream(stream, text, err);
	rc = write_file(path, text, &why);
	if (!rc)
		return 0;
	(void)file_write_all(STDOUT_FILENO, str_text(text),
			     text->length); /* the first cause counts */
	return err_set(err, why.kind, rc, "%s; the report stands on stdout", why.text);
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
