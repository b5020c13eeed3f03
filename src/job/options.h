/*
 * The option table: one row per option name, plain constant data. Parsing, bounds, defaults,
 * help, the man page, canonical text and the fuzz dictionary are derived from the row. Every
 * name of fio has a row: one with effect, or one that says what we do instead (enum opt_deed).
 *
 * A row's kind and the type of its field are tied at compile time (FIELD): a row whose kind
 * does not fit its field does not compile.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "job/job.h"

enum opt_kind {
	OPT_BOOL,	  /* bool: 0 or 1 */
	OPT_BOOL_INVERSE, /* bool, stored inverted: buffered */
	OPT_FLAG,	  /* bool: bare, or 0 or 1 */
	OPT_COUNT,	  /* uint32_t */
	OPT_COUNT64,	  /* uint64_t */
	OPT_COUNT3,	  /* uint32_t[3] */
	OPT_SIGNED,	  /* int32_t */
	OPT_DOUBLE,	  /* double */
	OPT_SIZE,	  /* uint64_t bytes */
	OPT_SIZE32,	  /* uint32_t bytes */
	OPT_SIZE3,	  /* uint64_t[3] bytes */
	OPT_AMOUNT,	  /* struct amount: bytes or percent */
	OPT_TIME,	  /* uint64_t ns */
	OPT_TIME3,	  /* uint64_t[3] ns */
	OPT_TIME_RANGE,	  /* struct range, ns */
	OPT_BS,		  /* struct range[3], min == max */
	OPT_SIZE_RANGE,	  /* struct range, bytes: one size or lo-hi */
	OPT_SIZE_RANGE3,  /* struct range[3], bytes */
	OPT_TEXT,	  /* const char * */
	OPT_TEXT_MAYBE,	  /* const char *: a bare option stores "" */
	OPT_LIST,	  /* struct text_list, ':' between, "\:" inside */
	OPT_LIST_ADD,	  /* the same, accumulating over repeated use */
	OPT_ENUM,	  /* uint32_t or an enum: one of .words */
	OPT_ENUM_MAYBE,	  /* const char *: one of .words, stored as its canonical text */
	OPT_ENGINE,	  /* const char *: an engine's name */
	OPT_RW,		  /* struct rw */
	OPT_SPLIT,	  /* struct split[3] */
	OPT_DIST,	  /* struct dist */
	OPT_FLOATS,	  /* double[PERCENTILES_MAX]; the number is spec->npercentiles */
	OPT_FILE_SERVICE, /* struct file_service_rule */
	OPT_PATTERN,	  /* struct pattern */
	OPT_CPUS,	  /* struct cpu_list: 0,2,5-8 */
	OPT_NODES,	  /* the same of NUMA nodes, or "all" */
	OPT_CPUMASK,	  /* struct cpu_list from a number */
	OPT_NUMA,	  /* enum numa_policy; the nodes are spec->numa_mem_nodes */
	OPT_MEM,	  /* enum mem_kind; the path is spec->mem_path */
	OPT_ERRNOS,	  /* struct errno_list[3]: read,write,verify */
	OPT_STEADY,	  /* struct steady_spec */
	NOPT_KINDS
};

/* What an option does here. */
enum opt_deed {
	OPT_ACTS, /* has its effect */
	OPT_HINT, /* accepted, no effect: a hint that changes neither the work nor its figures */
	OPT_NOT,  /* refused unless the value is the default, or one of .off */
	OPT_FOREIGN /* belongs to an engine or profile that is not built in */
};

enum opt_flag {
	OPT_CLI = 1u << 0,     /* of the command line: a field of struct run_options */
	OPT_NATIVE = 1u << 1,  /* unknown to the fio face */
	OPT_FIO = 1u << 2,     /* unknown to the native face; .why names what to write there */
	OPT_FIRST = 1u << 3,   /* must be set before the others of its section (kb_base) */
	OPT_PERCENT = 1u << 4, /* a share: "%" may follow */
	OPT_IN_US = 1u << 5,   /* a bare number of fio's is microseconds */
	OPT_IN_MS = 1u << 6,   /* milliseconds; none of both: seconds */
	OPT_FIO_INT = 1u << 7, /* fio reads it as a plain number: no time units there */
	OPT_POWER_OF_2 = 1u << 8,
	OPT_CASELESS = 1u << 9,
};

/* Engines by bit: 1 << place in job_engine_names. */
enum opt_engine {
	ENGINE_IO_URING = 1u << 0,
	ENGINE_LIBAIO = 1u << 1,
	ENGINE_PVSYNC2 = 1u << 5,
	ENGINE_MMAP = 1u << 8,
};

struct opt_word {
	const char *text;
	uint32_t value; /* the first word of a value is the canonical one */
	const char *help;
};

struct opt {
	const char *name, *alias, *alias2;
	enum opt_kind kind;
	enum opt_deed deed;
	uint32_t flags;	  /* enum opt_flag */
	uint32_t engines; /* enum opt_engine bits; 0: any engine */
	size_t field;	  /* 1 + offset in struct job_spec or run_options; 0: no field */
	size_t given;	  /* 1 + offset of the bool that says "the user wrote it"; 0: none */
	const char *def;  /* NULL: starts as zero, "not set" */
	const char *native_def; /* the native face's default where it differs */
	const char *off;	/* OPT_NOT: further harmless values, a space between */
	int64_t min, max;	/* bounds; max 0: the type's. Times in ns, sizes in bytes. */
	const struct opt_word *words; /* ends with a NULL text */
	/* Runs after the value is set, for options that speak of the same field. */
	void (*after)(struct job_spec *spec);
	const char *help; /* one line for a list; a full sentence */
	const char *why;  /* deed other than OPT_ACTS: the reason, and what to do instead */
};

/* The offset of a field, plus a _Generic without a default branch, worth nothing. */
#define FIELD_OF(s, f, type) \
	(1 + offsetof(s, f) + 0 * sizeof(char[_Generic(&((s *)0)->f, type : 1)]))
#define FIELD(f, type)	   FIELD_OF(struct job_spec, f, type)
#define RUN_FIELD(f, type) FIELD_OF(struct run_options, f, type)

/* --- looking up --- */

/* By exact name or alias, any face; NULL if there is none. */
const struct opt *opt_find(const char *key);
/* The same for one face: not the other's own rows. */
const struct opt *opt_find_face(const char *key, enum face face);
/* By exact name or alias, else by a prefix that only one option has (fio's command line).
 * NULL with *ret_ambiguous set when several have it. */
const struct opt *opt_find_prefix(const char *key, enum face face, bool *ret_ambiguous);
/* The name most like `key`, or NULL if none is near. */
const char *opt_nearest(const char *key, enum face face);
/* "unknown option "x": did you mean "y"?" into err. */
int opt_unknown(const char *key, enum face face, struct err *err);
/* All rows in the order of the help: opt_next(NULL) is the first; NULL after the last. */
const struct opt *opt_next(const struct opt *opt);

/* A bare "--key" or "key" is enough for it. */
bool opt_is_bare(const struct opt *opt);
bool opt_is_cli(const struct opt *opt);
/* Does this option mean anything to this engine (canonical name)? */
bool opt_fits_engine(const struct opt *opt, const char *engine);
/* "io_uring or libaio" for messages: the engines of the row. */
void opt_format_engines(const struct opt *opt, struct str *out);

/* The canonical value in `spec` (job options) or `set->options` (OPT_CLI). "" if not set. */
void opt_format(const struct opt *opt, const struct job_spec *spec,
		const struct run_options *run, struct str *out);
/* False for an option that stands for "nobody asked" until it is written (row's .given): its
 * canonical text, read again, would say more than was said. */
bool opt_is_set(const struct opt *opt, const struct job_spec *spec);
/* The canonical text of the row's default; "" if it has none. */
void opt_format_default(const struct opt *opt, struct str *out);

/* run_options with the table's defaults; job_set_init calls it. */
void opt_run_defaults(struct job_set *set);

/* The head of the row's group in help and reports: "Time and rate". */
const char *opt_group(const struct opt *opt);
