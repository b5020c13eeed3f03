/* The keys that a plan has beside the options of its jobs. One row each: who takes it, how it is
 * read, and what it is. The order of the rows is the order of reading. */
#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/unit.h"
#include "device/mkfs.h"
#include "plan/plan_priv.h"
#include "stat/policy.h"

#define REPEAT_MAX  1000
#define ROUNDS_MAX  10000
#define WORKERS_MAX 64

static const char *const kind_names[NPLAN_KINDS] = {
	[PLAN_RUN] = "run",	  [PLAN_SWEEP] = "sweep",
	[PLAN_ROUNDS] = "rounds", [PLAN_FIND] = "find",
	[PLAN_FILL] = "fill",	  [PLAN_PRECONDITION] = "precondition",
	[PLAN_PURGE] = "purge",	  [PLAN_IDLE] = "idle",
	[PLAN_SOAK] = "soak",	  [PLAN_SNAPSHOT] = "snapshot",
	[PLAN_CHECK] = "check",
};

const char *plan_kind_name(enum plan_kind kind)
{
	return kind_names[kind];
}

int plan_kind_parse(const char *name, enum plan_kind *ret_kind)
{
	for (unsigned i = 0; i < NPLAN_KINDS; i++) {
		if (!str_equal(kind_names[i], name))
			continue;
		*ret_kind = (enum plan_kind)i;
		return 0;
	}
	return -EINVAL;
}

/* --- values --- */

static int in_context(struct plan_reading *r, const struct given *given, int rc)
{
	if (rc)
		err_context(r->err, "%s: %s", given->where, given->key);
	return rc;
}

static int count_of(struct plan_reading *r, const struct given *given, struct range bounds,
		    unsigned *ret_count)
{
	uint64_t count;
	int rc = in_context(r, given, unit_parse_count(given->value, &count, r->err));

	if (rc)
		return rc;
	if (count < bounds.min || count > bounds.max)
		return plan_refuse(r, given->where, "%s=%s: from %llu to %llu", given->key,
				   given->value, (unsigned long long)bounds.min,
				   (unsigned long long)bounds.max);
	*ret_count = (unsigned)count;
	return 0;
}

static int time_of(struct plan_reading *r, const struct given *given, uint64_t *ret_ns)
{
	int rc = in_context(r, given, unit_parse_time(given->value, "s", ret_ns, r->err));

	if (!rc && !*ret_ns)
		return plan_refuse(r, given->where, "%s=%s: no time at all", given->key,
				   given->value);
	return rc;
}

static int word_of(struct plan_reading *r, const struct given *given, const char *const *words,
		   unsigned count, unsigned *ret_index)
{
	autostr list = {0};

	for (unsigned i = 0; i < count; i++) {
		if (!words[i])
			continue;
		if (str_equal(words[i], given->value)) {
			*ret_index = i;
			return 0;
		}
		str_printf(&list, "%s%s", list.length ? ", " : "", words[i]);
	}
	return plan_refuse(r, given->where, "%s=%s: one of %s", given->key, given->value,
			   str_text(&list));
}

/* --- one parser a key --- */

#define PARSER(name)                                                            \
	static int parse_##name(struct plan_reading *r, struct plan_step *step, \
				const struct given *given)

PARSER(about)
{
	step->about = arena_strdup(&r->plan->arena, given->value);
	return 0;
}

PARSER(range)
{
	int rc = in_context(
		r, given, unit_parse_percent(given->value, &step->range_percent_x100, r->err));

	if (!rc && !step->range_percent_x100)
		return plan_refuse(r, given->where, "range=%s leaves nothing to use",
				   given->value);
	return rc;
}

PARSER(write_cache)
{
	static const char *const words[] = {
		[PLAN_CACHE_AS_IS] = "as-is", [PLAN_CACHE_ON] = "on", [PLAN_CACHE_OFF] = "off"};
	unsigned word = 0;
	int rc = word_of(r, given, words, ARRAY_SIZE(words), &word);

	if (!rc)
		step->write_cache = (enum plan_write_cache)word;
	return rc;
}

PARSER(sweep)
{
	int rc = plan_axes_parse(r, given->value, given->where, &step->sweep);

	if (!rc && !step->sweep.count)
		return plan_refuse(r, given->where,
				   "sweep: nothing varies: write sweep=bs=4k,8k numjobs=1,4");
	return rc ? rc : plan_cells_make(r, step, given->where);
}

PARSER(skip)
{
	struct plan_axes skip;
	int rc = plan_axes_parse(r, given->value, given->where, &skip);

	if (!rc && !skip.count)
		return plan_refuse(r, given->where, "skip: nothing is named");
	return rc ? rc : plan_cells_skip(r, step, &skip, given->where);
}

PARSER(against)
{
	step->against = arena_strdup(&r->plan->arena, given->value);
	step->against_where = given->where;
	return 0;
}

PARSER(repeat)
{
	return count_of(r, given, (struct range){1, REPEAT_MAX}, &step->repeat);
}

PARSER(discard)
{
	return count_of(r, given, (struct range){0, REPEAT_MAX}, &step->discard);
}

const char *const plan_aggregate_names[] = {
	[PLAN_MEDIAN] = N_("median"), [PLAN_MEAN] = N_("mean"), [PLAN_BEST] = N_("best")};

PARSER(aggregate)
{
	unsigned word = 0;
	int rc = word_of(r, given, plan_aggregate_names, 3, &word);

	if (!rc)
		step->aggregate = (enum plan_aggregate)word;
	return rc;
}

PARSER(pause)
{
	return time_of(r, given, &step->pause_ns);
}

PARSER(for)
{
	return time_of(r, given, &step->for_ns);
}

PARSER(every)
{
	return time_of(r, given, &step->every_ns);
}

PARSER(refresh)
{
	return time_of(r, given, &step->refresh_ns);
}

PARSER(passes)
{
	return count_of(r, given, (struct range){1, REPEAT_MAX}, &step->passes);
}

PARSER(workers)
{
	return count_of(r, given, (struct range){1, WORKERS_MAX}, &step->workers);
}

PARSER(method)
{
	static const char *const purges[] = {
		[PLAN_AUTO] = "auto",	      [PLAN_FORMAT] = "format",
		[PLAN_SANITIZE] = "sanitize", [PLAN_SECURE_ERASE] = "secure-erase",
		[PLAN_TRIM_ALL] = "trim",     [PLAN_ZERO] = "zero"};
	static const char *const writes[] = {
		[PLAN_PASSES] = "passes", [PLAN_ONE_PASS] = "one-pass"};
	bool purge = step->kind == PLAN_PURGE;
	unsigned word = 0;
	int rc = word_of(r, given, purge ? purges : writes,
			 purge ? ARRAY_SIZE(purges) : ARRAY_SIZE(writes), &word);

	if (!rc)
		step->method = (enum plan_method)word;
	return rc;
}

PARSER(until)
{
	return plan_until_parse(r, step, given->value, given->where);
}

PARSER(max_rounds)
{
	return count_of(r, given, (struct range){1, ROUNDS_MAX}, &step->max_rounds);
}

PARSER(max_fills)
{
	return count_of(r, given, (struct range){1, ROUNDS_MAX}, &step->max_fills);
}

PARSER(find)
{
	const char *value = given->value;
	size_t length = strlen(value);

	/* The quotes of a shell, if they were written. */
	if (length >= 2 && value[0] == '\'' && value[length - 1] == '\'')
		value = arena_strndup(&r->plan->arena, value + 1, length - 2);
	step->find.check = value;
	step->find.where = given->where;
	return 0;
}

PARSER(by)
{
	static const char *const words[] = {[PLAN_BY_RATE] = "rate",
					    [PLAN_BY_IODEPTH] = "iodepth",
					    [PLAN_BY_NUMJOBS] = "numjobs"};
	unsigned word = 0;
	int rc = word_of(r, given, words, ARRAY_SIZE(words), &word);

	if (!rc)
		step->find.by = (enum plan_by)word;
	return rc;
}

static int parse_bound(struct plan_reading *r, const struct given *given, uint64_t *ret_bound)
{
	unsigned count = 0;
	int rc = count_of(r, given, (struct range){1, 65536}, &count);

	if (!rc)
		*ret_bound = count;
	return rc;
}

PARSER(from)
{
	return parse_bound(r, given, &step->find.from);
}

PARSER(to)
{
	return parse_bound(r, given, &step->find.to);
}

PARSER(precision)
{
	uint32_t percent_x100;
	int rc = in_context(r, given, unit_parse_percent(given->value, &percent_x100, r->err));

	if (!rc && !percent_x100)
		return plan_refuse(r, given->where, "precision=0%% is never reached");
	if (!rc)
		step->find.precision_percent = percent_x100 / 100.0;
	return rc;
}

PARSER(loads)
{
	const char *text = given->value;

	while (*text) {
		size_t length = strcspn(text, ", ");
		char *one = arena_strndup(&r->plan->arena, text, length);
		double percent;
		int rc;

		if (step->find.nloads == PLAN_LOADS_MAX)
			return plan_refuse(r, given->where, "loads: more than %d",
					   PLAN_LOADS_MAX);
		if (length && one[length - 1] == '%')
			one[length - 1] = '\0';
		rc = in_context(r, given, unit_parse_double(one, &percent, r->err));
		if (rc)
			return rc;
		if (percent <= 0 || percent > 1000)
			return plan_refuse(r, given->where, "loads: %s %% is no load", one);
		step->find.load[step->find.nloads++] = percent;
		text += length;
		text += strspn(text, ", ");
	}
	return 0;
}

static void add_check(struct plan_reading *r, struct plan_step *step,
		      const struct plan_check *check)
{
	struct plan_check *all =
		arena_array(&r->plan->arena, struct plan_check, step->nchecks + 1);

	if (step->nchecks)
		memcpy(all, step->checks, step->nchecks * sizeof(*all));
	all[step->nchecks++] = *check;
	step->checks = all;
}

PARSER(check)
{
	struct plan_check check = {.where = given->where};
	const char *text = given->value;
	int rc = plan_axes_take(r, &text, given->where, &check.only);

	if (rc)
		return rc;
	check.text = arena_strdup(&r->plan->arena, text + strspn(text, " \t"));
	add_check(r, step, &check);
	return 0;
}

/* "FIGURE of SUM or SUM": of several limits the least is what was sold. */
static int parse_sold(struct plan_reading *r, struct plan_step *step, const struct given *given,
		      bool entitled)
{
	struct plan_check check = {
		.where = given->where, .delivered = !entitled, .entitled = entitled};
	const char *figure = given->value, *of = strstr(figure, " of ");
	const char *rest = of ? of + strlen(" of ") : NULL;
	autostr text = {0};
	int rc = plan_axes_take(r, &figure, given->where, &check.only);

	if (rc)
		return rc;
	figure += strspn(figure, " \t");
	while (rest) {
		const char *next = strstr(rest, " or ");

		str_printf(&text, "%s%.*s >= %.0f%% of (%.*s)", text.length ? " or " : "",
			   (int)(of - figure), figure, 100 * (1 - PLAN_ENTITLED_WITHIN),
			   next ? (int)(next - rest) : (int)strlen(rest), rest);
		rest = next ? next + strlen(" or ") : NULL;
	}
	if (!text.length)
		return plan_refuse(r, given->where, "%s: write FIGURE of SUM or SUM",
				   given->key);
	check.text = arena_strdup(&r->plan->arena, str_text(&text));
	add_check(r, step, &check);
	return 0;
}

PARSER(delivered)
{
	return parse_sold(r, step, given, false);
}

PARSER(entitled)
{
	return parse_sold(r, step, given, true);
}

/* The checks of all its rules. A file is no policy of a plan: what is kept of a plan must judge
 * alike wherever it is read. */
PARSER(judged_by)
{
	struct plan_check check = {.where = given->where};
	struct policy *policy = arena_new(&r->plan->arena, struct policy);
	const char *text = policy_text(given->value);
	const struct qos none = {0};
	autostr names = {0};
	int rc;

	for (unsigned i = 0; policy_name(i); i++)
		str_printf(&names, "%s%s", i ? ", " : "", policy_name(i));
	if (!text)
		return plan_refuse(r, given->where, "judged_by: \"%s\" is none of %s",
				   given->value, str_text(&names));
	rc = in_context(
		r, given,
		policy_parse(given->value, text, &none, &r->plan->arena, policy, r->err));
	for (unsigned i = 0; i < policy->nrules && !rc; i++)
		for (unsigned c = 0; c < policy->rules[i].nchecks; c++) {
			check.text = policy->rules[i].checks[c];
			check.policy = policy->name;
			add_check(r, step, &check);
		}
	return rc;
}

PARSER(matrix)
{
	const char *text = given->value;

	for (;;) {
		enum plan_dir dir;
		size_t length;

		text += strspn(text, ", ");
		length = strcspn(text, ", ");
		if (!length && !step->nmatrix)
			return plan_refuse(
				r, given->where,
				"matrix: no figure is named: write matrix=iops mean p99");
		if (!length)
			return 0;
		if (step->nmatrix == PLAN_MATRIX_MAX)
			return plan_refuse(r, given->where, "matrix: more than %d figures",
					   PLAN_MATRIX_MAX);
		if (!plan_metric_parse(text, length, &dir, &step->matrix[step->nmatrix]) ||
		    dir != PLAN_ALL)
			return plan_refuse(
				r, given->where,
				"matrix: \"%.*s\" is no figure: iops, bw, mean, p50, "
				"p99, p99.9, p99.99 or max",
				(int)length, text);
		step->nmatrix++;
		text += length;
	}
}

PARSER(filesystem)
{
	if (!mkfs_knows(given->value))
		return plan_refuse(r, given->where, "filesystem: \"%s\" is none of %s",
				   given->value, mkfs_types);
	step->filesystem = given->value;
	return 0;
}

PARSER(mkfs_options)
{
	(void)r;
	step->mkfs_options = str_equal(given->value, "none") ? NULL : given->value;
	return 0;
}

PARSER(mount_options)
{
	(void)r;
	step->mount_options = given->value;
	return 0;
}

#define BIT(kind)    (1u << (kind))
#define ANY_KIND     ((1u << NPLAN_KINDS) - 1)
#define WRITES_RANGE (BIT(PLAN_FILL) | BIT(PLAN_PRECONDITION))
#define CELLS	     (BIT(PLAN_RUN) | BIT(PLAN_SWEEP) | BIT(PLAN_ROUNDS))
#define LOADS	     (CELLS | BIT(PLAN_FIND) | BIT(PLAN_SOAK))
#define USES_RANGE   (LOADS | WRITES_RANGE)
#define MAY_SWEEP    (BIT(PLAN_SWEEP) | BIT(PLAN_ROUNDS))
#define HAS_DURATION (BIT(PLAN_IDLE) | BIT(PLAN_SOAK))

const struct plan_key plan_keys[] = {
	{"step", ANY_KIND, false, NULL, "KIND", "What the step does; the first key to write."},
	{"when", ANY_KIND, true, NULL, "VARIABLE=VALUE,...",
	 "Only with one of these values is the step there; stands before its other keys."},
	{"needs", ANY_KIND, false, NULL, "STEP,...",
	 "Steps that must have been done, without failure, before this one."},
	{"about", ANY_KIND, false, parse_about, "TEXT", "What it is for, in the report."},
	{"range", USES_RANGE, false, parse_range, "N%", "The part of the drive that is used."},
	{"write_cache", ANY_KIND & ~BIT(PLAN_CHECK), false, parse_write_cache, "on|off|as-is",
	 "The drive's own cache during the step; put back after it."},
	{"filesystem", LOADS, false, parse_filesystem, "ext4|xfs|btrfs",
	 "Made on the device before the first cell; the jobs use a file in it, of size=."},
	{"mkfs_options", LOADS, false, parse_mkfs_options, "TEXT", "Beside ours; none."},
	{"mount_options", LOADS, false, parse_mount_options, "TEXT", "As mount -o has them."},
	{"sweep", MAY_SWEEP, false, parse_sweep, "OPTION=V,V ...",
	 "A cell for each combination; the first option varies slowest."},
	{"skip", MAY_SWEEP, true, parse_skip, "OPTION=V,V ...",
	 "Combinations that are left out."},
	{"repeat", CELLS, false, parse_repeat, "N", "Each cell so often, the sweep N times."},
	{"discard", CELLS, false, parse_discard, "N", "The first N repetitions do not count."},
	{"aggregate", CELLS, false, parse_aggregate, "median|mean|best",
	 "What stands for the repetitions of a cell."},
	{"pause", LOADS, false, parse_pause, "TIME",
	 "The drive idles so long before each cell."},
	{"for", HAS_DURATION, false, parse_for, "TIME", "How long it idles, or soaks."},
	{"every", BIT(PLAN_SOAK), false, parse_every, "TIME",
	 "A slice, judged by itself (1h)."},
	{"refresh", LOADS, false, parse_refresh, "TIME",
	 "Its load for so long first, where the plan goes on after a break."},
	{"passes", WRITES_RANGE, false, parse_passes, "N", "How often the range is written."},
	{"workers", WRITES_RANGE, false, parse_workers, "N", "They share the range."},
	{"method", BIT(PLAN_PURGE) | BIT(PLAN_PRECONDITION), false, parse_method, "WORD",
	 "How: auto, format, sanitize, secure-erase, trim, zero; of precondition passes or "
	 "one-pass."},
	{"until", BIT(PLAN_ROUNDS), false, parse_until, "steady(FIGURE, ...)",
	 "The rule that ends the rounds, over the last rounds; all its figures must hold it."},
	{"max_rounds", BIT(PLAN_ROUNDS), false, parse_max_rounds, "N", "Not more (25)."},
	{"max_fills", BIT(PLAN_ROUNDS), false, parse_max_fills, "N",
	 "They end as well when the target was written so many times."},
	{"find", BIT(PLAN_FIND), false, parse_find, "CHECK",
	 "The highest load at which it holds."},
	{"by", BIT(PLAN_FIND), false, parse_by, "rate|iodepth|numjobs", "What the load is."},
	{"from", BIT(PLAN_FIND), false, parse_from, "N", "The least iodepth or numjobs (1)."},
	{"to", BIT(PLAN_FIND), false, parse_to, "N", "The greatest (256)."},
	{"precision", BIT(PLAN_FIND), false, parse_precision, "N%",
	 "How exactly a rate is found (2%)."},
	{"loads", BIT(PLAN_FIND), false, parse_loads, "10%,20%,...",
	 "Points of the curve, of what the drive does without a rate."},
	{"check", USES_RANGE | BIT(PLAN_CHECK), true, parse_check, "[CELLS] CHECK",
	 "A limit on a figure, of every cell or of those named."},
	{"delivered", USES_RANGE | BIT(PLAN_CHECK), true, parse_delivered,
	 "[CELLS] FIGURE of SUM or SUM",
	 "At least 95 % of what was sold, the least of the sums; the verdict says which side."},
	{"entitled", USES_RANGE | BIT(PLAN_CHECK), true, parse_entitled,
	 "[CELLS] FIGURE of SUM or SUM",
	 "The same of the rate that stays after a burst; cannot tell where none was seen to."},
	{"judged_by", LOADS, false, parse_judged_by, "NAME",
	 "A policy that ships: each check of its rules is asked of every cell."},
	{"against", USES_RANGE, false, parse_against, "STEP",
	 "A step before it: the ratio of its figures to this one's, cell by cell."},
	{"matrix", LOADS, false, parse_matrix, "FIGURE ...",
	 "Figures that stand together in one field of the table."},
};
const unsigned plan_nkeys = ARRAY_SIZE(plan_keys);

const struct plan_key *plan_key_find(const char *name)
{
	for (unsigned i = 0; i < plan_nkeys; i++)
		if (str_equal(plan_keys[i].name, name))
			return &plan_keys[i];
	return NULL;
}
