/* The guard before real devices: loop, zram, file systems, mounts, swap, stacks of them. Each
 * test is skipped by name where the machine lacks what it needs. */
#include "device/guard.h"

#include <errno.h>
#include <sys/xattr.h>

#include "device/stack.h"
#include "device/targets.h"
#include "rig.h"

static const struct device_roots *const roots = &device_roots_real;
static struct rig rig; /* of the test that runs; closed behind it, however it ends */

static int close_rig(void **state)
{
	(void)state;
	rig_close(&rig);
	return 0;
}

static enum guard_decision look(const char *path, const char *token, struct guard_facts *facts,
				struct guard_verdict *verdict)
{
	const struct guard_rules rules = {.tokens = &token, .ntokens = token ? 1 : 0};
	struct err err = {0};
	int rc = guard_gather(facts, path, roots, &err);

	if (rc < 0)
		print_error("%s\n", err.text);
	assert_int_equal(rc, 0);
	guard_decide(facts, &rules, verdict);
	return verdict->decision;
}

static bool has_use(const struct guard_facts *facts, enum guard_use_kind kind,
		    const char *device, const char *where)
{
	const char *slash = strrchr(device, '/');

	device = slash ? slash + 1 : device;
	for (unsigned i = 0; i < facts->nuses && i < GUARD_USES_MAX; i++) {
		if (facts->use[i].kind == kind && str_equal(facts->use[i].device, device) &&
		    strstr(facts->use[i].where, where))
			return true;
	}
	for (unsigned i = 0; i < facts->nuses && i < GUARD_USES_MAX; i++)
		print_error("use %d %s %s\n", facts->use[i].kind, facts->use[i].device,
			    facts->use[i].where);
	return false;
}

static void blank_disk_is_allowed_until_one_byte_is_written(void **state)
{
	static const uint64_t sizes[] = {64 * MiB, 64 * MiB + 1536, MiB / 2 + 512};
	struct guard_verdict v;
	struct guard_facts f;
	char disk[200];

	(void)state;
	rig_open(&rig);
	for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
		char name[16];
		uint64_t places[] = {0, 511, 300 * KiB, sizes[i] - 1};

		(void)snprintf(name, sizeof(name), "d%u", i);
		rig_disk(&rig, name, sizes[i], disk);
		assert_int_equal(look(disk, NULL, &f, &v), GUARD_ALLOW);
		assert_int_equal(f.unreadable, 0);
		assert_true(f.sampled_blocks >= min_u64(768, sizes[i] / 4096));
		for (unsigned p = 0; p < ARRAY_SIZE(places); p++) {
			rig_write(disk, places[p], "x", 1);
			assert_int_equal(look(disk, NULL, &f, &v), GUARD_NEEDS_CONSENT);
			assert_int_equal(f.first_data_bytes, places[p] / 4096 * 4096);
			assert_int_equal(look(disk, v.token, &f, &v), GUARD_ALLOW);
			assert_true(v.by_consent);
			rig_write(disk, places[p], "", 1);
		}
		assert_int_equal(look(disk, NULL, &f, &v), GUARD_ALLOW);
	}
}

/* 256 samples in equal parts: data that fills 2 % of the disk in one piece cannot hide. */
static void data_in_the_middle_is_found(void **state)
{
	static char block[MiB];
	struct guard_verdict v;
	struct guard_facts f;
	char disk[200];

	(void)state;
	rig_open(&rig);
	rig_disk(&rig, "d", 256 * MiB, disk);
	memset(block, 'x', sizeof(block));
	for (uint64_t at = 99 * MiB; at < 104 * MiB; at += MiB)
		rig_write(disk, at, block, sizeof(block));
	assert_int_equal(look(disk, NULL, &f, &v), GUARD_NEEDS_CONSENT);
	assert_true(f.first_data_bytes >= 99 * MiB && f.first_data_bytes < 104 * MiB);
}

/* What the machine's own tools write. */
struct made {
	const char *test, *program, *command, *type;
	enum guard_signature_kind kind;
};

static const struct made made[] = {
	{"ext4_is_found", "mkfs.ext4", "mkfs.ext4 -q -F -L home", "ext4", SIGNATURE_FILESYSTEM},
	{"xfs_is_found", "mkfs.xfs", "mkfs.xfs -q -f", "xfs", SIGNATURE_FILESYSTEM},
	{"btrfs_is_found", "mkfs.btrfs", "mkfs.btrfs -q -f", "btrfs", SIGNATURE_FILESYSTEM},
	{"swap_is_found", "mkswap", "mkswap", "swap", SIGNATURE_FILESYSTEM},
	{"gpt_is_found", "sfdisk", "printf 'label: gpt\\n,16M\\n' | sfdisk -q", "gpt",
	 SIGNATURE_PARTITIONS},
	{"mbr_is_found", "sfdisk", "printf 'label: dos\\n,16M\\n' | sfdisk -q", "dos",
	 SIGNATURE_PARTITIONS},
};

static void made_signature_is_found(void **state)
{
	const struct made *m = &made[(uintptr_t)*state];
	struct guard_verdict v;
	struct guard_facts f;
	char disk[200];
	bool found = false;

	rig_open(&rig);
	if (!rig_has(m->program)) {
		print_message("needs %s\n", m->program);
		skip();
	}
	rig_disk(&rig, "d", 400 * MiB, disk);
	assert_int_equal(rig_run("%s %s >/dev/null 2>&1", m->command, disk), 0);
	assert_int_equal(look(disk, NULL, &f, &v), GUARD_NEEDS_CONSENT);
	for (unsigned i = 0; i < f.nsignatures; i++)
		found |= f.signature[i].kind == m->kind &&
			 str_equal(f.signature[i].type, m->type);
	if (!found)
		print_error("%s\n", v.message);
	assert_true(found);
	assert_non_null(strstr(v.message, v.token));
	assert_int_equal(look(disk, v.token, &f, &v), GUARD_ALLOW);
}

/* Only the back-up table at the end is left, as after a careless dd. */
static void gpt_without_its_front_is_found(void **state)
{
	static const char zeros[MiB];
	struct guard_verdict v;
	struct guard_facts f;
	char disk[200];

	(void)state;
	rig_open(&rig);
	if (!rig_has("sfdisk"))
		skip();
	rig_disk(&rig, "d", 64 * MiB + 1536, disk);
	assert_int_equal(
		rig_run("printf 'label: gpt\\n,16M\\n' | sfdisk -q %s >/dev/null 2>&1", disk),
		0);
	rig_write(disk, 0, zeros, sizeof(zeros));
	assert_int_equal(look(disk, NULL, &f, &v), GUARD_NEEDS_CONSENT);
	assert_true(f.nsignatures > 0 || f.data_blocks > 0);
}

/* Headers as their formats say, for what cannot be made here. */
struct piece {
	uint64_t at; /* behind the header's begin */
	const char *bytes;
	size_t count;
};

#define PIECE(at, text)                    \
	{                                  \
		at, text, sizeof(text) - 1 \
	}
#define HEADER_PIECES_MAX 4

struct header {
	const char *test, *type;
	enum guard_signature_kind kind;
	uint64_t offset;
	struct piece piece[HEADER_PIECES_MAX];
	unsigned copies; /* 1 KiB apart; 0: one */
};

static const struct header headers[] = {
	/* LUKS2, 2.1: magic, version, ..., the UUID at 168. */
	{"luks_is_found",
	 "crypto_LUKS",
	 SIGNATURE_CRYPTO,
	 0,
	 {PIECE(0, "LUKS\xba\xbe\0\2"), PIECE(168, "12345678-1234-1234-1234-123456789abc"),
	  PIECE(4095, "\0")},
	 0},
	/* The label is in one of the first four sectors: its number, a checksum, the offset of
	 * what follows, the type. */
	{"lvm_is_found",
	 "LVM2_member",
	 SIGNATURE_RAID,
	 512,
	 {PIECE(0, "LABELONE\1"), PIECE(20, "\x20\0\0\0LVM2 001"),
	  PIECE(32, "abcdefghijklmnopqrstuvwxyz012345")},
	 0},
	/* Version 1.2: the superblock at 4 KiB, and its offset in sectors at 144. */
	{"md_is_found",
	 "linux_raid_member",
	 SIGNATURE_RAID,
	 4096,
	 {PIECE(0, "\xfc\x4e\x2b\xa9\1"), PIECE(16, "0123456789abcdef"), PIECE(144, "\x8")},
	 0},
	/* Uberblocks in the first label, from 128 KiB on; version 5000. */
	{"zfs_is_found",
	 "zfs_member",
	 SIGNATURE_FILESYSTEM,
	 128 * KiB,
	 {PIECE(0, "\x0c\xb1\xba\0\0\0\0\0\x88\x13")},
	 32},
};

static void header_is_found(void **state)
{
	const struct header *h = &headers[(uintptr_t)*state];
	struct guard_verdict v;
	struct guard_facts f;
	char disk[200];

	rig_open(&rig);
	rig_disk(&rig, "d", 64 * MiB, disk);
	for (unsigned copy = 0; copy < (h->copies ? h->copies : 1); copy++) {
		for (unsigned i = 0; i < HEADER_PIECES_MAX && h->piece[i].bytes; i++)
			rig_write(disk, h->offset + copy * KiB + h->piece[i].at,
				  h->piece[i].bytes, h->piece[i].count);
	}
	assert_int_equal(look(disk, NULL, &f, &v), GUARD_NEEDS_CONSENT);
	assert_true(f.nsignatures > 0);
	assert_string_equal(f.signature[0].type, h->type);
	assert_int_equal(f.signature[0].kind, h->kind);
}

static void mounted_partition_refuses_the_whole_disk(void **state)
{
	char disk[200], part[220], point[200];
	struct guard_verdict v;
	struct guard_facts f;

	(void)state;
	rig_open(&rig);
	if (!rig_has("sfdisk") || !rig_has("mkfs.ext4"))
		skip();
	rig_disk(&rig, "d", 64 * MiB, disk);
	assert_int_equal(rig_run("printf 'label: gpt\\n,16M\\n,16M\\n' | sfdisk -q %s "
				 ">/dev/null 2>&1 && losetup -c %s && partx -u %s",
				 disk, disk, disk),
			 0);
	(void)snprintf(part, sizeof(part), "%sp1", disk);
	assert_int_equal(rig_run("mkfs.ext4 -q -F %s", part), 0);
	assert_int_equal(look(disk, NULL, &f, &v), GUARD_NEEDS_CONSENT);
	assert_non_null(strstr(v.message, "ext4")); /* what is on the partition, too */
	rig_mount(&rig, part, "m", point);
	assert_int_equal(look(disk, v.token, &f, &v), GUARD_REFUSE);
	assert_true(has_use(&f, USE_MOUNTED, part, point));
	assert_non_null(strstr(v.message, point));
	assert_int_equal(look(part, f.device.token, &f, &v), GUARD_REFUSE);
	(void)snprintf(part, sizeof(part), "%sp2", disk);
	assert_int_equal(look(part, NULL, &f, &v), GUARD_ALLOW); /* its neighbour is free */
}

/* As a container's: the mount is in nobody's view but that of its own processes. */
static void mount_of_another_namespace_is_seen(void **state)
{
	char disk[200], command[600], pid[40];
	struct guard_verdict v;
	struct guard_facts f;

	(void)state;
	rig_open(&rig);
	if (!rig_has("unshare") || !rig_has("mkfs.ext4"))
		skip();
	rig_disk(&rig, "d", 16 * MiB, disk);
	assert_int_equal(rig_run("mkfs.ext4 -q -F %s && mkdir %s/m", disk, rig.top), 0);
	(void)snprintf(command, sizeof(command),
		       "unshare -m --propagation private sh -c 'mount %s %s/m && "
		       "{ sleep 60 >/dev/null 2>&1 & echo $!; }'",
		       disk, rig.top);
	assert_true(rig_ask(command, pid, sizeof(pid)));
	rig_undo(&rig, "kill %s; while test -d /proc/%s; do sleep 0.01; done", pid, pid);
	assert_int_equal(look(disk, NULL, &f, &v), GUARD_REFUSE);
	assert_true(has_use(&f, USE_MOUNTED, disk, "in process "));
}

static void second_device_of_a_mounted_btrfs_is_refused(void **state)
{
	char one[200], two[200], point[200];
	struct device_stack stack;
	struct guard_verdict v;
	struct guard_facts f;
	struct arena arena;

	(void)state;
	rig_open(&rig);
	if (!rig_has("mkfs.btrfs"))
		skip();
	rig_disk(&rig, "one", 128 * MiB, one);
	rig_disk(&rig, "two", 128 * MiB, two);
	assert_int_equal(rig_run("mkfs.btrfs -q -f %s %s >/dev/null", one, two), 0);
	assert_int_equal(look(two, NULL, &f, &v), GUARD_NEEDS_CONSENT);
	rig_mount(&rig, one, "m", point);
	assert_int_equal(look(one, v.token, &f, &v), GUARD_REFUSE);
	assert_true(has_use(&f, USE_MOUNTED, one, point));
	assert_int_equal(look(two, f.device.token, &f, &v), GUARD_REFUSE);
	assert_true(has_use(&f, USE_MOUNTED, two, ""));
	arena_init(&arena);
	assert_int_equal(device_of_file(&arena, point, roots, &stack, NULL), 0);
	assert_true(stack.count >= 2); /* both loops, then what their files lie on */
	assert_string_equal(stack.layer[0].device.kind == DEVICE_LOOP ? "loop" : "", "loop");
	arena_done(&arena);
}

static void stacked_loops_are_walked_both_ways(void **state)
{
	char lower[200], upper[200], point[200], file[300];
	struct device_stack stack;
	struct guard_verdict v;
	struct guard_facts f;
	struct arena arena;

	(void)state;
	rig_open(&rig);
	if (!rig_has("mkfs.ext4"))
		skip();
	rig_disk(&rig, "d", 64 * MiB, lower);
	assert_int_equal(rig_run("mkfs.ext4 -q -F %s", lower), 0);
	rig_mount(&rig, lower, "m", point);
	(void)snprintf(file, sizeof(file), "%s/inner", point);
	assert_int_equal(rig_run("truncate -s 16M %s", file), 0);
	rig_loop(&rig, file, "", upper);
	assert_int_equal(look(upper, NULL, &f, &v), GUARD_ALLOW);
	assert_int_equal(look(file, file, &f, &v), GUARD_REFUSE);
	assert_true(has_use(&f, USE_LOOP, "", strrchr(upper, '/') + 1));
	assert_int_equal(look(lower, NULL, &f, &v), GUARD_REFUSE);
	arena_init(&arena);
	assert_int_equal(device_of_file(&arena, upper, roots, &stack, NULL), 0);
	assert_true(stack.count >= 2);
	assert_string_equal(stack.layer[0].device.path, upper);
	assert_string_equal(stack.layer[1].device.path, lower);
	assert_false(stack.layer[0].leaf);
	assert_int_equal(device_of_file(&arena, file, roots, &stack, NULL), 0);
	assert_string_equal(stack.layer[0].device.path, lower);
	arena_done(&arena);
}

static void loop_on_a_block_device_ties_the_two(void **state)
{
	char lower[200], upper[200], point[200];
	struct guard_verdict v;
	struct guard_facts f;

	(void)state;
	rig_open(&rig);
	if (!rig_has("mkfs.ext4"))
		skip();
	rig_disk(&rig, "d", 16 * MiB, lower);
	rig_loop(&rig, lower, "", upper);
	assert_int_equal(look(lower, NULL, &f, &v), GUARD_REFUSE);
	assert_true(has_use(&f, USE_LOOP, lower, strrchr(upper, '/') + 1));
	assert_int_equal(look(upper, NULL, &f, &v), GUARD_ALLOW); /* not its own user */
	assert_int_equal(rig_run("mkfs.ext4 -q -F %s", upper), 0);
	rig_mount(&rig, upper, "m", point);
	assert_int_equal(look(lower, NULL, &f, &v), GUARD_REFUSE);
	assert_true(has_use(&f, USE_MOUNTED, upper, point));
}

static void two_loops_of_one_file_share_its_users(void **state)
{
	char file[200], one[200], two[200], point[200];
	struct guard_verdict v;
	struct guard_facts f;

	(void)state;
	rig_open(&rig);
	if (!rig_has("mkfs.ext4"))
		skip();
	rig_file(&rig, "d", 16 * MiB, file);
	rig_loop(&rig, file, "", one);
	rig_loop(&rig, file, "", two);
	assert_int_equal(rig_run("mkfs.ext4 -q -F %s", one), 0);
	rig_mount(&rig, one, "m", point);
	assert_int_equal(look(two, NULL, &f, &v), GUARD_REFUSE);
	assert_true(has_use(&f, USE_MOUNTED, one, point));
}

static void active_swap_is_refused(void **state)
{
	struct guard_verdict v;
	struct guard_facts f;
	char disk[200];

	(void)state;
	rig_open(&rig);
	rig_disk(&rig, "d", 16 * MiB, disk);
	if (rig_run("mkswap %s >/dev/null 2>&1 && swapon %s 2>/dev/null", disk, disk) != 0) {
		print_message("needs swapon\n");
		skip();
	}
	rig_undo(&rig, "swapoff %s", disk);
	assert_int_equal(look(disk, NULL, &f, &v), GUARD_REFUSE);
	assert_true(has_use(&f, USE_SWAP, disk, disk));
	assert_non_null(strstr(v.message, "swapoff"));
}

static void active_swap_file_is_refused(void **state)
{
	struct guard_verdict v;
	struct guard_facts f;
	char file[200];

	(void)state;
	rig_open(&rig);
	rig_file(&rig, "swap file", 0, file); /* the blank is \040 in /proc/swaps */
	if (rig_run("dd if=/dev/zero of='%s' bs=1M count=4 2>/dev/null && mkswap '%s' "
		    ">/dev/null 2>&1 && swapon '%s' 2>/dev/null",
		    file, file, file) != 0) {
		print_message("needs swapon\n");
		skip();
	}
	rig_undo(&rig, "swapoff '%s'", file);
	assert_int_equal(look(file, file, &f, &v), GUARD_REFUSE);
	assert_true(has_use(&f, USE_SWAP, "", file));
}

static void exclusive_holder_is_probed_and_not_disturbed(void **state)
{
	struct guard_verdict v;
	struct guard_facts f;
	char disk[200];
	int fd;

	(void)state;
	rig_open(&rig);
	rig_disk(&rig, "d", 16 * MiB, disk);
	fd = open(disk, O_RDONLY | O_CLOEXEC | O_EXCL);
	assert_true(fd >= 0);
	assert_int_equal(look(disk, NULL, &f, &v), GUARD_REFUSE);
	assert_true(has_use(&f, USE_EXCLUSIVE, disk, ""));
	(void)close(fd);
	assert_int_equal(look(disk, NULL, &f, &v), GUARD_ALLOW);
	fd = open(disk, O_RDONLY | O_CLOEXEC | O_EXCL); /* the probe is not held */
	assert_true(fd >= 0);
	(void)close(fd);
}

/* The file behind a loop device is cut short: reads beyond its end are EIO. */
static void disk_that_cannot_be_read_is_not_blank(void **state)
{
	struct guard_verdict v;
	struct guard_facts f;
	char disk[200];

	(void)state;
	rig_open(&rig);
	rig_disk(&rig, "d", 16 * MiB, disk);
	assert_int_equal(look(disk, NULL, &f, &v), GUARD_ALLOW);
	assert_int_equal(rig_run("truncate -s 8M %s/d", rig.top), 0);
	assert_int_equal(look(disk, NULL, &f, &v), GUARD_NEEDS_CONSENT);
	assert_int_equal(f.unreadable, -EIO);
	assert_non_null(strstr(v.message, "cannot be read"));
}

static void zram_is_a_disk_like_others(void **state)
{
	struct guard_verdict v;
	struct guard_facts f;
	char id[16], disk[64];

	(void)state;
	rig_open(&rig);
	if (!rig_ask("cat /sys/class/zram-control/hot_add 2>/dev/null", id, sizeof(id))) {
		print_message("needs zram\n");
		skip();
	}
	rig_undo(
		&rig,
		"echo 1 > /sys/block/zram%s/reset; echo %s > /sys/class/zram-control/hot_remove",
		id, id);
	assert_int_equal(rig_run("echo 16M > /sys/block/zram%s/disksize", id), 0);
	(void)snprintf(disk, sizeof(disk), "/dev/zram%s", id);
	assert_int_equal(look(disk, NULL, &f, &v), GUARD_ALLOW);
	assert_int_equal(f.device.kind, DEVICE_ZRAM);
	assert_int_equal(f.device.logical_block_bytes, 4096);
	rig_write(disk, 16 * MiB - 1, "x", 1);
	assert_int_equal(look(disk, NULL, &f, &v), GUARD_NEEDS_CONSENT);
	rig_close(&rig); /* an undo with a redirection of its own is carried out as well */
	assert_int_not_equal(access(disk, F_OK), 0);
}

static void descriptor_must_be_what_was_looked_at(void **state)
{
	char disk[200], file[200], other[200];
	struct err err = {0};
	struct guard_verdict v;
	struct guard_facts f;
	int fd;

	(void)state;
	rig_open(&rig);
	rig_disk(&rig, "d", 16 * MiB, disk);
	assert_int_equal(look(disk, NULL, &f, &v), GUARD_ALLOW);
	fd = open(disk, O_RDWR | O_CLOEXEC);
	assert_int_equal(guard_recheck_fd(fd, &f, roots, &err), 0);
	(void)close(fd);
	rig_file(&rig, "e", 16 * MiB, other);
	assert_int_equal(rig_run("losetup -d %s && losetup %s %s", disk, disk, other), 0);
	fd = open(disk, O_RDWR | O_CLOEXEC); /* same name, number and size: another disk */
	if (f.device.diskseq) {
		assert_true(guard_recheck_fd(fd, &f, roots, &err) < 0);
		assert_int_equal(err.kind, ERR_REFUSED);
		assert_non_null(strstr(err.text, "attachment"));
	}
	(void)close(fd);
	rig_file(&rig, "g", 1, file);
	fd = open(file, O_RDWR | O_CLOEXEC);
	err = (struct err){0};
	assert_true(guard_recheck_fd(fd, &f, roots, &err) < 0); /* a file in a device's place */
	assert_int_equal(look(file, file, &f, &v), GUARD_ALLOW);
	assert_int_equal(guard_recheck_fd(fd, &f, roots, NULL), 0);
	(void)close(fd);
	fd = open(other, O_RDWR | O_CLOEXEC);
	assert_true(guard_recheck_fd(fd, &f, roots, NULL) < 0);
	(void)close(fd);
}

static void files_are_ours_by_their_attribute(void **state)
{
	struct guard_verdict v;
	struct guard_facts f;
	char path[200];
	int fd;

	(void)state;
	rig_open(&rig);
	rig_file(&rig, "theirs", 4096, path);
	assert_int_equal(look(path, NULL, &f, &v), GUARD_NEEDS_CONSENT);
	assert_string_equal(v.token, path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_false(guard_is_ours(fd));
	if (guard_mark_ours(fd) == 0) {
		assert_true(guard_is_ours(fd));
		assert_int_equal(look(path, NULL, &f, &v), GUARD_ALLOW);
	}
	(void)close(fd);
	rig_file(&rig, "empty", 0, path);
	assert_int_equal(look(path, NULL, &f, &v), GUARD_ALLOW);
	(void)snprintf(path, sizeof(path), "%s/new", rig.top);
	assert_int_equal(look(path, NULL, &f, &v), GUARD_ALLOW);
	assert_int_equal(f.target, GUARD_NEW_FILE);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(guard_recheck_fd(fd, &f, roots, NULL), 0);
	assert_int_equal(write(fd, "x", 1), 1); /* somebody was faster and wrote */
	assert_true(guard_recheck_fd(fd, &f, roots, NULL) < 0);
	(void)close(fd);
}

static void mistyped_devices_make_no_files(void **state)
{
	struct guard_verdict v;
	struct guard_facts f;
	char path[200];

	(void)state;
	rig_open(&rig);
	assert_int_equal(look("/dev/nullx", NULL, &f, &v), GUARD_REFUSE);
	assert_int_equal(look("/proc/none", NULL, &f, &v), GUARD_REFUSE);
	assert_int_equal(look("/sys/kernel/none", NULL, &f, &v), GUARD_REFUSE);
	assert_int_equal(look("/dev/null", NULL, &f, &v), GUARD_ALLOW);
	assert_int_equal(look("/dev/shm/assay-none", NULL, &f, &v), GUARD_ALLOW);
	assert_int_equal(look("sim:ssd", NULL, &f, &v), GUARD_ALLOW);
	(void)snprintf(path, sizeof(path), "%s/link", rig.top);
	assert_int_equal(symlink("/dev/nullx", path), 0); /* dangling, and it leads there */
	assert_int_equal(look(path, NULL, &f, &v), GUARD_REFUSE);
}

static void links_and_lists_name_the_same_device(void **state)
{
	char disk[200], link[200];
	struct targets targets;
	struct guard_verdict v;
	struct guard_facts f;
	struct arena arena;
	bool listed = false;

	(void)state;
	rig_open(&rig);
	rig_disk(&rig, "d", 16 * MiB, disk);
	(void)snprintf(link, sizeof(link), "%s/by-id", rig.top);
	assert_int_equal(symlink(disk, link), 0);
	rig_write(disk, 5000, "x", 1);
	assert_int_equal(look(link, NULL, &f, &v), GUARD_NEEDS_CONSENT);
	assert_string_equal(f.device.path, disk);
	assert_non_null(strstr(v.message, link));
	assert_non_null(strstr(v.message, disk));
	arena_init(&arena);
	assert_int_equal(targets_list(&arena, roots, &targets, NULL), 0);
	for (unsigned i = 0; i < targets.ndevices; i++) {
		const struct targets_device *row = &targets.devices[i];

		if (!str_equal(row->device.path, disk))
			continue;
		listed = true;
		assert_int_equal(row->native.decision, GUARD_NEEDS_CONSENT);
		assert_string_equal(row->native.token, row->device.token);
		assert_string_equal(row->holds, "data without a signature");
		assert_true(row->looked);
	}
	assert_true(listed);
	assert_true(targets.nmounts > 0);
	for (unsigned i = 0; i < targets.nmounts; i++)
		assert_false(filesystem_is_kernel(&targets.mounts[i].fs));
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(blank_disk_is_allowed_until_one_byte_is_written,
					  close_rig),
		cmocka_unit_test_teardown(data_in_the_middle_is_found, close_rig),
		cmocka_unit_test_teardown(gpt_without_its_front_is_found, close_rig),
		cmocka_unit_test_teardown(mounted_partition_refuses_the_whole_disk, close_rig),
		cmocka_unit_test_teardown(mount_of_another_namespace_is_seen, close_rig),
		cmocka_unit_test_teardown(second_device_of_a_mounted_btrfs_is_refused,
					  close_rig),
		cmocka_unit_test_teardown(stacked_loops_are_walked_both_ways, close_rig),
		cmocka_unit_test_teardown(loop_on_a_block_device_ties_the_two, close_rig),
		cmocka_unit_test_teardown(two_loops_of_one_file_share_its_users, close_rig),
		cmocka_unit_test_teardown(active_swap_is_refused, close_rig),
		cmocka_unit_test_teardown(active_swap_file_is_refused, close_rig),
		cmocka_unit_test_teardown(exclusive_holder_is_probed_and_not_disturbed,
					  close_rig),
		cmocka_unit_test_teardown(disk_that_cannot_be_read_is_not_blank, close_rig),
		cmocka_unit_test_teardown(zram_is_a_disk_like_others, close_rig),
		cmocka_unit_test_teardown(descriptor_must_be_what_was_looked_at, close_rig),
		cmocka_unit_test_teardown(files_are_ours_by_their_attribute, close_rig),
		cmocka_unit_test_teardown(mistyped_devices_make_no_files, close_rig),
		cmocka_unit_test_teardown(links_and_lists_name_the_same_device, close_rig),
	};

	struct CMUnitTest signatures[ARRAY_SIZE(made) + ARRAY_SIZE(headers)];
	unsigned n = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(made); i++)
		signatures[n++] = (struct CMUnitTest){made[i].test, made_signature_is_found,
						      NULL, close_rig, (void *)(uintptr_t)i};
	for (unsigned i = 0; i < ARRAY_SIZE(headers); i++)
		signatures[n++] = (struct CMUnitTest){headers[i].test, header_is_found, NULL,
						      close_rig, (void *)(uintptr_t)i};
	return cmocka_run_group_tests(tests, NULL, NULL) +
	       cmocka_run_group_tests(signatures, NULL, NULL);
}
