/* assay sim health: the SMART figures of a served drive, and what its model knows beyond them. */
#include <stdio.h>

#include "base/json.h"
#include "base/lang.h"
#include "base/quantity.h"
#include "cli/command.h"
#include "cli/emit.h"
#include "cli/sim_priv.h"
#include "device/health.h"
#include "serve/serve.h"

/* What real drives do not tell: of the flash, and of what came from the host. */
struct beyond {
	const char *name, *title;
	uint64_t value;
	bool is_size, of_flash;
};

#define NBEYOND 8

static void beyond_init(struct beyond *beyond, const struct drive_health *log)
{
	const struct beyond all[NBEYOND] = {
		{"flushes", "flushes", log->flushes, false, false},
		{"trimmed_bytes", N_("trimmed"), log->trimmed_bytes, true, false},
		{"mapped_bytes", N_("mapped now"), log->mapped_bytes, true, true},
		{N_("erases"), N_("erases"), log->erases, false, true},
		{"least_erases", N_("of the least worn block"), log->least_erases, false, true},
		{"most_erases", N_("of the most worn block"), log->most_erases, false, true},
		{"slc_bytes", N_("SLC cache"), log->slc_bytes, true, true},
		{"slc_used_bytes", N_("SLC cache in use"), log->slc_used_bytes, true, true},
	};

	for (unsigned i = 0; i < NBEYOND; i++)
		beyond[i] = all[i];
}

struct answer_of {
	const struct profile *profile;
	struct health health;
	struct beyond beyond[NBEYOND];
};

static bool is_told(const struct answer_of *answer, const struct beyond *beyond)
{
	return !beyond->of_flash || answer->profile->kind == PROFILE_SSD;
}

static void as_text(const struct answer_of *answer, bool to_file, struct str *out)
{
	static const char *const heads[] = {N_("figure"), N_("value"), NULL};
	struct page_style style;
	struct document doc;
	struct table table;

	emit_style(&style, to_file);
	document_init_text(&doc, out, &style);
	table_init(&table, heads);
	for (unsigned i = 0; i < NHEALTH; i++) {
		char value[64];

		if (!health_knows(&answer->health, i))
			continue;
		health_format(i, answer->health.value[i], value, sizeof(value));
		table_cell(&doc, &table, "%s", health_fields[i].title);
		table_cell(&doc, &table, "%s", value);
	}
	for (unsigned i = 0; i < NBEYOND; i++) {
		const struct beyond *beyond = &answer->beyond[i];
		autostr value = {0};

		if (!is_told(answer, beyond))
			continue;
		if (beyond->is_size)
			quantity_decimal(beyond->value, &value);
		else
			str_printf(&value, "%llu", (unsigned long long)beyond->value);
		table_cell(&doc, &table, "%s", beyond->title);
		table_cell(&doc, &table, "%s", str_text(&value));
	}
	document_heading(&doc, 1, "Health of the simulated %s", answer->health.model);
	document_table(&doc, &table);
	document_done(&doc);
}

static void as_json(const struct answer_of *answer, struct str *out)
{
	struct json json;

	json_init(&json, out);
	json_open_object(&json, NULL);
	json_add_u64(&json, "schema_version", 1);
	json_add_bool(&json, "simulated", true);
	json_add_string(&json, "model", answer->health.model);
	json_add_u64(&json, "size_bytes", answer->health.size_bytes);
	for (unsigned i = 0; i < NHEALTH; i++)
		if (health_knows(&answer->health, i))
			json_add_i64(&json, health_fields[i].name, answer->health.value[i]);
	for (unsigned i = 0; i < NBEYOND; i++)
		if (is_told(answer, &answer->beyond[i]))
			json_add_u64(&json, answer->beyond[i].name, answer->beyond[i].value);
	json_close_object(&json);
	str_add_char(out, '\n');
}

int sim_health(int argc, char **argv)
{
	struct sim_output output = {0};
	const char *mountpoint = NULL;
	struct serve_health served;
	struct answer_of answer;
	struct profile profile;
	struct err err = {0};
	autostr out = {0};

	if (sim_read_word(argc, argv, "MOUNTPOINT", &output, &mountpoint, &err) ||
	    serve_ask(mountpoint, &served, &err) ||
	    profile_parse(served.target, &profile, &err))
		return emit_error(&err);
	answer.profile = &profile;
	health_of_sim(&answer.health, &profile, &served.log);
	beyond_init(answer.beyond, &served.log);
	if (output.json)
		as_json(&answer, &out);
	else
		as_text(&answer, output.path != NULL, &out);
	return emit_text(output.path, &out, &err) ? emit_error(&err) : 0;
}
