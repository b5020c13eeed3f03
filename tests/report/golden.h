/*
 * Whole pages against files under tests/data/golden/. After a wanted change the files are written
 * anew by running the test with ASSAY_GOLDEN=write, and read before they are committed.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "unit.h"

static inline void check_golden(const char *name, const char *text)
{
	autostr path = {0}, want = {0};
	const char *mode = getenv("ASSAY_GOLDEN"), *data = getenv("TEST_DATA");

	str_printf(&path, "%s/golden/%s", data ? data : "tests/data", name);
	if (mode && str_equal(mode, "write")) {
		assert_int_equal(file_replace(str_text(&path), text, strlen(text)), 0);
		return;
	}
	assert_int_equal(file_read(str_text(&path), 1 << 20, &want), 0);
	assert_string_equal(text, str_text(&want));
}
