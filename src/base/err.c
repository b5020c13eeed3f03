#include "base/err.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

int err_set(struct err *err, enum err_kind kind, int code, const char *fmt, ...)
{
	va_list args;

	if (!err || err->code)
		return code;
	err->kind = kind;
	err->code = code;
	va_start(args, fmt);
	(void)vsnprintf(err->text, sizeof(err->text), fmt,
			args); /* a long cause is cut, not lost */
	va_end(args);
	return code;
}

void err_context(struct err *err, const char *fmt, ...)
{
	char cause[sizeof(err->text)];
	va_list args;
	size_t used;

	if (!err || !err->code)
		return;
	memcpy(cause, err->text, sizeof(cause));
	va_start(args, fmt);
	(void)vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	used = strlen(err->text);
	(void)snprintf(err->text + used, sizeof(err->text) - used, ": %s", cause);
}

/* A limit that was met wherever a file is opened: which, and what raises it. */
static const struct {
	int code;
	const char *text;
} limits[] = {
	{EMFILE, "too many open files for one process: raise ulimit -n"},
	{ENFILE, "too many open files on this machine: raise the sysctl fs.file-max"},
};

const char *err_name(int code)
{
	static _Thread_local char text[80];
	const char *name = strerrordesc_np(code < 0 ? -code : code);

	for (unsigned i = 0; i < ARRAY_SIZE(limits); i++) {
		if (limits[i].code == abs(code))
			return limits[i].text;
	}
	if (!name) {
		(void)snprintf(text, sizeof(text), "errno %d", code < 0 ? -code : code);
		return text;
	}
	(void)snprintf(text, sizeof(text), "%s", name);
	if (text[0] && !isupper((unsigned char)text[1]))
		text[0] = (char)tolower((unsigned char)text[0]);
	return text;
}
