/* The machine around a drive, from a recorded guest; then the real one, for what must hold. */
#include "device/host.h"

#include "base/bits.h"
#include "tree.h"

static void recorded_guest_is_read_whole(void **state)
{
	struct tree tree;
	struct host h;

	(void)state;
	tree_open(&tree, "sys-virtio.tree");
	host_read(&h, &tree.roots);
	assert_string_equal(h.cpu_model, "Intel Xeon Processor (Cascadelake)");
	assert_string_equal(h.hypervisor, "KVM (QEMU)");
	assert_string_equal(h.product, "QEMU Standard PC (Q35 + ICH9, 2009)");
	assert_int_equal(h.cpus_online, 4);
	assert_int_equal(h.cores, 2); /* two threads each */
	assert_int_equal(h.sockets, 2);
	assert_int_equal(h.numa_nodes, 2);
	assert_int_equal(h.memory_bytes, 16384000ULL * KiB);
	assert_int_equal(h.memory_available_bytes, 8192000ULL * KiB);
	assert_int_equal(h.hugepages_free, 32);
	assert_int_equal(h.hugepage_bytes, 2 * MiB);
	assert_string_equal(h.governor, "mixed");
	assert_int_equal(h.frequency_max_mhz, 3500);
	assert_int_equal(h.turbo, ANSWER_NO);
	assert_int_equal(h.smt, ANSWER_YES);
	assert_int_equal(h.power, POWER_BATTERY);
	assert_string_equal(h.clocksource, "kvm-clock");
	assert_string_equal(h.io_uring_disabled, "2");
	assert_int_equal(h.aio_max_nr, 65536);
	assert_int_equal(h.aio_nr, 12);
	assert_true(h.load1 > 1.24 && h.load1 < 1.26);
	tree_close(&tree);
}

static void limits_of_a_group_bind_those_below(void **state)
{
	struct host_limits l;
	struct tree tree;

	(void)state;
	tree_open(&tree, "sys-virtio.tree");
	host_limits_read(&l, &tree.roots);
	assert_int_equal(l.cgroup_memory_bytes, GiB);
	assert_true(l.cgroup_cpus > 1.49 && l.cgroup_cpus < 1.51);
	assert_true(l.may_lock_memory); /* bit 14 of CapEff */
	assert_false(l.may_admin);
	assert_false(l.may_set_realtime);
	assert_true(l.open_files > 0);
	tree_close(&tree);
}

static void cpu_time_adds_up(void **state)
{
	struct host_cpu all, one, d;
	struct tree tree;

	(void)state;
	tree_open(&tree, "sys-virtio.tree");
	assert_int_equal(host_cpu_read(&all, HOST_CPU_ALL, &tree.roots), 0);
	assert_int_equal(all.user_ns, 1200 * 10 * NS_PER_MS); /* guest time is in it already */
	assert_int_equal(all.steal_ns, 80 * 10 * NS_PER_MS);
	assert_int_equal(all.total_ns, 5643 * 10 * NS_PER_MS);
	assert_int_equal(host_cpu_read(&one, 1, &tree.roots), 0);
	assert_int_equal(one.total_ns, 36 * 10 * NS_PER_MS);
	assert_true(host_cpu_read(&one, 2, &tree.roots) < 0);
	host_cpu_difference(&one, &all, &d);
	assert_int_equal(d.total_ns, all.total_ns - one.total_ns);
	assert_true(host_cpu_steal_share(&d) > 0.012 && host_cpu_steal_share(&d) < 0.014);
	host_cpu_difference(&all, &one, &d); /* backwards is nothing, not a huge number */
	assert_int_equal(d.total_ns, 0);
	assert_true(host_cpu_busy_share(&d) == 0);
	tree_close(&tree);
}

static void distance_is_that_of_the_table(void **state)
{
	struct tree tree;

	(void)state;
	tree_open(&tree, "sys-virtio.tree");
	assert_int_equal(host_cpu_node(1, &tree.roots), 0);
	assert_int_equal(host_cpu_node(3, &tree.roots), 1);
	assert_int_equal(host_numa_distance(0, 0, &tree.roots), 10);
	assert_int_equal(host_numa_distance(0, 3, &tree.roots), 21);
	assert_int_equal(host_numa_distance(1, 2, &tree.roots), 10);
	assert_int_equal(host_numa_distance(-1, 0, &tree.roots), 0);
	assert_int_equal(host_numa_distance(0, 64, &tree.roots), 0);
	tree_close(&tree);
}

static void machine_without_any_of_it_is_unknown(void **state)
{
	struct tree tree;
	struct host h;

	(void)state;
	tree_open(&tree, "sys-sas.tree");
	host_read(&h, &tree.roots);
	assert_string_equal(h.cpu_model, "");
	assert_string_equal(h.hypervisor, "");
	assert_string_equal(h.governor, "");
	assert_int_equal(h.power, POWER_UNKNOWN);
	assert_int_equal(h.turbo, ANSWER_UNKNOWN);
	assert_int_equal(h.cores, 0);
	assert_true(h.load1 < 0);
	assert_true(h.kernel[0]); /* uname is always there */
	tree_close(&tree);
}

static void this_machine_is_plausible(void **state)
{
	struct host_cpu cpu;
	struct host h;

	(void)state;
	host_read(&h, &device_roots_real);
	assert_true(h.cpus_online >= 1);
	assert_true(h.cpus_usable >= 1 && h.cpus_usable <= h.cpus_online);
	assert_true(h.cores <= h.cpus_online);
	assert_true(h.memory_bytes > h.memory_available_bytes);
	assert_int_equal(host_cpu_read(&cpu, HOST_CPU_ALL, &device_roots_real), 0);
	assert_int_equal(cpu.total_ns, cpu.user_ns + cpu.system_ns + cpu.idle_ns +
					       cpu.iowait_ns + cpu.irq_ns + cpu.steal_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_guest_is_read_whole),
		cmocka_unit_test(limits_of_a_group_bind_those_below),
		cmocka_unit_test(cpu_time_adds_up),
		cmocka_unit_test(distance_is_that_of_the_table),
		cmocka_unit_test(machine_without_any_of_it_is_unknown),
		cmocka_unit_test(this_machine_is_plausible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
