/*
 * What the files of the option table share: the tables themselves, and the kinds (one parser
 * and one printer each).
 */
#pragma once

#include "base/bits.h"
#include "base/lang.h"
#include "job/options.h"

/* The rows of one group, in the order of the help. */
struct opt_table {
	const char *title;
	const struct opt *rows;
	unsigned count;
};
#define OPT_TABLE(title_, rows_)                 \
	{                                        \
		title_, rows_, ARRAY_SIZE(rows_) \
	}
extern const struct opt_table opt_table_identity, opt_table_target, opt_table_io,
	opt_table_random, opt_table_buffer, opt_table_engine, opt_table_time, opt_table_worker,
	opt_table_measure, opt_table_errors, opt_table_command, opt_table_log, opt_table_verify,
	opt_table_replay, opt_table_zones, opt_table_foreign;

/* A row's kind with its field: does not compile where the two do not fit. */
#define BOOL(f)	      .kind = OPT_BOOL, .field = FIELD(f, bool *)
#define FLAG(f)	      .kind = OPT_FLAG, .field = FIELD(f, bool *)
#define COUNT(f)      .kind = OPT_COUNT, .field = FIELD(f, uint32_t *)
#define COUNT64(f)    .kind = OPT_COUNT64, .field = FIELD(f, uint64_t *)
#define COUNT3(f)     .kind = OPT_COUNT3, .field = FIELD(f, uint32_t(*)[NDATA])
#define SIGNED(f)     .kind = OPT_SIGNED, .field = FIELD(f, int32_t *)
#define SIZE(f)	      .kind = OPT_SIZE, .field = FIELD(f, uint64_t *)
#define SIZE32(f)     .kind = OPT_SIZE32, .field = FIELD(f, uint32_t *)
#define SIZE3(f)      .kind = OPT_SIZE3, .field = FIELD(f, uint64_t(*)[NDATA])
#define AMOUNT(f)     .kind = OPT_AMOUNT, .field = FIELD(f, struct amount *)
#define TIME(f)	      .kind = OPT_TIME, .field = FIELD(f, uint64_t *)
#define TIME3(f)      .kind = OPT_TIME3, .field = FIELD(f, uint64_t(*)[NDATA])
#define TIME_RANGE(f) .kind = OPT_TIME_RANGE, .field = FIELD(f, struct range *)
#define BS(f)	      .kind = OPT_BS, .field = FIELD(f, struct range(*)[NDATA])
#define SIZE_RANGE(f) .kind = OPT_SIZE_RANGE, .field = FIELD(f, struct range *)
#define RANGE3(f)     .kind = OPT_SIZE_RANGE3, .field = FIELD(f, struct range(*)[NDATA])
#define TEXT(f)	      .kind = OPT_TEXT, .field = FIELD(f, const char **)
#define TEXT_MAYBE(f) .kind = OPT_TEXT_MAYBE, .field = FIELD(f, const char **)
#define LIST(f)	      .kind = OPT_LIST, .field = FIELD(f, struct text_list *)
#define LIST_ADD(f)   .kind = OPT_LIST_ADD, .field = FIELD(f, struct text_list *)
#define ENUM(f, w)    .kind = OPT_ENUM, .field = FIELD(f, uint32_t *), .words = (w)
#define GIVEN(f)      .given = FIELD(f, bool *)

#define RUN_FLAG(f)	  .kind = OPT_FLAG, .field = RUN_FIELD(f, bool *)
#define RUN_TEXT(f)	  .kind = OPT_TEXT, .field = RUN_FIELD(f, const char **)
#define RUN_TEXT_MAYBE(f) .kind = OPT_TEXT_MAYBE, .field = RUN_FIELD(f, const char **)
#define RUN_COUNT(f)	  .kind = OPT_COUNT, .field = RUN_FIELD(f, uint32_t *)
#define RUN_SIZE(f)	  .kind = OPT_SIZE, .field = RUN_FIELD(f, uint64_t *)
#define RUN_TIME(f)	  .kind = OPT_TIME, .field = RUN_FIELD(f, uint64_t *)
#define RUN_WORD(f, w) \
	.kind = OPT_ENUM_MAYBE, .field = RUN_FIELD(f, const char **), .words = (w)

/* One value being read. */
struct reading {
	const struct opt *opt;
	enum face face;
	bool is_default; /* the table's own text: read strictly, sets no .given */
	struct job_set *set;
	struct job_spec *spec; /* kb_base, and fields beside the row's own */
	struct err *err;
};

/* What a kind is: `parse` writes to `field` on success only; `format` prints what parse reads
 * back, or nothing for "not set". */
struct opt_kind_ops {
	size_t bytes; /* of the field */
	int (*parse)(struct reading *r, const char *text, void *field);
	void (*format)(const struct opt *opt, const struct job_spec *spec, const void *field,
		       struct str *out);
	const char *form; /* of the value, for help: "SIZE" */
	const char *note; /* the forms in a sentence */
	const char *fio;  /* the type in the words of --cmdhelp */
};
extern const struct opt_kind_ops opt_kinds[NOPT_KINDS];

#define READING_BYTES 16384 /* no field is larger */

/* kinds.c: the readers of single numbers that compound kinds use. */
int kind_size(struct reading *r, const char *text, uint64_t *ret_bytes);
int kind_time(struct reading *r, const char *text, uint64_t *ret_ns);
int kind_count(struct reading *r, const char *text, uint64_t *ret_count);
int kind_double(struct reading *r, const char *text, double *ret_value);
/* Bounds of the row, with the value in the row's own terms in the message. */
int kind_bounds(struct reading *r, const char *text, int64_t value);
/* A bound in the words of the row's kind: "1g", "250ms", "100". */
void opt_format_bound(const struct opt *opt, int64_t value, struct str *out);
/* A remark of the fio face: what was understood from a doubtful text. */
void kind_doubt(struct reading *r, const char *text, const char *understood);
/* Splits at `separators` (outside a backslash escape) into the set's arena. */
unsigned kind_split(struct reading *r, const char *text, const char *separators,
		    const char **parts, unsigned max);
int kind_too_many(struct reading *r, const char *text, unsigned max, const char *what);
const struct opt_word *kind_word(const struct opt_word *words, const char *text);
const char *kind_word_text(const struct opt_word *words, uint32_t value);

#define KIND_DECLARE(name)                                                     \
	int name##_parse(struct reading *r, const char *text, void *field);    \
	void name##_format(const struct opt *opt, const struct job_spec *spec, \
			   const void *field, struct str *out)
/* kinds_value.c */
KIND_DECLARE(kind_rw);
KIND_DECLARE(kind_split3);
KIND_DECLARE(kind_dist);
KIND_DECLARE(kind_file_service);
KIND_DECLARE(kind_floats);
KIND_DECLARE(kind_steady);
/* kinds_list.c */
KIND_DECLARE(kind_pattern);
KIND_DECLARE(kind_cpus);
KIND_DECLARE(kind_nodes);
KIND_DECLARE(kind_cpumask);
KIND_DECLARE(kind_numa);
KIND_DECLARE(kind_mem);
KIND_DECLARE(kind_errnos);
KIND_DECLARE(kind_engine);
