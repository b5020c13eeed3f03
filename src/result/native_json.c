#include "result/native_json.h"

#include "base/base64.h"
#include "base/bits.h"
#include "job/options.h"
#include "result/figure.h"
#include "result/native_json_priv.h"

const char *const json_op_names[] = {"read", "write", "trim", "fsync", "fdatasync"};

const char *const json_note_kinds[] = {
	[NOTE_ACCEPTED] = "accepted",
	[NOTE_CHANGED] = "changed",
	[NOTE_WARNING] = "warning",
};

void json_add_known(struct json *json, const char *key, uint64_t value)
{
	if (value)
		json_add_u64(json, key, value);
	else
		json_add_null(json, key);
}

static void given(struct json *json, const char *key, const struct given *given, unsigned count)
{
	json_open_array(json, key);
	for (unsigned i = 0; i < count; i++) {
		json_open_array(json, NULL);
		json_add_string(json, NULL, given[i].key);
		json_add_string(json, NULL, given[i].value);
		json_close_array(json);
	}
	json_close_array(json);
}

/* The effective value of every option that has one, in canonical text. */
static void effective(struct json *json, const struct job_spec *spec)
{
	json_open_object(json, "effective");
	for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt)) {
		autostr value = {0};

		if (opt_is_cli(opt) || opt->deed != OPT_ACTS)
			continue;
		opt_format(opt, spec, NULL, &value);
		if (value.length && opt_is_set(opt, spec))
			json_add_string(json, opt->name, str_text(&value));
	}
	json_close_object(json);
}

void native_json_options(struct json *json, const struct job_set *set)
{
	json_open_object(json, "options");
	given(json, "global", set->global, set->nglobal);
	json_open_array(json, "jobs");
	for (unsigned i = 0; i < set->njobs; i++) {
		json_open_object(json, NULL);
		json_add_string(json, "name", set->jobs[i]->name);
		given(json, "given", set->jobs[i]->given, set->jobs[i]->ngiven);
		effective(json, set->jobs[i]);
		json_close_object(json);
	}
	json_close_array(json);
	json_open_array(json, "notes");
	for (const struct job_note *note = set->notes; note; note = note->next) {
		json_open_object(json, NULL);
		json_add_string(json, "kind", json_note_kinds[note->kind]);
		json_add_text(json, "job", note->job);
		json_add_text(json, "option", note->option);
		json_add_string(json, "text", note->text);
		json_close_object(json);
	}
	json_close_array(json);
	json_close_object(json);
}

static bool ever_did(const struct result *result, enum dir dir)
{
	for (unsigned i = 0; i < result->nrows; i++)
		if (result->rows[i].dir[dir].ios || result->rows[i].dir[dir].errors)
			return true;
	return false;
}

static void row_percentile(struct json *json, const char *key, const struct row_dir *row,
			   double percent, uint64_t ns)
{
	if (hist_percentile_is_sound(row->ios, percent))
		json_add_u64(json, key, ns);
	else
		json_add_null(json, key);
}

static void series_row(struct json *json, const struct row_dir *row,
		       const struct interval_hist *hist, const char *key)
{
	json_open_object(json, key);
	json_add_u64(json, "ios", row->ios);
	json_add_u64(json, "bytes", row->bytes);
	json_add_u64(json, "errors", row->errors);
	if (row->ios) {
		json_add_double(json, "mean_ns", row->mean_ns);
		row_percentile(json, "p50_ns", row, 50, row->p50_ns);
		row_percentile(json, "p99_ns", row, 99, row->p99_ns);
		row_percentile(json, "p99.9_ns", row, 99.9, row->p999_ns);
		json_add_u64(json, "max_ns", row->max_ns);
	}
	if (hist->blob) {
		autostr text = {0};

		base64_add(&text, hist->blob, hist->bytes);
		json_add_string(json, "histogram", str_text(&text));
	}
	json_close_object(json);
}

/* Directions that never did anything are left out; idle intervals of the others are zeros. */
static void series(struct json *json, const struct result *result)
{
	json_add_string(json, "series_latency", json_lat_names[result->series_kind]);
	json_open_array(json, "series");
	for (unsigned i = 0; i < result->nrows; i++) {
		const struct row *row = &result->rows[i];

		json_open_object(json, NULL);
		json_add_u64(json, "begin_ns", row->begin_ns);
		json_add_u64(json, "end_ns", row->end_ns);
		json_add_bool(json, "partial", row->partial);
		for (enum dir dir = DIR_READ; dir < NDIR; dir++)
			if (ever_did(result, dir))
				series_row(json, &row->dir[dir],
					   result_interval_hist(result, i, dir),
					   figure_dir_names[dir]);
		json_close_object(json);
	}
	json_close_array(json);
}

static void notes(struct json *json, const struct result *result)
{
	json_open_array(json, "notes");
	for (unsigned i = 0; i < result->nnotes; i++) {
		const struct note *note = &result->notes[i];

		json_open_object(json, NULL);
		json_add_string(json, "id", note->id);
		json_add_string(json, "severity",
				note->severity == SEVERITY_WARNING ? "warning" : "info");
		json_add_text(json, "job", note->job);
		json_add_string(json, "text", note->text);
		json_close_object(json);
	}
	json_close_array(json);
}

static void head(struct json *json, const char *version)
{
	json_add_u64(json, "schema_version", NATIVE_JSON_SCHEMA);
	json_add_text(json, "assay_version", version);
	json_add_null(json, "record");
}

void native_json_head(struct json *json, struct result *result, bool whole)
{
	unsigned ngroups;
	const struct job_result *groups = result_groups(result, &ngroups);

	json_add_u64(json, "started_unix_ns", result->wall_start_ns);
	json_add_u64(json, "ended_unix_ns", result->wall_end_ns);
	json_add_u64(json, "span_ns", result->span_ns);
	json_add_bool(json, "simulated", result->simulated);
	json_add_bool(json, "interrupted", result->interrupted);
	if (result->signal)
		json_add_i64(json, "signal", result->signal);
	else
		json_add_null(json, "signal");
	json_add_double(json, "clock_drift_ppm", result->clock_drift_ppm);
	json_add_i64(json, "wall_clock_jump_ns", result->wall_jump_ns);
	if (whole)
		notes(json, result);
	json_open_array(json, "groups");
	for (unsigned i = 0; i < ngroups; i++)
		native_json_group(json, &groups[i], whole);
	json_close_array(json);
	native_json_logs(json, result);
	json_add_u64(json, "interval_ns", result->interval_ns);
	if (!whole)
		return;
	series(json, result);
	native_json_vitals(json, &result->vitals);
}

void native_json_body(struct json *json, struct result *result)
{
	native_json_head(json, result, true);
	native_json_facts(json, result);
	native_json_options(json, result->set);
}

void native_json(struct result *result, const char *version, struct str *out)
{
	struct json json;

	json_init(&json, out);
	json_open_object(&json, NULL);
	head(&json, version);
	native_json_body(&json, result);
	json_close_object(&json);
	str_add_char(out, '\n');
}

void native_json_runs(const struct native_json_run *runs, unsigned count, const char *version,
		      struct str *out)
{
	struct json json;

	json_init(&json, out);
	json_open_object(&json, NULL);
	head(&json, version);
	json_open_array(&json, "runs");
	for (unsigned i = 0; i < count; i++) {
		json_open_object(&json, NULL);
		json_add_string(&json, "name", runs[i].name);
		json_add_string(&json, "load", runs[i].load);
		json_add_u64(&json, "repeat", runs[i].repeat);
		json_open_object(&json, "result");
		native_json_body(&json, runs[i].result);
		json_close_object(&json);
		json_close_object(&json);
	}
	json_close_array(&json);
	json_close_object(&json);
	str_add_char(out, '\n');
}
