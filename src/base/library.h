/*
 * A library that few runs need, opened when it is first called: what is linked to the
 * program is loaded and relocated by every start of it, and libcrypto alone is 0.7 ms of
 * that (doc/speed.md has what a start may cost). Who uses one lists its calls once:
 *
 *	#define CALLS(X) X(EVP_Digest) X(EVP_sha256)
 *	struct crypto {
 *		CALLS(LIBRARY_CALL)
 *	};
 *	static const char *const names[] = {CALLS(LIBRARY_NAME)};
 *	static const struct library library = {"libcrypto.so.3", "libssl3", names, 2};
 *
 *	struct crypto crypto;
 *	int rc = library_open(&library, &crypto, sizeof(crypto), err);
 *
 * The types are those of the library's own header. It stays open until the program ends:
 * many do not bear being unloaded. Opening it again costs a microsecond a call.
 */
#pragma once

#include <stddef.h>

#include "base/err.h"

#define LIBRARY_CALL(name) typeof(name) *(name);
#define LIBRARY_NAME(name) #name,
/* The text of a version that is a macro: LIBRARY_TEXT(OPENSSL_SHLIB_VERSION). */
#define LIBRARY_TEXT(macro)  LIBRARY_TEXT_(macro)
#define LIBRARY_TEXT_(value) #value

struct library {
	const char *file;	  /* with the version whose header was compiled against */
	const char *package;	  /* Debian's */
	const char *const *names; /* of the calls */
	size_t names_count;
};

/* `ret_calls`: a struct of nothing but the calls, in the order of their names. -ENOENT: there
 * is no such library, and err names the package; -ENOSYS: it lacks one of the calls, and err
 * names it. */
int library_open(const struct library *library, void *ret_calls, size_t calls_bytes,
		 struct err *err);
