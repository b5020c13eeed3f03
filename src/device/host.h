/*
 * The machine around a drive: what a report names, and what the notes before and after a run
 * judge by. Everything is read from /proc and /sys through struct device_roots; unknown is ""
 * or as the field says.
 */
#pragma once

#include "device/device.h"

enum host_power { POWER_UNKNOWN, POWER_MAINS, POWER_BATTERY };

/* The CPU says that there is one, and nothing says which. */
#define HOST_HYPERVISOR_UNNAMED "unnamed"

struct host {
	char kernel[100];		     /* "6.1.0-44-amd64" */
	char machine[32];		     /* "x86_64" */
	char name[100];			     /* host name */
	char os[100];			     /* PRETTY_NAME of os-release */
	char product[120];		     /* the machine's, from DMI */
	char cpu_model[120];		     /* "" unknown */
	char hypervisor[64];		     /* "KVM", "VMware"; "" none found */
	unsigned cpus_online;		     /* logical */
	unsigned cpus_usable;		     /* by this process: affinity */
	unsigned cores, sockets, numa_nodes; /* 0 unknown */
	uint64_t memory_bytes, memory_available_bytes, swap_bytes;
	uint64_t hugepages_free, hugepage_bytes;
	char governor[32];	    /* of CPU 0; "mixed" when CPUs differ; "" no cpufreq */
	char energy_preference[32]; /* EPP of CPU 0; "" none */
	uint32_t frequency_max_mhz; /* 0 unknown */
	enum answer turbo;
	enum answer smt;
	enum host_power power;
	char clocksource[32];	   /* "tsc" */
	char io_uring_disabled[8]; /* the sysctl: "0", "1", "2"; "" older kernels: allowed */
	uint64_t aio_max_nr, aio_nr;
	double load1; /* of /proc/loadavg; -1 unknown */
};
void host_read(struct host *ret_host, const struct device_roots *roots);

/* What the kernel lets this process have. UINT64_MAX: no limit. */
struct host_limits {
	uint64_t open_files, memlock_bytes, file_size_bytes;
	bool may_lock_memory;  /* CAP_IPC_LOCK: memlock does not bind */
	bool may_set_realtime; /* CAP_SYS_NICE */
	bool may_admin;	       /* CAP_SYS_ADMIN */
	bool is_root;
	uint64_t cgroup_memory_bytes; /* the memory limit of its cgroup */
	double cgroup_cpus;	      /* CPU quota of its cgroup in CPUs; 0 none */
	char cgroup_io[200];	      /* its own I/O limits, as the group has them; "" none */
};
void host_limits_read(struct host_limits *ret_limits, const struct device_roots *roots);

/* CPU time of all CPUs, or of one, since boot (/proc/stat), in nanoseconds. */
struct host_cpu {
	uint64_t user_ns, system_ns, idle_ns, iowait_ns, irq_ns, steal_ns, total_ns;
};
#define HOST_CPU_ALL (-1)
int host_cpu_read(struct host_cpu *ret_cpu, int cpu, const struct device_roots *roots);
void host_cpu_difference(const struct host_cpu *before, const struct host_cpu *after,
			 struct host_cpu *ret_difference);
/* Shares of the total, 0 to 1; 0 for an empty span. */
double host_cpu_busy_share(const struct host_cpu *difference);
double host_cpu_steal_share(const struct host_cpu *difference);

/* The NUMA distance (10 is local) from `node` to the node of `cpu`; 0 when either is unknown. */
unsigned host_numa_distance(int node, unsigned cpu, const struct device_roots *roots);
int host_cpu_node(unsigned cpu, const struct device_roots *roots); /* -1 unknown */
