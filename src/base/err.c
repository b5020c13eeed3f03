#include "base/err.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/lang.h"

/* A long cause is cut, not lost, and never within a sign of UTF-8. */
static void copy_said(struct err *err, const struct str *text)
{
	size_t length = text->length;

	if (length >= sizeof(err->said)) {
		length = sizeof(err->said) - 1;
		while (length && ((unsigned char)text->text[length] & 0xc0) == 0x80)
			length--;
	}
	memcpy(err->said, str_text(text), length);
	err->said[length] = '\0';
	str_make_safe(err->said);
}

int err_set(struct err *err, enum err_kind kind, int code, const char *fmt, ...)
{
	enum lang lang;
	va_list args;

	if (!err || err->code)
		return code;
	lang = lang_of_messages();
	err->kind = kind;
	err->code = code;
	va_start(args, fmt);
	(void)vsnprintf(err->text, sizeof(err->text), fmt,
			args); /* a long cause is cut, not lost */
	va_end(args);
	str_make_safe(err->text);
	if (lang != LANG_EN) {
		autostr said = {0};

		va_start(args, fmt);
		lang_vprintf(lang, &said, fmt, args);
		va_end(args);
		copy_said(err, &said);
	}
	return code;
}

int err_copy(struct err *err, const struct err *from)
{
	if (err && !err->code)
		*err = *from;
	return from->code;
}

const char *err_said(const struct err *err)
{
	return err->said[0] ? err->said : err->text;
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
	str_make_safe(err->text);
	if (err->said[0]) {
		autostr said = {0};

		va_start(args, fmt);
		lang_vprintf(lang_of_messages(), &said, fmt, args);
		va_end(args);
		str_printf(&said, ": %s", err->said);
		copy_said(err, &said);
	}
}

/* The usual ones, for the catalogues; two limits that are met wherever a file is opened say which
 * and what raises it. */
static const struct {
	int code;
	const char *text;
} names[] = {
	{EMFILE, N_("too many open files for one process: raise ulimit -n")},
	{ENFILE, N_("too many open files on this machine: raise the sysctl fs.file-max")},
	{EACCES, N_("permission denied")},
	{EAGAIN, N_("resource temporarily unavailable")},
	{EBADF, N_("bad file descriptor")},
	{EBUSY, N_("device or resource busy")},
	{EEXIST, N_("file exists")},
	{EFBIG, N_("file too large")},
	{EINTR, N_("interrupted system call")},
	{EINVAL, N_("invalid argument")},
	{EIO, N_("input/output error")},
	{EISDIR, N_("is a directory")},
	{ELOOP, N_("too many levels of symbolic links")},
	{ENAMETOOLONG, N_("file name too long")},
	{ENODEV, N_("no such device")},
	{ENOENT, N_("no such file or directory")},
	{ENOMEM, N_("cannot allocate memory")},
	{ENOSPC, N_("no space left on device")},
	{ENOSYS, N_("function not implemented")},
	{ENOTCONN,
	 N_("transport endpoint is not connected (the program that served this mount has "
	    "ended: unmount it with `fusermount3 -u` or `umount -l`)")},
	{ENOTDIR, N_("not a directory")},
	{ENOTEMPTY, N_("directory not empty")},
	{ENXIO, N_("no such device or address")},
	{EOPNOTSUPP, N_("operation not supported")},
	{EPERM, N_("operation not permitted")},
	{EPIPE, N_("broken pipe")},
	{EROFS, N_("read-only file system")},
	{ESRCH, N_("no such process")},
	{ETIMEDOUT, N_("connection timed out")},
	{EDQUOT, N_("disk quota exceeded")},
};

const char *err_name(int code)
{
	static _Thread_local char text[80];
	const char *name = strerrordesc_np(code < 0 ? -code : code);

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i].code == abs(code))
			return names[i].text;
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
