/*
 * Instructions per request of the worker's loop on the null engine, counted by callgrind: the same
 * to the last digit on any machine. 4 KiB random reads at depth 32, full statistics. The commit
 * that raises a budget says why.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "budget/bench.h"

#define REQUESTS     100000
#define RING_ENTRIES (1u << 17) /* for one entry a request */

struct budget {
	const char *name, *options;
	unsigned per_request;
	bool captured; /* a ring for logs, with room for all */
};

/* A random place each (norandommap): what the loop itself costs. */
static const struct budget budgets[] = {
	{"32", "--norandommap=1 --iodepth_batch=32 --iodepth_batch_complete_min=32", 140,
	 false},
	{"4", "--norandommap=1 --iodepth_batch=4", 240, false}, /* the default of depth 32 */
	{"1", "--norandommap=1 --iodepth_batch=1", 500, false},
};

/* What logs take more, of all kinds together. */
static const struct budget captured[] = {
	{"captured 32", "--norandommap=1 --iodepth_batch=32 --iodepth_batch_complete_min=32", 3,
	 true},
	{"captured 4", "--norandommap=1 --iodepth_batch=4", 18, true},
	{"captured 1", "--norandommap=1 --iodepth_batch=1", 75, true},
};

/* Each block once: the permutation's draw, beyond that of a random place. */
static const struct budget once = {"once", "--iodepth_batch=32 --iodepth_batch_complete_min=32",
				   80, false};

static const char *self;

static const struct budget *find(const char *name)
{
	for (unsigned i = 0; i < ARRAY_SIZE(budgets); i++) {
		if (strcmp(budgets[i].name, name) == 0)
			return &budgets[i];
	}
	for (unsigned i = 0; i < ARRAY_SIZE(captured); i++) {
		if (strcmp(captured[i].name, name) == 0)
			return &captured[i];
	}
	return &once;
}

/* What callgrind runs: only worker_loop() is counted. */
static int run_loop(const char *name)
{
	struct bench bench;
	char options[512];

	(void)snprintf(options, sizeof(options),
		       "--name=b --ioengine=null --rw=randread --bs=4k --size=8g --iodepth=32 "
		       "--number_ios=%d %s",
		       REQUESTS, find(name)->options);
	bench_open_captured(&bench, options, 3600 * NS_PER_S,
			    find(name)->captured ? RING_ENTRIES : 0);
	if (!bench_start(&bench))
		return 1;
	bench_go(&bench);
	worker_loop(bench.worker);
	if (bench_ios(&bench) != REQUESTS || (bench.capture && capture_lost(bench.capture)))
		return 1;
	bench_close(&bench);
	return 0;
}

/* Instructions per request. */
static double count(const struct budget *budget)
{
	char command[1024], line[512];
	uint64_t counted = 0;
	FILE *said;

	(void)snprintf(command, sizeof(command),
		       "valgrind --tool=callgrind --toggle-collect=worker_loop "
		       "--callgrind-out-file=/dev/null '%s' '%s' 2>&1",
		       self, budget->name);
	said = popen(command, "r");
	assert_non_null(said);
	while (fgets(line, sizeof(line), said)) {
		const char *at = strstr(line, "Collected : ");

		if (at)
			counted = strtoull(at + strlen("Collected : "), NULL, 10);
	}
	assert_int_equal(pclose(said), 0);
	assert_true(counted > 10UL * REQUESTS); /* else worker_loop was not found */
	return (double)counted / REQUESTS;
}

static void skip_where_nothing_can_be_counted(void)
{
	if (bench_why_not()) {
		print_message("%s\n", bench_why_not());
		skip();
	}
	if (system("command -v valgrind >/dev/null") != 0) {
		print_message("no valgrind\n");
		skip();
	}
}

static void loop_stays_in_its_budget(void **state)
{
	(void)state;
	skip_where_nothing_can_be_counted();
	for (unsigned i = 0; i < ARRAY_SIZE(budgets); i++) {
		double each = count(&budgets[i]);

		print_message("%s at a time: %.1f instructions a request (budget %u)\n",
			      budgets[i].name, each, budgets[i].per_request);
		assert_true(each <= budgets[i].per_request);
	}
}

static void each_block_once_stays_in_its_budget(void **state)
{
	double more;

	(void)state;
	skip_where_nothing_can_be_counted();
	more = count(&once) - count(&budgets[0]);
	print_message("each block once: %.1f instructions more a request (budget %u)\n", more,
		      once.per_request);
	assert_true(more <= once.per_request);
}

static void logs_stay_in_their_budget(void **state)
{
	(void)state;
	skip_where_nothing_can_be_counted();
	for (unsigned i = 0; i < ARRAY_SIZE(captured); i++) {
		double more = count(&captured[i]) - count(&budgets[i]);

		print_message("%s: %.1f instructions more a request (budget %u)\n",
			      captured[i].name, more, captured[i].per_request);
		assert_true(more <= captured[i].per_request);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loop_stays_in_its_budget),
		cmocka_unit_test(each_block_once_stays_in_its_budget),
		cmocka_unit_test(logs_stay_in_their_budget),
	};

	self = argv[0];
	if (argc > 1)
		return run_loop(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
