/* The health of a simulated drive, in the words of real ones: what its log says, and no more. */
#include <string.h>

#include "device/health.h"
#include "sim/drive.h"
#include "unit.h"

static struct health health_of(const char *target, uint64_t writes)
{
	struct drive_health log;
	struct health health;
	struct drive *drive;
	struct err err = {0};
	uint64_t now_ns = 0;

	if (drive_open(target, &drive, &err))
		fail_msg("%s", err.text);
	for (uint64_t i = 0; i < writes; i++) {
		struct drive_request write = {
			.offset = i * 7919 % 4096 * 4096, .bytes = 4096, .op = DRIVE_WRITE};
		struct drive_done done;

		(void)drive_submit(drive, &write, now_ns);
		while (!drive_reap(drive, now_ns, &done, 1))
			now_ns = drive_next(drive);
	}
	drive_power_cut(drive, now_ns, NULL);
	drive_get_health(drive, now_ns, &log);
	health_of_sim(&health, drive_profile(drive), &log);
	drive_close(drive);
	return health;
}

static void an_ssd_tells_of_its_flash(void **state)
{
	struct health health = health_of("sata-enterprise,size=16m,cache=256k", 40000);

	(void)state;
	assert_string_equal(health.model, "sata-enterprise");
	assert_string_equal(health.protocol, "simulated");
	assert_string_equal(health.source, "sim:sata-enterprise");
	assert_int_equal(health.size_bytes, 16 << 20);
	assert_int_equal(health.value[HEALTH_HOST_WRITES], 40000);
	assert_int_equal(health.value[HEALTH_HOST_WRITTEN_BYTES], INT64_C(40000) * 4096);
	assert_true(health.value[HEALTH_NAND_WRITTEN_BYTES] >= INT64_C(40000) * 4096);
	assert_true(health.value[HEALTH_USED_PPM] > 0);
	assert_true(health.value[HEALTH_TEMPERATURE_MC] > 20000);
	assert_int_equal(health.value[HEALTH_UNSAFE_SHUTDOWNS], 1);
	assert_int_equal(health.value[HEALTH_MEDIA_ERRORS], 0);
	assert_true(health.at_unix_ns > 0);
}

static void what_the_model_does_not_have_is_unknown(void **state)
{
	struct health disk = health_of("hdd-7200-raid0", 10);

	(void)state;
	assert_int_equal(disk.value[HEALTH_HOST_WRITES], 10);
	assert_false(health_knows(&disk, HEALTH_NAND_WRITTEN_BYTES));
	assert_false(health_knows(&disk, HEALTH_USED_PPM));
	assert_false(health_knows(&disk, HEALTH_TEMPERATURE_MC));
	assert_false(health_knows(&disk, HEALTH_POWER_ON_HOURS));
	assert_true(health_write_amplification(&disk) == 0);
}

/* Between two moments of one drive, as a run takes it. */
static void write_amplification_comes_from_the_difference(void **state)
{
	struct health before = health_of("sata-enterprise,size=16m,cache=256k", 20000);
	struct health after = health_of("sata-enterprise,size=16m,cache=256k", 40000);
	struct health difference;
	double wa;

	(void)state;
	health_difference(&before, &after, &difference);
	wa = health_write_amplification(&difference);
	assert_true(wa >= 1);
	assert_true(wa < 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_ssd_tells_of_its_flash),
		cmocka_unit_test(what_the_model_does_not_have_is_unknown),
		cmocka_unit_test(write_amplification_comes_from_the_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
