/*
 * The job language: text in, a checked set of jobs out. Two faces read it: the strict native
 * one and fio's (doc/job-language.md). The faces differ only here and in cli/; nothing below
 * knows.
 *
 * A job_set owns its arena: every spec, string and list in it lives until job_set_done().
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "job/spec.h"

enum face {
	FACE_NATIVE, /* strict: an unknown unit is an error with the remedy */
	FACE_FIO,    /* fio's reading, quirks included */
};

/* How a remark reaches the user: once, with the result (never on stderr in the fio face). */
enum note_kind {
	NOTE_ACCEPTED, /* "accepted, no effect" options */
	NOTE_CHANGED,  /* the effective value differs from what was given, with the reason */
	NOTE_WARNING,  /* fio's reading of a doubtful text, with the value understood */
};
struct job_note {
	enum note_kind kind;
	const char *job; /* NULL: the whole set */
	const char *option, *text;
	struct job_note *next; /* in order of appearance */
};

/* Options of the command, not of a job (fio.md 2.3). Rows of the same table, flagged CLI. */
struct run_options {
	const char *output;	   /* NULL: stdout */
	const char *output_format; /* as given: comma list in the fio face, one word natively */
	bool minimal, append_terse;
	unsigned terse_version; /* 3 */
	bool parse_only, showcmd, readonly, warnings_fatal, version, help;
	const char *cmdhelp, *enghelp; /* "" for the bare form */
	const char *inflate_log;       /* a packed log to print */
	const char *bandwidth_log;     /* prefix of the log of all jobs; "": agg; NULL: none */
	const char *eta;	       /* auto, always, never */
	uint64_t eta_interval, eta_newline, status_interval;
	struct text_list section;
	unsigned max_jobs;
	/* native */
	const char *format;	/* text, json, markdown */
	const char *destroy;	/* consent tokens, comma separated */
	uint64_t max_write;	/* bytes; 0 none */
	uint64_t interval;	/* row width, 1 s */
	uint32_t keep_worst;	/* intervals whose requests are kept; 0: none */
	const char *worst_file; /* where; NULL: JOB_worst.alog. No option: a plan's */
	uint64_t drain;		/* 10 s */
	const char *store;	/* the file; NULL: the default one */
	bool no_store;
	const char *tag;
	const char *policy;   /* the run is judged by it; NULL: it is not */
	const char *progress; /* "json" or NULL */
	int progress_fd;
	const char *state; /* of a simulated drive: loaded before, saved after; NULL none */
	bool real_time;	   /* a simulated drive at the pace of the wall clock */
	bool print;	   /* --print: effective options, no run */
};

struct job_set {
	struct arena arena;
	enum face face;
	struct job_spec **jobs;
	unsigned njobs;
	struct given *global; /* "global options" of the JSON */
	unsigned nglobal;
	struct job_note *notes, **notes_end;
	struct run_options options;
};

void job_set_init(struct job_set *set, enum face face);
void job_set_done(struct job_set *set);

/*
 * Reads a whole command line (without argv[0] and the command word): options, job files, "-"
 * for stdin; expands sections, applies defaults, checks each job. On failure `err` names
 * file, line, option, text and remedy; the set is safe to release. `argv` must outlive the
 * call only.
 */
int job_parse(struct job_set *set, int argc, char **argv, struct err *err);

/* The same for the text of one job file that is in memory already; `name` stands for it in
 * messages. It can include nothing. */
int job_parse_text(struct job_set *set, const char *name, const char *text, size_t bytes,
		   struct err *err);

/*
 * Sets one option by name or alias, as if written in a job file. The single way in: argv,
 * job files, defaults and other commands (quick, plans) all come through here. `value` NULL
 * means a bare flag.
 */
int job_set_option(struct job_set *set, struct job_spec *spec, const char *key,
		   const char *value, struct err *err);

/* A spec with every default applied through the same parsers. */
struct job_spec *job_new(struct job_set *set, const char *name);

/* Cross-option rules; settles what depends on several options (and notes each change). Adds
 * the spec to the set. */
int job_add(struct job_set *set, struct job_spec *spec, struct err *err);
/* For a job that ran once, perhaps on another machine, and is only shown again: what was
 * settled then stands, and nothing here is asked of it. */
void job_add_unchecked(struct job_set *set, struct job_spec *spec);

void job_note_add(struct job_set *set, enum note_kind kind, const char *job, const char *option,
		  const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Canonical text of one option's value ("4k" for 4096, "1" for a flag that is set), which the
 * native face reads back to the same value; "" when nothing is set. */
void job_format_option(const struct job_spec *spec, const char *key, struct str *ret_text);

/* "assay run --print": the effective options of each job. */
void job_print(const struct job_set *set, struct str *out);
/* fio's --showcmd. */
void job_showcmd(const struct job_set *set, struct str *out);
/* "assay help bs" and fio's --cmdhelp=bs; false if there is no such option (suggestion in
 * ret_near). */
bool job_help_option(const char *key, enum face face, struct str *out, const char **ret_near);
/* fio's --enghelp: "" lists the engines, "io_uring" its options, "io_uring,hipri" one of them;
 * false if there is no such engine or option. */
bool job_help_engine(const char *which, struct str *out);
/* All options, a line each, by group. */
void job_help_all(enum face face, struct str *out);
/* What the fio face's command line does beside jobs, a line each. */
void job_help_command_line(struct str *out);
/* The option section of the man page (roff), made from the table. */
void job_man_options(struct str *out);
/* Engine names, for --enghelp and for "unknown engine": the table in engine/ is checked
 * against it by a test; job/ may not include engine/. */
extern const char *const job_engine_names[];
