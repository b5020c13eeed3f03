#include "report/fio_notes.h"

#include "job/options.h"

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
		json_add_string(json, key, text);
}

static void add_notes(struct json *json, const struct result *result)
{
	json_open_array(json, "notes");
	for (const struct job_note *note = result->set->notes; note; note = note->next) {
		if (note->kind == NOTE_ACCEPTED)
			continue;
		json_open_object(json, NULL);
		json_add_string(json, "id",
				note->kind == NOTE_CHANGED ? "option-changed" : "option");
		json_add_string(json, "severity", kind_name(note->kind));
		add_optional(json, "job", note->job);
		add_optional(json, "option", note->option);
		json_add_string(json, "text", note->text);
		json_close_object(json);
	}
	for (unsigned i = 0; i < result->nnotes; i++) {
		const struct note *note = &result->notes[i];

		json_open_object(json, NULL);
		json_add_string(json, "id", note->id);
		json_add_string(json, "severity", severity_name(note->severity));
		add_optional(json, "job", note->job);
		json_add_string(json, "text", note->text);
		json_close_object(json);
	}
	json_close_array(json);
}

static void add_accepted(struct json *json, const struct job_set *set)
{
	json_open_array(json, "accepted");
	for (const struct job_note *note = set->notes; note; note = note->next) {
		if (note->kind != NOTE_ACCEPTED)
			continue;
		json_open_object(json, NULL);
		add_optional(json, "job", note->job);
		add_optional(json, "option", note->option);
		json_add_string(json, "text", note->text);
		json_close_object(json);
	}
	json_close_array(json);
}

/* Every option of each job with the value that held, as "assay run --print" has it. */
static void add_effective(struct json *json, const struct job_set *set)
{
	json_open_array(json, "effective options");
	for (unsigned i = 0; i < set->njobs; i++) {
		const struct job_spec *spec = set->jobs[i];

		json_open_object(json, NULL);
		for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt)) {
			autostr value = {0};

			if (opt_is_cli(opt) || opt->deed != OPT_ACTS || !opt_is_set(opt, spec))
				continue;
			opt_format(opt, spec, NULL, &value);
			if (value.length)
				json_add_string(json, opt->name, str_text(&value));
		}
		json_close_object(json);
	}
	json_close_array(json);
}

void fio_notes_json(const struct fio_report *report, struct json *json)
{
	json_open_object(json, "assay");
	json_add_string(json, "version", report->assay_version);
	add_notes(json, report->result);
	add_accepted(json, report->result->set);
	add_effective(json, report->result->set);
	json_close_object(json);
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
