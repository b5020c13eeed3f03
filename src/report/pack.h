/* Bytes in zlib's form (RFC 1950): what pictures and the data of graphs are kept in. */
#pragma once

#include <stddef.h>

/* zlib's levels are 1 to 9. free() frees it. */
char *pack_zlib(const void *bytes, size_t count, int level, size_t *ret_count);
