#include "result/native_json_read.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/bits.h"
#include "base/memory.h"
#include "result/figure.h"
#include "result/native_json_priv.h"
#include "result/native_json_read_priv.h"

static const char *const severities[] = {
	[SEVERITY_INFO] = "info", [SEVERITY_WARNING] = "warning"};

json_t *json_read_parse(const char *text, size_t bytes, struct err *err)
{
	json_error_t error;
	json_t *root;

	json_set_alloc_funcs(memory_take, free); /* it takes a failure for bad text */
	root = json_loadb(text, bytes, 0, &error);
	if (!root)
		(void)err_input(err, "not JSON: %s (line %d, column %d)", error.text,
				error.line, error.column);
	return root;
}

/* --- what was asked for --- */

static struct given *read_given(struct json_reader *reader, const json_t *object,
				const char *key, unsigned *ret_count)
{
	const json_t *pairs = json_read_array(reader, object, key);
	size_t count = json_array_size(pairs);
	struct given *given = arena_array(reader->arena, struct given, count + 1);

	for (size_t i = 0; i < count; i++) {
		const json_t *pair = json_array_get(pairs, i);
		const char *name = json_string_value(json_array_get(pair, 0));
		const char *value = json_string_value(json_array_get(pair, 1));

		if (!name || !value) {
			(void)json_read_fail(reader, key, "holds what is not a pair of texts");
			return given;
		}
		given[i] = (struct given){.key = arena_strdup(reader->arena, name),
					  .value = arena_strdup(reader->arena, value)};
	}
	*ret_count = (unsigned)count;
	return given;
}

/* An option that this program does not know any more is told as a note: the figures stand. */
static void read_effective(struct json_reader *reader, const json_t *job, struct job_set *set,
			   struct job_spec *spec)
{
	const json_t *effective = json_read_object(reader, job, "effective"), *value;
	const char *key;

	if (!json_object_get(effective, "rw"))
		spec->rw = (struct rw){.text = ""}; /* an import that does not tell the load */
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): only const is cast away */
	json_object_foreach((json_t *)(uintptr_t)effective, key, value)
	{
		struct err err = {0};

		if (!json_is_string(value)) {
			(void)json_read_fail(reader, key, "is not a text");
			return;
		}
		if (job_set_option(set, spec, key, json_string_value(value), &err))
			job_note_add(set, NOTE_WARNING, spec->name, key, "%s", err.text);
	}
}

static void read_job_notes(struct json_reader *reader, const json_t *options,
			   struct job_set *set)
{
	const json_t *notes = json_read_array(reader, options, "notes");

	for (size_t i = 0; i < json_array_size(notes); i++) {
		const json_t *note = json_array_get(notes, i);
		unsigned kind = json_read_word(reader, note, "kind", json_note_kinds, 3);
		const char *text = json_read_text(reader, note, "text");

		if (reader->rc)
			return;
		job_note_add(set, (enum note_kind)kind, json_read_text(reader, note, "job"),
			     json_read_text(reader, note, "option"), "%s", text ? text : "");
	}
}

static void read_options(struct json_reader *reader, const json_t *root, struct job_set *set)
{
	const json_t *options = json_read_object(reader, root, "options");
	const json_t *jobs = json_read_array(reader, options, "jobs");

	set->global = read_given(reader, options, "global", &set->nglobal);
	for (size_t i = 0; i < json_array_size(jobs) && !reader->rc; i++) {
		const json_t *job = json_array_get(jobs, i);
		const char *name = json_read_text(reader, job, "name");
		struct job_spec *spec = job_new(set, name ? name : "");

		spec->given = read_given(reader, job, "given", &spec->ngiven);
		read_effective(reader, job, set, spec);
		spec->name = name ? name : "";
		job_add_unchecked(set, spec);
	}
	read_job_notes(reader, options, set);
}

/* --- the series and the notes --- */

static void read_histogram(struct json_reader *reader, const json_t *object,
			   struct result *result, unsigned row, enum dir dir)
{
	const char *text = json_read_text(reader, object, "histogram");
	size_t length = text ? strlen(text) : 0;
	autostr blob = {0};
	ssize_t bytes;

	if (!length)
		return;
	str_add_bytes(&blob, text, length); /* it becomes shorter */
	bytes = base64_decode(text, length, blob.text);
	if (bytes <= 0 || (size_t)bytes > length)
		(void)json_read_fail(reader, "histogram", "is no histogram in base64");
	else
		result_set_interval_hist(result, row, dir, blob.text, (size_t)bytes);
}

static void read_row_dir(struct json_reader *reader, const json_t *row, enum dir dir,
			 struct row_dir *ret_row)
{
	const json_t *one = json_read_object(reader, row, figure_dir_names[dir]);

	*ret_row = (struct row_dir){
		.ios = json_read_u64(reader, one, "ios"),
		.bytes = json_read_u64(reader, one, "bytes"),
		.errors = json_read_u64(reader, one, "errors"),
		.mean_ns = json_read_double(reader, one, "mean_ns"),
		.p50_ns = json_read_u64(reader, one, "p50_ns"),
		.p99_ns = json_read_u64(reader, one, "p99_ns"),
		.p999_ns = json_read_u64(reader, one, "p99.9_ns"),
		.max_ns = json_read_u64(reader, one, "max_ns"),
	};
}

static void read_series(struct json_reader *reader, const json_t *root, struct result *result)
{
	const json_t *series = json_read_array(reader, root, "series");
	unsigned count = (unsigned)json_array_size(series);

	result->rows = arena_array(reader->arena, struct row, count + 1);
	result->nrows = result->rows_room = count;
	if (json_object_get(root, "series_latency"))
		result->series_kind = (enum lat_kind)json_read_word(
			reader, root, "series_latency", json_lat_names, NLAT);
	for (unsigned i = 0; i < count && !reader->rc; i++) {
		const json_t *one = json_array_get(series, i);
		struct row *row = &result->rows[i];

		row->begin_ns = json_read_u64(reader, one, "begin_ns");
		row->end_ns = json_read_u64(reader, one, "end_ns");
		row->partial = json_read_bool(reader, one, "partial");
		for (enum dir dir = DIR_READ; dir < NDIR; dir++) {
			read_row_dir(reader, one, dir, &row->dir[dir]);
			read_histogram(reader, json_object_get(one, figure_dir_names[dir]),
				       result, i, dir);
		}
	}
}

static void read_notes(struct json_reader *reader, const json_t *root, struct result *result)
{
	const json_t *notes = json_read_array(reader, root, "notes");

	for (size_t i = 0; i < json_array_size(notes); i++) {
		const json_t *note = json_array_get(notes, i);
		const char *id = json_read_text(reader, note, "id");
		const char *text = json_read_text(reader, note, "text");
		unsigned severity = json_read_word(reader, note, "severity", severities, 2);

		if (reader->rc)
			return;
		result_note(result, id ? id : "", (enum severity)severity,
			    json_read_text(reader, note, "job"), "%s", text ? text : "");
	}
}

static void read_groups(struct json_reader *reader, const json_t *root, struct result *result)
{
	const json_t *groups = json_read_array(reader, root, "groups");
	unsigned count = (unsigned)json_array_size(groups);

	result->jobs = arena_array(reader->arena, struct job_result, count + 1);
	for (unsigned i = 0; i < count && !reader->rc; i++) {
		native_json_read_group(reader, json_array_get(groups, i), result->set,
				       &result->jobs[i]);
		result->jobs[i].thread_number = i + 1;
		result->jobs[i].group = i; /* they are merged already: none with another */
	}
	result->njobs = count;
}

int native_json_read_object(const json_t *root, struct job_set *set, struct result *result,
			    struct err *err)
{
	struct json_reader reader = {.arena = &result->arena, .err = err};

	if (!json_is_array(json_object_get(root, "groups")) ||
	    !json_is_object(json_object_get(root, "options")))
		return err_input(err, "this is no result of assay: \"groups\" or \"options\" "
				      "is missing");
	read_options(&reader, root, set);
	if (!reader.rc)
		read_groups(&reader, root, result);
	read_series(&reader, root, result);
	native_json_read_vitals(&reader, root, &result->vitals);
	native_json_read_logs(&reader, root, result);
	read_notes(&reader, root, result);
	native_json_read_facts(&reader, root, result);
	result->interval_ns = json_read_u64(&reader, root, "interval_ns");
	result->wall_start_ns = json_read_u64(&reader, root, "started_unix_ns");
	result->wall_end_ns = json_read_u64(&reader, root, "ended_unix_ns");
	result->span_ns = json_read_u64(&reader, root, "span_ns");
	result->simulated = json_read_bool(&reader, root, "simulated");
	result->interrupted = json_read_bool(&reader, root, "interrupted");
	result->signal = (int)json_read_i64(&reader, root, "signal");
	result->clock_drift_ppm = json_read_double(&reader, root, "clock_drift_ppm");
	result->wall_jump_ns = json_read_i64(&reader, root, "wall_clock_jump_ns");
	return reader.rc;
}

int native_json_read(const char *text, size_t bytes, struct job_set *set, struct result *result,
		     struct err *err)
{
	json_t *root;
	int rc;

	job_set_init(set, FACE_NATIVE);
	result_init(result, set);
	root = json_read_parse(text, bytes, err);
	if (!root)
		return -EINVAL;
	rc = native_json_read_object(root, set, result, err);
	json_decref(root);
	return rc;
}
