/*
 * struct err: what went wrong, in words for a person. It lives on the caller's stack, is
 * filled once by whoever knows the cause, may be given context by one caller, and is printed
 * by cli/ alone. Formats are translated here (base/lang.h), so that no caller has to.
 * A function that can fail takes a `struct err *` last and returns 0 or a
 * negative errno.
 */
#pragma once

#include <errno.h>
#include <stddef.h>

/* The kinds are the exit codes of the native face (doc/design.md, exit codes). */
enum err_kind {
	ERR_NONE = 0,
	ERR_IO = 3,	     /* the run ended with I/O errors or a failed worker */
	ERR_INPUT = 4,	     /* usage, job file, plan, log: the user's text is wrong */
	ERR_REFUSED = 5,     /* the guard says no, or consent is missing */
	ERR_ENVIRONMENT = 6, /* device gone, disk full, no permission, missing program */
};

struct err {
	enum err_kind kind;
	int code;	/* negative errno; 0 while unset */
	char text[500]; /* English: what is kept, and what a script may read */
	char said[750]; /* the same in the language of messages; empty where that is English */
};

/*
 * Fill `err` (may be NULL: then only the code is returned). The first cause wins: an err
 * that is set already is left as it is. Returns `code`, so that `return err_input(err, ...)`
 * reads well.
 */
int err_set(struct err *err, enum err_kind kind, int code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#define err_input(err, ...)   err_set(err, ERR_INPUT, -EINVAL, __VA_ARGS__)
#define err_refused(err, ...) err_set(err, ERR_REFUSED, -EPERM, __VA_ARGS__)
/* `code` is the negative errno that the system gave; its text is not added by itself. */
#define err_env(err, code, ...) err_set(err, ERR_ENVIRONMENT, code, __VA_ARGS__)

/* The same cause again; `from` is left as it is. Returns the code that it had. */
int err_copy(struct err *err, const struct err *from);

/* The words for a person, in the language of messages. */
const char *err_said(const struct err *err);

/* Put "context: " before the text that is there; does nothing to an unset err. */
void err_context(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "no such file or directory" for 2 or -2: strerror in lower case, thread-safe, never NULL. */
const char *err_name(int code);
