/* The shipped plans: each reads, in each of its forms, and says what the documents say. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "plan/plan_priv.h"
#include "plan/shipped.h"

static void open_plan(struct plan *plan, const char *name, const char *set)
{
	const char *sets[2] = {set, set ? strchr(set, ' ') : NULL};
	autostr first = {0};
	struct plan_wish wish = {.set = sets, .nset = !set ? 0 : sets[1] ? 2 : 1};
	struct err err = {0};

	if (sets[1]) { /* two, with a space between */
		str_add_bytes(&first, set, (size_t)(sets[1] - set));
		sets[0] = str_text(&first);
		sets[1]++;
	}
	if (plan_open(plan, name, &wish, &err))
		fail_msg("%s: %s", name, err.text);
}

static const struct plan_step *step_of(const struct plan *plan, const char *name)
{
	const struct plan_step *step = plan_find_step(plan, name);

	if (!step)
		fail_msg("%s has no step [%s]", plan->name, name);
	return step;
}

/* What the option of a step comes to: the last one given. */
static const char *option_of(const struct plan_step *step, const char *key)
{
	const char *value = NULL;

	for (unsigned i = 0; i < step->noptions; i++)
		if (str_equal(step->options[i].key, key))
			value = step->options[i].value ? step->options[i].value : "1";
	return value;
}

static void assert_option(const struct plan *plan, const char *name, const char *key,
			  const char *value)
{
	const char *is = option_of(step_of(plan, name), key);

	if (!is || !str_equal(is, value))
		fail_msg("%s [%s] %s is %s, not %s", plan->name, name, key, is ? is : "missing",
			 value);
}

static void every_plan_reads_and_its_text_reads_back(void **state)
{
	(void)state;
	for (const struct plan_text *text = plan_texts; text->name; text++) {
		struct plan plan, again;
		autostr first = {0}, second = {0};
		struct err err = {0};

		open_plan(&plan, text->name, NULL);
		assert_non_null(plan.title);
		assert_non_null(plan.about);
		plan_format(&plan, &first);
		if (plan_read_text(&again, "again.plan", str_text(&first), NULL, &err))
			fail_msg("%s: %s", text->name, err.text);
		assert_int_equal(again.nsteps, plan.nsteps);
		plan_format(&again, &second);
		assert_string_equal(str_text(&first), str_text(&second));
		plan_done(&again);
		plan_done(&plan);
	}
}

static void every_choice_reads(void **state)
{
	static const struct {
		const char *name, *set;
		unsigned steps;
	} choices[] = {
		{"cdm", "profile=default", 9},
		{"cdm", "profile=default mix=yes", 13},
		{"cdm", "profile=nvme", 9},
		{"cdm", "profile=nvme mix=yes", 13},
		{"cdm", "profile=peak", 5},
		{"cdm", "profile=peak mix=yes", 7},
		{"cdm", "profile=peak-nvme", 5},
		{"cdm", "profile=real-world", 5},
		{"cdm", "profile=real-world mix=yes", 7},
		{"cdm", "profile=v3 score=mean", 9},
		{"cdm", "profile=v3 mix=yes", 13},
		{"cdm", "zeros=1 score=median", 9},
		{"cloud-disk", "product=none", 8},
		{"cloud-disk", "product=efficient", 9},
		{"cloud-disk", "product=ssd", 9},
		{"cloud-disk", "product=essd", 9},
		{"cloud-disk", "product=gp2", 9},
		{"cloud-disk", "product=gp3", 9},
		{"cloud-disk", "product=spec", 9},
		{"pts-iops", "class=client", 3},
		{"pts-latency", "class=client", 4},
		{"pts-throughput", "class=client", 4},
		{"pts-throughput", "class=enterprise", 8},
		{"pts-wsat", "class=client", 3},
		{"curve", "rw=randread", 4},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(choices); i++) {
		struct plan plan;

		open_plan(&plan, choices[i].name, choices[i].set);
		if (plan.nsteps != choices[i].steps)
			fail_msg("%s %s has %u steps", choices[i].name, choices[i].set,
				 plan.nsteps);
		plan_done(&plan);
	}
}

/* Document 000's command lines. */
static void pcie_ssd_is_document_000(void **state)
{
	static const struct {
		const char *step, *key, *value;
	} lines[] = {
		{"fill", "ioengine", "libaio"},
		{"fill", "bs", "128k"},
		{"fill", "iodepth", "32"},
		{"fill", "direct", "1"},
		{"read", "ioengine", "sync"},
		{"read", "rw", "randread"},
		{"read", "runtime", "120s"},
		{"read", "norandommap", "1"},
		{"precondition", "bs", "128k"},
		{"precondition", "ioengine", "libaio"},
		{"precondition", "iodepth", "32"},
		{"precondition", "iodepth_batch", "16"},
		{"precondition", "iodepth_batch_complete_min", "16"},
		{"precondition", "rw", "randwrite"},
		{"write", "ioengine", "sync"},
		{"write", "rw", "randwrite"},
		{"write", "runtime", "120s"},
		{"mixed", "rw", "randrw"},
		{"mixed", "rwmixread", "70"},
		{"mixed", "runtime", "120s"},
	};
	struct plan plan;

	(void)state;
	open_plan(&plan, "pcie-ssd", NULL);
	for (unsigned i = 0; i < ARRAY_SIZE(lines); i++)
		assert_option(&plan, lines[i].step, lines[i].key, lines[i].value);
	assert_int_equal(step_of(&plan, "fill")->passes, 1);
	assert_int_equal(step_of(&plan, "precondition")->passes, 2);
	assert_int_equal(step_of(&plan, "precondition")->workers, 2);
	assert_int_equal(step_of(&plan, "read")->ncells, 4 * 5);
	assert_int_equal(step_of(&plan, "write")->ncells, 4 * 4);
	assert_int_equal(step_of(&plan, "mixed")->ncells, 4 * 4);
	assert_string_equal(step_of(&plan, "read")->cells[19].name, "bs=128k numjobs=32");
	plan_done(&plan);
}

/* Document 002's six lines, in their order. */
static void cloud_disk_is_document_002(void **state)
{
	static const char *const lines[6][6] = {
		/* step, rw, bs, iodepth, size, ioengine */
		{"rand-write", "randwrite", "4k", "128", "1g", "libaio"},
		{"rand-read", "randread", "4k", "128", "1g", "libaio"},
		{"seq-write", "write", "1024k", "64", "1g", "libaio"},
		{"seq-read", "read", "1024k", "64", "1g", "libaio"},
		{"read-latency", "randread", "4k", "1", "256m", "sync"},
		{"write-latency", "randwrite", "4k", "1", "256m", "sync"},
	};
	static const char *const keys[6] = {NULL, "rw", "bs", "iodepth", "size", "ioengine"};
	struct plan plan;

	(void)state;
	open_plan(&plan, "cloud-disk", NULL);
	for (unsigned i = 0; i < 6; i++) {
		assert_string_equal(plan.steps[i].name, lines[i][0]);
		for (unsigned k = 1; k < 6; k++)
			assert_option(&plan, lines[i][0], keys[k], lines[i][k]);
		assert_option(&plan, lines[i][0], "runtime", "1000s");
		/* Bound by size: the runtime is a cap. */
		assert_null(option_of(&plan.steps[i], "time_based"));
	}
	plan_done(&plan);
}

/* Threads and depth: a test script of others once swapped them. */
static void threads_are_jobs_and_outstanding_is_depth(void **state)
{
	struct plan plan;

	(void)state;
	open_plan(&plan, "pts-iops", NULL);
	assert_option(&plan, "iops", "numjobs", "4");
	assert_option(&plan, "iops", "iodepth", "32");
	assert_int_equal(step_of(&plan, "iops")->write_cache, PLAN_CACHE_OFF);
	plan_done(&plan);
	open_plan(&plan, "pts-iops", "class=client");
	assert_option(&plan, "iops", "numjobs", "2");
	assert_option(&plan, "iops", "iodepth", "16");
	/* The drive's cache and not the page cache is what a client test switches on. */
	assert_int_equal(step_of(&plan, "iops")->write_cache, PLAN_CACHE_ON);
	assert_option(&plan, "iops", "direct", "1");
	plan_done(&plan);
	open_plan(&plan, "cdm", "profile=nvme");
	assert_option(&plan, "RND4K-Q32T16-read", "iodepth", "32");
	assert_option(&plan, "RND4K-Q32T16-read", "numjobs", "16");
	plan_done(&plan);
}

static void pts_iops_has_56_cells_and_three_tracked_variables(void **state)
{
	struct plan plan;
	const struct plan_step *step;

	(void)state;
	open_plan(&plan, "pts-iops", NULL);
	step = step_of(&plan, "iops");
	assert_int_equal(step->ncells, 56);
	assert_string_equal(step->cells[0].name, "rwmixread=100 bs=1024k");
	assert_string_equal(step->cells[55].name, "rwmixread=0 bs=512");
	assert_int_equal(step->until.count, 3);
	assert_string_equal(step->cells[step->until.variable[0].cell].name,
			    "rwmixread=0 bs=4k");
	assert_int_equal(step->until.window, 5);
	assert_int_equal(step->max_rounds, 25);
	assert_option(&plan, "iops", "runtime", "60s");
	assert_int_equal(step_of(&plan, "fill")->passes, 2);
	assert_option(&plan, "fill", "bs", "128k");
	plan_done(&plan);
}

static bool reads(const struct plan_step *step)
{
	const char *rw = option_of(step, "rw");

	for (unsigned i = 0; i < step->sweep.count; i++)
		if (str_equal(step->sweep.axis[i].key, "rw"))
			return true;
	return rw && strstr(rw, "read");
}

/* A read phase between rounds of writes lets a drive flush its cache: one step does not do
 * both, and the reads come after all writes of the same block size. */
static void throughput_does_not_read_between_rounds_of_writes(void **state)
{
	struct plan plan;

	(void)state;
	open_plan(&plan, "pts-throughput", NULL);
	for (unsigned i = 0; i < plan.nsteps; i++) {
		const struct plan_step *step = &plan.steps[i];

		if (step->kind != PLAN_ROUNDS)
			continue;
		assert_true(plan_step_writes(step) != reads(step));
		assert_int_equal(step->ncells, 1);
	}
	assert_string_equal(plan.steps[2].name, "write-1024k");
	assert_string_equal(plan.steps[3].name, "read-1024k");
	/* Each size is filled with itself, after a purge of its own. */
	assert_option(&plan, "fill-1024k", "bs", "1024k");
	assert_option(&plan, "fill-128k", "bs", "128k");
	plan_done(&plan);
}

static void wsat_is_not_filled_and_is_judged_every_half_hour(void **state)
{
	struct plan plan;
	const struct plan_step *step;

	(void)state;
	open_plan(&plan, "pts-wsat", NULL);
	for (unsigned i = 0; i < plan.nsteps; i++)
		assert_int_not_equal(plan.steps[i].kind, PLAN_FILL);
	step = step_of(&plan, "saturation");
	assert_int_equal(step->until.stride, 30);
	assert_int_equal(step->max_rounds, 6 * 60);
	assert_option(&plan, "saturation", "runtime", "60s");
	assert_option(&plan, "histogram", "runtime", "1200s");
	plan_done(&plan);
}

/* CrystalDiskMark's rule: a run that is not counted, then five. */
static void cdm_discards_one_run_and_takes_the_best_of_five(void **state)
{
	struct plan plan;

	(void)state;
	open_plan(&plan, "cdm", NULL);
	for (unsigned i = 0; i < plan.nsteps; i++) {
		const struct plan_step *step = &plan.steps[i];

		if (str_equal(step->name, "file")) {
			assert_int_equal(step->repeat, 1);
			continue;
		}
		assert_int_equal(step->repeat, 6);
		assert_int_equal(step->discard, 1);
		assert_int_equal(step->aggregate, PLAN_BEST);
		assert_string_equal(option_of(step, "runtime"), "5s");
	}
	/* All reads come first. */
	assert_string_equal(plan.steps[1].name, "SEQ1M-Q8T1-read");
	assert_string_equal(plan.steps[5].name, "SEQ1M-Q8T1-write");
	plan_done(&plan);
}

static void ranges_of_over_provisioning_are_filled_as_they_are_written(void **state)
{
	static const unsigned ranges[] = {10000, 9300, 8000, 7200};
	struct plan plan;

	(void)state;
	open_plan(&plan, "over-provisioning", NULL);
	for (unsigned i = 0; i < 4; i++) {
		const struct plan_step *steps = &plan.steps[4 * i];

		assert_int_equal(steps[0].kind, PLAN_PURGE);
		assert_int_equal(steps[1].kind, PLAN_FILL);
		assert_int_equal(steps[2].kind, PLAN_PRECONDITION);
		assert_int_equal(steps[3].kind, PLAN_ROUNDS);
		for (unsigned k = 1; k < 4; k++)
			assert_int_equal(steps[k].range_percent_x100, ranges[i]);
	}
	plan_done(&plan);
}

/* Five neighbouring rounds of a minute lie on the plateau that a drive's spare flash gives it after
 * a fill: a random pass comes before them, wherever no round is half an hour. */
static void rounds_of_random_writes_come_after_a_random_pass(void **state)
{
	static const char *const names[] = {"consistency", "curve", "trim",
					    "over-provisioning"};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		struct plan plan;

		open_plan(&plan, names[i], NULL);
		for (unsigned k = 0; k < plan.nsteps; k++) {
			const struct plan_step *step = &plan.steps[k];

			if (step->kind != PLAN_ROUNDS)
				continue;
			assert_int_equal(step->nneeds, 1);
			assert_int_equal(plan.steps[step->needs[0]].kind, PLAN_PRECONDITION);
		}
		plan_done(&plan);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_plan_reads_and_its_text_reads_back),
		cmocka_unit_test(every_choice_reads),
		cmocka_unit_test(pcie_ssd_is_document_000),
		cmocka_unit_test(cloud_disk_is_document_002),
		cmocka_unit_test(threads_are_jobs_and_outstanding_is_depth),
		cmocka_unit_test(pts_iops_has_56_cells_and_three_tracked_variables),
		cmocka_unit_test(throughput_does_not_read_between_rounds_of_writes),
		cmocka_unit_test(wsat_is_not_filled_and_is_judged_every_half_hour),
		cmocka_unit_test(cdm_discards_one_run_and_takes_the_best_of_five),
		cmocka_unit_test(rounds_of_random_writes_come_after_a_random_pass),
		cmocka_unit_test(ranges_of_over_provisioning_are_filled_as_they_are_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
