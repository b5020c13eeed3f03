/* A store of its own for each test, and a record that holds all there is. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "result/native_json.h"
#include "result/record.h"
#include "result/sample.h"
#include "store/store.h"
#include "unit.h"

struct bed {
	char folder[64], path[160];
	struct store *store;
};

static inline struct store *open_store(const char *path)
{
	struct store *store = NULL;
	struct err err = {0};

	if (store_open(path, STORE_WRITE, &store, &err))
		fail_msg("%s", err.text);
	return store;
}

static inline int bed_make(void **state)
{
	struct bed *bed = calloc(1, sizeof(*bed));

	/* In memory where there is such a place: a full sync of a busy disk takes a second. */
	(void)snprintf(bed->folder, sizeof(bed->folder), "%s/assay-store-%s",
		       access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
		       "XX"
		       "XX"
		       "XX");
	if (!mkdtemp(bed->folder))
		return -1;
	(void)snprintf(bed->path, sizeof(bed->path), "%s/a/b/results.db", bed->folder);
	bed->store = open_store(bed->path);
	*state = bed;
	return 0;
}

static inline int bed_clear(void **state)
{
	struct bed *bed = *state;
	char command[200];

	store_close(bed->store);
	(void)snprintf(command, sizeof(command), "rm -r %s", bed->folder);
	if (system(command))
		return -1;
	free(bed);
	return 0;
}

static inline void count_one(void *context, unsigned columns, const char *const *names,
			     const char *const *values)
{
	(void)columns, (void)names;
	if (values)
		*(long *)context = values[0] ? strtol(values[0], NULL, 10) : -1;
}

static inline long number(struct store *store, const char *sql)
{
	struct err err = {0};
	long value = -2;

	if (store_query(store, sql, count_one, &value, &err))
		fail_msg("%s", err.text);
	return value;
}

static inline void keep_first(void *context, unsigned columns, const char *const *names,
			      const char *const *values)
{
	char *text = context;

	(void)columns, (void)names;
	if (values && !*text)
		(void)snprintf(text, 100, "%s", values[0]);
}

static inline const char *first_text(struct store *store, const char *sql)
{
	static char text[100];
	struct err err = {0};

	text[0] = 0;
	if (store_query(store, sql, keep_first, text, &err))
		fail_msg("%s", err.text);
	return text;
}

/* One part with the sample, rated and with notes. */
struct live {
	struct sample sample;
	struct job_set set;
	struct record record;
};

static inline void live_init(struct live *live)
{
	sample_spoken(&live->sample, &live->set);
	sample_rate(&live->sample);
	sample_stall(&live->sample);
	sample_health(&live->sample);
	sample_vitals(&live->sample);
	result_plausibility(&live->sample.result);
	record_init(&live->record, "run");
	record_add_live(&live->record, NULL, NULL, 0, &live->sample.result, &live->set);
	live->record.program = "assay 0.1.0";
	record_settle(&live->record);
}

static inline void live_done(struct live *live)
{
	record_done(&live->record);
	sample_done(&live->sample);
	job_set_done(&live->set);
}

static inline void save(struct store *store, struct record *record)
{
	struct err err = {0};

	if (store_save(store, record, NULL, &err))
		fail_msg("%s", err.text);
}

static inline void load(struct store *store, int64_t run, struct record *record)
{
	struct err err = {0};

	if (store_load(store, run, STORE_WHOLE, record, &err))
		fail_msg("%s", err.text);
}
