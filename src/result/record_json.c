#include "result/record_json.h"

#include <math.h>

#include "base/bits.h"
#include "result/figure.h"
#include "result/native_json.h"
#include "result/native_json_priv.h"
#include "result/plan_json.h"

static void head(struct json *json, const char *version)
{
	json_add_u64(json, "schema_version", NATIVE_JSON_SCHEMA);
	json_add_text(json, "assay_version", version);
}

static void identity(struct json *json, const struct record *record, bool with_id)
{
	json_open_object(json, "record");
	if (with_id)
		json_add_text(json, "id", record->id);
	json_add_string(json, "uid", record->uid);
	json_add_string(json, "kind", record->kind);
	json_add_text(json, "title", record->title);
	json_add_text(json, "program", record->program);
	json_add_text(json, "incomplete", record->incomplete);
	json_add_bool(json, "cut_off", record->cut_off);
	json_add_u64(json, "started_unix_ns", record->started_unix_ns);
	json_add_u64(json, "span_ns", record->span_ns);
	json_add_u64(json, "written_bytes", record->written_bytes);
	json_add_double(json, "uncertain_percent", record->uncertain_percent);
	json_open_array(json, "tags");
	for (unsigned i = 0; i < record->ntags; i++)
		json_add_string(json, NULL, record->tags[i]);
	json_close_array(json);
	json_open_array(json, "remarks");
	for (unsigned i = 0; i < record->nremarks; i++) {
		json_open_object(json, NULL);
		json_add_u64(json, "unix_ns", record->remarks[i].unix_ns);
		json_add_string(json, "text", record->remarks[i].text);
		json_close_object(json);
	}
	json_close_array(json);
	json_add_text(json, "job_text", record->job_text);
	json_close_object(json);
}

static void runs(struct json *json, const struct record *record)
{
	json_open_array(json, "runs");
	for (unsigned i = 0; i < record->nparts; i++) {
		const struct record_part *part = &record->parts[i];

		json_open_object(json, NULL);
		json_add_string(json, "name", part->name);
		json_add_string(json, "load", part->load);
		json_add_u64(json, "repeat", part->repeat);
		json_open_object(json, "result");
		native_json_body(json, part->result);
		json_close_object(json);
		json_close_object(json);
	}
	json_close_array(json);
}

static void printed_cell(struct json *json, const struct record_cell *cell)
{
	json_open_object(json, NULL);
	json_add_text(json, "name", cell->name);
	json_add_text(json, "load", cell->load);
	json_add_u64(json, "bs_bytes", cell->bs_bytes);
	json_add_u64(json, "depth", cell->depth);
	json_add_u64(json, "jobs", cell->jobs);
	json_add_u64(json, "read_percent", cell->read_percent);
	json_add_string(json, "direction", figure_dir_names[cell->dir]);
	json_add_text(json, "printed", cell->printed);
	for (unsigned metric = 0; metric < NCELL_METRIC; metric++)
		if (!isnan(cell->value[metric]))
			json_add_double(json, cell_metrics[metric].column, cell->value[metric]);
	json_close_object(json);
}

static void cells(struct json *json, const struct record *record)
{
	json_open_array(json, "cells");
	for (unsigned i = 0; i < record->ncells; i++)
		if (record->cells[i].part < 0)
			printed_cell(json, &record->cells[i]);
	json_close_array(json);
}

void record_export_json(const struct record_export *all, const char *version, struct str *out)
{
	struct json json;

	json_init(&json, out);
	json_open_object(&json, NULL);
	head(&json, version);
	json_open_array(&json, "records");
	for (unsigned i = 0; i < all->count; i++) {
		json_open_object(&json, NULL);
		identity(&json, all->records[i], false);
		runs(&json, all->records[i]);
		cells(&json, all->records[i]);
		json_close_object(&json);
	}
	json_close_array(&json);
	if (all->nplans)
		plan_records_json(&json, all->plans, all->nplans);
	json_close_object(&json);
	str_add_char(out, '\n');
}

void record_run_json(const struct record *record, const char *version, struct str *out)
{
	bool single = str_equal(record->kind, "run") && record->nparts == 1;
	struct json json;

	json_init(&json, out);
	json_open_object(&json, NULL);
	head(&json, version);
	identity(&json, record, true);
	if (single)
		native_json_body(&json, record->parts[0].result);
	else
		runs(&json, record);
	json_close_object(&json);
	str_add_char(out, '\n');
}

void record_part_json(const struct record_part *part, struct str *out)
{
	struct json json;

	json_init_compact(&json, out);
	json_open_object(&json, NULL);
	native_json_head(&json, part->result, false);
	native_json_options(&json, part->set);
	json_close_object(&json);
}

void record_environment_json(const struct record_part *part, struct str *out)
{
	struct json json;

	json_init_compact(&json, out);
	json_open_object(&json, NULL);
	native_json_facts(&json, part->result);
	json_close_object(&json);
}
