#include "report/fio_notes.h"

#include "base/bits.h"

static const char *severity_name(enum severity severity)
{
	return severity == SEVERITY_WARNING ? "warning" : "info";
}

static const char *kind_name(enum note_kind kind)
{
	switch (kind) {
	case NOTE_ACCEPTED:
		return "accepted";
	case NOTE_CHANGED:
		return "changed";
	case NOTE_WARNING:
		return "warning";
	}
	return "";
}

static void add_optional(struct json *json, const char *key, const char *text)
{
	if (text)
		json_string(json, key, text);
}

static void add_notes(struct json *json, const struct result *result)
{
	json_array(json, "notes");
	for (const struct job_note *note = result->set->notes; note; note = note->next) {
		if (note->kind == NOTE_ACCEPTED)
			continue;
		json_object(json, NULL);
		json_string(json, "id",
			    note->kind == NOTE_CHANGED ? "option-changed" : "option");
		json_string(json, "severity", kind_name(note->kind));
		add_optional(json, "job", note->job);
		add_optional(json, "option", note->option);
		json_string(json, "text", note->text);
		json_object_end(json);
	}
	for (unsigned i = 0; i < result->nnotes; i++) {
		const struct note *note = &result->notes[i];

		json_object(json, NULL);
		json_string(json, "id", note->id);
		json_string(json, "severity", severity_name(note->severity));
		add_optional(json, "job", note->job);
		json_string(json, "text", note->text);
		json_object_end(json);
	}
	json_array_end(json);
}

static void add_accepted(struct json *json, const struct job_set *set)
{
	json_array(json, "accepted");
	for (const struct job_note *note = set->notes; note; note = note->next) {
		if (note->kind != NOTE_ACCEPTED)
			continue;
		json_object(json, NULL);
		add_optional(json, "job", note->job);
		add_optional(json, "option", note->option);
		json_string(json, "text", note->text);
		json_object_end(json);
	}
	json_array_end(json);
}

/* A list of keys without repeats; options are few. */
struct keys {
	const char *key[256];
	unsigned count;
};

static void keys_add(struct keys *keys, const char *key)
{
	for (unsigned i = 0; i < keys->count; i++)
		if (str_equal(keys->key[i], key))
			return;
	if (keys->count < ARRAY_SIZE(keys->key))
		keys->key[keys->count++] = key;
}

/* The effective value of each option that the user gave, or that we changed. */
static void add_effective(struct json *json, const struct fio_report *report)
{
	const struct job_set *set = report->result->set;

	json_array(json, "effective options");
	for (unsigned i = 0; i < set->njobs; i++) {
		const struct job_spec *spec = set->jobs[i];
		struct keys keys = {.count = 0};

		for (unsigned k = 0; k < set->nglobal; k++)
			keys_add(&keys, set->global[k].key);
		for (unsigned k = 0; k < spec->ngiven; k++)
			keys_add(&keys, spec->given[k].key);
		for (const struct job_note *note = set->notes; note; note = note->next)
			if (note->kind == NOTE_CHANGED && note->option &&
			    (!note->job || str_equal(note->job, spec->name)))
				keys_add(&keys, note->option);
		json_object(json, NULL);
		for (unsigned k = 0; k < keys.count; k++) {
			autostr value = {0};

			report->format_option(spec, keys.key[k], &value);
			json_string(json, keys.key[k], str_text(&value));
		}
		json_object_end(json);
	}
	json_array_end(json);
}

void fio_notes_json(const struct fio_report *report, struct json *json)
{
	json_object(json, "assay");
	json_string(json, "version", report->assay_version);
	add_notes(json, report->result);
	add_accepted(json, report->result->set);
	if (report->format_option)
		add_effective(json, report);
	json_object_end(json);
}

static void add_line(struct str *out, const char *job, const char *option, const char *text)
{
	str_add(out, "assay: ");
	if (job)
		str_printf(out, "%s: ", job);
	if (option)
		str_printf(out, "%s: ", option);
	str_printf(out, "%s\n", text);
}

void fio_notes_text(const struct fio_report *report, struct str *out)
{
	const struct result *result = report->result;

	for (const struct job_note *note = result->set->notes; note; note = note->next)
		add_line(out, note->job, note->option, note->text);
	for (unsigned i = 0; i < result->nnotes; i++)
		add_line(out, result->notes[i].job, NULL, result->notes[i].text);
}
