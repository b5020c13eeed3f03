#include "report/live.h"

#include <string.h>

#include "base/bits.h"
#include "base/json.h"
#include "base/lang.h"
#include "base/quantity.h"
#include "report/figures.h"

#define OLD_NS NS_PER_S /* a request older than this is worth a word */

static const char *const phase_names[] = {"layout", "ramp", "run", "drain"};
static const char *const op_names[] = {"read", "write", "trim", "fsync", "fdatasync"};

static double row_seconds(const struct row *row)
{
	return row->end_ns > row->begin_ns
		       ? (double)(row->end_ns - row->begin_ns) / (double)NS_PER_S
		       : 1;
}

static void add_jobs(const struct progress *progress, struct str *out)
{
	unsigned all = progress->running + progress->waiting + progress->finished;

	lang_add(out, PLURAL(all, "%u of %u job", "%u of %u jobs"), progress->running, all);
	if (progress->phase == PROGRESS_RAMP)
		lang_add(out, ", ramp");
	if (progress->phase == PROGRESS_DRAIN)
		lang_add(out, ", stopping");
	if (progress->done_percent >= 0)
		str_printf(out, ", %.0f %%", progress->done_percent);
}

/* The p99 of the interval; where it had too few requests for one, the slowest of them. */
static void add_tail(const struct progress *progress, struct str *out)
{
	uint64_t ios = 0, max_ns = 0;

	for (unsigned dir = 0; dir < NDIR; dir++) {
		ios += progress->row.dir[dir].ios;
		max_ns = max_u64(max_ns, progress->row.dir[dir].max_ns);
	}
	if (!ios)
		return;
	if (hist_percentile_is_sound(ios, 99) && progress->lat_p99_ns) {
		str_add(out, " | p99 ");
		quantity_time(progress->lat_p99_ns, out);
	} else if (max_ns) {
		str_add(out, " | max ");
		quantity_time(max_ns, out);
	}
}

static void add_rates(const struct progress *progress, struct str *out)
{
	const struct row *row = &progress->row;
	double seconds = row_seconds(row);
	bool any = false;

	for (enum dir dir = DIR_READ; dir < NDIR; dir++) {
		if (!row->dir[dir].ios)
			continue;
		any = true;
		str_printf(out, " | %s ", lang_here(figure_dir_names[dir]));
		quantity_plain((double)row->dir[dir].ios / seconds, out);
		str_add(out, " IOPS");
		if (row->dir[dir].bytes) {
			str_add_char(out, ' ');
			quantity_rate((double)row->dir[dir].bytes / seconds, out);
		}
	}
	if (!any)
		str_add(out, " | 0 IOPS");
	add_tail(progress, out);
}

static void add_oldest(const struct progress *progress, struct str *out)
{
	autostr age = {0};

	if (progress->oldest_ns < OLD_NS)
		return;
	quantity_time(progress->oldest_ns, &age);
	lang_add(out, " | oldest %s %s", lang_here(op_names[progress->oldest_op]),
		 str_text(&age));
}

/* The line as a whole; what is last is what gets cut on a narrow terminal. */
void live_text(const struct progress *progress, unsigned columns, struct str *out)
{
	autostr line = {0}, part = {0}, all = {0};

	if (progress->phase == PROGRESS_LAYOUT) {
		quantity_size(progress->layout_bytes, &part);
		quantity_size(progress->layout_total_bytes, &all);
		lang_add(&line, "laying out files: %s of %s", str_text(&part), str_text(&all));
	} else {
		add_jobs(progress, &line);
		if (progress->left_ns != PROGRESS_UNKNOWN) {
			quantity_time(round_up_u64(progress->left_ns, NS_PER_S), &part);
			lang_add(&line, ", %s left", str_text(&part));
		}
		add_oldest(progress, &line);
		if (progress->errors)
			lang_add(&line,
				 PLURAL(progress->errors, " | %llu error", " | %llu errors"),
				 (unsigned long long)progress->errors);
		add_rates(progress, &line);
	}
	str_add_columns(out, str_text(&line), columns);
}

static void json_row(struct json *json, const struct row *row)
{
	double seconds = row_seconds(row);

	for (enum dir dir = DIR_READ; dir < NDIR; dir++) {
		const struct row_dir *figures = &row->dir[dir];

		json_open_object(json, figure_dir_names[dir]);
		json_add_double(json, "iops", (double)figures->ios / seconds);
		json_add_double(json, "bytes_per_s", (double)figures->bytes / seconds);
		if (hist_percentile_is_sound(figures->ios, 50))
			json_add_u64(json, "p50_ns", figures->p50_ns);
		if (hist_percentile_is_sound(figures->ios, 99))
			json_add_u64(json, "p99_ns", figures->p99_ns);
		if (figures->ios)
			json_add_u64(json, "max_ns", figures->max_ns);
		json_close_object(json);
	}
}

static void json_oldest(struct json *json, const struct progress *progress)
{
	if (!progress->oldest_ns) {
		json_add_null(json, "oldest");
		return;
	}
	json_open_object(json, "oldest");
	json_add_string(json, "operation", op_names[progress->oldest_op]);
	json_add_u64(json, "age_ns", progress->oldest_ns);
	json_add_u64(json, "offset_bytes", progress->oldest_offset);
	if (progress->oldest_path)
		json_add_string(json, "path", progress->oldest_path);
	json_close_object(json);
}

void live_json(const struct progress *progress, struct str *out)
{
	struct json json;

	json_init_compact(&json, out);
	json_open_object(&json, NULL);
	json_add_string(&json, "type", "progress");
	json_add_string(&json, "phase", phase_names[progress->phase]);
	json_add_u64(&json, "elapsed_ns", progress->elapsed_ns);
	if (progress->left_ns == PROGRESS_UNKNOWN)
		json_add_null(&json, "left_ns");
	else
		json_add_u64(&json, "left_ns", progress->left_ns);
	if (progress->done_percent < 0)
		json_add_null(&json, "done_percent");
	else
		json_add_double(&json, "done_percent", progress->done_percent);
	json_add_u64(&json, "running", progress->running);
	json_add_u64(&json, "waiting", progress->waiting);
	json_add_u64(&json, "finished", progress->finished);
	json_add_u64(&json, "errors", progress->errors);
	if (progress->phase == PROGRESS_LAYOUT) {
		json_add_u64(&json, "layout_bytes", progress->layout_bytes);
		json_add_u64(&json, "layout_total_bytes", progress->layout_total_bytes);
	} else {
		json_row(&json, &progress->row);
		if (progress->lat_p99_ns)
			json_add_u64(&json, "p99_ns", progress->lat_p99_ns);
		json_oldest(&json, progress);
	}
	json_close_object(&json);
	str_add_char(out, '\n');
}
