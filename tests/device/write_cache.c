/* The write cache of scripted drives: read, switched, put back, also by the next process after a
 * kill. Drives that answer these very commands are in the guest (tests/cli/test_guest.py). */
#include "device/write_cache.h"

#include <errno.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "scripted.h"
#include "tree.h"

/* The drive behind the node. */
static struct {
	bool on, has_cache, refuses, ignores;
	char cache_type
		[300]; /* the kernel's attribute: what is written there, the drive does */
} drive;

static int nvme_answer(struct nvme_admin_cmd *command)
{
	if (drive.refuses)
		return 0x4002; /* invalid field */
	if (command->opcode == 0x06)
		((uint8_t *)(uintptr_t)command->addr)[525] = drive.has_cache;
	else if (command->opcode == 0x0A && command->cdw10 == 6)
		command->result = drive.on;
	else if (command->opcode == 0x09 && command->cdw10 == 6)
		drive.on = drive.ignores ? drive.on : command->cdw11 & 1;
	else
		return 0x4001;
	return 0;
}

static int scsi_answer(struct sg_io_hdr *io)
{
	uint8_t *answer = io->dxferp;
	char line[40];

	assert_int_equal(io->cmdp[0], 0x5A);
	assert_int_equal(io->cmdp[2], 0x08);
	if (drive.refuses) {
		io->status = 2; /* check condition */
		return 0;
	}
	(void)file_read_line(drive.cache_type, line, sizeof(line));
	if (!drive.ignores)
		drive.on = str_starts(line, "write back"); /* no file truncates here */
	answer[8] = 0x80 | 0x08;			   /* savable, page 8 */
	answer[9] = 18;
	answer[10] = drive.on ? 0x04 : 0;
	return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	assert_true(fd >= 0);
	if (request == NVME_IOCTL_ADMIN_CMD)
		return nvme_answer(arg);
	assert_int_equal(request, SG_IO);
	return scsi_answer(arg);
}

struct rigged {
	struct tree tree;
	struct scripted s;
	struct device device;
};

static void rigged_open(struct rigged *r, const char *tree, const char *name)
{
	autostr path = {0};

	scripted_open(&r->s);
	tree_open(&r->tree, tree);
	r->s.roots.sys = r->tree.sys;
	scripted_node(&r->s, name);
	assert_int_equal(device_from_name(&r->device, name, &r->s.roots, NULL), 0);
	str_printf(&path, "%s/class/block/%s/device/scsi_disk/2:0:0:0/cache_type", r->tree.sys,
		   name);
	(void)snprintf(drive.cache_type, sizeof(drive.cache_type), "%s", str_text(&path));
	if (r->device.interface == INTERFACE_SATA)
		tree_text(drive.cache_type, "write back");
	drive.on = drive.has_cache = true;
	drive.refuses = drive.ignores = false;
}

static void rigged_close(struct rigged *r)
{
	tree_close(&r->tree);
	scripted_close(&r->s);
}

static void both_ways_switch_and_read_back(const char *tree, const char *name)
{
	struct rigged r;
	struct err err = {0};

	rigged_open(&r, tree, name);
	assert_int_equal(write_cache_read(&r.device, &r.s.roots, NULL), ANSWER_YES);
	assert_int_equal(write_cache_set(&r.device, false, &r.s.roots, &err), 0);
	assert_false(drive.on);
	assert_int_equal(write_cache_read(&r.device, &r.s.roots, NULL), ANSWER_NO);
	drive.ignores = true;
	assert_int_equal(write_cache_set(&r.device, true, &r.s.roots, &err), -EIO);
	assert_non_null(strstr(err.text, "did not switch"));
	drive.refuses = true;
	err = (struct err){0};
	assert_int_equal(write_cache_read(&r.device, &r.s.roots, &err), ANSWER_UNKNOWN);
	assert_int_equal(err.code, -EOPNOTSUPP);
	rigged_close(&r);
}

static void nvme_by_its_feature(void **state)
{
	(void)state;
	both_ways_switch_and_read_back("sys-nvme.tree", "nvme0n1");
}

static void sata_by_its_mode_page(void **state)
{
	(void)state;
	both_ways_switch_and_read_back("sys-sata.tree", "sda");
}

static void a_drive_without_a_cache_says_so(void **state)
{
	const struct device loop = {
		.name = "loop7", .kind = DEVICE_LOOP, .interface = INTERFACE_VIRTUAL};
	struct write_cache_hold hold;
	struct rigged r;
	struct err err = {0};

	(void)state;
	rigged_open(&r, "sys-nvme.tree", "nvme0n1");
	drive.has_cache = false;
	assert_int_equal(write_cache_hold(&hold, &r.device, true, r.s.top, &r.s.roots, &err),
			 -EOPNOTSUPP);
	assert_non_null(strstr(err.text, "no volatile write cache"));
	assert_false(hold.changed);
	err = (struct err){0};
	assert_int_equal(write_cache_set(&loop, true, &r.s.roots, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.text, "loop device has no write cache"));
	rigged_close(&r);
}

static void a_step_holds_it_and_puts_it_back(void **state)
{
	struct write_cache_hold hold;
	struct rigged r;
	struct err err = {0};

	(void)state;
	rigged_open(&r, "sys-nvme.tree", "nvme0n1");
	assert_int_equal(write_cache_hold(&hold, &r.device, true, r.s.top, &r.s.roots, &err),
			 0);
	assert_false(hold.changed); /* it is on */
	assert_int_equal(write_cache_release(&hold, &r.s.roots, &err), 0);
	assert_int_equal(write_cache_hold(&hold, &r.device, false, r.s.top, &r.s.roots, &err),
			 0);
	assert_true(hold.changed);
	assert_false(drive.on);
	assert_int_equal(access(hold.undo.file, F_OK), 0);
	assert_int_equal(write_cache_release(&hold, &r.s.roots, &err), 0);
	assert_true(drive.on);
	assert_true(access(hold.undo.file, F_OK) < 0);
	assert_int_equal(
		write_cache_hold(&hold, &r.device, false, "/proc/none", &r.s.roots, &err),
		-ENOENT);
	assert_int_equal(write_cache_hold(&hold, &r.device, false, NULL, &r.s.roots, &err),
			 -ENOENT);
	assert_true(drive.on); /* what cannot be noted is not done */
	rigged_close(&r);
}

struct said {
	unsigned count;
	bool done;
	char text[500];
};

static void hear(void *arg, bool done, const char *text)
{
	struct said *said = arg;

	said->count++;
	said->done = done;
	(void)snprintf(said->text, sizeof(said->text), "%s", text);
}

/* A process that switched it off and was killed before it could put it back. */
static void killed_in_its_step(const struct rigged *r)
{
	struct write_cache_hold hold;
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (write_cache_hold(&hold, &r->device, false, r->s.top, &r->s.roots, NULL) < 0)
			_exit(1);
		(void)kill(getpid(), SIGKILL);
		_exit(2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
}

static void the_next_command_puts_back_what_a_kill_left(void **state)
{
	struct said said = {0};
	struct rigged r;

	(void)state;
	rigged_open(&r, "sys-sata.tree", "sda");
	killed_in_its_step(&r);
	assert_int_equal(write_cache_read(&r.device, &r.s.roots, NULL), ANSWER_NO);
	drive.refuses = true; /* not now */
	undo_pending(r.s.top, &r.s.roots, hear, &said);
	assert_int_equal(said.count, 1);
	assert_false(said.done);
	assert_non_null(strstr(said.text, "is not undone yet"));
	drive.refuses = false;
	undo_pending(r.s.top, &r.s.roots, hear, &said);
	assert_int_equal(said.count, 2);
	assert_true(said.done);
	assert_int_equal(write_cache_read(&r.device, &r.s.roots, NULL), ANSWER_YES);
	undo_pending(r.s.top, &r.s.roots, hear, &said); /* and nothing is left */
	assert_int_equal(said.count, 2);
	rigged_close(&r);
}

static void what_a_living_process_holds_is_left_alone(void **state)
{
	struct write_cache_hold hold;
	struct said said = {0};
	struct rigged r;
	autostr other = {0};

	(void)state;
	rigged_open(&r, "sys-nvme.tree", "nvme0n1");
	assert_int_equal(write_cache_hold(&hold, &r.device, false, r.s.top, &r.s.roots, NULL),
			 0);
	undo_pending(r.s.top, &r.s.roots, hear, &said);
	assert_int_equal(said.count, 0);
	assert_false(drive.on);
	assert_int_equal(write_cache_release(&hold, &r.s.roots, NULL), 0);
	/* Nor are files that only look like notes. */
	str_printf(&other, "%s/x.write-cache", r.s.top);
	scripted_write(str_text(&other), "assay-undo 2\nkind write-cache\n", 0600);
	undo_pending(r.s.top, &r.s.roots, hear, &said);
	undo_pending("/proc/none", &r.s.roots, hear, &said);
	assert_int_equal(said.count, 0);
	rigged_close(&r);
}

static void the_first_note_counts(void **state)
{
	struct undo first = {.kind = UNDO_WRITE_CACHE, .value = "on"};
	struct undo second = {.kind = UNDO_WRITE_CACHE, .value = "off"};
	struct rigged r;

	(void)state;
	rigged_open(&r, "sys-nvme.tree", "nvme0n1");
	assert_int_equal(undo_note(r.s.top, &r.device, &r.s.roots, &first, NULL), 0);
	assert_int_equal(undo_note(r.s.top, &r.device, &r.s.roots, &second, NULL), 0);
	assert_string_equal(second.value, "on");
	assert_int_equal(undo_forget(&second, NULL), 0);
	assert_int_equal(undo_forget(&second, NULL), 0); /* gone is gone */
	rigged_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nvme_by_its_feature),
		cmocka_unit_test(sata_by_its_mode_page),
		cmocka_unit_test(a_drive_without_a_cache_says_so),
		cmocka_unit_test(a_step_holds_it_and_puts_it_back),
		cmocka_unit_test(the_next_command_puts_back_what_a_kill_left),
		cmocka_unit_test(what_a_living_process_holds_is_left_alone),
		cmocka_unit_test(the_first_note_counts),
	};

	return cmocka_run_group_tests_name("write_cache", tests, NULL, NULL);
}
