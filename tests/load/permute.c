/* The permutation: a bijection for every n, and its order as good as random. Seeds are stated
 * where they are used. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "load/permute.h"

static void assert_visits_each_once(uint64_t n, uint64_t seed)
{
	uint8_t *seen = calloc(n, 1);
	struct permute p;

	assert_non_null(seen);
	permute_init(&p, n, seed);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t v = permute_next(&p);

		assert_true(v < n);
		assert_int_equal(seen[v]++, 0);
	}
	memset(seen, 0, n);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t v = permute_map(&p, i);

		assert_true(v < n);
		assert_int_equal(seen[v]++, 0);
	}
	free(seen);
}

static void permute_visits_each_number_once(void **state)
{
	static const uint64_t sizes[] = {4095,	4096,  4097,   65521,  65536,  65537,
					 99991, 99999, 100000, 999983, 1048576};

	(void)state;
	for (uint64_t n = 1; n <= 600; n++)
		assert_visits_each_once(n, n * 7);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		assert_visits_each_once(sizes[i], i);
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Above 2^32 a bitmap of the whole is too big: half a million draws are sorted instead. */
static void permute_of_huge_ranges_hits_nothing_twice(void **state)
{
	static const uint64_t sizes[] = {(1ULL << 32) + 15, 5000000029ULL, 1ULL << 40,
					 (1ULL << 45) + 12345, PERMUTE_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		enum { DRAWS = 1 << 19 };
		uint64_t *v = malloc(DRAWS * sizeof(*v)), above = 0;
		struct permute p;

		assert_non_null(v);
		permute_init(&p, sizes[i], 42 + i);
		permute_seek(&p, sizes[i] / 3);
		for (int k = 0; k < DRAWS; k++) {
			v[k] = permute_next(&p);
			assert_true(v[k] < sizes[i]);
			above += v[k] >= sizes[i] / 2;
		}
		/* 5 standard deviations of a fair coin. */
		assert_true(fabs((double)above - DRAWS / 2) < 5 * sqrt(DRAWS) / 2);
		for (int k = 1; k < DRAWS; k++) /* neighbours in time are not in place */
			assert_true(v[k] != v[k - 1]);
		qsort(v, DRAWS, sizeof(*v), compare);
		for (int k = 1; k < DRAWS; k++)
			assert_true(v[k] != v[k - 1]);
		free(v);
	}
}

static void permute_seek_lands_where_drawing_does(void **state)
{
	struct permute drawn, sought;

	(void)state;
	for (uint64_t n = 1; n < 3000; n += 97) {
		permute_init(&drawn, n, 5);
		permute_init(&sought, n, 5);
		for (uint64_t i = 0; i + 1 < drawn.a * drawn.b; i++) {
			uint64_t v = permute_pair(&drawn, drawn.x, drawn.y);

			permute_seek(&sought, i);
			assert_int_equal(sought.x, drawn.x);
			assert_int_equal(sought.y, drawn.y);
			assert_true(v < drawn.a * drawn.b);
			if (++drawn.x == drawn.a)
				drawn.x = 0, drawn.y++;
		}
	}
}

/* Chi-square of `cells` counts that each expect `mean`, as a distance in standard deviations. */
static double chi_square_sigmas(const uint32_t *count, unsigned cells, double mean)
{
	double chi = 0, freedom = cells - 1;

	for (unsigned i = 0; i < cells; i++)
		chi += (count[i] - mean) * (count[i] - mean) / mean;
	return (chi - freedom) / sqrt(2 * freedom);
}

/* The first 1/64 of the order, and pairs of neighbours in it: both like uniform draws. The
 * bound of 5 deviations fails for one in a million honest seeds; the seeds are fixed. */
static void permute_order_passes_chi_square_and_serial(void **state)
{
	enum { CELLS = 256, DRAWS = 1 << 18 };
	static const uint64_t sizes[] = {1ULL << 24, 16777259, 99999989, (1ULL << 33) - 9};

	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			uint32_t one[CELLS] = {0}, low[CELLS] = {0};
			uint32_t *pair = calloc(CELLS * CELLS, sizeof(*pair));
			unsigned before = 0;
			struct permute p;

			assert_non_null(pair);
			permute_init(&p, sizes[i], seed);
			for (int k = 0; k < DRAWS; k++) {
				uint64_t v = permute_next(&p);
				unsigned cell =
					(unsigned)((unsigned __int128)v * CELLS / sizes[i]);

				one[cell]++;
				low[v % CELLS]++;
				pair[before * CELLS + cell] += k > 0;
				before = cell;
			}
			assert_true(chi_square_sigmas(one, CELLS, DRAWS / CELLS) < 5);
			assert_true(chi_square_sigmas(low, CELLS, DRAWS / CELLS) < 5);
			assert_true(chi_square_sigmas(pair, CELLS * CELLS,
						      (double)(DRAWS - 1) / (CELLS * CELLS)) <
				    5);
			free(pair);
		}
	}
}

static void permute_orders_of_two_seeds_differ(void **state)
{
	unsigned same = 0;
	struct permute a, b;

	(void)state;
	permute_init(&a, 100000, 1);
	permute_init(&b, 100000, 2);
	for (int i = 0; i < 100000; i++)
		same += permute_next(&a) == permute_next(&b);
	assert_true(same < 10); /* 1 expected */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(permute_visits_each_number_once),
		cmocka_unit_test(permute_of_huge_ranges_hits_nothing_twice),
		cmocka_unit_test(permute_seek_lands_where_drawing_does),
		cmocka_unit_test(permute_order_passes_chi_square_and_serial),
		cmocka_unit_test(permute_orders_of_two_seeds_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
