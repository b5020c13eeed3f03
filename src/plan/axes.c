/* "bs=4k,8k x numjobs=1,4": axes of a sweep, and which of its cells are meant. */
#include <errno.h>
#include <string.h>

#include "job/options.h"
#include "plan/plan_priv.h"

/* One word: blanks end it, and a part in quotes keeps them. */
static size_t word_length(const char *text)
{
	bool quoted = false;
	size_t n = 0;

	for (; text[n] && (quoted || (text[n] != ' ' && text[n] != '\t')); n++)
		quoted ^= text[n] == '\'';
	return n;
}

static bool is_times(const char *text, size_t length)
{
	return (length == 1 && *text == 'x') || (length == 2 && !memcmp(text, "\xc3\x97", 2));
}

/* How the option itself prints the value; an error if it does not take it. */
static int canonical(struct plan_reading *r, const char *key, const char *value,
		     const char *where, const char **ret_text)
{
	autostr text = {0};
	int rc = job_set_option(r->scratch, r->spec, key, value, r->err);

	if (rc) {
		err_context(r->err, "%s", where);
		return rc;
	}
	job_format_option(r->spec, key, &text);
	*ret_text = arena_strdup(&r->plan->arena, text.length ? str_text(&text) : value);
	return 0;
}

static int add_value(struct plan_reading *r, struct plan_axis *axis, const char *text,
		     size_t length, const char *where)
{
	struct arena *arena = &r->plan->arena;
	const char *value, *same;
	int rc;

	if (length >= 2 && text[0] == '\'' && text[length - 1] == '\'') {
		text++;
		length -= 2;
	}
	value = arena_strndup(arena, text, length);
	if (!*value)
		return plan_refuse(r, where, "%s: an empty value: write %s=VALUE,VALUE",
				   axis->key, axis->key);
	if (axis->count == PLAN_VALUES_MAX)
		return plan_refuse(r, where, "%s: more than %d values", axis->key,
				   PLAN_VALUES_MAX);
	rc = canonical(r, axis->key, value, where, &same);
	for (unsigned i = 0; i < axis->count && !rc; i++)
		if (str_equal(axis->canonical[i], same))
			return plan_refuse(r, where, "%s: \"%s\" stands there twice", axis->key,
					   value);
	if (rc)
		return rc;
	axis->values = arena_more(arena, axis->values, axis->count, sizeof(*axis->values));
	axis->canonical =
		arena_more(arena, axis->canonical, axis->count, sizeof(*axis->canonical));
	axis->values[axis->count] = value;
	axis->canonical[axis->count++] = same;
	return 0;
}

static int parse_values(struct plan_reading *r, struct plan_axis *axis, const char *text,
			const char *end, const char *where)
{
	int rc = 0;

	while (!rc) {
		bool quoted = false;
		size_t n = 0;

		for (; text + n < end && (quoted || text[n] != ','); n++)
			quoted ^= text[n] == '\'';
		rc = add_value(r, axis, text, n, where);
		text += n;
		if (text == end)
			break;
		text++;
	}
	return rc;
}

int plan_refuse_target(struct plan_reading *r, const char *where, const char *key)
{
	if (!str_equal(key, "filename") && !str_equal(key, "directory"))
		return 0;
	return plan_refuse(r, where,
			   "%s: a plan's target is named on the command line: assay plan run "
			   "NAME TARGET",
			   key);
}

static int parse_axis(struct plan_reading *r, const char *word, size_t length,
		      const char *where, struct plan_axis *axis)
{
	const char *equals = memchr(word, '=', length);
	const struct opt *opt;

	if (!equals || equals == word)
		return plan_refuse(r, where, "\"%.*s\": write OPTION=VALUE,VALUE", (int)length,
				   word);
	axis->key = arena_strndup(&r->plan->arena, word, (size_t)(equals - word));
	opt = opt_find_face(axis->key, FACE_NATIVE);
	if (!opt) {
		int rc = opt_unknown(axis->key, FACE_NATIVE, r->err);

		err_context(r->err, "%s", where);
		return rc;
	}
	if (opt_is_cli(opt))
		return plan_refuse(r, where, "%s is an option of the command, not of a job",
				   axis->key);
	axis->key = opt->name;
	if (plan_refuse_target(r, where, axis->key))
		return -EINVAL;
	return parse_values(r, axis, equals + 1, word + length, where);
}

int plan_axes_parse(struct plan_reading *r, const char *text, const char *where,
		    struct plan_axes *ret_axes)
{
	struct plan_axis *axes = NULL;
	unsigned count = 0;

	for (;;) {
		size_t length;
		int rc;

		text += strspn(text, " \t");
		length = word_length(text);
		if (!length)
			break;
		if (!is_times(text, length)) {
			axes = arena_more(&r->plan->arena, axes, count, sizeof(*axes));
			axes[count] = (struct plan_axis){0};
			rc = parse_axis(r, text, length, where, &axes[count]);
			if (rc)
				return rc;
			for (unsigned i = 0; i < count; i++)
				if (str_equal(axes[i].key, axes[count].key))
					return plan_refuse(r, where, "%s stands there twice",
							   axes[i].key);
			count++;
		}
		text += length;
	}
	*ret_axes = (struct plan_axes){axes, count};
	return 0;
}

int plan_axes_take(struct plan_reading *r, const char **text, const char *where,
		   struct plan_axes *ret_axes)
{
	const char *at = *text + strspn(*text, " \t"), *end;
	autostr inside = {0};
	int rc;

	*ret_axes = (struct plan_axes){0};
	if (*at != '[')
		return 0;
	end = strchr(at, ']');
	if (!end)
		return plan_refuse(r, where, "\"%s\": the \"]\" is missing", at);
	str_add_bytes(&inside, at + 1, (size_t)(end - at) - 1);
	rc = plan_axes_parse(r, str_text(&inside), where, ret_axes);
	*text = end + 1;
	return rc;
}

/* --- cells --- */

static const struct plan_axis *axis_of(const struct plan_step *step, const char *key,
				       unsigned *ret_index)
{
	for (unsigned i = 0; i < step->sweep.count; i++) {
		if (!str_equal(step->sweep.axis[i].key, key))
			continue;
		*ret_index = i;
		return &step->sweep.axis[i];
	}
	return NULL;
}

static bool has_value(const struct plan_axis *axis, const char *canonical_value)
{
	for (unsigned i = 0; i < axis->count; i++)
		if (str_equal(axis->canonical[i], canonical_value))
			return true;
	return false;
}

int plan_axes_check(struct plan_reading *r, const struct plan_step *step,
		    const struct plan_axes *axes, const char *where)
{
	for (unsigned i = 0; i < axes->count; i++) {
		const struct plan_axis *wanted = &axes->axis[i], *axis;
		unsigned at;

		axis = axis_of(step, wanted->key, &at);
		if (!axis)
			return plan_refuse(r, where, "[%s] does not vary %s", step->name,
					   wanted->key);
		for (unsigned v = 0; v < wanted->count; v++)
			if (!has_value(axis, wanted->canonical[v]))
				return plan_refuse(r, where, "[%s] has no cell with %s=%s",
						   step->name, wanted->key, wanted->values[v]);
	}
	return 0;
}

bool plan_cell_is(const struct plan_step *step, const struct plan_cell *cell,
		  const struct plan_axes *only)
{
	for (unsigned i = 0; i < only->count; i++) {
		unsigned at;
		const struct plan_axis *axis = axis_of(step, only->axis[i].key, &at);

		if (!axis || !has_value(&only->axis[i], axis->canonical[cell->pick[at]]))
			return false;
	}
	return true;
}

unsigned plan_cells_named(const struct plan_step *step, const struct plan_axes *only,
			  unsigned *ret_cell)
{
	unsigned found = 0;

	for (unsigned c = 0; c < step->ncells; c++) {
		if (!plan_cell_is(step, &step->cells[c], only))
			continue;
		*ret_cell = c;
		found++;
	}
	return found;
}

static const char *name_of(struct plan_reading *r, const struct plan_axes *sweep,
			   const unsigned char *pick)
{
	autostr text = {0};

	for (unsigned i = 0; i < sweep->count; i++)
		str_printf(&text, "%s%s=%s", i ? " " : "", sweep->axis[i].key,
			   sweep->axis[i].values[pick[i]]);
	return arena_strdup(&r->plan->arena, str_text(&text));
}

int plan_cells_make(struct plan_reading *r, struct plan_step *step, const char *where)
{
	const struct plan_axes *sweep = &step->sweep;
	struct plan_cell *cells;
	uint64_t count = 1;

	for (unsigned i = 0; i < sweep->count; i++)
		count *= sweep->axis[i].count;
	if (count > PLAN_CELLS_MAX)
		return plan_refuse(r, where, "%llu combinations are more than %d",
				   (unsigned long long)count, PLAN_CELLS_MAX);
	cells = arena_array(&r->plan->arena, struct plan_cell, count);
	for (unsigned c = 0; c < count; c++) {
		unsigned char *pick =
			arena_array(&r->plan->arena, unsigned char, sweep->count + 1);
		unsigned rest = c;

		for (unsigned i = sweep->count; i--; rest /= sweep->axis[i].count)
			pick[i] = (unsigned char)(rest % sweep->axis[i].count);
		cells[c] = (struct plan_cell){name_of(r, sweep, pick), pick};
	}
	step->cells = cells;
	step->ncells = (unsigned)count;
	return 0;
}

int plan_cells_skip(struct plan_reading *r, struct plan_step *step,
		    const struct plan_axes *skip, const char *where)
{
	struct plan_cell *left = arena_array(&r->plan->arena, struct plan_cell, step->ncells);
	unsigned count = 0;
	int rc = plan_axes_check(r, step, skip, where);

	if (rc)
		return rc;
	for (unsigned c = 0; c < step->ncells; c++)
		if (!plan_cell_is(step, &step->cells[c], skip))
			left[count++] = step->cells[c];
	if (!count)
		return plan_refuse(r, where, "skip leaves no cell of [%s]", step->name);
	if (count == step->ncells)
		return plan_refuse(r, where, "skip names no cell of [%s]", step->name);
	step->cells = left;
	step->ncells = count;
	return 0;
}
