/*
 * Other programs, run to their end: smartctl, nvme, hdparm know drives better than we ever will.
 * The child has no standard input, the C locale, and a process group of its own, so that a key
 * pressed on the terminal ends us and not a command that a drive is carrying out.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* How a program ended and what it said; release with program_done. { 0 } is an empty one. */
struct program_end {
	int status; /* its exit status; 128 + n by signal n */
	struct str out, error;
};
void program_done(struct program_end *end);
#define autoprogram __attribute__((cleanup(program_done))) struct program_end

/* The file that `name` runs: in the PATH, else in /usr/local/sbin, /usr/sbin or /sbin (which
 * ordinary users' PATH lacks). False where there is none. */
bool program_find(const char *name, struct str *ret_path);

/*
 * `argv` ends with NULL. Any exit status is a success of this call; -ENOENT: no such program
 * (the err names it, the caller adds what to install), -ETIMEDOUT: it was killed after
 * `timeout_ns` (0: no limit), -EFBIG: it printed more than 16 MiB.
 */
int program_run(const char *const *argv, uint64_t timeout_ns, struct program_end *ret_end,
		struct err *err);

/* What it printed as an error, on one line and cut, for messages; what it printed else where
 * that is empty. Never NULL. */
const char *program_complaint(const struct program_end *end, char *text, size_t size_bytes);
