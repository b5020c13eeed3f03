/* The counters' columns, differences and wraps; the text is that of a recorded NVMe drive. */
#include "device/counters.h"

#include <string.h>

#include "tree.h"

static void columns_are_the_kernels(void **state)
{
	struct device_counters c;
	struct device device;
	struct tree tree;

	(void)state;
	tree_open(&tree, "sys-nvme.tree");
	assert_int_equal(device_from_name(&device, "nvme0n1", &tree.roots, NULL), 0);
	assert_int_equal(counters_read(&c, &device, &tree.roots), 0);
	assert_int_equal(c.read.ios, 182736);
	assert_int_equal(c.read.merges, 102);
	assert_int_equal(c.read.bytes, 9871234ULL * 512);
	assert_int_equal(c.read.busy_ms, 6543);
	assert_int_equal(c.write.ios, 987654);
	assert_int_equal(c.write.bytes, 87654321ULL * 512);
	assert_int_equal(c.in_flight, 3);
	assert_int_equal(c.active_ms, 34567);
	assert_int_equal(c.queue_ms, 129999);
	assert_int_equal(c.discard.ios, 1000);
	assert_int_equal(c.discard.bytes, 8192000ULL * 512);
	assert_int_equal(c.flush_ios, 4321);
	assert_int_equal(c.flush_busy_ms, 1234);
	assert_true(c.has_discard);
	assert_true(c.has_flush);
	device.minor = 99;
	assert_int_equal(counters_read(&c, &device, &tree.roots), -ENODEV);
	tree_close(&tree);
}

static void older_kernels_have_fewer_columns(void **state)
{
	struct device_counters c;

	(void)state;
	assert_true(counters_parse(&c, "1 2 3 4 5 6 7 8 9 10 11\n"));
	assert_false(c.has_discard);
	assert_false(c.has_flush);
	assert_true(counters_parse(&c, "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n"));
	assert_true(c.has_discard);
	assert_false(c.has_flush);
	assert_false(counters_parse(&c, "1 2 3 4 5 6 7 8 9 10"));
	assert_false(counters_parse(&c, ""));
}

static void difference_and_sum_undo_each_other(void **state)
{
	struct device_counters a, b, d;

	(void)state;
	assert_true(counters_parse(&a, "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17"));
	assert_true(counters_parse(&b, "101 2 303 44 55 6 77 88 4 110 111 12 13 14 15 96 17"));
	counters_difference(&a, &b, &d);
	assert_int_equal(d.read.ios, 100);
	assert_int_equal(d.read.bytes, 300 * 512);
	assert_int_equal(d.write.bytes, 70 * 512);
	assert_int_equal(d.in_flight, 4); /* a state, not a sum */
	assert_int_equal(d.flush_ios, 80);
	d.in_flight = 0;
	a.in_flight = 4;
	counters_add(&d, &a);
	assert_memory_equal(&d.read, &b.read, sizeof(b.read));
	assert_memory_equal(&d.write, &b.write, sizeof(b.write));
	assert_memory_equal(&d.discard, &b.discard, sizeof(b.discard));
	assert_int_equal(d.queue_ms, b.queue_ms);
	assert_int_equal(d.in_flight, b.in_flight);
}

/* The kernel prints milliseconds as 32 bits: 49 days of summed waiting, two at depth 32. */
static void milliseconds_wrap_and_new_devices_start_anew(void **state)
{
	struct device_counters a, b, d;

	(void)state;
	assert_true(counters_parse(&a, "10 0 80 4294967290 5 0 0 1 0 4294967000 4294967295"));
	assert_true(counters_parse(&b, "20 0 160 4 5 0 0 1 0 200 1"));
	counters_difference(&a, &b, &d);
	assert_int_equal(d.read.busy_ms, 10);
	assert_int_equal(d.active_ms, 496);
	assert_int_equal(d.queue_ms, 2);
	counters_difference(&b, &a, &d); /* as if the device had come anew */
	assert_int_equal(d.read.ios, 0);
	assert_int_equal(d.read.bytes, 0);
	assert_int_equal(d.read.busy_ms, 0);
	assert_int_equal(d.active_ms, 0);
}

static void watch_of_a_quiet_device_is_zero(void **state)
{
	struct device_counters d;
	struct device device;
	struct tree tree;

	(void)state;
	tree_open(&tree, "sys-nvme.tree");
	assert_int_equal(device_from_name(&device, "nvme0n1", &tree.roots, NULL), 0);
	assert_int_equal(counters_watch(&d, &device, 20, &tree.roots), 0);
	assert_int_equal(d.read.ios + d.write.ios, 0);
	assert_true(d.at_ns >= 20000000);
	tree_close(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_the_kernels),
		cmocka_unit_test(older_kernels_have_fewer_columns),
		cmocka_unit_test(difference_and_sum_undo_each_other),
		cmocka_unit_test(milliseconds_wrap_and_new_devices_start_anew),
		cmocka_unit_test(watch_of_a_quiet_device_is_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
