/* The keys of a profile: one row each. */
#include "sim/profile_priv.h"

#include "base/bits.h"

static const char *const kind_words[] = {"ssd", "hdd", "cloud", NULL};
static const char *const gc_words[] = {"greedy", "fifo", "choices", NULL};

#define FIELD(f) offsetof(struct profile, f)
#define HOUR	 (3600 * NS_PER_S)

/* clang-format off */
const struct profile_key profile_keys[] = {
	{ "kind", KEY_WORD, KIND_ALL, FIELD(kind), "ssd", 0, 2, "ssd, hdd or cloud", kind_words },
	{ "size", KEY_SIZE, KIND_ALL, FIELD(size_bytes), "1g", MiB, 1024 * TiB, "bytes that the host sees", NULL },
	{ "seed", KEY_COUNT, KIND_ALL, FIELD(seed), "1", 0, UINT64_MAX, "of every random draw", NULL },
	{ "scale", KEY_COUNT, KIND_ALL, FIELD(scale), "1", 1, 1000000, "divides every capacity, keeps every rate", NULL },
	{ "command_time", KEY_TIME, KIND_ALL, FIELD(command_ns), "0", 0, NS_PER_S, "controller time of a request, one after the other", NULL },
	{ "read_latency", KEY_TIME, KIND_ALL, FIELD(read_ns), "0", 0, NS_PER_S, "fixed part of a read", NULL },
	{ "write_latency", KEY_TIME, KIND_ALL, FIELD(write_ns), "0", 0, NS_PER_S, "fixed part of a write", NULL },
	{ "flush_latency", KEY_TIME, KIND_ALL, FIELD(flush_ns), "0", 0, NS_PER_S, "fixed part of a flush", NULL },
	{ "trim_latency", KEY_TIME, KIND_ALL, FIELD(trim_ns), "0", 0, NS_PER_S, "of a trim", NULL },
	{ "variation", KEY_PART, KIND_ALL, FIELD(variation_ppm), "0%", 0, PROFILE_PPM / 2, "standard deviation of flash times (cloud: of the latency)", NULL },
	{ "link_rate", KEY_RATE, KIND_ALL, FIELD(link_bytes_s), "0", 0, TiB, "bytes a second of the host link, 0 is no limit", NULL },
	{ "uncorrectable", KEY_COUNT, KIND_ALL, FIELD(uncorrectable_ppb), "0", 0, 1000000000, "failing 4 KiB reads of 10^9", NULL },
	{ "stall_every", KEY_TIME, KIND_ALL, FIELD(stall_every_ns), "0", 0, 1000 * HOUR, "each so often the controller stops, first so long after the first request; 0: never", NULL },
	{ "stall", KEY_TIME, KIND_ALL, FIELD(stall_ns), "100ms", 1, HOUR, "and takes up no request for so long", NULL },
	{ "versions", KEY_FLAG, KIND_SSD, FIELD(versions), "0", 0, 1, "remember which write each page holds", NULL },

	{ "op", KEY_PART, KIND_SSD, FIELD(op_ppm), "7%", 1, 100ULL * PROFILE_PPM, "over-provisioning, (T - U) / U", NULL },
	{ "channels", KEY_COUNT, KIND_SSD, FIELD(channels), "8", 1, 256, "flash channels", NULL },
	{ "dies", KEY_COUNT, KIND_SSD, FIELD(dies), "4", 1, 256, "dies a channel", NULL },
	{ "planes", KEY_COUNT, KIND_SSD, FIELD(planes), "2", 1, 16, "planes a die, programmed together", NULL },
	{ "blocks", KEY_COUNT, KIND_SSD, FIELD(blocks), "0", 0, UINT32_MAX, "blocks a plane; 0: as many as size and op need", NULL },
	{ "block_pages", KEY_COUNT, KIND_SSD, FIELD(block_pages), "256", 1, 65536, "pages a block", NULL },
	{ "page_size", KEY_SIZE, KIND_SSD, FIELD(page_bytes), "16k", 4096, MiB, "bytes of a flash page", NULL },
	{ "unit_dies", KEY_COUNT, KIND_SSD, FIELD(unit_dies), "0", 0, 65536, "dies whose blocks are collected together; 0: all", NULL },
	{ "gc", KEY_WORD, KIND_SSD, FIELD(gc), "greedy", 0, 2, "greedy, fifo or choices", gc_words },
	{ "gc_choices", KEY_COUNT, KIND_SSD, FIELD(gc_choices), "8", 1, 1000000, "blocks drawn with gc=choices", NULL },
	{ "gc_stream", KEY_FLAG, KIND_SSD, FIELD(gc_stream), "0", 0, 1, "moved pages go to blocks of their own", NULL },
	{ "gc_burst", KEY_FLAG, KIND_SSD, FIELD(gc_burst), "0", 0, 1, "collect in one go, not spread over the writes", NULL },
	{ "gc_idle", KEY_TIME, KIND_SSD, FIELD(gc_idle_ns), "0", 0, HOUR, "idle time before background collection; 0: none", NULL },
	{ "gc_idle_free", KEY_PART, KIND_SSD, FIELD(gc_idle_ppm), "5%", 0, PROFILE_PPM, "blocks that it wants free", NULL },
	{ "wear_delta", KEY_COUNT, KIND_SSD, FIELD(wear_delta), "100", 0, 1000000, "erases that a block may lag; 0: no static levelling", NULL },
	{ "rated_cycles", KEY_COUNT, KIND_SSD, FIELD(rated_cycles), "3000", 1, 10000000, "erases at which a block is worn out", NULL },
	{ "flash_read", KEY_TIME, KIND_SSD, FIELD(flash_read_ns), "60us", 1, NS_PER_S, "page to register", NULL },
	{ "flash_program", KEY_TIME, KIND_SSD, FIELD(flash_program_ns), "700us", 1, NS_PER_S, "of a page on all planes of a die", NULL },
	{ "flash_erase", KEY_TIME, KIND_SSD, FIELD(flash_erase_ns), "3500us", 1, NS_PER_S, "of a block on all planes of a die", NULL },
	{ "suspend", KEY_TIME, KIND_SSD, FIELD(suspend_ns), "0", 0, NS_PER_S, "a read interrupts a program after this; 0: it waits", NULL },
	{ "channel_rate", KEY_RATE, KIND_SSD, FIELD(channel_bytes_s), "400m", 0, TiB, "bytes a second of a channel", NULL },
	{ "stream_rate", KEY_RATE, KIND_SSD, FIELD(stream_bytes_s), "0", 0, TiB, "bytes a second at which one write is taken in", NULL },
	{ "cache", KEY_SIZE, KIND_SSD, FIELD(cache_bytes), "16m", 0, TiB, "write cache", NULL },
	{ "cache_volatile", KEY_FLAG, KIND_SSD, FIELD(cache_volatile), "1", 0, 1, "lost in a power cut", NULL },
	{ "slc_min", KEY_SIZE, KIND_SSD, FIELD(slc_min_bytes), "0", 0, 1024 * TiB, "SLC cache of a full drive", NULL },
	{ "slc_max", KEY_SIZE, KIND_SSD, FIELD(slc_max_bytes), "0", 0, 1024 * TiB, "SLC cache of an empty drive", NULL },
	{ "slc_program", KEY_TIME, KIND_SSD, FIELD(slc_program_ns), "200us", 1, NS_PER_S, "of a page in the SLC cache", NULL },
	{ "slc_idle", KEY_TIME, KIND_SSD, FIELD(slc_idle_ns), "1s", 0, HOUR, "idle time before folding", NULL },
	{ "fold", KEY_SIZE, KIND_SSD, FIELD(fold_bytes), "0", 0, TiB, "folded at a stroke when the SLC cache is full; 0: write past it", NULL },
	{ "turn", KEY_TIME, KIND_SSD, FIELD(turn_ns), "0", 0, NS_PER_S, "that all dies lose when reads and writes take turns", NULL },
	{ "ambient", KEY_COUNT, KIND_SSD, FIELD(ambient_mc), "35000", 0, 100000, "temperature at rest, thousandths of a degree C", NULL },
	{ "heat", KEY_COUNT, KIND_SSD, FIELD(heat_mc), "0", 0, 100000, "thousandths of a degree that each MB/s adds in the end", NULL },
	{ "cooling", KEY_TIME, KIND_SSD, FIELD(cooling_ns), "60s", NS_PER_S, HOUR, "time constant of warming and cooling", NULL },
	{ "throttle_at", KEY_COUNT, KIND_SSD, FIELD(throttle_mc), "0", 0, 200000, "thousandths of a degree; 0: never", NULL },
	{ "throttle_to", KEY_PART, KIND_SSD, FIELD(throttle_ppm), "50%", 10000, PROFILE_PPM, "of the link's rate when hot", NULL },

	{ "members", KEY_COUNT, KIND_HDD, FIELD(members), "1", 1, 64, "disks, striped (RAID 0)", NULL },
	{ "stripe", KEY_SIZE, KIND_HDD, FIELD(stripe_bytes), "64k", 4096, GiB, "of the RAID", NULL },
	{ "rpm", KEY_COUNT, KIND_HDD, FIELD(rpm), "7200", 1000, 30000, "turns a minute", NULL },
	{ "outer_rate", KEY_RATE, KIND_HDD, FIELD(outer_bytes_s), "150m", MiB, TiB, "bytes a second at the first track", NULL },
	{ "inner_rate", KEY_RATE, KIND_HDD, FIELD(inner_bytes_s), "75m", MiB, TiB, "bytes a second at the last track", NULL },
	{ "seek_track", KEY_TIME, KIND_HDD, FIELD(seek_track_ns), "1ms", 1, NS_PER_S, "to the next track", NULL },
	{ "seek_average", KEY_TIME, KIND_HDD, FIELD(seek_average_ns), "8500us", 1, NS_PER_S, "over a third of the disk", NULL },
	{ "seek_full", KEY_TIME, KIND_HDD, FIELD(seek_full_ns), "18ms", 1, NS_PER_S, "over the whole disk", NULL },
	{ "settle_write", KEY_TIME, KIND_HDD, FIELD(settle_write_ns), "500us", 0, NS_PER_S, "a write's seek takes longer by this", NULL },
	{ "queue", KEY_COUNT, KIND_HDD, FIELD(queue), "32", 1, 1024, "requests that a disk reorders", NULL },
	{ "write_queue", KEY_COUNT, KIND_HDD, FIELD(write_queue), "0", 0, 65536, "writes that its cache holds and reorders; 0: no write cache", NULL },
	{ "read_ahead", KEY_SIZE, KIND_HDD, FIELD(read_ahead_bytes), "0", 0, GiB, "read on after a read", NULL },

	{ "iops_base", KEY_COUNT, KIND_CLOUD, FIELD(iops_base), "0", 0, 100000000, "operations a second, and", NULL },
	{ "iops_per_gib", KEY_COUNT, KIND_CLOUD, FIELD(iops_per_gib), "0", 0, 1000000, "more for each GiB, but", NULL },
	{ "iops_max", KEY_COUNT, KIND_CLOUD, FIELD(iops_max), "0", 0, 100000000, "no more than these (0: no bound)", NULL },
	{ "iops_burst", KEY_COUNT, KIND_CLOUD, FIELD(iops_burst), "0", 0, 100000000, "operations a second while credits last", NULL },
	{ "iops_credits", KEY_COUNT, KIND_CLOUD, FIELD(iops_credits), "0", 0, 1000000000000, "operations beyond the base rate, refilled by it", NULL },
	{ "bytes_base", KEY_RATE, KIND_CLOUD, FIELD(bytes_base), "0", 0, TiB, "bytes a second, and", NULL },
	{ "bytes_per_gib", KEY_RATE, KIND_CLOUD, FIELD(bytes_per_gib), "0", 0, TiB, "more for each GiB, but", NULL },
	{ "bytes_max", KEY_RATE, KIND_CLOUD, FIELD(bytes_max), "0", 0, TiB, "no more than these (0: no bound)", NULL },
	{ "bytes_burst", KEY_RATE, KIND_CLOUD, FIELD(bytes_burst), "0", 0, TiB, "bytes a second while credits last", NULL },
	{ "bytes_credits", KEY_SIZE, KIND_CLOUD, FIELD(bytes_credits), "0", 0, 1024 * TiB, "bytes beyond the base rate, refilled by it", NULL },
	{ "jitter", KEY_TIME, KIND_CLOUD, FIELD(jitter_ns), "0", 0, NS_PER_S, "mean of an exponential part of the latency", NULL },
	{ NULL, KEY_COUNT, 0, 0, NULL, 0, 0, NULL, NULL },
};
/* clang-format on */
