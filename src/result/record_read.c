/* Records from our JSON. */
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "result/figure.h"
#include "result/native_json.h"
#include "result/native_json_read_priv.h"
#include "result/record_json.h"

#define RECORDS_MAX 100000

static const char *const kinds[] = {"run", "quick", "fio json", "fio terse", "printed", "plan"};

static bool is_uid(const char *text)
{
	return strlen(text) == RECORD_UID_BYTES - 1 &&
	       strspn(text, "0123456789abcdef") == RECORD_UID_BYTES - 1;
}

static void read_remarks(struct json_reader *reader, const json_t *one, struct record *record)
{
	const json_t *tags = json_read_array(reader, one, "tags");
	const json_t *remarks = json_read_array(reader, one, "remarks");

	for (size_t i = 0; i < json_array_size(tags); i++) {
		const char *tag = json_string_value(json_array_get(tags, i));

		if (!tag)
			(void)json_read_fail(reader, "tags", "holds what is no text");
		else
			record_add_tag(record, tag);
	}
	for (size_t i = 0; i < json_array_size(remarks); i++) {
		const json_t *remark = json_array_get(remarks, i);
		const char *text = json_read_text(reader, remark, "text");

		record_add_remark(record, json_read_u64(reader, remark, "unix_ns"),
				  text ? text : "");
	}
}

/* The "record" object; of a file that was never stored there is none, and its own text is its
 * name. */
static void read_identity(struct json_reader *reader, const json_t *one, struct record *record)
{
	const char *uid = json_read_text(reader, one, "uid");

	if (!one)
		return;
	if (!uid || !is_uid(uid)) {
		(void)json_read_fail(reader, "uid", "is not 32 hexadecimal digits");
		return;
	}
	memcpy(record->uid, uid, RECORD_UID_BYTES);
	record->kind = kinds[json_read_word(reader, one, "kind", kinds, ARRAY_SIZE(kinds)) %
			     ARRAY_SIZE(kinds)];
	record->title = json_read_text(reader, one, "title");
	record->program = json_read_text(reader, one, "program");
	record->incomplete = json_read_text(reader, one, "incomplete");
	record->cut_off = json_read_bool(reader, one, "cut_off");
	record->job_text = json_read_text(reader, one, "job_text");
	record->started_unix_ns = json_read_u64(reader, one, "started_unix_ns");
	record->span_ns = json_read_u64(reader, one, "span_ns");
	record->written_bytes = json_read_u64(reader, one, "written_bytes");
	record->uncertain_percent = json_read_double(reader, one, "uncertain_percent");
	read_remarks(reader, one, record);
}

static int read_part(struct record *record, const json_t *result, const char *name,
		     const char *load, unsigned repeat, struct err *err)
{
	struct record_part *part = record_add_part(record, name, load, repeat);

	job_set_init(part->set, FACE_NATIVE);
	result_init(part->result, part->set);
	return native_json_read_object(result, part->set, part->result, err);
}

static int read_parts(struct json_reader *reader, const json_t *runs, struct record *record)
{
	for (size_t i = 0; i < json_array_size(runs) && !reader->rc; i++) {
		const json_t *run = json_array_get(runs, i);
		const char *name = json_read_text(reader, run, "name");
		const char *load = json_read_text(reader, run, "load");
		unsigned repeat = json_read_u32(reader, run, "repeat");
		const json_t *result = json_read_object(reader, run, "result");

		if (!reader->rc)
			reader->rc = read_part(record, result, name, load, repeat, reader->err);
	}
	return reader->rc;
}

static void read_cell(struct json_reader *reader, const json_t *one, struct record *record)
{
	struct record_cell cell = {
		.name = json_read_text(reader, one, "name"),
		.load = json_read_text(reader, one, "load"),
		.bs_bytes = json_read_u64(reader, one, "bs_bytes"),
		.depth = json_read_u32(reader, one, "depth"),
		.jobs = json_read_u32(reader, one, "jobs"),
		.read_percent = json_read_u32(reader, one, "read_percent"),
		.dir = (enum dir)(
			json_read_word(reader, one, "direction", figure_dir_names, NDIR) %
			NDIR),
		.part = -1,
		.printed = json_read_text(reader, one, "printed"),
	};

	cell.name = cell.name ? cell.name : "";
	cell.load = cell.load ? cell.load : "";
	for (unsigned metric = 0; metric < NCELL_METRIC; metric++) {
		const char *column = cell_metrics[metric].column;

		cell.value[metric] = json_is_number(json_object_get(one, column))
					     ? json_read_double(reader, one, column)
					     : (double)NAN;
	}
	record_add_cell(record, &cell);
}

/* One entry of an export, or a whole document of a run. */
static int read_record(const json_t *one, struct record *record, struct err *err)
{
	struct json_reader reader = {.arena = &record->arena, .err = err};
	const json_t *cells = json_read_array(&reader, one, "cells");
	const json_t *runs = json_read_array(&reader, one, "runs");

	read_identity(&reader, json_read_object(&reader, one, "record"), record);
	if (runs)
		(void)read_parts(&reader, runs, record);
	else if (!reader.rc)
		reader.rc = read_part(record, one, NULL, NULL, 0, err);
	for (size_t i = 0; i < json_array_size(cells) && !reader.rc; i++)
		read_cell(&reader, json_array_get(cells, i), record);
	if (!reader.rc && !record->nparts && !record->ncells)
		(void)json_read_fail(&reader, "runs", "holds nothing");
	if (!reader.rc)
		record_settle(record);
	return reader.rc;
}

static int read_all(struct arena *arena, const json_t *records, struct record **ret_records,
		    unsigned *ret_count, struct err *err)
{
	size_t count = json_array_size(records);
	int rc = 0;

	if (count > RECORDS_MAX)
		return err_input(err, "more than %u records in one file", RECORDS_MAX);
	*ret_records = arena_array(arena, struct record, count + 1);
	for (size_t i = 0; i < count && !rc; i++) {
		struct record *record = &(*ret_records)[(*ret_count)++];

		record_init(record, "run");
		rc = read_record(json_array_get(records, i), record, err);
	}
	return rc;
}

static int read_document(struct arena *arena, const json_t *root, struct record **ret_records,
			 unsigned *ret_count, struct err *err)
{
	const json_t *version = json_object_get(root, "schema_version");
	const json_t *records = json_object_get(root, "records");
	struct record *record;

	if (!json_is_integer(version))
		return err_input(err,
				 "this is no JSON of assay: \"schema_version\" is missing");
	if (json_integer_value(version) > NATIVE_JSON_SCHEMA)
		return err_input(err,
				 "schema_version %lld is newer than this assay reads (%d); use "
				 "the assay that wrote it, or a newer one",
				 (long long)json_integer_value(version), NATIVE_JSON_SCHEMA);
	if (json_is_array(records))
		return read_all(arena, records, ret_records, ret_count, err);
	*ret_records = record = arena_new(arena, struct record);
	*ret_count = 1;
	record_init(record, json_is_array(json_object_get(root, "runs")) ? "quick" : "run");
	return read_record(root, record, err);
}

int record_read_json(struct arena *arena, const char *text, size_t bytes,
		     struct record **ret_records, unsigned *ret_count, struct err *err)
{
	json_t *root = json_read_parse(text, bytes, err);
	int rc;

	*ret_records = NULL;
	*ret_count = 0;
	if (!root)
		return -EINVAL;
	rc = read_document(arena, root, ret_records, ret_count, err);
	/* A document without an identity of its own: its text is it. */
	if (!rc && *ret_count == 1 && !json_is_object(json_object_get(root, "record")) &&
	    !json_is_array(json_object_get(root, "records")))
		record_uid_of_text(*ret_records, text, bytes);
	json_decref(root);
	return rc;
}

int record_part_read(struct record_part *part, const char *document, const char *environment,
		     struct err *err)
{
	json_t *root = NULL, *facts = NULL;
	int rc = -EINVAL;

	job_set_init(part->set, FACE_NATIVE);
	result_init(part->result, part->set);
	root = json_read_parse(document, strlen(document), err);
	if (root)
		facts = json_read_parse(environment, strlen(environment), err);
	if (facts) {
		(void)json_object_update(root, facts);
		rc = native_json_read_object(root, part->set, part->result, err);
	}
	json_decref(facts);
	json_decref(root);
	return rc;
}
