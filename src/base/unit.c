#include "base/unit.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/lang.h"

/* A number as written: value = (whole * 10^digits + fraction) / 10^digits. */
struct number {
	uint64_t whole, fraction, scale; /* scale = 10^digits */
	const char *unit;		 /* what follows */
};

#define FRACTION_DIGITS_MAX 15

static int number_overflow(const char *text, struct err *err)
{
	return err_input(err, "\"%s\" is too large", text);
}

/* 16 and more: not a digit. */
static unsigned hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if ((c | 32) >= 'a' && (c | 32) <= 'f')
		return (unsigned)((c | 32) - 'a' + 10);
	return 16;
}

static int number_hex(const char *text, struct number *n, struct err *err)
{
	const char *p = text + 2;

	for (; hex_digit(*p) < 16; p++) {
		if (n->whole >> 60)
			return number_overflow(text, err);
		n->whole = n->whole << 4 | hex_digit(*p);
	}
	if (p == text + 2)
		return err_input(err, "\"%s\" is not a number: digits must follow 0x", text);
	n->unit = p;
	return 0;
}

static int number_fraction(const char *text, const char *p, struct number *n, struct err *err)
{
	unsigned digits = 0;

	for (; isdigit((unsigned char)*p); p++, digits++) {
		if (digits == FRACTION_DIGITS_MAX)
			return err_input(err, "\"%s\" has too many digits after the point",
					 text);
		n->fraction = n->fraction * 10 + (unsigned)(*p - '0');
		n->scale *= 10;
	}
	if (!digits)
		return err_input(err, "\"%s\": a digit must follow the point", text);
	n->unit = p;
	return 0;
}

static int number_parse(const char *text, const char *what, struct number *n, struct err *err)
{
	const char *p = text;

	*n = (struct number){.scale = 1};
	if (*p == '-')
		return err_input(err, "\"%s\" is negative: write %s of 0 or more", text, what);
	if (!isdigit((unsigned char)*p))
		return err_input(err, "\"%s\" is not %s", text, what);
	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		return number_hex(text, n, err);
	for (; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(n->whole, 10u, &n->whole) ||
		    __builtin_add_overflow(n->whole, (unsigned)(*p - '0'), &n->whole))
			return number_overflow(text, err);
	if (*p == '.')
		return number_fraction(text, p + 1, n, err);
	n->unit = p;
	return 0;
}

/* n * unit, which must be whole. */
static int number_times(const struct number *n, uint64_t unit, uint64_t *ret_value)
{
	unsigned __int128 part = (unsigned __int128)n->fraction * unit;
	unsigned __int128 all = (unsigned __int128)n->whole * unit + part / n->scale;

	if (part % n->scale)
		return -EDOM;
	if (all > INT64_MAX)
		return -ERANGE;
	*ret_value = (uint64_t)all;
	return 0;
}

int unit_parse_count(const char *text, uint64_t *ret_count, struct err *err)
{
	struct number n;
	int rc = number_parse(text, N_("a whole number"), &n, err);

	if (rc)
		return rc;
	if (n.scale > 1)
		return err_input(err, "\"%s\" is not a whole number: round it", text);
	if (tolower((unsigned char)n.unit[0]) == 'k' && !n.unit[1])
		return err_input(err, "\"%s\": a count takes no unit: write %llu000, or %llu",
				 text, (unsigned long long)n.whole,
				 (unsigned long long)n.whole * 1024);
	if (*n.unit)
		return err_input(err, "\"%s\" is not a whole number: take out \"%s\"", text,
				 n.unit);
	*ret_count = n.whole;
	return 0;
}

int unit_parse_signed(const char *text, int64_t *ret_count, struct err *err)
{
	bool minus = text[0] == '-';
	struct number n;
	int rc = number_parse(text + minus, N_("a whole number"), &n, err);

	if (rc)
		return rc;
	if (n.scale > 1)
		return err_input(err, "\"%s\" is not a whole number: round it", text);
	if (*n.unit)
		return err_input(err, "\"%s\" is not a whole number: take out \"%s\"", text,
				 n.unit);
	if (n.whole > INT64_MAX)
		return number_overflow(text, err);
	*ret_count = minus ? -(int64_t)n.whole : (int64_t)n.whole;
	return 0;
}

int unit_parse_double(const char *text, double *ret_value, struct err *err)
{
	const char *p = text + (text[0] == '-');
	char *end;
	double value;

	if (!isdigit((unsigned char)*p) || (p[0] == '0' && tolower((unsigned char)p[1]) == 'x'))
		return err_input(err, "\"%s\" is not a number (try 1.5)", text);
	value = strtod(text, &end);
	if (*end || !isfinite(value))
		return err_input(err, "\"%s\" is not a number (try 1.5)", text);
	*ret_value = value;
	return 0;
}

#define KIB_LETTERS "kmgtp"

/* Power of 1024 or 1000 of a size's unit; 0: not a unit. */
static uint64_t size_unit(const char *unit)
{
	const char *letter;
	uint64_t base, value = 1;

	if (!*unit || str_equal(unit, "B"))
		return 1;
	letter = strchr(KIB_LETTERS, tolower((unsigned char)unit[0]));
	if (!letter)
		return 0;
	if (!unit[1] || str_equal(unit + 1, "i") || str_equal(unit + 1, "iB"))
		base = 1024;
	else if (str_equal(unit + 1, "B") &&
		 (unit[0] == 'k' || isupper((unsigned char)unit[0])))
		base = 1000;
	else
		return 0;
	if (base == 1000 && unit[0] == 'K')
		return 0; /* KB: people mean either */
	for (long power = letter - KIB_LETTERS + 1; power > 0; power--)
		value *= base;
	return value;
}

/* The units that people mean in two ways: "KB", "Kb", "kb", "mb", "gb" ... */
static int size_ambiguous(const char *text, const struct number *n, struct err *err)
{
	int digits = (int)(n->unit - text);
	char letter = n->unit[0];

	if (strlen(n->unit) != 2 || tolower((unsigned char)n->unit[1]) != 'b' ||
	    !strchr(KIB_LETTERS, tolower((unsigned char)letter)))
		return 0;
	return err_input(
		err,
		"\"%s\" can mean two sizes: write %.*s%c for powers of 1024, or "
		"%.*s%cB for powers of 1000",
		text, digits, text, tolower((unsigned char)letter), digits, text,
		tolower((unsigned char)letter) == 'k' ? 'k' : toupper((unsigned char)letter));
}

int unit_parse_size(const char *text, uint64_t *ret_bytes, struct err *err)
{
	struct number n;
	uint64_t unit;
	int rc = number_parse(text, N_("a size (try 4k or 1m)"), &n, err);

	if (rc)
		return rc;
	unit = size_unit(n.unit);
	if (!unit) {
		rc = size_ambiguous(text, &n, err);
		return rc ? rc
			  : err_input(
				    err,
				    "\"%s\" is not a size: unknown unit \"%s\" (k m g t p are "
				    "powers of 1024, kB MB GB TB PB of 1000)",
				    text, n.unit);
	}
	rc = number_times(&n, unit, ret_bytes);
	if (rc == -EDOM)
		return err_input(err,
				 "\"%s\" is not a whole number of bytes: round it, or add the "
				 "unit that is missing (k m g)",
				 text);
	return rc ? number_overflow(text, err) : 0;
}

struct time_unit {
	const char *name;
	uint64_t ns;
};

/* The first name of a length is canonical. */
static const struct time_unit time_units[] = {
	{"ns", 1},
	{"nsec", 1},
	{"us", NS_PER_US},
	{"usec", NS_PER_US},
	{"ms", NS_PER_MS},
	{"msec", NS_PER_MS},
	{"s", NS_PER_S},
	{"m", 60 * NS_PER_S},
	{"h", 3600 * NS_PER_S},
	{"d", 86400 * NS_PER_S},
};

static const struct time_unit *time_unit_find(const char *name)
{
	for (unsigned i = 0; i < ARRAY_SIZE(time_units); i++)
		if (str_equal(time_units[i].name, name))
			return &time_units[i];
	return NULL;
}

/* What people write for a unit; NULL: no idea. */
static const char *time_unit_meant(const char *unit)
{
	static const struct {
		const char *written, *meant;
	} words[] = {
		{"sec", "s"},	  {"secs", "s"},    {"second", "s"}, {"seconds", "s"},
		{"S", "s"},	  {"min", "m"},	    {"mins", "m"},   {"minute", "m"},
		{"minutes", "m"}, {"hr", "h"},	    {"hour", "h"},   {"hours", "h"},
		{"H", "h"},	  {"day", "d"},	    {"days", "d"},   {"D", "d"},
		{"msecs", "ms"},  {"MS", "ms"},	    {"usecs", "us"}, {"US", "us"},
		{"micros", "us"}, {"millis", "ms"},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
		if (str_equal(words[i].written, unit))
			return words[i].meant;
	return NULL;
}

static int time_unknown(const char *text, const struct number *n, struct err *err)
{
	const char *meant = time_unit_meant(n->unit);

	if (meant)
		return err_input(err, "\"%s\": \"%s\" is not a unit of time: write %.*s%s",
				 text, n->unit, (int)(n->unit - text), text, meant);
	return err_input(err, "\"%s\": \"%s\" is not a unit of time (us ms s m h d)", text,
			 n->unit);
}

int unit_parse_time(const char *text, const char *bare_unit, uint64_t *ret_ns, struct err *err)
{
	const struct time_unit *unit;
	struct number n;
	int rc = number_parse(text, N_("a time (try 10s or 500us)"), &n, err);

	if (rc)
		return rc;
	if (!*n.unit && !n.whole && !n.fraction) {
		*ret_ns = 0;
		return 0;
	}
	if (!*n.unit && !str_equal(bare_unit, "s"))
		return err_input(err, "\"%s\" has no unit: write %s%s", text, text, bare_unit);
	unit = time_unit_find(*n.unit ? n.unit : bare_unit);
	if (!unit)
		return time_unknown(text, &n, err);
	rc = number_times(&n, unit->ns, ret_ns);
	if (rc == -EDOM)
		return err_input(err, "\"%s\" is not a whole number of nanoseconds: round it",
				 text);
	return rc ? number_overflow(text, err) : 0;
}

int unit_parse_percent(const char *text, uint32_t *ret_percent_x100, struct err *err)
{
	uint64_t value = 0;
	struct number n;
	int rc = number_parse(text, N_("a share (try 50%)"), &n, err);

	if (rc)
		return rc;
	if (!str_equal(n.unit, "%"))
		return err_input(err, "\"%s\" is not a share (try 50%%)", text);
	rc = number_times(&n, 100, &value);
	if (rc == -EDOM)
		return err_input(err, "\"%s\": at most two digits after the point", text);
	if (rc || value > 10000)
		return err_input(err, "\"%s\" is more than the whole: at most 100%%", text);
	*ret_percent_x100 = (uint32_t)value;
	return 0;
}

void unit_format_size(uint64_t bytes, struct str *out)
{
	int power = 0;

	while (bytes && power < 5 && !(bytes & 1023)) {
		bytes >>= 10;
		power++;
	}
	str_printf(out, "%llu", (unsigned long long)bytes);
	if (power)
		str_add_char(out, KIB_LETTERS[power - 1]);
}

void unit_format_time(uint64_t ns, struct str *out)
{
	static const struct time_unit canonical[] = {
		{"s", NS_PER_S}, {"ms", NS_PER_MS}, {"us", NS_PER_US}, {"ns", 1}};
	unsigned i = 0;

	if (!ns) {
		str_add_char(out, '0');
		return;
	}
	while (ns % canonical[i].ns)
		i++;
	str_printf(out, "%llu%s", (unsigned long long)(ns / canonical[i].ns),
		   canonical[i].name);
}

void unit_format_double(double value, struct str *out)
{
	char text[40];

	for (int digits = 6; digits <= 17; digits++) {
		(void)snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	str_add(out, text);
}

void unit_format_percent(uint32_t percent_x100, struct str *out)
{
	uint32_t rest = percent_x100 % 100;

	str_printf(out, "%u", percent_x100 / 100);
	if (rest % 10)
		str_printf(out, ".%02u", rest);
	else if (rest)
		str_printf(out, ".%u", rest / 10);
	str_add_char(out, '%');
}
