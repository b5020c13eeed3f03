/* Libraries opened when they are called: what they give, and what is said where they are
 * missing. */
#include "base/library.h"

#include <string.h>
#include <zlib.h>

#include "base/bits.h"
#include "unit.h"

#define CALLS(X) X(zlibVersion) X(crc32)

struct zlib {
	CALLS(LIBRARY_CALL)
};

static void its_calls_come_in_the_order_of_their_names(void **state)
{
	static const char *const names[] = {CALLS(LIBRARY_NAME)};
	static const struct library library = {"libz.so." LIBRARY_TEXT(ZLIB_VER_MAJOR),
					       "zlib1g", names, ARRAY_SIZE(names)};
	struct zlib zlib;
	struct err err = {0};

	(void)state;
	for (int again = 0; again < 2; again++) {
		assert_int_equal(library_open(&library, &zlib, sizeof(zlib), &err), 0);
		assert_int_equal(zlib.zlibVersion()[0] - '0', ZLIB_VER_MAJOR);
		/* The check value that the definition of CRC-32 gives. */
		assert_int_equal(zlib.crc32(0, (const Bytef *)"123456789", 9), 0xcbf43926);
	}
	assert_int_equal(err.code, 0);
}

static void a_library_that_is_missing_is_named_with_its_package(void **state)
{
	static const char *const names[] = {"nothing"};
	static const struct library library = {"libassay-none.so.1", "assay-none", names, 1};
	void *call = &call;
	struct err err = {0};

	(void)state;
	assert_int_equal(library_open(&library, &call, sizeof(call), &err), -ENOENT);
	assert_int_equal(err.kind, ERR_ENVIRONMENT);
	assert_non_null(strstr(err.text, "libassay-none.so.1"));
	assert_non_null(strstr(err.text, "install assay-none"));
	assert_ptr_equal(call, &call);
}

static void a_call_that_a_library_lacks_is_named(void **state)
{
	static const char *const names[] = {"zlib_of_the_future"};
	static const struct library library = {"libz.so.1", "zlib1g", names, 1};
	void *call = NULL;
	struct err err = {0};

	(void)state;
	assert_int_equal(library_open(&library, &call, sizeof(call), &err), -ENOSYS);
	assert_non_null(strstr(err.text, "zlib_of_the_future"));
	assert_non_null(strstr(err.text, "zlib1g"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_calls_come_in_the_order_of_their_names),
		cmocka_unit_test(a_library_that_is_missing_is_named_with_its_package),
		cmocka_unit_test(a_call_that_a_library_lacks_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
