/*
 * Our own form of a log: a header of 512 bytes and blocks of 64 KiB, each with its count, its
 * first time and a checksum. doc/log-format.md is its description; this header has its
 * constants and the layout of both heads. All numbers are little-endian.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "trace/reader.h"
#include "trace/sample.h"

#define BLOCKS_VERSION	    1u
#define BLOCKS_HEAD_BYTES   512u
#define BLOCKS_BLOCK_BYTES  65536u
#define BLOCKS_PREFIX_BYTES 32u /* of a block, before its samples */
#define BLOCKS_MAGIC	    "assaylog"
#define BLOCKS_BLOCK_MAGIC  0x4b4c4241u /* "ABLK" */
#define BLOCKS_OFFSET_UNIT  512u

/* A sample's control byte: what of it is written out. */
enum {
	CONTROL_OP = 0x03,     /* direction; 3: the 32 bytes of the sample as they are */
	CONTROL_VALUE = 0x0c,  /* 2, 3, 4 or 8 bytes of value */
	CONTROL_TIME = 0x30,   /* 0, 1, 2 or 4 bytes of time since the sample before */
	CONTROL_LENGTH = 0x40, /* 4 bytes of length; else that of the last in this direction */
	CONTROL_EXTRA = 0x80,  /* 5 bytes of extra; else what was to be expected */
	CONTROL_RAW = 3,
};

#define CONTROL_VALUE_SHIFT 2
#define CONTROL_TIME_SHIFT  4
#define CONTROL_EXTRA_BYTES 5
#define CONTROL_SAMPLE_MAX  (1 + sizeof(struct sample)) /* bytes that one sample can need */

/* Flags of the file. */
enum {
	BLOCKS_WINDOWED = 1,
	BLOCKS_EPOCH = 2,
	BLOCKS_OFFSET = 4,
	BLOCKS_MAX = 8,
	BLOCKS_PRIO = 16,
	BLOCKS_PRIO_HEX = 32,
	BLOCKS_COUNT = 64,
	BLOCKS_US = 128, /* bins of a histogram are those of fio 2, in us */
};

/* Offsets in the file's head. */
enum {
	HEAD_MAGIC = 0,
	HEAD_VERSION = 8,
	HEAD_KIND = 16,
	HEAD_FLAGS = 17,
	HEAD_MARKS_END = 18, /* 1: the last block says that it is the last */
	HEAD_JOB = 20,
	HEAD_TIME_UNIT = 24,
	HEAD_WINDOW = 32,
	HEAD_VALUE_ERROR = 40, /* in 1e-9 */
	HEAD_JOB_NAME = 64,
	HEAD_HOST = 144,
	HEAD_CHECKSUM = 504, /* XXH3 of what stands before it */
};

/* Offsets in a block's. */
enum {
	BLOCK_MAGIC = 0,
	BLOCK_COUNT = 4,
	BLOCK_DATA = 8,	  /* bytes behind the control bytes */
	BLOCK_LAST = 12,  /* 1: nothing follows; may be empty */
	BLOCK_FIRST = 16, /* time before the first sample, in the file's unit */
	BLOCK_CHECKSUM = 24,
};

static inline uint64_t le_get(const void *at, unsigned bytes)
{
	uint64_t value = 0;

	memcpy(&value, at, bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	value = __builtin_bswap64(value);
#endif
	return value;
}

static inline void le_put(void *at, uint64_t value, unsigned bytes)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	value = __builtin_bswap64(value);
#endif
	memcpy(at, &value, bytes);
}

/* What the next sample of a direction is expected to be; starts anew in each block. */
struct blocks_expect {
	uint32_t length;
	uint64_t extra; /* where the last one ended; 0 where extra is no offset */
};

uint8_t blocks_flags(const struct trace_info *info);
uint8_t blocks_sample_flags(uint8_t file_flags);
/* Checksum of a block that is complete in memory. */
uint64_t blocks_checksum(const uint8_t *block);
bool blocks_is_head(const char *text, size_t bytes);
