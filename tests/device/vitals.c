/* Each reader over a tree made up for it, look by look; then the real machine, for what must hold
 * on all of them. */
#include "device/vitals.h"

#include <math.h>
#include <time.h>

#include "base/bits.h"
#include "base/clock.h"
#include "tree.h"

#define SECOND NS_PER_S

struct bed {
	struct tree tree;
	struct arena arena;
	struct vitals_reader *reader;
	float values[VITALS_MAX];
};

static void put(struct bed *bed, const char *path, const char *text)
{
	char whole[300];

	(void)snprintf(whole, sizeof(whole), "%s/%s", bed->tree.top, path);
	tree_text(whole, text);
}

/* In place, as the kernel's files change: who has one open sees it. */
static void change(struct bed *bed, const char *path, const char *text)
{
	put(bed, path, text);
}

static void begin(struct bed *bed)
{
	*bed = (struct bed){0};
	arena_init(&bed->arena);
	(void)snprintf(bed->tree.top, sizeof(bed->tree.top),
		       "/tmp/assay-tree-XX"
		       "XX"
		       "XX");
	assert_non_null(mkdtemp(bed->tree.top));
	(void)snprintf(bed->tree.sys, sizeof(bed->tree.sys), "%s/sys", bed->tree.top);
	(void)snprintf(bed->tree.proc, sizeof(bed->tree.proc), "%s/proc", bed->tree.top);
	bed->tree.roots = (struct device_roots){
		.sys = bed->tree.sys, .proc = bed->tree.proc, .dev = "/dev"};
}

static void open_reader(struct bed *bed, const struct device *device)
{
	bed->reader = vitals_open(&bed->arena, &device, device ? 1 : 0, &bed->tree.roots);
}

static void end(struct bed *bed)
{
	vitals_close(bed->reader);
	arena_done(&bed->arena);
	tree_close(&bed->tree);
}

static void look(struct bed *bed, uint64_t now_ns)
{
	for (unsigned i = 0; i < VITALS_MAX; i++)
		bed->values[i] = -1;
	vitals_read(bed->reader, now_ns, bed->values);
}

/* -2: there is no such channel. */
static float value(const struct bed *bed, enum vital_kind kind, const char *name)
{
	unsigned count;
	const struct vital_channel *channels = vitals_channels(bed->reader, &count);

	for (unsigned i = 0; i < count; i++)
		if (channels[i].kind == kind && strcmp(channels[i].name, name) == 0)
			return bed->values[i];
	return -2;
}

#define assert_near(a, b) assert_true(fabs((double)(a) - (double)(b)) < 0.01)

static void nothing_there_is_no_channel(void **state)
{
	static const struct device device = {.name = "sda"};
	struct bed bed;
	unsigned count;

	(void)state;
	begin(&bed);
	open_reader(&bed, &device);
	(void)vitals_channels(bed.reader, &count);
	assert_int_equal(count, 0);
	look(&bed, SECOND);
	assert_near(bed.values[0], -1);
	end(&bed);
}

static void cpus_steal_and_interrupts_are_differences(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed);
	put(&bed, "proc/stat",
	    "cpu  100 0 100 800 0 0 0 0 0 0\\ncpu0 50 0 50 400 0 0 0 0 0 0\\n"
	    "cpu1 50 0 50 400 0 0 0 0 0 0\\nintr 5000 1 2 3\\nctxt 7");
	open_reader(&bed, NULL);
	look(&bed, SECOND);
	assert_true(isnan(value(&bed, VITAL_CPU, "all"))); /* since boot is no answer */
	assert_true(isnan(value(&bed, VITAL_INTERRUPTS, "all")));
	change(&bed, "proc/stat",
	       "cpu  150 10 120 880 20 10 10 0 0 0\\ncpu0 130 0 50 420 0 0 0 0 0 0\\n"
	       "cpu1 50 0 50 460 0 0 0 40 0 0\\nintr 9000 1 2 3\\nctxt 7");
	look(&bed, 3 * SECOND);
	assert_near(value(&bed, VITAL_CPU, "all"), 50);
	assert_near(value(&bed, VITAL_CPU, "cpu0"), 80);
	assert_near(value(&bed, VITAL_CPU, "cpu1"), 0);
	assert_near(value(&bed, VITAL_CPU, "busiest"), 80);
	assert_near(value(&bed, VITAL_STEAL, "all"), 0);
	assert_near(value(&bed, VITAL_INTERRUPTS, "all"), 2000);
	end(&bed);
}

static void time_that_stands_or_goes_back_is_not_known(void **state)
{
	struct bed bed;

	(void)state;
	begin(&bed);
	put(&bed, "proc/stat",
	    "cpu  100 0 0 900 0 0 0 100 0 0\\ncpu0 1 0 0 9 0 0 0 1\\nintr 10");
	open_reader(&bed, NULL);
	look(&bed, SECOND);
	look(&bed, 2 * SECOND);
	assert_true(isnan(value(&bed, VITAL_CPU, "all")));
	assert_true(isnan(value(&bed, VITAL_CPU, "busiest")));
	assert_near(value(&bed, VITAL_INTERRUPTS, "all"), 0);
	change(&bed, "proc/stat", "cpu  50 0 0 990 0 0 0 160 0 0\\ncpu0 x\\nintr 5");
	look(&bed, 3 * SECOND);
	assert_true(isnan(value(&bed, VITAL_CPU, "all")));
	assert_near(value(&bed, VITAL_STEAL, "all"), 60);
	assert_true(isnan(value(&bed, VITAL_INTERRUPTS, "all")));
	end(&bed);
}

static void many_cpus_have_no_channel_each(void **state)
{
	autostr text = {0};
	struct bed bed;
	unsigned count;

	(void)state;
	begin(&bed);
	str_add(&text, "cpu  0 0 0 0 0 0 0 0\\n");
	for (unsigned i = 0; i <= VITALS_CORES_MAX; i++)
		str_printf(&text, "cpu%u 0 0 0 0 0 0 0 0\\n", i);
	str_add(&text, "intr 0");
	put(&bed, "proc/stat", str_text(&text));
	open_reader(&bed, NULL);
	(void)vitals_channels(bed.reader, &count);
	assert_int_equal(count, 4); /* all, busiest, steal, interrupts */
	look(&bed, SECOND);
	str_clear(&text);
	str_add(&text, "cpu  1 0 0 9 0 0 0 0\\n");
	for (unsigned i = 0; i <= VITALS_CORES_MAX; i++)
		str_printf(&text, "cpu%u %u 0 0 %u 0 0 0 0\\n", i, i, 100 - i);
	str_add(&text, "intr 0");
	change(&bed, "proc/stat", str_text(&text));
	look(&bed, 2 * SECOND);
	assert_near(value(&bed, VITAL_CPU, "busiest"), VITALS_CORES_MAX);
	end(&bed);
}

static void an_nvme_drive_is_asked_every_ten_seconds(void **state)
{
	static const char hwmon[] = "sys/class/block/nvme0n1/device/hwmon3/temp1_input";
	static const struct device device = {
		.name = "nvme0n1p2", .parent = "nvme0n1", .interface = INTERFACE_NVME};
	static const char power[] = "sys/class/block/nvme0n1/device/device/power_state";
	struct bed bed;

	(void)state;
	begin(&bed);
	put(&bed, hwmon, "41850");
	put(&bed, "sys/class/block/nvme0n1/device/hwmon3/name", "nvme");
	put(&bed, "sys/class/block/nvme0n1/device/nvme0n1/size", "1"); /* no controller */
	put(&bed, power, "D0");
	open_reader(&bed, &device);
	look(&bed, SECOND);
	assert_near(value(&bed, VITAL_TEMPERATURE, "nvme0n1"), 41.85);
	assert_near(value(&bed, VITAL_POWER_STATE, "nvme0n1"), 0);
	change(&bed, hwmon, "60000");
	change(&bed, power, "D3hot");
	look(&bed, 10 * SECOND);
	assert_near(value(&bed, VITAL_TEMPERATURE, "nvme0n1"), 41.85);
	assert_near(value(&bed, VITAL_POWER_STATE, "nvme0n1"), 3);
	look(&bed, 11 * SECOND);
	assert_near(value(&bed, VITAL_TEMPERATURE, "nvme0n1"), 60);
	change(&bed, hwmon, "");
	change(&bed, power, "unknown");
	look(&bed, 21 * SECOND);
	assert_true(isnan(value(&bed, VITAL_TEMPERATURE, "nvme0n1")));
	assert_true(isnan(value(&bed, VITAL_POWER_STATE, "nvme0n1")));
	end(&bed);
}

static void multipath_and_scsi_have_their_places(void **state)
{
	static const struct device nvme = {.name = "nvme0n1", .interface = INTERFACE_NVME};
	static const struct device disk = {.name = "sda", .interface = INTERFACE_SATA};
	struct bed bed;

	(void)state;
	begin(&bed);
	put(&bed, "sys/class/block/nvme0n1/device/nvme7/hwmon1/temp1_input", "33000");
	put(&bed, "sys/class/block/sda/device/hwmon/hwmon9/temp1_input", "-5000");
	put(&bed, "sys/class/block/sda/device/hwmon/hwmon9/name", "drivetemp");
	open_reader(&bed, &nvme);
	look(&bed, SECOND);
	assert_near(value(&bed, VITAL_TEMPERATURE, "nvme0n1"), 33);
	vitals_close(bed.reader);
	open_reader(&bed, &disk);
	look(&bed, SECOND);
	assert_near(value(&bed, VITAL_TEMPERATURE, "sda"), -5);
	change(&bed, "sys/class/block/sda/device/hwmon/hwmon9/temp1_input", "40000");
	look(&bed, 60 * SECOND);
	assert_near(value(&bed, VITAL_TEMPERATURE, "sda"), -5); /* it drains the queue: 60 s */
	look(&bed, 61 * SECOND);
	assert_near(value(&bed, VITAL_TEMPERATURE, "sda"), 40);
	end(&bed);
}

static void energy_becomes_watts_and_may_wrap(void **state)
{
	static const char package[] = "sys/class/powercap/intel-rapl:0/energy_uj";
	struct bed bed;

	(void)state;
	begin(&bed);
	put(&bed, package, "1000000");
	put(&bed, "sys/class/powercap/intel-rapl:0/name", "package-0");
	put(&bed, "sys/class/powercap/intel-rapl:0/max_energy_range_uj", "50000000");
	put(&bed, "sys/class/powercap/intel-rapl:0:0/energy_uj", "1");
	put(&bed, "sys/class/powercap/intel-rapl:0:0/name", "core");
	put(&bed, "sys/class/powercap/intel-rapl:0:1/energy_uj", "0");
	put(&bed, "sys/class/powercap/intel-rapl:0:1/name", "dram");
	put(&bed, "sys/class/powercap/intel-rapl-mmio:0/name", "package-0");
	put(&bed, "sys/class/powercap/intel-rapl-mmio:0/energy_uj", "5");
	open_reader(&bed, NULL);
	look(&bed, SECOND);
	assert_true(isnan(value(&bed, VITAL_POWER, "package-0")));
	assert_near(value(&bed, VITAL_POWER, "core"), -2); /* a part of the package's */
	change(&bed, package, "41000000");
	change(&bed, "sys/class/powercap/intel-rapl:0:1/energy_uj", "3000000");
	look(&bed, 3 * SECOND);
	assert_near(value(&bed, VITAL_POWER, "package-0"), 20);
	assert_near(value(&bed, VITAL_POWER, "package-0 dram"), 1.5);
	change(&bed, package, "6000000"); /* 9 J to the end, and 6 more */
	change(&bed, "sys/class/powercap/intel-rapl:0:1/energy_uj", "7");
	look(&bed, 4 * SECOND);
	assert_near(value(&bed, VITAL_POWER, "package-0"), 15);
	assert_true(isnan(value(&bed, VITAL_POWER, "package-0 dram"))); /* no range is known */
	change(&bed, package, "");
	look(&bed, 5 * SECOND);
	assert_true(isnan(value(&bed, VITAL_POWER, "package-0")));
	end(&bed);
}

static void clock_rates_have_a_mean_and_a_lowest(void **state)
{
	static const char first[] = "sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq";
	struct bed bed;

	(void)state;
	begin(&bed);
	put(&bed, first, "3000000");
	put(&bed, "sys/devices/system/cpu/cpufreq/policy1/scaling_cur_freq", "1000000");
	put(&bed, "sys/devices/system/cpu/cpufreq/boost", "1");
	open_reader(&bed, NULL);
	look(&bed, SECOND);
	assert_near(value(&bed, VITAL_FREQUENCY, "mean"), 2000);
	assert_near(value(&bed, VITAL_FREQUENCY, "lowest"), 1000);
	change(&bed, first, "<unknown>");
	look(&bed, 2 * SECOND);
	assert_near(value(&bed, VITAL_FREQUENCY, "mean"), 1000);
	change(&bed, "sys/devices/system/cpu/cpufreq/policy1/scaling_cur_freq", "0");
	look(&bed, 3 * SECOND);
	assert_true(isnan(value(&bed, VITAL_FREQUENCY, "mean")));
	end(&bed);
}

/* Two looks at the machine that runs this. */
static void this_machine_is_read(void **state)
{
	static const struct timespec wait = {.tv_nsec = 50 * NS_PER_MS};
	struct bed bed = {.tree.roots = device_roots_real};
	unsigned count;

	(void)state;
	arena_init(&bed.arena);
	bed.tree.roots = device_roots_real;
	open_reader(&bed, NULL);
	assert_non_null(vitals_channels(bed.reader, &count));
	assert_true(count >= 4);
	look(&bed, clock_monotonic_ns());
	(void)nanosleep(&wait, NULL);
	look(&bed, clock_monotonic_ns());
	for (unsigned i = 0; i < count; i++)
		assert_true(isnan(bed.values[i]) || bed.values[i] >= 0);
	assert_true(value(&bed, VITAL_INTERRUPTS, "all") >= 0);
	assert_true(isnan(value(&bed, VITAL_CPU, "all")) ||
		    value(&bed, VITAL_CPU, "all") <= 100);
	vitals_close(bed.reader);
	arena_done(&bed.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_there_is_no_channel),
		cmocka_unit_test(cpus_steal_and_interrupts_are_differences),
		cmocka_unit_test(time_that_stands_or_goes_back_is_not_known),
		cmocka_unit_test(many_cpus_have_no_channel_each),
		cmocka_unit_test(an_nvme_drive_is_asked_every_ten_seconds),
		cmocka_unit_test(multipath_and_scsi_have_their_places),
		cmocka_unit_test(energy_becomes_watts_and_may_wrap),
		cmocka_unit_test(clock_rates_have_a_mean_and_a_lowest),
		cmocka_unit_test(this_machine_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
