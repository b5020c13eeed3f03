/* The environment of a recorded machine and of this one, and what changes between two looks. */
#include "device/environment.h"

#include <sys/ioctl.h>

#include "base/bits.h"
#include "device/environment_priv.h"
#include "tree.h"

/* The drives of recorded trees have no node here; a drive that answers is in write_cache.c. */
int ioctl(int fd, unsigned long request, ...)
{
	(void)fd, (void)request;
	return -1;
}

static const char *value(const struct environment *e, const char *of, const char *name)
{
	for (unsigned i = 0; i < e->count; i++) {
		if (str_equal(e->entries[i].of, of) && str_equal(e->entries[i].name, name))
			return e->entries[i].before ? e->entries[i].before : "unknown";
	}
	return "missing";
}

static void of_device(struct arena *arena, const struct tree *tree, const char *name,
		      struct environment *ret_environment)
{
	struct environment_list list = {.arena = arena, .roots = &tree->roots};
	struct device device;

	assert_int_equal(device_from_name(&device, name, &tree->roots, NULL), 0);
	environment_of_host(&list);
	environment_of_device(&list, &device);
	*ret_environment = (struct environment){.entries = list.entries, .count = list.count};
}

static void recorded_machine_is_read_whole(void **state)
{
	struct environment e;
	struct arena arena;
	struct tree tree;

	(void)state;
	arena_init(&arena);
	tree_open(&tree, "sys-virtio.tree");
	of_device(&arena, &tree, "vda", &e);
	assert_string_equal(value(&e, "host", "cpu_model"),
			    "Intel Xeon Processor (Cascadelake)");
	assert_string_equal(value(&e, "host", "governor"), "mixed");
	assert_string_equal(value(&e, "host", "boost"), "no");
	assert_string_equal(value(&e, "host", "power"), "battery");
	assert_string_equal(value(&e, "host", "cgroup_memory_bytes"), "1073741824");
	assert_string_equal(value(&e, "host", "cgroup_cpus"), "1.50");
	assert_string_equal(value(&e, "host", "cgroup_io"), "none");
	assert_string_equal(value(&e, "host", "microcode"), "unknown");
	assert_string_equal(value(&e, "host", "mitigations"), "unknown");
	assert_string_equal(value(&e, "host", "irqbalance"), "not running");
	assert_string_equal(value(&e, "vda", "interface"), "virtio");
	arena_done(&arena);
	tree_close(&tree);
}

static void put(const struct tree *tree, const char *path, const char *text)
{
	autostr whole = {0};

	str_printf(&whole, "%s/%s", tree->top, path);
	tree_text(str_text(&whole), text);
}

static void what_a_drive_shows_is_read(void **state)
{
	static const char pci[] = "sys/devices/pci0000:00/0000:00:17.0";
	struct environment e;
	struct arena arena;
	struct tree tree;
	autostr path = {0};

	(void)state;
	arena_init(&arena);
	tree_open(&tree, "sys-sata.tree");
	put(&tree, "proc/cmdline", "quiet mitigations=off");
	put(&tree, "proc/cpuinfo", "processor\\t: 0\\nmicrocode\\t: 0x2b000590");
	put(&tree, "proc/7/comm", "irqbalance");
	put(&tree, "proc/irq/33/smp_affinity_list", "0-3");
	put(&tree, "proc/self/cgroup", "0::/job");
	put(&tree, "sys/fs/cgroup/job/io.max", "8:0 rbps=max wbps=1000\\n8:16 rbps=5");
	put(&tree, "sys/devices/system/cpu/vulnerabilities/meltdown", "Not affected");
	put(&tree, "sys/devices/system/cpu/vulnerabilities/spectre_v2", "Mitigation: IBRS");
	put(&tree, "sys/class/thermal/thermal_zone0/temp", "41000");
	put(&tree, "sys/class/thermal/thermal_zone1/temp", "57999");
	str_printf(&path, "%s/subsystem_vendor", pci);
	put(&tree, str_text(&path), "0x8086");
	for (unsigned irq = 33; irq < 35; irq++) {
		str_clear(&path);
		str_printf(&path, "%s/msi_irqs/%u", pci, irq);
		put(&tree, str_text(&path), "msi");
	}
	put(&tree, "sys/class/block/sda/device/hwmon/hwmon2/temp1_input", "38000");
	put(&tree, "sys/class/block/sda/queue/wbt_lat_usec", "2000");
	of_device(&arena, &tree, "sda", &e);
	assert_string_equal(value(&e, "host", "cmdline"), "quiet mitigations=off");
	assert_string_equal(value(&e, "host", "microcode"), "0x2b000590");
	assert_string_equal(value(&e, "host", "irqbalance"), "running");
	assert_string_equal(value(&e, "host", "cgroup_io"),
			    "8:0 rbps=max wbps=1000 8:16 rbps=5");
	assert_string_equal(value(&e, "host", "mitigations"),
			    "meltdown: Not affected; spectre_v2: Mitigation: IBRS");
	assert_string_equal(value(&e, "host", "hottest_zone_c"), "57");
	assert_string_equal(value(&e, "sda", "serial"), "S5STNF0R123456A");
	assert_string_equal(value(&e, "sda", "scheduler"), "none [mq-deadline] kyber bfq");
	assert_string_equal(value(&e, "sda", "nr_requests"), "64");
	assert_string_equal(value(&e, "sda", "wbt_lat_usec"), "2000");
	assert_string_equal(value(&e, "sda", "nomerges"), "unknown");
	assert_string_equal(value(&e, "sda", "link"), "SATA 3.0 Gb/s");
	assert_string_equal(value(&e, "sda", "link_best"), "SATA 6.0 Gb/s");
	assert_string_equal(value(&e, "sda", "pci_address"), "0000:00:17.0");
	assert_string_equal(value(&e, "sda", "irq_affinity"), "33:0-3 34:?");
	assert_string_equal(value(&e, "sda", "device_temperature_c"), "38");
	assert_string_equal(value(&e, "sda", "drive_write_cache"), "unknown");
	arena_done(&arena);
	tree_close(&tree);
}

static void partition_tells_where_it_lies(void **state)
{
	struct environment e;
	struct arena arena;
	struct tree tree;

	(void)state;
	arena_init(&arena);
	tree_open(&tree, "sys-nvme.tree");
	of_device(&arena, &tree, "nvme0n1p1", &e);
	assert_string_equal(value(&e, "nvme0n1p1", "start_bytes"), "1048576");
	assert_string_equal(value(&e, "nvme0n1p1", "scheduler"), "missing");
	of_device(&arena, &tree, "nvme0n1", &e);
	assert_string_equal(value(&e, "nvme0n1", "power_state"), "unknown");
	assert_string_equal(value(&e, "nvme0n1", "autonomous_power_states"), "unknown");
	of_device(&arena, &tree, "dm-0", &e);
	assert_string_equal(value(&e, "dm-0", "pci_address"), "missing");
	arena_done(&arena);
	tree_close(&tree);
}

/* Two looks at one machine, and between them what a run must tell. */
static void what_differs_is_told_and_what_moves_is_not(void **state)
{
	struct environment before, now;
	unsigned changed = 0;
	struct arena arena;
	struct tree tree;

	(void)state;
	arena_init(&arena);
	tree_open(&tree, "sys-sata.tree");
	put(&tree, "proc/loadavg", "0.10 0.1 0.1 1/100 200");
	of_device(&arena, &tree, "sda", &before);
	for (unsigned i = 0; i < before.count; i++)
		assert_false(environment_changed(&before.entries[i]));
	put(&tree, "proc/loadavg", "7.50 0.1 0.1 1/100 200");
	put(&tree, "sys/class/block/sda/queue/scheduler", "[none] mq-deadline kyber bfq");
	put(&tree, "sys/class/block/sda/queue/nomerges", "2"); /* was not there */
	put(&tree, "sys/class/block/sda/md/level", "raid1");   /* a line of its own */
	of_device(&arena, &tree, "sda", &now);
	environment_update(&arena, &before, &now);
	assert_int_equal(before.count, now.count);
	for (unsigned i = 0; i < before.count; i++) {
		const struct environment_entry *entry = &before.entries[i];

		if (str_equal(entry->name, "load1")) {
			assert_string_equal(entry->before, "0.10");
			assert_string_equal(entry->after, "7.50");
		}
		if (environment_changed(entry)) {
			changed++;
			assert_true(str_equal(entry->name, "scheduler") ||
				    str_equal(entry->name, "nomerges") ||
				    str_equal(entry->name, "md_level"));
		}
	}
	assert_int_equal(changed, 3);
	environment_update(&arena, &before, &(struct environment){.count = 0});
	for (unsigned i = 0; i < before.count; i++)
		assert_null(before.entries[i].after); /* it is all gone: not "as before" */
	arena_done(&arena);
	tree_close(&tree);
}

static void this_machine_is_told_without_gaps(void **state)
{
	static const char *const paths[] = {"/etc/passwd", "/var/tmp", "/proc/none", "/tmp"};
	struct environment e;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	environment_read(&arena, paths, ARRAY_SIZE(paths), &device_roots_real, &e);
	assert_true(e.count > 60);
	assert_string_not_equal(value(&e, "host", "kernel"), "unknown");
	assert_string_not_equal(value(&e, "host", "libc"), "unknown");
	assert_string_not_equal(value(&e, "host", "uptime_s"), "unknown");
	for (unsigned i = 0; i < e.count; i++) {
		for (unsigned k = 0; k < i; k++) /* each once */
			assert_false(str_equal(e.entries[i].name, e.entries[k].name) &&
				     str_equal(e.entries[i].of, e.entries[k].of));
		assert_true(!e.entries[i].before || *e.entries[i].before);
	}
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_machine_is_read_whole),
		cmocka_unit_test(what_a_drive_shows_is_read),
		cmocka_unit_test(partition_tells_where_it_lies),
		cmocka_unit_test(what_differs_is_told_and_what_moves_is_not),
		cmocka_unit_test(this_machine_is_told_without_gaps),
	};

	return cmocka_run_group_tests_name("environment", tests, NULL, NULL);
}
