/* Rows: what a job is called, and the files and devices that it works on. */
#include "job/options_priv.h"

/* clang-format off */
static const struct opt identity[] = {
	{"name", TEXT(name),
	 .help = "The job's name; on a command line it starts a new job."},
	{"description", TEXT(description),
	 .help = "A text that the report repeats."},
};
const struct opt_table opt_table_identity = OPT_TABLE(N_("Identity"), identity);

static const struct opt_word fallocate_words[] = {
	{"native", FALLOCATE_NATIVE, "fallocate(2) where the file system has it"},
	{"none", FALLOCATE_NONE, "no reservation"},
	{"posix", FALLOCATE_POSIX, "posix_fallocate(3), which may write zeros"},
	{"keep", FALLOCATE_KEEP, "fallocate(2) that keeps the file's length"},
	{"truncate", FALLOCATE_TRUNCATE, "ftruncate(2): length without blocks"},
	{"1", FALLOCATE_POSIX, "posix"},
	{"0", FALLOCATE_NONE, "none"},
	{0},
};

/* The POSIX_FADV_* constant plus one; see struct job_spec. */
static const struct opt_word fadvise_words[] = {
	{"0", 0, "no advice"},
	{"1", 1, "sequential or random, as the job works"},
	{"none", 0, "no advice"},
	{"random", 2, "POSIX_FADV_RANDOM"},
	{"sequential", 3, "POSIX_FADV_SEQUENTIAL"},
	{"noreuse", 6, "POSIX_FADV_NOREUSE"},
	{0},
};

static const struct opt_word lockfile_words[] = {
	{"none", 0, NULL}, {"exclusive", 1, NULL}, {"readwrite", 2, NULL}, {0},
};
static const struct opt_word filetype_words[] = {
	{"none", 0, NULL}, {"file", 1, NULL}, {"block", 2, NULL}, {"char", 3, NULL}, {0},
};
static const struct opt_word write_hint_words[] = {
	{"none", 0, NULL}, {"short", 1, NULL}, {"medium", 2, NULL}, {"long", 3, NULL},
	{"extreme", 4, NULL}, {0},
};

static const struct opt target[] = {
	{"filename", LIST_ADD(filename),
	 .help = "Files or devices to work on; every clone of the job shares them."},
	{"directory", LIST(directory),
	 .help = "Where the job's files lie; of several, clones take one after the other."},
	{"filename_format", TEXT(filename_format), .def = "$jobname.$jobnum.$filenum",
	 .help = "How files without a filename are called: $jobname, $jobnum, $filenum."},
	{"nrfiles", .alias = "nr_files", COUNT(nrfiles), .def = "1", .max = 1 << 24,
	 .help = "Number of files of a job that names none; the size is shared among them."},
	{"openfiles", COUNT(openfiles),
	 .help = "Files that are in turn at once; all of them unless given. All are held open."},
	{"file_service_type", .kind = OPT_FILE_SERVICE,
	 .field = FIELD(file_service_type, struct file_service_rule *), .def = "roundrobin",
	 .help = "Which file serves the next request; \":N\" stays for N requests with one file."},
	{"filesize", SIZE_RANGE(filesize), .min = 1,
	 .help = "Size of one file, or a range that sizes are drawn from."},
	{"fallocate", ENUM(fallocate, fallocate_words), .def = "native",
	 .help = "How space is reserved when a file is laid out."},
	{"create_only", BOOL(create_only), .def = "0",
	 .help = "Lay out the files and stop."},
	{"create_on_open", BOOL(create_on_open), .def = "0",
	 .help = "Create files when they are first opened, not before the clock starts."},
	{"create_serialize", BOOL(create_serialize), .def = "1", .deed = OPT_HINT,
	 .help = "Lay out one job's files at a time.",
	 .why = "files are laid out in parallel before the clock starts"},
	{"create_fsync", .kind = OPT_BOOL, .def = "1", .deed = OPT_HINT,
	 .help = "Sync a file after its layout.",
	 .why = "files are always synced after their layout"},
	{"allow_file_create", BOOL(allow_file_create), .def = "1",
	 .help = "0: a missing file is an error."},
	{"allow_mounted_write", BOOL(allow_mounted_write), .def = "0",
	 .help = "fio's consent to write to a mounted device; the guard does not take it."},
	{"overwrite", BOOL(overwrite), .def = "0",
	 .help = "Lay a file out before writing, so that writes replace data that is there."},
	{"fill_device", .alias = "fill_fs", BOOL(fill_device), .def = "0",
	 .help = "Write until the device or file system is full."},
	{"invalidate", BOOL(invalidate), .def = "1",
	 .help = "Drop the page cache of the files before the job starts."},
	{"pre_read", BOOL(pre_read), .def = "0",
	 .help = "Read the files into the page cache before the job starts."},
	{"unlink", BOOL(unlink), .def = "0",
	 .help = "Remove the files of the job when it has ended."},
	{"unlink_each_loop", BOOL(unlink_each_loop), .def = "0",
	 .help = "Remove the files of the job after each loop."},
	{"fadvise_hint", ENUM(fadvise_hint, fadvise_words), .def = "1",
	 .help = "Advice to the kernel on the order of the requests."},
	{"unique_filename", .kind = OPT_BOOL, .def = "1", .deed = OPT_HINT,
	 .help = "Put a client's address before file names.",
	 .why = "there are no network clients here"},
	{"filetype", .kind = OPT_ENUM, .words = filetype_words, .def = "none", .deed = OPT_HINT,
	 .help = "What the files are, to save a look at them.",
	 .why = "every target is looked at before the clock starts"},
	{"opendir", .kind = OPT_TEXT, .deed = OPT_NOT,
	 .help = "Take every file below a directory.",
	 .why = "directories are not walked; list the files with filename="},
	{"lockfile", .kind = OPT_ENUM, .words = lockfile_words, .def = "none", .deed = OPT_NOT,
	 .help = "Lock a file that several jobs share.",
	 .why = "jobs do not lock each other's files; give each job its own file"},
	{"ioscheduler", .kind = OPT_TEXT, .deed = OPT_NOT,
	 .help = "Change the I/O scheduler of the device.",
	 .why = "settings of the device are not changed; write to /sys/block/DEVICE/queue/scheduler "
		"before the run"},
	{"file_append", .kind = OPT_BOOL, .def = "0", .deed = OPT_NOT,
	 .help = "Start behind the end of the file.",
	 .why = "appending is not built in; use offset= with the file's size"},
	{"end_syncfs", .kind = OPT_BOOL, .def = "0", .deed = OPT_NOT,
	 .help = "Sync the whole file system at the end.",
	 .why = "only files are synced; use end_fsync=1"},
	{"write_hint", .kind = OPT_ENUM, .words = write_hint_words, .def = "none", .deed = OPT_NOT,
	 .help = "Expected life time of what is written.",
	 .why = "life times are not passed on to the drive; take it out"},
};
const struct opt_table opt_table_target = OPT_TABLE("Files and devices", target);
