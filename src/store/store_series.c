/* A part's series: rows and their histograms, held by the result or read when asked for. */
#include <errno.h>
#include <inttypes.h>

#include "base/lang.h"
#include "store/store_priv.h"

/* Whose; of a streamed one it lives in the result's arena. */
struct series_place {
	struct store *store;
	const struct result *result;
	int64_t run, part;
};

static int damaged(const struct series_place *place, const char *what, struct err *err)
{
	return err_env(err, -EBADMSG, "store \"%s\": r%" PRId64 ": %s", place->store->path,
		       place->run, what);
}

static void read_row(sqlite3_stmt *at, struct row *row)
{
	int64_t dir = sqlite3_column_int64(at, 1);

	row->begin_ns = (uint64_t)sqlite3_column_int64(at, 2);
	row->end_ns = (uint64_t)sqlite3_column_int64(at, 3);
	row->partial = sqlite3_column_int(at, 4) != 0;
	if (dir < 0 || dir >= NDIR)
		return;
	row->dir[dir] = (struct row_dir){
		.ios = (uint64_t)sqlite3_column_int64(at, 5),
		.bytes = (uint64_t)sqlite3_column_int64(at, 6),
		.errors = (uint64_t)sqlite3_column_int64(at, 7),
		.mean_ns = sqlite3_column_double(at, 8),
		.p50_ns = (uint64_t)sqlite3_column_int64(at, 9),
		.p99_ns = (uint64_t)sqlite3_column_int64(at, 10),
		.p999_ns = (uint64_t)sqlite3_column_int64(at, 11),
		.max_ns = (uint64_t)sqlite3_column_int64(at, 12),
	};
}

/* A row has a line for each direction; it is whole when the next one's first line comes. */
static int each_row(void *context, row_fn *take, void *take_context, struct err *err)
{
	const struct series_place *place = context;
	sqlite3_stmt *at = store_bind(place->store, LOAD_ROWS, err, "i", place->part);
	unsigned next = 0, nrows = place->result->nrows;
	struct row row = {0};
	int rc;

	while ((rc = store_step(place->store, at, err)) > 0) {
		bool is_next = sqlite3_column_int64(at, 0) == next;

		rc = is_next && next ? take(take_context, next - 1, &row) : 0;
		if (rc)
			break;
		if (is_next)
			row = (struct row){0};
		next += is_next;
		if (next > nrows || sqlite3_column_int64(at, 0) != (int64_t)next - 1) {
			rc = damaged(place, N_("a row of the series is missing"), err);
			break;
		}
		read_row(at, &row);
	}
	if (rc)
		store_reset(at);
	else if (next < nrows)
		rc = damaged(place, N_("a row of the series is missing"), err);
	else if (next)
		rc = take(take_context, next - 1, &row);
	return rc;
}

/* A histogram of a row; `at` holds row and counts. */
static int read_hist(const struct series_place *place, sqlite3_stmt *at, unsigned *ret_row,
		     struct interval_hist *ret_hist, struct err *err)
{
	int64_t row = sqlite3_column_int64(at, 0);
	const void *blob = sqlite3_column_blob(at, 1);
	size_t bytes = (size_t)sqlite3_column_bytes(at, 1);

	if (row >= place->result->nrows || !blob || bytes > UINT32_MAX)
		return damaged(place, N_("a histogram of the series is damaged"), err);
	*ret_row = (unsigned)row;
	*ret_hist = (struct interval_hist){.blob = blob, .bytes = (uint32_t)bytes};
	return 0;
}

static int each_hist(void *context, enum dir dir, interval_hist_fn *take, void *take_context,
		     struct err *err)
{
	const struct series_place *place = context;
	sqlite3_stmt *at =
		store_bind(place->store, LOAD_DIR_HISTOGRAMS, err, "iii", place->part,
			   (int64_t)dir, (int64_t)place->result->series_kind);
	struct interval_hist hist = {0};
	unsigned row = 0;
	int rc;

	while ((rc = store_step(place->store, at, err)) > 0) {
		rc = read_hist(place, at, &row, &hist, err);
		if (!rc)
			rc = take(take_context, row, &hist);
		if (!rc)
			continue;
		store_reset(at);
		break;
	}
	return rc;
}

/* How many rows there are, and of what their histograms are, if any has one. */
static int look(const struct series_place *place, struct result *result, bool *ret_has_hists,
		struct err *err)
{
	sqlite3_stmt *at = store_bind(place->store, COUNT_ROWS, err, "i", place->part);
	int64_t rows, lines, kind;
	int rc = store_step(place->store, at, err);

	if (rc <= 0)
		return rc;
	rows = sqlite3_column_int64(at, 0);
	lines = sqlite3_column_int64(at, 1);
	*ret_has_hists = sqlite3_column_type(at, 2) != SQLITE_NULL;
	kind = sqlite3_column_int64(at, 2);
	store_reset(at);
	if (rows < 0 || rows > lines || rows > UINT32_MAX)
		return damaged(place, N_("a row of the series is missing"), err);
	if (kind < 0 || kind >= NLAT)
		return damaged(place, N_("a histogram of the series is damaged"), err);
	result->nrows = (unsigned)rows;
	if (*ret_has_hists)
		result->series_kind = (enum lat_kind)kind;
	return 0;
}

static int keep_row(void *context, unsigned at, const struct row *row)
{
	struct result *result = context;

	result->rows[at] = *row;
	return 0;
}

struct keeping {
	struct result *result;
	enum dir dir;
};

static int keep_hist(void *context, unsigned row, const struct interval_hist *hist)
{
	const struct keeping *keeping = context;

	result_set_interval_hist(keeping->result, row, keeping->dir, hist->blob, hist->bytes);
	return 0;
}

int store_load_series(struct store *store, int64_t run, int64_t part, struct result *result,
		      struct err *err)
{
	struct series_place place = {store, result, run, part};
	bool has_hists = false;
	int rc = look(&place, result, &has_hists, err);

	if (rc)
		return rc;
	result->rows_room = result->nrows;
	result->rows = arena_array(&result->arena, struct row, result->nrows + 1UL);
	rc = each_row(&place, keep_row, result, err);
	for (enum dir dir = DIR_READ; dir < NDIR && has_hists && !rc; dir++)
		rc = each_hist(&place, dir, keep_hist, &(struct keeping){result, dir}, err);
	return rc;
}

int store_stream_series(struct store *store, int64_t run, int64_t part, struct result *result,
			struct err *err)
{
	struct series_place *place = arena_new(&result->arena, struct series_place);
	struct series_source source = {
		.each_row = each_row, .each_hist = each_hist, .context = place};
	int rc;

	*place = (struct series_place){store, result, run, part};
	rc = look(place, result, &source.has_hists, err);
	if (rc)
		return rc;
	result->rows = NULL;
	result->rows_room = 0;
	result->elsewhere = source;
	return 0;
}
