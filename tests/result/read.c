/*
 * Reading what was written: by us, it comes back the same; by anybody, damaged in any one place, it
 * is a record that is written and read the same, or an error that says something. The places are
 * all there are, one after the other: no seeds.
 */
#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/file.h"
#include "result/import.h"
#include "result/native_json.h"
#include "result/native_json_read.h"
#include "result/record_json.h"

#include "sample.h"
#include "unit.h"

static void export_one(struct record *record, struct str *out)
{
	record_export_json(&(struct record_export){.records = &record, .count = 1}, "0.1.0",
			   out);
}

/* What we write we read, and write the same. */
static void assert_comes_back(struct record *record)
{
	autostr one = {0}, other = {0};
	struct record *back;
	struct arena arena;
	unsigned count;
	struct err err = {0};

	export_one(record, &one);
	arena_init(&arena);
	if (record_read_json(&arena, str_text(&one), one.length, &back, &count, &err))
		fail_msg("%s", err.text);
	assert_int_equal(count, 1);
	export_one(back, &other);
	assert_string_equal(str_text(&one), str_text(&other));
	record_done(back);
	arena_done(&arena);
}

/* Returns how many records came of it; `again`: they are written and read the same. */
static unsigned read_text(const char *text, size_t bytes, bool again)
{
	struct record *records;
	struct arena arena;
	struct err err = {0};
	unsigned count;
	int rc;

	arena_init(&arena);
	rc = import_text(&arena, "x", text, bytes, &records, &count, &err);
	if (rc)
		assert_string_not_equal(err.text, "");
	for (unsigned i = 0; i < count; i++) {
		if (!rc && again)
			assert_comes_back(&records[i]);
		record_done(&records[i]);
	}
	arena_done(&arena);
	return rc ? 0 : count;
}

static unsigned read_any(const char *text, size_t bytes)
{
	return read_text(text, bytes, true);
}

/* --- our own --- */

static void make_record(struct record *record, struct sample *s, struct job_set *set)
{
	static struct unfinished hung = {.op = OP_READ, .offset = 8192, .age_ns = NS_PER_S};
	static struct steady_result steady = {.attained = true, .samples = 5};
	static const struct simulated_facts drive = {.scale = 2, .temperature_mc = -5};

	sample_spoken(s, set);
	sample_stall(s);
	sample_vitals(s);
	sample_logs(s);
	s->jobs[0].first_error = (struct first_error){.code = 5, .op = OP_WRITE};
	s->jobs[0].error = 5;
	s->jobs[0].killed_by = 9;
	s->jobs[0].unfinished = &hung;
	s->jobs[0].nunfinished = 1;
	s->jobs[0].steady = &steady;
	s->result.facts.cpu.total_ns = 1;
	s->target.simulated = &drive;
	s->device.idle.at_ns = 1;
	result_plausibility(&s->result);
	record_init(record, "run");
	record_add_live(record, "mixed", "", 0, &s->result, set);
	record_add_tag(record, "new");
	record_add_remark(record, 1790000000 * NS_PER_S, "warm");
	record_settle(record);
}

static void what_is_written_comes_back(void **state)
{
	autostr text = {0}, again = {0};
	struct record record;
	struct job_set set, read_set;
	struct result result;
	struct sample s;
	struct err err = {0};

	(void)state;
	make_record(&record, &s, &set);
	assert_comes_back(&record);
	native_json(&s.result, "0.1.0", &text);
	if (native_json_read(str_text(&text), text.length, &read_set, &result, &err))
		fail_msg("%s", err.text);
	native_json(&result, "0.1.0", &again);
	assert_string_equal(str_text(&text), str_text(&again));
	result_done(&result);
	job_set_done(&read_set);
	record_done(&record);
	sample_done(&s);
	job_set_done(&set);
}

/* What may stand where `like` was. */
static json_t *nonsense(const json_t *like, unsigned n)
{
	if (n == 0)
		return json_is_string(like) ? json_integer(-1) : json_string("x");
	if (n == 1)
		return json_null(); /* which is as good as no member */
	if (json_is_array(like) || json_is_object(like))
		return json_is_array(like) ? json_object() : json_array();
	return json_is_integer(like) ? json_integer(-1) : json_real(1e300);
}
#define NONSENSE 3

struct damage {
	json_t *root;
	unsigned tried, read;
};

static void try_damaged(struct damage *damage)
{
	char *text = json_dumps(damage->root, JSON_COMPACT);

	assert_non_null(text);
	damage->read += read_text(text, strlen(text), damage->tried++ % 100 == 0) > 0;
	free(text);
}

/* The first two of an array stand for all. */
static void damage_all(struct damage *damage, json_t *at)
{
	const char *key;
	json_t *value;

	json_object_foreach(at, key, value)
	{
		json_t *kept = json_incref(value);

		for (unsigned n = 0; n < NONSENSE; n++) {
			json_object_set_new(at, key, nonsense(kept, n)); /* in its old place */
			try_damaged(damage);
		}
		json_object_set_new(at, key, kept);
		damage_all(damage, kept);
	}
	for (size_t i = 0; i < json_array_size(at) && i < 2; i++) {
		json_t *kept = json_incref(json_array_get(at, i));

		for (unsigned n = 0; n < NONSENSE; n++) {
			json_array_set_new(at, i, nonsense(kept, n));
			try_damaged(damage);
		}
		json_array_set_new(at, i, kept);
		damage_all(damage, kept);
	}
}

/* One bucket each is as good as a hundred, and two rows as ten: quicker. */
static void shorten(struct sample *s)
{
	for (unsigned i = 0; i < SAMPLE_WORKERS; i++) {
		for (enum dir dir = DIR_READ; dir <= DIR_WRITE; dir++) {
			struct dir_result *figures = &s->jobs[i].dir[dir];

			for (enum lat_kind kind = LAT_CLAT; kind < NLAT; kind++) {
				struct lat *lat = &figures->lat[kind];

				*lat->hist = (struct hist){0};
				hist_sums_init(&lat->sums);
				hist_add(lat->hist, NS_PER_MS, figures->ios);
				hist_sums_add(&lat->sums, NS_PER_MS, figures->ios);
			}
		}
	}
	s->result.nrows = 2;
}

static void a_damaged_export_is_a_record_or_an_error(void **state)
{
	autostr text = {0};
	struct damage damage = {0};
	struct record record;
	struct job_set set;
	struct sample s;

	(void)state;
	make_record(&record, &s, &set);
	shorten(&s);
	export_one(&record, &text);
	damage.root = json_loads(str_text(&text), 0, NULL);
	assert_non_null(damage.root);
	damage_all(&damage, damage.root);
	assert_true(damage.read > 0);
	assert_true(damage.read < damage.tried);
	json_decref(damage.root);
	record_done(&record);
	sample_done(&s);
	job_set_done(&set);
}

/* --- fio's --- */

typedef void each_file(const char *name, const struct str *text);

static void for_recorded(each_file *each)
{
	const char *data = getenv("TEST_DATA");
	autostr folder = {0};
	struct dirent *entry;
	unsigned seen = 0;
	DIR *dir;

	str_printf(&folder, "%s/fio-output", data ? data : "tests/data");
	dir = opendir(str_text(&folder));
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		autostr path = {0}, text = {0};

		if (!str_ends(entry->d_name, ".txt"))
			continue;
		str_printf(&path, "%s/%s", str_text(&folder), entry->d_name);
		assert_int_equal(file_read(str_text(&path), 1 << 22, &text), 0);
		each(entry->d_name, &text);
		seen++;
	}
	(void)closedir(dir);
	assert_true(seen > 10);
}

static void read_whole(const char *name, const struct str *text)
{
	if (!read_any(str_text(text), text->length))
		fail_msg("%s is not read", name);
}

static void what_fio_printed_is_read(void **state)
{
	(void)state;
	for_recorded(read_whole);
}

static unsigned damaged_texts;

/* Each line of the JSON, and each field of the terse line, is taken out or replaced. */
static void read_without(const struct str *text, size_t from, size_t to, const char *instead)
{
	autostr damaged = {0};

	str_add_bytes(&damaged, str_text(text), from);
	str_add(&damaged, instead);
	str_add(&damaged, str_text(text) + to);
	(void)read_text(str_text(&damaged), damaged.length, damaged_texts++ % 50 == 0);
}

static void damage_lines(const char *name, const struct str *text)
{
	const char *whole = str_text(text);

	if (!str_equal(name, "psync_read.txt"))
		return;
	for (size_t at = 0; whole[at];) {
		size_t end = at + strcspn(whole + at, "\n");
		size_t value = at + strcspn(whole + at, ":\n");

		read_without(text, at, end, "");
		if (value < end) {
			bool comma = whole[end - 1] == ',';

			read_without(text, value + 1, end, comma ? " \"x\"," : " \"x\"");
			read_without(text, value + 1, end, comma ? " -1," : " -1");
		}
		at = end + (whole[end] == '\n');
	}
}

static void damage_fields(const char *name, const struct str *text)
{
	const char *whole = str_text(text), *line = strstr(whole, ";fio-");
	autostr terse = {0};

	(void)name;
	if (!line)
		return;
	while (line > whole && line[-1] != '\n')
		line--;
	str_add_bytes(&terse, line, strcspn(line, "\n"));
	for (size_t at = 0; at < terse.length;) {
		size_t end = at + strcspn(terse.text + at, ";");

		read_without(&terse, at, end, "");
		read_without(&terse, at, end, "x");
		read_without(&terse, at, end, "-1");
		(void)read_text(terse.text, at, false); /* cut off here */
		at = end + 1;
	}
}

static void a_damaged_output_of_fio_is_a_record_or_an_error(void **state)
{
	(void)state;
	for_recorded(damage_lines);
	for_recorded(damage_fields);
}

static void what_is_no_result_is_an_error(void **state)
{
	static const char *const texts[] = {"",	    "{",       "{}",	   "[]",
					    "null", "{\"a\":", "hello",	   "{\"jobs\": 3}",
					    ";",    "3;fio-3", "\0\0\0\1", "{\"records\": {}}"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_int_equal(read_any(texts[i], strlen(texts[i])), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_comes_back),
		cmocka_unit_test(a_damaged_export_is_a_record_or_an_error),
		cmocka_unit_test(what_fio_printed_is_read),
		cmocka_unit_test(a_damaged_output_of_fio_is_a_record_or_an_error),
		cmocka_unit_test(what_is_no_result_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
