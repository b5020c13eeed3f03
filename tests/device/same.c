/* A drive that changed between two steps. */
#include "device/same.h"

#include <errno.h>
#include <string.h>

#include "unit.h"

static const struct device drive = {.name = "nvme0n1",
				    .path = "/dev/nvme0n1",
				    .model = "ACME 3000",
				    .serial = "S1",
				    .firmware = "A1",
				    .size_bytes = 1000};

static void each_of_the_four_is_seen_and_named(void **state)
{
	static const char *const words[] = {
		"its model was \"ACME 3000\" and is \"ACME 4000\"",
		"its serial number was \"S1\" and is \"S2\"",
		"its firmware was \"A1\" and is \"B1\"",
		"its size was 1000 bytes and is 900 bytes",
	};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct device now = drive;
		struct err err = {0};

		if (i == 0)
			(void)strcpy(now.model, "ACME 4000");
		if (i == 1)
			(void)strcpy(now.serial, "S2");
		if (i == 2)
			(void)strcpy(now.firmware, "B1");
		now.size_bytes = i == 3 ? 900 : now.size_bytes;
		assert_int_equal(device_compare(&drive, &now, &err), -ESTALE);
		assert_int_equal(err.kind, ERR_ENVIRONMENT);
		assert_non_null(strstr(err.text, words[i]));
	}
}

static void what_one_side_does_not_know_is_no_difference(void **state)
{
	struct device now = {.name = "nvme0n1", .path = "/dev/nvme0n1"};
	struct err err = {0};

	(void)state;
	assert_int_equal(device_compare(&drive, &now, &err), 0);
	assert_int_equal(device_compare(&now, &drive, &err), 0);
	now = drive;
	now.diskseq = 7; /* the same drive, plugged in again */
	assert_int_equal(device_compare(&drive, &now, &err), 0);
	assert_int_equal(err.code, 0);
}

static void a_drive_that_is_gone_is_an_error(void **state)
{
	struct err err = {0};
	struct device now;

	(void)state;
	assert_int_equal(device_check_same(&drive, &device_roots_real, &now, &err), -ENODEV);
	assert_int_equal(err.kind, ERR_ENVIRONMENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_of_the_four_is_seen_and_named),
		cmocka_unit_test(what_one_side_does_not_know_is_no_difference),
		cmocka_unit_test(a_drive_that_is_gone_is_an_error),
	};

	return cmocka_run_group_tests_name("same", tests, NULL, NULL);
}
