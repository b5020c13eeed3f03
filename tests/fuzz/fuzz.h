/* What a fuzz target is: one function, run by libFuzzer (meson -Dfuzz=true, clang) or, in the
 * ordinary tests, by replay.c over its corpus. */
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
