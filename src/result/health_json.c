#include "result/health_json.h"

#include <errno.h>
#include <string.h>

#include "base/json.h"
#include "result/facts_fields.h"
#include "result/native_json_priv.h"
#include "result/native_json_read_priv.h"

static void add_reading(struct json *json, const char *key, const struct health *health)
{
	if (!health->at_unix_ns) {
		json_add_null(json, key);
		return;
	}
	json_open_object(json, key);
	json_add_fields(json, health_texts, health);
	if (health->passed == ANSWER_UNKNOWN)
		json_add_null(json, "passed");
	else
		json_add_bool(json, "passed", health->passed == ANSWER_YES);
	json_open_object(json, "values");
	for (unsigned f = 0; f < NHEALTH; f++)
		if (health_knows(health, (enum health_field)f))
			json_add_i64(json, health_fields[f].name, health->value[f]);
	json_close_object(json);
	json_close_object(json);
}

void health_json(struct json *json, const char *key, const struct health_facts *health,
		 unsigned count)
{
	json_open_array(json, key);
	for (unsigned i = 0; i < count; i++) {
		json_open_object(json, NULL);
		json_add_string(json, "device", health[i].device);
		add_reading(json, "before", &health[i].before);
		add_reading(json, "after", &health[i].after);
		json_close_object(json);
	}
	json_close_array(json);
}

void health_json_text(const struct health_facts *health, unsigned count, struct str *out)
{
	struct json json;

	json_init_compact(&json, out);
	health_json(&json, NULL, health, count);
}

/* --- reading --- */

static void read_reading(struct json_reader *reader, const json_t *drive, const char *key,
			 struct health *ret_health)
{
	const json_t *one = json_read_object(reader, drive, key), *values;
	const json_t *passed = json_object_get(one, "passed");

	health_init(ret_health, "");
	if (!one)
		return;
	json_read_fields(reader, one, health_texts, ret_health);
	if (json_is_boolean(passed))
		ret_health->passed = json_is_true(passed) ? ANSWER_YES : ANSWER_NO;
	values = json_read_object(reader, one, "values");
	for (unsigned f = 0; f < NHEALTH; f++)
		if (json_object_get(values, health_fields[f].name))
			ret_health->value[f] =
				json_read_i64(reader, values, health_fields[f].name);
}

void json_read_health(struct json_reader *reader, const json_t *array,
		      struct health_facts **ret_health, unsigned *ret_count)
{
	size_t count = json_array_size(array);
	struct health_facts *health =
		arena_array(reader->arena, struct health_facts, count + 1);

	for (size_t i = 0; i < count; i++) {
		const json_t *one = json_array_get(array, i);
		const char *device = json_read_text(reader, one, "device");

		health[i].device = device ? device : "";
		read_reading(reader, one, "before", &health[i].before);
		read_reading(reader, one, "after", &health[i].after);
	}
	*ret_health = health;
	*ret_count = (unsigned)count;
}

int health_json_parse(struct arena *arena, const char *text, struct health_facts **ret_health,
		      unsigned *ret_count, struct err *err)
{
	struct json_reader reader = {.arena = arena, .err = err};
	json_t *root = json_read_parse(text, strlen(text), err);

	*ret_health = NULL;
	*ret_count = 0;
	if (!root)
		return -EINVAL;
	json_read_health(&reader, root, ret_health, ret_count);
	json_decref(root);
	return reader.rc;
}
