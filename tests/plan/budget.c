/* What a plan may write: taken before it is written, shared by processes, kept beyond them. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "plan/budget.h"
#include "unit.h"

struct bed {
	char folder[64], path[96];
	struct plan_budget budget;
	struct err err;
};

static int set_up(void **state)
{
	struct bed *bed = calloc(1, sizeof(*bed));

	assert_non_null(bed);
	(void)snprintf(bed->folder, sizeof(bed->folder),
		       "/tmp/assay-budget-XX"
		       "XX"
		       "XX");
	assert_non_null(mkdtemp(bed->folder));
	(void)snprintf(bed->path, sizeof(bed->path), "%s/plan-1.budget", bed->folder);
	*state = bed;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	plan_budget_close(&bed->budget);
	(void)unlink(bed->path);
	(void)rmdir(bed->folder);
	free(bed);
	return 0;
}

static void without_a_limit_all_is_allowed(void **state)
{
	struct bed *bed = *state;

	assert_true(plan_budget_take(&bed->budget, UINT64_MAX));
	plan_budget_count(&bed->budget, 7);
	plan_budget_sync(&bed->budget);
	assert_true(plan_budget_left(&bed->budget) == UINT64_MAX);
	assert_int_equal(plan_budget_written(&bed->budget), 0);
	assert_int_equal(plan_budget_limit(&bed->budget), 0);
	assert_null(plan_budget_counter(&bed->budget));
}

static void nothing_is_taken_beyond_it(void **state)
{
	struct bed *bed = *state;
	struct plan_budget *budget = &bed->budget;

	assert_int_equal(plan_budget_make(budget, bed->path, 1000, 100, &bed->err), 0);
	assert_int_equal(plan_budget_written(budget), 100);
	assert_true(plan_budget_take(budget, 600));
	assert_false(plan_budget_take(budget, 301));
	assert_true(plan_budget_take(budget, 300));
	assert_false(plan_budget_take(budget, 1));
	assert_int_equal(plan_budget_left(budget), 0);
	plan_budget_count(budget, 50); /* of somebody who does not ask */
	assert_int_equal(plan_budget_left(budget), 0);
	assert_int_equal(plan_budget_written(budget), 1050);
	plan_budget_change(budget, 2000);
	assert_int_equal(plan_budget_written(budget), 1050);
	assert_int_equal(plan_budget_left(budget), 950);
	assert_int_equal(plan_budget_limit(budget), 2000);
}

static void it_outlives_a_process_that_is_killed(void **state)
{
	struct bed *bed = *state;
	pid_t child;
	int status;

	assert_int_equal(plan_budget_make(&bed->budget, bed->path, 1000, 0, &bed->err), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		(void)plan_budget_take(&bed->budget, 400);
		(void)raise(SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(plan_budget_left(&bed->budget), 600); /* shared */
	plan_budget_close(&bed->budget);
	assert_int_equal(plan_budget_open(&bed->budget, bed->path, &bed->err), 0);
	assert_int_equal(plan_budget_written(&bed->budget), 400);
}

static void what_is_no_count_is_an_error(void **state)
{
	static const char wrong[24] = "not what we wrote there";
	struct bed *bed = *state;
	char deep[128];

	assert_int_equal(plan_budget_open(&bed->budget, bed->path, &bed->err), -ENOENT);
	assert_int_equal(bed->err.kind, ERR_NONE);
	(void)snprintf(deep, sizeof(deep), "%s/none/x", bed->folder);
	assert_int_equal(plan_budget_make(&bed->budget, deep, 1, 0, &bed->err), -ENOENT);
	bed->err = (struct err){0};
	for (size_t bytes = sizeof(wrong) - 1; bytes <= sizeof(wrong); bytes++) {
		bed->err = (struct err){0};
		assert_int_equal(file_replace(bed->path, wrong, bytes), 0);
		assert_int_equal(plan_budget_open(&bed->budget, bed->path, &bed->err), -EILSEQ);
		assert_non_null(strstr(bed->err.text, bed->path));
		assert_null(bed->budget.page);
	}
	(void)unlink(bed->path);
	bed->err = (struct err){0};
	assert_int_equal(mkdir(bed->path, 0700), 0);
	assert_int_equal(plan_budget_open(&bed->budget, bed->path, &bed->err), -EISDIR);
	(void)rmdir(bed->path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(without_a_limit_all_is_allowed, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(nothing_is_taken_beyond_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_outlives_a_process_that_is_killed, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_no_count_is_an_error, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
