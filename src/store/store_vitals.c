/* Temperatures, power and CPU use of a part, in tables of their own. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/bits.h"
#include "store/store_priv.h"

/* What the monitor rounded to hundredths, as the nearest number that says so. */
static double decimal(float value)
{
	return round((double)value * 100) / 100;
}

/* Adds to what is there already; a run's first rows take the place of all. */
int store_save_vitals(struct store *store, int64_t part, const struct vitals *vitals,
		      struct err *err)
{
	bool anew = vitals->nrows && !vitals->first_row;
	int rc = anew ? store_run(store, CLEAR_VITALS, err, "i", part) : 0;

	for (unsigned c = 0; c < vitals->nchannels && !rc; c++) {
		const struct vital_channel *channel = &vitals->channels[c];
		const float *values = vitals->values + (size_t)c * vitals->nrows;

		rc = store_run(store, SAVE_VITAL_CHANNEL, err, "iitttii", part, (int64_t)c,
			       vital_names[channel->kind], channel->name,
			       vital_units[channel->kind], (int64_t)vitals->step_ns,
			       (int64_t)vitals->first_row + vitals->nrows);
		for (unsigned i = 0; i < vitals->nrows && !rc; i++)
			if (isfinite(values[i]))
				rc = store_run(store, SAVE_VITAL, err, "iiid", part, (int64_t)c,
					       (int64_t)vitals->first_row + i,
					       decimal(values[i]));
	}
	return rc;
}

int store_each_vital(struct store *store, int64_t run, store_vital_fn *each, void *context,
		     struct err *err)
{
	sqlite3_stmt *row = store_bind(store, EACH_VITAL, err, "i", run);
	int rc;

	while ((rc = store_step(store, row, err)) > 0) {
		const char *kind = (const char *)sqlite3_column_text(row, 0);
		uint64_t step_ns = (uint64_t)sqlite3_column_int64(row, 2);
		uint64_t number = (uint64_t)sqlite3_column_int64(row, 3);
		struct store_vital vital = {.name = (const char *)sqlite3_column_text(row, 1),
					    .begin_ns = number * step_ns,
					    .end_ns = (number + 1) * step_ns,
					    .value = sqlite3_column_double(row, 4)};

		while (vital.kind < NVITAL && !str_equal(kind, vital_names[vital.kind]))
			vital.kind++;
		if (vital.kind < NVITAL && vital.name)
			each(context, &vital);
	}
	return rc;
}

/* -EBADMSG: what stands there is none of ours. */
static int read_channel(sqlite3_stmt *row, struct vitals *vitals)
{
	const char *kind = (const char *)sqlite3_column_text(row, 1);
	const char *name = (const char *)sqlite3_column_text(row, 2);
	unsigned c = vitals->nchannels;
	int64_t step_ns = sqlite3_column_int64(row, 3), nrows = sqlite3_column_int64(row, 4);
	unsigned k = 0;

	while (k < NVITAL && !str_equal(kind, vital_names[k]))
		k++;
	if (c == VITALS_MAX || sqlite3_column_int64(row, 0) != c || k == NVITAL ||
	    step_ns <= 0 || nrows < 0 || nrows > INT32_MAX || !name ||
	    (c && nrows != vitals->nrows))
		return -EBADMSG;
	vitals->channels[c].kind = (enum vital_kind)k;
	(void)snprintf(vitals->channels[c].name, sizeof(vitals->channels[c].name), "%s", name);
	vitals->step_ns = (uint64_t)step_ns;
	vitals->nrows = (unsigned)nrows;
	vitals->nchannels++;
	return 0;
}

static int load_channels(struct store *store, int64_t part, struct arena *arena,
			 struct vitals *vitals, struct err *err)
{
	sqlite3_stmt *row = store_bind(store, LOAD_VITAL_CHANNELS, err, "i", part);
	int rc;

	while ((rc = store_step(store, row, err)) > 0) {
		if (!vitals->channels)
			vitals->channels = arena_array(arena, struct vital_channel, VITALS_MAX);
		rc = read_channel(row, vitals);
		if (!rc)
			continue;
		store_reset(row);
		break;
	}
	return rc;
}

int store_load_vitals(struct store *store, int64_t part, struct result *result, struct err *err)
{
	struct vitals vitals = {0};
	sqlite3_stmt *row;
	size_t count;
	int rc = load_channels(store, part, &result->arena, &vitals, err);

	count = (size_t)vitals.nchannels * vitals.nrows;
	if (rc || !count)
		return rc;
	vitals.values = arena_array(&result->arena, float, count);
	for (size_t i = 0; i < count; i++)
		vitals.values[i] = NAN;
	row = store_bind(store, LOAD_VITALS, err, "i", part);
	while ((rc = store_step(store, row, err)) > 0) {
		int64_t c = sqlite3_column_int64(row, 0), i = sqlite3_column_int64(row, 1);

		if (c < 0 || c >= vitals.nchannels || i < 0 || i >= vitals.nrows) {
			store_reset(row);
			return -EBADMSG;
		}
		vitals.values[(size_t)c * vitals.nrows + (size_t)i] =
			(float)sqlite3_column_double(row, 2);
	}
	if (!rc)
		result->vitals = vitals;
	return rc;
}
