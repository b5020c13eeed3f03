/* Who a thing without a serial number is. */
#include "device/attached.h"

#include "device/device.h"
#include "tree.h"

static void entry(const struct tree *tree, const char *path, const char *text)
{
	char whole[300];

	(void)snprintf(whole, sizeof(whole), "%s/%s", tree->top, path);
	tree_text(whole, text);
}

static void folder(const struct tree *tree, const char *path)
{
	char whole[300];

	(void)snprintf(whole, sizeof(whole), "%s/%s/", tree->top, path);
	tree_folders(whole);
}

static void device(const struct tree *tree, const char *name)
{
	char path[200], target[200];

	(void)snprintf(path, sizeof(path), "sys/devices/virtual/block/%s/size", name);
	entry(tree, path, "2048");
	(void)snprintf(path, sizeof(path), "sys/devices/virtual/block/%s/diskseq", name);
	entry(tree, path, "7");
	(void)snprintf(path, sizeof(path), "%s/sys/class/block/%s", tree->top, name);
	(void)snprintf(target, sizeof(target), "../../devices/virtual/block/%s", name);
	tree_folders(path);
	assert_int_equal(symlink(target, path), 0);
}

static void make(struct tree *tree)
{
	(void)snprintf(tree->top, sizeof(tree->top),
		       "/tmp/assay-tree-XX"
		       "XX"
		       "XX");
	assert_non_null(mkdtemp(tree->top));
	(void)snprintf(tree->sys, sizeof(tree->sys), "%s/sys", tree->top);
	(void)snprintf(tree->proc, sizeof(tree->proc), "%s/proc", tree->top);
	/* No device can be opened there: what an ordinary user sees. */
	tree->roots = (struct device_roots){tree->sys, tree->proc, "/nowhere"};
}

static struct device seen(const struct tree *tree, const char *name)
{
	struct device device;

	assert_int_equal(device_from_name(&device, name, &tree->roots, NULL), 0);
	return device;
}

static void assert_serial(const struct tree *tree, const char *name, const char *serial)
{
	assert_string_equal(seen(tree, name).serial, serial);
}

static void a_file_is_its_inode_and_birth(void **state)
{
	char one[] = "/tmp/assay-file-XX"
		     "XX"
		     "XX",
	     text[80], other[80];
	int fd = mkstemp(one);

	(void)state;
	assert_true(fd >= 0);
	file_identity(one, text, sizeof(text));
	assert_int_equal(strncmp(text, "inode ", 6), 0);
	assert_int_equal(write(fd, "x", 1), 1);
	file_identity(one, other, sizeof(other));
	assert_string_equal(text, other);
	(void)close(fd);
	assert_int_equal(unlink(one), 0);
	file_identity(one, text, sizeof(text));
	assert_string_equal(text, "");
	file_identity("/tmp", text, sizeof(text));
	assert_string_equal(text, "");
}

static void one_inode_of_which_one_birth_is_unknown_is_the_same(void **state)
{
	(void)state;
	assert_true(attached_same("inode 5 born 7.1", "inode 5 born 7.1"));
	assert_true(attached_same("inode 5 born 7.1", "inode 5 of 254:0"));
	assert_true(attached_same("inode 5 of 254:0", "inode 5 born 7.1"));
	assert_false(attached_same("inode 5 born 7.1", "inode 5 born 8.1"));
	assert_false(attached_same("inode 5 of 254:0", "inode 5 of 254:1"));
	assert_false(attached_same("inode 5 born 7.1", "inode 51 of 254:0"));
	assert_false(attached_same("inode 5 born 7.1", ""));
	assert_false(attached_same("", "inode 5 born 7.1"));
	assert_false(attached_same("S1", "S2"));
}

static void a_loop_is_the_file_behind_it(void **state)
{
	struct tree tree;
	char file[100], text[80], wanted[100];

	(void)state;
	make(&tree);
	(void)snprintf(file, sizeof(file), "%s/data", tree.top);
	tree_text(file, "x");
	file_identity(file, text, sizeof(text));
	device(&tree, "loop3");
	assert_serial(&tree, "loop3", ""); /* nothing is attached */
	entry(&tree, "sys/devices/virtual/block/loop3/loop/backing_file", file);
	assert_serial(&tree, "loop3", text);
	assert_string_equal(seen(&tree, "loop3").token, "loop3:1048576");
	entry(&tree, "sys/devices/virtual/block/loop3/loop/offset", "4096");
	(void)snprintf(wanted, sizeof(wanted), "%s at 4096", text);
	assert_serial(&tree, "loop3", wanted);
	entry(&tree, "sys/devices/virtual/block/loop3/loop/offset", "0");
	entry(&tree, "sys/devices/virtual/block/loop3/loop/backing_file", "/x/gone (deleted)");
	assert_serial(&tree, "loop3", "file /x/gone (deleted)");
	tree_close(&tree);
}

static void mapped_and_assembled_ones_have_uuids_or_members(void **state)
{
	struct tree tree;

	(void)state;
	make(&tree);
	device(&tree, "dm-0");
	entry(&tree, "sys/devices/virtual/block/dm-0/dm/name", "slow");
	folder(&tree, "sys/devices/virtual/block/dm-0/slaves/sdc");
	folder(&tree, "sys/devices/virtual/block/dm-0/slaves/sdb");
	assert_serial(&tree, "dm-0", "slow of sdb sdc");
	entry(&tree, "sys/devices/virtual/block/dm-0/dm/uuid", "LVM-abc");
	assert_serial(&tree, "dm-0", "LVM-abc");
	assert_string_equal(seen(&tree, "dm-0").token, "LVM-abc");
	device(&tree, "md0");
	assert_serial(&tree, "md0", "");
	entry(&tree, "sys/devices/virtual/block/md0/md/level", "raid1");
	folder(&tree, "sys/devices/virtual/block/md0/slaves/sda");
	assert_serial(&tree, "md0", "raid1 of sda");
	entry(&tree, "sys/devices/virtual/block/md0/md/uuid", "12:34");
	assert_serial(&tree, "md0", "12:34");
	tree_close(&tree);
}

static void others_are_known_by_what_their_driver_tells(void **state)
{
	struct tree tree;

	(void)state;
	make(&tree);
	device(&tree, "nbd0");
	entry(&tree, "sys/devices/virtual/block/nbd0/backend", "export-7");
	assert_serial(&tree, "nbd0", "export-7");
	device(&tree, "zram1");
	assert_serial(&tree, "zram1", "");
	entry(&tree, "proc/sys/kernel/random/boot_id", "0a1b2c3d-0000");
	assert_serial(&tree, "zram1", "attachment 7 of boot 0a1b2c3d");
	tree_close(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_its_inode_and_birth),
		cmocka_unit_test(one_inode_of_which_one_birth_is_unknown_is_the_same),
		cmocka_unit_test(a_loop_is_the_file_behind_it),
		cmocka_unit_test(mapped_and_assembled_ones_have_uuids_or_members),
		cmocka_unit_test(others_are_known_by_what_their_driver_tells),
	};

	return cmocka_run_group_tests_name("attached", tests, NULL, NULL);
}
