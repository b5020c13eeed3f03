/* The histograms of rows: kept as blobs, some 150 bytes each, in place of 36 KiB. */
#include <stdlib.h>
#include <string.h>

#include "result/codec.h"
#include "run/row_hist.h"

void row_hist_keep(struct result *result, unsigned row, enum dir dir, const struct hist *hist)
{
	autostr blob = {0};

	codec_hist_encode(hist, &blob);
	if (result->series_bytes + blob.length > SERIES_BYTES_MAX) {
		if (result->series_bytes <= SERIES_BYTES_MAX)
			result_note(result, "series-cut", SEVERITY_INFO, NULL,
				    "from %.0f s on the intervals have no histograms: those "
				    "before take %llu MiB. A longer --interval keeps them all",
				    (double)(result->nrows - 1) * (double)result->interval_ns /
					    1e9,
				    (unsigned long long)(SERIES_BYTES_MAX / MiB));
		result->series_bytes = SERIES_BYTES_MAX + 1;
		return;
	}
	result->series_bytes += blob.length;
	result_set_interval_hist(result, row, dir, blob.text, blob.length);
}

static void take_percentiles(struct row_dir *dir, const struct hist *hist)
{
	static const double percents[] = {50, 99, 99.9};
	uint64_t ns[ARRAY_SIZE(percents)];

	hist_percentiles_ns(hist, percents, ARRAY_SIZE(percents), ns);
	dir->p50_ns = ns[0];
	dir->p99_ns = ns[1];
	dir->p999_ns = ns[2];
}

void row_hist_close(struct result *result, unsigned row, enum dir dir, const struct hist *hist,
		    const struct hist_sums *sums)
{
	struct row_dir *figures = &result->rows[row].dir[dir];

	take_percentiles(figures, hist);
	figures->max_ns = sums->max_ns;
	figures->mean_ns = hist_sums_mean_ns(sums);
}

void row_hist_amend(struct result *result, unsigned row, enum dir dir,
		    const struct tally_lat *lat)
{
	const struct interval_hist *kept = result_interval_hist(result, row, dir);
	struct row_dir *figures = &result->rows[row].dir[dir];
	struct hist *hist = calloc(1, sizeof(*hist));
	double before;

	if (!hist)
		return; /* this row's histogram goes without them: counts stay */
	if (kept->blob)
		(void)codec_hist_merge(kept->blob, kept->bytes, hist); /* our own blob */
	before = (double)hist_total(hist);
	for (unsigned i = hist_index(lat->min_ns); i <= hist_index(lat->max_ns); i++)
		hist->count[i] += lat->count[i];
	take_percentiles(figures, hist);
	figures->max_ns = max_u64(figures->max_ns, lat->max_ns);
	figures->mean_ns = (figures->mean_ns * before + (double)lat->sum_ns) /
			   (before + (double)lat->total);
	row_hist_keep(result, row, dir, hist);
	free(hist);
}
