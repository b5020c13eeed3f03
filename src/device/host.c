#include "device/host.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/str.h"
#include "device/sysfs_priv.h"

#define CPU_FOLDER  "/devices/system/cpu"
#define NODE_FOLDER "/devices/system/node"
#define CPUS_LIMIT  4096

/* The value of "key : value" or "key=value" in `text`, without quotes; "" when there is none.
 * The first one counts. */
static void value_of(const char *text, const char *key, char separator, char *ret_value,
		     size_t size_bytes)
{
	size_t length = strlen(key);

	ret_value[0] = '\0';
	while (text && *text) {
		const char *rest = text + length;

		if (strncmp(text, key, length) == 0) {
			rest += strspn(rest, " \t");
			if (*rest == separator) {
				text_set(ret_value, size_bytes, "%.*s",
					 (int)strcspn(rest + 1, "\n"), rest + 1);
				text_trim(ret_value);
				return;
			}
		}
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
}

/* A line "MemTotal:  16 kB" of meminfo in bytes; `unknown` without it. */
static uint64_t kib_of(const char *text, const char *key, uint64_t unknown)
{
	char value[40];

	value_of(text, key, ':', value, sizeof(value));
	return isdigit((unsigned char)value[0]) ? strtoull(value, NULL, 10) * KiB : unknown;
}

static uint64_t count_of(const char *text, const char *key)
{
	char value[40];
	uint64_t count;

	value_of(text, key, ':', value, sizeof(value));
	return text_u64(value, &count) ? count : 0;
}

/* The numbers in a list such as "0-3,8": how many. */
static unsigned list_count(const char *list)
{
	unsigned count = 0;

	while (isdigit((unsigned char)*list)) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (last >= first && last - first < CPUS_LIMIT)
			count += (unsigned)(last - first + 1);
		list = *end == ',' ? end + 1 : end;
	}
	return count;
}

/* The distinct values of a topology attribute over all CPUs, cores counted within a package:
 * pairs are kept in a small set. */
static void topology_read(struct host *host, const struct device_roots *roots)
{
	static const char *const attributes[] = {"core_id", "physical_package_id"};
	uint64_t *cores = memory_zeroed(CPUS_LIMIT, 2 * sizeof(*cores));
	uint64_t *packages = cores + CPUS_LIMIT;

	for (unsigned cpu = 0; cpu < CPUS_LIMIT; cpu++) {
		char folder[80];
		uint64_t id[2];
		unsigned i;

		TEXT_SET(folder, CPU_FOLDER "/cpu%u/topology", cpu);
		for (i = 0; i < 2; i++)
			id[i] = sysfs_u64(roots, folder, attributes[i], UINT64_MAX);
		if (id[0] == UINT64_MAX || id[1] == UINT64_MAX)
			break;
		for (i = 0; i < host->cores && cores[i] != (id[1] << 32 | id[0]); i++)
			;
		if (i == host->cores)
			cores[host->cores++] = id[1] << 32 | id[0];
		for (i = 0; i < host->sockets && packages[i] != id[1]; i++)
			;
		if (i == host->sockets)
			packages[host->sockets++] = id[1];
	}
	free(cores);
}

static void governor_read(struct host *host, const struct device_roots *roots)
{
	for (unsigned cpu = 0; cpu < CPUS_LIMIT; cpu++) {
		char folder[80], governor[32];

		TEXT_SET(folder, CPU_FOLDER "/cpu%u", cpu);
		if (!sysfs_exists(roots, folder, ""))
			break;
		SYSFS_LINE(roots, folder, "cpufreq/scaling_governor", governor);
		if (!governor[0] || str_equal(host->governor, governor))
			continue;
		if (host->governor[0]) {
			TEXT_SET(host->governor, "mixed");
			return;
		}
		TEXT_SET(host->governor, "%s", governor);
	}
}

static void frequency_read(struct host *host, const struct device_roots *roots)
{
	enum answer no_turbo = sysfs_answer(roots, CPU_FOLDER, "intel_pstate/no_turbo");

	governor_read(host, roots);
	SYSFS_LINE(roots, CPU_FOLDER, "cpu0/cpufreq/energy_performance_preference",
		   host->energy_preference);
	host->frequency_max_mhz =
		(uint32_t)(sysfs_u64(roots, CPU_FOLDER, "cpu0/cpufreq/cpuinfo_max_freq", 0) /
			   1000);
	host->turbo = sysfs_answer(roots, CPU_FOLDER, "cpufreq/boost");
	if (no_turbo != ANSWER_UNKNOWN)
		host->turbo = no_turbo == ANSWER_YES ? ANSWER_NO : ANSWER_YES;
	host->smt = sysfs_answer(roots, CPU_FOLDER, "smt/active");
}

/* Mains that is offline, and a battery that discharges, both say battery. A battery of a mouse
 * has the scope "Device". */
static enum host_power power_read(const struct device_roots *roots)
{
	autodir dir = sysfs_open(roots, "/class/power_supply", "");
	enum host_power power = POWER_UNKNOWN;
	const char *name;

	while (dir && (name = sysfs_next(dir))) {
		char folder[300], type[32], status[32], scope[32];

		TEXT_SET(folder, "/class/power_supply/%s", name);
		SYSFS_LINE(roots, folder, "type", type);
		SYSFS_LINE(roots, folder, "status", status);
		SYSFS_LINE(roots, folder, "scope", scope);
		if (str_equal(scope, "Device"))
			continue;
		if (str_equal(type, "Mains") && sysfs_u64(roots, folder, "online", 0))
			return POWER_MAINS;
		if (str_equal(type, "Mains") ||
		    (str_equal(type, "Battery") && str_equal(status, "Discharging")))
			power = POWER_BATTERY;
	}
	return power;
}

/* The twelve letters that hypervisors answer CPUID's leaf 0x40000000 with. */
static void signature_read(struct host *host)
{
#if defined(__x86_64__) || defined(__i386__)
	static const struct {
		const char *letters, *name;
	} signatures[] = {
		{"KVMKVMKVM", "KVM"},	     {"TCGTCGTCGTCG", "QEMU"},
		{"VMwareVMware", "VMware"},  {"XenVMMXenVMM", "Xen"},
		{"Microsoft Hv", "Hyper-V"}, {"VBoxVBoxVBox", "VirtualBox"},
		{"bhyve bhyve ", "bhyve"},   {" lrpepyh  vr", "Parallels"},
		{"ACRNACRNACRN", "ACRN"},
	};
	unsigned eax, words[3];
	char letters[sizeof(words) + 1] = "";

	__cpuid(0x40000000, eax, words[0], words[1], words[2]);
	memcpy(letters, words, sizeof(words));
	for (unsigned i = 0; eax && i < ARRAY_SIZE(signatures); i++) {
		if (str_equal(letters, signatures[i].letters))
			TEXT_SET(host->hypervisor, "%s", signatures[i].name);
	}
#else
	(void)host;
#endif
}

/* DMI's maker of a virtual machine, where the CPU flag says that there is one. */
static void hypervisor_read(struct host *host, const char *cpuinfo,
			    const struct device_roots *roots)
{
	static const struct {
		const char *vendor, *name;
	} makers[] = {
		{"QEMU", "KVM (QEMU)"},		  {"VMware", "VMware"},
		{"innotek", "VirtualBox"},	  {"Xen", "Xen"},
		{"Microsoft", "Hyper-V"},	  {"Amazon EC2", "Amazon EC2"},
		{"Google", "Google Compute"},	  {"Parallels", "Parallels"},
		{"Red Hat", "KVM (Red Hat)"},	  {"OpenStack", "KVM (OpenStack)"},
		{"DigitalOcean", "DigitalOcean"},
	};
	char vendor[100], product[100], type[32];
	bool guest = strstr(cpuinfo, " hypervisor") != NULL;

	SYSFS_LINE(roots, "/hypervisor", "type", type);
	SYSFS_LINE(roots, "/class/dmi/id", "sys_vendor", vendor);
	SYSFS_LINE(roots, "/class/dmi/id", "product_name", product);
	if (vendor[0] || product[0])
		TEXT_SET(host->product, "%s%s%s", vendor, vendor[0] ? " " : "", product);
	if (type[0])
		TEXT_SET(host->hypervisor, "%s", type);
	for (unsigned i = 0; guest && i < ARRAY_SIZE(makers); i++) {
		if (strstr(vendor, makers[i].vendor))
			TEXT_SET(host->hypervisor, "%s", makers[i].name);
	}
	if (guest && !host->hypervisor[0] && roots == &device_roots_real)
		signature_read(host);
	if (guest && !host->hypervisor[0])
		TEXT_SET(host->hypervisor, HOST_HYPERVISOR_UNNAMED);
}

static void cpu_read(struct host *host, const struct device_roots *roots)
{
	static const char *const keys[] = {"model name", "Model", "Hardware", "cpu", "uarch"};
	autostr cpuinfo = {0};
	char list[400];
	cpu_set_t *set = CPU_ALLOC(CPUS_LIMIT);
	size_t set_bytes = CPU_ALLOC_SIZE(CPUS_LIMIT);

	(void)proc_read(roots, "cpuinfo", &cpuinfo);
	for (unsigned i = 0; i < ARRAY_SIZE(keys) && !host->cpu_model[0]; i++)
		value_of(str_text(&cpuinfo), keys[i], ':', host->cpu_model,
			 sizeof(host->cpu_model));
	hypervisor_read(host, str_text(&cpuinfo), roots);
	SYSFS_LINE(roots, CPU_FOLDER, "online", list);
	host->cpus_online = list_count(list);
	if (set && sched_getaffinity(0, set_bytes, set) == 0)
		host->cpus_usable = (unsigned)CPU_COUNT_S(set_bytes, set);
	CPU_FREE(set);
	SYSFS_LINE(roots, NODE_FOLDER, "online", list);
	host->numa_nodes = list_count(list);
	topology_read(host, roots);
	frequency_read(host, roots);
}

static void memory_read(struct host *host, const struct device_roots *roots)
{
	autostr meminfo = {0};
	const char *text;

	(void)proc_read(roots, "meminfo", &meminfo);
	text = str_text(&meminfo);
	host->memory_bytes = kib_of(text, "MemTotal", 0);
	host->memory_available_bytes = kib_of(text, "MemAvailable", 0);
	host->swap_bytes = kib_of(text, "SwapTotal", 0);
	host->hugepages_free = count_of(text, "HugePages_Free");
	host->hugepage_bytes = kib_of(text, "Hugepagesize", 0);
}

static uint64_t proc_number(const struct device_roots *roots, const char *path)
{
	autostr text = {0};

	(void)proc_read(roots, path, &text);
	return strtoull(str_text(&text), NULL, 10);
}

static void system_read(struct host *host, const struct device_roots *roots)
{
	autostr load = {0}, release = {0}, uring = {0};
	struct utsname uts;

	if (uname(&uts) == 0) {
		TEXT_SET(host->kernel, "%s", uts.release);
		TEXT_SET(host->machine, "%s", uts.machine);
		TEXT_SET(host->name, "%s", uts.nodename);
	}
	if (file_read("/etc/os-release", 1 << 16, &release) == 0) {
		value_of(str_text(&release), "PRETTY_NAME", '=', host->os, sizeof(host->os));
		if (host->os[0] == '"') {
			memmove(host->os, host->os + 1, strlen(host->os));
			host->os[strcspn(host->os, "\"")] = '\0';
		}
	}
	host->load1 =
		proc_read(roots, "loadavg", &load) == 0 ? strtod(str_text(&load), NULL) : -1;
	(void)proc_read(roots, "sys/kernel/io_uring_disabled", &uring);
	TEXT_SET(host->io_uring_disabled, "%s", str_text(&uring));
	text_trim(host->io_uring_disabled);
	host->aio_max_nr = proc_number(roots, "sys/fs/aio-max-nr");
	host->aio_nr = proc_number(roots, "sys/fs/aio-nr");
	SYSFS_LINE(roots, "/devices/system/clocksource/clocksource0", "current_clocksource",
		   host->clocksource);
}

void host_read(struct host *ret_host, const struct device_roots *roots)
{
	*ret_host = (struct host){.load1 = -1};
	system_read(ret_host, roots);
	cpu_read(ret_host, roots);
	memory_read(ret_host, roots);
	ret_host->power = power_read(roots);
}

int host_cpu_read(struct host_cpu *ret_cpu, int cpu, const struct device_roots *roots)
{
	char key[16] = "cpu ";
	unsigned long long v[8] = {0};
	autostr text = {0};
	const char *line;
	long hz = sysconf(_SC_CLK_TCK);
	uint64_t tick_ns = NS_PER_S / (uint64_t)(hz > 0 ? hz : 100);
	int rc = proc_read(roots, "stat", &text);

	if (rc < 0)
		return rc;
	if (cpu != HOST_CPU_ALL)
		TEXT_SET(key, "cpu%d ", cpu);
	line = str_text(&text);
	while (line && !str_starts(line, key)) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	/* user nice system idle iowait irq softirq steal; guest time is in user already */
	/* NOLINTNEXTLINE(cert-err34-c): the kernel's own text */
	if (!line || sscanf(line + strlen(key), "%llu %llu %llu %llu %llu %llu %llu %llu", v,
			    v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7) < 4)
		return -ENODEV;
	*ret_cpu = (struct host_cpu){
		.user_ns = (v[0] + v[1]) * tick_ns,
		.system_ns = v[2] * tick_ns,
		.idle_ns = v[3] * tick_ns,
		.iowait_ns = v[4] * tick_ns,
		.irq_ns = (v[5] + v[6]) * tick_ns,
		.steal_ns = v[7] * tick_ns,
	};
	for (unsigned i = 0; i < ARRAY_SIZE(v); i++)
		ret_cpu->total_ns += v[i] * tick_ns;
	return 0;
}

/* idle and iowait may go backwards (proc(5)): then nothing passed. */
static uint64_t forward(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

void host_cpu_difference(const struct host_cpu *before, const struct host_cpu *after,
			 struct host_cpu *ret_difference)
{
	struct host_cpu d = {
		.user_ns = forward(before->user_ns, after->user_ns),
		.system_ns = forward(before->system_ns, after->system_ns),
		.idle_ns = forward(before->idle_ns, after->idle_ns),
		.iowait_ns = forward(before->iowait_ns, after->iowait_ns),
		.irq_ns = forward(before->irq_ns, after->irq_ns),
		.steal_ns = forward(before->steal_ns, after->steal_ns),
	};

	d.total_ns = d.user_ns + d.system_ns + d.idle_ns + d.iowait_ns + d.irq_ns + d.steal_ns;
	*ret_difference = d;
}

double host_cpu_busy_share(const struct host_cpu *difference)
{
	uint64_t busy = difference->user_ns + difference->system_ns + difference->irq_ns;

	return difference->total_ns ? (double)busy / (double)difference->total_ns : 0;
}

double host_cpu_steal_share(const struct host_cpu *difference)
{
	return difference->total_ns
		       ? (double)difference->steal_ns / (double)difference->total_ns
		       : 0;
}

/* A CPU's folder holds a link "nodeN". */
int host_cpu_node(unsigned cpu, const struct device_roots *roots)
{
	char folder[80];
	const char *name;

	TEXT_SET(folder, CPU_FOLDER "/cpu%u", cpu);
	autodir dir = sysfs_open(roots, folder, "");
	while (dir && (name = sysfs_next(dir))) {
		uint64_t node;

		if (str_starts(name, "node") && text_u64(name + 4, &node) && node < INT_MAX)
			return (int)node;
	}
	return -1;
}

/* The n-th number of the node's `distance` is that to the n-th online node. */
unsigned host_numa_distance(int node, unsigned cpu, const struct device_roots *roots)
{
	int to = host_cpu_node(cpu, roots);
	char folder[80], line[4096], *next = line, *word;

	if (node < 0 || to < 0)
		return 0;
	TEXT_SET(folder, NODE_FOLDER "/node%d", node);
	SYSFS_LINE(roots, folder, "distance", line);
	for (int at = 0; (word = strsep(&next, " ")); at++) {
		char other[80];

		while (at <= to) { /* nodes that are not online have no column */
			TEXT_SET(other, NODE_FOLDER "/node%d", at);
			if (sysfs_exists(roots, other, ""))
				break;
			at++;
		}
		if (at == to)
			return (unsigned)strtoul(word, NULL, 10);
	}
	return 0;
}
