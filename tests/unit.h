/* What every unit test includes: cmocka with the headers that it wants first. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

/* CMOCKA_TEST_FILTER='*word*' runs the tests whose names match: this cmocka asks only when told. */
__attribute__((constructor, unused)) static void unit_filter(void)
{
	cmocka_set_test_filter(getenv("CMOCKA_TEST_FILTER"));
}
