/*
 * Two assertions. assert() checks what only a programmer can get wrong and is always
 * compiled in; debug_assert() is the same for code that runs once per request and is on in
 * test builds only. Neither is for anything that a user, a device, a file or the kernel can
 * cause.
 */
#pragma once

#include <assert.h>

#ifdef NDEBUG
#error "assay keeps its assertions on: build without NDEBUG"
#endif

#ifdef ASSAY_DEBUG
#define debug_assert(x) assert(x)
#else
#define debug_assert(x) ((void)0)
#endif
