/* Questions to the store, and what people do with its runs. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/unit.h"
#include "store/store_priv.h"

/* --- names --- */

int store_collect(struct store *store, sqlite3_stmt *statement, struct arena *arena,
		  int64_t **ret_runs, unsigned *ret_count, struct err *err)
{
	unsigned room = 0, count = 0;
	int64_t *runs = NULL;
	int rc;

	while ((rc = store_step(store, statement, err)) > 0) {
		if (count == room) {
			int64_t *wider = arena_array(arena, int64_t, room ? 2 * room : 16);

			if (count)
				memcpy(wider, runs, count * sizeof(*runs));
			room = room ? 2 * room : 16;
			runs = wider;
		}
		runs[count++] = sqlite3_column_int64(statement, 0);
	}
	if (rc)
		return rc;
	*ret_runs = runs;
	*ret_count = count;
	return 0;
}

/* "@last", "@last~2". */
static bool parse_last(const char *name, uint64_t *ret_back)
{
	*ret_back = 0;
	if (!str_starts(name, "@last"))
		return false;
	name += strlen("@last");
	return !*name || (*name == '~' && !unit_parse_count(name + 1, ret_back, NULL));
}

static bool parse_id(const char *name, uint64_t *ret_id)
{
	return name[0] == 'r' && isdigit((unsigned char)name[1]) &&
	       !unit_parse_count(name + 1, ret_id, NULL) && *ret_id <= INT64_MAX;
}

int store_find(struct store *store, const char *name, struct arena *arena, int64_t **ret_runs,
	       unsigned *ret_count, struct err *err)
{
	sqlite3_stmt *statement;
	uint64_t number;
	int rc;

	if (parse_last(name, &number))
		statement = store_bind(store, FIND_LAST, err, "i", (int64_t)number);
	else if (parse_id(name, &number))
		statement = store_bind(store, FIND_RUN, err, "i", (int64_t)number);
	else
		statement = store_bind(store, FIND_TAG, err, "t", name);
	if (!statement)
		return err ? err->code : -EIO;
	rc = store_collect(store, statement, arena, ret_runs, ret_count, err);
	if (!rc && !*ret_count)
		rc = err_input(
			err,
			"\"%s\" is no run, no tag and no @last in \"%s\" (`assay results "
			"list` shows them; a file's name has a \"/\" or a \".\")",
			name, store->path);
	return rc;
}

/* --- lists --- */

int store_list(struct store *store, const struct store_filter *filter, store_entry_fn *each,
	       void *context, struct err *err)
{
	sqlite3_stmt *row =
		store_bind(store, LIST_RUNS, err, "tti", filter->tag, filter->target,
			   filter->limit ? (int64_t)filter->limit : INT64_C(-1));
	int rc;

	while ((rc = store_step(store, row, err)) > 0) {
		struct store_entry entry = {
			.run = sqlite3_column_int64(row, 0),
			.started_unix_ns = (uint64_t)sqlite3_column_int64(row, 1),
			.span_ns = (uint64_t)sqlite3_column_int64(row, 2),
			.kind = (const char *)sqlite3_column_text(row, 3),
			.title = (const char *)sqlite3_column_text(row, 4),
			.device = (const char *)sqlite3_column_text(row, 5),
			.host = (const char *)sqlite3_column_text(row, 6),
			.tags = (const char *)sqlite3_column_text(row, 7),
			.cells = (unsigned)sqlite3_column_int64(row, 8),
			.ios_per_s = sqlite3_column_double(row, 9),
			.bytes_per_s = sqlite3_column_double(row, 10),
			.first_name = (const char *)sqlite3_column_text(row, 11),
			.things = (unsigned)sqlite3_column_int64(row, 12),
			.cut_off = sqlite3_column_int(row, 13) != 0,
			.incomplete = (const char *)sqlite3_column_text(row, 14),
		};

		entry.goes_on = entry.cut_off && store_goes_on(store, entry.run);
		each(context, &entry);
	}
	return rc;
}

/* --- what people do --- */

/* A tag must not look like anything else that stands for a run. */
int store_check_tag(const char *tag, struct err *err)
{
	uint64_t number;

	if (!*tag || strpbrk(tag, "/.@, \t\n") || parse_id(tag, &number) ||
	    (tag[0] == 'p' && isdigit((unsigned char)tag[1])))
		return err_input(
			err,
			"\"%s\" cannot be a tag: no \"/\", \".\", \"@\", comma or space, "
			"and not like r17 or p4",
			tag);
	return 0;
}

int store_tag(struct store *store, int64_t run, const char *tag, bool on, struct err *err)
{
	int rc = on ? store_check_tag(tag, err) : 0;

	if (!rc)
		rc = store_run(store, on ? SAVE_TAG : REMOVE_TAG, err, "ti", tag, run);
	if (!rc && !on && !sqlite3_changes(store->db))
		rc = err_input(err, "r%" PRId64 " has no tag \"%s\"", run, tag);
	return rc;
}

int store_remark(struct store *store, int64_t run, uint64_t unix_ns, const char *text,
		 struct err *err)
{
	return store_run(store, SAVE_REMARK, err, "iit", run, (int64_t)unix_ns, text);
}

int store_remove(struct store *store, int64_t run, struct err *err)
{
	return store_run(store, REMOVE_RUN, err, "i", run);
}

int store_forget(struct store *store, const char *uid, struct err *err)
{
	return store_run(store, FORGET_RUN, err, "t", uid);
}

/* --- queries of people --- */

static int each_row(struct store *store, sqlite3_stmt *statement, store_row_fn *each,
		    void *context, struct err *err)
{
	unsigned columns = (unsigned)sqlite3_column_count(statement);
	const char **names = calloc(2 * (size_t)columns + 1, sizeof(*names));
	const char **values = names + columns;
	int rc;

	if (!names)
		return err_env(err, -ENOMEM, "no memory for %u columns", columns);
	for (unsigned i = 0; i < columns; i++)
		names[i] = sqlite3_column_name(statement, (int)i);
	each(context, columns, names, NULL);
	while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
		for (unsigned i = 0; i < columns; i++)
			values[i] = (const char *)sqlite3_column_text(statement, (int)i);
		each(context, columns, names, values);
	}
	free(names);
	return rc == SQLITE_DONE ? 0 : store_error(store, N_("the query"), err);
}

/* What a query may do: look at tables and call functions; pragmas without a new value. */
static int authorize(void *context, int action, const char *one, const char *two,
		     const char *database, const char *trigger)
{
	(void)context, (void)one, (void)database, (void)trigger;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_FUNCTION:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_PRAGMA:
		return two ? SQLITE_DENY : SQLITE_OK;
	default:
		return SQLITE_DENY;
	}
}

int store_query(struct store *store, const char *sql, store_row_fn *each, void *context,
		struct err *err)
{
	sqlite3_stmt *statement = NULL;
	const char *rest = NULL;
	int rc;

	/* The file is opened for writing (WAL needs it); this query is not to. */
	(void)sqlite3_set_authorizer(store->db, authorize, NULL);
	if (sqlite3_prepare_v2(store->db, sql, -1, &statement, &rest) != SQLITE_OK)
		rc = err_input(
			err,
			sqlite3_errcode(store->db) == SQLITE_AUTH
				? N_("sql: %s: only queries that read are taken; the other "
				     "commands of `assay results` change things")
				: "sql: %s",
			sqlite3_errmsg(store->db));
	else if (!statement)
		rc = err_input(err, "sql: there is no query in \"%s\"", sql);
	else if (rest && strspn(rest, " \t\n;") != strlen(rest))
		rc = err_input(err, "sql: one query at a time");
	else
		rc = each_row(store, statement, each, context, err);
	(void)sqlite3_finalize(statement);
	(void)sqlite3_set_authorizer(store->db, NULL, NULL);
	return rc;
}
