/*
 * One row of a fio text log, read byte by byte and checked in full. The fast reader
 * (fiofast.h) takes a row that it has not seen the like of to this one, and is tested to agree
 * with it on every input.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "trace/sample.h"

#define FIOROW_COLUMNS_MIN 4
#define FIOROW_COLUMNS_MAX 8

/* time, value, [maximum,] direction, bs, [offset,] [prio,] [issue time] */
struct fiorow_shape {
	uint8_t columns;
	bool max, offset, prio, prio_hex, issue;
	bool windowed;	      /* rows with a block size stand for windows too (bw and iops) */
	bool any_windows;     /* bs is 0 in windows alone: a row of the other sort is a fault */
	uint64_t value_scale; /* 1; 1000 for a latency in us */
	uint8_t flags;	      /* of every sample */
};

enum fiorow_fault {
	FIOROW_OK,
	FIOROW_SKIP, /* empty, or a # line: no fault */
	FIOROW_ZERO, /* a row of zeros, as fio leaves at some logs' ends: no fault */
	FIOROW_COLUMNS,
	FIOROW_NUMBER,
	FIOROW_RANGE,
	FIOROW_DIRECTION,
	FIOROW_PRIO,
	FIOROW_CHANGED,
	FIOROW_FAULTS,
};

/* Where the columns stand in the text, for who wants to recognise the next row by them. */
struct fiorow_marks {
	uint16_t begin[FIOROW_COLUMNS_MAX], end[FIOROW_COLUMNS_MAX];
};

/* `end` is where the newline stands; a carriage return before it is no part of the row. */
enum fiorow_fault fiorow_parse(const struct fiorow_shape *shape, const char *row,
			       const char *end, struct sample *ret_sample,
			       struct fiorow_marks *ret_marks);

/* "has not the columns of the rows before it" */
const char *fiorow_fault_text(enum fiorow_fault fault);

/* Numbers of a row of any count of columns up to `max`: returns how many there are, 0 when the
 * text is no such row. A number after 0x is hexadecimal: its bit is set in *ret_hex. */
unsigned fiorow_split(const char *row, const char *end, unsigned max, uint64_t *ret_numbers,
		      uint32_t *ret_hex);
