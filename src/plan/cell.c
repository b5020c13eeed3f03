#include "plan/cell.h"

#include "job/options.h"

static int set_option(struct job_set *set, struct job_spec *spec, const struct given *given,
		      struct err *err)
{
	int rc = job_set_option(set, spec, given->key, given->value, err);
	struct given copy = {.key = given->key,
			     .value = given->value ? given->value : "",
			     .where = given->where};

	if (rc) {
		err_context(err, "%s", given->where);
		return rc;
	}
	spec->given = arena_more(&set->arena, spec->given, spec->ngiven, sizeof(*spec->given));
	spec->given[spec->ngiven++] = copy;
	return 0;
}

/* What a simulated drive cannot take: it has an engine of its own, for any depth. */
static bool is_of_engine(const char *key)
{
	const struct opt *opt = opt_find(key);

	return opt && (opt->kind == OPT_ENGINE || opt->engines);
}

int plan_cell_spec(struct job_set *set, const struct plan_step *step,
		   const struct plan_cell *cell, const char *target, struct job_spec **ret_spec,
		   struct err *err)
{
	struct job_spec *spec = job_new(set, NULL);
	bool simulated = str_starts(target, "sim:");
	int rc = 0;

	for (unsigned i = 0; i < step->noptions && !rc; i++)
		if (!simulated || !is_of_engine(step->options[i].key))
			rc = set_option(set, spec, &step->options[i], err);
	for (unsigned a = 0; a < step->sweep.count && !rc; a++) {
		const struct plan_axis *axis = &step->sweep.axis[a];
		const struct given given = {.key = axis->key,
					    .value = axis->values[cell->pick[a]],
					    .where = step->where};

		if (!simulated || !is_of_engine(axis->key))
			rc = set_option(set, spec, &given, err);
	}
	if (!rc && step->range_percent_x100 < 10000 && !spec->size.given) {
		const struct given given = {
			.key = "size",
			.value = arena_printf(&set->arena, "%u.%02u%%",
					      step->range_percent_x100 / 100,
					      step->range_percent_x100 % 100),
			.where = step->where};

		rc = set_option(set, spec, &given, err);
	}
	if (!rc && step->kind == PLAN_PRECONDITION && step->method == PLAN_ONE_PASS)
		rc = set_option(set, spec, &(struct given){"sprandom", "1", step->where}, err);
	if (rc)
		return rc;
	rc = set_option(set, spec, &(struct given){"filename", target, step->where}, err);
	spec->name = arena_strdup(&set->arena, step->name);
	spec->where = step->where;
	*ret_spec = spec;
	return rc;
}
