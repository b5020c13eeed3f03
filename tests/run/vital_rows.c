/* Rows of looks: each in its step, what was slept through unknown, and two as one when all room is
 * taken. */
#include "run/vital_rows.h"

#include <math.h>

#include "base/bits.h"
#include "unit.h"

#define SECOND NS_PER_S

static const struct run_had none;

static const struct vital_channel channels[] = {{VITAL_TEMPERATURE, "sda"}, {VITAL_CPU, "all"}};

static void put(struct vital_rows *rows, double second, float degrees, float cpu)
{
	const float look[] = {degrees, cpu};

	vital_rows_put(rows, (uint64_t)(second * 1e9), look);
}

#define assert_near(a, b) assert_true(fabsf((a) - (b)) < 1e-4F)

static void each_look_is_of_the_step_that_ended(void **state)
{
	struct vital_rows rows;
	struct vitals vitals = {0};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_int_equal(vital_rows_init(&rows, channels, 2, 100, SECOND), 0);
	vital_rows_publish(&rows, &none, &arena, &vitals);
	assert_int_equal(vitals.nrows, 0);
	put(&rows, 0.001, 1, 1); /* from here differences count: no step has ended */
	put(&rows, 1.002, 30.04F, 12.34F);
	put(&rows, 1.9, 99, 99); /* the first has its look */
	put(&rows, 2.001, 31, (float)NAN);
	put(&rows, 5.5, 33, 50); /* the third and fourth were slept through */
	vital_rows_publish(&rows, &none, &arena, &vitals);
	assert_int_equal(vitals.nrows, 5);
	assert_int_equal(vitals.step_ns, SECOND);
	assert_near(vitals.values[0], 30);
	assert_near(vitals.values[1], 31);
	assert_true(isnan(vitals.values[2]) && isnan(vitals.values[3]));
	assert_near(vitals.values[4], 33);
	assert_near(vitals.values[5], 12.3F);
	assert_true(isnan(vitals.values[6]));
	assert_near(vitals.values[9], 50);
	assert_string_equal(vitals.channels[1].name, "all");
	vital_rows_done(&rows);
	arena_done(&arena);
}

static void when_full_two_steps_are_one(void **state)
{
	struct vital_rows rows;
	struct vitals vitals = {0};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_int_equal(vital_rows_init(&rows, channels, 2, 4, SECOND), 0);
	for (unsigned i = 1; i <= 4; i++)
		put(&rows, i, 30 + (float)i, 10 * (float)i);
	put(&rows, 5, 40, 90); /* of no step of two seconds: those of four are there */
	put(&rows, 6, 41, 91);
	vital_rows_publish(&rows, &none, &arena, &vitals);
	assert_int_equal(vitals.nrows, 3);
	assert_int_equal(vitals.step_ns, 2 * SECOND);
	assert_near(vitals.values[0], 32); /* the greater of 31 and 32 */
	assert_near(vitals.values[3], 15); /* the mean of 10 and 20 */
	assert_near(vitals.values[2], 41);
	put(&rows, 100, 50, 5); /* far behind the end: as often as needed */
	vital_rows_publish(&rows, &none, &arena, &vitals);
	assert_int_equal(vitals.step_ns, 32 * SECOND);
	assert_int_equal(vitals.nrows, 3);
	assert_near(vitals.values[2], 50);
	vital_rows_done(&rows);
	arena_done(&arena);
}

static void what_is_known_of_two_stays(void **state)
{
	struct vital_rows rows;
	struct vitals vitals = {0};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_int_equal(vital_rows_init(&rows, channels, 2, 2, SECOND), 0);
	put(&rows, 1, (float)NAN, 10);
	put(&rows, 2, 20, (float)NAN);
	put(&rows, 4, 25, 30);
	vital_rows_publish(&rows, &none, &arena, &vitals);
	assert_int_equal(vitals.nrows, 2);
	assert_near(vitals.values[0], 20);
	assert_near(vitals.values[2], 10);
	vital_rows_done(&rows);
	arena_done(&arena);
}

/* Who keeps a run while it goes on gets each row once, and all of them when steps grew longer. */
static void pieces_are_the_whole(void **state)
{
	struct vital_rows rows;
	struct run_had had = {0};
	struct vitals piece = {0};
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_int_equal(vital_rows_init(&rows, channels, 2, 4, SECOND), 0);
	put(&rows, 1, 31, 10);
	put(&rows, 2, 32, 20);
	vital_rows_publish(&rows, &had, &arena, &piece);
	assert_int_equal(piece.first_row, 0);
	assert_int_equal(piece.nrows, 2);
	had = (struct run_had){.vital_rows = 2, .vital_step_ns = piece.step_ns};
	piece = (struct vitals){0};
	vital_rows_publish(&rows, &had, &arena, &piece);
	assert_int_equal(piece.nrows, 0);
	put(&rows, 3, 33, 30);
	put(&rows, 4, 34, 40);
	vital_rows_publish(&rows, &had, &arena, &piece);
	assert_int_equal(piece.first_row, 2);
	assert_int_equal(piece.nrows, 2);
	assert_near(piece.values[0], 33);
	assert_near(piece.values[3], 40);
	put(&rows, 6, 36, 60);
	had.vital_rows = 4;
	vital_rows_publish(&rows, &had, &arena, &piece);
	assert_int_equal(piece.first_row, 0);
	assert_int_equal(piece.nrows, 3);
	assert_int_equal(piece.step_ns, 2 * SECOND);
	vital_rows_done(&rows);
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_look_is_of_the_step_that_ended),
		cmocka_unit_test(when_full_two_steps_are_one),
		cmocka_unit_test(what_is_known_of_two_stays),
		cmocka_unit_test(pieces_are_the_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
