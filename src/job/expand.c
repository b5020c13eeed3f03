#include "job/expand.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/lang.h"

#define CALC_DEPTH_MAX 64

struct calc {
	const char *at;
	unsigned depth;
	struct err *err;
};

/* Parentheses and signs nest CALC_DEPTH_MAX deep at most: so does this recursion. */
/* NOLINTBEGIN(misc-no-recursion) */
static int calc_sum(struct calc *calc, int64_t *ret);

static char calc_peek(struct calc *calc)
{
	while (*calc->at == ' ' || *calc->at == '\t')
		calc->at++;
	return *calc->at;
}

static int calc_overflow(struct calc *calc)
{
	return err_input(calc->err, "the result does not fit in 64 bits");
}

static int calc_number(struct calc *calc, int64_t *ret)
{
	char *end;

	if (!isdigit((unsigned char)calc_peek(calc)))
		return err_input(calc->err,
				 *calc->at ? "a number is expected at \"%s\""
					   : N_("a number is missing at its end%s"),
				 calc->at);
	errno = 0;
	*ret = strtoll(calc->at, &end, 10);
	if (errno)
		return calc_overflow(calc);
	calc->at = end;
	return 0;
}

static int calc_atom(struct calc *calc, int64_t *ret)
{
	int rc;

	if (calc_peek(calc) != '(')
		return calc_number(calc, ret);
	calc->at++;
	rc = calc_sum(calc, ret);
	if (rc)
		return rc;
	if (calc_peek(calc) != ')')
		return err_input(calc->err, "a \")\" is missing");
	calc->at++;
	return 0;
}

static int calc_signed(struct calc *calc, int64_t *ret)
{
	bool minus = false;
	int rc;

	while (calc_peek(calc) == '-' || *calc->at == '+')
		minus ^= *calc->at++ == '-';
	rc = calc_atom(calc, ret);
	if (rc)
		return rc;
	if (minus && __builtin_sub_overflow(0, *ret, ret))
		return calc_overflow(calc);
	return 0;
}

static int calc_raise(struct calc *calc, int64_t base, int64_t exponent, int64_t *ret)
{
	int64_t value = 1;

	if (exponent < 0)
		return err_input(calc->err, "a negative exponent has no whole result");
	if (base == 0 || base == 1 || base == -1) { /* the only ones that never overflow */
		*ret = exponent == 0 || base == 1 ? 1 : base == 0 ? 0 : exponent % 2 ? -1 : 1;
		return 0;
	}
	for (; exponent; exponent--)
		if (__builtin_mul_overflow(value, base, &value))
			return calc_overflow(calc);
	*ret = value;
	return 0;
}

static int calc_power(struct calc *calc, int64_t *ret)
{
	int64_t exponent;
	int rc;

	if (++calc->depth > CALC_DEPTH_MAX)
		return err_input(calc->err, "it nests deeper than %d", CALC_DEPTH_MAX);
	rc = calc_signed(calc, ret);
	if (!rc && calc_peek(calc) == '^') {
		calc->at++;
		rc = calc_power(calc, &exponent);
		if (!rc)
			rc = calc_raise(calc, *ret, exponent, ret);
	}
	calc->depth--;
	return rc;
}

static int calc_apply(struct calc *calc, char op, int64_t right, int64_t *ret)
{
	bool over = false;

	if (op == '+')
		over = __builtin_add_overflow(*ret, right, ret);
	else if (op == '-')
		over = __builtin_sub_overflow(*ret, right, ret);
	else if (op == '*')
		over = __builtin_mul_overflow(*ret, right, ret);
	else if (right == 0) /* division or remainder */
		return err_input(calc->err, "it divides by zero");
	else if (right == -1) /* INT64_MIN / -1 traps */
		over = op == '/' ? __builtin_sub_overflow(0, *ret, ret) : (*ret = 0);
	else
		*ret = op == '/' ? *ret / right : *ret % right;
	return over ? calc_overflow(calc) : 0;
}

static int calc_product(struct calc *calc, int64_t *ret)
{
	int64_t right = 0;
	int rc;

	*ret = 0;
	rc = calc_power(calc, ret);

	while (!rc && calc_peek(calc) && strchr("*/%", *calc->at)) {
		char op = *calc->at++;

		rc = calc_power(calc, &right);
		if (!rc)
			rc = calc_apply(calc, op, right, ret);
	}
	return rc;
}

static int calc_sum(struct calc *calc, int64_t *ret)
{
	int64_t right = 0;
	int rc = calc_product(calc, ret);

	while (!rc && calc_peek(calc) && strchr("+-", *calc->at)) {
		char op = *calc->at++;

		rc = calc_product(calc, &right);
		if (!rc)
			rc = calc_apply(calc, op, right, ret);
	}
	return rc;
}
/* NOLINTEND(misc-no-recursion) */

int expand_calculate(const char *text, int64_t *ret_value, struct err *err)
{
	struct calc calc = {.at = text, .err = err};
	int64_t value = 0;
	int rc = calc_sum(&calc, &value);

	if (rc)
		return rc;
	if (calc_peek(&calc))
		return err_input(err, "\"%s\" does not belong in an expression", calc.at);
	*ret_value = value;
	return 0;
}

/* --- words and variables --- */

static const struct word {
	const char *text;
	int sysconf_name;
} words[] = {
	{"$pagesize", _SC_PAGESIZE},
	{"$mb_memory", _SC_PHYS_PAGES},
	{"$ncpus", _SC_NPROCESSORS_ONLN},
};

static long word_value(const struct word *word)
{
	long value = sysconf(word->sysconf_name);

	if (word->sysconf_name == _SC_PHYS_PAGES)
		value = (long)muldiv_u64((uint64_t)value, (uint64_t)sysconf(_SC_PAGESIZE), MiB);
	return value;
}

static const struct word *word_at(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		char after;

		if (!str_starts(text, words[i].text))
			continue;
		after = text[strlen(words[i].text)];
		if (!isalnum((unsigned char)after) && after != '_')
			return &words[i];
	}
	return NULL;
}

/* How a value is read. */
struct expansion {
	enum face face;
	const struct expand_names *names;
	struct err *err;
};

static const char *find_variable(const struct expansion *how, const char *name)
{
	const char *own = how->names ? how->names->find(how->names->arg, name) : NULL;

	return own ? own : getenv(name);
}

/* `text` is at "${"; appends the variable and returns how much was read. */
static int add_variable(const struct expansion *how, const char *text, struct str *out,
			size_t *ret_used)
{
	const char *end = strchr(text, '}');
	autostr name = {0};
	const char *value;

	if (!end) {
		if (how->face == FACE_NATIVE)
			return err_input(how->err, "\"%s\": the \"}\" is missing", text);
		str_add_bytes(out, text, 2);
		*ret_used = 2;
		return 0;
	}
	str_add_bytes(&name, text + 2, (size_t)(end - text) - 2);
	value = find_variable(how, str_text(&name));
	if (!value && how->names)
		return err_input(how->err,
				 "${%s}: no variable of this name; give it a value under "
				 "[variables], or by --set %s=VALUE",
				 str_text(&name), str_text(&name));
	if (!value && how->face == FACE_NATIVE)
		return err_input(how->err,
				 "${%s}: the environment has no variable of this name; set it, "
				 "or write the value",
				 str_text(&name));
	str_add(out, value ? value : "");
	*ret_used = (size_t)(end - text) + 1;
	return 0;
}

/* May a substituted value be an expression? A path or a "%" at the end (a share) is none. */
static bool is_expression(const char *text)
{
	size_t length = strlen(text);

	if (strspn(text, "0123456789+-*/%^() \t") != length || text[0] == '/')
		return false;
	return strpbrk(text, "+-*/%^(") && text[length - 1] != '%';
}

static int add_calculated(const char *text, enum face face, struct str *ret_text,
			  struct err *err)
{
	bool expression = is_expression(text);
	int64_t value = 0;
	int rc;

	if (!expression &&
	    (face == FACE_NATIVE || text[strspn(text, "0123456789% ")] == '\0')) {
		str_add(ret_text, text);
		return 0;
	}
	rc = expand_calculate(text, &value, err);
	if (rc) {
		err_context(err, "expression \"%s\"", text);
		return rc;
	}
	str_printf(ret_text, "%" PRId64, value);
	return 0;
}

int expand_value_with(const char *value, enum face face, const struct expand_names *names,
		      struct str *ret_text, struct err *err)
{
	const struct expansion how = {.face = face, .names = names, .err = err};
	autostr text = {0};
	bool has_word = false;
	int rc;

	while (*value) {
		const struct word *word = word_at(value);
		size_t used = 1;

		if (word) {
			str_printf(&text, "%ld", word_value(word));
			used = strlen(word->text);
			has_word = true;
		} else if (str_starts(value, "${")) {
			rc = add_variable(&how, value, &text, &used);
			if (rc)
				return rc;
		} else {
			str_add_char(&text, *value);
		}
		value += used;
	}
	if (has_word)
		return add_calculated(str_text(&text), face, ret_text, err);
	str_add(ret_text, str_text(&text));
	return 0;
}

int expand_value(const char *value, enum face face, struct str *ret_text, struct err *err)
{
	return expand_value_with(value, face, NULL, ret_text, err);
}
