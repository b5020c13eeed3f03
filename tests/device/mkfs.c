/* File systems of a step: what is refused before anything is changed, and what a reboot leaves.
 * Those that are made and mounted are tests/cli/test_plan_filesystem.py's. */
#include "device/mkfs.h"

#include <errno.h>
#include <sys/wait.h>

#include "tree.h"

static void three_types_are_known(void **state)
{
	(void)state;
	assert_true(mkfs_knows("ext4") && mkfs_knows("xfs") && mkfs_knows("btrfs"));
	assert_false(mkfs_knows("ext3") || mkfs_knows(""));
}

static void only_places_of_ours_are_unmounted(void **state)
{
	struct err err = {0};

	(void)state;
	assert_int_equal(mkfs_unmount_point("/", &err), -EINVAL);
	assert_non_null(strstr(err.text, "no place of ours"));
	assert_int_equal(mkfs_unmount_point("/run/assay/not-there", &err), 0);
}

static void nothing_is_mounted_that_cannot_be_noted(void **state)
{
	const struct device device = {.name = "sdz", .path = "/dev/not-there", .token = "T"};
	const struct mkfs_wish wish = {.type = "ext4", .label = "assay-1", .make = true};
	struct mkfs_hold hold = {0};
	struct err err = {0};
	autostr note = {0};

	(void)state;
	assert_true(mkfs_mount(&device, &wish, &device_roots_real, &hold, &note, &err) < 0);
	assert_string_equal(hold.point, "");
	assert_int_equal(note.length, 0);
	assert_int_equal(mkfs_unmount(&hold, &err), 0);
	assert_false(mkfs_is_ours(&device, "assay-1"));
}

static void hear(void *arg, bool done, const char *text)
{
	assert_non_null(strstr(text, "/dev/sda: the file system of a run that was cut off"));
	*(bool *)arg = done;
}

/* The mount went with the machine: the note is taken up, and nothing is left of it. */
static void a_note_without_a_mount_is_taken_up(void **state)
{
	struct device device;
	bool done = false;
	struct tree tree;
	pid_t child;

	(void)state;
	tree_open(&tree, "sys-sata.tree");
	assert_int_equal(device_from_name(&device, "sda", &tree.roots, NULL), 0);
	child = fork();
	if (child == 0) {
		struct undo undo = {.kind = UNDO_MOUNT, .value = "/run/assay/not-there"};

		_exit(undo_note(tree.top, &device, &tree.roots, &undo, NULL) < 0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	undo_pending(tree.top, &tree.roots, hear, &done);
	assert_true(done);
	done = false;
	undo_pending(tree.top, &tree.roots, hear, &done);
	assert_false(done);
	tree_close(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_types_are_known),
		cmocka_unit_test(only_places_of_ours_are_unmounted),
		cmocka_unit_test(nothing_is_mounted_that_cannot_be_noted),
		cmocka_unit_test(a_note_without_a_mount_is_taken_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
