/* What drives say of themselves: samples written by hand from smartctl's documented keys, the OCP
 * log page, differences. The programs and the drive that are asked here are scripted. */
#include "device/health.h"

#include <errno.h>
#include <sys/ioctl.h>

#include "base/bits.h"
#include "scripted.h"

static void sample(const char *name, struct health *ret_health)
{
	struct err err = {0};
	autostr path = {0}, text = {0};

	str_printf(&path, "%s/smartctl/%s.json", getenv("TEST_DATA"), name);
	assert_int_equal(file_read(str_text(&path), 1 << 20, &text), 0);
	if (health_parse(ret_health, str_text(&text), text.length, &err) < 0)
		fail_msg("%s: %s", name, err.text);
}

static void nvme_is_read_whole(void **state)
{
	struct health h;

	(void)state;
	sample("nvme", &h);
	assert_string_equal(h.model, "ACME Flash 3000 3.84TB");
	assert_string_equal(h.serial, "AF3K0001");
	assert_string_equal(h.firmware, "GX12");
	assert_string_equal(h.source, "smartctl 7.3");
	assert_string_equal(h.why_not, "");
	assert_int_equal(h.size_bytes, 3840755982336);
	assert_int_equal(h.passed, ANSWER_YES);
	assert_int_equal(h.at_unix_ns, 1790000000 * NS_PER_S);
	/* A data unit is 1000 blocks of 512 bytes, not of 4096, whatever the format is. */
	assert_int_equal(h.value[HEALTH_HOST_WRITTEN_BYTES], 98765432LL * 512000);
	assert_int_equal(h.value[HEALTH_HOST_READ_BYTES], 123456789LL * 512000);
	assert_int_equal(h.value[HEALTH_HOST_READS], 4567890123);
	assert_int_equal(h.value[HEALTH_USED_PPM], 30000);
	assert_int_equal(h.value[HEALTH_TEMPERATURE_MC], 41000);
	assert_int_equal(h.value[HEALTH_SPARE_PERCENT], 100);
	assert_int_equal(h.value[HEALTH_UNSAFE_SHUTDOWNS], 5);
	assert_int_equal(h.value[HEALTH_MEDIA_ERRORS], 0); /* told, and none */
	assert_int_equal(h.value[HEALTH_HOT_MINUTES], 12);
	assert_false(health_knows(&h, HEALTH_NAND_WRITTEN_BYTES));
	assert_false(health_knows(&h, HEALTH_REALLOCATED));
}

static void numbers_beyond_64_bits_are_unknown_and_no_error(void **state)
{
	struct health h;

	(void)state;
	sample("nvme-huge", &h);
	assert_false(health_knows(&h, HEALTH_HOST_READ_BYTES));
	assert_false(health_knows(&h, HEALTH_HOST_WRITTEN_BYTES));
	assert_false(health_knows(&h, HEALTH_MEDIA_ERRORS)); /* negative */
	assert_int_equal(h.value[HEALTH_HOST_READS], 9007199254740992);
	assert_int_equal(h.value[HEALTH_USED_PPM], 2550000);
	assert_int_equal(h.value[HEALTH_TEMPERATURE_MC], -5000);
	assert_int_equal(h.size_bytes, 15362991415296);
	assert_int_equal(h.passed, ANSWER_UNKNOWN);
}

static void sata_prefers_statistics_to_attributes(void **state)
{
	struct health h;

	(void)state;
	sample("sata-ssd", &h);
	assert_int_equal(h.value[HEALTH_HOST_WRITTEN_BYTES], 65536123456 * 512);
	/* The statistic is marked invalid: the attribute speaks. */
	assert_int_equal(h.value[HEALTH_HOST_READ_BYTES], 2000000 * 32 * (int64_t)MiB);
	assert_int_equal(h.value[HEALTH_NAND_WRITTEN_BYTES], 1500000 * 32 * (int64_t)MiB);
	assert_int_equal(h.value[HEALTH_USED_PPM], 60000); /* and not 100 - 93 */
	assert_int_equal(h.value[HEALTH_POWER_CYCLES], 34);
	assert_int_equal(h.value[HEALTH_POWER_ON_HOURS], 19000);
	assert_int_equal(h.value[HEALTH_UNSAFE_SHUTDOWNS], 21);
	assert_int_equal(h.value[HEALTH_REALLOCATED], 4);
	assert_int_equal(h.value[HEALTH_PENDING], 2);
	assert_int_equal(h.value[HEALTH_LINK_ERRORS], 9);
	assert_int_equal(h.value[HEALTH_MEDIA_ERRORS], 1);
	assert_int_equal(h.value[HEALTH_ERROR_LOG_ENTRIES], 6);
	assert_int_equal(h.value[HEALTH_TEMPERATURE_MC], 34000);
	assert_false(health_knows(&h, HEALTH_SPARE_PERCENT));
}

static void sas_counts_in_gigabytes(void **state)
{
	struct health h;

	(void)state;
	sample("sas", &h);
	assert_string_equal(h.model, "ACME SAS9000");
	assert_string_equal(h.firmware, "0003");
	assert_int_equal(h.passed, ANSWER_NO);
	assert_int_equal(h.value[HEALTH_HOST_READ_BYTES], 812345678000000);
	assert_int_equal(h.value[HEALTH_HOST_WRITTEN_BYTES], 412345500000000);
	assert_int_equal(h.value[HEALTH_USED_PPM], 110000);
	assert_int_equal(h.value[HEALTH_REALLOCATED], 7);
	assert_int_equal(h.value[HEALTH_MEDIA_ERRORS], 3);
	assert_int_equal(h.value[HEALTH_POWER_CYCLES], 55);
}

static void what_is_not_told_is_unknown_with_the_reason(void **state)
{
	struct health h;

	(void)state;
	sample("usb-no-sensor", &h);
	for (unsigned i = 0; i < NHEALTH; i++)
		assert_int_equal(h.value[i], HEALTH_UNKNOWN); /* 0 C is no measurement */
	assert_string_equal(h.model, "Generic Stick");
	assert_string_equal(h.why_not, "the drive reports no health data");
	sample("standby", &h);
	assert_non_null(strstr(h.why_not, "STANDBY"));
}

static void other_text_is_an_error(void **state)
{
	static const char *const texts[] = {"", "{}", "[1]", "smartctl 7.3",
					    "{\"smartctl\":3}"};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(texts); i++) {
		struct err err = {0};
		struct health h;

		assert_int_equal(health_parse(&h, texts[i], strlen(texts[i]), &err), -EINVAL);
		assert_true(err.text[0]);
	}
}

static void ocp_page_gives_the_bytes_of_the_flash(void **state)
{
	static const uint8_t guid[16] = {0xC5, 0xAF, 0x10, 0x28, 0xEA, 0xBF, 0xF2, 0xA4,
					 0x9C, 0x4F, 0x6F, 0x7C, 0xC9, 0x14, 0xD5, 0xAF};
	uint8_t page[HEALTH_OCP_BYTES] = {0x78, 0x56, 0x34, 0x12};
	struct health h;

	(void)state;
	health_init(&h, "");
	assert_false(health_parse_ocp(&h, page)); /* another vendor's page C0h */
	assert_false(health_knows(&h, HEALTH_NAND_WRITTEN_BYTES));
	memcpy(page + 496, guid, sizeof(guid));
	assert_true(health_parse_ocp(&h, page));
	assert_int_equal(h.value[HEALTH_NAND_WRITTEN_BYTES], 0x12345678);
	page[9] = 1; /* beyond 64 bits */
	assert_false(health_parse_ocp(&h, page));
}

static void difference_is_what_happened_between(void **state)
{
	struct health before, after, d;

	(void)state;
	sample("sata-ssd", &before);
	after = before;
	after.value[HEALTH_HOST_WRITTEN_BYTES] += 1000;
	after.value[HEALTH_NAND_WRITTEN_BYTES] += 2500;
	after.value[HEALTH_TEMPERATURE_MC] = 50000;
	after.value[HEALTH_MEDIA_ERRORS] = 0; /* backwards: the counter was reset */
	after.value[HEALTH_REALLOCATED] = HEALTH_UNKNOWN;
	health_difference(&before, &after, &d);
	assert_int_equal(d.value[HEALTH_HOST_WRITTEN_BYTES], 1000);
	assert_int_equal(d.value[HEALTH_TEMPERATURE_MC], 50000);
	assert_int_equal(d.value[HEALTH_POWER_CYCLES], 0);
	assert_false(health_knows(&d, HEALTH_MEDIA_ERRORS));
	assert_false(health_knows(&d, HEALTH_REALLOCATED));
	assert_true(health_write_amplification(&d) > 2.49 &&
		    health_write_amplification(&d) < 2.51);
	d.value[HEALTH_NAND_WRITTEN_BYTES] = HEALTH_UNKNOWN;
	assert_true(health_write_amplification(&d) == 0); /* never 1 */
}

static void values_have_their_units(void **state)
{
	static const struct {
		enum health_field field;
		int64_t value;
		const char *text;
	} texts[] = {
		{HEALTH_HOST_WRITTEN_BYTES, 12300000000000, "12.3 TB"},
		{HEALTH_TEMPERATURE_MC, 41000, "41 C"},
		{HEALTH_USED_PPM, 30000, "3 %"},
		{HEALTH_USED_PPM, 125, "0.0125 %"},
		{HEALTH_POWER_ON_HOURS, 8760, "8760 h"},
		{HEALTH_MEDIA_ERRORS, 0, "0"},
		{HEALTH_THROTTLED_NS, 1500000000, "1.500 s"},
		{HEALTH_NAND_WRITTEN_BYTES, HEALTH_UNKNOWN, "unknown"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(texts); i++) {
		char text[40];

		health_format(texts[i].field, texts[i].value, text, sizeof(text));
		assert_string_equal(text, texts[i].text);
	}
}

/* --- asking --- */

static bool has_ocp; /* the scripted drive's log page C0h */

/* In place of libc's: the node below is a plain file. */
int ioctl(int fd, unsigned long request, ...)
{
	static const uint8_t guid[16] = {0xC5, 0xAF, 0x10, 0x28, 0xEA, 0xBF, 0xF2, 0xA4,
					 0x9C, 0x4F, 0x6F, 0x7C, 0xC9, 0x14, 0xD5, 0xAF};
	struct nvme_admin_cmd *command;
	uint8_t *page;
	va_list args;

	va_start(args, request);
	command = va_arg(args, void *);
	va_end(args);
	assert_true(fd >= 0);
	assert_int_equal(request, NVME_IOCTL_ADMIN_CMD);
	assert_int_equal(command->opcode, 0x02);
	assert_int_equal(command->cdw10, 127u << 16 | 0xC0);
	assert_int_equal(command->data_len, HEALTH_OCP_BYTES);
	if (!has_ocp)
		return 0x4109; /* invalid log page */
	page = (uint8_t *)(uintptr_t)command->addr;
	page[1] = 1;
	memcpy(page + 496, guid, sizeof(guid));
	return 0;
}

static const struct device nvme = {.name = "nvme0n1p2",
				   .parent = "nvme0n1",
				   .kind = DEVICE_PARTITION,
				   .interface = INTERFACE_NVME};

static void the_disk_is_asked_and_its_log_page_too(void **state)
{
	struct scripted s;
	struct health h;
	autostr asked = {0}, expected = {0}, body = {0};

	(void)state;
	scripted_open(&s);
	scripted_node(&s, "nvme0n1");
	str_printf(&body, "cat %s/smartctl/nvme.json", getenv("TEST_DATA"));
	scripted_program(&s, "smartctl", str_text(&body));
	has_ocp = true;
	health_read(&h, &nvme, &s.roots);
	assert_string_equal(h.serial, "AF3K0001");
	assert_int_equal(h.value[HEALTH_NAND_WRITTEN_BYTES], 256);
	assert_string_equal(h.source, "smartctl 7.3, OCP log page C0h");
	scripted_asked(&s, &asked);
	str_printf(&expected, "smartctl --json=c --nocheck=standby -x %s/nvme0n1\n", s.dev);
	assert_string_equal(str_text(&asked), str_text(&expected));
	has_ocp = false;
	health_read(&h, &nvme, &s.roots);
	assert_false(health_knows(&h, HEALTH_NAND_WRITTEN_BYTES));
	scripted_close(&s);
}

static void failures_are_reasons(void **state)
{
	static const struct {
		const char *body, *why;
	} cases[] = {
		{"echo no such option >&2; exit 1", "smartctl: no such option"},
		{"exit 3", "smartctl: exit status 3"},
		{"echo '{\"smartctl\":{}, \"temperature\":{\"current\":3}}'; exit 2",
		 "smartctl could not ask it (exit status 2)"},
	};
	struct scripted s;
	struct health h;

	(void)state;
	scripted_open(&s);
	scripted_node(&s, "nvme0n1");
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		scripted_program(&s, "smartctl", cases[i].body);
		health_read(&h, &nvme, &s.roots);
		assert_string_equal(h.why_not, cases[i].why);
		assert_true(h.at_unix_ns > 0);
	}
	scripted_close(&s);
}

static void a_device_without_hardware_is_not_asked(void **state)
{
	const struct device loop = {
		.name = "loop7", .kind = DEVICE_LOOP, .interface = INTERFACE_VIRTUAL};
	const struct device vda = {
		.name = "vda", .kind = DEVICE_DISK, .interface = INTERFACE_VIRTIO};
	struct health h;

	(void)state;
	health_read(&h, &loop, &device_roots_real);
	assert_string_equal(h.why_not, "loop7 (loop device) has no health log");
	health_read(&h, &vda, &device_roots_real);
	assert_string_equal(h.why_not, "vda (virtio) has no health log");
	assert_int_equal(h.at_unix_ns, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nvme_is_read_whole),
		cmocka_unit_test(numbers_beyond_64_bits_are_unknown_and_no_error),
		cmocka_unit_test(sata_prefers_statistics_to_attributes),
		cmocka_unit_test(sas_counts_in_gigabytes),
		cmocka_unit_test(what_is_not_told_is_unknown_with_the_reason),
		cmocka_unit_test(other_text_is_an_error),
		cmocka_unit_test(ocp_page_gives_the_bytes_of_the_flash),
		cmocka_unit_test(difference_is_what_happened_between),
		cmocka_unit_test(values_have_their_units),
		cmocka_unit_test(the_disk_is_asked_and_its_log_page_too),
		cmocka_unit_test(failures_are_reasons),
		cmocka_unit_test(a_device_without_hardware_is_not_asked),
	};

	return cmocka_run_group_tests_name("health", tests, NULL, NULL);
}
