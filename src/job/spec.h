/*
 * struct job_spec: one job as the user wishes it, validated; const once job_check() has passed.
 *
 * Every option is one row of the table in job/options.c and one field here; help, man page,
 * canonical text and JSON come from the row. Sizes are bytes, times nanoseconds, unless the
 * name says otherwise. Strings and lists live in the arena of the job set. A field that "0
 * means unset" says so.
 *
 * Formats and meanings follow fio's manual page (fio(1), section named by the option).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What a request does. The first three move data and have an address. */
enum op {
	OP_READ,
	OP_WRITE,
	OP_TRIM,
	OP_FSYNC,
	OP_FDATASYNC,
};

/* A direction of the statistics: the syncs share one. */
enum dir {
	DIR_READ,
	DIR_WRITE,
	DIR_TRIM,
	DIR_SYNC,
	NDIR,
};
#define NDATA 3 /* directions that move data: options with three values have one for each */

static inline enum dir op_dir(enum op op)
{
	return op < OP_FSYNC ? (enum dir)op : DIR_SYNC;
}

/* Bytes, or a share of the file or device ("50%"): percent_x100 is hundredths of a percent
 * and 0 when bytes count. `given` tells 0 from unset. */
struct amount {
	uint64_t bytes;
	uint32_t percent_x100;
	bool given;
};

struct range {
	uint64_t min, max;
};

/* A list of texts. */
struct text_list {
	const char **items;
	unsigned count;
};

#define SPLIT_MAX 64 /* entries of one direction's bssplit, as fio */
struct split_entry {
	uint64_t min_bytes, max_bytes; /* equal, unless a range stands for the size */
	uint32_t percent;	       /* the shares of a direction sum to 100 */
};
struct split {
	struct split_entry entry[SPLIT_MAX];
	unsigned count; /* 0: not split */
};

#define ZONES_MAX 256
/* Of spr_op: with less spare flash a drive hardly works, and none has more. */
#define SPR_OP_MIN 0.01
#define SPR_OP_MAX 4.0
enum dist_kind {
	DIST_RANDOM,
	DIST_ZIPF,
	DIST_PARETO,
	DIST_NORMAL,
	DIST_ZONED,
	DIST_ZONED_ABS,
};
struct dist_zone {
	uint32_t access_percent; /* share of the accesses */
	uint64_t span;		 /* ZONED: percent of the range; ZONED_ABS: bytes */
};
struct dist {
	enum dist_kind kind;
	double value;  /* zipf theta, pareto h, normal deviation in percent */
	double center; /* 0..1, or -1: fio's default (hot spots scattered by a hash) */
	struct dist_zone *zone[NDATA];
	unsigned nzones[NDATA];
};

/* rw= and its :N. */
struct rw {
	bool does[NDATA];     /* which directions occur */
	bool random;	      /* randread and kin */
	bool trim_then_write; /* trimwrite: each block is trimmed, then written */
	uint64_t
		every; /* ":N": random: a new offset every N; sequential: skip N bytes; 0 none */
	int64_t skip_bytes; /* the sequential reading of :N, may be negative */
	const char *text;   /* canonical name: "randrw" */
};

enum rw_sequencer { RW_SEQUENCER_SEQUENTIAL, RW_SEQUENCER_IDENTICAL };

enum file_service {
	FILE_SERVICE_ROUNDROBIN,
	FILE_SERVICE_SEQUENTIAL,
	FILE_SERVICE_RANDOM,
	FILE_SERVICE_ZIPF,
	FILE_SERVICE_PARETO,
	FILE_SERVICE_NORMAL
};
struct file_service_rule {
	enum file_service kind;
	double value;	/* of a distribution */
	uint32_t every; /* a new file after this many requests; at least 1 */
};

/* buffer_pattern: bytes repeated over the buffer. */
struct pattern {
	uint8_t *bytes;
	uint32_t count; /* 0: none */
};

enum sync_mode { SYNC_NONE, SYNC_SYNC, SYNC_DSYNC };
enum rate_process { RATE_LINEAR, RATE_POISSON };
enum random_generator { GENERATOR_TAUSWORTHE, GENERATOR_LFSR, GENERATOR_TAUSWORTHE64 };
enum fallocate_mode {
	FALLOCATE_NATIVE,
	FALLOCATE_NONE,
	FALLOCATE_POSIX,
	FALLOCATE_KEEP,
	FALLOCATE_TRUNCATE
};
enum mem_kind { MEM_MALLOC, MEM_SHM, MEM_SHMHUGE, MEM_MMAP, MEM_MMAPHUGE, MEM_MMAPSHARED };
enum cpus_policy { CPUS_SHARED, CPUS_SPLIT };
enum numa_policy {
	NUMA_UNSET,
	NUMA_DEFAULT,
	NUMA_LOCAL,
	NUMA_PREFER,
	NUMA_BIND,
	NUMA_INTERLEAVE
};
enum thinktime_blocks_type { THINK_COMPLETE, THINK_ISSUE };
enum unified { UNIFIED_NONE, UNIFIED_MIXED, UNIFIED_BOTH };
enum exit_what { EXIT_GROUP, EXIT_STONEWALL, EXIT_ALL };
/* log_window_value: what stands for a window. */
enum log_value { LOG_MEAN, LOG_MAX, LOG_BOTH };
enum log_form { LOG_FORM_BINARY, LOG_FORM_FIO };
enum zonemode { ZONEMODE_NONE, ZONEMODE_STRIDED };
enum steady_metric {
	STEADY_IOPS,
	STEADY_IOPS_SLOPE,
	STEADY_BW,
	STEADY_BW_SLOPE,
	STEADY_LAT,
	STEADY_LAT_SLOPE
};
/* continue_on_error, as bits: which kinds of errors do not stop the job. */
enum continue_on {
	CONTINUE_NONE = 0,
	CONTINUE_READ = 1,
	CONTINUE_WRITE = 2,
	CONTINUE_VERIFY = 4,
	CONTINUE_IO = 3,
	CONTINUE_ALL = 7
};

/* steadystate=METRIC:LIMIT[%], as fio (man page, "Measurements and reporting"). */
struct steady_spec {
	bool given;
	enum steady_metric metric;
	double limit;
	bool limit_is_percent;
};

#define CPUS_MAX 1024
struct cpu_list { /* a set of CPU numbers; empty is "unset" */
	uint64_t bit[CPUS_MAX / 64];
	unsigned count;
};

struct errno_list {
	int *codes; /* positive errnos */
	unsigned count;
};

#define PERCENTILES_MAX 20

/* One key and value as the user gave it, canonical key, in order: echoed as "job options". */
struct given {
	const char *key, *value; /* value "" for a bare flag */
	const char *where;	 /* "file.job:12" or "command line", for messages */
};

struct job_spec {
	/* --- identity --- */
	const char *name, *description;
	unsigned number;     /* place among the jobs of the set, from 0; clones share it */
	const char *section; /* fio face: the job file's name for it, whatever name= says */
	const char *where;   /* "file.job:12" or "command line", for messages */
	struct given *given; /* of this job alone */
	unsigned ngiven;
	struct given
		*global; /* in effect for it: the command line's, then its file's [global] */
	unsigned nglobal;

	/* --- target files and devices --- */
	struct text_list filename, directory;
	const char *filename_format;
	uint32_t nrfiles, openfiles;
	struct file_service_rule file_service_type;
	struct range filesize; /* max 0: from size */
	enum fallocate_mode fallocate;
	bool create_only, create_on_open, allow_file_create, overwrite, fill_device, unlink;
	bool unlink_each_loop, invalidate, pre_read, allow_mounted_write;
	bool create_serialize;
	uint32_t fadvise_hint; /* 0 none, 1 by rw, else POSIX_FADV_* + 1 */

	/* --- what to do --- */
	struct rw rw;
	enum rw_sequencer rw_sequencer;
	uint32_t rwmixread; /* percent; set by either option, last wins */
	uint32_t rwmixwrite;
	struct range bs[NDATA]; /* bs: min == max */
	bool bs_is_range;	/* a real range, or a split with several sizes */
	struct split bssplit[NDATA];
	bool bs_unaligned;
	uint64_t ba[NDATA]; /* alignment of random offsets; 0: bs */
	struct amount size, io_size, offset, offset_increment;
	uint64_t number_ios;
	bool direct, atomic;
	enum sync_mode sync;
	uint32_t fsync, fdatasync; /* after every N writes; 0 never */
	bool end_fsync, fsync_on_close;
	uint32_t loops;
	enum zonemode zonemode;
	uint64_t zonesize, zonerange, zoneskip;

	/* --- randomness --- */
	bool randrepeat;
	bool randseed_given;
	uint64_t randseed;
	bool norandommap;
	enum random_generator random_generator;
	struct dist random_distribution;
	uint32_t percentage_random[NDATA];
	bool sprandom;
	double spr_op; /* (flash - user) / user */

	/* --- buffers --- */
	bool zero_buffers, refill_buffers, scramble_buffers;
	struct pattern buffer_pattern;
	uint32_t buffer_compress_percentage, buffer_compress_chunk;
	uint32_t dedupe_percentage;
	enum mem_kind mem;
	const char *mem_path;
	uint32_t iomem_align;

	/* --- engine --- */
	const char *ioengine;		 /* canonical name: "psync" */
	uint32_t iodepth, iodepth_batch; /* batch 0: not given (our default: depth/8) */
	uint32_t iodepth_batch_complete_min, iodepth_batch_complete_max, iodepth_low;
	bool iodepth_batch_given, batch_complete_min_given, batch_complete_max_given;
	bool fixedbufs, registerfiles, registerfiles_given, hipri, sqthread_poll;
	bool nonvectored, nonvectored_given; /* not given: plain reads and writes */
	uint32_t force_async;		     /* every N-th request; 0 never */
	int32_t sqthread_poll_cpu;	     /* -1 unset */

	/* --- time and rate --- */
	uint64_t runtime, ramp_time;
	bool time_based;
	struct range startdelay;
	uint64_t thinktime, thinktime_spin, thinktime_iotime;
	uint32_t thinktime_blocks;
	enum thinktime_blocks_type thinktime_blocks_type;
	uint64_t rate[NDATA], rate_min[NDATA]; /* bytes per second; 0 none */
	uint32_t rate_iops[NDATA], rate_iops_min[NDATA];
	enum rate_process rate_process;
	bool rate_ignore_thinktime;
	uint64_t rate_cycle; /* window of the minima */
	uint64_t max_latency[NDATA];
	struct steady_spec steadystate;
	uint64_t steadystate_duration, steadystate_ramp_time, steadystate_check_interval;

	/* --- workers and order --- */
	uint32_t numjobs;
	bool thread, thread_given;
	bool group_reporting, new_group, stonewall;
	const char *wait_for;
	bool exitall, exitall_on_error;
	enum exit_what exit_what;
	struct cpu_list cpus_allowed, numa_cpu_nodes;
	enum cpus_policy cpus_allowed_policy;
	enum numa_policy numa_mem_policy;
	struct cpu_list numa_mem_nodes;
	int32_t nice;
	bool nice_given, prio_given;
	uint32_t prio, prioclass;
	int32_t flow, flow_id;
	uint64_t flow_sleep;

	/* --- measurement --- */
	double percentile_list[PERCENTILES_MAX];
	unsigned npercentiles;
	bool clat_percentiles, lat_percentiles, slat_percentiles;
	bool disable_lat, disable_clat, disable_slat, disable_bw;
	bool gtod_reduce, disk_util, stats;
	enum unified unified_rw_reporting;
	uint32_t kb_base, unit_base;
	uint64_t bwavgtime, iopsavgtime; /* sampling windows of bw_* and iops_*; 500 ms */
	uint32_t significant_figures;

	/* --- logs: the prefix of their names; "" is the job's name, NULL: no such log --- */
	const char *write_bw_log, *write_iops_log, *write_lat_log, *write_hist_log;
	uint64_t log_avg, log_hist; /* windows; 0: a row per request, and no histograms */
	uint32_t log_hist_coarseness;
	enum log_value log_value;
	enum log_form log_format; /* native face; fio's is its own */
	bool log_offset, log_prio, log_issue_time, log_epoch, per_job_logs;
	bool log_store_compressed;
	uint64_t
		log_compression; /* bytes of samples that are packed at once; 0: as it is best */
	uint32_t log_epoch_clock; /* clockid_t */

	/* --- errors --- */
	uint32_t continue_on_error; /* enum continue_on bits */
	struct errno_list ignore_error[NDATA];
	bool error_dump;

	/* --- native face only --- */
	bool refuse_repeat; /* write data differ from request to request (native default) */
	bool sched_batch;   /* SCHED_BATCH for the worker */

	/* --- derived by job_check --- */
	unsigned group;		  /* reporting group: the groupid of fio's JSON */
	unsigned stonewall_group; /* jobs of one wave start together */
	bool group_start;	  /* the first job of its reporting group */
};
