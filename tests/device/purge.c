/* TRIM and zero fill on real loop devices, partitions and files: what is erased, what is refused,
 * and how it ends when it is stopped. */
#include "device/purge.h"

#include <errno.h>

#include "rig.h"

static struct rig rig;
static const struct device_roots *const roots = &device_roots_real;

static int close_rig(void **state)
{
	(void)state;
	rig_close(&rig);
	return 0;
}

static bool all_zero(const char *path, uint64_t offset, uint64_t bytes)
{
	static unsigned char data[64 * KiB];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool zero = true;

	assert_true(fd >= 0);
	assert_int_equal(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
	for (; bytes && zero; offset += sizeof(data), bytes -= sizeof(data)) {
		assert_int_equal(pread(fd, data, sizeof(data), (off_t)offset), sizeof(data));
		for (unsigned i = 0; i < sizeof(data) && zero; i++)
			zero = data[i] == 0;
	}
	(void)close(fd);
	return zero;
}

static void fill(const char *path, uint64_t offset, uint64_t bytes)
{
	static unsigned char data[8 * MiB];

	memset(data, 0xA5, sizeof(data));
	rig_write(path, offset, data, bytes);
}

/* The token of a device that holds data. */
static void token_of(const char *path, char ret_token[200])
{
	struct device device;

	assert_int_equal(device_from_path(&device, path, roots, NULL), 0);
	(void)snprintf(ret_token, 200, "%s", device.token);
}

static void purge_erases(enum purge_method method, const char *words)
{
	char loop[200], token[200];
	const char *tokens[] = {token};
	const struct guard_rules rules = {.tokens = tokens, .ntokens = 1};
	const struct purge_wish wish = {.method = method, .rules = &rules, .roots = roots};
	struct purge_done done;
	struct purge_plan plan;
	struct err err = {0};

	rig_open(&rig);
	rig_disk(&rig, "disk", 8 * MiB, loop);
	fill(loop, 0, 8 * MiB);
	token_of(loop, token);
	assert_int_equal(purge_look(loop, &wish, &plan, &err), 0);
	assert_int_equal(plan.size_bytes, 8 * MiB);
	assert_int_equal(plan.nerased, 1);
	assert_string_equal(plan.erased[0], loop);
	assert_false(all_zero(loop, 0, 64 * KiB)); /* looking does nothing */
	assert_int_equal(purge_do(&plan, &wish, &done, &err), 0);
	assert_true(all_zero(loop, 0, 8 * MiB)); /* of a loop device TRIM leaves zeros */
	assert_string_equal(done.text, words);
	assert_int_equal(done.written_bytes, plan.written_bytes);
	assert_true(done.span_ns > 0);
	rig_close(&rig);
}

static void each_method_erases_all_and_says_what_it_did(void **state)
{
	(void)state;
	purge_erases(PURGE_AUTO, "TRIM of the whole device");
	purge_erases(PURGE_TRIM, "TRIM of the whole device");
	purge_erases(PURGE_ZERO, "zeros written over the whole device");
}

static void nothing_is_erased_without_consent(void **state)
{
	const struct guard_rules rules = {.face = GUARD_NATIVE};
	const struct purge_wish wish = {.rules = &rules, .roots = roots};
	struct purge_plan plan;
	struct err err = {0};
	char loop[200];

	(void)state;
	rig_open(&rig);
	rig_disk(&rig, "disk", 8 * MiB, loop);
	fill(loop, 0, 64 * KiB);
	assert_int_equal(purge_look(loop, &wish, &plan, &err), -EPERM);
	assert_int_equal(err.kind, ERR_REFUSED);
	assert_non_null(strstr(err.text, "--destroy="));
}

static void a_method_that_is_not_possible_names_those_that_are(void **state)
{
	static const enum purge_method methods[] = {PURGE_SANITIZE, PURGE_FORMAT,
						    PURGE_SECURE_ERASE};
	const struct guard_rules rules = {.face = GUARD_NATIVE};
	char loop[200];

	(void)state;
	rig_open(&rig);
	rig_disk(&rig, "disk", 8 * MiB, loop);
	for (unsigned i = 0; i < ARRAY_SIZE(methods); i++) {
		const struct purge_wish wish = {
			.method = methods[i], .rules = &rules, .roots = roots};
		struct purge_plan plan;
		struct err err = {0};

		assert_int_equal(purge_look(loop, &wish, &plan, &err), -EINVAL);
		assert_non_null(strstr(err.text, purge_method_name(methods[i])));
		assert_non_null(strstr(err.text, "possible: trim, zero"));
	}
}

static void a_partition_keeps_its_neighbour(void **state)
{
	char loop[200], part[210], token[200];
	const char *tokens[] = {token};
	const struct guard_rules rules = {.tokens = tokens, .ntokens = 1};
	const struct purge_wish wish = {.method = PURGE_ZERO, .rules = &rules, .roots = roots};
	struct purge_done done;
	struct purge_plan plan;
	struct err err = {0};

	(void)state;
	rig_open(&rig);
	if (!rig_has("sfdisk"))
		skip();
	rig_disk(&rig, "disk", 16 * MiB, loop);
	assert_int_equal(rig_run("printf 'start=2048,size=8192\\nstart=10240,size=8192\\n' | "
				 "sfdisk -q %s >/dev/null 2>&1 && partx -u %s",
				 loop, loop),
			 0);
	fill(loop, MiB, 8 * MiB);
	(void)snprintf(part, sizeof(part), "%sp1", loop);
	token_of(part, token);
	assert_int_equal(purge_look(part, &wish, &plan, &err), 0);
	assert_int_equal(purge_do(&plan, &wish, &done, &err), 0);
	assert_string_equal(done.text, "zeros written over the whole partition");
	assert_true(all_zero(part, 0, 4 * MiB));
	(void)snprintf(part, sizeof(part), "%sp2", loop);
	assert_false(all_zero(part, 0, 64 * KiB));
	assert_false(all_zero(loop, 0, 64 * KiB)); /* the partition table */
}

static void a_file_gives_its_blocks_back_and_keeps_its_size(void **state)
{
	char path[200];
	const char *tokens[] = {path};
	const struct guard_rules rules = {.tokens = tokens, .ntokens = 1};
	struct purge_wish wish = {.method = PURGE_TRIM, .rules = &rules, .roots = roots};
	struct purge_done done;
	struct purge_plan plan;
	struct err err = {0};
	struct stat st;

	(void)state;
	rig_open(&rig);
	rig_file(&rig, "file", 8 * MiB, path);
	fill(path, 0, 8 * MiB);
	{
		int fd = open(path, O_RDWR | O_CLOEXEC);

		assert_int_equal(guard_mark_ours(fd), 0);
		(void)close(fd);
	}
	if (purge_look(path, &wish, &plan, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(plan.nerased, 0);
	assert_int_equal(purge_do(&plan, &wish, &done, &err), 0);
	assert_string_equal(done.text, "the blocks of the file given back");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 8 * MiB);
	assert_true(st.st_blocks * 512 < (blkcnt_t)(64 * KiB));
	wish.method = PURGE_ZERO;
	assert_int_equal(purge_look(path, &wish, &plan, &err), 0);
	assert_int_equal(purge_do(&plan, &wish, &done, &err), 0);
	assert_int_equal(done.written_bytes, 8 * MiB);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_blocks * 512 >= (blkcnt_t)(8 * MiB));
}

static bool after_four(void *arg, uint64_t done_bytes, uint64_t of_bytes)
{
	*(uint64_t *)arg = of_bytes;
	return done_bytes >= 4 * MiB;
}

static void it_can_be_stopped_between_pieces(void **state)
{
	const struct guard_rules rules = {.face = GUARD_NATIVE};
	uint64_t told = 0;
	const struct purge_wish wish = {.method = PURGE_ZERO,
					.rules = &rules,
					.roots = roots,
					.stop = after_four,
					.stop_arg = &told};
	struct purge_done done;
	struct purge_plan plan;
	struct err err = {0};
	char loop[200];

	(void)state;
	rig_open(&rig);
	rig_disk(&rig, "disk", 8 * MiB, loop);
	assert_int_equal(purge_look(loop, &wish, &plan, &err), 0);
	assert_int_equal(purge_do(&plan, &wish, &done, &err), -EINTR);
	assert_int_equal(told, 8 * MiB);
	assert_non_null(strstr(err.text, "ended after 4 of 8 MiB"));
}

static void what_changed_since_is_not_erased(void **state)
{
	const struct guard_rules rules = {.face = GUARD_NATIVE};
	const struct purge_wish wish = {.method = PURGE_ZERO, .rules = &rules, .roots = roots};
	char path[200], loop[200];
	struct purge_done done;
	struct purge_plan plan;
	struct err err = {0};

	(void)state;
	rig_open(&rig);
	rig_file(&rig, "disk", 8 * MiB, path);
	rig_loop(&rig, path, "", loop);
	assert_int_equal(purge_look(loop, &wish, &plan, &err), 0);
	assert_int_equal(truncate(path, 4 * MiB), 0);
	assert_int_equal(rig_run("losetup -c %s", loop), 0);
	assert_int_equal(purge_do(&plan, &wish, &done, &err), -EPERM);
	assert_non_null(strstr(err.text, "nothing was erased"));
	fill(loop, 0, 64 * KiB); /* and data that was not there needs consent */
	err = (struct err){0};
	assert_int_equal(purge_do(&plan, &wish, &done, &err), -EPERM);
	assert_non_null(strstr(err.text, "--destroy="));
	assert_false(all_zero(loop, 0, 64 * KiB));
}

static void what_is_no_target_is_refused_with_words(void **state)
{
	const struct guard_rules rules = {.face = GUARD_NATIVE};
	const struct purge_wish wish = {.rules = &rules, .roots = roots};
	struct purge_plan plan;
	struct err err = {0};

	(void)state;
	assert_int_equal(purge_look("/dev/null", &wish, &plan, &err), -EINVAL);
	err = (struct err){0};
	assert_int_equal(purge_look("/tmp/assay-none", &wish, &plan, &err), -ENOENT);
	err = (struct err){0};
	assert_int_equal(purge_look("sim:x", &wish, &plan, &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(each_method_erases_all_and_says_what_it_did,
					  close_rig),
		cmocka_unit_test_teardown(nothing_is_erased_without_consent, close_rig),
		cmocka_unit_test_teardown(a_method_that_is_not_possible_names_those_that_are,
					  close_rig),
		cmocka_unit_test_teardown(a_partition_keeps_its_neighbour, close_rig),
		cmocka_unit_test_teardown(a_file_gives_its_blocks_back_and_keeps_its_size,
					  close_rig),
		cmocka_unit_test_teardown(it_can_be_stopped_between_pieces, close_rig),
		cmocka_unit_test_teardown(what_changed_since_is_not_erased, close_rig),
		cmocka_unit_test(what_is_no_target_is_refused_with_words),
	};

	return cmocka_run_group_tests_name("purge", tests, NULL, NULL);
}
