#include "job/ini.h"
#include "base/lang.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

struct reader {
	const struct ini_source *source;
	const struct ini_sink *sink;
	struct err *err;
	struct str where;
	unsigned line, depth; /* depth: 0 in the file itself */
	bool in_section;
};

/* Includes nest INI_INCLUDES_MAX deep at most: so does this recursion. */
/* NOLINTBEGIN(misc-no-recursion) */
static int read_text(struct reader *r);

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static char *skip_blanks(char *text)
{
	while (is_blank(*text))
		text++;
	return text;
}

static void cut_blanks(char *text)
{
	size_t length = strlen(text);

	while (length && is_blank(text[length - 1]))
		text[--length] = '\0';
}

/* Cuts the comment off; true if there was one. */
static bool cut_comment(char *line, enum face face)
{
	for (char *at = line; (at = strpbrk(at, ";#")); at++)
		if (face == FACE_FIO || at == line || is_blank(at[-1])) {
			*at = '\0';
			return true;
		}
	return false;
}

static int read_section(struct reader *r, char *line, bool commented)
{
	size_t length = strlen(line);
	const char *where = str_text(&r->where), *close = strchr(line, ']');

	if (r->depth)
		return err_input(r->err, "%s: %s: an included file can not start a section",
				 where, line);
	if (close && close[1])
		return err_input(r->err, "%s: %s: nothing but a comment may follow the \"]\"",
				 where, line);
	/* fio takes off the last character, be it the "]" or not. */
	if (!close && commented && r->source->face == FACE_FIO) {
		if (r->sink->doubt)
			r->sink->doubt(
				r->sink->arg, where,
				N_("the comment sign inside the [ ] cuts the section's name"));
	} else if (!close) {
		return err_input(r->err, "%s: %s: the section's \"]\" is missing", where, line);
	}
	if (length > 1)
		line[length - 1] = '\0';
	if (!line[1] && r->source->face == FACE_NATIVE)
		return err_input(r->err, "%s: the section has no name: write [NAME]", where);
	r->in_section = true;
	return r->sink->section(r->sink->arg, line + 1, where, r->err);
}

/* A path is looked for beside the file that includes it; fio's face then tries it as it is. */
static int load_included(const struct reader *r, const char *path, struct str *ret_name,
			 struct str *ret_text)
{
	const char *slash = strrchr(r->source->name, '/');
	int rc;

	if (slash && path[0] != '/')
		str_add_bytes(ret_name, r->source->name, (size_t)(slash - r->source->name) + 1);
	str_add(ret_name, path);
	rc = r->source->load(str_text(ret_name), ret_text);
	if (rc == -ENOENT && r->source->face == FACE_FIO && slash && path[0] != '/') {
		str_clear(ret_name);
		str_add(ret_name, path);
		rc = r->source->load(path, ret_text);
	}
	return rc;
}

static int read_include(struct reader *r, const char *path)
{
	const char *where = str_text(&r->where);
	autostr name = {0}, text = {0};
	struct ini_source source = *r->source;
	struct reader inner = *r;
	int rc;

	if (!*path)
		return err_input(r->err, "%s: include: no file is named: write include FILE",
				 where);
	if (!source.load)
		return err_input(r->err, "%s: include %s: nothing can be included here", where,
				 path);
	if (r->depth + 1 > INI_INCLUDES_MAX)
		return err_input(r->err,
				 "%s: include %s: files include each other more than %d deep: "
				 "is there a loop?",
				 where, path, INI_INCLUDES_MAX);
	rc = load_included(r, path, &name, &text);
	if (rc)
		return err_input(r->err, "%s: include %s: %s", where, path, err_name(rc));
	source.name = str_text(&name);
	source.text = str_text(&text);
	source.bytes = text.length;
	inner.source = &source;
	inner.where = (struct str){0};
	inner.depth++;
	rc = read_text(&inner);
	str_done(&inner.where);
	return rc;
}

/* "include FILE"; fio takes a "=" there too. Returns the file's name, or NULL. */
static char *included(char *line, enum face face)
{
	if (!str_starts(line, "include"))
		return NULL;
	line += strlen("include");
	if (*line == '=' && face == FACE_FIO)
		return skip_blanks(line + 1);
	return !*line || is_blank(*line) ? skip_blanks(line) : NULL;
}

static int read_setting(struct reader *r, char *line)
{
	const char *where = str_text(&r->where);
	char *value = strchr(line, '=');
	autostr text = {0};
	int rc;

	if (value)
		*value++ = '\0';
	cut_blanks(line);
	if (!*line)
		return err_input(r->err, "%s: no option is named before the \"=\"", where);
	if (*line == '-')
		return err_input(r->err,
				 "%s: %s: in a job file options have no dashes: write %s",
				 where, line, line + strspn(line, "-"));
	if (strpbrk(line, " \t"))
		return err_input(r->err,
				 "%s: \"%s\": an option and its value need a \"=\" between",
				 where, line);
	if (!value)
		return r->sink->setting(r->sink->arg, line, NULL, where, r->err);
	if (r->source->face == FACE_NATIVE)
		value = skip_blanks(value);
	rc = expand_value_with(value, r->source->face, r->source->names, &text, r->err);
	if (rc) {
		err_context(r->err, "%s: %s", where, line);
		return rc;
	}
	if (!*str_text(&text) && str_starts(value, "${")) /* fio puts nothing in its place */
		return err_input(r->err,
				 "%s: %s: \"%s\" is empty: the environment has no such "
				 "variable; set it, or write the value",
				 where, line, value);
	return r->sink->setting(r->sink->arg, line, str_text(&text), where, r->err);
}

static int read_line(struct reader *r, char *line)
{
	bool commented;
	char *path;

	str_clear(&r->where);
	str_printf(&r->where, "%s:%u", r->source->name, r->line);
	commented = cut_comment(line, r->source->face);
	line = skip_blanks(line);
	cut_blanks(line);
	if (!*line)
		return 0;
	if (*line == '[')
		return read_section(r, line, commented);
	if (!r->in_section)
		return err_input(r->err,
				 "%s: %s: stands before the first section: write [global] or "
				 "[NAME] above it",
				 str_text(&r->where), line);
	path = included(line, r->source->face);
	if (path)
		return read_include(r, path);
	return read_setting(r, line);
}

static int read_text(struct reader *r)
{
	const char *at = r->source->text, *end = at + r->source->bytes;
	autostr line = {0};
	int rc = 0;

	if (r->source->bytes >= 3 && !memcmp(at, "\xef\xbb\xbf", 3))
		at += 3; /* a byte order mark, as editors of other systems write */
	for (r->line = 1; at < end && !rc; r->line++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((newline ? newline : end) - at);

		if (memchr(at, '\0', length))
			return err_input(r->err, "%s:%u: this is not text: it holds a NUL byte",
					 r->source->name, r->line);
		str_clear(&line);
		str_add_bytes(&line, at, length);
		rc = read_line(r, line.text);
		at = newline ? newline + 1 : end;
	}
	return rc;
}
/* NOLINTEND(misc-no-recursion) */

int ini_read(const struct ini_source *source, const struct ini_sink *sink, struct err *err)
{
	struct reader r = {.source = source, .sink = sink, .err = err};
	int rc = read_text(&r);

	str_done(&r.where);
	return rc;
}
