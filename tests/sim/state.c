/* A drive's state, saved and loaded, and what is refused; profiles, read and written back. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "sim/loop.h"

#define TARGET "sata-enterprise,size=64m,cache=256k"

static char path[64];

static void work(struct loop *loop, uint64_t requests)
{
	loop->requests = requests;
	(void)loop_run(loop);
}

static void a_loaded_drive_goes_on_as_the_saved_one(void **state)
{
	struct loop one = {.depth = 8, .bytes = 4096, .random = true}, two;
	struct drive_health a, b;
	struct err err = {0};

	(void)state;
	rng_seed(&one.rng, 1, 1);
	one.drive = open_drive(TARGET);
	work(&one, 60000);
	two = one;
	assert_int_equal(drive_save(one.drive, path, &err), 0);
	two.drive = open_drive(TARGET ",seed=9");
	assert_int_equal(drive_load(two.drive, path, &err), 0);
	work(&one, 30000);
	work(&two, 30000);
	drive_get_health(one.drive, one.now_ns, &a);
	drive_get_health(two.drive, two.now_ns, &b);
	assert_int_equal(a.nand_written_bytes, b.nand_written_bytes);
	assert_int_equal(a.erases, b.erases);
	assert_int_equal(a.most_erases, b.most_erases);
	assert_int_equal(a.host_written_bytes, b.host_written_bytes);
	assert_null(drive_broken(two.drive));
	drive_close(one.drive);
	drive_close(two.drive);
}

static void refused(const char *target, const char *word)
{
	struct drive *drive = open_drive(target);
	struct err err = {0};

	assert_true(drive_load(drive, path, &err) < 0);
	if (!strstr(err.text, word))
		fail_msg("\"%s\" does not say \"%s\"", err.text, word);
	drive_close(drive);
}

/* Needs the file that the test before has written. */
static void another_geometry_and_damage_are_refused(void **state)
{
	autostr whole = {0};
	FILE *file;

	(void)state;
	refused("sata-enterprise,size=128m,cache=256k", "another geometry");
	refused("sata-enterprise,size=64m,cache=256k,op=30%", "another geometry");
	refused("hdd-7200-raid0", "another geometry");
	assert_int_equal(file_read(path, 1 << 26, &whole), 0);
	for (size_t cut = 0; cut < whole.length; cut += whole.length / 5 + 1) {
		file = fopen(path, "wb");
		assert_int_equal(fwrite(whole.text, 1, cut, file), cut);
		(void)fclose(file);
		refused(TARGET, "cut off");
	}
	whole.text[whole.length / 2] ^= 1;
	file = fopen(path, "wb");
	assert_int_equal(fwrite(whole.text, 1, whole.length, file), whole.length);
	(void)fclose(file);
	refused(TARGET, "damaged");
	file = fopen(path, "wb");
	for (int i = 0; i < 100; i++)
		(void)fputs("not a state", file);
	(void)fclose(file);
	refused(TARGET, "not a state");
	(void)unlink(path);
}

static void profiles_read_back_what_they_write(void **state)
{
	(void)state;
	for (const struct profile_text *p = profile_texts; p->name; p++) {
		struct profile one, two;
		struct err err = {0};
		autostr text = {0}, again = {0};

		if (profile_parse(p->name, &one, &err))
			fail_msg("%s", err.text);
		profile_format(&one, &text);
		if (profile_parse_text(p->name, str_text(&text), &two, &err))
			fail_msg("%s", err.text);
		profile_format(&two, &again);
		assert_string_equal(str_text(&text), str_text(&again));
	}
}

static void wrong_profiles_are_one_error(void **state)
{
	static const struct {
		const char *target, *word;
	} rows[] = {
		{"no-such-drive", "nvme-enterprise"},
		{"nvme-enterprise,opp=7%", "did you mean \"op\""},
		{"nvme-enterprise,foo=7%", "`assay sim show`"},
		{"nvme-enterprise,op=0%", "from 0.0001% to 10000%"},
		{"nvme-enterprise,op=12", "12%"},
		{"nvme-enterprise,size=8x", "size"},
		{"nvme-enterprise,size", "key = value"},
		{"nvme-enterprise,blocks=3", "does not multiply out"},
		{"nvme-enterprise,unit_dies=7", "does not divide"},
		{"sata-tlc-128g,scale=1000000", "scale"},
		{"sata-tlc-128g,slc_min=99g", "slc_min"},
		{"sata-consumer,size=256m", "give slc_max="},
		{"cloud-ssd-100g,stall_every=1s,stall=1s", "stall_every"},
		{"hdd-7200-raid0,inner_rate=900m", "inner_rate"},
		{"cloud-ssd-100g,iops_burst=9000", "iops_credits"},
		{"sata-tlc-128g,kind=tape", "ssd, hdd or cloud"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct profile profile;
		struct err err = {0};

		assert_int_equal(profile_parse(rows[i].target, &profile, &err), -EINVAL);
		if (!strstr(err.text, rows[i].word))
			fail_msg("%s: \"%s\" does not say \"%s\"", rows[i].target, err.text,
				 rows[i].word);
	}
}

/* A 1.2 TB drive at scale=100 fits in 1 GiB, and no drive needs more than 12 bytes a page. */
static void memory_is_bounded(void **state)
{
	struct drive *drive = open_drive("pcie-mlc-1.2t,scale=100");

	(void)state;
	assert_true(drive_memory_bytes(drive) < 12 * (drive_size_bytes(drive) / 4096));
	assert_true(drive_memory_bytes(drive) < GiB);
	drive_close(drive);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loaded_drive_goes_on_as_the_saved_one),
		cmocka_unit_test(another_geometry_and_damage_are_refused),
		cmocka_unit_test(profiles_read_back_what_they_write),
		cmocka_unit_test(wrong_profiles_are_one_error),
		cmocka_unit_test(memory_is_bounded),
	};

	(void)snprintf(path, sizeof(path), "/tmp/assay-test-state-%d", (int)getpid());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
