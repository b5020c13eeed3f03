/* assay sim list and assay sim show: the simulated drives that there are. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/lang.h"
#include "base/quantity.h"
#include "cli/command.h"
#include "cli/emit.h"
#include "cli/sim_priv.h"
#include "sim/drive.h"

static const char *const kind_names[] = {"ssd", "hdd", "cloud"};

static void list_text(bool to_file, struct str *out)
{
	static const char *const heads[] = {N_("profile"), N_("kind"), N_("size"), NULL};
	struct page_style style;
	struct document doc;
	struct table table;

	emit_style(&style, to_file);
	document_init_text(&doc, out, &style);
	table_init(&table, heads);
	for (const struct profile_text *p = profile_texts; p->name; p++) {
		struct profile profile;

		if (profile_parse(p->name, &profile, NULL))
			continue; /* a test parses them all */
		table_cell(&doc, &table, "%s", p->name);
		table_cell(&doc, &table, "%s", kind_names[profile.kind]);
		table_cell(&doc, &table, "%.1f GB", (double)profile.size_bytes / 1e9);
	}
	document_heading(&doc, 1, "Simulated drives");
	document_table(&doc, &table);
	for (const struct profile_text *p = profile_texts; p->name; p++) {
		autostr summary = {0};

		profile_summary(p->text, &summary);
		document_prose(&doc, TONE_PLAIN, "%s: %s", p->name,
			       document_say(&doc, str_text(&summary)));
	}
	document_done(&doc);
}

static void list_json(struct str *out)
{
	struct json json;

	json_init(&json, out);
	json_open_object(&json, NULL);
	json_add_u64(&json, "schema_version", 1);
	json_add_bool(&json, "simulated", true);
	json_open_array(&json, "profiles");
	for (const struct profile_text *p = profile_texts; p->name; p++) {
		struct profile profile;
		autostr summary = {0};

		if (profile_parse(p->name, &profile, NULL))
			continue;
		profile_summary(p->text, &summary);
		json_open_object(&json, NULL);
		json_add_string(&json, "name", p->name);
		json_add_string(&json, "kind", kind_names[profile.kind]);
		json_add_u64(&json, "size_bytes", profile.size_bytes);
		json_add_string(&json, "summary", str_text(&summary));
		json_close_object(&json);
	}
	json_close_array(&json);
	json_close_object(&json);
	str_add_char(out, '\n');
}

/* "key = value  # what it is": the comments in the reader's language. */
static void add_commented(const char *text, struct str *out)
{
	for (const char *end; *text; text = end) {
		const char *comment = strstr(text, " # ");
		autostr words = {0};

		end = strchr(text, '\n') + 1;
		if (!comment || comment > end) {
			str_add_bytes(out, text, (size_t)(end - text));
			continue;
		}
		comment += strlen(" # ");
		str_add_bytes(&words, comment, (size_t)(end - comment) - 1);
		str_add_bytes(out, text, (size_t)(comment - text));
		str_add(out, lang_here(str_text(&words)));
		str_add_char(out, '\n');
	}
}

static void show_text(const struct profile *profile, struct drive *drive, struct str *out)
{
	autostr size = {0}, memory = {0}, full = {0}, text = {0};

	quantity_decimal(drive_size_bytes(drive), &size);
	quantity_decimal(profile->size_bytes, &full);
	quantity_size(drive_memory_bytes(drive), &memory);
	lang_add(out, "# %s, simulated: %s", profile->name, str_text(&size));
	if (profile->scale > 1)
		lang_add(out, " (%s at 1/%llu of its capacity, rates unchanged)",
			 str_text(&full), (unsigned long long)profile->scale);
	lang_add(out, ", %s of memory", str_text(&memory));
	str_add_char(out, '\n');
	profile_format(profile, &text);
	add_commented(str_text(&text), out);
}

static void show_json(const struct profile *profile, struct drive *drive, struct str *out)
{
	struct json json;
	autostr text = {0};

	profile_format(profile, &text);
	json_init(&json, out);
	json_open_object(&json, NULL);
	json_add_u64(&json, "schema_version", 1);
	json_add_bool(&json, "simulated", true);
	json_add_string(&json, "name", profile->name);
	json_add_u64(&json, "size_bytes", drive_size_bytes(drive));
	json_add_u64(&json, "scale", profile->scale);
	json_add_u64(&json, "memory_bytes", drive_memory_bytes(drive));
	json_add_string(&json, "profile", str_text(&text));
	json_close_object(&json);
	str_add_char(out, '\n');
}

int sim_list(int argc, char **argv)
{
	struct sim_output output = {0};
	struct err err = {0};
	autostr out = {0};

	for (int i = 1; i < argc && !err.code; i++)
		if (!sim_read_output(argc, argv, &i, &output))
			(void)err_input(&err, "sim list: \"%s\" is no option", argv[i]);
	if (err.code || emit_check_place(output.path, argc, argv, &err))
		return emit_error(&err);
	if (output.json)
		list_json(&out);
	else
		list_text(output.path != NULL, &out);
	return emit_text(output.path, &out, &err) ? emit_error(&err) : 0;
}

int sim_show(int argc, char **argv)
{
	struct sim_output output = {0};
	struct profile profile;
	struct drive *drive;
	const char *target = NULL;
	struct err err = {0};
	autostr out = {0};

	if (sim_read_word(argc, argv, "PROFILE", &output, &target, &err))
		return emit_error(&err);
	if (str_starts(target, "sim:"))
		target += 4;
	if (profile_parse(target, &profile, &err) || drive_open_profile(&profile, &drive, &err))
		return emit_error(&err);
	if (output.json)
		show_json(&profile, drive, &out);
	else
		show_text(&profile, drive, &out);
	drive_close(drive);
	return emit_text(output.path, &out, &err) ? emit_error(&err) : 0;
}
