/*
 * Real commands to QEMU's drives: run inside the guest that tests/cli/test_guest.py boots. They
 * erase, so that they touch only drives whose serial number begins with ASSAYRIG, and a machine
 * without them skips each test.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/str.h"
#include "device/health.h"
#include "device/purge.h"
#include "device/write_cache.h"
#include "unit.h"

#define OURS "ASSAYRIG"

static const struct device_roots *const roots = &device_roots_real;

static void find(struct device *ret_device, enum device_interface interface)
{
	struct device_list list;
	struct arena arena;
	bool found = false;

	arena_init(&arena);
	assert_int_equal(device_list(&arena, false, roots, &list, NULL), 0);
	for (unsigned i = 0; i < list.count && !found; i++) {
		found = str_starts(list.items[i].serial, OURS) &&
			list.items[i].interface == interface;
		if (found)
			*ret_device = list.items[i];
	}
	arena_done(&arena);
	if (!found) {
		print_message("no emulated %s drive of ours\n",
			      device_interface_name(interface));
		skip();
	}
}

static void write_all(const struct device *device, unsigned char byte)
{
	static unsigned char data[MiB];
	autofd fd = open(device->path, O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	memset(data, byte, sizeof(data));
	for (uint64_t at = 0; at < device->size_bytes; at += sizeof(data))
		assert_int_equal(pwrite(fd, data, sizeof(data), (off_t)at), sizeof(data));
	assert_int_equal(fsync(fd), 0);
}

static bool is_zero(const struct device *device)
{
	static unsigned char data[MiB], zeros[MiB];
	autofd fd = open(device->path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
	for (uint64_t at = 0; at < device->size_bytes; at += sizeof(data)) {
		assert_int_equal(pread(fd, data, sizeof(data), (off_t)at), sizeof(data));
		if (memcmp(data, zeros, sizeof(data)) != 0)
			return false;
	}
	return true;
}

static void nvme_counts_what_was_written(void **state)
{
	struct health before, after, d;
	struct device drive;

	(void)state;
	find(&drive, INTERFACE_NVME);
	health_read(&before, &drive, roots);
	assert_string_equal(before.why_not, "");
	assert_string_equal(before.serial, drive.serial);
	assert_string_equal(before.protocol, "NVMe");
	assert_int_equal(before.size_bytes, drive.size_bytes);
	write_all(&drive, 0x5A);
	health_read(&after, &drive, roots);
	health_difference(&before, &after, &d);
	/* In units of 512,000 bytes, rounded up by the drive. */
	assert_true(d.value[HEALTH_HOST_WRITTEN_BYTES] >= (int64_t)drive.size_bytes - 512000);
	assert_true(d.value[HEALTH_HOST_WRITTEN_BYTES] <= (int64_t)drive.size_bytes + 1024000);
	assert_true(d.value[HEALTH_HOST_WRITES] > 0);
	assert_false(health_knows(&after, HEALTH_NAND_WRITTEN_BYTES)); /* no OCP log page */
}

static void sata_and_scsi_tell_what_they_have(void **state)
{
	struct device drive;
	struct health h;

	(void)state;
	find(&drive, INTERFACE_SATA);
	health_read(&h, &drive, roots);
	assert_string_equal(h.serial, drive.serial);
	assert_int_equal(h.passed, ANSWER_YES);
	assert_int_equal(h.value[HEALTH_TEMPERATURE_MC], 31000);
	assert_int_equal(h.value[HEALTH_REALLOCATED], 0);
	assert_false(health_knows(&h, HEALTH_HOST_WRITTEN_BYTES));
	find(&drive, INTERFACE_SCSI);
	health_read(&h, &drive, roots);
	assert_string_equal(h.serial, drive.serial);
	assert_string_equal(h.why_not, "the drive reports no health data");
}

static void purged(enum device_interface interface, enum purge_method method, const char *words)
{
	struct device drive;
	const char *tokens[] = {drive.token};
	const struct guard_rules rules = {.tokens = tokens, .ntokens = 1};
	const struct purge_wish wish = {
		.method = method, .rules = &rules, .roots = roots, .state_folder = "/tmp"};
	struct purge_done done = {.text = ""};
	struct purge_plan plan;
	struct err err = {0};

	find(&drive, interface);
	write_all(&drive, 0xA5);
	assert_false(is_zero(&drive));
	if (purge_look(drive.path, &wish, &plan, &err) < 0 ||
	    purge_do(&plan, &wish, &done, &err) < 0)
		fail_msg("%s", err.text);
	print_message("%s: %s\n", drive.name, done.text);
	assert_string_equal(done.text, words);
	assert_true(is_zero(&drive));
}

static void nvme_is_formatted(void **state)
{
	(void)state;
	purged(INTERFACE_NVME, PURGE_AUTO,
	       "NVMe format, user data erase; not sanitize: the controller offers none");
	purged(INTERFACE_NVME, PURGE_FORMAT, "NVMe format, user data erase");
}

static void others_are_trimmed_or_written(void **state)
{
	(void)state;
	purged(INTERFACE_SATA, PURGE_AUTO,
	       "TRIM of the whole device; not secure-erase: the drive has no security feature "
	       "set");
	purged(INTERFACE_SCSI, PURGE_AUTO, "TRIM of the whole device");
	purged(INTERFACE_NVME, PURGE_ZERO, "zeros written over the whole device");
}

static void cache_of(enum device_interface interface)
{
	struct write_cache_hold hold;
	struct device drive;
	struct err err = {0};

	find(&drive, interface);
	assert_int_equal(write_cache_read(&drive, roots, NULL), ANSWER_YES);
	if (write_cache_hold(&hold, &drive, false, "/tmp", roots, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(hold.changed);
	assert_int_equal(write_cache_read(&drive, roots, NULL), ANSWER_NO);
	assert_int_equal(write_cache_release(&hold, roots, &err), 0);
	assert_int_equal(write_cache_read(&drive, roots, NULL), ANSWER_YES);
}

static void each_cache_is_switched_and_put_back(void **state)
{
	(void)state;
	cache_of(INTERFACE_NVME);
	cache_of(INTERFACE_SATA);
	cache_of(INTERFACE_SCSI);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nvme_counts_what_was_written),
		cmocka_unit_test(sata_and_scsi_tell_what_they_have),
		cmocka_unit_test(nvme_is_formatted),
		cmocka_unit_test(others_are_trimmed_or_written),
		cmocka_unit_test(each_cache_is_switched_and_put_back),
	};

	return cmocka_run_group_tests_name("emulated", tests, NULL, NULL);
}
