/*
 * Numbers with units, strictly: what a person wrote is either understood exactly or refused
 * with the remedy. k m g t p (with or without "iB") are powers of 1024, kB MB GB TB PB powers
 * of 1000; times are ns us ms s m h d. A fraction is allowed where a whole number of bytes or
 * nanoseconds comes out. Error texts start with the quoted text, so that a caller puts the
 * option's name before them with err_context. Cold code.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* A plain count: decimal, or hexadecimal after 0x. A unit is an error. */
int unit_parse_count(const char *text, uint64_t *ret_count, struct err *err);
/* The same with a sign. */
int unit_parse_signed(const char *text, int64_t *ret_count, struct err *err);
/* A finite decimal number ("1.2", "-0.5", "1e3"). */
int unit_parse_double(const char *text, double *ret_value, struct err *err);
/* Bytes; a bare number is bytes. */
int unit_parse_size(const char *text, uint64_t *ret_bytes, struct err *err);
/* Nanoseconds. `bare_unit` ("s", "us", "ms") names the unit that a bare number might be
 * thought to have; only seconds are taken without a unit, as everybody expects them, and 0
 * needs none. */
int unit_parse_time(const char *text, const char *bare_unit, uint64_t *ret_ns, struct err *err);
/* "12.5%" as hundredths of a percent, 0 to 100 %. */
int unit_parse_percent(const char *text, uint32_t *ret_percent_x100, struct err *err);

/* Canonical text that the parsers read back to the same value: "4k", "1m", "4097"; "10us",
 * "90s", "0". */
void unit_format_size(uint64_t bytes, struct str *out);
void unit_format_time(uint64_t ns, struct str *out);
/* The shortest decimal that reads back to the same double. */
void unit_format_double(double value, struct str *out);
void unit_format_percent(uint32_t percent_x100, struct str *out);
