/* The file system below a path: missing ones, links, mounts over mounts. */
#include "device/filesystem.h"

#include <errno.h>
#include <limits.h>

#include "device/filesystem_priv.h"
#include "rig.h"

static struct rig rig;

static int close_rig(void **state)
{
	(void)state;
	rig_close(&rig);
	return 0;
}

/* Needs no root. */
static void open_folder(void)
{
	rig = (struct rig){.nundo = 0};
	(void)snprintf(rig.top, sizeof(rig.top),
		       "/var/tmp/assay-rig-XX"
		       "XX"
		       "XX");
	assert_non_null(mkdtemp(rig.top));
}

static void assert_nearest(const char *name, const char *expected)
{
	char path[PATH_MAX], nearest[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", rig.top, name);
	assert_int_equal(filesystem_nearest(path, nearest), 0);
	assert_int_equal(strncmp(nearest, rig.top, strlen(rig.top)), 0);
	assert_string_equal(nearest + strlen(rig.top), expected);
}

static void link_to(const char *target, const char *name)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", rig.top, name);
	assert_int_equal(symlink(target, path), 0);
}

static void missing_paths_are_cut_to_what_exists(void **state)
{
	char nearest[PATH_MAX], path[200];

	(void)state;
	open_folder();
	rig_file(&rig, "file", 1, path);
	assert_nearest("file", "/file");
	assert_nearest("new", "");
	assert_nearest("a/b/c", "");
	assert_nearest("file/below", "/file");
	assert_int_equal(filesystem_nearest("no-such-name", nearest), 0);
	assert_string_equal(nearest, ".");
	assert_int_equal(filesystem_nearest("/no-such-name", nearest), 0);
	assert_string_equal(nearest, "/");
	assert_int_equal(filesystem_nearest("", nearest), -ENOENT);
}

static void dangling_links_are_followed(void **state)
{
	char nearest[PATH_MAX], path[PATH_MAX];

	(void)state;
	open_folder();
	link_to("/dev/no-such-device", "absolute");
	(void)snprintf(path, sizeof(path), "%s/absolute", rig.top);
	assert_int_equal(filesystem_nearest(path, nearest), 0);
	assert_string_equal(nearest, "/dev");
	link_to("absolute", "relative");
	(void)snprintf(path, sizeof(path), "%s/relative", rig.top);
	assert_int_equal(filesystem_nearest(path, nearest), 0);
	assert_string_equal(nearest, "/dev");
	link_to("ring", "ring");
	(void)snprintf(path, sizeof(path), "%s/ring", rig.top);
	assert_int_equal(filesystem_nearest(path, nearest), -ELOOP);
}

static void kinds_are_told_by_name_number_and_magic(void **state)
{
	static const struct {
		const char *type, *point;
		unsigned major;
		unsigned long magic;
		enum filesystem_kind kind;
	} rows[] = {
		{"ext4", "/", 8, 0xef53, FILESYSTEM_DISK},
		{"btrfs", "/", 0, 0x9123683e, FILESYSTEM_DISK},
		{"zfs", "/tank", 0, 0x2fc12fc1, FILESYSTEM_DISK},
		{"devtmpfs", "/dev", 0, 0x01021994, FILESYSTEM_KERNEL},
		{"devtmpfs", "/chroot/dev", 0, 0x01021994, FILESYSTEM_KERNEL},
		{"tmpfs", "/dev", 0, 0x01021994, FILESYSTEM_KERNEL}, /* a container's */
		{"tmpfs", "/dev/shm", 0, 0x01021994, FILESYSTEM_MEMORY},
		{"tmpfs", "/sys/fs/cgroup", 0, 0x01021994, FILESYSTEM_KERNEL},
		{"tmpfs", "/tmp", 0, 0x01021994, FILESYSTEM_MEMORY},
		{"proc", "/proc", 0, 0x9fa0, FILESYSTEM_KERNEL},
		{"cgroup2", "/cg", 0, 0x63677270, FILESYSTEM_KERNEL},
		{"nfs4", "/n", 0, 0x6969, FILESYSTEM_NETWORK},
		{"fuse.sshfs", "/s", 0, 0x65735546, FILESYSTEM_FUSE},
		{"fuseblk", "/w", 8, 0x65735546, FILESYSTEM_FUSE},
		{"overlay", "/", 0, 0x794c7630, FILESYSTEM_OVERLAY},
		{"newfs", "/x", 0, 0x12345678, FILESYSTEM_OTHER},
		{"", "/x", 0, 0x9fa0, FILESYSTEM_KERNEL}, /* no mountinfo */
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		struct filesystem fs = {.major = rows[i].major};

		(void)snprintf(fs.type, sizeof(fs.type), "%s", rows[i].type);
		(void)snprintf(fs.mount_point, sizeof(fs.mount_point), "%s", rows[i].point);
		if (filesystem_classify(&fs, rows[i].magic) != rows[i].kind)
			fail_msg("%s on %s", rows[i].type, rows[i].point);
	}
}

static void kernels_own_are_known_on_this_machine(void **state)
{
	struct filesystem fs;

	(void)state;
	assert_int_equal(filesystem_of_path(&fs, "/proc/x/y", &device_roots_real, NULL), 0);
	assert_true(filesystem_is_kernel(&fs));
	assert_int_equal(filesystem_of_path(&fs, "/sys/block/x", &device_roots_real, NULL), 0);
	assert_true(filesystem_is_kernel(&fs));
	assert_int_equal(filesystem_of_path(&fs, "/dev/nullx", &device_roots_real, NULL), 0);
	assert_true(filesystem_is_kernel(&fs));
	assert_int_equal(filesystem_of_path(&fs, ".", &device_roots_real, NULL), 0);
	assert_false(filesystem_is_kernel(&fs));
	assert_true(fs.type[0]);
	assert_true(fs.size_bytes >= fs.free_bytes);
}

/* The mount that is on top counts, though the one below has the same mount point. */
static void topmost_mount_is_found(void **state)
{
	char disk[200], point[200], file[300];
	struct filesystem fs;
	struct err err = {0};

	(void)state;
	rig_open(&rig);
	if (!rig_has("mkfs.ext4"))
		skip();
	rig_disk(&rig, "d", 16 * MiB, disk);
	assert_int_equal(rig_run("mkfs.ext4 -q -F %s", disk), 0);
	rig_mount(&rig, disk, "m", point);
	(void)snprintf(file, sizeof(file), "%s/new", point);
	assert_int_equal(filesystem_of_path(&fs, file, &device_roots_real, &err), 0);
	assert_string_equal(fs.type, "ext4");
	assert_string_equal(fs.mount_point, point);
	assert_string_equal(fs.source, disk);
	assert_true(fs.size_bytes > 8 * MiB && fs.size_bytes < 16 * MiB);
	assert_false(fs.read_only);
	assert_int_equal(rig_run("mount -o remount,ro %s", point), 0);
	assert_int_equal(filesystem_of_path(&fs, file, &device_roots_real, &err), 0);
	assert_true(fs.read_only);
	assert_int_equal(rig_run("mount -t tmpfs -o size=1M none %s", point), 0);
	rig_undo(&rig, "umount %s", point);
	assert_int_equal(filesystem_of_path(&fs, file, &device_roots_real, &err), 0);
	assert_string_equal(fs.type, "tmpfs");
	assert_int_equal(fs.size_bytes, MiB);
	assert_int_equal(fs.kind, FILESYSTEM_MEMORY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(missing_paths_are_cut_to_what_exists, close_rig),
		cmocka_unit_test_teardown(dangling_links_are_followed, close_rig),
		cmocka_unit_test(kinds_are_told_by_name_number_and_magic),
		cmocka_unit_test(kernels_own_are_known_on_this_machine),
		cmocka_unit_test_teardown(topmost_mount_is_found, close_rig),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
