#include "report/pack.h"

#include <zlib.h>

#include "base/assert.h"
#include "base/memory.h"

/* zlib's own while it packs (its zconf.h): windows of 2 to the 15th, memLevel 8. */
#define PACK_STATE_BYTES ((1UL << 17) + (1UL << 17))

char *pack_zlib(const void *bytes, size_t count, int level, size_t *ret_count)
{
	uLongf packed_bytes = compressBound(count);
	char *packed = memory_take(packed_bytes);
	int rc = compress2((Bytef *)packed, &packed_bytes, bytes, count, level);

	if (rc == Z_MEM_ERROR)
		memory_short(PACK_STATE_BYTES);
	assert(rc == Z_OK); /* the room is what zlib asks for */
	*ret_count = packed_bytes;
	return packed;
}
