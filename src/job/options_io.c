/* Rows: what is read and written: directions, sizes, places, randomness, and the data. */
#include "job/options_priv.h"

/* The two options of the mix speak of one share. */
static void mix_by_read(struct job_spec *spec)
{
	spec->rwmixwrite = 100 - spec->rwmixread;
}

static void mix_by_write(struct job_spec *spec)
{
	spec->rwmixread = 100 - spec->rwmixwrite;
}

/* clang-format off */
static const struct opt_word rw_words[] = {
	{"read", 0, "reads, one block after the other"},
	{"write", 0, "writes, one block after the other"},
	{"trim", 0, "trims, one block after the other"},
	{"randread", 0, "reads in random order"},
	{"randwrite", 0, "writes in random order"},
	{"randtrim", 0, "trims in random order"},
	{"rw", 0, "reads and writes mixed"},
	{"readwrite", 0, "the same as rw"},
	{"randrw", 0, "reads and writes mixed, in random order"},
	{"trimwrite", 0, "each block is trimmed, then written"},
	{"randtrimwrite", 0, "the same in random order"}, {0},
};
static const struct opt_word sequencer_words[] = {
	{"sequential", RW_SEQUENCER_SEQUENTIAL, "the next N requests go on from there"},
	{"identical", RW_SEQUENCER_IDENTICAL, "the next N requests go to the same place"},
	{0},
};
static const struct opt_word sync_words[] = {
	{"none", SYNC_NONE, "writes are done when they are accepted"},
	{"0", SYNC_NONE, "none"},
	{"sync", SYNC_SYNC, "O_SYNC: data and metadata are on the medium"},
	{"1", SYNC_SYNC, "sync"},
	{"dsync", SYNC_DSYNC, "O_DSYNC: data and what is needed to read it"},
	{0},
};
static const struct opt_word zonemode_words[] = {
	{"none", ZONEMODE_NONE, "no zones"},
	{"strided", ZONEMODE_STRIDED, "zonesize bytes of every zonerange, then zoneskip"},
	{0},
};

static const struct opt io[] = {
	{"rw", .alias = "readwrite", .kind = OPT_RW, .field = FIELD(rw, struct rw *), .def = "read",
	 .words = rw_words,
	 .help = "What the job does; \":N\" draws a random place for every N requests, or skips N "
		 "bytes after each sequential one."},
	{"rw_sequencer", ENUM(rw_sequencer, sequencer_words), .def = "sequential",
	 .help = "What rw=...:N does between two random places."},
	{"rwmixread", COUNT(rwmixread), .def = "50", .max = 100, .flags = OPT_PERCENT,
	 .after = mix_by_read, .help = "Percent of a mix that are reads."},
	{"rwmixwrite", COUNT(rwmixwrite), .def = "50", .max = 100, .flags = OPT_PERCENT,
	 .after = mix_by_write, .help = "Percent of a mix that are writes; the last given wins."},
	{"bs", .alias = "blocksize", BS(bs), .def = "4k", .min = 1, .max = GiB,
	 .help = "Bytes of one request."},
	{"bsrange", .alias = "blocksize_range", RANGE3(bs), .min = 1, .max = GiB,
	 .help = "Sizes are drawn between two, in multiples of the smaller one."},
	{"bssplit", .kind = OPT_SPLIT, .field = FIELD(bssplit, struct split (*)[NDATA]), .max = GiB,
	 .help = "Several sizes, each with its percentage of the requests."},
	{"bs_unaligned", .alias = "blocksize_unaligned", FLAG(bs_unaligned),
	 .help = "Draw any size of bsrange, not multiples of the smaller one."},
	{"bs_is_seq_rand", .kind = OPT_BOOL, .def = "0", .deed = OPT_NOT,
	 .help = "The sizes are for sequential and random, not for read and write.",
	 .why = "sizes are set by direction; use one job for each kind of access"},
	{"ba", .alias = "blockalign", SIZE3(ba), .min = 1, .max = GiB,
	 .help = "Random places are multiples of this; of bs unless given."},
	{"size", AMOUNT(size), .min = 1,
	 .help = "How far the job reaches in each file or device, and how much it does."},
	{"io_size", .alias = "io_limit", AMOUNT(io_size),
	 .help = "How much the job does, where it is not size."},
	{"offset", .alias = "fileoffset", AMOUNT(offset),
	 .help = "Where the region begins."},
	{"offset_align", .kind = OPT_SIZE, .def = "0", .deed = OPT_NOT,
	 .help = "Round an offset given in percent.",
	 .why = "offsets in percent are rounded to bs; write the offset in bytes"},
	{"offset_increment", AMOUNT(offset_increment),
	 .help = "Clone N begins N times this later."},
	{"number_ios", COUNT64(number_ios), .def = "0",
	 .help = "End after this many requests; 0: no limit."},
	{"loops", COUNT(loops), .def = "1", .min = 1,
	 .help = "How often the job's work is repeated."},
	{"direct", BOOL(direct), .def = "0",
	 .help = "Pass the page cache (O_DIRECT)."},
	{"buffered", .kind = OPT_BOOL_INVERSE, .field = FIELD(direct, bool *),
	 .help = "The opposite of direct."},
	{"atomic", BOOL(atomic), .def = "0", .deed = OPT_NOT,
	 .help = "Writes that are never torn (RWF_ATOMIC).",
	 .why = "untorn writes are not built in; take it out, or use direct=1"},
	{"sync", ENUM(sync, sync_words), .def = "none",
	 .help = "When a write is done."},
	{"fsync", COUNT(fsync), .def = "0",
	 .help = "Sync a file after every N writes; 0: never."},
	{"fdatasync", COUNT(fdatasync), .def = "0",
	 .help = "The same, without the metadata that reading does not need."},
	{"end_fsync", BOOL(end_fsync), .def = "0",
	 .help = "Sync the files when the job ends; the time counts."},
	{"fsync_on_close", BOOL(fsync_on_close), .def = "0",
	 .help = "Sync a file when it is closed."},
	{"write_barrier", .kind = OPT_COUNT, .def = "0", .deed = OPT_NOT,
	 .help = "Make every Nth write a barrier.",
	 .why = "Linux has no barriers since 2.6.37; use fsync= or fdatasync="},
	{"sync_file_range", .kind = OPT_TEXT, .deed = OPT_NOT,
	 .help = "Call sync_file_range(2) after writes.",
	 .why = "it gives no promise that data is kept; use fdatasync="},
	{"zonemode", ENUM(zonemode, zonemode_words), .def = "none",
	 .help = "Work in zones of the file (zbd is not built in)."},
	{"zonesize", SIZE(zonesize), .def = "0", .help = "Bytes done in a zone before the next one."},
	{"zonerange", SIZE(zonerange), .def = "0", .help = "Bytes that a zone spans."},
	{"zoneskip", SIZE(zoneskip), .def = "0", .help = "Bytes skipped between two zones."},
	{"num_range", .kind = OPT_COUNT, .def = "1", .deed = OPT_NOT,
	 .help = "Ranges of one trim.", .why = "a trim has one range here; use a larger bs"},
};
const struct opt_table opt_table_io = OPT_TABLE(N_("Work"), io);

static const struct opt_word generator_words[] = {
	{"tausworthe", GENERATOR_TAUSWORTHE, NULL}, {"lfsr", GENERATOR_LFSR, NULL},
	{"tausworthe64", GENERATOR_TAUSWORTHE64, NULL}, {0},
};

static const struct opt random_rows[] = {
	{"norandommap", FLAG(norandommap),
	 .help = "Draw each place anew, so that some blocks come twice and some never."},
	{"randrepeat", BOOL(randrepeat), .def = "1", .native_def = "0",
	 .help = "Use the same random numbers in every run."},
	{"allrandrepeat", .kind = OPT_BOOL, .def = "0", .deed = OPT_HINT,
	 .help = "The same for all random numbers of the job.",
	 .why = "randrepeat and randseed rule all random numbers"},
	{"randseed", COUNT64(randseed), .def = "137", GIVEN(randseed_given),
	 .help = "Where the random numbers start; the report states it."},
	{"random_generator", ENUM(random_generator, generator_words), .def = "tausworthe",
	 .help = "fio's choice of generators; each gives our own, which covers every block once."},
	{"random_distribution", .kind = OPT_DIST, .field = FIELD(random_distribution, struct dist *),
	 .def = "random", .help = "How random places are spread over the region."},
	{"percentage_random", COUNT3(percentage_random), .def = "100", .max = 100, .flags = OPT_PERCENT,
	 .help = "Percent of a random job's requests that are random; the rest are sequential."},
	{"softrandommap", .kind = OPT_BOOL, .def = "0", .deed = OPT_HINT,
	 .help = "Go on when there is no memory for the map of blocks.",
	 .why = "covering every block needs no map and no memory"},
	{"random_sequence_stride", .kind = OPT_BOOL, .def = "0", .deed = OPT_NOT,
	 .help = "How random_distribution=sequence goes on.",
	 .why = "a sequence of offsets is not built in; take it out"},
	{"sprandom", BOOL(sprandom), .def = "0",
	 .help = "Write an empty SSD once so that random writes find it in their steady state."},
	{"spr_op", .kind = OPT_DOUBLE, .field = FIELD(spr_op, double *), .def = "0.15",
	 .help = "The SSD's spare flash for sprandom: 0.15 is 15 % beyond its size."},
	{"spr_num_regions", .kind = OPT_COUNT, .def = "100", .deed = OPT_HINT,
	 .help = "Parts of the SSD that fio's sprandom tells apart.",
	 .why = "each write is placed by a formula, as if there were endless regions"},
	{"spr_cs", .kind = OPT_SIZE, .def = "0", .deed = OPT_HINT,
	 .help = "The SSD's cache, which fio's sprandom makes up for.",
	 .why = "what is overwritten was hardly ever written just before"},
};
const struct opt_table opt_table_random = OPT_TABLE(N_("Randomness"), random_rows);

static const struct opt_word dedupe_mode_words[] = {
	{"repeat", 0, NULL}, {"working_set", 1, NULL}, {0},
};

static const struct opt buffer[] = {
	{"zero_buffers", FLAG(zero_buffers),
	 .help = "Write zeros."},
	{"refill_buffers", FLAG(refill_buffers),
	 .help = "New random data for each write."},
	{"scramble_buffers", BOOL(scramble_buffers), .def = "1",
	 .help = "A few bytes of each write are changed, so that no two are equal."},
	{"unique_buffers", BOOL(refuse_repeat), .native_def = "1", .flags = OPT_NATIVE,
	 .help = "All data of a write differ from those of every other, at little cost."},
	{"buffer_pattern", .kind = OPT_PATTERN, .field = FIELD(buffer_pattern, struct pattern *),
	 .help = "Bytes that are repeated over the data of a write."},
	{"buffer_compress_percentage", COUNT(buffer_compress_percentage), .max = 100,
	 .flags = OPT_PERCENT, .help = "Percent of the data that a compressor can take away."},
	{"buffer_compress_chunk", SIZE32(buffer_compress_chunk), .def = "512",
	 .help = "The piece of data that is made compressible by itself."},
	{"dedupe_percentage", COUNT(dedupe_percentage), .max = 100, .flags = OPT_PERCENT,
	 .help = "Percent of the writes whose data were written before."},
	{"dedupe_mode", .kind = OPT_ENUM, .words = dedupe_mode_words, .def = "repeat", .deed = OPT_NOT,
	 .help = "Which earlier data is repeated.", .why = "only the mode repeat is built in"},
	{"dedupe_working_set_percentage", .kind = OPT_COUNT, .def = "5", .max = 100, .deed = OPT_HINT,
	 .help = "A detail of dedupe_mode=working_set.", .why = "dedupe_mode is repeat"},
	{"dedupe_global", .kind = OPT_BOOL, .def = "0", .deed = OPT_NOT,
	 .help = "Repeat data of other jobs as well.",
	 .why = "each job repeats its own data; take it out"},
	{"mem", .alias = "iomem", .kind = OPT_MEM, .field = FIELD(mem, enum mem_kind *), .def = "malloc",
	 .help = "Where the memory of the requests comes from."},
	{"iomem_align", .alias = "mem_align", SIZE32(iomem_align), .def = "4k", .min = 1, .max = GiB,
	 .flags = OPT_POWER_OF_2, .help = "Addresses of the requests' memory are multiples of this."},
	{"hugepage-size", .kind = OPT_SIZE, .def = "2m", .deed = OPT_HINT,
	 .help = "Size of a huge page.", .why = "the kernel's default huge page size is used"},
	{"lockmem", .kind = OPT_SIZE, .def = "0", .deed = OPT_NOT,
	 .help = "Lock memory away, to make the machine's smaller.",
	 .why = "memory is not locked away; limit it with a cgroup (systemd-run -p MemoryMax=...)"},
	{"gpu_dev_id", .kind = OPT_COUNT, .def = "0", .deed = OPT_NOT,
	 .help = "Which GPU holds the data.", .why = "memory of a GPU is not built in; take it out"},
};
const struct opt_table opt_table_buffer = OPT_TABLE("Data and memory", buffer);
