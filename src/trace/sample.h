/*
 * A sample: one line of a log, whatever the log's form. 32 bytes, so that a batch of a thousand
 * stays in the first-level cache. A batch is a run of samples of one source, lent by its reader
 * until the next call.
 */
#pragma once

#include <stdint.h>

enum sample_op { SAMPLE_READ, SAMPLE_WRITE, SAMPLE_TRIM, SAMPLE_OPS };

/* What a log's value means; times and latencies are nanoseconds whatever the file's unit. */
enum trace_kind {
	TRACE_UNKNOWN,
	TRACE_LAT,  /* ns */
	TRACE_SLAT, /* ns */
	TRACE_CLAT, /* ns */
	TRACE_BW,   /* KiB/s: of the window, or in a log per I/O of that one request */
	TRACE_IOPS, /* per second in a windowed log, 1 in a log per I/O */
	TRACE_HIST, /* completion latency: middle of a bin in ns, with its count */
	TRACE_KINDS,
};

enum {
	SAMPLE_OFFSET = 1,    /* extra is the offset on the target, in bytes */
	SAMPLE_MAX = 2,	      /* extra is the maximum of the window */
	SAMPLE_COUNT = 4,     /* extra is how many requests the value stands for */
	SAMPLE_WINDOW = 8,    /* the value stands for a window that ends at the time */
	SAMPLE_PRIO = 16,     /* the log has a priority column */
	SAMPLE_PRIO_HEX = 32, /* and prints it as 0x%04x (log_prio) */
};

struct sample {
	uint64_t time_ns; /* since the log's zero, or since the epoch (trace_info.epoch) */
	uint64_t value;
	uint64_t extra;	 /* by the flags; else 0 */
	uint32_t length; /* bytes; 0 in windowed latency logs */
	uint8_t op;	 /* enum sample_op */
	uint8_t flags;
	uint16_t prio; /* class in the upper 3 bits, or fio's 0 and 1 */
};

_Static_assert(sizeof(struct sample) == 32, "two samples are a cache line");

#define TRACE_BATCH 2048 /* samples: as many as one row can hold (a histogram's) */
#define TRACE_LENT  512	 /* samples that are lent at once elsewhere: half a first-level cache */

/* Samples by columns, for who wants no more of them: all with the flags of the file, none with a
 * count or a window, times ascending, values below COLUMNS_VALUE_MAX. */
#define COLUMNS_MAX	  256	       /* rows: 6 KiB */
#define COLUMNS_VALUE_MAX (1ULL << 48) /* 78 hours: sums of columns do not overflow */

struct sample_columns {
	uint64_t time_ns[COLUMNS_MAX], value[COLUMNS_MAX], op[COLUMNS_MAX];
	uint32_t length[SAMPLE_OPS]; /* of the samples of a direction */
};

struct trace_batch {
	const struct sample *samples; /* the reader's, until the next call */
	/* instead of `samples`, which then is NULL, where the reader was asked for them */
	const struct sample_columns *columns;
	unsigned count;
	unsigned source; /* index of the reader in a merge, else 0 */
};
