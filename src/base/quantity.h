/*
 * Numbers with units for people: three significant digits, one space, the unit. Time is ns, us,
 * ms, s or "1 h 02 min"; sizes of files and memory are powers of 1024 (KiB MiB GiB TiB), what
 * drives and links are sold and measured in are powers of 1000 (kB MB GB TB, MB/s), and the two
 * are never mixed in one figure. Plain ASCII. Appends to `out`. Not for reading back.
 */
#pragma once

#include <stdint.h>

#include "base/str.h"

void quantity_time(uint64_t ns, struct str *out);	 /* "1.50 ms" */
void quantity_size(uint64_t bytes, struct str *out);	 /* "4 KiB", "1.50 GiB" */
void quantity_decimal(uint64_t bytes, struct str *out);	 /* "500 GB", "4.19 MB" */
void quantity_rate(double bytes_per_s, struct str *out); /* "1.23 GB/s" */
void quantity_count(uint64_t count, struct str *out);	 /* "1,234,567" */
void quantity_plain(double value, struct str *out);	 /* "0.123", "12.3", "1,235" */
