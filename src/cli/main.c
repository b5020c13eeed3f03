/* The program: which face, which command. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/memory.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/emit.h"
#include "device/undo.h"
#include "store/store.h"

/* clang-format off */
const struct command commands[] = {
	{ "quick", N_("measure a drive, a file system or a file in a minute"), cmd_quick,
	  N_("usage: assay quick [TARGET] [--size=1g] [--time=3s] [--cells=LIST] [--no-write]\n"
	  "                   [--write --destroy=TOKEN] [--repeat=N] [--max-write=SIZE]\n"
	  "                   [--format=text|json|markdown] [-o FILE]\n"
	  "                   [--no-report]\n"
	  "       assay quick [FOLDER] --clean\n"
	  "\n"
	  "TARGET is a folder (default: this one; a file of our own is made in it and removed\n"
	  "again), a file, a block device (read only, unless --write and the guard agree), or a\n"
	  "simulated drive (sim:PROFILE; assay sim list).\n"
	  "A report is written beside the store; its path is the last line. --clean only removes\n"
	  "the files that runs which were killed left in the folder, and measures nothing.\n"
	  "Cells: " "SEQ1M-Q8T1 SEQ1M-Q1T1 RND4K-Q32T1 RND4K-Q32T4 RND4K-Q1T1, a comma list.\n") },
	{ "run", N_("run jobs: options, job files, or both"), cmd_run,
	  N_("usage: assay run [--option=value ...] [FILE.job ...]\n"
	  "       assay run --filename=/dev/nvme0n1 --rw=randread --bs=4k --iodepth=32 --runtime=10s\n"
	  "\n"
	  "--policy=default|act|etcd|ocp|FILE judges the run: exit code 0 pass, 1 fail, 2 cannot\n"
	  "tell (doc/checks.md). --format=text|json|markdown, -o FILE; --print shows the\n"
	  "effective options and runs nothing. FILE of -o, here and everywhere, is a new or empty\n"
	  "one, or what assay wrote there and nobody changed since; logs replace nothing. `assay help OPTION` explains one option, `assay help options` lists all.\n") },
	{ "fio", N_("the same with fio's grammar and fio's outputs"), cmd_fio,
	  N_("usage: assay fio [fio's options and job files]\n"
	  "\n"
	  "What fio 3.42 reads and prints; see doc/job-language.md. ASSAY_NOTES=0 leaves our\n"
	  "remarks out, ASSAY_DESTROY=TOKEN consents to overwriting a device that holds data.\n") },
	{ "plan", N_("a whole qualification from a file: check it, say what it will do, run it"), cmd_plan,
	  N_("usage: assay plan list\n"
	  "       assay plan show NAME [--text]\n"
	  "       assay plan check NAME [--set VARIABLE=VALUE ...] [--spec=FILE]\n"
	  "       assay plan estimate NAME TARGET... [--set ...] [--scale=N] [--repeat=N]\n"
	  "       assay plan run NAME TARGET... [--set ...] [--spec=FILE] [--scale=N] [--repeat=N]\n"
	  "                      [--destroy=TOKEN,...] [--dry-run] [--format=text|csv|json|markdown|cdm]\n"
	  "                      [--parallel] [--keep-worst=N] [--on-finish=COMMAND] [--no-report]\n"
	  "                      [--max-write=SIZE]\n"
	  "       assay plan resume [p4] [--keep-worst=N] [--on-finish=COMMAND] [--no-report]\n"
	  "                         [--max-write=SIZE]\n"
	  "\n"
	  "estimate (and --dry-run) only reads: what each step does, its time and what it writes.\n"
	  "run says it too, asks once for consent, and keeps each cell before the next begins;\n"
	  "resume goes on after a kill, a crash or a signal. --scale divides times and capacity,\n"
	  "--repeat repeats the whole plan, several targets interleaved A B B A. --parallel works on\n"
	  "all targets at once; a table of all marks the one that is not like the others.\n"
	  "Each request of every cell's worst interval (by greatest latency; --keep-worst, 1) is kept\n"
	  "beside the store, 1 GiB a plan at most; of simulated drives none.\n"
	  "run and resume write a report of one page beside the store; its path is the last line.\n"
	  "--max-write is a hard stop for all targets and repetitions together: no write goes out\n"
	  "beyond it, the plan ends with exit code 5, and resume with a larger one goes on.\n"
	  "Exit 0: every check passes, 1: one fails, 2: cannot tell, 3: I/O errors.\n"
	  "\n"
	  "NAME is a shipped plan, one of your own in ~/.local/share/assay/plans, or a file (with a\n"
	  "\"/\", or ending in .plan). show --text prints its file, to copy and change. Each takes\n"
	  "--format=text|markdown and -o FILE. doc/plans.md describes the language.\n") },
	{ "watch", N_("what a plan in another terminal is doing"), cmd_watch,
	  N_("usage: assay watch [p4] [--store=FILE]\n"
	  "\n"
	  "Step, cell, round, what is left, and the newest interval, line by line until the plan\n"
	  "ends. Any number may watch, and nobody disturbs it.\n") },
	{ "compare", N_("runs, tags or files side by side"), cmd_compare,
	  N_("usage: assay compare A B [C...] [--format=text|csv|markdown|json|html] [-o FILE] [--facts=FILE]\n"
	  "                     [--store=FILE]\n"
	  "\n"
	  "Each is a run (r17, a tag, @last) or a file (with a \"/\" or \".\"): an export, the JSON of\n"
	  "a run, fio's JSON or terse lines. The runs of a tag are repetitions of one side; with two\n"
	  "and more a side, ratios have a 95 % interval. doc/compare.md states the rules.\n") },
	{ "gate", N_("pass, fail or cannot tell: a new result against a baseline"), cmd_gate,
	  N_("usage: assay gate BASELINE NEW [--margin=3%] [--margin=METRIC:10% ...]\n"
	  "                  [--format=text|markdown|json|junit] [-o FILE] [--store=FILE]\n"
	  "\n"
	  "Every figure that both have is judged in its own sense (IOPS down is worse, p99 up is\n"
	  "worse), all together by Holm's method. Exit 0 pass, 1 fail, 2 cannot tell. METRIC is one\n"
	  "of iops, bw, mean, p50, p99, p99.9, p99.99. BASELINE and NEW are tags of several runs each,\n"
	  "or single runs: then what is said is of this pair alone.\n") },
	{ "history", N_("one target over its kept runs, and where its level changed"), cmd_history,
	  N_("usage: assay history TARGET [--metric=iops] [--format=text|markdown|html|csv|json]\n"
	  "                     [-o FILE] [--store=FILE]\n"
	  "\n"
	  "TARGET is the path, model or serial number that runs were kept with, or a tag. METRIC is\n"
	  "one of iops, bw, mean, p50, p99, p99.9, p99.99, max.\n") },
	{ "report", N_("one page of a run, a log, or several side by side"), cmd_report,
	  N_("usage: assay report RUN|FILE.json|LOG... [-o FILE.html|.md|.csv|.txt] [--figures=DIR]\n"
	  "                    [--policy=default|act|etcd|ocp|FILE|none] [--title=TEXT]\n"
	  "                    [--format=html|markdown|csv|text] [--lang=en|zh|ja] [--store=FILE]\n"
	  "\n"
	  "RUN is a run or plan that was kept (r17, p4, @last), a file (with a \"/\" or \".\") of\n"
	  "assay or of fio, or logs of one run or several. The page of HTML is one file that needs\n"
	  "no network. --figures writes every graph as SVG and PNG. Several runs are compared.\n"
	  "doc/report.md says what stands where.\n") },
	{ "results", N_("list, show, tag, export, import and query what was kept"), cmd_results,
	  N_("usage: assay results list [--tag=TAG] [--target=PATH|MODEL|SERIAL] [--limit=N]\n"
	  "       assay results show RUN [--format=text|json|markdown] [-o FILE] [--jobs]\n"
	  "       assay results tag RUN [-]TAG... | note RUN TEXT | rm RUN...\n"
	  "       assay results export RUN|PLAN... [-o FILE] [--anonymous]\n"
	  "       assay results import FILE... [--tag=TAG] | merge STORE\n"
	  "       assay results sql QUERY\n"
	  "\n"
	  "RUN is an id (r17; of a plan p4, @plan), a tag, @last or @last~1; with a \"/\" or \".\" it\n"
	  "is a file. Every command takes --store=FILE. import reads exports of assay, what its runs printed as\n"
	  "JSON, fio's JSON (2.x, 3.x) and terse lines (v3 to v5). doc/store.md lists the views.\n") },
	{ "targets", N_("list drives and mounts, and whether a run may write to them"), cmd_targets,
	  N_("usage: assay targets [--health] [--format=text|json]\n"
	  "\n"
	  "--health asks each drive by smartctl how it is: temperature, life used, errors.\n") },
	{ "sim", N_("simulated drives with known answers"), cmd_sim,
	  N_("usage: assay sim list\n"
	  "       assay sim show PROFILE[,key=value...]\n"
	  "       assay sim waf [--op=20%] [--pages-per-block=128] [--gc=greedy|fifo|d:N]\n"
	  "                     [--trim=0%] [--hot=R/F] [--blocks=2048] [--turns=24] [--seed=1]\n"
	  "                     [--format=text|json] [-o FILE]\n"
	  "       assay sim serve PROFILE MOUNTPOINT [--backing=FILE] [--state=FILE] [--log=FILE]\n"
	  "       assay sim health MOUNTPOINT [--format=text|json] [-o FILE]\n"
	  "       assay sim cut MOUNTPOINT [--torn]\n"
	  "       assay sim stall MOUNTPOINT TIME\n"
	  "       assay sim errors MOUNTPOINT EVERY [--of=reads|writes]\n"
	  "       assay sim throttle MOUNTPOINT [--iops=N] [--rate=BYTES] | off\n"
	  "       assay sim slc MOUNTPOINT PERCENT%\n"
	  "\n"
	  "show: every value of a drive, each of which can be given after its name, as in\n"
	  "nvme-enterprise,op=12%,size=8g,seed=7; scale=100 simulates a hundredth of it.\n"
	  "waf: write amplification of random writes on a flash translation layer, measured and\n"
	  "as theory has it. --hot=80/20 sends 80 % of the writes to 20 % of the space.\n"
	  "serve: the drive as MOUNTPOINT/disk (FUSE) for every program, in real time, until\n"
	  "SIGTERM; losetup makes a block device of it. --backing keeps the contents, --state\n"
	  "the wear, the map and the age. health: its SMART figures. cut: power fails and is\n"
	  "back, what was not flushed is lost. errors: every EVERY-th request fails, 0: none.\n"
	  "slc: so full is the SLC cache from now on.\n") },
	{ "log", N_("read logs of fio and our own: cut into intervals, convert, merge"), cmd_log,
	  N_("usage: assay log bin FILE... [--interval=1s] [--by=job,direction,bs]\n"
	  "                   [--threshold=5ms,200ms] [--format=csv|json] [--decimal=,]\n"
	  "                   [--separator=;] [--keep-all] [--threads=N]\n"
	  "                   [--loops=portable|sse2|avx2|avx512]\n"
	  "       assay log info FILE... [--format=text|json]\n"
	  "       assay log head FILE... [--rows=10]\n"
	  "       assay log cut FILE... [--from=TIME] [--to=TIME]\n"
	  "       assay log merge FILE...\n"
	  "       assay log convert FILE... [--format=blocks|fio|fio2|fz]\n"
	  "       assay log judge FILE...|RUN [--policy=default|act|etcd|ocp|FILE] [--interval=1s]\n"
	  "                   [--spec=iops=100000] [--outstanding] [--title=TEXT]\n"
	  "                   [--format=text|json|junit|markdown] [--store=FILE]\n"
	  "       assay log compare A B (or A.1 A.2 -- B.1 B.2) [--margin=3%] [--seed=N]\n"
	  "                   [--policy=...] [--format=text|json|markdown]\n"
	  "       assay log plot FILE... -o FILE.svg|png|html [--threshold=5ms,200ms]\n"
	  "                   [--title=TEXT] [--format=text]\n"
	  "\n"
	  "Each takes -o FILE, --lenient (bad rows are counted, not an error), --quiet, and what\n"
	  "a log does not tell: --kind=lat|clat|slat|bw|iops, --unit=ns|us, --depth=N,\n"
	  "--windowed=yes|no, --window=500ms; --json=FILE is fio's JSON of the run, by which rows\n"
	  "and bytes are checked (without it NAME.json beside NAME_clat.1.log). FILE may be packed\n"
	  "(gzip, zstd, fio's .fz) and - is standard input. doc/log-format.md describes the block\n"
	  "format. judge ends with 0 for a pass, 1 for a failure, 2 where nobody can tell;\n"
	  "doc/checks.md explains its rules.\n") },
	{ "help", N_("explain a command or an option"), cmd_help,
	  N_("usage: assay help [COMMAND | OPTION | options]\n") },
	{ NULL, NULL, NULL, NULL },
};
/* clang-format on */

const struct command *command_find(const char *name)
{
	for (const struct command *command = commands; command->name; command++) {
		if (str_equal(command->name, name))
			return command;
	}
	return NULL;
}

static int unknown(const char *name)
{
	const char *near = NULL;
	unsigned best = str_near_limit(name);
	struct err err = {0};

	for (const struct command *command = commands; command->name; command++) {
		unsigned distance = str_distance(name, command->name);

		if (distance < best) {
			best = distance;
			near = command->name;
		}
	}
	if (near)
		(void)err_input(&err, "there is no command \"%s\"; did you mean \"%s\"?", name,
				near);
	else
		(void)err_input(&err, "there is no command \"%s\"; `assay help` lists them",
				name);
	return emit_error(&err);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A closed stdin, stdout or stderr would hand its number to a target file: take it first.
 * Such a stdout cannot be written: a report that nobody gets is an error, not a success. */
static void keep_standard_fds(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null",
				   O_RDONLY); /* the lowest free number: this one */
	}
}

static void say_undone(void *arg, bool done, const char *text)
{
	autostr said = {0};

	(void)arg;
	lang_say(lang_of_messages(), text, &said);
	(void)fprintf(stderr, "assay: %s%s\n", done ? "" : lang_here("warning: "),
		      str_text(&said));
}

/* What a command that was killed left on a drive is put back by the next one, whichever. */
static void undo_what_is_left(void)
{
	autostr folder = {0};

	if (store_state_folder(false, &folder, NULL) == 0)
		undo_pending(str_text(&folder), &device_roots_real, say_undone, NULL);
}

/* --- the end for want of memory (base/memory.h) --- */

#define PUT_BACK "--put-back" /* the program that we become then; no word for users */

/* To put a drive's settings back takes memory. The same program once more has some: exec(2) frees
 * all that this one had, and ends its workers. */
static void become_put_back(void *arg)
{
	char name[] = "assay", word[] = PUT_BACK, *const argv[] = {name, word, NULL};

	(void)arg;
	(void)execv("/proc/self/exe",
		    argv); /* fails: the next command does it, as after a kill */
}

static int put_back(void)
{
	autostr folder = {0};

	if (store_state_folder(false, &folder, NULL) == 0)
		undo_own(str_text(&folder), &device_roots_real, say_undone, NULL);
	return ERR_ENVIRONMENT;
}

/* fio's face switches nothing, and has one code for every failure. */
static void end_as_fio(void *arg)
{
	(void)arg;
	_exit(1);
}

void command_end_without_memory(bool as_fio)
{
	static struct memory_end end;

	memory_end_remove(&end); /* of the process that this one is a fork of */
	memory_end_add(&end, as_fio ? end_as_fio : become_put_back, NULL);
}

static bool wants_help(const char *word)
{
	return str_equal(word, "--help") || str_equal(word, "-h");
}

/* `assay log bin --help`, `assay quick /dev/sda --help`: nobody means a name by it. */
static bool asks_anywhere(char **words)
{
	for (; *words && !str_equal(*words, "--"); words++)
		if (str_equal(*words, "--help"))
			return true;
	return false;
}

/* The soft limit is there for programs that use select(), which this one does not; two thousand
 * workers with a file each are within what the administrator allows. */
static void raise_open_files(struct rlimit *limit)
{
	struct rlimit raised = {.rlim_cur = limit->rlim_max, .rlim_max = limit->rlim_max};

	if (limit->rlim_cur < limit->rlim_max && setrlimit(RLIMIT_NOFILE, &raised) == 0)
		*limit = raised;
}

int command_check_limits(struct err *err)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 0;
	raise_open_files(&limit);
	if (limit.rlim_cur >= OPEN_FILES_LEAST)
		return 0;
	return err_env(
		err, -EMFILE,
		"ulimit -n allows %llu open files, and even small runs need %d: raise it, "
		"as by `ulimit -n 1024`",
		(unsigned long long)limit.rlim_cur, OPEN_FILES_LEAST);
}

static int say(const char *text)
{
	struct err err = {0};
	autostr out = {0};

	str_add(&out, text);
	return emit_text(NULL, &out, &err) ? emit_error(&err) : 0;
}

static bool is_fio(int argc, char **argv)
{
	return (argc > 0 && str_equal(base_name(argv[0]), "fio")) ||
	       (argc > 1 && str_equal(argv[1], "fio"));
}

int main(int argc, char **argv)
{
	const struct command *command;
	struct err err = {0};
	const char *name;

	keep_standard_fds();
	(void)signal(SIGXFSZ, SIG_IGN); /* a write past ulimit -f is an error, with words */
	(void)setlocale(LC_CTYPE, "");	/* unknown locale: ASCII */
	command_end_without_memory(is_fio(argc, argv));
	if (argc > 0 && str_equal(base_name(argv[0]), "fio"))
		return cmd_fio(argc, argv);
	name = argc > 1 ? argv[1] : "help";
	if (str_equal(name, PUT_BACK))
		return put_back();
	if (str_equal(name, "--version") || str_equal(name, "-V"))
		return say("assay " ASSAY_VERSION "\n");
	if (wants_help(name))
		name = "help";
	command = command_find(name);
	if (!command)
		return unknown(name);
	if (argc > 2 && command->main != cmd_fio &&
	    (wants_help(argv[2]) || (command->main != cmd_run && asks_anywhere(argv + 3))))
		return say(lang_here(command->help));
	if (command->main != cmd_help && command->main != cmd_fio && command_check_limits(&err))
		return emit_error(&err);
	if (command->main != cmd_fio)
		undo_what_is_left();
	return argc > 1 ? command->main(argc - 1, argv + 1) : command->main(argc, argv);
}
