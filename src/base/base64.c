#include "base/base64.h"

#include <string.h>

static const char letters[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_add(struct str *out, const void *bytes, size_t count)
{
	const unsigned char *at = bytes;

	for (; count > 0; at += 3) {
		unsigned n = count < 3 ? (unsigned)count : 3, word = (unsigned)at[0] << 16;
		char four[4] = {'=', '=', '=', '='};

		word |= n > 1 ? (unsigned)at[1] << 8 : 0;
		word |= n > 2 ? at[2] : 0;
		for (unsigned i = 0; i <= n; i++)
			four[i] = letters[word >> (18 - 6 * i) & 63];
		str_add_bytes(out, four, sizeof(four));
		count -= n;
	}
}

ssize_t base64_decode(const char *text, size_t length, void *ret_bytes)
{
	unsigned char *out = ret_bytes;
	unsigned word = 0, bits = 0;
	size_t used = length, count = 0;

	while (used > 0 && length - used < 2 && text[used - 1] == '=')
		used--;
	if (length % 4)
		return -1;
	for (size_t i = 0; i < used; i++) {
		const char *letter = text[i] ? strchr(letters, text[i]) : NULL;

		if (!letter)
			return -1;
		word = word << 6 | (unsigned)(letter - letters);
		bits += 6;
		if (bits < 8)
			continue;
		bits -= 8;
		out[count++] = (unsigned char)(word >> bits);
		word &= (1u << bits) - 1;
	}
	return word ? -1 : (ssize_t)count; /* bits beyond the last byte are 0 */
}
