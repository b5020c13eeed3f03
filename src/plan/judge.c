/* Checks of a plan: their figures come out of the journal, and their words out of stat/check. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/lang.h"
#include "base/memory.h"
#include "plan/measure.h"
#include "plan/plan_priv.h"
#include "stat/confidence.h"

struct base_rate {
	struct plan_levels levels; /* in the figure's unit */
	double span_s;
};

struct source {
	const struct plan_lane *lane;
	unsigned step;
	int cell; /* -1: no cell of its own */
	const struct plan_axes *only;
	const struct plan_entry *entry; /* of this one alone; NULL */
	bool trial;			/* nothing was run yet */
	bool base; /* rates are what stays after a burst: what was sold is held against it */
	struct base_rate *ret_base; /* of `base` */
};

static const enum check_unit metric_units[NCELL_METRIC] = {
	[CELL_IOS_PER_S] = CHECK_NUMBER, [CELL_BYTES_PER_S] = CHECK_BYTES_PER_S,
	[CELL_MEAN_NS] = CHECK_TIME,	 [CELL_P50_NS] = CHECK_TIME,
	[CELL_P99_NS] = CHECK_TIME,	 [CELL_P999_NS] = CHECK_TIME,
	[CELL_P9999_NS] = CHECK_TIME,	 [CELL_MAX_NS] = CHECK_TIME,
};

static void unknown(struct check_value *value, enum check_unit unit, const char *reason)
{
	*value = (struct check_value){.unit = unit,
				      .value = (double)NAN,
				      .low = (double)NAN,
				      .high = (double)NAN,
				      .state = CHECK_UNKNOWN};
	(void)snprintf(value->reason, sizeof(value->reason), "%s", reason);
}

static void known(struct check_value *value, enum check_unit unit, double number)
{
	*value = (struct check_value){
		.unit = unit, .value = number, .low = number, .high = number};
}

/* --- spec. --- */

static enum check_unit unit_of_spec(const char *name)
{
	enum cell_metric metric;
	enum plan_dir dir;

	if (plan_metric_parse(name, strlen(name), &dir, &metric))
		return metric_units[metric];
	return str_starts(name, "capacity") || str_starts(name, "size") ? CHECK_BYTES
									: CHECK_NUMBER;
}

static int find_spec(const struct source *source, const char *name,
		     struct check_value *ret_value, struct err *err)
{
	const struct check_value *value = plan_spec_find(source->lane->spec, name);

	if (value) {
		*ret_value = *value;
		return 0;
	}
	if (source->lane->spec)
		return err_input(err, "\"spec.%s\" is not in the datasheet \"%s\"", name,
				 source->lane->spec->path);
	unknown(ret_value, unit_of_spec(name), N_("no datasheet was given (--spec=FILE)"));
	return 0;
}

/* --- figures of steps --- */

/* "rand_4k" in a check is the step [rand-4k]: a dash there is a minus. */
static bool is_name(const char *step, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!step[i] || (step[i] != text[i] && !(step[i] == '-' && text[i] == '_')))
			return false;
	return !step[length];
}

static int find_step(const struct source *source, const char *text, size_t length,
		     unsigned *ret_step, struct err *err)
{
	const struct plan *plan = source->lane->plan;

	for (unsigned i = 0; i < plan->nsteps; i++) {
		if (!is_name(plan->steps[i].name, text, length))
			continue;
		if (i > source->step)
			return err_input(err, "[%s] comes after this step: say needs=%s",
					 plan->steps[i].name, plan->steps[i].name);
		*ret_step = i;
		return 0;
	}
	return err_input(err,
			 "\"%.*s\" is no figure and no step: figures are iops, bw, mean, p50, "
			 "p99, p99.9, p99.99, max (of read. or write.), ios, errors, "
			 "zero_intervals, base_iops, base_bw, burst_iops, burst_time, credits, "
			 "of rounds rounds and steady, of find load",
			 (int)length, text);
}

static int find_cell(const struct source *source, unsigned number, int *ret_cell,
		     struct err *err)
{
	const struct plan_step *step = &source->lane->plan->steps[number];
	static const struct plan_axes all;
	const struct plan_axes *only = source->only ? source->only : &all;
	unsigned found, cell = 0;

	if (number == source->step && source->cell >= 0) {
		*ret_cell = source->cell;
		return 0;
	}
	found = plan_cells_named(step, only, &cell);
	if (found == 1) {
		*ret_cell = (int)cell;
		return 0;
	}
	return err_input(err,
			 "[%s] has %u cells: say which, as in check=[bs=4k] %s.iops > 1000",
			 step->name, found, step->name);
}

/* Does the load of a cell go that way? The options were found to be right before. */
static bool yields(const struct plan_step *step, unsigned cell, enum plan_dir dir)
{
	struct job_spec *spec;
	struct job_set set;
	bool does = true;

	if (dir == PLAN_ALL)
		return true;
	job_set_init(&set, FACE_NATIVE);
	if (!plan_cell_spec(&set, step, &step->cells[cell], "TARGET", &spec, NULL))
		does = spec->rw.does[dir];
	job_set_done(&set);
	return does;
}

static bool figures_of(const struct source *source, unsigned step, unsigned cell,
		       struct plan_figures *ret_figures)
{
	if (source->entry) {
		*ret_figures = source->entry->figures;
		return true;
	}
	plan_figures_init(ret_figures);
	return !source->trial && plan_cell_figures(source->lane, step, cell, ret_figures);
}

/* Said of all cells of the step together. */
static bool is_of_step(const struct plan_step *step, const char *word)
{
	return step->kind == PLAN_ROUNDS &&
	       (str_equal(word, "rounds") || str_equal(word, "steady"));
}

/* A word about a step that is a count. */
static bool count_of(const struct source *source, unsigned number, unsigned cell,
		     const char *word, double *ret_count, bool *ret_known)
{
	const struct plan_step *step = &source->lane->plan->steps[number];
	struct plan_figures figures;
	struct plan_steady steady;

	*ret_known = figures_of(source, number, cell, &figures);
	if (str_equal(word, "ios"))
		*ret_count = (double)figures.ios[PLAN_ALL];
	else if (str_equal(word, "errors"))
		*ret_count = (double)figures.errors;
	else if (str_equal(word, "zero_intervals"))
		*ret_count = (double)figures.zero_intervals;
	else if (is_of_step(step, word)) {
		if (*ret_known)
			plan_steady(source->lane, number, step->repeat - 1, &steady);
		else
			steady = (struct plan_steady){0};
		*ret_count = *word == 'r' ? steady.rounds : steady.attained;
	} else {
		return false;
	}
	return true;
}

static int find_load(const struct source *source, unsigned number,
		     struct check_value *ret_value)
{
	struct plan_found *found = memory_zeroed(1, sizeof(*found));

	unknown(ret_value, CHECK_NUMBER, N_("no load holds"));
	if (!source->trial) {
		plan_found(source->lane, number, found);
		if (found->best >= 0)
			known(ret_value, CHECK_NUMBER,
			      source->lane->plan->steps[number].find.by == PLAN_BY_RATE
				      ? found->point[found->best].ios_per_s
				      : found->point[found->best].load);
	}
	free(found);
	return 0;
}

/* Why a cell has no base rate. */
static const char *no_level(const struct plan_figures *figures)
{
	return figures->intervals < BUCKET_INTERVALS_MIN
		       ? N_("too short to tell a burst from a level (10 intervals tell)")
		       : N_("its rate held no level: neither one, nor a burst and one after "
			    "it");
}

static const char no_burst[] = N_("no burst was seen to end");

/* Words about a cell as a token bucket; false: it is none of them. */
static bool find_level(const struct plan_figures *figures, bool is_known, const char *word,
		       struct check_value *ret_value)
{
	static const struct {
		const char *word;
		enum check_unit unit;
	} words[] = {{"base_iops", CHECK_NUMBER},
		     {"base_bw", CHECK_BYTES_PER_S},
		     {"burst_iops", CHECK_NUMBER},
		     {"burst_time", CHECK_TIME},
		     {"credits", CHECK_NUMBER}};
	const struct plan_levels *levels = &figures->levels;
	const double *all = figures->value[PLAN_ALL];
	const double values[] = {levels->base_per_s,
				 levels->base_per_s * all[CELL_BYTES_PER_S] /
					 all[CELL_IOS_PER_S],
				 levels->burst_per_s, levels->burst_s * NS_PER_S,
				 levels->burst_s * (levels->burst_per_s - levels->base_per_s)};

	for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
		if (!str_equal(words[i].word, word))
			continue;
		if (!isnan(values[i]))
			known(ret_value, words[i].unit, values[i]);
		else
			unknown(ret_value, words[i].unit,
				!is_known		    ? "nothing was measured"
				: isnan(levels->base_per_s) ? no_level(figures)
							    : no_burst);
		return true;
	}
	return false;
}

/* The rate without its burst, in place of the mean of both. */
static void put_base(const struct source *source, const struct plan_figures *figures,
		     enum plan_dir dir, enum cell_metric metric, struct check_value *value)
{
	struct plan_levels levels = figures->levels;
	double each = figures->value[dir][metric] / figures->value[PLAN_ALL][CELL_IOS_PER_S];

	levels.base_per_s *= each;
	levels.burst_per_s *= each;
	if (isnan(levels.base_per_s))
		unknown(value, value->unit, no_level(figures));
	else
		known(value, value->unit, levels.base_per_s);
	*source->ret_base =
		(struct base_rate){.levels = levels,
				   .span_s = (double)figures->ios[PLAN_ALL] /
					     figures->value[PLAN_ALL][CELL_IOS_PER_S]};
}

static void put_metric(const struct source *source, unsigned number, unsigned cell,
		       enum plan_dir dir, enum cell_metric metric,
		       struct check_value *ret_value)
{
	struct plan_figures figures;

	if (!figures_of(source, number, cell, &figures))
		unknown(ret_value, metric_units[metric], "nothing was measured");
	else if (isnan(figures.value[dir][metric]))
		unknown(ret_value, metric_units[metric],
			figures.ios[dir] ? N_("too few requests to tell it")
					 : N_("nothing came back"));
	else
		known(ret_value, metric_units[metric], figures.value[dir][metric]);
	if (source->base && ret_value->state == CHECK_KNOWN &&
	    (metric == CELL_IOS_PER_S || metric == CELL_BYTES_PER_S))
		put_base(source, &figures, dir, metric, ret_value);
	ret_value->samples = cell_metrics[metric].percent > 0 ? (double)figures.ios[dir] : 0;
}

/* "read.count_over(200ms)": requests of this cell that took longer, and their share with its
 * bounds, as a log is judged by (stat/qos). */
static int find_over(const struct source *source, const struct check_figure *figure,
		     struct check_value *ret_value, struct err *err)
{
	const char *word = figure->name;
	enum plan_dir dir = PLAN_ALL;
	struct hist *hist;
	struct bounds bounds;
	double over, total;

	for (unsigned d = 0; d < PLAN_ALL; d++) {
		size_t length = strlen(plan_dir_names[d]);

		if (strncmp(word, plan_dir_names[d], length) == 0 && word[length] == '.') {
			dir = (enum plan_dir)d;
			word += length + 1;
		}
	}
	if (!str_equal(word, "count_over") && !str_equal(word, "share_over"))
		return err_input(err, "\"%s\" takes nothing in brackets", figure->name);
	if (figure->argument_unit != CHECK_TIME || source->cell < 0)
		return err_input(err, "%s: a latency of a step's own cells, as in %s(200ms)",
				 word, word);
	unknown(ret_value, CHECK_NUMBER, "nothing was measured");
	ret_value->share = *word == 's';
	if (source->trial)
		return 0;
	hist = memory_zeroed(1, sizeof(*hist));
	if (source->entry)
		plan_entry_hist(source->entry, dir, hist);
	else
		plan_cell_hist(source->lane, source->step, (unsigned)source->cell, dir, hist);
	total = (double)hist_total(hist);
	over = hist_count_above(hist, (uint64_t)figure->argument);
	free(hist);
	if (!(total > 0))
		return 0;
	if (!ret_value->share) {
		known(ret_value, CHECK_NUMBER, over);
		return 0;
	}
	bounds = share_bounds(over, total);
	*ret_value = (struct check_value){.unit = CHECK_NUMBER,
					  .share = true,
					  .value = over / total,
					  .low = bounds.low,
					  .high = bounds.high,
					  .samples = total};
	return 0;
}

static int find_figure(void *ctx, const struct check_figure *figure,
		       struct check_value *ret_value, struct err *err)
{
	const struct source *source = ctx;
	const char *word = figure->name;
	unsigned step = source->step;
	enum cell_metric metric;
	struct plan_figures figures;
	enum plan_dir dir;
	double count;
	bool is_known;
	int cell = 0, rc = 0;

	if (!isnan(figure->argument))
		return find_over(source, figure, ret_value, err);
	if (str_starts(word, "spec."))
		return find_spec(source, word + strlen("spec."), ret_value, err);
	if (source->cell < 0 || !plan_metric_parse(word, strlen(word), &dir, &metric)) {
		size_t length = strcspn(word, ".");

		if (word[length] == '.') {
			rc = find_step(source, word, length, &step, err);
			word += length + 1;
		} else if (source->cell < 0) {
			return err_input(err, "\"%s\": of which step? write STEP.%s", word,
					 word);
		}
	}
	if (rc)
		return rc;
	if (!plan_step_loads(&source->lane->plan->steps[step]))
		return err_input(err, "[%s] yields no figures",
				 source->lane->plan->steps[step].name);
	if (source->lane->plan->steps[step].kind == PLAN_FIND && str_equal(word, "load"))
		return find_load(source, step, ret_value);
	if (!is_of_step(&source->lane->plan->steps[step], word))
		rc = find_cell(source, step, &cell, err);
	if (rc)
		return rc;
	if (count_of(source, step, (unsigned)cell, word, &count, &is_known)) {
		known(ret_value, CHECK_NUMBER, count);
		if (!is_known)
			unknown(ret_value, CHECK_NUMBER, "nothing was measured");
		return 0;
	}
	is_known = figures_of(source, step, (unsigned)cell, &figures);
	if (find_level(&figures, is_known, word, ret_value))
		return 0;
	if (!plan_metric_parse(word, strlen(word), &dir, &metric))
		return find_step(source, word, strlen(word), &step, err);
	if (!yields(&source->lane->plan->steps[step], (unsigned)cell, dir))
		return err_input(err, "[%s] does not %s", source->lane->plan->steps[step].name,
				 plan_dir_names[dir]);
	put_metric(source, step, (unsigned)cell, dir, metric, ret_value);
	return 0;
}

/* --- judging --- */

static int judge(struct source *source, const char *text, struct check_result *ret_result,
		 struct err *err)
{
	const struct check_figures figures = {.ctx = source, .find = find_figure};

	return check_judge(text, &figures, ret_result, err);
}

int plan_checks_try(const struct plan *plan, const struct plan_step *step,
		    const struct plan_spec *spec, struct err *err)
{
	const struct plan_lane lane = {.plan = plan, .spec = spec};
	struct source source = {
		.lane = &lane, .step = (unsigned)(step - plan->steps), .trial = true};
	struct check_result result;
	int rc = 0;

	for (unsigned i = 0; i < step->nchecks && !rc; i++) {
		const struct plan_check *check = &step->checks[i];
		bool any = step->kind == PLAN_CHECK;

		source.only = &check->only;
		for (unsigned c = 0; c < step->ncells && !rc; c++) {
			if (step->kind != PLAN_CHECK &&
			    !plan_cell_is(step, &step->cells[c], &check->only))
				continue;
			any = true;
			source.cell = step->kind == PLAN_CHECK ? -1 : (int)c;
			if (check->policy)
				continue; /* its figures are those of runs: it was read */
			rc = judge(&source, check->text, &result, err);
		}
		if (!rc && !any)
			rc = err_input(err, "check: no cell of [%s] is like that", step->name);
		if (rc)
			err_context(err, "%s", check->where);
	}
	if (!rc && step->kind == PLAN_FIND) {
		source.cell = 0;
		rc = judge(&source, step->find.check, &result, err);
		if (rc)
			err_context(err, "%s: find", step->find.where);
	}
	return rc;
}

enum outcome plan_check_entry(const struct plan_lane *lane, unsigned step, const char *text,
			      const struct plan_entry *entry)
{
	struct source source = {.lane = lane, .step = step, .cell = 0, .entry = entry};
	struct check_result result;

	if (judge(&source, text, &result, NULL))
		return OUTCOME_CANNOT_TELL;
	return result.outcome;
}

/* "p99 < 1ms: 0.84 ms"; what could not be told says why. */
void plan_verdict_describe(const struct check_result *result, const char *text,
			   struct plan_verdict *verdict)
{
	autostr measured = {0}, limit = {0};

	for (unsigned i = 0; i < result->ncomparisons; i++) {
		const struct check_comparison *one = &result->comparisons[i];

		str_add(&measured, i ? ", " : "");
		str_add(&limit, i ? ", " : "");
		if (one->left.value.state == CHECK_UNKNOWN)
			str_add(&measured, one->left.value.reason);
		else if (one->right.value.state == CHECK_UNKNOWN)
			str_add(&measured, one->right.value.reason);
		else
			check_format(&one->left.value, &measured);
		if (one->right.value.state == CHECK_KNOWN)
			check_format(&one->right.value, &limit);
	}
	if (result->ncomparisons == 1) {
		verdict->value = result->comparisons[0].left.value.value;
		verdict->threshold = result->comparisons[0].right.value.value;
	}
	(void)snprintf(verdict->text, sizeof(verdict->text), "%s: %s", text,
		       str_text(&measured));
	(void)snprintf(verdict->measured, sizeof(verdict->measured), "%s", str_text(&measured));
	(void)snprintf(verdict->limit, sizeof(verdict->limit), "%s", str_text(&limit));
}

static const char *side_of(double ratio, bool entitled)
{
	if (ratio < 1 - PLAN_ENTITLED_WITHIN)
		return N_("less than that");
	if (ratio <= 1 + PLAN_ENTITLED_WITHIN)
		return N_("the throttle, not the disk");
	return entitled ? N_("more than that, a burst whose end was not seen")
			: N_("more than that, a burst");
}

/* What stays of what was sold: less, the provider's throttle, or more than that so far. */
static void describe_entitlement(const struct check_result *result,
				 const struct base_rate *base, bool entitled,
				 struct plan_verdict *verdict)
{
	struct check_value burst = {.state = CHECK_KNOWN, .value = base->levels.burst_per_s};
	double measured = (double)NAN, sold = (double)NAN, ratio;
	autostr text = {0}, rate = {0}, before = {0};

	for (unsigned i = 0; i < result->ncomparisons; i++) {
		const struct check_comparison *one = &result->comparisons[i];

		if (one->left.value.state != CHECK_KNOWN) { /* once, not for each sum */
			(void)snprintf(verdict->measured, sizeof(verdict->measured), "%s",
				       one->left.value.reason);
			return;
		}
		if (one->right.value.state != CHECK_KNOWN)
			return;
		measured = one->left.value.value;
		burst.unit = one->left.value.unit;
		sold = fmin(sold, one->right.value.value / (1 - PLAN_ENTITLED_WITHIN));
	}
	ratio = measured / sold;
	check_format(&(struct check_value){.unit = burst.unit, .value = measured}, &rate);
	check_format(&burst, &before);
	if (entitled && !isnan(base->levels.burst_per_s))
		str_printf(
			&text,
			N_("%s after a burst at %s for %.4g s, %.1f %% of what was sold: %s"),
			str_text(&rate), str_text(&before), base->levels.burst_s, 100 * ratio,
			side_of(ratio, entitled));
	else if (entitled && !isnan(base->levels.base_per_s))
		str_printf(&text, N_("%s for all of %.4g s, %.1f %% of what was sold: %s"),
			   str_text(&rate), base->span_s, 100 * ratio,
			   side_of(ratio, entitled));
	else
		str_printf(&text, N_("%s, %.1f %% of what was sold: %s"), str_text(&rate),
			   100 * ratio, side_of(ratio, entitled));
	if (entitled && ratio > 1 + PLAN_ENTITLED_WITHIN)
		verdict->outcome = OUTCOME_CANNOT_TELL; /* what stays is what was sold */
	verdict->value = measured;
	verdict->threshold = sold * (1 - PLAN_ENTITLED_WITHIN);
	(void)snprintf(verdict->measured, sizeof(verdict->measured), "%s", str_text(&text));
}

/* What was sold is what stays, so the base rate is held against it. A mean that is too low is too
 * low however short the time was, for a burst comes first. */
static int judge_entitlement(const struct source *source, const struct plan_check *check,
			     struct plan_verdict *verdict, struct err *err)
{
	struct base_rate base = {{(double)NAN, (double)NAN, (double)NAN}, 0};
	struct check_result by_mean, by_base;
	const struct check_result *result = &by_base;
	struct source of_mean = *source, of_base = *source;
	int rc = judge(&of_mean, check->text, &by_mean, err);

	of_base.base = true;
	of_base.ret_base = &base;
	if (!rc)
		rc = judge(&of_base, check->text, &by_base, err);
	if (rc)
		return rc;
	if (!check->entitled ||
	    (by_base.outcome == OUTCOME_CANNOT_TELL && by_mean.outcome == OUTCOME_FAIL))
		result = &by_mean;
	verdict->outcome = result->outcome;
	plan_verdict_describe(result, check->text, verdict);
	describe_entitlement(result, &base, check->entitled, verdict);
	(void)snprintf(verdict->text, sizeof(verdict->text), "%s: %s", check->text,
		       verdict->measured);
	return 0;
}

static int judge_source(struct source *source, const struct plan_check *check,
			struct plan_verdict *ret_verdict, struct err *err)
{
	struct check_result result;
	int rc;

	*ret_verdict = (struct plan_verdict){.step = source->step,
					     .cell = source->cell,
					     .outcome = OUTCOME_CANNOT_TELL,
					     .value = (double)NAN,
					     .threshold = (double)NAN};
	/* A plan of before runs were judged: by its figures, as then. */
	if (check->policy &&
	    (plan_judged_verdict(source->lane, check, source->entry, ret_verdict) ||
	     judge(source, check->text, &result, NULL)))
		return 0;
	if (check->entitled || check->delivered)
		return judge_entitlement(source, check, ret_verdict, err);
	rc = judge(source, check->text, &result, err);
	if (rc)
		return rc;
	ret_verdict->outcome = result.outcome;
	plan_verdict_describe(&result, check->text, ret_verdict);
	return 0;
}

int plan_slice_judge(const struct plan_lane *lane, const struct plan_check *check,
		     const struct plan_entry *entry, struct plan_verdict *ret_verdict)
{
	struct source source = {.lane = lane,
				.step = entry->task.step,
				.cell = 0,
				.only = &check->only,
				.entry = entry};

	return judge_source(&source, check, ret_verdict, NULL);
}

int plan_check_judge(const struct plan_lane *lane, unsigned step,
		     const struct plan_check *check, int cell, struct plan_verdict *ret_verdict,
		     struct err *err)
{
	struct source source = {.lane = lane, .step = step, .cell = cell, .only = &check->only};
	int rc = judge_source(&source, check, ret_verdict, err);

	if (!rc && cell >= 0 && lane->plan->steps[step].kind == PLAN_SOAK)
		plan_slices_judge(lane, check, ret_verdict);
	return rc;
}

unsigned plan_step_verdicts(const struct plan_lane *lane, unsigned step, struct arena *arena,
			    struct plan_verdict **ret_verdicts)
{
	const struct plan_step *s = &lane->plan->steps[step];
	bool whole = s->kind == PLAN_CHECK;
	struct plan_verdict *verdicts =
		arena_array(arena, struct plan_verdict, (size_t)s->nchecks * s->ncells + 1);
	unsigned count = 0;

	for (unsigned i = 0; i < s->nchecks; i++)
		for (unsigned c = 0; c < s->ncells; c++) {
			const struct plan_check *check = &s->checks[i];

			if (!whole && !plan_cell_is(s, &s->cells[c], &check->only))
				continue;
			(void)plan_check_judge(lane, step, check, whole ? -1 : (int)c,
					       &verdicts[count], NULL); /* tried before */
			verdicts[count].check = i;
			/* Of a policy's: nothing in the run is what the check is about. */
			count += verdicts[count].outcome != OUTCOME_NOT_APPLICABLE;
		}
	*ret_verdicts = verdicts;
	return count;
}

bool plan_step_failed(const struct plan_lane *lane, unsigned step)
{
	const struct plan_entry *entry;
	struct plan_verdict *verdicts;
	unsigned from = 0, count;
	struct arena arena;
	bool failed = false;

	while ((entry = plan_entry_next(lane, step, &from)))
		failed |= entry->state != PLAN_DONE;
	arena_init(&arena);
	count = plan_step_verdicts(lane, step, &arena, &verdicts);
	for (unsigned i = 0; i < count; i++)
		failed |= verdicts[i].outcome == OUTCOME_FAIL;
	arena_done(&arena);
	return failed;
}
