#include "stat/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "stat/confidence.h"

static const double percents[] = {50, 90, 99, 99.9, 99.99, 99.999};
#define NPERCENTS ARRAY_SIZE(percents)
#define NFIGURES  (NPERCENTS + 2) /* and IOPS, and the mean */

enum { FIGURE_IOPS, FIGURE_MEAN, FIGURE_PERCENTILES };

struct block {
	struct hist hist;
	double count, sum_ns, cells; /* of the judged intervals */
};

/* One direction of one run, cut into blocks. */
struct sample {
	struct block *blocks;
	unsigned nblocks;
	unsigned low, high; /* buckets in use */
	double longer;
	double value[NFIGURES], error[NFIGURES]; /* error: of the logarithm */
};

const char *compare_outcome_name(enum compare_outcome outcome)
{
	static const char *const names[] = {
		[COMPARE_LESS] = "lower",
		[COMPARE_MORE] = "higher",
		[COMPARE_ALIKE] = "alike",
		[COMPARE_CANNOT_TELL] = "cannot tell",
	};

	return names[outcome];
}

/* Requests, or bytes of a log that knows no others. */
static double amount(const struct qos_run *run, const struct series_cell *cell)
{
	return run->level == QOS_BANDWIDTH ? (double)cell->bytes : (double)cell->count;
}

/* A series that moves by less than this of its mean has no dependence worth blocks: what is left is
 * the last digit (19385 and 19386 requests in turn), and however it hangs together, it moves the
 * mean of a thousand intervals by less than 0.4 %. */
#define STEADY_SHARE 1e-4

static double dependence_in(const double *values, unsigned count, struct arena *arena)
{
	double mean = 0, squares = 0;

	for (unsigned i = 0; i < count; i++)
		mean += values[i] / count;
	for (unsigned i = 0; i < count; i++)
		squares += (values[i] - mean) * (values[i] - mean) / count;
	if (sqrt(squares) <= STEADY_SHARE * fabs(mean))
		return 1;
	return evenness_of(values, count, arena).dependence;
}

/* How many neighbouring intervals count as one: of the rate, the mean and the tail, whichever
 * hangs together longest. */
static double dependence_of(const struct qos_run *run, const struct series_cell *cells,
			    struct arena *arena)
{
	unsigned n = run->range.end - run->range.first, known = 0;
	double *rate = arena_array(arena, double, max_u64(n, 1));
	double *mean = arena_array(arena, double, max_u64(n, 1));
	double *tail = arena_array(arena, double, max_u64(n, 1));

	for (unsigned i = 0; i < n; i++) {
		const struct series_cell *cell = &cells[run->range.first + i];

		rate[i] = amount(run, cell);
		if (!cell->count)
			continue;
		mean[known] = series_cell_mean_ns(cell);
		tail[known++] = log(fmax((double)cell->p99_ns, 1));
	}
	return fmax(dependence_in(rate, n, arena),
		    fmax(dependence_in(mean, known, arena), dependence_in(tail, known, arena)));
}

static void fill_block(const struct qos_run *run, const struct qos_part *part, unsigned from,
		       unsigned to, struct block *block)
{
	unsigned first = (unsigned)max_u64((uint64_t)from * run->unit_cells, run->range.first);
	unsigned end = (unsigned)min_u64((uint64_t)to * run->unit_cells, run->range.end);

	for (unsigned i = from; i < to; i++)
		hist_merge(&block->hist, &part->units[i]);
	for (unsigned i = first; i < end; i++) {
		block->count += amount(run, &part->cells[i]);
		block->sum_ns += part->cells[i].sum_ns;
		block->cells++;
	}
}

static void cut(const struct qos_run *run, const struct qos_part *part, struct arena *arena,
		struct sample *sample)
{
	unsigned ncells = run->range.end - run->range.first;
	double wish = 2 * dependence_of(run, part->cells, arena); /* intervals a block */
	double per_unit = (double)ncells / fmax(run->nunits, 1);
	unsigned group = (unsigned)fmax(1, ceil(wish / fmax(per_unit, 1) - 1e-9));

	sample->nblocks = run->nunits / group;
	sample->longer = fmax(1, (double)COMPARE_BLOCKS_MIN / fmax(sample->nblocks, 0.5));
	if (sample->nblocks < COMPARE_BLOCKS_MIN)
		return;
	sample->blocks = arena_array(arena, struct block, sample->nblocks);
	for (unsigned b = 0; b < sample->nblocks; b++) /* the last one takes what is left */
		fill_block(run, part, b * group,
			   b + 1 == sample->nblocks ? run->nunits : (b + 1) * group,
			   &sample->blocks[b]);
}

static void figures_of(const struct hist *hist, const double *sums, double *ret_value)
{
	uint64_t ns[NPERCENTS];

	hist_percentiles_ns(hist, percents, NPERCENTS, ns);
	ret_value[FIGURE_IOPS] = sums[2] > 0 ? sums[0] / sums[2] : 0; /* an interval */
	ret_value[FIGURE_MEAN] = sums[0] > 0 ? sums[1] / sums[0] : 0;
	for (unsigned i = 0; i < NPERCENTS; i++)
		ret_value[FIGURE_PERCENTILES + i] = (double)ns[i];
}

/* One draw of as many blocks as there are. */
static void resample(const struct sample *sample, struct rng *rng, struct hist *hist,
		     double *ret_value)
{
	double sums[3] = {0};

	memset(&hist->count[sample->low], 0,
	       (sample->high - sample->low + 1) * sizeof(hist->count[0]));
	for (unsigned b = 0; b < sample->nblocks; b++) {
		const struct block *block = &sample->blocks[rng_below(rng, sample->nblocks)];

		for (unsigned i = sample->low; i <= sample->high; i++)
			hist->count[i] += block->hist.count[i];
		sums[0] += block->count;
		sums[1] += block->sum_ns;
		sums[2] += block->cells;
	}
	figures_of(hist, sums, ret_value);
}

/* The deviation of the figures' logarithms over the resamples. */
static void bootstrap(struct sample *sample, uint64_t seed, uint64_t stream,
		      struct arena *arena)
{
	double sum[NFIGURES] = {0}, squares[NFIGURES] = {0}, value[NFIGURES];
	double few = (double)sample->nblocks / (sample->nblocks - 1);
	struct hist *hist = arena_new(arena, struct hist);
	struct rng rng;

	rng_seed(&rng, seed, stream);
	for (unsigned r = 0; r < COMPARE_RESAMPLES; r++) {
		resample(sample, &rng, hist, value);
		for (unsigned i = 0; i < NFIGURES; i++) {
			double l = log(fmax(value[i], 1e-9));

			sum[i] += l;
			squares[i] += l * l;
		}
	}
	for (unsigned i = 0; i < NFIGURES; i++) {
		double mean = sum[i] / COMPARE_RESAMPLES;
		double variance = fmax(0, squares[i] / COMPARE_RESAMPLES - mean * mean);

		/* the bootstrap of few blocks is too narrow by (n - 1) / n; the second term is the
		 * width of a bucket, whose middle stands for all of it */
		sample->error[i] = sqrt(variance * few +
					(i < FIGURE_PERCENTILES ? 0 : 0.0078 * 0.0078 / 12));
	}
}

static void take(const struct qos_run *run, enum series_dir dir,
		 const struct compare_options *options, uint64_t stream, struct arena *arena,
		 struct sample *sample)
{
	const struct qos_part *part = &run->part[dir];
	double sums[3] = {0};

	*sample = (struct sample){.low = HIST_BUCKETS - 1, .longer = 1};
	for (unsigned i = run->range.first; i < run->range.end; i++) {
		sums[0] += amount(run, &part->cells[i]);
		sums[1] += part->cells[i].sum_ns;
		sums[2]++;
	}
	figures_of(part->hist, sums, sample->value);
	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		if (!part->hist->count[i])
			continue;
		sample->low = (unsigned)min_u64(sample->low, i);
		sample->high = i;
	}
	if (!part->units || !part->sums.total)
		return;
	cut(run, part, arena, sample);
	if (sample->blocks)
		bootstrap(sample, options->seed, stream, arena);
}

static enum compare_outcome decide(const struct compare_figure *figure, double margin)
{
	if (isnan(figure->low))
		return COMPARE_CANNOT_TELL;
	if (margin > 0 && figure->low >= 1 / (1 + margin) && figure->high <= 1 + margin)
		return COMPARE_ALIKE;
	if (figure->high < 1)
		return COMPARE_LESS;
	return figure->low > 1 ? COMPARE_MORE : COMPARE_CANNOT_TELL;
}

static void interval(const struct sample *a, const struct sample *b, unsigned i,
		     struct compare_figure *figure)
{
	double va = a->error[i] * a->error[i], vb = b->error[i] * b->error[i], freedom, half;

	figure->ratio = figure->a > 0 ? figure->b / figure->a : (double)NAN;
	figure->low = figure->high = figure->log_error = (double)NAN;
	if (!a->blocks || !b->blocks || isnan(figure->ratio) || figure->ratio <= 0)
		return;
	if (va + vb <= 0) {
		figure->low = figure->high = figure->ratio;
		figure->log_error = 0;
		return;
	}
	freedom = (va + vb) * (va + vb) /
		  (va * va / (a->nblocks - 1) + vb * vb / (b->nblocks - 1));
	figure->log_error = sqrt(va + vb);
	figure->freedom = freedom;
	half = student_quantile(freedom, CONFIDENCE) * figure->log_error;
	figure->low = figure->ratio * exp(-half);
	figure->high = figure->ratio * exp(half);
}

static bool is_sound(const struct qos_run *run, enum series_dir dir, unsigned i)
{
	if (i == FIGURE_IOPS)
		return run->level != QOS_MEAN_LATENCY;
	if (i < FIGURE_PERCENTILES)
		return run->has_latency || run->level == QOS_MEAN_LATENCY;
	return run->has_latency && hist_percentile_is_sound(run->part[dir].sums.total,
							    percents[i - FIGURE_PERCENTILES]);
}

static void add_figures(const struct qos_run *const *runs, enum series_dir dir,
			const struct sample *samples, double margin,
			struct comparison *comparison)
{
	for (unsigned i = 0; i < NFIGURES; i++) {
		struct compare_figure *figure = &comparison->figures[comparison->nfigures];
		double per_s[2] = {1, 1};

		if (!is_sound(runs[0], dir, i) || !is_sound(runs[1], dir, i))
			continue;
		*figure = (struct compare_figure){.dir = dir, .is_rate = i == FIGURE_IOPS};
		if (i == FIGURE_IOPS) {
			per_s[0] = (double)NS_PER_S / (double)runs[0]->interval_ns;
			per_s[1] = (double)NS_PER_S / (double)runs[1]->interval_ns;
			(void)snprintf(figure->name, sizeof(figure->name),
				       runs[0]->level == QOS_BANDWIDTH ? "bandwidth" : "IOPS");
		} else if (i == FIGURE_MEAN) {
			(void)snprintf(figure->name, sizeof(figure->name), "mean");
		} else {
			(void)snprintf(figure->name, sizeof(figure->name), "p%g",
				       percents[i - FIGURE_PERCENTILES]);
		}
		figure->a = samples[0].value[i] * per_s[0];
		figure->b = samples[1].value[i] * per_s[1];
		interval(&samples[0], &samples[1], i, figure);
		figure->outcome = decide(figure, margin);
		comparison->nfigures++;
	}
}

void compare_runs(const struct qos_run *a, const struct qos_run *b,
		  const struct compare_options *options, struct arena *arena,
		  struct comparison *ret_comparison)
{
	const struct qos_run *const runs[] = {a, b};
	unsigned single = 0;

	for (unsigned d = 0; d < SERIES_ALL; d++)
		single += a->part[d].cells || b->part[d].cells;
	*ret_comparison = (struct comparison){.longer_a = 1, .longer_b = 1};
	for (unsigned d = 0; d < SERIES_DIRS; d++) {
		struct sample samples[2];

		if (!a->part[d].cells || !b->part[d].cells)
			continue;
		if (d == SERIES_ALL && single == 1)
			continue; /* it is that direction once more */
		take(a, (enum series_dir)d, options, 2ULL * d, arena, &samples[0]);
		take(b, (enum series_dir)d, options, 2ULL * d + 1, arena, &samples[1]);
		add_figures(runs, (enum series_dir)d, samples, options->margin, ret_comparison);
		ret_comparison->blocks_a = samples[0].nblocks;
		ret_comparison->blocks_b = samples[1].nblocks;
		ret_comparison->longer_a = fmax(ret_comparison->longer_a, samples[0].longer);
		ret_comparison->longer_b = fmax(ret_comparison->longer_b, samples[1].longer);
	}
}
