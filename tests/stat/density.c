/* Cells of time by latency: where a completion lies, and what joining columns keeps. */
#include "stat/density.h"

#include "stat/hist.h"
#include "unit.h"

static uint64_t cell(const struct density *density, unsigned column, uint64_t latency_ns)
{
	return density->count[column * DENSITY_ROWS +
			      hist_index(latency_ns) / DENSITY_BUCKETS_PER_ROW];
}

static void a_completion_lies_in_its_cell(void **state)
{
	struct density density;

	(void)state;
	density_init(&density, NS_PER_S);
	density_add(&density, 0, 100, 1);
	density_add(&density, NS_PER_S - 1, 100, 2);
	density_add(&density, NS_PER_S, NS_PER_MS, 5);
	assert_int_equal(density.ncolumns, 2);
	assert_int_equal(cell(&density, 0, 100), 3);
	assert_int_equal(cell(&density, 1, NS_PER_MS), 5);
	assert_int_equal(cell(&density, 1, 100), 0);
	density_done(&density);
	assert_null(density.count);
}

static void joined_columns_keep_every_completion(void **state)
{
	struct density density;
	uint64_t sum = 0;

	(void)state;
	density_init(&density, NS_PER_S);
	for (unsigned i = 0; i < DENSITY_COLUMNS; i++)
		density_add(&density, i * NS_PER_S, 100, i + 1);
	assert_int_equal(density.column_ns, NS_PER_S);
	/* Twice as far as there are columns: joined twice. */
	density_add(&density, 2ULL * DENSITY_COLUMNS * NS_PER_S, 100, 9);
	assert_int_equal(density.column_ns, 4 * NS_PER_S);
	assert_int_equal(density.ncolumns, DENSITY_COLUMNS / 2 + 1);
	for (unsigned i = 0; i < density.ncolumns; i++)
		sum += cell(&density, i, 100);
	assert_int_equal(sum, DENSITY_COLUMNS * (DENSITY_COLUMNS + 1ULL) / 2 + 9);
	assert_int_equal(cell(&density, 0, 100), 1 + 2 + 3 + 4);
	density_done(&density);
}

static void a_cell_is_full_and_does_not_wrap(void **state)
{
	struct density density;

	(void)state;
	density_init(&density, NS_PER_S);
	density_add(&density, 0, 100, UINT32_MAX - 1);
	density_add(&density, 0, 100, 5);
	assert_int_equal(cell(&density, 0, 100), UINT32_MAX);
	density_done(&density);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_completion_lies_in_its_cell),
		cmocka_unit_test(joined_columns_keep_every_completion),
		cmocka_unit_test(a_cell_is_full_and_does_not_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
