#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/lang.h"
#include "base/str.h"
#include "base/unit.h"
#include "job/options_priv.h"

#define FORMAT_ARGS \
	const struct opt *opt, const struct job_spec *spec, const void *field, struct str *out
#define UNUSED_OPT_SPEC (void)opt, (void)spec

unsigned kind_split(struct reading *r, const char *text, const char *separators,
		    const char **parts, unsigned max)
{
	char *copy = arena_strdup(&r->set->arena, text);
	unsigned count = 0;
	char *start = copy, *to = copy;

	for (const char *from = copy;; from++) {
		if (*from == '\\' && from[1] && strchr(separators, from[1])) {
			*to++ = *++from;
			continue;
		}
		if (*from && !strchr(separators, *from)) {
			*to++ = *from;
			continue;
		}
		if (count < max)
			parts[count] = start;
		count++;
		if (!*from)
			break;
		*to++ = '\0';
		start = to;
	}
	*to = '\0';
	return count;
}

int kind_too_many(struct reading *r, const char *text, unsigned max, const char *what)
{
	return err_input(r->err, "\"%s\" has more than %u %s", text, max, what);
}

/* --- booleans --- */

static int bool_parse(struct reading *r, const char *text, void *field)
{
	if (!str_equal(text, "0") && !str_equal(text, "1"))
		return err_input(r->err, "\"%s\" is neither 0 nor 1: write 1 for yes, 0 for no",
				 text);
	*(bool *)field = text[0] == '1';
	return 0;
}

static void bool_format(FORMAT_ARGS)
{
	UNUSED_OPT_SPEC;
	str_add(out, *(const bool *)field ? "1" : "0");
}

static int bool_inverse_parse(struct reading *r, const char *text, void *field)
{
	bool value = false;
	int rc = bool_parse(r, text, &value);

	if (!rc)
		*(bool *)field = !value;
	return rc;
}

static void bool_inverse_format(FORMAT_ARGS)
{
	UNUSED_OPT_SPEC;
	str_add(out, *(const bool *)field ? "0" : "1");
}

/* --- single numbers --- */

static int count64_parse(struct reading *r, const char *text, void *field)
{
	return kind_count(r, text, field);
}

static void count64_format(FORMAT_ARGS)
{
	UNUSED_OPT_SPEC;
	str_printf(out, "%llu", (unsigned long long)*(const uint64_t *)field);
}

static int fits_u32(struct reading *r, const char *text, uint64_t value)
{
	if (value <= UINT32_MAX)
		return 0;
	return err_input(r->err, "\"%s\" is too large: at most %u", text, UINT32_MAX);
}

static int count_parse(struct reading *r, const char *text, void *field)
{
	uint64_t value = 0;
	int rc = kind_count(r, text, &value);

	rc = rc ? rc : fits_u32(r, text, value);
	if (!rc)
		*(uint32_t *)field = (uint32_t)value;
	return rc;
}

static void count_format(FORMAT_ARGS)
{
	UNUSED_OPT_SPEC;
	str_printf(out, "%u", *(const uint32_t *)field);
}

static int signed_parse(struct reading *r, const char *text, void *field)
{
	int64_t value = 0;
	int rc = unit_parse_signed(text, &value, r->err);

	rc = rc ? rc : kind_bounds(r, text, value);
	if (!rc && (value < INT32_MIN || value > INT32_MAX))
		rc = err_input(r->err, "\"%s\" does not fit in 32 bits", text);
	if (!rc)
		*(int32_t *)field = (int32_t)value;
	return rc;
}

static void signed_format(FORMAT_ARGS)
{
	UNUSED_OPT_SPEC;
	str_printf(out, "%d", *(const int32_t *)field);
}

static int double_parse(struct reading *r, const char *text, void *field)
{
	double value = 0;
	int rc = kind_double(r, text, &value);

	if (!rc &&
	    (value < (double)r->opt->min || (r->opt->max && value > (double)r->opt->max)))
		rc = err_input(r->err, "\"%s\" is not between %lld and %lld", text,
			       (long long)r->opt->min, (long long)r->opt->max);
	if (!rc)
		*(double *)field = value;
	return rc;
}

static void double_format(FORMAT_ARGS)
{
	UNUSED_OPT_SPEC;
	unit_format_double(*(const double *)field, out);
}

static int size_parse(struct reading *r, const char *text, void *field)
{
	return kind_size(r, text, field);
}

static void size_format(FORMAT_ARGS)
{
	UNUSED_OPT_SPEC;
	unit_format_size(*(const uint64_t *)field, out);
}

static int size32_parse(struct reading *r, const char *text, void *field)
{
	uint64_t value = 0;
	int rc = kind_size(r, text, &value);

	rc = rc ? rc : fits_u32(r, text, value);
	if (!rc)
		*(uint32_t *)field = (uint32_t)value;
	return rc;
}

static void size32_format(FORMAT_ARGS)
{
	UNUSED_OPT_SPEC;
	unit_format_size(*(const uint32_t *)field, out);
}

static int time_parse(struct reading *r, const char *text, void *field)
{
	return kind_time(r, text, field);
}

static void time_format(FORMAT_ARGS)
{
	UNUSED_OPT_SPEC;
	unit_format_time(*(const uint64_t *)field, out);
}

static int amount_zones(struct reading *r, const char *text)
{
	size_t n = strlen(text);

	if (n < 2 || text[n - 1] != 'z' || !isdigit((unsigned char)text[n - 2]))
		return 0;
	return err_input(r->err,
			 "\"%s\": zones need zonemode=zbd, which is not built in; write "
			 "the size in bytes",
			 text);
}

/* fio takes more than the whole for the whole, but of io_size. */
static const char *amount_percent(struct reading *r, const char *text)
{
	uint64_t whole = 0;

	if (r->face == FACE_NATIVE || str_equal(r->opt->name, "io_size") ||
	    strspn(text, "0123456789") + 1 != strlen(text))
		return text;
	if (unit_parse_count(arena_strndup(&r->set->arena, text, strlen(text) - 1), &whole,
			     NULL) ||
	    whole <= 100)
		return text;
	kind_doubt(r, text, "100%");
	return "100%";
}

static int amount_parse(struct reading *r, const char *text, void *field)
{
	struct amount amount = {.given = true};
	int rc = amount_zones(r, text);

	if (rc)
		return rc;
	if (str_ends(text, "%")) {
		text = amount_percent(r, text);
		rc = unit_parse_percent(text, &amount.percent_x100, r->err);
		if (!rc && !amount.percent_x100 && r->opt->min)
			rc = err_input(r->err, "\"%s\" is nothing: write more than 0%%", text);
	} else {
		rc = kind_size(r, text, &amount.bytes);
	}
	if (!rc)
		*(struct amount *)field = amount;
	return rc;
}

static void amount_format(FORMAT_ARGS)
{
	const struct amount *amount = field;

	UNUSED_OPT_SPEC;
	if (!amount->given)
		return;
	if (amount->percent_x100)
		unit_format_percent(amount->percent_x100, out);
	else
		unit_format_size(amount->bytes, out);
}

/* --- one value for each of three directions --- */

typedef int read_one(struct reading *r, const char *text, uint64_t *ret_value);

/*
 * "r,w,t": an empty place keeps what is there; the last value goes on for the places that are
 * missing, and a comma at the end stops it. fio takes ':' and '-' for a comma with numbers.
 */
static int three_parse(struct reading *r, const char *text, read_one *one,
		       uint64_t value[NDATA])
{
	const char *separators = r->face == FACE_FIO ? ",:-" : ",";
	const char *parts[NDATA];
	uint64_t read[NDATA];
	unsigned count = kind_split(r, text, separators, parts, NDATA), nset = 0;

	if (text[0] == '-') /* a sign, not a separator */
		return one(r, text, &read[0]);
	if (count == NDATA + 1 && str_ends(text, ","))
		count = NDATA;
	if (count > NDATA)
		return kind_too_many(r, text, NDATA, N_("values (read,write,trim)"));
	memcpy(read, value, sizeof(read));
	for (unsigned i = 0; i < count; i++) {
		int rc = *parts[i] ? one(r, parts[i], &read[i]) : 0;

		if (rc)
			return rc;
		nset += *parts[i] != '\0';
	}
	if (!nset)
		return err_input(r->err, "\"%s\" holds no value (write read,write,trim)", text);
	for (unsigned i = count; i < NDATA && *parts[count - 1]; i++)
		read[i] = read[count - 1];
	memcpy(value, read, sizeof(read));
	return 0;
}

typedef void format_one(uint64_t value, struct str *out);

/* A zero that the row does not allow is "not set": its place stays empty. */
static void three_format(const struct opt *opt, const uint64_t value[NDATA], format_one *one,
			 struct str *out)
{
	unsigned count = value[1] != value[2] ? 3 : value[0] != value[1] ? 2 : 1;

	for (unsigned i = 0; i < count; i++) {
		if (i)
			str_add_char(out, ',');
		if (value[i] || !opt->min)
			one(value[i], out);
	}
}

static void format_count(uint64_t value, struct str *out)
{
	str_printf(out, "%llu", (unsigned long long)value);
}

static int count3_parse(struct reading *r, const char *text, void *field)
{
	uint32_t *to = field;
	uint64_t value[NDATA] = {to[0], to[1], to[2]};
	int rc = three_parse(r, text, kind_count, value);

	for (unsigned i = 0; i < NDATA && !rc; i++)
		rc = fits_u32(r, text, value[i]);
	for (unsigned i = 0; i < NDATA && !rc; i++)
		to[i] = (uint32_t)value[i];
	return rc;
}

static void count3_format(FORMAT_ARGS)
{
	const uint32_t *from = field;
	const uint64_t value[NDATA] = {from[0], from[1], from[2]};

	UNUSED_OPT_SPEC;
	three_format(opt, value, format_count, out);
}

static int size3_parse(struct reading *r, const char *text, void *field)
{
	return three_parse(r, text, kind_size, field);
}

static void size3_format(FORMAT_ARGS)
{
	UNUSED_OPT_SPEC;
	three_format(opt, field, unit_format_size, out);
}

static int time3_parse(struct reading *r, const char *text, void *field)
{
	return three_parse(r, text, kind_time, field);
}

static void time3_format(FORMAT_ARGS)
{
	UNUSED_OPT_SPEC;
	three_format(opt, field, unit_format_time, out);
}

/* In fio a bsrange wins over a bs, whichever comes first. */
static int bs_parse(struct reading *r, const char *text, void *field)
{
	struct range *bs = field;
	uint64_t value[NDATA] = {bs[0].min, bs[1].min, bs[2].min};
	int rc = three_parse(r, text, kind_size, value);
	bool kept = false;

	for (unsigned i = 0; i < NDATA && !rc; i++) {
		if (r->face == FACE_FIO && bs[i].min != bs[i].max)
			kept = true;
		else
			bs[i] = (struct range){value[i], value[i]};
	}
	if (kept)
		job_note_add(r->set, NOTE_CHANGED, r->spec->name, r->opt->name,
			     "\"%s\" is without effect where a bsrange was given", text);
	return rc;
}

/* A range is printed by bsrange. */
static void bs_format(FORMAT_ARGS)
{
	const struct range *bs = field;
	const uint64_t value[NDATA] = {bs[0].min, bs[1].min, bs[2].min};

	UNUSED_OPT_SPEC;
	for (unsigned i = 0; i < NDATA; i++)
		if (bs[i].min != bs[i].max)
			return;
	three_format(opt, value, unit_format_size, out);
}

/* --- ranges --- */

static int range_order(struct reading *r, const char *text, struct range *range)
{
	uint64_t low = range->max;

	if (range->min <= range->max)
		return 0;
	if (r->face == FACE_NATIVE)
		return err_input(r->err, "\"%s\" is upside down: write the smaller end first",
				 text);
	range->max = range->min;
	range->min = low;
	return 0;
}

/* "lo-hi" or "lo:hi"; one value for both ends where `single`. */
static int range_parse(struct reading *r, const char *text, read_one *one, bool single,
		       struct range *ret_range)
{
	struct range range = {0};
	const char *ends[2];
	unsigned count = kind_split(r, text, "-:", ends, 2);
	int rc;

	if (text[0] == '-')
		return one(r, text, &range.min);
	if (count > 2 || (count == 1 && !single))
		return err_input(r->err, "\"%s\" is not a range (try 4k-16k)", text);
	rc = one(r, ends[0], &range.min);
	range.max = range.min;
	if (!rc && count == 2)
		rc = one(r, ends[1], &range.max);
	rc = rc ? rc : range_order(r, text, &range);
	if (!rc)
		*ret_range = range;
	return rc;
}

static void range_format(const struct range *range, format_one *one, struct str *out)
{
	one(range->min, out);
	if (range->max != range->min) {
		str_add_char(out, '-');
		one(range->max, out);
	}
}

static int size_range_parse(struct reading *r, const char *text, void *field)
{
	return range_parse(r, text, kind_size, true, field);
}

static void size_range_format(FORMAT_ARGS)
{
	UNUSED_OPT_SPEC;
	range_format(field, unit_format_size, out);
}

static int time_range_parse(struct reading *r, const char *text, void *field)
{
	return range_parse(r, text, kind_time, true, field);
}

static void time_range_format(FORMAT_ARGS)
{
	UNUSED_OPT_SPEC;
	range_format(field, unit_format_time, out);
}

static int size_range3_parse(struct reading *r, const char *text, void *field)
{
	struct range read[NDATA];
	const char *parts[NDATA];
	unsigned count = kind_split(r, text, ",", parts, NDATA);

	if (count > NDATA)
		return kind_too_many(r, text, NDATA, N_("ranges (read,write,trim)"));
	memcpy(read, field, sizeof(read));
	for (unsigned i = 0; i < count; i++) {
		/* A single size may stand beside ranges: the canonical text of a mix. */
		int rc = *parts[i] ? range_parse(r, parts[i], kind_size,
						 r->face == FACE_NATIVE && count > 1, &read[i])
				   : 0;

		if (rc)
			return rc;
	}
	for (unsigned i = count; i < NDATA && *parts[count - 1]; i++)
		read[i] = read[count - 1];
	memcpy(field, read, sizeof(read));
	return 0;
}

static void size_range3_format(FORMAT_ARGS)
{
	const struct range *range = field;
	bool any = false;

	UNUSED_OPT_SPEC;
	for (unsigned i = 0; i < NDATA; i++)
		any |= range[i].min != range[i].max;
	for (unsigned i = 0; i < NDATA && any; i++) {
		if (i)
			str_add_char(out, ',');
		range_format(&range[i], unit_format_size, out);
	}
}

/* --- texts and words --- */

static int text_parse(struct reading *r, const char *text, void *field)
{
	*(const char **)field = arena_strdup(&r->set->arena, text);
	return 0;
}

static void text_format(FORMAT_ARGS)
{
	const char *text = *(const char *const *)field;

	UNUSED_OPT_SPEC;
	str_add(out, text ? text : "");
}

#define LIST_MAX 4096

/* "sim:PROFILE" and "serial:SERIAL" are one name: their colon separates nothing (a file called
 * sim is "./sim"). */
static const char *const schemes[] = {"sim", "serial"};

static unsigned join_schemes(struct reading *r, const char **items, unsigned count)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < count; i++, kept++) {
		items[kept] = items[i];
		for (size_t s = 0; s < ARRAY_SIZE(schemes) && i + 1 < count; s++)
			if (str_equal(items[i], schemes[s])) {
				items[kept] = arena_printf(&r->set->arena, "%s:%s", schemes[s],
							   items[i + 1]);
				i++;
				break;
			}
	}
	return kept;
}

/* Where the colon of its scheme is; 0: it has none. */
static size_t scheme_length(const char *item)
{
	for (size_t s = 0; s < ARRAY_SIZE(schemes); s++) {
		size_t length = strlen(schemes[s]);

		if (str_starts(item, schemes[s]) && item[length] == ':')
			return length;
	}
	return 0;
}

static int list_parse(struct reading *r, const char *text, void *field)
{
	struct text_list *list = field, old = *list;
	bool add = r->opt->kind == OPT_LIST_ADD;
	const char *parts[1];
	unsigned count = kind_split(r, text, ":", parts, 0), kept = add ? old.count : 0;
	const char **items;

	if (count + kept > LIST_MAX)
		return kind_too_many(r, text, LIST_MAX, "names");
	items = arena_array(&r->set->arena, const char *, count + kept);
	if (kept)
		memcpy(items, old.items, kept * sizeof(*items));
	(void)kind_split(r, text, ":", items + kept, count);
	count = join_schemes(r, items + kept, count);
	for (unsigned i = kept; i < count + kept; i++)
		if (!*items[i])
			return err_input(r->err,
					 "\"%s\" holds an empty name (\"\\:\" is a colon "
					 "inside a name)",
					 text);
	*list = (struct text_list){items, count + kept};
	return 0;
}

static void list_format(FORMAT_ARGS)
{
	const struct text_list *list = field;

	UNUSED_OPT_SPEC;
	for (unsigned i = 0; i < list->count; i++) {
		const char *item = list->items[i];
		size_t scheme = scheme_length(item);

		if (i)
			str_add_char(out, ':');
		for (const char *p = item; *p; p++) {
			if (*p == ':' && (!scheme || p != item + scheme))
				str_add_char(out, '\\');
			str_add_char(out, *p);
		}
	}
}

const struct opt_word *kind_word(const struct opt_word *words, const char *text)
{
	for (; words->text; words++)
		if (str_equal(words->text, text))
			return words;
	return NULL;
}

const char *kind_word_text(const struct opt_word *words, uint32_t value)
{
	for (; words->text; words++)
		if (words->value == value)
			return words->text;
	return "?";
}

static const struct opt_word *word_parse(struct reading *r, const char *text)
{
	const struct opt_word *word = kind_word(r->opt->words, text);
	autostr all = {0};

	if (word)
		return word;
	for (word = r->opt->words; word->text; word++)
		str_printf(&all, "%s%s", all.length ? " " : "", word->text);
	(void)err_input(r->err, "\"%s\" is not one of: %s", text, str_text(&all));
	return NULL;
}

static int enum_parse(struct reading *r, const char *text, void *field)
{
	const struct opt_word *word = word_parse(r, text);

	if (!word)
		return -EINVAL;
	*(uint32_t *)field = word->value;
	return 0;
}

static void enum_format(FORMAT_ARGS)
{
	(void)spec;
	str_add(out, kind_word_text(opt->words, *(const uint32_t *)field));
}

static int enum_text_parse(struct reading *r, const char *text, void *field)
{
	const struct opt_word *word = word_parse(r, text);

	if (!word)
		return -EINVAL;
	*(const char **)field = kind_word_text(r->opt->words, word->value);
	return 0;
}

#define KIND(type, name, form_, note_, fio_)                                        \
	{                                                                           \
		sizeof(type), name##_parse, name##_format, (form_), (note_), (fio_) \
	}
#define FIO_INT	  "integer value (opt=100)"
#define FIO_TIME  "string with time postfix (opt=10s)"
#define FIO_TEXT  "string (opt=bla)"
#define FIO_BOOL  "boolean value (opt=1)"
#define FIO_FLAG  "empty or boolean value ([0|1])"
#define FIO_RANGE "one to three ranges (opt=1k-4k[,4k-8k[,1k-8k]])"
#define FIO_FLOAT "list of floating point values separated by ':' (opt=5.9:7.8)"

/* Pieces that help translates one by one (lang_say), joined by "; ". */
#define NOTE_SIZE "bytes (k m g t p are powers of 1024, kB MB GB TB PB of 1000)"
#define NOTE_TIME "a time with its unit: us ms s m h d"
#define NOTE_3	  "; " N_("\"read,write,trim\" sets the three apart")

const struct opt_kind_ops opt_kinds[NOPT_KINDS] = {
	[OPT_BOOL] = KIND(bool, bool, "0|1", N_("0 or 1"), FIO_BOOL),
	[OPT_BOOL_INVERSE] = KIND(bool, bool_inverse, "0|1", N_("0 or 1"), FIO_BOOL),
	[OPT_FLAG] = KIND(bool, bool, "[0|1]", N_("alone, or 0 or 1"), FIO_FLAG),
	[OPT_COUNT] = KIND(uint32_t, count, "N", N_("a whole number"), FIO_INT),
	[OPT_COUNT64] = KIND(uint64_t, count64, "N", N_("a whole number"), FIO_INT),
	[OPT_COUNT3] = KIND(uint32_t[NDATA], count3, "N[,N[,N]]", N_("a whole number") NOTE_3,
			    FIO_INT),
	[OPT_SIGNED] =
		KIND(int32_t, signed, "N", N_("a whole number, may be negative"), FIO_INT),
	[OPT_DOUBLE] = KIND(double, double, "X", N_("a number"), FIO_FLOAT),
	[OPT_SIZE] = KIND(uint64_t, size, "SIZE", NOTE_SIZE, FIO_INT),
	[OPT_SIZE32] = KIND(uint32_t, size32, "SIZE", NOTE_SIZE, FIO_INT),
	[OPT_SIZE3] =
		KIND(uint64_t[NDATA], size3, "SIZE[,SIZE[,SIZE]]", NOTE_SIZE NOTE_3, FIO_INT),
	[OPT_AMOUNT] = KIND(struct amount, amount, "SIZE|N%",
			    NOTE_SIZE "; " N_("or a share of the file"), FIO_INT),
	[OPT_TIME] = KIND(uint64_t, time, "TIME", NOTE_TIME, FIO_TIME),
	[OPT_TIME3] =
		KIND(uint64_t[NDATA], time3, "TIME[,TIME[,TIME]]", NOTE_TIME NOTE_3, FIO_TIME),
	[OPT_TIME_RANGE] = KIND(struct range, time_range, "TIME[-TIME]",
				NOTE_TIME "; " N_("or a range"), FIO_TIME),
	[OPT_BS] =
		KIND(struct range[NDATA], bs, "SIZE[,SIZE[,SIZE]]", NOTE_SIZE NOTE_3, FIO_INT),
	[OPT_SIZE_RANGE] = KIND(struct range, size_range, "SIZE[-SIZE]",
				NOTE_SIZE "; " N_("or a range"), FIO_INT),
	[OPT_SIZE_RANGE3] = KIND(struct range[NDATA], size_range3, "LOW-HIGH[,LOW-HIGH...]",
				 N_("two sizes") NOTE_3, FIO_RANGE),
	[OPT_TEXT] = KIND(const char *, text, "TEXT", "text", FIO_TEXT),
	[OPT_TEXT_MAYBE] = KIND(const char *, text, "[TEXT]", N_("alone, or text"), FIO_TEXT),
	[OPT_LIST] =
		KIND(struct text_list, list, "NAME[:NAME...]",
		     N_("names with ':' between; \"\\:\" is a colon inside a name"), FIO_TEXT),
	[OPT_LIST_ADD] =
		KIND(struct text_list, list, "NAME[:NAME...]",
		     N_("names with ':' between; \"\\:\" is a colon inside a name; used again, "
			"it adds to the list"),
		     FIO_TEXT),
	[OPT_ENUM] = KIND(uint32_t, enum, "WORD", N_("one of the words below"), FIO_TEXT),
	[OPT_ENUM_MAYBE] = {sizeof(const char *), enum_text_parse, text_format, "WORD",
			    N_("one of the words below"), FIO_TEXT},
	[OPT_ENGINE] = KIND(const char *, kind_engine, "ENGINE", N_("the name of an engine"),
			    FIO_TEXT),
	[OPT_RW] = KIND(struct rw, kind_rw, "WORD[:N]",
			N_("one of the words below, and a step"), FIO_TEXT),
	[OPT_SPLIT] = KIND(
		struct split[NDATA], kind_split3, "SIZE/PERCENT:...",
		N_("sizes and their shares; a share left out is an equal part of the rest; "
		   "\",\" between directions"),
		FIO_TEXT),
	[OPT_DIST] = KIND(
		struct dist, kind_dist, "WORD[:X[:CENTER]]",
		N_("random, zipf:THETA, pareto:H, normal:DEVIATION, zoned:ACCESS/SPAN:... in "
		   "percent, zoned_abs:ACCESS/SIZE:..."),
		FIO_TEXT),
	[OPT_FLOATS] = KIND(double[PERCENTILES_MAX], kind_floats, "X[:X...]",
			    N_("numbers with ':' between"), FIO_FLOAT),
	[OPT_FILE_SERVICE] =
		KIND(struct file_service_rule, kind_file_service, "WORD[:X[:N]]",
		     N_("random, roundrobin, sequential, zipf, pareto or normal"), FIO_TEXT),
	[OPT_PATTERN] = KIND(struct pattern, kind_pattern, "PATTERN",
			     N_("0xHEX, a number, \"text\" and 'file' in any mix"), FIO_TEXT),
	[OPT_CPUS] = KIND(struct cpu_list, kind_cpus, "LIST", N_("numbers and ranges: 0,2,5-8"),
			  FIO_TEXT),
	[OPT_NODES] = KIND(struct cpu_list, kind_nodes, "LIST",
			   N_("numbers and ranges: 0,2-3, or all"), FIO_TEXT),
	[OPT_CPUMASK] = KIND(struct cpu_list, kind_cpumask, "MASK",
			     N_("a number, one bit a CPU"), FIO_INT),
	[OPT_NUMA] =
		KIND(enum numa_policy, kind_numa, "WORD[:LIST]",
		     N_("default, local, prefer:NODE, bind:LIST or interleave:LIST"), FIO_TEXT),
	[OPT_MEM] =
		KIND(enum mem_kind, kind_mem, "WORD[:FILE]",
		     N_("malloc, shm, shmhuge, mmap, mmaphuge, mmapshared; a file for mmap"),
		     FIO_TEXT),
	[OPT_ERRNOS] = KIND(struct errno_list[NDATA], kind_errnos, "LIST[,LIST[,LIST]]",
			    N_("names or numbers of errors with ':' between") NOTE_3, FIO_TEXT),
	[OPT_STEADY] = KIND(struct steady_spec, kind_steady, "METRIC:LIMIT[%]",
			    N_("iops, iops_slope, bw, bw_slope, lat or lat_slope, and a limit"),
			    FIO_TEXT),
};

_Static_assert(sizeof(struct split[NDATA]) <= READING_BYTES, "the largest field fits");
