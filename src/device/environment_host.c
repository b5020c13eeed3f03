/* The machine's part of the environment. */
#include <blkid/blkid.h>
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <jansson.h>
#include <libmount/libmount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/lang.h"
#include "base/str.h"
#include "device/environment_priv.h"
#include "device/host.h"
#include "device/mounts_priv.h"
#include "device/sysfs_priv.h"

#define HOST	   "host"
#define CPU_FOLDER "/devices/system/cpu"

/* Files of one line below roots->sys. */
static const struct sysfs_row {
	const char *name, *folder, *attribute;
} sysfs_rows[] = {
	{"bios_version", "/class/dmi/id", "bios_version"},
	{"bios_date", "/class/dmi/id", "bios_date"},
	{"cpu_driver", CPU_FOLDER, "cpu0/cpufreq/scaling_driver"},
	{"frequency_khz", CPU_FOLDER, "cpu0/cpufreq/scaling_cur_freq"},
	{"frequency_min_khz", CPU_FOLDER, "cpu0/cpufreq/scaling_min_freq"},
	{"frequency_limit_khz", CPU_FOLDER, "cpu0/cpufreq/scaling_max_freq"},
	{"cpus_isolated", CPU_FOLDER, "isolated"},
	{"cpus_nohz_full", CPU_FOLDER, "nohz_full"},
	{"cpus_online_list", CPU_FOLDER, "online"},
	{"idle_driver", CPU_FOLDER, "cpuidle/current_driver"},
	{"idle_governor", CPU_FOLDER, "cpuidle/current_governor"},
	{"clocksource", "/devices/system/clocksource/clocksource0", "current_clocksource"},
	{"transparent_hugepages", "/kernel/mm/transparent_hugepage", "enabled"},
	{"pcie_aspm_policy", "/module/pcie_aspm/parameters", "policy"},
	{"nvme_poll_queues", "/module/nvme/parameters", "poll_queues"},
	{"nvme_write_queues", "/module/nvme/parameters", "write_queues"},
	{"nvme_power_latency_us", "/module/nvme_core/parameters", "default_ps_max_latency_us"},
	{"nvme_multipath", "/module/nvme_core/parameters", "multipath"},
};

/* The same below roots->proc. */
static const struct proc_row {
	const char *name, *path;
} proc_rows[] = {
	{"cmdline", "cmdline"},
	{"kernel_version", "sys/kernel/version"},
	{"numa_balancing", "sys/kernel/numa_balancing"},
	{"watchdog", "sys/kernel/watchdog"},
	{"io_uring_disabled", "sys/kernel/io_uring_disabled"},
	{"aio_max_nr", "sys/fs/aio-max-nr"},
	{"swappiness", "sys/vm/swappiness"},
	{"dirty_ratio", "sys/vm/dirty_ratio"},
	{"dirty_background_ratio", "sys/vm/dirty_background_ratio"},
	{"dirty_expire_centisecs", "sys/vm/dirty_expire_centisecs"},
};

static void add_proc(struct environment_list *list, const char *name, const char *path)
{
	autostr text = {0};
	char *line;

	(void)proc_read(list->roots, path, &text);
	str_add(&text, "");
	line = text.text;
	line[strcspn(line, "\n")] = '\0';
	text_trim(line);
	environment_add(list, HOST, name, line);
}

/* "spectre_v2: Mitigation: …; meltdown: Not affected", all files of the folder, sorted. */
static void add_mitigations(struct environment_list *list)
{
	static const char folder[] = CPU_FOLDER "/vulnerabilities";
	char path[SYSFS_PATH_BYTES];
	struct dirent **names = NULL;
	autostr text = {0};
	int count;

	TEXT_SET(path, "%s%s", list->roots->sys, folder);
	count = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		char line[300];

		if (names[i]->d_name[0] != '.') {
			SYSFS_LINE(list->roots, folder, names[i]->d_name, line);
			str_printf(&text, "%s%s: %s", text.length ? "; " : "", names[i]->d_name,
				   line);
		}
		free(names[i]);
	}
	free(names);
	environment_add(list, HOST, "mitigations", str_text(&text));
}

/* The hottest of the machine's thermal zones; those below zero are no part of a machine. */
static void add_temperature(struct environment_list *list)
{
	autodir dir = sysfs_open(list->roots, "/class/thermal", "");
	const char *name;
	uint64_t hottest = 0;
	char text[32] = "";

	while (dir && (name = sysfs_next(dir))) {
		char folder[300];
		uint64_t value;

		TEXT_SET(folder, "/class/thermal/%.200s", name);
		value = sysfs_u64(list->roots, folder, "temp", 0);
		if (str_starts(name, "thermal_zone") && value > hottest)
			hottest = value;
	}
	if (hottest)
		TEXT_SET(text, "%" PRIu64, hottest);
	environment_add_degrees(list, HOST, "hottest_zone_c", text);
}

/* irqbalance moves interrupts during a run. */
static bool runs_irqbalance(const struct device_roots *roots)
{
	autodir dir = opendir(roots->proc);
	const char *name;

	while (dir && (name = sysfs_next(dir))) {
		char path[300];
		autostr comm = {0};
		uint64_t pid;

		if (!text_u64(name, &pid))
			continue;
		TEXT_SET(path, "%.200s/comm", name);
		(void)proc_read(roots, path, &comm);
		if (str_equal(str_text(&comm), "irqbalance\n"))
			return true;
	}
	return false;
}

static void add_count(struct environment_list *list, const char *name, uint64_t count)
{
	if (count)
		environment_printf(list, HOST, name, "%" PRIu64, count);
	else
		environment_add(list, HOST, name, NULL);
}

static const char *answer_text(enum answer answer)
{
	static const char *const texts[] = {
		[ANSWER_UNKNOWN] = "", [ANSWER_NO] = "no", [ANSWER_YES] = "yes"};

	return texts[answer];
}

static void add_machine(struct environment_list *list, const struct host *host)
{
	static const char *const powers[] = {
		[POWER_UNKNOWN] = "", [POWER_MAINS] = "mains", [POWER_BATTERY] = "battery"};

	environment_add(list, HOST, "name", host->name);
	environment_add(list, HOST, "kernel", host->kernel);
	environment_add(list, HOST, "machine", host->machine);
	environment_add(list, HOST, "os", host->os);
	environment_add(list, HOST, "product", host->product);
	environment_add(list, HOST, "hypervisor",
			host->hypervisor[0] ? host->hypervisor : N_("none found"));
	environment_add(list, HOST, "cpu_model", host->cpu_model);
	add_count(list, "cpus_online", host->cpus_online);
	add_count(list, "cpus_usable", host->cpus_usable);
	add_count(list, "cores", host->cores);
	add_count(list, "sockets", host->sockets);
	add_count(list, "numa_nodes", host->numa_nodes);
	environment_add(list, HOST, "governor", host->governor);
	environment_add(list, HOST, "energy_preference", host->energy_preference);
	environment_add(list, HOST, "boost", answer_text(host->turbo));
	environment_add(list, HOST, "smt", answer_text(host->smt));
	environment_add(list, HOST, "power", powers[host->power]);
	add_count(list, "memory_bytes", host->memory_bytes);
	add_count(list, "memory_available_bytes", host->memory_available_bytes);
	environment_printf(list, HOST, "swap_bytes", "%" PRIu64, host->swap_bytes);
	environment_printf(list, HOST, "hugepages_free", "%" PRIu64, host->hugepages_free);
	if (host->load1 >= 0)
		environment_printf(list, HOST, "load1", "%.2f", host->load1);
	else
		environment_add(list, HOST, "load1", NULL);
}

static void add_microcode(struct environment_list *list)
{
	autostr cpuinfo = {0};
	const char *at;
	char value[40] = "";

	(void)proc_read(list->roots, "cpuinfo", &cpuinfo);
	at = strstr(str_text(&cpuinfo), "\nmicrocode");
	at = at ? strchr(at, ':') : NULL;
	if (at)
		TEXT_SET(value, "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
	text_trim(value);
	environment_add(list, HOST, "microcode", value);
}

static void add_limit(struct environment_list *list, const char *name, uint64_t limit)
{
	if (limit == UINT64_MAX)
		environment_add(list, HOST, name, "none");
	else
		environment_printf(list, HOST, name, "%" PRIu64, limit);
}

static void add_limits(struct environment_list *list)
{
	struct host_limits limits;

	host_limits_read(&limits, list->roots);
	add_limit(list, "limit_open_files", limits.open_files);
	add_limit(list, "limit_locked_bytes", limits.memlock_bytes);
	add_limit(list, "cgroup_memory_bytes", limits.cgroup_memory_bytes);
	if (limits.cgroup_cpus > 0)
		environment_printf(list, HOST, "cgroup_cpus", "%.2f", limits.cgroup_cpus);
	else
		environment_add(list, HOST, "cgroup_cpus", "none");
	environment_add(list, HOST, "cgroup_io",
			limits.cgroup_io[0] ? limits.cgroup_io : "none");
}

#define CALLS(X) X(mnt_get_library_version)

static const char *libmount_version(void)
{
	static const char *const names[] = {CALLS(LIBRARY_NAME)};
	static const struct library library = LIBMOUNT(names);
	struct {
		CALLS(LIBRARY_CALL)
	} lib;
	const char *version = NULL;

	if (!library_open(&library, &lib, sizeof(lib), NULL))
		(void)lib.mnt_get_library_version(&version);
	return version;
}

static void add_versions(struct environment_list *list)
{
	const char *version = NULL;

	environment_add(list, HOST, "libc", gnu_get_libc_version());
	environment_add(list, HOST, "jansson", JANSSON_VERSION);
	(void)blkid_get_library_version(&version, NULL);
	environment_add(list, HOST, "libblkid", version);
	environment_add(list, HOST, "libmount", libmount_version());
}

static void add_times(struct environment_list *list)
{
	time_t now = time(NULL);
	struct tm utc, local;
	char text[40] = "";
	autostr uptime = {0};

	if (gmtime_r(&now, &utc) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc))
		environment_add(list, HOST, "date_utc", text);
	text[0] = '\0';
	if (localtime_r(&now, &local))
		(void)strftime(text, sizeof(text), "%Z (%z)", &local);
	environment_add(list, HOST, "time_zone", text);
	if (proc_read(list->roots, "uptime", &uptime) == 0)
		environment_printf(list, HOST, "uptime_s", "%.0f",
				   strtod(str_text(&uptime), NULL));
	else
		environment_add(list, HOST, "uptime_s", NULL);
}

void environment_of_host(struct environment_list *list)
{
	struct host host;

	host_read(&host, list->roots);
	add_machine(list, &host);
	add_microcode(list);
	for (unsigned i = 0; i < ARRAY_SIZE(proc_rows); i++)
		add_proc(list, proc_rows[i].name, proc_rows[i].path);
	for (unsigned i = 0; i < ARRAY_SIZE(sysfs_rows); i++)
		environment_add_sysfs(list, HOST, sysfs_rows[i].name, sysfs_rows[i].folder,
				      sysfs_rows[i].attribute);
	add_mitigations(list);
	add_limits(list);
	environment_add(list, HOST, "irqbalance",
			runs_irqbalance(list->roots) ? "running" : N_("not running"));
	add_temperature(list);
	add_versions(list);
	add_times(list);
}
