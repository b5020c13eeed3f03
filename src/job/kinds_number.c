/*
 * Single numbers in both faces: strictly through base/unit.h, or as fio reads them. fio's
 * readings were taken from its behaviour: what follows the digits and is no unit is dropped,
 * and so is a fraction; each such reading leaves a remark with the value understood.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/str.h"
#include "base/unit.h"
#include "job/options_priv.h"

void kind_doubt(struct reading *r, const char *text, const char *understood)
{
	job_note_add(r->set, NOTE_WARNING, r->spec ? r->spec->name : NULL, r->opt->name,
		     "\"%s\" was read as %s, as fio reads it", text, understood);
}

/* fio's number: decimal or 0x, no sign. *ret_rest is what follows. */
static int fio_digits(struct reading *r, const char *text, uint64_t *ret_value,
		      const char **ret_rest)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *end;

	if (text[0] == '-')
		return err_input(r->err, "\"%s\" is negative: write a number of 0 or more",
				 text);
	if (!isdigit((unsigned char)text[0]))
		return err_input(r->err, "\"%s\" is not a number", text);
	errno = 0;
	*ret_value = strtoull(text, &end, hex ? 16 : 10);
	if (errno || *ret_value > INT64_MAX)
		return err_input(r->err, "\"%s\" is too large", text);
	*ret_rest = end;
	return 0;
}

static void doubt_size(struct reading *r, const char *text, uint64_t bytes)
{
	autostr s = {0};

	str_printf(&s, "%llu", (unsigned long long)bytes);
	kind_doubt(r, text, str_text(&s));
}

/* The multiplier of fio's suffix; *ret_doubt when a reader may have meant another. */
static uint64_t fio_suffix(const struct reading *r, const char *rest, bool *ret_doubt)
{
	static const char letters[] = "kmgtp";
	const char *letter = *rest ? strchr(letters, tolower((unsigned char)*rest)) : NULL;
	uint64_t base = r->spec && r->spec->kb_base == 1000 ? 1000 : 1024, unit = 1;

	if (!letter) {
		*ret_doubt = *rest && strcasecmp(rest, "b") != 0;
		return 1;
	}
	if (strncasecmp(rest + 1, "ib", 2) == 0)
		base = base == 1024 ? 1000 : 1024;
	*ret_doubt =
		rest[1] && strcasecmp(rest + 1, "b") != 0 && strcasecmp(rest + 1, "i") != 0;
	for (long power = letter - letters + 1; power > 0; power--)
		unit *= base;
	return unit;
}

static int fio_size(struct reading *r, const char *text, bool count, uint64_t *ret_bytes)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X'), doubt = false;
	const char *rest = text;
	uint64_t value = 0, unit = 1;
	int rc = fio_digits(r, text, &value, &rest);

	if (rc)
		return rc;
	if (strchr(rest, '%') && !(r->opt->flags & OPT_PERCENT))
		return err_input(r->err, "\"%s\": this option takes no percentage", text);
	if (hex)
		doubt = *rest != '\0';
	else
		unit = fio_suffix(r, rest, &doubt);
	if (rest[0] == '%' && !rest[1])
		doubt = false;
	if (__builtin_mul_overflow(value, unit, &value) || value > INT64_MAX)
		return err_input(r->err, "\"%s\" is too large", text);
	if (doubt || (count && unit > 1))
		doubt_size(r, text, value);
	*ret_bytes = value;
	return 0;
}

static const char *bare_unit(const struct opt *opt)
{
	return opt->flags & OPT_IN_US ? "us" : opt->flags & OPT_IN_MS ? "ms" : "s";
}

static uint64_t bare_unit_ns(const struct opt *opt)
{
	return opt->flags & OPT_IN_US	? NS_PER_US
	       : opt->flags & OPT_IN_MS ? NS_PER_MS
					: NS_PER_S;
}

/* The length of fio's unit; 0: not one. */
static uint64_t fio_time_unit(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{"us", NS_PER_US},	{"usec", NS_PER_US},	 {"ms", NS_PER_MS},
		{"msec", NS_PER_MS},	{"s", NS_PER_S},	 {"m", 60 * NS_PER_S},
		{"h", 3600 * NS_PER_S}, {"d", 86400 * NS_PER_S},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(units); i++)
		if (strcasecmp(units[i].name, unit) == 0)
			return units[i].ns;
	return 0;
}

/* fio's time: the digits, then the first letters anywhere after them; unknown letters mean
 * microseconds. */
static int fio_time(struct reading *r, const char *text, uint64_t *ret_ns)
{
	uint64_t value = 0, unit = bare_unit_ns(r->opt);
	const char *rest = text;
	bool doubt;
	int rc = fio_digits(r, text, &value, &rest);

	if (rc)
		return rc;
	doubt = *rest && !isalpha((unsigned char)*rest) && *rest != ' ';
	while (*rest && !isalpha((unsigned char)*rest))
		rest++;
	if (*rest) {
		unit = fio_time_unit(rest);
		doubt |= !unit;
		unit = unit ? unit : NS_PER_US;
	}
	if (__builtin_mul_overflow(value, unit, &value) || value > INT64_MAX)
		return err_input(r->err, "\"%s\" is too long a time", text);
	if (doubt) {
		autostr s = {0};

		unit_format_time(value, &s);
		kind_doubt(r, text, str_text(&s));
	}
	*ret_ns = value;
	return 0;
}

void opt_format_bound(const struct opt *opt, int64_t value, struct str *out)
{
	bool time =
		opt->kind == OPT_TIME || opt->kind == OPT_TIME3 || opt->kind == OPT_TIME_RANGE;
	bool size = opt->kind == OPT_SIZE || opt->kind == OPT_SIZE3 ||
		    opt->kind == OPT_SIZE32 || opt->kind == OPT_BS ||
		    opt->kind == OPT_SIZE_RANGE3 || opt->kind == OPT_SIZE_RANGE ||
		    opt->kind == OPT_SPLIT || opt->kind == OPT_AMOUNT;

	if (time)
		unit_format_time((uint64_t)value, out);
	else if (size)
		unit_format_size((uint64_t)value, out);
	else
		str_printf(out, "%lld", (long long)value);
}

int kind_bounds(struct reading *r, const char *text, int64_t value)
{
	const struct opt *opt = r->opt;
	autostr bound = {0};

	if (value < opt->min) {
		opt_format_bound(opt, opt->min, &bound);
		return err_input(r->err, "\"%s\" is too small: at least %s", text,
				 str_text(&bound));
	}
	if (opt->max && value > opt->max) {
		opt_format_bound(opt, opt->max, &bound);
		return err_input(r->err, "\"%s\" is too large: at most %s%s", text,
				 str_text(&bound), opt->flags & OPT_PERCENT ? "%" : "");
	}
	if (opt->flags & OPT_POWER_OF_2 && value & (value - 1))
		return err_input(r->err, "\"%s\" is not a power of two", text);
	return 0;
}

/* Its own bound, which the readers below do not know. */
static int not_negative(struct reading *r, const char *text)
{
	autostr bound = {0};

	if (text[0] != '-')
		return 0;
	opt_format_bound(r->opt, r->opt->min, &bound);
	return err_input(r->err, "\"%s\" is negative: at least %s", text, str_text(&bound));
}

int kind_size(struct reading *r, const char *text, uint64_t *ret_bytes)
{
	uint64_t bytes = 0;
	int rc = not_negative(r, text);

	if (!rc)
		rc = r->face == FACE_FIO ? fio_size(r, text, false, &bytes)
					 : unit_parse_size(text, &bytes, r->err);
	rc = rc ? rc : kind_bounds(r, text, (int64_t)bytes);
	if (!rc)
		*ret_bytes = bytes;
	return rc;
}

int kind_time(struct reading *r, const char *text, uint64_t *ret_ns)
{
	uint64_t ns = 0;
	int rc = not_negative(r, text);

	if (rc)
		return rc;
	if (r->face == FACE_NATIVE) {
		rc = unit_parse_time(text, bare_unit(r->opt), &ns, r->err);
	} else if (r->opt->flags & OPT_FIO_INT) {
		rc = fio_size(r, text, false, &ns);
		if (!rc && __builtin_mul_overflow(ns, bare_unit_ns(r->opt), &ns))
			rc = err_input(r->err, "\"%s\" is too long a time", text);
	} else {
		rc = fio_time(r, text, &ns);
	}
	rc = rc ? rc : kind_bounds(r, text, (int64_t)ns);
	if (!rc)
		*ret_ns = ns;
	return rc;
}

/* A trailing "%" of a share is allowed and means nothing more. */
static int native_count(struct reading *r, const char *text, uint64_t *ret_count)
{
	size_t n = strlen(text);
	char digits[32];

	if (!(r->opt->flags & OPT_PERCENT) || n < 2 || n > sizeof(digits) || text[n - 1] != '%')
		return unit_parse_count(text, ret_count, r->err);
	memcpy(digits, text, n - 1);
	digits[n - 1] = '\0';
	return unit_parse_count(digits, ret_count, r->err);
}

int kind_count(struct reading *r, const char *text, uint64_t *ret_count)
{
	uint64_t count = 0;
	int rc = not_negative(r, text);

	if (!rc)
		rc = r->face == FACE_FIO ? fio_size(r, text, true, &count)
					 : native_count(r, text, &count);
	rc = rc ? rc : kind_bounds(r, text, (int64_t)count);
	if (!rc)
		*ret_count = count;
	return rc;
}

int kind_double(struct reading *r, const char *text, double *ret_value)
{
	return unit_parse_double(text, ret_value, r->err);
}
