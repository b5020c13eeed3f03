#include "stat/check.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/lang.h"
#include "base/quantity.h"

#define DEPTH_MAX 16 /* brackets inside one another */

struct parse {
	const char *text, *at;
	const struct check_figures *figures;
	struct check_result *result;
	struct err *err;
	unsigned depth;
};

/* What stands on one side: the value, and the figure if it is nothing but that. */
struct term {
	struct check_value value;
	struct check_figure figure;
};

static const struct check_unit_name {
	const char *name;
	enum check_unit unit;
	double factor;
} units[] = {
	{"ns", CHECK_TIME, 1},
	{"us", CHECK_TIME, 1e3},
	{"ms", CHECK_TIME, 1e6},
	{"s", CHECK_TIME, 1e9},
	{"m", CHECK_TIME, 60e9},
	{"h", CHECK_TIME, 3600e9},
	{"B", CHECK_BYTES, 1},
	{"kB", CHECK_BYTES, 1e3},
	{"MB", CHECK_BYTES, 1e6},
	{"GB", CHECK_BYTES, 1e9},
	{"TB", CHECK_BYTES, 1e12},
	{"KiB", CHECK_BYTES, (double)KiB},
	{"MiB", CHECK_BYTES, (double)MiB},
	{"GiB", CHECK_BYTES, (double)GiB},
	{"TiB", CHECK_BYTES, (double)TiB},
	{"%", CHECK_NUMBER, 1e-2},
	{"ppm", CHECK_NUMBER, 1e-6},
};

static const char *const unit_words[] = {
	[CHECK_NUMBER] = N_("a number"),
	[CHECK_TIME] = N_("a time"),
	[CHECK_BYTES] = N_("a size"),
	[CHECK_BYTES_PER_S] = N_("a bandwidth"),
	[CHECK_PER_HOUR] = N_("a rate per hour"),
};

static const char *const unit_examples[] = {
	[CHECK_NUMBER] = N_("100 or 5%"),
	[CHECK_TIME] = "5ms",
	[CHECK_BYTES] = "4KiB",
	[CHECK_BYTES_PER_S] = "500MB/s",
	[CHECK_PER_HOUR] = N_("a plain number"),
};

const char *outcome_name(enum outcome outcome)
{
	static const char *const names[] = {
		[OUTCOME_PASS] = "pass",
		[OUTCOME_FAIL] = "fail",
		[OUTCOME_CANNOT_TELL] = "cannot tell",
		[OUTCOME_NOT_APPLICABLE] = N_("not applicable"),
	};

	return names[outcome];
}

enum outcome outcome_of(const char *name)
{
	for (enum outcome o = OUTCOME_PASS; o <= OUTCOME_NOT_APPLICABLE; o++) {
		if (str_equal(outcome_name(o), name))
			return o;
	}
	return OUTCOME_CANNOT_TELL;
}

static unsigned column(const struct parse *parse)
{
	return (unsigned)(parse->at - parse->text) + 1;
}

#define refuse(parse, ...)                                                         \
	(err_input((parse)->err, __VA_ARGS__),                                     \
	 err_context((parse)->err, "check \"%.80s\", at column %u", (parse)->text, \
		     column(parse)),                                               \
	 -EINVAL)

static void skip_blanks(struct parse *parse)
{
	while (*parse->at == ' ' || *parse->at == '\t')
		parse->at++;
}

static bool take(struct parse *parse, const char *sign)
{
	skip_blanks(parse);
	if (strncmp(parse->at, sign, strlen(sign)) != 0)
		return false;
	parse->at += strlen(sign);
	return true;
}

static size_t word_length(const char *at)
{
	size_t length = 0;

	while (isalnum((unsigned char)at[length]) || at[length] == '_' || at[length] == '.')
		length++;
	return length;
}

/* A word that stands alone: "or", "of". */
static bool take_word(struct parse *parse, const char *word)
{
	skip_blanks(parse);
	if (word_length(parse->at) != strlen(word) ||
	    strncmp(parse->at, word, strlen(word)) != 0)
		return false;
	parse->at += strlen(word);
	return true;
}

static void exactly(struct check_value *value, double number, enum check_unit unit)
{
	*value = (struct check_value){
		.unit = unit, .value = number, .low = number, .high = number};
}

static const struct check_unit_name *find_unit(const char *at, size_t length)
{
	for (unsigned i = 0; i < ARRAY_SIZE(units); i++) {
		if (strlen(units[i].name) == length && strncmp(units[i].name, at, length) == 0)
			return &units[i];
	}
	return NULL;
}

/* A unit follows at once, or after a blank; a word after a blank may also be "x" or "or". */
static int parse_unit(struct parse *parse, struct check_value *value)
{
	const char *at = parse->at + strspn(parse->at, " \t");
	const struct check_unit_name *unit;
	double number = value->value;
	size_t length = *at == '%';

	while (*at != '%' && isalpha((unsigned char)at[length]))
		length++;
	unit = find_unit(at, length);
	if (!unit) {
		if (!length || at > parse->at)
			return 0;
		return refuse(
			parse,
			"\"%.*s\" is no unit: write ns us ms s m h, B kB MB GB KiB MiB GiB, "
			"MB/s, %% or ppm",
			(int)min_u64(length, 40), at);
	}
	parse->at = at + length;
	exactly(value, number * unit->factor, unit->unit);
	value->share = *unit->name == '%' || *unit->name == 'p';
	if (unit->unit == CHECK_BYTES && strncmp(parse->at, "/s", 2) == 0) {
		parse->at += 2;
		value->unit = CHECK_BYTES_PER_S;
	}
	return 0;
}

static int parse_number(struct parse *parse, struct term *ret_term)
{
	char digits[40], *end;
	size_t sign = *parse->at == '-';
	size_t length = sign + strspn(parse->at + sign, "0123456789.");
	double number;

	if (length >= sizeof(digits))
		return refuse(parse, "a number of %zu digits: write at most %zu", length,
			      sizeof(digits) - 1);
	memcpy(digits, parse->at, length);
	digits[length] = '\0';
	number = strtod(digits, &end);
	if (*end)
		return refuse(parse, "\"%s\" is not a number", digits);
	parse->at += length;
	exactly(&ret_term->value, number, CHECK_NUMBER);
	return parse_unit(parse, &ret_term->value);
}

/* Brackets make the grammar recursive; DEPTH_MAX bounds the depth. */
/* NOLINTBEGIN(misc-no-recursion) */
static int parse_sum(struct parse *parse, struct term *ret_term);

static int parse_argument(struct parse *parse, struct check_figure *figure)
{
	struct term argument = {0};
	int rc;

	figure->argument = (double)NAN;
	skip_blanks(parse);
	if (*parse->at != '(')
		return 0;
	parse->at++;
	rc = parse_sum(parse, &argument);
	if (rc)
		return rc;
	if (!take(parse, ")"))
		return refuse(parse, "\")\" is missing after the argument of \"%s\"",
			      figure->name);
	if (argument.value.state == CHECK_UNKNOWN)
		argument.value.value = (double)NAN;
	figure->argument = argument.value.value;
	figure->argument_unit = argument.value.unit;
	return 0;
}

static int parse_figure(struct parse *parse, struct term *ret_term)
{
	size_t length = word_length(parse->at);
	const char *start = parse->at;
	struct err err = {0};
	int rc;

	if (length >= sizeof(ret_term->figure.name))
		return refuse(parse, "\"%.*s\" is no figure", (int)min_u64(length, 40), start);
	memcpy(ret_term->figure.name, start, length);
	ret_term->figure.name[length] = '\0';
	parse->at += length;
	rc = parse_argument(parse, &ret_term->figure);
	if (rc)
		return rc;
	rc = parse->figures->find(parse->figures->ctx, &ret_term->figure, &ret_term->value,
				  &err);
	if (!rc)
		return 0;
	parse->at = start;
	return refuse(parse, "%s", err.text);
}

static int parse_factor(struct parse *parse, struct term *ret_term)
{
	int rc;

	*ret_term = (struct term){0};
	skip_blanks(parse);
	if (isdigit((unsigned char)parse->at[*parse->at == '-']))
		return parse_number(parse, ret_term);
	if (isalpha((unsigned char)*parse->at))
		return parse_figure(parse, ret_term);
	if (!take(parse, "("))
		return refuse(parse, "%s: a figure or a number belongs here",
			      *parse->at ? N_("this cannot be read") : N_("the end"));
	if (++parse->depth > DEPTH_MAX)
		return refuse(parse, "more than %u brackets inside one another", DEPTH_MAX);
	rc = parse_sum(parse, ret_term);
	parse->depth--;
	if (rc)
		return rc;
	if (!take(parse, ")"))
		return refuse(parse, "\"%s\" is missing", ")");
	return 0;
}

/* What is not known stays so, whatever is done to it. */
static void inherit(struct check_value *into, const struct check_value *a,
		    const struct check_value *b)
{
	const struct check_value *worse = a->state >= b->state ? a : b;

	into->state = worse->state;
	memcpy(into->reason, worse->reason, sizeof(into->reason));
	into->samples = a->samples > 0 ? a->samples : b->samples;
}

/* The least and the greatest of what four corners give. */
static void corners(struct check_value *value, const double *corner)
{
	value->low = fmin(fmin(corner[0], corner[1]), fmin(corner[2], corner[3]));
	value->high = fmax(fmax(corner[0], corner[1]), fmax(corner[2], corner[3]));
}

static int multiply(struct parse *parse, struct term *left, const struct term *right,
		    bool divide)
{
	const struct check_value *a = &left->value, *b = &right->value;
	struct check_value product = {0};

	if (divide) {
		if (b->unit != CHECK_NUMBER && b->unit != a->unit)
			return refuse(parse, "%s cannot be divided by %s", unit_words[a->unit],
				      unit_words[b->unit]);
		product.unit = b->unit == CHECK_NUMBER ? a->unit : CHECK_NUMBER;
		product.value = a->value / b->value;
		corners(&product, (const double[]){a->low / b->low, a->low / b->high,
						   a->high / b->low, a->high / b->high});
	} else {
		if (a->unit != CHECK_NUMBER && b->unit != CHECK_NUMBER)
			return refuse(parse, "%s times %s is nothing", unit_words[a->unit],
				      unit_words[b->unit]);
		product.unit = a->unit == CHECK_NUMBER ? b->unit : a->unit;
		product.value = a->value * b->value;
		corners(&product, (const double[]){a->low * b->low, a->low * b->high,
						   a->high * b->low, a->high * b->high});
	}
	inherit(&product, a, b);
	if (product.state == CHECK_KNOWN && isnan(product.value)) {
		product.state = CHECK_UNKNOWN;
		(void)snprintf(product.reason, sizeof(product.reason),
			       N_("nothing divided by nothing"));
	}
	*left = (struct term){.value = product};
	return 0;
}

static int parse_product(struct parse *parse, struct term *ret_term)
{
	int rc = parse_factor(parse, ret_term);

	while (!rc) {
		bool divide = take(parse, "/");
		struct term right;

		if (!divide && !take(parse, "*") && !take_word(parse, "x") &&
		    !take_word(parse, "of"))
			return 0;
		rc = parse_factor(parse, &right);
		if (!rc)
			rc = multiply(parse, ret_term, &right, divide);
	}
	return rc;
}

static int parse_sum(struct parse *parse, struct term *ret_term)
{
	int rc;

	if (++parse->depth > DEPTH_MAX)
		return refuse(parse, "more than %u brackets inside one another", DEPTH_MAX);
	rc = parse_product(parse, ret_term);
	while (!rc) {
		bool minus = take(parse, "-");
		struct check_value *a = &ret_term->value, sum = {0};
		struct term right;

		if (!minus && !take(parse, "+"))
			break;
		rc = parse_product(parse, &right);
		if (rc)
			break;
		if (a->unit != right.value.unit) {
			rc = refuse(parse, "%s and %s do not add up", unit_words[a->unit],
				    unit_words[right.value.unit]);
			break;
		}
		sum.unit = a->unit;
		sum.share = a->share && right.value.share;
		sum.value = a->value + (minus ? -right.value.value : right.value.value);
		sum.low = a->low + (minus ? -right.value.high : right.value.low);
		sum.high = a->high + (minus ? -right.value.low : right.value.high);
		inherit(&sum, a, &right.value);
		*ret_term = (struct term){.value = sum};
	}
	parse->depth--;
	return rc;
}

/* NOLINTEND(misc-no-recursion) */

static bool holds(const char *compare, double a, double b)
{
	if (str_equal(compare, "=="))
		return a == b;
	if (str_equal(compare, "!="))
		return a != b;
	if (*compare == '<')
		return compare[1] ? a <= b : a < b;
	return compare[1] ? a >= b : a > b;
}

static enum outcome decide(const char *compare, const struct check_value *a,
			   const struct check_value *b)
{
	bool one, other;

	if (a->state == CHECK_ABSENT || b->state == CHECK_ABSENT)
		return OUTCOME_NOT_APPLICABLE;
	if (a->state == CHECK_UNKNOWN || b->state == CHECK_UNKNOWN)
		return OUTCOME_CANNOT_TELL;
	one = holds(compare, a->low, b->high);
	other = holds(compare, a->high, b->low);
	if (*compare == '=' || *compare == '!') {
		bool apart = a->high < b->low || b->high < a->low;

		if (!apart && (a->low < a->high || b->low < b->high))
			return OUTCOME_CANNOT_TELL;
		return apart == (*compare == '!') ? OUTCOME_PASS : OUTCOME_FAIL;
	}
	if (one != other)
		return OUTCOME_CANNOT_TELL;
	return one ? OUTCOME_PASS : OUTCOME_FAIL;
}

static int parse_compare(struct parse *parse, char *ret_compare)
{
	static const char *const signs[] = {"<=", ">=", "==", "!=", "<", ">"};

	for (unsigned i = 0; i < ARRAY_SIZE(signs); i++) {
		if (!take(parse, signs[i]))
			continue;
		(void)snprintf(ret_compare, 3, "%s", signs[i]);
		return 0;
	}
	return refuse(parse, "%s belongs here", N_("one of < <= > >= == !="));
}

static int parse_comparison(struct parse *parse, enum outcome *ret_outcome)
{
	struct check_comparison *one;
	struct term left = {0}, right = {0};
	const char *start, *middle;
	int rc;

	if (parse->result->ncomparisons == CHECK_COMPARISONS_MAX)
		return refuse(parse, "more than %u comparisons: write several checks",
			      CHECK_COMPARISONS_MAX);
	one = &parse->result->comparisons[parse->result->ncomparisons];
	*one = (struct check_comparison){0};
	skip_blanks(parse);
	start = parse->at;
	rc = parse_sum(parse, &left);
	rc = rc ? rc : parse_compare(parse, one->compare);
	skip_blanks(parse);
	middle = parse->at;
	rc = rc ? rc : parse_sum(parse, &right);
	if (rc)
		return rc;
	if (left.value.unit != right.value.unit) {
		parse->at = middle;
		return refuse(parse, "%s is compared with %s: write it as in \"%s\"",
			      unit_words[left.value.unit], unit_words[right.value.unit],
			      unit_examples[left.value.unit]);
	}
	middle = parse->at;
	while (middle > start && (middle[-1] == ' ' || middle[-1] == '\t'))
		middle--;
	(void)snprintf(one->text, sizeof(one->text), "%.*s",
		       (int)min_u64((uint64_t)(middle - start), sizeof(one->text) - 1), start);
	one->left = (struct check_side){left.figure, left.value};
	one->right = (struct check_side){right.figure, right.value};
	one->outcome = *ret_outcome = decide(one->compare, &left.value, &right.value);
	if (one->outcome == OUTCOME_CANNOT_TELL && parse->figures->needs && *left.figure.name &&
	    left.value.state == CHECK_KNOWN && right.value.state == CHECK_KNOWN)
		one->needs = parse->figures->needs(parse->figures->ctx, &left.figure,
						   right.value.value);
	parse->result->ncomparisons++;
	return 0;
}

/* Three-valued logic; what does not apply takes no part. */
static enum outcome both(enum outcome a, enum outcome b)
{
	if (a == OUTCOME_NOT_APPLICABLE || b == OUTCOME_NOT_APPLICABLE)
		return a == OUTCOME_NOT_APPLICABLE ? b : a;
	if (a == OUTCOME_FAIL || b == OUTCOME_FAIL)
		return OUTCOME_FAIL;
	return a == OUTCOME_PASS ? b : a;
}

static enum outcome either(enum outcome a, enum outcome b)
{
	if (a == OUTCOME_NOT_APPLICABLE || b == OUTCOME_NOT_APPLICABLE)
		return a == OUTCOME_NOT_APPLICABLE ? b : a;
	if (a == OUTCOME_PASS || b == OUTCOME_PASS)
		return OUTCOME_PASS;
	return a == OUTCOME_FAIL ? b : a;
}

static int parse_condition(struct parse *parse, enum outcome *ret_outcome)
{
	enum outcome other = OUTCOME_CANNOT_TELL;
	int rc = parse_comparison(parse, ret_outcome);

	while (!rc && take_word(parse, "and")) {
		rc = parse_comparison(parse, &other);
		if (!rc)
			*ret_outcome = both(*ret_outcome, other);
	}
	return rc;
}

int check_judge(const char *text, const struct check_figures *figures,
		struct check_result *ret_result, struct err *err)
{
	struct parse parse = {
		.text = text, .at = text, .figures = figures, .result = ret_result, .err = err};
	enum outcome other = OUTCOME_CANNOT_TELL;
	int rc;

	*ret_result = (struct check_result){0};
	rc = parse_condition(&parse, &ret_result->outcome);
	while (!rc && take_word(&parse, "or")) {
		rc = parse_condition(&parse, &other);
		if (!rc)
			ret_result->outcome = either(ret_result->outcome, other);
	}
	skip_blanks(&parse);
	if (!rc && *parse.at)
		rc = refuse(&parse, "\"%.20s\" is left over: one check a line, joined by %s",
			    parse.at, N_("\"and\" or \"or\""));
	return rc;
}

static int no_figure(void *ctx, const struct check_figure *figure,
		     struct check_value *ret_value, struct err *err)
{
	(void)ctx, (void)ret_value;
	return err_input(err, "\"%s\" is not a number", figure->name);
}

int check_number(const char *text, struct check_value *ret_value, struct err *err)
{
	const struct check_figures none = {.find = no_figure};
	struct check_result result;
	autostr check = {0};
	int rc;

	str_printf(&check, "%s == %s", text, text);
	rc = check_judge(str_text(&check), &none, &result, err);
	if (!rc)
		*ret_value = result.comparisons[0].left.value;
	return rc;
}

void check_format(const struct check_value *value, struct str *out)
{
	double number = value->value;

	switch (value->unit) {
	case CHECK_NUMBER:
		if (value->share && number != 0 && fabs(number) < 1e-4)
			str_printf(out, "%.3g ppm", number * 1e6);
		else if (value->share)
			str_printf(out, "%.4g %%", number * 100);
		else if (number == floor(number) && number >= 0 && number < 1e15)
			quantity_count((uint64_t)number, out);
		else
			quantity_plain(number, out);
		break;
	case CHECK_TIME:
		quantity_time((uint64_t)(number > 0 ? number : 0), out);
		break;
	case CHECK_BYTES:
		quantity_size((uint64_t)(number > 0 ? number : 0), out);
		break;
	case CHECK_BYTES_PER_S:
		quantity_rate(number, out);
		break;
	case CHECK_PER_HOUR:
		str_printf(out, "%.3g per hour", number);
		break;
	}
}
