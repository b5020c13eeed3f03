/*
 * What was measured, and on what: host, targets, the devices under them, and what else went
 * on meanwhile. run/ fills it (before the first request and after the last), the notes and
 * the reports read it. Identities are device/'s own structs by value; unknown stays unknown,
 * as they say it. Texts and arrays live in the result's arena.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "device/counters.h"
#include "device/device.h"
#include "device/environment.h"
#include "device/filesystem.h"
#include "device/health.h"
#include "device/host.h"
#include "job/spec.h"

/* One device at the bottom of what the targets stand on (a leaf of device/stack.h). */
struct device_facts {
	struct device device;
	bool has_counters;
	struct device_counters before,
		after;		     /* around all workers, ramp included, layout not */
	struct device_counters idle; /* counters_watch just before the run; at_ns 0: not done */
};

/* What a drive's own log said around the run, or around a step of a plan. */
struct health_facts {
	const char *device;	     /* "nvme0n1"; of a simulated drive its target's path */
	struct health before, after; /* at_unix_ns 0: it was not asked then */
};

/* Of a simulated drive, as its SMART log would say at the end of the run. */
struct simulated_facts {
	uint64_t scale; /* of its profile's capacity only one part in so many was simulated */
	uint64_t host_read_bytes, host_written_bytes, nand_written_bytes;
	uint64_t erases, most_erases; /* of all blocks; of the most worn one */
	uint64_t used_ppm;	      /* of the rated erases */
	uint64_t media_errors, throttled_ns;
	int64_t temperature_mc;	      /* thousandths of a degree C; 0: the model has none */
	uint64_t unmapped_read_bytes; /* of this run: the map answered them, not the flash */
};

struct target_facts {
	const char *path;
	const char *kind; /* "file", "block device", "character device", "none" */
	uint64_t size_bytes;
	bool direct;	/* O_DIRECT is on */
	bool is_memory; /* tmpfs, /dev/zero, the null engine: no device is behind it */
	const struct filesystem *fs; /* of a file, before the run; NULL for devices */
	const char *via; /* layers between it and the devices: "loop0, /var/x.img"; NULL none */
	int device; /* first index in run_facts.devices; -1: none known (network, memory) */
	/* Blocks looked at before the run, and how many of them were all zero (never written,
	 * trimmed, or a hole). 0 sampled: not looked. */
	unsigned blocks_sampled, blocks_zero;
	unsigned long other_run_pid; /* it used the device at the same time; 0: none seen */
	uint64_t hole_bytes;	     /* of a file's size, not allocated */
	const struct simulated_facts *simulated; /* NULL: a real target, or the run failed */
};

/* CPU time of this process, its threads (the kernel's io-wq workers among them) and its worker
 * processes. */
struct cpu_use {
	uint64_t user_ns, sys_ns;
};

struct run_facts {
	bool has_host;
	struct host host;
	struct environment environment; /* empty: simulated, or the fio face */
	const char *clock;		/* what stamps are taken from: "tsc", "clock_gettime" */
	struct target_facts *targets;
	unsigned ntargets;
	struct device_facts *devices; /* each once, however many targets lie on it */
	unsigned ndevices;
	struct health_facts *health; /* of each drive that has a log of its own, once */
	unsigned nhealth;
	/* Where every target is a block device: what went through these, by whoever. */
	bool has_through;
	uint64_t through_bytes[NDIR];
	/* What workers moved between the two readings of the counters: ramp included. */
	uint64_t asked_ios[NDIR], asked_bytes[NDIR];
	struct cpu_use used; /* from the first start to the last end: ramp and drain included */
	struct host_cpu cpu; /* all CPUs over the run (a difference); total_ns 0: not read */
	int worker_numa_node;	/* where all workers ran; -1: several, or not known */
	unsigned numa_distance; /* the greatest from worker to device; 10 local, 0 unknown */
};

/* The environment around several runs: as it was before the first and after the last. Its array is
 * in the arena, its texts are theirs. */
void facts_environment_join(struct arena *arena, const struct environment *first,
			    const struct environment *last, struct environment *ret_joined);
