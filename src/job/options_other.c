/*
 * Rows: logs; and what is not built in (yet): verification, replay, zoned devices, and the options
 * of engines that are not here. Each name of fio's is known, so that the answer is precise.
 */
#include "job/options_priv.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): rows of a table, not expressions */
#define NOT_ROW(name_, kind_, def_, help_, why_)                                               \
	{                                                                                      \
		name_, .kind = kind_, .def = def_, .deed = OPT_NOT, .help = help_, .why = why_ \
	}
#define HINT_ROW(name_, kind_, help_, why_)                                        \
	{                                                                          \
		name_, .kind = kind_, .deed = OPT_HINT, .help = help_, .why = why_ \
	}

/* clang-format off */
static const struct opt_word window_words[] = {
	{"avg", LOG_MEAN, "The mean."}, {"max", LOG_MAX, "The greatest."},
	{"both", LOG_BOTH, "The mean, and the greatest in a column of its own."},
	{"0", LOG_MEAN, NULL}, {"1", LOG_MAX, NULL}, {0},
};
static const struct opt_word format_words[] = {
	{"binary", LOG_FORM_BINARY, "Blocks with checksums, some five bytes a row: NAME.alog."},
	{"fio", LOG_FORM_FIO, "Text, line for line as fio writes it: NAME.log."}, {0},
};

static const struct opt log_rows[] = {
	{"write_bw_log", TEXT_MAYBE(write_bw_log),
	 .help = "Log the bandwidth; the prefix of the file's name, else the job's name."},
	{"write_iops_log", TEXT_MAYBE(write_iops_log), .help = "Log the IOPS."},
	{"write_lat_log", TEXT_MAYBE(write_lat_log), .help = "Log the latencies, one file for each kind."},
	{"write_hist_log", TEXT_MAYBE(write_hist_log),
	 .help = "Log histograms of the latency, one each log_hist_msec."},
	{"log_format", ENUM(log_format, format_words), .def = "binary", .flags = OPT_NATIVE,
	 .help = "How logs are written."},
	{"log_avg_msec", TIME(log_avg), .def = "0", .flags = OPT_IN_MS | OPT_FIO_INT,
	 .help = "Window of the logs; 0: a line a request."},
	{"log_hist_msec", TIME(log_hist), .def = "0", .flags = OPT_IN_MS | OPT_FIO_INT,
	 .help = "Window of the histogram log."},
	{"log_hist_coarseness", COUNT(log_hist_coarseness), .def = "0", .max = 6,
	 .help = "Merge 2^N bins of the histogram log."},
	{"log_window_value", .alias = "log_max_value", ENUM(log_value, window_words),
	 .def = "avg", .help = "What stands for a window."},
	{"log_offset", BOOL(log_offset), .def = "0", .help = "A column with the offset."},
	{"log_prio", BOOL(log_prio), .def = "0", .help = "The priority's class and level, in hexadecimal."},
	{"log_issue_time", BOOL(log_issue_time), .def = "0", .help = "A column with the time of issue (text logs)."},
	{"log_alternate_epoch", .alias = "log_unix_epoch", BOOL(log_epoch), .def = "0",
	 .help = "Times since the epoch."},
	{"log_alternate_epoch_clock_id", COUNT(log_epoch_clock), .def = "0", .max = 15,
	 .help = "The clock of that epoch."},
	{"per_job_logs", BOOL(per_job_logs), .def = "1",
	 .help = "A file for each worker, with its number in the name; 0: rows are added to one file."},
	{"log_entries", .kind = OPT_COUNT, .def = "1024", .min = 1024, .max = 1048576, .deed = OPT_HINT,
	 .help = "Lines that memory is reserved for.", .why = "logs are streamed"},
	{"log_compression", SIZE(log_compression), .def = "0", .max = 512 << 20,
	 .help = "With log_store_compressed: bytes of the log that are packed at once (4k to 16m; 0: 1m)."},
	HINT_ROW("log_compression_cpus", OPT_CPUS, "The CPUs that compress.", "logs are streamed"),
	{"log_store_compressed", BOOL(log_store_compressed), .def = "0",
	 .help = "Write fio's text logs packed, as NAME.log.fz (not histograms)."},
};
const struct opt_table opt_table_log = OPT_TABLE(N_("Logs"), log_rows);

static const struct opt_word policy_words[] = {{"completed", 0, NULL}, {"fsynced", 1, NULL}, {0}};
#define VERIFY_OFF "verify is off"
#define VERIFY_NOT "verification is not built in yet; take it out, or write verify=0"

static const struct opt verify[] = {
	{"verify", .kind = OPT_TEXT, .off = "0", .deed = OPT_NOT,
	 .help = "Check that what is read is what was written.", .why = VERIFY_NOT},
	HINT_ROW("do_verify", OPT_BOOL, "Read back after the writes.", VERIFY_OFF),
	NOT_ROW("verify_only", OPT_FLAG, NULL, "Check without writing.", VERIFY_NOT),
	NOT_ROW("verify_pattern", OPT_TEXT, NULL, "What is written and checked.",
		"verification is not built in yet; write buffer_pattern= to write a pattern"),
	HINT_ROW("verify_pattern_interval", OPT_SIZE, "Repeat the offset so often.", VERIFY_OFF),
	HINT_ROW("verify_interval", OPT_SIZE, "A header every so many bytes.", VERIFY_OFF),
	HINT_ROW("verify_offset", OPT_SIZE, "Where the header lies.", VERIFY_OFF),
	HINT_ROW("verify_fatal", OPT_BOOL, "Stop at the first difference.", VERIFY_OFF),
	HINT_ROW("verify_dump", OPT_BOOL, "Keep the bad blocks.", VERIFY_OFF),
	HINT_ROW("verify_async", OPT_COUNT, "Check in other threads.", VERIFY_OFF),
	HINT_ROW("verify_async_cpus", OPT_CPUS, "Their CPUs.", VERIFY_OFF),
	HINT_ROW("verify_backlog", OPT_COUNT64, "Check while writing.", VERIFY_OFF),
	HINT_ROW("verify_backlog_batch", OPT_COUNT, "So many at once.", VERIFY_OFF),
	HINT_ROW("verify_state_save", OPT_BOOL, "Keep where the writes stopped.", VERIFY_OFF),
	NOT_ROW("verify_state_load", OPT_BOOL, "0", "Go on from there.", VERIFY_NOT),
	{"verify_policy", .kind = OPT_ENUM, .words = policy_words, .def = "completed", .deed = OPT_HINT,
	 .help = "Which writes are checked.", .why = VERIFY_OFF},
	HINT_ROW("verify_write_sequence", OPT_BOOL, "Check the order.", VERIFY_OFF),
	HINT_ROW("verify_header_seed", OPT_BOOL, "Check the seed.", VERIFY_OFF),
	HINT_ROW("experimental_verify", OPT_BOOL, "Check by doing the writes again.", VERIFY_OFF),
	{"trim_percentage", .kind = OPT_COUNT, .def = "0", .max = 100, .flags = OPT_PERCENT,
	 .deed = OPT_NOT, .help = "Trim some of the written blocks.", .why = VERIFY_NOT},
	HINT_ROW("trim_verify_zero", OPT_BOOL, "Trimmed blocks must be zero.", VERIFY_OFF),
	HINT_ROW("trim_backlog", OPT_COUNT64, "Trim after so many writes.", "trim_percentage is 0"),
	HINT_ROW("trim_backlog_batch", OPT_COUNT, "So many at once.", "trim_percentage is 0"),
	HINT_ROW("verifysort", OPT_BOOL, "An old option.", "fio has dropped it as well"),
	HINT_ROW("verifysort_nr", OPT_COUNT, "An old option.", "fio has dropped it as well"),
};
const struct opt_table opt_table_verify = OPT_TABLE("Verification (not built in yet)", verify);

#define REPLAY_OFF "no trace is replayed"
#define REPLAY_NOT "traces are not read or written yet; describe the load with rw=, bs= and rate="

static const struct opt replay[] = {
	NOT_ROW("write_iolog", OPT_TEXT, NULL, "Write down every request.", REPLAY_NOT),
	NOT_ROW("read_iolog", OPT_TEXT, NULL, "Do what a trace says.", REPLAY_NOT),
	HINT_ROW("read_iolog_chunked", OPT_BOOL, "Read it piece by piece.", REPLAY_OFF),
	HINT_ROW("replay_no_stall", OPT_BOOL, "As fast as possible.", REPLAY_OFF),
	HINT_ROW("replay_redirect", OPT_TEXT, "All on one device.", REPLAY_OFF),
	HINT_ROW("replay_time_scale", OPT_COUNT, "Faster or slower, in percent.", REPLAY_OFF),
	HINT_ROW("replay_scale", OPT_COUNT, "Divide the offsets.", REPLAY_OFF),
	HINT_ROW("replay_align", OPT_SIZE, "Align the offsets.", REPLAY_OFF),
	HINT_ROW("replay_skip", OPT_TEXT, "Leave directions out.", REPLAY_OFF),
	NOT_ROW("merge_blktrace_file", OPT_TEXT, NULL, "Merge traces into this file.", REPLAY_NOT),
	HINT_ROW("merge_blktrace_scalars", OPT_TEXT, "Their time scales.", REPLAY_OFF),
	HINT_ROW("merge_blktrace_iters", OPT_TEXT, "How often each.", REPLAY_OFF),
};
const struct opt_table opt_table_replay = OPT_TABLE("Replay (not built in yet)", replay);

#define ZBD_OFF "zonemode=zbd is off"
#define FDP_NOT "data placement is not built in; take it out"

static const struct opt_word placement_words[] = {
	{"none", 0, NULL}, {"fdp", 1, NULL}, {"streams", 2, NULL}, {0},
};

static const struct opt zones[] = {
	HINT_ROW("zonecapacity", OPT_SIZE, "Usable bytes of a zone.", ZBD_OFF),
	HINT_ROW("read_beyond_wp", OPT_BOOL, "Read behind the write pointer.", ZBD_OFF),
	HINT_ROW("max_open_zones", OPT_COUNT, "Zones open at once.", ZBD_OFF),
	HINT_ROW("job_max_open_zones", OPT_COUNT, "The same for a job.", ZBD_OFF),
	HINT_ROW("ignore_zone_limits", OPT_BOOL, "Pass the device's limits.", ZBD_OFF),
	HINT_ROW("zone_reset_threshold", OPT_DOUBLE, "When zones are reset.", ZBD_OFF),
	HINT_ROW("zone_reset_frequency", OPT_DOUBLE, "How often zones are reset.", ZBD_OFF),
	HINT_ROW("recover_zbd_write_error", OPT_BOOL, "Go on after a failed write.", ZBD_OFF),
	HINT_ROW("write_zone_remainder", OPT_BOOL, "Fill a zone's end.", ZBD_OFF),
	NOT_ROW("fdp", OPT_BOOL, "0", "Flexible data placement.", FDP_NOT),
	{"dataplacement", .alias = "data_placement", .kind = OPT_ENUM, .words = placement_words,
	 .def = "none", .deed = OPT_NOT, .help = "Data placement.", .why = FDP_NOT},
	{"plid_select", .alias = "fdp_pli_select", .kind = OPT_TEXT, .deed = OPT_HINT,
	 .help = "Which placement is next.", .why = "data placement is off"},
	{"plids", .alias = "fdp_pli", .kind = OPT_TEXT, .deed = OPT_HINT,
	 .help = "The placements.", .why = "data placement is off"},
	HINT_ROW("dp_scheme", OPT_TEXT, "A file with the placements.", "data placement is off"),
};
const struct opt_table opt_table_zones = OPT_TABLE("Zoned devices and placement (not built in)", zones);

/* Options of engines and profiles that are not here; `why` is the owner's name. */
#define FOREIGN(name_, owner) \
	{name_, .kind = OPT_TEXT_MAYBE, .deed = OPT_FOREIGN, .help = "Of " owner ".", .why = owner}

static const struct opt foreign[] = {
	FOREIGN("cmd_type", "io_uring_cmd"), FOREIGN("cdb_len", "io_uring_cmd"),
	FOREIGN("write_mode", "io_uring_cmd"), FOREIGN("read_mode", "io_uring_cmd"),
	FOREIGN("verify_mode", "io_uring_cmd"), FOREIGN("verify_bytchk", "io_uring_cmd"),
	FOREIGN("md_per_io_size", "io_uring_cmd"), FOREIGN("pi_act", "io_uring_cmd"),
	FOREIGN("pi_chk", "io_uring_cmd"), FOREIGN("apptag", "io_uring_cmd"),
	FOREIGN("apptag_mask", "io_uring_cmd"), FOREIGN("deac", "io_uring_cmd"),
	FOREIGN("sg_write_mode", "sg"), FOREIGN("stream_id", "sg"),
	FOREIGN("cpuload", "cpuio"), FOREIGN("cpuchunks", "cpuio"), FOREIGN("cpumode", "cpuio"),
	FOREIGN("exit_on_io_done", "cpuio"),
	FOREIGN("program", "exec"), FOREIGN("arguments", "exec"), FOREIGN("grace_time", "exec"),
	FOREIGN("std_redirect", "exec"),
	FOREIGN("stat_type", "filestat"),
	FOREIGN("hostname", "net"), FOREIGN("port", "net"), FOREIGN("protocol", "net"),
	FOREIGN("nodelay", "net"), FOREIGN("listen", "net"), FOREIGN("pingpong", "net"),
	FOREIGN("interface", "net"), FOREIGN("ttl", "net"), FOREIGN("window_size", "net"),
	FOREIGN("mss", "net"),
	FOREIGN("bindname", "rdma"), FOREIGN("verb", "rdma"),
	FOREIGN("clustername", "rbd"), FOREIGN("clientname", "rbd"), FOREIGN("rbdname", "rbd"),
	FOREIGN("pool", "rbd"), FOREIGN("conf", "rados"), FOREIGN("busy_poll", "rbd"),
	FOREIGN("touch_objects", "rados"), FOREIGN("rbd_encryption_format", "rbd"),
	FOREIGN("rbd_encryption_passphrase", "rbd"),
	FOREIGN("http_host", "http"), FOREIGN("http_user", "http"), FOREIGN("http_pass", "http"),
	FOREIGN("https", "http"), FOREIGN("http_mode", "http"), FOREIGN("http_s3_region", "http"),
	FOREIGN("http_s3_key", "http"), FOREIGN("http_s3_keyid", "http"),
	FOREIGN("http_s3_security_token", "http"), FOREIGN("http_s3_sse_customer_key", "http"),
	FOREIGN("http_s3_sse_customer_algorithm", "http"), FOREIGN("http_s3_storage_class", "http"),
	FOREIGN("http_swift_auth_token", "http"), FOREIGN("http_verbose", "http"),
	FOREIGN("http_object_mode", "http"),
	FOREIGN("xnvme_async", "xnvme"), FOREIGN("xnvme_sync", "xnvme"), FOREIGN("xnvme_admin", "xnvme"),
	FOREIGN("xnvme_be", "xnvme"), FOREIGN("xnvme_mem", "xnvme"), FOREIGN("xnvme_dev_nsid", "xnvme"),
	FOREIGN("xnvme_dev_subnqn", "xnvme"), FOREIGN("xnvme_iovec", "xnvme"),
	FOREIGN("libblkio_driver", "libblkio"), FOREIGN("libblkio_path", "libblkio"),
	FOREIGN("libblkio_pre_connect_props", "libblkio"), FOREIGN("libblkio_num_entries", "libblkio"),
	FOREIGN("libblkio_queue_size", "libblkio"), FOREIGN("libblkio_pre_start_props", "libblkio"),
	FOREIGN("libblkio_vectored", "libblkio"), FOREIGN("libblkio_write_zeroes_on_trim", "libblkio"),
	FOREIGN("libblkio_wait_mode", "libblkio"),
	FOREIGN("libblkio_force_enable_completion_eventfd", "libblkio"),
	FOREIGN("uri", "nbd"), FOREIGN("nfs_url", "nfs"), FOREIGN("skip_bad", "mtd"),
	FOREIGN("donorname", "e4defrag"), FOREIGN("inplace", "e4defrag"),
	FOREIGN("volume", "gfapi"), FOREIGN("brick", "gfapi"), FOREIGN("single-instance", "gfapi"),
	FOREIGN("namenode", "libhdfs"), FOREIGN("hdfsdirectory", "libhdfs"),
	FOREIGN("chunk_size", "libhdfs"), FOREIGN("single_instance", "libhdfs"),
	FOREIGN("hdfs_use_direct", "libhdfs"), FOREIGN("cont", "dfs"), FOREIGN("object_class", "dfs"),
	FOREIGN("svcl", "dfs"), FOREIGN("initiator", "libiscsi"), FOREIGN("gpu_dev_ids", "libcufile"),
	FOREIGN("cuda_io", "libcufile"), FOREIGN("rocm_io", "libhipfile"),
	FOREIGN("no_completion_thread", "windowsaio"),
	FOREIGN("device-names", "profile act"), FOREIGN("load", "profile act"),
	FOREIGN("test-duration", "profile act"), FOREIGN("threads-per-queue", "profile act"),
	FOREIGN("read-req-num-512-blocks", "profile act"),
	FOREIGN("large-block-op-kbytes", "profile act"), FOREIGN("prep", "profile act"),
	FOREIGN("block", "profile tiobench"), FOREIGN("numruns", "profile tiobench"),
	FOREIGN("dir", "profile tiobench"), FOREIGN("threads", "profile tiobench"),
};
const struct opt_table opt_table_foreign = OPT_TABLE("Engines that are not built in", foreign);
/* NOLINTEND(bugprone-macro-parentheses) */
