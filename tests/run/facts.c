/* What a run says of the things that it measured. Seeds are the runs' own: only what holds for
 * each is asserted. */
#include "result/facts.h"

#include <fcntl.h>

#include "bed.h"

#define READS "[j]\nfilename=f\nrw=randread\nbs=4k\nioengine=psync\n"

static void asked_counts_the_ramp(void **state)
{
	struct bed bed;
	const struct run_facts *facts = &bed.result.facts;
	const struct job_result *job;

	(void)state;
	bed_init(&bed);
	assert_int_equal(bed_run(&bed, FACE_NATIVE,
				 "[j]\nioengine=null\nsize=1g\nrw=read\nbs=4k\ntime_based=1\n"
				 "runtime=300ms\nramp_time=200ms\n"),
			 0);
	job = &bed.result.jobs[0];
	assert_true(job->ramp_ios > 0);
	assert_int_equal(facts->asked_ios[DIR_READ], job->dir[DIR_READ].ios + job->ramp_ios);
	assert_int_equal(facts->asked_bytes[DIR_READ], 4096 * facts->asked_ios[DIR_READ]);
	bed_end_run(&bed);
	bed_done(&bed);
}

static void null_engine_is_memory_without_a_path(void **state)
{
	struct bed bed;
	const struct target_facts *target;

	(void)state;
	bed_init(&bed);
	assert_int_equal(
		bed_run(&bed, FACE_NATIVE, "[j]\nioengine=null\nsize=4k\nbs=4k\nrw=read\n"), 0);
	assert_int_equal(bed.result.facts.ntargets, 1);
	target = &bed.result.facts.targets[0];
	assert_null(target->path);
	assert_string_equal(target->kind, "none");
	assert_true(target->is_memory);
	assert_int_equal(target->device, -1);
	assert_int_equal(bed.result.facts.ndevices, 0);
	assert_true(bed.result.facts.has_host);
	bed_end_run(&bed);
	bed_done(&bed);
}

static void holes_and_zero_blocks_of_a_sparse_file_are_seen(void **state)
{
	static char data[64 * 1024];
	struct bed bed;
	const struct target_facts *target;
	int fd;

	(void)state;
	bed_init(&bed);
	memset(data, 0x5a, sizeof(data));
	bed_write_file("f", data, sizeof(data));
	fd = open("f", O_WRONLY | O_CLOEXEC);
	assert_int_equal(fsync(fd), 0);
	assert_int_equal(ftruncate(fd, 256 * 1024), 0);
	(void)close(fd);
	assert_int_equal(bed_run(&bed, FACE_NATIVE, READS "size=256k\n"), 0);
	target = &bed.result.facts.targets[0];
	assert_int_equal(target->size_bytes, 256 * 1024);
	assert_false(target->direct);
	if (target->fs && target->fs->kind == FILESYSTEM_DISK) {
		/* 64 blocks, each of them looked at once */
		assert_int_equal(target->blocks_sampled, 64);
		assert_int_equal(target->blocks_zero, 48);
		assert_int_equal(target->hole_bytes, 192 * 1024);
	}
	bed_end_run(&bed);
	bed_done(&bed);
}

static void our_own_content_is_not_sampled(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed);
	assert_int_equal(bed_run(&bed, FACE_NATIVE, READS "size=256k\n"), 0);
	assert_int_equal(bed.result.facts.targets[0].blocks_sampled, 0);
	assert_int_equal(bed.result.facts.targets[0].hole_bytes, 0);
	bed_end_run(&bed);
	bed_done(&bed);
}

static void files_of_one_file_system_share_its_device(void **state)
{
	struct bed bed;
	const struct run_facts *facts = &bed.result.facts;

	(void)state;
	bed_init(&bed);
	assert_int_equal(bed_run(&bed, FACE_NATIVE,
				 "[j]\nrw=write\nbs=4k\nsize=64k\nnrfiles=3\nioengine=psync\n"),
			 0);
	assert_int_equal(facts->ntargets, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(facts->targets[i].device, facts->targets[0].device);
		assert_string_equal(facts->targets[i].fs->mount_point,
				    facts->targets[0].fs->mount_point);
	}
	for (unsigned i = 0; i < facts->ndevices; i++) {
		const struct device_facts *device = &facts->devices[i];

		assert_true(device->device.size_bytes > 0);
		if (device->has_counters)
			assert_true(device->after.at_ns >= device->before.at_ns);
		assert_int_equal(device->idle.at_ns, 0); /* too short a run to wait for it */
	}
	bed_end_run(&bed);
	bed_done(&bed);
}

static void fio_lists_the_disk_below_a_file(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed);
	assert_int_equal(
		bed_run(&bed, FACE_FIO,
			"[j]\nrw=write\nbs=4k\nsize=64k\nioengine=psync\nfilename=f\n"),
		0);
	if (bed.result.facts.ndevices && bed.result.facts.devices[0].has_counters) {
		assert_true(bed.result.ndisks > 0);
		assert_true(bed.result.disks[0].util_percent <= 100);
	}
	bed_end_run(&bed);
	bed_done(&bed);
}

static void process_cpu_is_not_less_than_its_workers(void **state)
{
	struct bed bed;
	const struct job_result *job;
	uint64_t own, used;

	(void)state;
	bed_init(&bed);
	assert_int_equal(bed_run(&bed, FACE_NATIVE,
				 "[j]\nioengine=null\nsize=1g\nrw=read\nbs=4k\ntime_based=1\n"
				 "runtime=200ms\n"),
			 0);
	job = &bed.result.jobs[0];
	own = job->user_ns + job->sys_ns;
	used = bed.result.facts.used.user_ns + bed.result.facts.used.sys_ns;
	assert_true(own > 0);
	assert_true(used + NS_PER_MS >= own); /* rusage counts in microseconds */
	assert_int_equal(job->beyond_ns, used > own ? used - own : 0);
	bed_end_run(&bed);
	bed_done(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(asked_counts_the_ramp),
		cmocka_unit_test(null_engine_is_memory_without_a_path),
		cmocka_unit_test(holes_and_zero_blocks_of_a_sparse_file_are_seen),
		cmocka_unit_test(our_own_content_is_not_sampled),
		cmocka_unit_test(files_of_one_file_system_share_its_device),
		cmocka_unit_test(fio_lists_the_disk_below_a_file),
		cmocka_unit_test(process_cpu_is_not_less_than_its_workers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
