#include "cli/sides.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "cli/plan_side.h"
#include "result/import.h"
#include "store/store_plan.h"

#define FILE_MAX_BYTES (1ULL << 30)

void side_source_init(struct side_source *source, const char *store_path,
		      enum store_extent extent)
{
	*source = (struct side_source){.store_path = store_path, .extent = extent};
	arena_init(&source->arena);
}

void side_source_done(struct side_source *source)
{
	store_close(source->store);
	arena_done(&source->arena);
	*source = (struct side_source){0};
}

bool side_is_file(const char *name)
{
	return strpbrk(name, "/.") != NULL;
}

int side_store(struct side_source *source, enum store_mode mode, struct err *err)
{
	autostr place = {0};
	int rc = 0;

	if (source->store)
		return 0;
	if (!source->store_path)
		rc = store_default_path(&place, err);
	return rc ? rc
		  : store_open(source->store_path ? source->store_path : str_text(&place), mode,
			       &source->store, err);
}

static int load_file(struct side_source *source, const char *name, struct side *side,
		     struct err *err)
{
	struct record *records;
	autostr text = {0};
	unsigned count;
	int rc = file_read(name, FILE_MAX_BYTES, &text);

	if (rc)
		return err_env(err, rc, "cannot read \"%s\": %s", name, err_name(rc));
	rc = import_text(&source->arena, name, str_text(&text), text.length, &records, &count,
			 err);
	side->records = arena_array(&source->arena, struct record *, count + 1);
	for (unsigned i = 0; i < count; i++)
		side->records[side->count++] = &records[i];
	if (rc)
		err_context(err, "%s", name);
	return rc;
}

static int load_runs(struct side_source *source, const char *name, struct side *side,
		     struct err *err)
{
	int64_t *runs;
	unsigned count;
	int rc = side_store(source, STORE_READ, err);

	if (!rc)
		rc = store_find(source->store, name, &source->arena, &runs, &count, err);
	if (rc)
		return rc;
	side->records = arena_array(&source->arena, struct record *, count);
	for (unsigned i = 0; i < count && !rc; i++) {
		struct record *record = arena_new(&source->arena, struct record);

		rc = store_load(source->store, runs[i], source->extent, record, err);
		side->records[side->count++] = record;
	}
	return rc;
}

/* A store that is not there yet holds no tag: whoever needs it says so. */
static int plan_of_tag(struct side_source *source, const char *name, const char **ret_plan,
		       struct err *err)
{
	size_t length = strcspn(name, ":");
	const char *tag = arena_strndup(&source->arena, name, length);
	int64_t id;
	int rc = side_store(source, STORE_READ, NULL);

	if (rc)
		return 0;
	rc = store_plan_tagged(source->store, tag, &id, err);
	if (rc > 0)
		*ret_plan = arena_printf(&source->arena, "p%" PRId64 "%s", id, name + length);
	return rc < 0 ? rc : 0;
}

int side_plan(struct side_source *source, const char *name, const char **ret_plan,
	      struct err *err)
{
	*ret_plan = NULL;
	if (side_is_file(name))
		return 0;
	if (!plan_side_is_name(name))
		return plan_of_tag(source, name, ret_plan, err);
	*ret_plan = name;
	return side_store(source, STORE_READ, err);
}

int side_load(struct side_source *source, const char *name, struct side *ret_side,
	      struct err *err)
{
	const char *plan;
	int rc = side_plan(source, name, &plan, err);

	*ret_side = (struct side){.name = name};
	if (!rc && plan)
		rc = plan_side_load(source, plan, ret_side, err);
	else if (!rc)
		rc = side_is_file(name) ? load_file(source, name, ret_side, err)
					: load_runs(source, name, ret_side, err);
	if (rc)
		side_done(ret_side);
	return rc;
}

void side_done(struct side *side)
{
	for (unsigned i = 0; i < side->count; i++)
		record_done(side->records[i]);
	*side = (struct side){0};
}
