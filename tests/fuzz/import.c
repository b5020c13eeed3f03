/* Any text as a file to import: records that render and are read back the same, or an error. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "result/import.h"
#include "result/record_json.h"

static void again(struct record *record)
{
	autostr one = {0}, other = {0};
	struct record *back;
	struct arena arena;
	unsigned count;
	struct err err = {0};

	record_export_json(&(struct record_export){.records = &record, .count = 1}, "fuzz",
			   &one);
	arena_init(&arena);
	if (record_read_json(&arena, str_text(&one), one.length, &back, &count, &err))
		abort(); /* what we write we read */
	record_export_json(&(struct record_export){.records = &back, .count = 1}, "fuzz",
			   &other);
	if (strcmp(str_text(&one), str_text(&other)) != 0)
		abort();
	record_done(back);
	arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct record *records;
	struct arena arena;
	struct err err = {0};
	autostr text = {0};
	unsigned count;
	int rc;

	str_add_bytes(&text, (const char *)data, bytes);
	arena_init(&arena);
	rc = import_text(&arena, "fuzz", str_text(&text), text.length, &records, &count, &err);
	if (rc && !err.text[0])
		abort(); /* an error that says nothing */
	for (unsigned i = 0; i < count; i++) {
		if (!rc)
			again(&records[i]);
		record_done(&records[i]);
	}
	arena_done(&arena);
	return 0;
}
