/* The vitals in the native JSON: a channel an array, null where a value is not known. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "result/native_json_priv.h"
#include "result/native_json_read_priv.h"

void native_json_vitals(struct json *json, const struct vitals *vitals)
{
	if (!vitals->nrows) {
		json_add_null(json, "vitals");
		return;
	}
	json_open_object(json, "vitals");
	json_add_u64(json, "step_ns", vitals->step_ns);
	json_open_array(json, "channels");
	for (unsigned c = 0; c < vitals->nchannels; c++) {
		const struct vital_channel *channel = &vitals->channels[c];
		const float *values = vitals->values + (size_t)c * vitals->nrows;
		autostr list = {0};

		json_open_object(json, NULL);
		json_add_string(json, "kind", vital_names[channel->kind]);
		json_add_string(json, "name", channel->name);
		json_add_string(json, "unit", vital_units[channel->kind]);
		for (unsigned i = 0; i < vitals->nrows; i++) {
			str_add(&list, i ? ", " : "[");
			if (isfinite(values[i]))
				str_printf(&list, "%.7g", (double)values[i]);
			else
				str_add(&list, "null");
		}
		str_add_char(&list, ']');
		json_add_raw(json, "values", str_text(&list)); /* one line, not one a value */
		json_close_object(json);
	}
	json_close_array(json);
	json_close_object(json);
}

static void read_channel(struct json_reader *reader, const json_t *object,
			 struct vitals *vitals, unsigned c)
{
	const json_t *values = json_read_array(reader, object, "values");
	struct vital_channel *channel = &vitals->channels[c];

	if (json_array_size(values) != vitals->nrows) {
		(void)json_read_fail(reader, "values", "has not the length of its neighbours");
		return;
	}
	channel->kind =
		(enum vital_kind)json_read_word(reader, object, "kind", vital_names, NVITAL);
	json_read_chars(reader, object, "name", channel->name, sizeof(channel->name));
	for (unsigned i = 0; i < vitals->nrows; i++) {
		const json_t *value = json_array_get(values, i);
		float *into = &vitals->values[(size_t)c * vitals->nrows + i];

		if (!json_is_number(value) && !json_is_null(value)) {
			(void)json_read_fail(reader, "values", "holds what is no number");
			return;
		}
		*into = json_is_null(value) ? (float)NAN : (float)json_number_value(value);
	}
}

void native_json_read_vitals(struct json_reader *reader, const json_t *root,
			     struct vitals *ret_vitals)
{
	const json_t *object = json_read_object(reader, root, "vitals");
	const json_t *channels = json_read_array(reader, object, "channels");
	size_t count = json_array_size(channels);
	struct vitals vitals = {.nchannels = (unsigned)count};

	if (!count || reader->rc)
		return;
	vitals.step_ns = json_read_u64(reader, object, "step_ns");
	vitals.nrows = (unsigned)json_array_size(
		json_object_get(json_array_get(channels, 0), "values"));
	if (count > VITALS_MAX || !vitals.step_ns) {
		(void)json_read_fail(reader, "vitals",
				     "has more channels than there are, or no step");
		return;
	}
	vitals.channels = arena_array(reader->arena, struct vital_channel, count);
	vitals.values = arena_array(reader->arena, float, count *vitals.nrows + 1);
	for (unsigned c = 0; c < vitals.nchannels && !reader->rc; c++)
		read_channel(reader, json_array_get(channels, c), &vitals, c);
	if (!reader->rc)
		*ret_vitals = vitals;
}
