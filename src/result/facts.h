/*
 * What was measured, and on what: host, targets, the devices under them, and what else went on
 * meanwhile. run/ fills it (before the first request and after the last), the notes and the
 * reports read it. Everything is what the system said, in words or numbers; NULL, 0 or -1 as
 * stated is "unknown" and stays unknown in the report. Texts live in the result's arena.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "job/spec.h"

struct host_facts {
	const char *system;	/* "Debian GNU/Linux 12 (bookworm)" */
	const char *kernel;	/* "Linux 6.1.0-18-amd64" */
	const char *cpu;	/* model as /proc/cpuinfo has it */
	const char *hypervisor; /* "kvm"; NULL: none seen */
	const char *governor;	/* of cpufreq; NULL: none */
	const char *clock;	/* "tsc", "clock_gettime" */
	unsigned cpus, numa_nodes;
	uint64_t memory_bytes;
	bool on_battery;
};

/* A device's own count of its work (/sys/block/X/stat). DIR_SYNC counts flushes, no bytes. */
struct device_counters {
	uint64_t ios[NDIR], bytes[NDIR];
	uint64_t busy_ns; /* time with at least one request in flight */
};

struct device_facts {
	const char *name; /* "nvme0n1" */
	const char *model, *serial, *firmware;
	uint64_t size_bytes;
	int rotational; /* 1 disk, 0 not, -1 unknown */
	bool in_memory; /* zram, ram, null_blk: no medium behind it */
	const char *scheduler;
	unsigned queue_requests; /* nr_requests; 0 unknown */
	int numa_node;		 /* -1: none */

	const char *link;      /* "PCIe 3.0 x4", "SATA 6.0 Gb/s" */
	const char *link_best; /* what device and slot could do; NULL: this is it, or unknown */
	uint64_t link_bytes_per_s; /* payload ceiling one way; 0 unknown */

	bool has_counters;
	struct device_counters before,
		after; /* around all workers, ramp included, layout not */
	/* Work that the device did in `idle_watch_ns` just before the run, when we did none. */
	uint64_t idle_watch_ns, idle_ios;
};

struct target_facts {
	const char *path;
	const char *kind; /* "file", "block device", "character device", "none" */
	uint64_t size_bytes;
	bool direct;	/* O_DIRECT is on */
	bool is_memory; /* tmpfs, /dev/zero, the null engine: no device is behind it */
	const char *file_system, *mount_point, *mount_options; /* NULL for devices */
	uint64_t free_bytes;				       /* of the file system */
	int device; /* index in run_facts.devices; -1: none known (network, memory) */
	/* Blocks looked at before the run, and how many of them were all zero (never written,
	 * trimmed, or a hole). 0 sampled: not looked. */
	unsigned blocks_sampled, blocks_zero;
	uint64_t hole_bytes; /* of a file's size, not allocated */
};

struct run_facts {
	struct host_facts host;
	struct target_facts *targets;
	unsigned ntargets;
	struct device_facts *devices; /* each once, however many targets lie on it */
	unsigned ndevices;
	/* What workers moved between the two readings of the counters: ramp included. */
	uint64_t asked_ios[NDIR], asked_bytes[NDIR];
	double steal_percent;	   /* of the CPUs' time over the run, taken by the hypervisor */
	double other_busy_percent; /* of one CPU, used by other processes over the run */
	int worker_numa_node;	   /* where all workers ran; -1: several, or not known */
	unsigned numa_distance; /* greatest, worker to device, as the kernel says; 10 local */
};
