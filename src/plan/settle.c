/* The plan as a whole: steps in the order of their needs, each with what its kind asks for, every
 * cell and every check tried once. Nothing that is wrong is left for the run to find. */
#include <string.h>

#include "base/lang.h"
#include "job/options.h"
#include "plan/plan_priv.h"

/* --- what a kind asks for --- */

static int lacks(struct plan_reading *r, const struct plan_step *step, const char *what)
{
	return plan_refuse(r, step->where, "[%s]: step=%s needs %s", step->name,
			   plan_kind_name(step->kind), what);
}

/* Written in the step itself. */
static bool has_option(const struct plan_step *step, const char *key)
{
	for (unsigned i = step->nglobals; i < step->noptions; i++)
		if (str_equal(step->options[i].key, key))
			return true;
	return false;
}

static int check_find(struct plan_reading *r, const struct plan_step *step, bool has_by)
{
	static const char *const keys[] = {[PLAN_BY_RATE] = "rate_iops",
					   [PLAN_BY_IODEPTH] = "iodepth",
					   [PLAN_BY_NUMJOBS] = "numjobs"};
	const struct plan_find *find = &step->find;

	if (!find->check)
		return lacks(r, step, N_("find=CHECK, as in find=p99 < 1ms"));
	if (!has_by)
		return lacks(r, step, N_("by=rate, by=iodepth or by=numjobs"));
	if (find->from > find->to)
		return plan_refuse(r, step->where, "[%s]: from=%llu is above to=%llu",
				   step->name, (unsigned long long)find->from,
				   (unsigned long long)find->to);
	if (has_option(step, keys[find->by]) ||
	    (find->by == PLAN_BY_RATE && has_option(step, "rate")))
		return plan_refuse(r, find->where,
				   "[%s]: %s is what it looks for: leave it out", step->name,
				   keys[find->by]);
	return 0;
}

static int check_kind(struct plan_reading *r, const struct plan_step *step,
		      const struct plan_draft *draft)
{
	bool has_by = false;

	for (unsigned i = 0; i < draft->nsettings; i++) {
		const struct given *given = &draft->settings[i];

		has_by |= str_equal(given->key, "by");
		if (!step->filesystem && (str_equal(given->key, "mkfs_options") ||
					  str_equal(given->key, "mount_options")))
			return plan_refuse(
				r, given->where,
				"%s: there is no file system: write filesystem=ext4, "
				"xfs or btrfs beside it",
				given->key);
	}
	if (step->discard >= step->repeat)
		return plan_refuse(r, step->where, "[%s]: discard=%u leaves none of repeat=%u",
				   step->name, step->discard, step->repeat);
	if (step->kind == PLAN_PRECONDITION && step->method == PLAN_ONE_PASS &&
	    step->passes > 1)
		return plan_refuse(r, step->where,
				   "[%s]: method=one-pass is one pass: leave passes=%u out",
				   step->name, step->passes);
	if (step->kind == PLAN_SWEEP && !step->sweep.count)
		return lacks(r, step, N_("sweep=OPTION=V,V ..."));
	if (step->kind == PLAN_ROUNDS && !step->until.count)
		return lacks(r, step, "until=steady(iops)");
	if (step->kind == PLAN_ROUNDS &&
	    (step->until.window - 1) * step->until.stride >= step->max_rounds)
		return plan_refuse(
			r, step->where,
			"[%s]: a window of %u rounds never fits into max_rounds=%u", step->name,
			(step->until.window - 1) * step->until.stride + 1, step->max_rounds);
	if ((step->kind == PLAN_IDLE || step->kind == PLAN_SOAK) && !step->for_ns)
		return lacks(r, step, "for=TIME");
	if (step->kind == PLAN_SOAK && step->every_ns > step->for_ns)
		return plan_refuse(r, step->where,
				   "[%s]: a slice of every= is longer than for=", step->name);
	if (step->kind == PLAN_CHECK && !step->nchecks)
		return lacks(r, step, N_("check=STEP.FIGURE < LIMIT"));
	return step->kind == PLAN_FIND ? check_find(r, step, has_by) : 0;
}

/* --- every cell once --- */

const struct plan_step *plan_makes_filesystem(const struct plan *plan)
{
	for (unsigned s = 0; s < plan->nsteps; s++)
		if (plan->steps[s].filesystem)
			return &plan->steps[s];
	return NULL;
}

bool plan_step_writes(const struct plan_step *step)
{
	const char *rw = "read";

	if (step->kind == PLAN_PURGE)
		return true;
	if (step->filesystem)
		return true;
	if (!plan_step_loads(step))
		return false;
	for (unsigned i = 0; i < step->sweep.count; i++)
		if (str_equal(step->sweep.axis[i].key, "rw"))
			return true; /* of several, one does */
	for (unsigned i = 0; i < step->noptions; i++)
		if (str_equal(step->options[i].key, "rw") && step->options[i].value)
			rw = step->options[i].value;
	return !str_starts(rw, "read") && !str_starts(rw, "randread");
}

/* What fill and precondition set for each worker. */
static int check_shares(struct plan_reading *r, const struct plan_step *step)
{
	static const char *const taken[] = {"offset", "size", "loops", "numjobs", "io_size"};

	if (step->kind != PLAN_FILL && step->kind != PLAN_PRECONDITION)
		return 0;
	for (unsigned i = step->nglobals; i < step->noptions; i++)
		for (unsigned k = 0; k < sizeof(taken) / sizeof(taken[0]); k++)
			if (str_equal(step->options[i].key, taken[k]))
				return plan_refuse(r, step->options[i].where,
						   "%s: step=%s settles it from range, passes "
						   "and workers",
						   taken[k], plan_kind_name(step->kind));
	return plan_step_writes(step)
		       ? 0
		       : plan_refuse(r, step->where, "[%s]: a %s that does not write",
				     step->name, plan_kind_name(step->kind));
}

static int try_cells(struct plan_reading *r, const struct plan_step *step)
{
	int rc = check_shares(r, step);

	for (unsigned c = 0; c < step->ncells && !rc && plan_step_loads(step); c++) {
		struct job_spec *spec;
		struct job_set set;

		job_set_init(&set, FACE_NATIVE);
		rc = plan_cell_spec(&set, step, &step->cells[c], "TARGET", &spec, r->err);
		if (!rc)
			rc = job_add(&set, spec, r->err);
		if (!rc && step->filesystem && !spec->size.bytes)
			rc = plan_refuse(r, step->where,
					 "[%s]: filesystem: say with size= how large its file "
					 "is",
					 step->name);
		job_set_done(&set);
	}
	return rc;
}

/* --- order --- */

static const struct given *find_needs(const struct plan_draft *draft)
{
	for (unsigned i = 0; i < draft->nsettings; i++)
		if (str_equal(draft->settings[i].key, "needs"))
			return &draft->settings[i];
	return NULL;
}

/* Places in the file of what a step needs. */
static int parse_needs(struct plan_reading *r, unsigned at, struct plan_step *step)
{
	const struct given *given = find_needs(&r->drafts[at]);
	const char *text;
	unsigned *needs = arena_array(&r->plan->arena, unsigned, r->ndrafts + 1);
	unsigned count = 0;

	if (!given)
		return 0;
	for (text = given->value;;) {
		size_t length;
		unsigned other = 0;

		text += strspn(text, ", ");
		length = strcspn(text, ", ");
		if (!length)
			break;
		while (other < r->ndrafts &&
		       (strlen(r->drafts[other].name) != length ||
			strncmp(r->drafts[other].name, text, length) != 0))
			other++;
		if (other == r->ndrafts)
			return plan_refuse(r, given->where, "needs: there is no step \"%.*s\"",
					   (int)length, text);
		if (count == r->ndrafts)
			return plan_refuse(r, given->where, "needs: more names than steps");
		needs[count++] = other;
		text += length;
	}
	step->needs = needs;
	step->nneeds = count;
	return 0;
}

static bool all_placed(const struct plan_step *step, const bool *placed)
{
	for (unsigned i = 0; i < step->nneeds; i++)
		if (!placed[step->needs[i]])
			return false;
	return true;
}

/* The order of the file, as far as the needs allow; `order` maps old places to new ones. */
static int sort_steps(struct plan_reading *r)
{
	struct plan *plan = r->plan;
	struct plan_step *sorted = arena_array(&plan->arena, struct plan_step, plan->nsteps);
	unsigned *place = arena_array(&plan->arena, unsigned, plan->nsteps);
	bool *placed = arena_array(&plan->arena, bool, plan->nsteps);

	for (unsigned n = 0; n < plan->nsteps; n++) {
		unsigned at = 0;

		while (at < plan->nsteps &&
		       (placed[at] || !all_placed(&plan->steps[at], placed)))
			at++;
		if (at == plan->nsteps) {
			for (at = 0; placed[at]; at++)
				;
			return plan_refuse(r, find_needs(&r->drafts[at])->where,
					   "needs: [%s] waits for itself: a cycle",
					   plan->steps[at].name);
		}
		placed[at] = true;
		place[at] = n;
		sorted[n] = plan->steps[at];
	}
	for (unsigned n = 0; n < plan->nsteps; n++) {
		unsigned *needs = arena_array(&plan->arena, unsigned, sorted[n].nneeds + 1);

		for (unsigned i = 0; i < sorted[n].nneeds; i++)
			needs[i] = place[sorted[n].needs[i]];
		sorted[n].needs = needs;
	}
	plan->steps = sorted;
	return 0;
}

static bool has_cell(const struct plan_step *step, const char *name)
{
	for (unsigned c = 0; c < step->ncells; c++)
		if (str_equal(step->cells[c].name, name))
			return true;
	return false;
}

/* What a step is told as a ratio of: it comes before, and has a cell like one of its own. */
static int find_against(struct plan_reading *r, unsigned at)
{
	struct plan_step *step = &r->plan->steps[at];
	unsigned other = 0, like = 0;

	if (!step->against)
		return 0;
	while (other < at && !str_equal(r->plan->steps[other].name, step->against))
		other++;
	if (other == at)
		return plan_refuse(r, step->against_where,
				   "against: there is no step \"%s\" before [%s]",
				   step->against, step->name);
	for (unsigned c = 0; c < step->ncells; c++)
		like += has_cell(&r->plan->steps[other], step->cells[c].name);
	if (!like || !plan_step_loads(&r->plan->steps[other]))
		return plan_refuse(r, step->against_where,
				   "against: [%s] and [%s] have no cell in common",
				   step->against, step->name);
	step->against_step = other;
	return 0;
}

int plan_settle(struct plan_reading *r)
{
	struct plan *plan = r->plan;
	int rc = 0;

	for (unsigned i = 0; i < plan->nsteps && !rc; i++)
		rc = check_kind(r, &plan->steps[i], &r->drafts[i]);
	for (unsigned i = 0; i < plan->nsteps && !rc; i++)
		rc = parse_needs(r, i, &plan->steps[i]);
	if (!rc)
		rc = sort_steps(r);
	for (unsigned i = 0; i < plan->nsteps && !rc; i++)
		rc = find_against(r, i);
	for (unsigned i = 0; i < plan->nsteps && !rc; i++)
		rc = try_cells(r, &plan->steps[i]);
	for (unsigned i = 0; i < plan->nsteps && !rc; i++)
		rc = plan_checks_try(plan, &plan->steps[i], r->wish ? r->wish->spec : NULL,
				     r->err);
	return rc;
}
