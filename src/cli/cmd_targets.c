/* assay targets: what there is to measure, and whether a run may write to it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/json.h"
#include "base/lang.h"
#include "base/quantity.h"
#include "cli/command.h"
#include "cli/emit.h"
#include "device/health.h"
#include "device/targets.h"

static const char *may_write(const struct targets_device *t)
{
	switch (t->native.decision) {
	case GUARD_ALLOW:
		return N_("yes");
	case GUARD_NEEDS_CONSENT:
		return N_("with --destroy");
	case GUARD_REFUSE:
		return N_("no");
	}
	return N_("no");
}

/* "16.8 MB", "1.92 TB": small devices are no 0.0 GB. */
static void size_cell(struct document *doc, struct table *table, uint64_t bytes)
{
	autostr text = {0};

	quantity_decimal(bytes, &text);
	table_cell(doc, table, "%s", str_text(&text));
}

static void devices_text(struct document *doc, const struct targets *targets)
{
	static const char *const heads[] = {"device", N_("size"), N_("link"), "write", NULL};
	struct table table;

	table_init(&table, heads);
	for (unsigned i = 0; i < targets->ndevices; i++) {
		const struct targets_device *t = &targets->devices[i];

		table_cell(doc, &table, "%s", t->device.path);
		size_cell(doc, &table, t->device.size_bytes);
		table_cell(doc, &table, "%s", *t->device.link.text ? t->device.link.text : "-");
		table_cell(doc, &table, "%s", may_write(t));
	}
	document_heading(doc, 2, "Drives and partitions");
	document_table(doc, &table);
	for (unsigned i = 0; i < targets->ndevices; i++) {
		const struct targets_device *t = &targets->devices[i];
		struct fact facts[] = {
			{N_("model"), *t->device.model ? t->device.model : NULL},
			{N_("serial"), *t->device.serial ? t->device.serial : NULL},
			{N_("token"), t->device.token},
			{N_("contents"), *t->holds ? t->holds : NULL},
			{N_("found"), *t->native.found ? t->native.found : NULL},
		};

		document_heading(doc, 2, "%s", t->device.path);
		document_facts(doc, facts, ARRAY_SIZE(facts));
	}
}

/* --- --health --- */

/* Of whole disks that are no layer of others: a partition's is its disk's. */
static bool has_health(const struct targets_device *t)
{
	return t->device.kind == DEVICE_DISK || t->device.kind == DEVICE_OTHER;
}

static void health_cell(struct document *doc, struct table *table, const struct health *health,
			enum health_field field)
{
	char text[40];

	health_format(field, health->value[field], text, sizeof(text));
	table_cell(doc, table, "%s", text);
}

static void health_text(struct document *doc, const struct targets *targets)
{
	static const enum health_field fields[] = {
		HEALTH_TEMPERATURE_MC, HEALTH_USED_PPM,		HEALTH_HOST_WRITTEN_BYTES,
		HEALTH_POWER_ON_HOURS, HEALTH_UNSAFE_SHUTDOWNS, HEALTH_MEDIA_ERRORS};
	static const char *const heads[] = {
		"device",	"temperature",	       N_("life used"),
		"written",	"powered on",	       "unsafe shutdowns",
		"media errors", N_("its own verdict"), NULL};
	static const char *const verdicts[] = {[ANSWER_UNKNOWN] = "unknown",
					       [ANSWER_NO] = N_("failing"),
					       [ANSWER_YES] = N_("good")};
	struct health health;
	struct table table;

	table_init(&table, heads);
	document_heading(doc, 2, "Health");
	for (unsigned i = 0; i < targets->ndevices; i++) {
		const struct device *device = &targets->devices[i].device;

		if (!has_health(&targets->devices[i]))
			continue;
		health_read(&health, device, &device_roots_real);
		if (health.why_not[0])
			document_prose(doc, TONE_PLAIN, "%s: unknown: %s", device->path,
				       health.why_not);
		table_cell(doc, &table, "%s", device->path);
		for (unsigned f = 0; f < ARRAY_SIZE(fields); f++)
			health_cell(doc, &table, &health, fields[f]);
		table_cell(doc, &table, "%s", verdicts[health.passed]);
	}
	document_table(doc, &table);
}

static void health_json(struct json *json, const struct device *device)
{
	struct health health;

	health_read(&health, device, &device_roots_real);
	json_open_object(json, "health");
	json_add_string(json, "source", health.source);
	json_add_string(json, "why_not", health.why_not);
	if (health.passed == ANSWER_UNKNOWN)
		json_add_null(json, "passed");
	else
		json_add_bool(json, "passed", health.passed == ANSWER_YES);
	for (unsigned i = 0; i < NHEALTH; i++) {
		if (health.value[i] == HEALTH_UNKNOWN)
			json_add_null(json, health_fields[i].name);
		else
			json_add_i64(json, health_fields[i].name, health.value[i]);
	}
	json_close_object(json);
}

static void mounts_text(struct document *doc, const struct targets *targets)
{
	static const char *const heads[] = {N_("mount"), N_("type"),	     N_("free"),
					    "of",	 N_("file of ours"), NULL};
	struct table table;

	table_init(&table, heads);
	for (unsigned i = 0; i < targets->nmounts; i++) {
		const struct targets_mount *m = &targets->mounts[i];

		table_cell(doc, &table, "%s", m->fs.mount_point);
		table_cell(doc, &table, "%s", m->fs.type);
		size_cell(doc, &table, m->fs.free_bytes);
		size_cell(doc, &table, m->fs.size_bytes);
		table_cell(doc, &table, "%s", m->writable ? N_("yes") : m->why_not);
	}
	document_heading(doc, 2, "Mounts");
	document_table(doc, &table);
}

static void device_json(struct json *json, const struct targets_device *t, bool health)
{
	json_open_object(json, NULL);
	json_add_string(json, "path", t->device.path);
	json_add_string(json, "kind", device_kind_name(t->device.kind));
	json_add_string(json, "model", t->device.model);
	json_add_string(json, "serial", t->device.serial);
	json_add_string(json, "wwid", t->device.wwid);
	json_add_string(json, "token", t->device.token);
	json_add_u64(json, "size_bytes", t->device.size_bytes);
	json_add_string(json, "link", t->device.link.text);
	json_add_string(json, "holds", t->holds);
	json_add_bool(json, "contents_read", t->looked);
	json_add_string(json, "may_write", may_write(t));
	json_add_string(json, "found", t->native.found);
	json_add_string(json, "reason", t->native.message);
	if (health && has_health(t))
		health_json(json, &t->device);
	json_close_object(json);
}

static void targets_json(const struct targets *targets, bool health, struct str *out)
{
	struct json json;

	json_init(&json, out);
	json_open_object(&json, NULL);
	json_add_u64(&json, "schema_version", 1);
	json_open_array(&json, "devices");
	for (unsigned i = 0; i < targets->ndevices; i++)
		device_json(&json, &targets->devices[i], health);
	json_close_array(&json);
	json_open_array(&json, "mounts");
	for (unsigned i = 0; i < targets->nmounts; i++) {
		const struct targets_mount *m = &targets->mounts[i];

		json_open_object(&json, NULL);
		json_add_string(&json, "mount_point", m->fs.mount_point);
		json_add_string(&json, "type", m->fs.type);
		json_add_string(&json, "source", m->fs.source);
		json_add_u64(&json, "size_bytes", m->fs.size_bytes);
		json_add_u64(&json, "free_bytes", m->fs.free_bytes);
		json_add_bool(&json, "writable", m->writable);
		json_add_string(&json, "why_not", m->why_not);
		json_close_object(&json);
	}
	json_close_array(&json);
	json_close_object(&json);
	str_add_char(out, '\n');
}

static void targets_text(const struct targets *targets, bool health, struct str *out)
{
	struct page_style style;
	struct document doc;

	emit_style(&style, false);
	document_init_text(&doc, out, &style);
	devices_text(&doc, targets);
	mounts_text(&doc, targets);
	if (health)
		health_text(&doc, targets);
	document_done(&doc);
}

int cmd_targets(int argc, char **argv)
{
	struct targets targets;
	struct arena arena;
	struct err err = {0};
	bool json = false, health = false;
	autostr out = {0};

	for (int i = 1; i < argc; i++) {
		bool is_json = str_equal(argv[i], "--format=json");
		bool is_health = str_equal(argv[i], "--health");

		json |= is_json;
		health |= is_health;
		if (!is_json && !is_health && !str_equal(argv[i], "--format=text"))
			(void)err_input(&err, "targets: \"%s\" is no option; %s", argv[i],
					command_find("targets")->help);
	}
	if (err.code)
		return emit_error(&err);
	arena_init(&arena);
	if (!targets_list(&arena, &device_roots_real, &targets, &err)) {
		if (json)
			targets_json(&targets, health, &out);
		else
			targets_text(&targets, health, &out);
		(void)emit_text(NULL, &out, &err);
	}
	arena_done(&arena);
	return err.code ? emit_error(&err) : 0;
}
