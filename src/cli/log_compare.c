/* assay log compare: two runs side by side. With --margin, exit code 0, 1, 2 as of a verdict. */
#include "base/bits.h"
#include "cli/emit.h"
#include "cli/log_gauge.h"
#include "report/compare_page.h"

static int render(const struct gauge_options *options, const struct compared *compared,
		  struct str *out, struct err *err)
{
	struct document doc;

	if (gauge_wants(options, "json")) {
		compare_json(compared, ASSAY_VERSION, out);
		return 0;
	}
	if (gauge_begin_page(options, "text, json, markdown", &doc, out, err))
		return err->code;
	compare_page(&doc, compared);
	document_done(&doc);
	return 0;
}

static int compare(struct gauge_options *options, struct gauge *gauges, int *ret_exit,
		   struct err *err)
{
	const struct compare_options how = {.seed = options->seed, .margin = options->margin};
	struct comparison *comparison = arena_new(&options->arena, struct comparison);
	struct verdict a, b;
	const struct compared compared = {.name_a = gauges[0].subject,
					  .name_b = gauges[1].subject,
					  .a = &gauges[0].qos,
					  .b = &gauges[1].qos,
					  .verdict_a = &a,
					  .verdict_b = &b,
					  .comparison = comparison,
					  .seed = options->seed,
					  .margin = options->margin};
	autostr out = {0};
	int rc = policy_judge(&options->policy, &gauges[0].qos, &options->arena, &a, err);

	rc = rc ? rc : policy_judge(&options->policy, &gauges[1].qos, &options->arena, &b, err);
	if (rc)
		return rc;
	compare_runs(&gauges[0].run, &gauges[1].run, &how, &options->arena, comparison);
	rc = render(options, &compared, &out, err);
	rc = rc ? rc : emit_text(options->log.output, &out, err);
	if (!rc && options->margin > 0)
		*ret_exit = verdict_exit_code(compare_gate(&compared));
	return rc;
}

/* Which logs are A's and which B's: two files, or what stands on the sides of "--". */
static int check_sides(struct gauge_options *options, struct err *err)
{
	if (!options->split && options->log.npaths == 2)
		options->split = 1;
	if (options->split && options->split < options->log.npaths)
		return 0;
	return err_input(err,
			 "compare: name two logs, or the logs of two runs with -- between: "
			 "compare A.1.log A.2.log -- B.1.log B.2.log");
}

int log_compare(int argc, char **argv, struct err *err)
{
	struct gauge_options options;
	struct gauge gauges[2] = {0};
	int code = 0, rc;

	rc = gauge_parse(argc, argv, " policy spec format margin seed -- ", &options, err);
	rc = rc ? rc : check_sides(&options, err);
	if (!rc) {
		const char *const *paths = options.log.paths;

		rc = gauge_read(&options, paths, options.split, &gauges[0], err);
		rc = rc ? rc
			: gauge_read(&options, paths + options.split,
				     options.log.npaths - options.split, &gauges[1], err);
	}
	if (!rc && gauges[0].info.kind != gauges[1].info.kind)
		rc = err_input(err,
			       "compare: the logs are of different kinds: give two of one");
	if (!rc)
		rc = compare(&options, gauges, &code, err);
	for (unsigned i = 0; i < ARRAY_SIZE(gauges) && !rc; i++)
		rc = gauges[i].damaged;
	gauge_free(&gauges[0]);
	gauge_free(&gauges[1]);
	gauge_done(&options);
	return rc ? rc : code;
}
