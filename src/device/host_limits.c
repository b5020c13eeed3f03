/* What the kernel lets this process have: limits, capabilities, its cgroup. */
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/str.h"
#include "device/host.h"
#include "device/sysfs_priv.h"

static uint64_t limit_of(__rlimit_resource_t resource)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

/* CapEff of /proc/self/status. */
static uint64_t capabilities(const struct device_roots *roots)
{
	autostr text = {0};
	const char *line;

	(void)proc_read(roots, "self/status", &text);
	line = strstr(str_text(&text), "\nCapEff:");
	return line ? strtoull(line + strlen("\nCapEff:"), NULL, 16) : 0;
}

static bool has(uint64_t set, unsigned capability)
{
	return set >> capability & 1;
}

/* The process' path in a hierarchy of /proc/self/cgroup: lines "ID:CONTROLLERS:PATH", with no
 * controllers for version 2. */
static bool cgroup_path(const char *text, const char *controller, char ret_path[300])
{
	for (const char *line = text; line && *line;) {
		const char *names = strchr(line, ':');
		const char *path = names ? strchr(names + 1, ':') : NULL;
		const char *end = line + strcspn(line, "\n");
		char list[200];

		if (path && path < end) {
			TEXT_SET(list, ",%.*s,", (int)(path - names - 1), names + 1);
			if (controller[0] ? strstr(list, controller) != NULL
					  : str_equal(list, ",,")) {
				text_set(ret_path, 300, "%.*s", (int)(end - path - 1),
					 path + 1);
				return true;
			}
		}
		line = *end ? end + 1 : NULL;
	}
	return false;
}

/* The limit of a group binds all below it: the smallest on the way up counts. */
static uint64_t smallest_up(const struct device_roots *roots, const char *mount, char path[300],
			    const char *attribute)
{
	uint64_t smallest = UINT64_MAX;

	for (;;) {
		char folder[400], *slash = strrchr(path, '/');

		TEXT_SET(folder, "/fs/cgroup%s%s", mount, path);
		smallest = min_u64(smallest, sysfs_u64(roots, folder, attribute, UINT64_MAX));
		if (!slash)
			return smallest;
		*slash = '\0';
	}
}

#define CGROUP_NO_LIMIT (1ULL << 60) /* version 1 writes LONG_MAX rounded to pages */

static void cgroup_memory(struct host_limits *limits, const char *text,
			  const struct device_roots *roots)
{
	char path[300];
	uint64_t bytes = UINT64_MAX;

	if (cgroup_path(text, ",memory,", path))
		bytes = smallest_up(roots, "/memory", path, "memory.limit_in_bytes");
	else if (cgroup_path(text, "", path))
		bytes = smallest_up(roots, "", path, "memory.max");
	limits->cgroup_memory_bytes = bytes < CGROUP_NO_LIMIT ? bytes : UINT64_MAX;
}

/* "QUOTA PERIOD" of version 2, two files of version 1; "max" and -1 are no quota. */
static void cgroup_cpus(struct host_limits *limits, const char *text,
			const struct device_roots *roots)
{
	char path[300], folder[400], line[64] = "";
	unsigned long long quota, period;

	if (cgroup_path(text, ",cpu,", path)) {
		TEXT_SET(folder, "/fs/cgroup/cpu%s", path);
		quota = sysfs_u64(roots, folder, "cpu.cfs_quota_us", 0);
		period = sysfs_u64(roots, folder, "cpu.cfs_period_us", 0);
		if (quota && period)
			limits->cgroup_cpus = (double)quota / (double)period;
	} else if (cgroup_path(text, "", path)) {
		TEXT_SET(folder, "/fs/cgroup%s", path);
		SYSFS_LINE(roots, folder, "cpu.max", line);
		/* NOLINTNEXTLINE(cert-err34-c): the kernel's own text */
		if (sscanf(line, "%llu %llu", &quota, &period) == 2 && period)
			limits->cgroup_cpus = (double)quota / (double)period;
	}
}

/* Version 2: lines "8:0 rbps=max wbps=1000 riops=max wiops=max"; version 1: a file a kind, lines
 * "8:0 1000". Blanks and line ends become one blank each. */
static void cgroup_io(struct host_limits *limits, const char *text,
		      const struct device_roots *roots)
{
	static const char *const files[] = {"read_bps_device", "write_bps_device",
					    "read_iops_device", "write_iops_device"};
	char path[300], file[SYSFS_PATH_BYTES];
	autostr found = {0};

	if (cgroup_path(text, ",blkio,", path)) {
		for (unsigned i = 0; i < ARRAY_SIZE(files); i++) {
			autostr lines = {0};

			TEXT_SET(file, "%s/fs/cgroup/blkio%s/blkio.throttle.%s", roots->sys,
				 path, files[i]);
			if (file_read(file, sizeof(limits->cgroup_io), &lines) == 0 &&
			    lines.length)
				str_printf(&found, "%s %s", files[i], str_text(&lines));
		}
	} else if (cgroup_path(text, "", path)) {
		TEXT_SET(file, "%s/fs/cgroup%s/io.max", roots->sys, path);
		(void)file_read(file, sizeof(limits->cgroup_io), &found);
	}
	TEXT_SET(limits->cgroup_io, "%s", str_text(&found));
	for (char *at = limits->cgroup_io; *at; at++)
		*at = *at == '\n' ? ' ' : *at;
	text_trim(limits->cgroup_io);
}

void host_limits_read(struct host_limits *ret_limits, const struct device_roots *roots)
{
	uint64_t caps = capabilities(roots);
	autostr cgroup = {0};

	*ret_limits = (struct host_limits){
		.open_files = limit_of(RLIMIT_NOFILE),
		.memlock_bytes = limit_of(RLIMIT_MEMLOCK),
		.file_size_bytes = limit_of(RLIMIT_FSIZE),
		.may_lock_memory = has(caps, CAP_IPC_LOCK),
		.may_set_realtime = has(caps, CAP_SYS_NICE),
		.may_admin = has(caps, CAP_SYS_ADMIN),
		.is_root = geteuid() == 0,
	};
	(void)proc_read(roots, "self/cgroup", &cgroup);
	cgroup_memory(ret_limits, str_text(&cgroup), roots);
	cgroup_cpus(ret_limits, str_text(&cgroup), roots);
	cgroup_io(ret_limits, str_text(&cgroup), roots);
}
