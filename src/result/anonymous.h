/*
 * An export without what tells whose it is: serial numbers, the host's name, paths and the
 * user's name become digests, everywhere they stand, also inside command lines and notes. The
 * digest is SHA-256 with a salt that stays at home: the same drive has the same name in all
 * exports of one store, and trying all serial numbers leads nowhere. Kernel names (/dev/sda) are
 * kept: they say what kind of drive it was, and not whose.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct anonymous {
	const char *salt;
	const char *host, *user; /* of whoever exports; NULL or "": none */
};

int anonymous_json(const struct str *text, const struct anonymous *anonymous,
		   struct str *ret_text, struct err *err);
