/* The environment in a result: in its JSON and back, as a note, and made anonymous. */
#include "device/environment.h"

#include "base/lang.h"
#include "result/anonymous.h"
#include "result/native_json.h"
#include "result/native_json_read.h"
#include "result/result.h"
#include "result/sample.h"
#include "result/schema.h"

static void set_environment(struct sample *s, unsigned count)
{
	static const struct environment_entry all[] = {
		{.of = "host", .name = "load1", .before = "0.1", .after = "9.0", .moves = true},
		{.of = "host", .name = "kernel", .before = "6.1", .after = "6.1"},
		{.of = "sda", .name = "firmware"},
		{.of = "sda", .name = "scheduler", .before = "none", .after = "bfq"},
		{.of = "host", .name = "governor", .after = "powersave"},
		{.of = "/home/zoe", .name = "type", .before = "ext4"},
		{.of = "sda", .name = "nomerges", .before = "0", .after = "2"},
	};

	memcpy(s->environment, all, sizeof(all));
	s->result.facts.environment =
		(struct environment){.entries = s->environment, .count = count};
}

static unsigned count_notes(struct sample *s)
{
	unsigned count = 0;

	result_plausibility(&s->result);
	for (unsigned i = 0; i < s->result.nnotes; i++)
		count += str_equal(s->result.notes[i].id, "environment-changed");
	return count;
}

/* The one that has these words. */
static const char *note_with(const struct sample *s, const char *words)
{
	for (unsigned i = 0; i < s->result.nnotes; i++) {
		const struct note *note = &s->result.notes[i];

		if (str_equal(note->id, "environment-changed") && strstr(note->text, words))
			return note->text;
	}
	return NULL;
}

static void what_changed_is_a_note(void **state)
{
	struct sample s;

	(void)state;
	sample_init(&s);
	set_environment(&s, 3); /* the load moved, and an unknown stayed one */
	assert_int_equal(count_notes(&s), 0);
	sample_done(&s);
	sample_init(&s);
	set_environment(&s, 4);
	assert_int_equal(count_notes(&s), 1);
	assert_non_null(note_with(&s, "scheduler of sda was \"none\" and is \"bfq\"; what"));
	sample_done(&s);
}

static void each_change_is_a_note_of_its_own(void **state)
{
	static const char *const words[] = {
		"scheduler of sda was \"none\" and is \"bfq\"",
		"governor of host was \"unknown\" and is \"powersave\"",
		"type of /home/zoe was \"ext4\" and is \"unknown\"",
		": 1 more setting (see the JSON)"};
	struct sample s;

	(void)state;
	sample_init(&s);
	set_environment(&s, 7);
	assert_int_equal(count_notes(&s), 4);
	for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
		assert_non_null(note_with(&s, words[i]));
	sample_done(&s);
}

/* Nothing of the sentence stays English but what the system itself calls it. */
static void a_change_is_told_in_each_language(void **state)
{
	struct sample s;

	(void)state;
	sample_init(&s);
	set_environment(&s, 7);
	(void)count_notes(&s);
	for (unsigned i = 0; i < s.result.nnotes; i++) {
		const struct note *note = &s.result.notes[i];

		if (!str_equal(note->id, "environment-changed"))
			continue;
		for (enum lang lang = LANG_ZH; lang <= LANG_JA; lang++) {
			autostr said = {0};

			lang_say(lang, note->text, &said);
			assert_null(strstr(str_text(&said), " was "));
			assert_null(strstr(str_text(&said), " more "));
			assert_null(strstr(str_text(&said), "environment"));
		}
	}
	sample_done(&s);
}

static void text_of(const json_t *value, const char *text)
{
	if (text)
		assert_string_equal(json_string_value(value), text);
	else
		assert_true(json_is_null(value));
}

static void each_value_is_in_the_json_once(void **state)
{
	struct sample s;
	autostr out = {0};
	json_t *json, *all;
	json_error_t error;

	(void)state;
	sample_init(&s);
	set_environment(&s, 7);
	native_json(&s.result, "0.1.0", &out);
	json = json_loads(str_text(&out), JSON_REJECT_DUPLICATES, &error);
	assert_non_null(json);
	all = json_object_get(json, "environment");
	assert_int_equal(json_object_size(all), 3);
	for (unsigned i = 0; i < 7; i++) {
		const struct environment_entry *entry = &s.environment[i];
		const json_t *value =
			json_object_get(json_object_get(all, entry->of), entry->name);
		bool same = entry->before == entry->after;

		assert_int_equal(json_is_array(value), !same);
		text_of(same ? value : json_array_get(value, 0), entry->before);
		text_of(same ? value : json_array_get(value, 1), entry->after);
	}
	json_decref(json);
	sample_done(&s);
}

static void nobody_is_named_in_an_anonymous_one(void **state)
{
	static const char text[] =
		"{\"host\": {\"name\": \"lab7\"}, \"environment\": {\"host\": {\"name\": \"lab7\", "
		"\"cmdline\": \"root=UUID=01234567-89ab-cdef-0123-456789abcdef ip=lab7 "
		"disk=SER-42\"}, \"/home/zoe\": {\"source\": [\"/dev/mapper/vg-zoe\", null]}, "
		"\"sda\": {\"serial\": \"SER-42\", \"scheduler\": \"none\"}}, "
		"\"series\": {\"histogram\": \"AQ+/ab+/cd==\"}, "
		"\"target\": {\"path\": \"sim:nvme-enterprise\"}}";
	const struct anonymous who = {.salt = "salt", .host = "lab7", .user = "zoe"};
	static const char *const secrets[] = {"lab7", "zoe", "SER-42", "01234567-89ab"};
	autostr in = {0}, out = {0};
	struct err err = {0};

	(void)state;
	str_add(&in, text);
	assert_int_equal(anonymous_json(&in, &who, &out, &err), 0);
	for (unsigned i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++) {
		if (strstr(str_text(&out), secrets[i]))
			fail_msg("\"%s\" stands in %s", secrets[i], str_text(&out));
	}
	assert_non_null(strstr(str_text(&out), "\"scheduler\": \"none\""));
	assert_non_null(strstr(str_text(&out), "\"sda\""));
	assert_non_null(strstr(str_text(&out), "\"AQ+/ab+/cd==\""));
	assert_non_null(strstr(str_text(&out), "\"path\": \"sim:nvme-enterprise\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_changed_is_a_note),
		cmocka_unit_test(each_change_is_a_note_of_its_own),
		cmocka_unit_test(a_change_is_told_in_each_language),
		cmocka_unit_test(each_value_is_in_the_json_once),
		cmocka_unit_test(nobody_is_named_in_an_anonymous_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
