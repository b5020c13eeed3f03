/* when=: parts of a plan that a variable chooses, as in profile=nvme. What is not chosen is left
 * out as if it were not written. */
#include <string.h>

#include "job/options.h"
#include "plan/plan_priv.h"

static int variable_of(const struct plan_reading *r, const char *name)
{
	for (unsigned i = 0; i < r->nvariables; i++)
		if (str_equal(r->variables[i].key, name))
			return (int)i;
	return -1;
}

/* Is `value` one of "a,b,c"? */
static bool is_among(const char *values, const char *value)
{
	size_t length = strlen(value);

	while (*values) {
		size_t one = strcspn(values, ",");

		if (one == length && strncmp(values, value, length) == 0)
			return true;
		values += one + (values[one] == ',');
	}
	return false;
}

/* "profile=nvme,peak" */
static int parse_one(struct plan_reading *r, const char *text, size_t length, const char *where,
		     bool *ret_holds)
{
	struct arena *arena = &r->plan->arena;
	const char *equals = memchr(text, '=', length);
	struct plan_when when = {.where = arena_strdup(arena, where)};
	int at;

	if (!equals || equals == text || equals + 1 == text + length)
		return plan_refuse(r, where, "when: \"%.*s\": write when=VARIABLE=VALUE,VALUE",
				   (int)length, text);
	when.name = arena_strndup(arena, text, (size_t)(equals - text));
	when.values = arena_strndup(arena, equals + 1, length - (size_t)(equals + 1 - text));
	at = variable_of(r, when.name);
	if (at < 0)
		return plan_refuse(r, where,
				   "when: \"%s\": no variable of that name stands before it in "
				   "[variables]",
				   when.name);
	*ret_holds = is_among(when.values, r->variables[at].value);
	r->whens = arena_more(arena, r->whens, r->nwhens, sizeof(*r->whens));
	r->whens[r->nwhens++] = when;
	return 0;
}

int plan_when_parse(struct plan_reading *r, const char *text, const char *where,
		    bool *ret_holds)
{
	bool holds = true;

	text += strspn(text, " ");
	if (!*text)
		return plan_refuse(r, where, "when: write when=VARIABLE=VALUE,VALUE");
	while (*text) {
		size_t length = strcspn(text, " ");
		bool one = false;
		int rc = parse_one(r, text, length, where, &one);

		if (rc)
			return rc;
		holds &= one;
		text += length;
		text += strspn(text, " ");
	}
	*ret_holds = holds;
	return 0;
}

/* All that when= knows of a variable: "default,nvme"; empty: it names it nowhere. */
static void choices_of(const struct plan_reading *r, unsigned variable, struct str *out)
{
	const char *name = r->variables[variable].key;
	bool named = false;

	str_add(out, r->defaults[variable]);
	for (unsigned i = 0; i < r->nwhens; i++) {
		const char *values = r->whens[i].values;

		if (!str_equal(r->whens[i].name, name))
			continue;
		named = true;
		while (*values) {
			size_t length = strcspn(values, ",");
			autostr one = {0};

			str_add_bytes(&one, values, length);
			if (length && !is_among(str_text(out), str_text(&one)))
				str_printf(out, ",%s", str_text(&one));
			values += length + (values[length] == ',');
		}
	}
	if (!named)
		str_clear(out);
}

int plan_whens_check(struct plan_reading *r)
{
	for (unsigned v = 0; v < r->nvariables; v++) {
		autostr choices = {0};

		choices_of(r, v, &choices);
		if (choices.length && !is_among(str_text(&choices), r->variables[v].value))
			return err_input(r->err, "--set %s=%s: one of %s", r->variables[v].key,
					 r->variables[v].value, str_text(&choices));
	}
	return 0;
}
