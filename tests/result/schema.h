/*
 * Just enough of JSON Schema (draft 2020-12) to hold our output to doc/result.schema.json. A
 * keyword that is not known here fails the test: nothing in the schema goes unchecked.
 */
#pragma once

#include <jansson.h>
#include <string.h>

#include "base/str.h"
#include "unit.h"

struct schema {
	const json_t *root;
	struct str where; /* of the first violation */
};

static inline const json_t *schema_deref(const struct schema *schema, const json_t *rule)
{
	const json_t *ref = json_object_get(rule, "$ref");

	if (!ref)
		return rule;
	assert_true(str_starts(json_string_value(ref), "#/$defs/"));
	rule = json_object_get(json_object_get(schema->root, "$defs"),
			       json_string_value(ref) + strlen("#/$defs/"));
	assert_non_null(rule);
	return rule;
}

static inline bool schema_type_is(const json_t *value, const char *type)
{
	if (str_equal(type, "null"))
		return json_is_null(value);
	if (str_equal(type, "boolean"))
		return json_is_boolean(value);
	if (str_equal(type, "integer"))
		return json_is_integer(value);
	if (str_equal(type, "number"))
		return json_is_number(value);
	if (str_equal(type, "string"))
		return json_is_string(value);
	if (str_equal(type, "array"))
		return json_is_array(value);
	assert_string_equal(type, "object");
	return json_is_object(value);
}

static inline bool schema_check(struct schema *schema, const json_t *rule, const json_t *value,
				const char *path);

static inline bool schema_type(const json_t *types, const json_t *value)
{
	const json_t *type;
	size_t i;

	if (json_is_string(types))
		return schema_type_is(value, json_string_value(types));
	json_array_foreach(
		types, i, type) if (schema_type_is(value, json_string_value(type))) return true;
	return false;
}

static inline bool schema_enum(const json_t *choices, const json_t *value)
{
	const json_t *choice;
	size_t i;

	json_array_foreach(choices, i, choice) if (json_equal(choice, value)) return true;
	return false;
}

static inline bool schema_any(struct schema *schema, const json_t *rules, const json_t *value,
			      const char *path)
{
	const json_t *rule;
	size_t i;

	json_array_foreach(rules, i, rule)
	{
		if (schema_check(schema, rule, value, path))
			return true;
	}
	return false;
}

/* Members against `properties` and, for others, `additionalProperties`. */
static inline bool schema_members(struct schema *schema, const json_t *rule, json_t *value,
				  const char *path)
{
	const json_t *properties = json_object_get(rule, "properties");
	const json_t *others = json_object_get(rule, "additionalProperties");
	const json_t *name;
	const char *key;
	json_t *member;
	size_t i;

	json_array_foreach(json_object_get(rule, "required"), i,
			   name) if (!json_object_get(value, json_string_value(name)))
	{
		str_printf(&schema->where, "%s lacks %s\n", path, json_string_value(name));
		return false;
	}
	json_object_foreach(value, key, member)
	{
		const json_t *its = json_object_get(properties, key);
		autostr below = {0};

		str_printf(&below, "%s.%s", path, key);
		its = its ? its : others;
		if (!its || json_is_false(its)) {
			str_printf(&schema->where, "%s is not in the schema\n",
				   str_text(&below));
			return false;
		}
		if (!schema_check(schema, its, member, str_text(&below)))
			return false;
	}
	return true;
}

static inline bool schema_items(struct schema *schema, const json_t *rule, const json_t *value,
				const char *path)
{
	const json_t *min = json_object_get(rule, "minItems"),
		     *max = json_object_get(rule, "maxItems"), *item;
	size_t i, count = json_array_size(value);

	if ((min && count < (size_t)json_integer_value(min)) ||
	    (max && count > (size_t)json_integer_value(max)))
		return false;
	json_array_foreach(value, i,
			   item) if (!schema_check(schema, json_object_get(rule, "items"), item,
						   path)) return false;
	return true;
}

static inline void schema_keywords_are_known(const json_t *rule)
{
	static const char *const known[] = {"$schema",	  "title",    "description",
					    "$defs",	  "$ref",     "anyOf",
					    "type",	  "enum",     "minimum",
					    "properties", "required", "additionalProperties",
					    "items",	  "minItems", "maxItems"};
	const char *key;
	json_t *ignored, *copy = json_copy((json_t *)(uintptr_t)rule);

	json_object_foreach(copy, key, ignored)
	{
		size_t i = 0;

		while (i < sizeof(known) / sizeof(*known) && !str_equal(known[i], key))
			i++;
		if (i == sizeof(known) / sizeof(*known))
			fail_msg("the schema's keyword %s is not checked here", key);
	}
	json_decref(copy);
}

static inline bool schema_check(struct schema *schema, const json_t *rule, const json_t *value,
				const char *path)
{
	const json_t *types, *choices, *any, *minimum;
	bool fits = true;

	rule = schema_deref(schema, rule);
	schema_keywords_are_known(rule);
	types = json_object_get(rule, "type");
	choices = json_object_get(rule, "enum");
	any = json_object_get(rule, "anyOf");
	minimum = json_object_get(rule, "minimum");
	if (types && !schema_type(types, value))
		fits = false;
	else if (choices && !schema_enum(choices, value))
		fits = false;
	else if (minimum && json_is_number(value) &&
		 json_number_value(value) < json_number_value(minimum))
		fits = false;
	if (!fits) {
		str_printf(&schema->where, "%s does not fit\n", path);
		return false;
	}
	if (any)
		return schema_any(schema, any, value, path);
	if (json_is_object(value))
		return schema_members(schema, rule, (json_t *)(uintptr_t)value, path);
	return !json_is_array(value) || schema_items(schema, rule, value, path);
}
