/* Locks on real devices: who may hold what together, and who is named. */
#include "device/lock.h"

#include <errno.h>
#include <sys/file.h>

#include "rig.h"

static struct rig rig;
static const struct device_roots *const roots = &device_roots_real;

static int close_rig(void **state)
{
	(void)state;
	rig_close(&rig);
	return 0;
}

static void runs_share_and_a_plan_does_not(void **state)
{
	struct device_lock one, two, plan;
	struct err err = {0};
	char loop[200], self[32];

	(void)state;
	rig_open(&rig);
	rig_disk(&rig, "disk", 4 * MiB, loop);
	assert_int_equal(device_lock(loop, HOLD_SHARED, roots, &one, &err), 0);
	assert_int_equal(device_lock(loop, HOLD_SHARED, roots, &two, &err), 0);
	assert_int_equal(device_lock(loop, HOLD_EXCLUSIVE, roots, &plan, &err), -EBUSY);
	assert_int_equal(err.kind, ERR_REFUSED);
	(void)snprintf(self, sizeof(self), "process %d", (int)getpid());
	assert_non_null(strstr(err.text, self)); /* it is this process that holds it */
	assert_true(plan.fd < 0);
	device_unlock(&one);
	device_unlock(&two);
	assert_int_equal(device_lock(loop, HOLD_EXCLUSIVE, roots, &plan, NULL), 0);
	device_unlock(&plan);
	assert_true(plan.fd < 0);
}

/* A run in another process, until it is told to end. */
struct other {
	pid_t pid;
	int tell;
};

static struct other other_begin(const char *device)
{
	int tell[2], ready[2];
	struct other other;
	char byte;

	assert_int_equal(pipe(tell), 0);
	assert_int_equal(pipe(ready), 0);
	other = (struct other){.pid = fork(), .tell = tell[1]};
	assert_true(other.pid >= 0);
	if (other.pid == 0) {
		struct device_lock lock;
		int rc = device_lock(device, HOLD_SHARED, roots, &lock, NULL);

		(void)close(tell[1]);
		(void)!write(ready[1], rc ? "n" : "y", 1);
		(void)!read(tell[0], &byte, 1);
		_exit(0);
	}
	(void)close(tell[0]);
	(void)close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(byte, 'y');
	(void)close(ready[0]);
	return other;
}

static void runs_know_of_each_other(void **state)
{
	struct device_lock own, none = DEVICE_LOCK_NONE;
	struct other other;
	char loop[200];

	(void)state;
	rig_open(&rig);
	rig_disk(&rig, "disk", 4 * MiB, loop);
	assert_int_equal(device_lock(loop, HOLD_SHARED, roots, &own, NULL), 0);
	assert_int_equal(device_lock_other_run(&own, roots), 0); /* itself does not count */
	other = other_begin(loop);
	assert_int_equal(device_lock_other_run(&own, roots), other.pid);
	assert_int_equal(device_lock_other_run(&none, roots), 0);
	(void)close(other.tell);
	assert_int_equal(waitpid(other.pid, NULL, 0), other.pid);
	assert_int_equal(device_lock_other_run(&own, roots), 0);
	device_unlock(&own);
}

static void plans_on_two_partitions_share_their_disk(void **state)
{
	struct device_lock first, second;
	char loop[200], part[210];
	int disk;

	(void)state;
	rig_open(&rig);
	if (!rig_has("sfdisk"))
		skip();
	rig_disk(&rig, "disk", 16 * MiB, loop);
	assert_int_equal(
		rig_run("printf ',4M\\n,4M\\n' | sfdisk -q %s >/dev/null 2>&1 && partx -u %s",
			loop, loop),
		0);
	(void)snprintf(part, sizeof(part), "%sp1", loop);
	assert_int_equal(device_lock(part, HOLD_EXCLUSIVE, roots, &first, NULL), 0);
	(void)snprintf(part, sizeof(part), "%sp2", loop);
	assert_int_equal(device_lock(part, HOLD_EXCLUSIVE, roots, &second, NULL), 0);
	disk = open(loop, O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(disk, LOCK_SH | LOCK_NB), 0);
	assert_int_equal(flock(disk, LOCK_UN), 0);
	assert_true(flock(disk, LOCK_EX | LOCK_NB) < 0); /* not the whole disk under them */
	device_unlock(&first);
	device_unlock(&second);
	assert_int_equal(flock(disk, LOCK_EX | LOCK_NB), 0);
	(void)close(disk);
}

static void what_is_no_device_is_locked_by_nobody(void **state)
{
	struct device_lock lock;

	(void)state;
	assert_int_equal(device_lock("/dev/null", HOLD_EXCLUSIVE, roots, &lock, NULL), 0);
	assert_true(lock.fd < 0);
	device_unlock(&lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(runs_share_and_a_plan_does_not, close_rig),
		cmocka_unit_test_teardown(runs_know_of_each_other, close_rig),
		cmocka_unit_test_teardown(plans_on_two_partitions_share_their_disk, close_rig),
		cmocka_unit_test(what_is_no_device_is_locked_by_nobody),
	};

	return cmocka_run_group_tests_name("lock", tests, NULL, NULL);
}
