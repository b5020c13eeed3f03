#include "result/import.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/lang.h"
#include "result/import_priv.h"
#include "result/native_json_read_priv.h"
#include "result/record_json.h"

#define DOCUMENTS_MAX 10000
#define SAME_RUN_MS   1500 /* 2.x stamps whole seconds, and a worker starts a little later */

struct record_part *import_part(struct record *record, unsigned jobs_room)
{
	struct record_part *part = record_add_part(record, NULL, NULL, 0);

	job_set_init(part->set, FACE_FIO);
	result_init(part->result, part->set);
	part->result->jobs =
		arena_array(&part->result->arena, struct job_result, jobs_room + 1);
	return part;
}

struct job_result *import_clone(struct record_part *part, const struct job_result *of)
{
	struct result *result = part->result;
	struct job_result *job = &result->jobs[result->njobs];

	*job = (struct job_result){.spec = of->spec,
				   .name = of->name,
				   .clone = of->clone + 1,
				   .thread_number = result->njobs + 1,
				   .group = of->group,
				   .members = 1};
	result->njobs++;
	return job;
}

struct job_result *import_job(struct record_part *part, const char *name)
{
	struct result *result = part->result;
	struct job_result *job = &result->jobs[result->njobs];
	struct job_spec *spec = job_new(part->set, name);

	job_add_unchecked(part->set, spec);
	*job = (struct job_result){.spec = spec,
				   .name = arena_strdup(&result->arena, name),
				   .thread_number = result->njobs + 1,
				   .group = result->njobs,
				   .members = 1};
	result->njobs++;
	return job;
}

/* --- the scan --- */

/* -nan, inf and kin, outside of texts: how many characters, 0: none here. */
static size_t no_number(const char *text, const char *end)
{
	static const char *const words[] = {"nan", "infinity", "inf"};
	size_t sign = text < end && (*text == '-' || *text == '+');

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t length = strlen(words[i]);

		if ((size_t)(end - text) >= sign + length &&
		    strncasecmp(text + sign, words[i], length) == 0)
			return sign + length;
	}
	return 0;
}

/* From a "{" to its "}": the document with null for what is no number. Returns what follows it,
 * NULL where it does not end. */
static const char *cut(const char *at, const char *end, struct str *out)
{
	unsigned depth = 0;
	bool quoted = false;

	for (; at < end; at++) {
		size_t length = quoted ? 0 : no_number(at, end);

		if (length) {
			str_add(out, "null");
			at += length - 1;
			continue;
		}
		str_add_char(out, *at);
		if (quoted && *at == '\\' && at + 1 < end)
			str_add_char(out, *++at);
		else if (*at == '"')
			quoted = !quoted;
		else if (!quoted && *at == '{')
			depth++;
		else if (!quoted && *at == '}' && --depth == 0)
			return at + 1;
	}
	return NULL;
}

/* --- fio's documents --- */

static bool is_fio(const json_t *root)
{
	return json_is_object(root) && (json_is_array(json_object_get(root, "jobs")) ||
					json_is_array(json_object_get(root, "client_stats")));
}

struct scan {
	json_t *documents[DOCUMENTS_MAX];
	unsigned count, cut_off;
};

static void scan_text(struct scan *scan, const char *text, size_t bytes, struct err *err)
{
	const char *at = text, *end = text + bytes;

	while ((at = memchr(at, '{', (size_t)(end - at))) && scan->count < DOCUMENTS_MAX) {
		autostr document = {0};
		const char *rest = cut(at, end, &document);
		struct err own = {0};
		json_t *root;

		scan->cut_off += !rest && strstr(str_text(&document), "\"jobs\"") != NULL;
		root = rest ? json_read_parse(str_text(&document), document.length, &own)
			    : NULL;
		if (is_fio(root)) {
			scan->documents[scan->count++] = root;
		} else {
			json_decref(root);
			if (rest && !root && strstr(str_text(&document), "\"jobs\""))
				(void)err_copy(err, &own);
		}
		at = rest && root ? rest : at + 1;
	}
}

/* When the run of a document began, and how long it had run, in milliseconds. */
static int64_t begun_ms(const json_t *root, int64_t *ret_runtime_ms)
{
	static const char *const dirs[] = {"read", "write", "trim", "mixed"};
	const json_t *jobs = json_object_get(root, "jobs");
	int64_t at_ms = json_integer_value(json_object_get(root, "timestamp_ms"));

	*ret_runtime_ms = 0;
	for (size_t i = 0; i < json_array_size(jobs); i++)
		for (size_t k = 0; k < ARRAY_SIZE(dirs); k++) {
			const json_t *dir = json_object_get(json_array_get(jobs, i), dirs[k]);
			int64_t ms = json_integer_value(json_object_get(dir, "runtime"));

			*ret_runtime_ms = ms > *ret_runtime_ms ? ms : *ret_runtime_ms;
		}
	return (at_ms ? at_ms : 1000 * json_integer_value(json_object_get(root, "timestamp"))) -
	       *ret_runtime_ms;
}

/* Two documents of one run (status-interval): the same jobs with the same beginning, later.
 * Their figures are sums since the start, so the last one says it all. */
static bool goes_on(const json_t *before, const json_t *after)
{
	const json_t *a = json_object_get(before, "jobs"), *b = json_object_get(after, "jobs");
	int64_t ran_a, ran_b, apart = begun_ms(before, &ran_a) - begun_ms(after, &ran_b);

	if (!a || json_array_size(a) != json_array_size(b) || ran_b < ran_a ||
	    apart > SAME_RUN_MS || apart < -SAME_RUN_MS)
		return false;
	for (size_t i = 0; i < json_array_size(a); i++) {
		const json_t *one = json_array_get(a, i), *other = json_array_get(b, i);

		if (!json_equal(json_object_get(one, "jobname"),
				json_object_get(other, "jobname")) ||
		    !json_equal(json_object_get(one, "groupid"),
				json_object_get(other, "groupid")))
			return false;
	}
	return true;
}

static int import_document(struct scan *scan, unsigned i, unsigned skipped,
			   struct record *record, struct err *err)
{
	char *text = json_dumps(scan->documents[i], JSON_COMPACT | JSON_SORT_KEYS);
	int rc;

	record_init(record, "fio json");
	record_uid_of_text(record, text ? text : "", text ? strlen(text) : 0);
	free(text);
	rc = import_fio(record, scan->documents[i], err);
	if (!rc && skipped)
		result_note(
			record->parts[0].result, "status-interval", SEVERITY_INFO, NULL,
			PLURAL(skipped,
			       "%u earlier document of this run was left out: fio's figures "
			       "are sums since the start, and so is each maximum",
			       "%u earlier documents of this run were left out: fio's "
			       "figures are sums since the start, and so is each maximum"),
			skipped);
	if (!rc)
		record_settle(record);
	return rc;
}

static int import_documents(struct arena *arena, struct scan *scan, struct record **ret_records,
			    unsigned *ret_count, struct err *err)
{
	unsigned skipped = 0;
	int rc = 0;

	*ret_records = arena_array(arena, struct record, scan->count);
	for (unsigned i = 0; i < scan->count && !rc; i++) {
		if (i + 1 < scan->count &&
		    goes_on(scan->documents[i], scan->documents[i + 1])) {
			skipped++;
			continue;
		}
		rc = import_document(scan, i, skipped, &(*ret_records)[(*ret_count)++], err);
		skipped = 0;
	}
	return rc;
}

static int import_lines(struct arena *arena, const char *text, struct record **ret_records,
			unsigned *ret_count, struct err *err)
{
	struct record *record = arena_new(arena, struct record);
	unsigned lines = 0;
	int rc;

	record_init(record, "fio terse");
	record_uid_of_text(record, text, strlen(text));
	rc = import_terse(record, text, &lines, err);
	if (!rc && !lines) {
		record_done(record);
		return err_input(err,
				 "neither JSON of assay or fio nor fio's terse lines (v3 to "
				 "v5) were found");
	}
	*ret_records = record;
	*ret_count = 1;
	if (!rc)
		record_settle(record);
	return rc;
}

static int import_others(struct arena *arena, const char *text, size_t bytes,
			 struct record **ret_records, unsigned *ret_count, struct err *err)
{
	struct scan *scan = calloc(1, sizeof(*scan));
	struct err own = {0};
	int rc;

	if (!scan)
		return err_env(err, -ENOMEM, "no memory to read documents");
	scan_text(scan, text, bytes, &own);
	if (scan->count)
		rc = import_documents(arena, scan, ret_records, ret_count, err);
	else if (own.text[0])
		rc = err_copy(err, &own);
	else if (scan->cut_off)
		rc = err_input(err, "fio's JSON is cut off: it has no end");
	else
		rc = import_lines(arena, text, ret_records, ret_count, err);
	for (unsigned i = 0; i < scan->count; i++)
		json_decref(scan->documents[i]);
	free(scan);
	return rc;
}

/* NOLINTNEXTLINE(readability-function-size): a text is three of the seven */
int import_text(struct arena *arena, const char *name, const char *text, size_t bytes,
		struct record **ret_records, unsigned *ret_count, struct err *err)
{
	const char *at = text;
	int rc;

	*ret_records = NULL;
	*ret_count = 0;
	while (isspace((unsigned char)*at))
		at++;
	if (*at == '{' && strstr(text, "\"schema_version\""))
		return record_read_json(arena, text, bytes, ret_records, ret_count, err);
	rc = import_others(arena, text, bytes, ret_records, ret_count, err);
	for (unsigned i = 0; i < *ret_count; i++)
		if (!rc && !(*ret_records)[i].started_unix_ns)
			(*ret_records)[i].title =
				arena_printf(&(*ret_records)[i].arena, "%s (%s)",
					     (*ret_records)[i].title, name);
	return rc;
}
