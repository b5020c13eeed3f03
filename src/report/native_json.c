#include "report/native_json.h"

#include "base/bits.h"
#include "job/options.h"
#include "report/figures.h"
#include "report/native_json_priv.h"

const char *const json_op_names[] = {"read", "write", "trim", "fsync", "fdatasync"};

void json_text(struct json *json, const char *key, const char *text)
{
	if (text && *text)
		json_string(json, key, text);
	else
		json_null(json, key);
}

void json_known_u64(struct json *json, const char *key, uint64_t value)
{
	if (value)
		json_u64(json, key, value);
	else
		json_null(json, key);
}

static void given(struct json *json, const char *key, const struct given *given, unsigned count)
{
	json_array(json, key);
	for (unsigned i = 0; i < count; i++) {
		json_array(json, NULL);
		json_string(json, NULL, given[i].key);
		json_string(json, NULL, given[i].value);
		json_array_end(json);
	}
	json_array_end(json);
}

/* The effective value of every option that has one, in canonical text. */
static void effective(struct json *json, const struct job_spec *spec)
{
	json_object(json, "effective");
	for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt)) {
		autostr value = {0};

		if (opt_is_cli(opt) || opt->deed != OPT_ACTS)
			continue;
		opt_format(opt, spec, NULL, &value);
		if (value.length && opt_is_set(opt, spec))
			json_string(json, opt->name, str_text(&value));
	}
	json_object_end(json);
}

void native_json_options(struct json *json, const struct job_set *set)
{
	static const char *const kinds[] = {
		[NOTE_ACCEPTED] = "accepted",
		[NOTE_CHANGED] = "changed",
		[NOTE_WARNING] = "warning",
	};

	json_object(json, "options");
	given(json, "global", set->global, set->nglobal);
	json_array(json, "jobs");
	for (unsigned i = 0; i < set->njobs; i++) {
		json_object(json, NULL);
		json_string(json, "name", set->jobs[i]->name);
		given(json, "given", set->jobs[i]->given, set->jobs[i]->ngiven);
		effective(json, set->jobs[i]);
		json_object_end(json);
	}
	json_array_end(json);
	json_array(json, "notes");
	for (const struct job_note *note = set->notes; note; note = note->next) {
		json_object(json, NULL);
		json_string(json, "kind", kinds[note->kind]);
		json_text(json, "job", note->job);
		json_text(json, "option", note->option);
		json_string(json, "text", note->text);
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
}

static bool ever_did(const struct result *result, enum dir dir)
{
	for (unsigned i = 0; i < result->nrows; i++)
		if (result->rows[i].dir[dir].ios || result->rows[i].dir[dir].errors)
			return true;
	return false;
}

static void series_row(struct json *json, const struct row_dir *row, const char *key)
{
	json_object(json, key);
	json_u64(json, "ios", row->ios);
	json_u64(json, "bytes", row->bytes);
	json_u64(json, "errors", row->errors);
	if (row->ios) {
		json_double(json, "mean_ns", row->mean_ns);
		json_u64(json, "p50_ns", row->p50_ns);
		json_u64(json, "p99_ns", row->p99_ns);
		json_u64(json, "p99.9_ns", row->p999_ns);
		json_u64(json, "max_ns", row->max_ns);
	}
	json_object_end(json);
}

/* Directions that never did anything are left out; idle intervals of the others are zeros. */
static void series(struct json *json, const struct result *result)
{
	json_u64(json, "interval_ns", result->interval_ns);
	json_array(json, "series");
	for (unsigned i = 0; i < result->nrows; i++) {
		const struct row *row = &result->rows[i];

		json_object(json, NULL);
		json_u64(json, "begin_ns", row->begin_ns);
		json_u64(json, "end_ns", row->end_ns);
		json_bool(json, "partial", row->partial);
		for (enum dir dir = DIR_READ; dir < NDIR; dir++)
			if (ever_did(result, dir))
				series_row(json, &row->dir[dir], figure_dir_names[dir]);
		json_object_end(json);
	}
	json_array_end(json);
}

static void notes(struct json *json, const struct result *result)
{
	json_array(json, "notes");
	for (unsigned i = 0; i < result->nnotes; i++) {
		const struct note *note = &result->notes[i];

		json_object(json, NULL);
		json_string(json, "id", note->id);
		json_string(json, "severity",
			    note->severity == SEVERITY_WARNING ? "warning" : "info");
		json_text(json, "job", note->job);
		json_string(json, "text", note->text);
		json_object_end(json);
	}
	json_array_end(json);
}

static void head(struct json *json, const char *version)
{
	json_u64(json, "schema_version", NATIVE_JSON_SCHEMA);
	json_text(json, "assay_version", version);
}

static void body(struct json *json, struct result *result)
{
	unsigned ngroups;
	const struct job_result *groups = result_groups(result, &ngroups);

	json_u64(json, "started_unix_ns", result->wall_start_ns);
	json_u64(json, "ended_unix_ns", result->wall_end_ns);
	json_u64(json, "span_ns", result->span_ns);
	json_bool(json, "interrupted", result->interrupted);
	if (result->signal)
		json_i64(json, "signal", result->signal);
	else
		json_null(json, "signal");
	json_double(json, "clock_drift_ppm", result->clock_drift_ppm);
	json_i64(json, "wall_clock_jump_ns", result->wall_jump_ns);
	notes(json, result);
	json_array(json, "groups");
	for (unsigned i = 0; i < ngroups; i++)
		native_json_group(json, &groups[i]);
	json_array_end(json);
	series(json, result);
	native_json_facts(json, result);
	native_json_options(json, result->set);
}

void native_json(struct result *result, const char *version, struct str *out)
{
	struct json json;

	json_init(&json, out);
	json_object(&json, NULL);
	head(&json, version);
	body(&json, result);
	json_object_end(&json);
	str_add_char(out, '\n');
}

void native_json_runs(const struct native_json_run *runs, unsigned count, const char *version,
		      struct str *out)
{
	struct json json;

	json_init(&json, out);
	json_object(&json, NULL);
	head(&json, version);
	json_array(&json, "runs");
	for (unsigned i = 0; i < count; i++) {
		json_object(&json, NULL);
		json_string(&json, "name", runs[i].name);
		json_string(&json, "load", runs[i].load);
		json_u64(&json, "repeat", runs[i].repeat);
		json_object(&json, "result");
		body(&json, runs[i].result);
		json_object_end(&json);
		json_object_end(&json);
	}
	json_array_end(&json);
	json_object_end(&json);
	str_add_char(out, '\n');
}
