#include "trace/fzsample.h"

#include <stdio.h>

#include "base/bits.h"
#include "trace/blocks.h"

/* time, value: 8 bytes each; direction and flags: 4; priority: 2; nothing: 2; bs: 8; offset: 8
 * where its flag is set. */
enum { AT_TIME = 0, AT_VALUE = 8, AT_OP = 16, AT_PRIO = 20, AT_LENGTH = 24, AT_OFFSET = 32 };

#define HAS_OFFSET  0x80000000u
#define PRIO_IS_HEX 0x40000000u
#define OP_MASK	    0x3fffffffu
#define PLAIN_BYTES 32

ssize_t fzsample_to_text(const uint8_t *sample, size_t bytes, char *out, size_t *ret_length,
			 struct err *err)
{
	uint32_t flags;
	char offset[32] = "", prio[16];
	size_t need;

	if (bytes < PLAIN_BYTES)
		return 0;
	flags = (uint32_t)le_get(sample + AT_OP, 4);
	need = flags & HAS_OFFSET ? FZSAMPLE_BYTES_MAX : PLAIN_BYTES;
	if (bytes < need)
		return 0;
	if ((flags & OP_MASK) >= SAMPLE_OPS || le_get(sample + AT_LENGTH, 8) > UINT32_MAX)
		return err_input(err,
				 "the samples are not as fio 3.33 writes them: make text of "
				 "them by the fio that wrote them (fio --inflate-log=FILE)");
	if (flags & HAS_OFFSET)
		(void)snprintf(offset, sizeof(offset), " %llu,",
			       (unsigned long long)le_get(sample + AT_OFFSET, 8));
	(void)snprintf(prio, sizeof(prio), flags & PRIO_IS_HEX ? "0x%04x" : "%u",
		       (unsigned)le_get(sample + AT_PRIO, 2));
	*ret_length = (size_t)snprintf(
		out, FZSAMPLE_TEXT_MAX, "%llu, %llu, %u, %llu,%s %s\n",
		(unsigned long long)le_get(sample + AT_TIME, 8),
		(unsigned long long)le_get(sample + AT_VALUE, 8), flags & OP_MASK,
		(unsigned long long)le_get(sample + AT_LENGTH, 8), offset, prio);
	return (ssize_t)need;
}

size_t fzsample_from(const struct sample *sample, uint8_t *out)
{
	bool has_offset = sample->flags & SAMPLE_OFFSET;
	uint32_t flags = sample->op;

	flags |= has_offset ? HAS_OFFSET : 0;
	flags |= sample->flags & SAMPLE_PRIO_HEX ? PRIO_IS_HEX : 0;
	le_put(out + AT_TIME, sample->time_ns / NS_PER_MS, 8);
	le_put(out + AT_VALUE, sample->value, 8);
	le_put(out + AT_OP, flags, 4);
	le_put(out + AT_PRIO, sample->prio, 4);
	le_put(out + AT_LENGTH, sample->length, 8);
	le_put(out + AT_OFFSET, sample->extra, 8);
	return has_offset ? FZSAMPLE_BYTES_MAX : PLAIN_BYTES;
}
