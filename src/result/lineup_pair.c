/* The ratio of two single runs, with the interval that their own seconds give. */
#include <math.h>

#include "result/lineup.h"
#include "result/result_qos.h"
#include "stat/compare.h"

/* One comparison serves all figures of a cell, and of the other direction of a mix. */
struct lineup_pair {
	const struct result *a, *b;
	struct comparison comparison;
	struct lineup_pair *next;
};

static const struct comparison *compare(const struct lineup *lineup, const struct result *a,
					const struct result *b)
{
	const struct compare_options options = {.seed = COMPARE_SEED};
	struct qos_run runs[2];
	struct lineup_pair *pair;

	for (pair = *lineup->pairs; pair; pair = pair->next) {
		if (pair->a == a && pair->b == b)
			return &pair->comparison;
	}
	pair = arena_new(lineup->arena, struct lineup_pair);
	pair->a = a;
	pair->b = b;
	pair->next = *lineup->pairs;
	*lineup->pairs = pair;
	result_qos(a, lineup->arena, &runs[0]);
	result_qos(b, lineup->arena, &runs[1]);
	compare_runs(&runs[0], &runs[1], &options, lineup->arena, &pair->comparison);
	return &pair->comparison;
}

static bool is_figure(const struct compare_figure *figure, enum dir dir,
		      enum cell_metric metric)
{
	static const enum series_dir dirs[NDATA] = {SERIES_READ, SERIES_WRITE, SERIES_TRIM};

	if (dir >= NDATA || figure->dir != dirs[dir] || isnan(figure->low))
		return false;
	if (metric == CELL_IOS_PER_S || metric == CELL_BYTES_PER_S)
		return figure->is_rate;
	return !figure->is_rate && str_equal(figure->name, cell_metrics[metric].name);
}

struct ratio lineup_ratio_pair(const struct lineup *lineup, const struct lineup_cell *cell,
			       unsigned a, unsigned b, enum cell_metric metric)
{
	struct ratio ratio = lineup_ratio(lineup, cell, a, b, metric);
	const struct comparison *comparison;

	if (isnan(ratio.value) || !isnan(ratio.low) || !cell->run[a] || !cell->run[b])
		return ratio;
	comparison = compare(lineup, cell->run[a], cell->run[b]);
	for (unsigned i = 0; i < comparison->nfigures; i++) {
		const struct compare_figure *figure = &comparison->figures[i];

		if (!is_figure(figure, cell->like.dir, metric))
			continue;
		/* of bandwidth only where all requests are of one size */
		if (metric == CELL_BYTES_PER_S &&
		    fabs(ratio.value / lineup_ratio(lineup, cell, a, b, CELL_IOS_PER_S).value -
			 1) > 1e-6)
			break;
		ratio.low = ratio.value * figure->low / figure->ratio;
		ratio.high = ratio.value * figure->high / figure->ratio;
		ratio.log_error = figure->log_error;
		ratio.freedom = figure->freedom;
		ratio.of_pair = true;
		break;
	}
	return ratio;
}
