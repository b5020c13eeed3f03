/*
 * Writes a synthetic log of fio, for the benchmarks of `assay log`: 300 rows a millisecond,
 * or as many a second as the third argument says; 30 % reads, log-normal latencies about 100
 * us, spells of collection (3 to 43 ms at 8 to 28 times the latency), one row in a thousand
 * of 1.5 to 5.5 ms, now and then a stall of 150 to 550 ms. The same seed gives the same
 * bytes on every machine.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "base/unit.h"

#define ROWS_PER_S 300000
#define SEED	   20263
#define TABLE	   65536

struct gen {
	struct rng rng;
	unsigned columns; /* 4 to 7 */
	uint64_t rows_per_s;
	uint64_t time_ms, rows, spell_until_ms, spell_percent;
	uint32_t base_ns[TABLE]; /* quantiles of the log-normal */
	char out[1 << 20];
	size_t used;
};

/* Box and Muller, once for the table: the rows draw from it. */
static void fill_table(struct gen *gen)
{
	for (unsigned i = 0; i < TABLE; i++) {
		double u = 1 - rng_unit(&gen->rng), v = rng_unit(&gen->rng);
		double normal = sqrt(-2 * log(u)) * cos(2 * M_PI * v);

		gen->base_ns[i] = (uint32_t)(100000 * exp(0.4 * normal));
	}
}

static uint64_t latency_ns(struct gen *gen)
{
	uint64_t bits = rng_next(&gen->rng), ns = gen->base_ns[bits % TABLE];

	if (gen->time_ms < gen->spell_until_ms)
		ns = ns * gen->spell_percent / 100;
	bits >>= 16;
	if (bits % 1024 == 0)
		ns = 1500000 + rng_below(&gen->rng, 4000000);
	if ((bits >> 10) % (1 << 22) == 0)
		ns = 150000000 + rng_below(&gen->rng, 400000000);
	return ns;
}

static void next_ms(struct gen *gen)
{
	gen->time_ms++;
	if (gen->time_ms >= gen->spell_until_ms && rng_below(&gen->rng, 400) == 0) {
		gen->spell_until_ms = gen->time_ms + 3 + rng_below(&gen->rng, 40);
		gen->spell_percent = 800 + rng_below(&gen->rng, 2000);
	}
}

static void put(struct gen *gen, uint64_t number, const char *behind)
{
	char digits[20];
	unsigned count = 0;

	do
		digits[count++] = (char)('0' + number % 10);
	while (number /= 10);
	while (count)
		gen->out[gen->used++] = digits[--count];
	while (*behind)
		gen->out[gen->used++] = *behind++;
}

static void row(struct gen *gen)
{
	uint64_t latency = latency_ns(gen);

	for (gen->rows++; gen->rows * 1000 >= (gen->time_ms + 1) * gen->rows_per_s;)
		next_ms(gen);
	put(gen, gen->time_ms, ", ");
	put(gen, latency, ", ");
	put(gen, rng_below(&gen->rng, 10) >= 3, ", ");
	put(gen, 4096, gen->columns > 4 ? ", " : "\n");
	if (gen->columns > 5)
		put(gen, rng_below(&gen->rng, 1 << 26) * 4096, ", ");
	if (gen->columns > 4)
		put(gen, 0, gen->columns > 6 ? ", " : "\n");
	if (gen->columns > 6)
		put(gen, gen->time_ms * NS_PER_MS + 12345 - min_u64(12345, latency), "\n");
}

static struct gen gen;

int main(int argc, char **argv)
{
	struct err err = {0};
	uint64_t bytes, written = 0, columns;

	gen.rows_per_s = ROWS_PER_S;
	if (argc < 3 || argc > 4 || unit_parse_count(argv[1], &columns, &err) ||
	    unit_parse_size(argv[2], &bytes, &err) || columns < 4 || columns > 7 ||
	    (argc == 4 && unit_parse_count(argv[3], &gen.rows_per_s, &err)) ||
	    !gen.rows_per_s) {
		(void)fprintf(stderr, "usage: loggen COLUMNS(4-7) SIZE [ROWS_PER_S] >FILE\n");
		return 2;
	}
	rng_seed(&gen.rng, SEED, 0);
	gen.columns = (unsigned)columns;
	fill_table(&gen);
	while (written + gen.used < bytes) {
		row(&gen);
		if (gen.used > sizeof(gen.out) - 256) {
			written += gen.used;
			if (fwrite(gen.out, 1, gen.used, stdout) != gen.used)
				return 1;
			gen.used = 0;
		}
	}
	return fwrite(gen.out, 1, gen.used, stdout) != gen.used;
}
