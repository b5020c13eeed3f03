/* "steady(iops, read.mean[bs=4k], window=5, range=20%, slope=10%)". */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/unit.h"
#include "plan/plan_priv.h"
#include "stat/steady.h"

#define WINDOW_MAX 1000
#define STRIDE_MAX 1000

bool plan_metric_parse(const char *text, size_t length, enum plan_dir *ret_dir,
		       enum cell_metric *ret_metric)
{
	enum plan_dir dir = PLAN_ALL;

	for (unsigned d = 0; d < NPLAN_DIRS; d++) {
		size_t n = strlen(plan_dir_names[d]);

		if (length <= n || strncmp(text, plan_dir_names[d], n) != 0 || text[n] != '.')
			continue;
		dir = (enum plan_dir)d;
		text += n + 1;
		length -= n + 1;
		break;
	}
	for (unsigned m = 0; m < NCELL_METRIC; m++) {
		const char *name = cell_metrics[m].name;

		if (strlen(name) != length || strncmp(name, text, length) != 0)
			continue;
		*ret_dir = dir;
		*ret_metric = (enum cell_metric)m;
		return true;
	}
	return false;
}

static int parse_share(struct plan_reading *r, const char *value, const char *where,
		       double *ret_percent)
{
	uint32_t percent_x100;
	int rc = unit_parse_percent(value, &percent_x100, r->err);

	if (rc)
		err_context(r->err, "%s: until", where);
	else
		*ret_percent = percent_x100 / 100.0;
	return rc;
}

static int parse_window(struct plan_reading *r, const char *value, const char *where,
			unsigned *ret_window)
{
	uint64_t window;
	int rc = unit_parse_count(value, &window, r->err);

	if (rc) {
		err_context(r->err, "%s: until: window", where);
		return rc;
	}
	if (window < 2 || window > WINDOW_MAX)
		return plan_refuse(r, where,
				   "until: window=%llu: one round is always steady, and %d are "
				   "the most: take 2 or more (SNIA's is %d)",
				   (unsigned long long)window, WINDOW_MAX, STEADY_SNIA_WINDOW);
	*ret_window = (unsigned)window;
	return 0;
}

static int parse_stride(struct plan_reading *r, const char *value, const char *where,
			unsigned *ret_stride)
{
	uint64_t stride;
	int rc = unit_parse_count(value, &stride, r->err);

	if (rc) {
		err_context(r->err, "%s: until: stride", where);
		return rc;
	}
	if (!stride || stride > STRIDE_MAX)
		return plan_refuse(r, where, "until: stride=%llu: from 1 to %d",
				   (unsigned long long)stride, STRIDE_MAX);
	*ret_stride = (unsigned)stride;
	return 0;
}

static int only_cell(struct plan_reading *r, const struct plan_step *step,
		     const struct plan_axes *only, const char *text, const char *where,
		     unsigned *ret_cell)
{
	unsigned found;
	int rc = plan_axes_check(r, step, only, where);

	if (rc)
		return rc;
	found = plan_cells_named(step, only, ret_cell);
	if (found == 1)
		return 0;
	return plan_refuse(r, where,
			   "until: \"%s\" names %u cells of a round: say which one, as in "
			   "iops[bs=4k]",
			   text, found);
}

static int parse_variable(struct plan_reading *r, struct plan_step *step, const char *text,
			  const char *where)
{
	struct plan_variable *variable = &step->until.variable[step->until.count];
	size_t length = strcspn(text, "[ \t");
	const char *rest = text + length;
	struct plan_axes only;
	int rc;

	if (step->until.count == PLAN_VARIABLES_MAX)
		return plan_refuse(r, where, "until: more than %d tracked variables",
				   PLAN_VARIABLES_MAX);
	if (!plan_metric_parse(text, length, &variable->dir, &variable->metric))
		return plan_refuse(r, where,
				   "until: \"%.*s\" is no figure: iops, bw, mean, p50, p99, "
				   "p99.9, p99.99 or max, of read. or write. where it is one's",
				   (int)length, text);
	rc = plan_axes_take(r, &rest, where, &only);
	if (!rc && rest[strspn(rest, " \t")])
		rc = plan_refuse(r, where, "until: \"%s\" is left over", rest);
	if (!rc)
		rc = only_cell(r, step, &only, text, where, &variable->cell);
	if (rc)
		return rc;
	variable->text = arena_strdup(&r->plan->arena, text);
	step->until.count++;
	return 0;
}

static int parse_part(struct plan_reading *r, struct plan_step *step, char *part,
		      const char *where)
{
	static const char *const names[] = {"window=", "range=", "slope=", "stride="};
	size_t length = strlen(part);

	while (length && isspace((unsigned char)part[length - 1]))
		part[--length] = '\0';
	part += strspn(part, " \t");
	if (str_starts(part, names[0]))
		return parse_window(r, part + strlen(names[0]), where, &step->until.window);
	if (str_starts(part, names[1]))
		return parse_share(r, part + strlen(names[1]), where,
				   &step->until.range_percent);
	if (str_starts(part, names[2]))
		return parse_share(r, part + strlen(names[2]), where,
				   &step->until.slope_percent);
	if (str_starts(part, names[3]))
		return parse_stride(r, part + strlen(names[3]), where, &step->until.stride);
	return parse_variable(r, step, part, where);
}

/* The end of a part: its comma outside brackets. */
static size_t part_length(const char *text)
{
	bool inside = false;
	size_t n = 0;

	for (; text[n] && (inside || text[n] != ','); n++) {
		inside |= text[n] == '[';
		inside &= text[n] != ']';
	}
	return n;
}

int plan_until_parse(struct plan_reading *r, struct plan_step *step, const char *text,
		     const char *where)
{
	const char *end = text + strlen(text);
	autostr inside = {0};
	const char *at;

	if (!str_starts(text, "steady(") || end[-1] != ')')
		return plan_refuse(r, where,
				   "until: \"%s\": write steady(iops, window=5, range=20%%, "
				   "slope=10%%)",
				   text);
	step->until = (struct plan_until){.window = STEADY_SNIA_WINDOW,
					  .stride = 1,
					  .range_percent = STEADY_SNIA_RANGE,
					  .slope_percent = STEADY_SNIA_SLOPE};
	text += strlen("steady(");
	str_add_bytes(&inside, text, (size_t)(end - text) - 1);
	for (at = str_text(&inside);;) {
		size_t length = part_length(at);
		char *part = arena_strndup(&r->plan->arena, at, length);
		int rc = parse_part(r, step, part, where);

		if (rc)
			return rc;
		at += length;
		if (!*at)
			break;
		at++;
	}
	if (!step->until.count)
		return plan_refuse(r, where, "until: no figure is tracked: steady(iops, ...)");
	return 0;
}
