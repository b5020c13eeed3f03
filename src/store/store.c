#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/lang.h"
#include "store/store_place.h"
#include "store/store_priv.h"

/* "assy": what `file` and we know our databases by. */
#define APPLICATION_ID "1634956153"
#define BUSY_MS	       30000

/* Step N makes schema N + 1 out of schema N. */
static const char *const steps[] = {
#include "store/schema.inc"
	,
#include "store/schema_2.inc"
	,
#include "store/schema_3.inc"
	,
#include "store/schema_4.inc"
	,
#include "store/schema_5.inc"
	,
#include "store/schema_6.inc"
	,
#include "store/schema_7.inc"
	,
#include "store/schema_8.inc"
};
#define SCHEMA_VERSION ((int)ARRAY_SIZE(steps))

/* --- statements --- */

int store_error(struct store *store, const char *doing, struct err *err)
{
	int code = sqlite3_errcode(store->db), rc = -EIO;

	if (code == SQLITE_FULL)
		rc = -ENOSPC;
	if (code == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM)
		rc = -ENOMEM;
	return err_env(err, rc, "store \"%s\": %s: %s", store->path, doing,
		       sqlite3_errmsg(store->db));
}

int store_exec(struct store *store, const char *sql, struct err *err)
{
	if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return store_error(store, "writing", err);
	return 0;
}

static int bind_one(sqlite3_stmt *statement, int at, char kind, va_list *args)
{
	const struct str *blob;
	const char *text;
	double value;

	switch (kind) {
	case 'i':
		return sqlite3_bind_int64(statement, at, va_arg(*args, int64_t));
	case 'd':
		value = va_arg(*args, double);
		return isnan(value) ? sqlite3_bind_null(statement, at)
				    : sqlite3_bind_double(statement, at, value);
	case 't':
		text = va_arg(*args, const char *);
		return sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
	case 'b':
		blob = va_arg(*args, const struct str *);
		return sqlite3_bind_blob64(statement, at, blob->text, blob->length,
					   SQLITE_STATIC);
	}
	return SQLITE_MISUSE;
}

sqlite3_stmt *store_bind(struct store *store, enum statement which, struct err *err,
			 const char *kinds, ...)
{
	sqlite3_stmt **statement = &store->statement[which];
	int rc = SQLITE_OK;
	va_list args;

	if (!*statement &&
	    sqlite3_prepare_v3(store->db, statement_texts[which], -1, SQLITE_PREPARE_PERSISTENT,
			       statement, NULL) != SQLITE_OK) {
		(void)store_error(store, "reading", err);
		return NULL;
	}
	va_start(args, kinds);
	for (int i = 0; kinds[i] && rc == SQLITE_OK; i++)
		rc = bind_one(*statement, i + 1, kinds[i], &args);
	va_end(args);
	if (rc == SQLITE_OK)
		return *statement;
	(void)store_error(store, N_("a value"), err);
	return NULL;
}

void store_reset(sqlite3_stmt *statement)
{
	(void)sqlite3_reset(statement); /* repeats the error of the step, which was told */
	if (statement)			/* none: it could not be prepared */
		(void)sqlite3_clear_bindings(statement);
}

int store_step(struct store *store, sqlite3_stmt *statement, struct err *err)
{
	int rc;

	if (!statement)
		return err ? err->code : -EIO;
	rc = sqlite3_step(statement);
	if (rc == SQLITE_ROW)
		return 1;
	rc = rc == SQLITE_DONE ? 0 : store_error(store, "reading or writing", err);
	store_reset(statement);
	return rc;
}

int store_run_bound(struct store *store, sqlite3_stmt *statement, struct err *err)
{
	int rc = store_step(store, statement, err);

	if (rc > 0)
		store_reset(statement);
	return rc < 0 ? rc : 0;
}

int store_begin(struct store *store, struct err *err)
{
	return store_exec(store, "BEGIN IMMEDIATE", err);
}

int store_freeze(struct store *store, struct err *err)
{
	return sqlite3_get_autocommit(store->db) ? store_exec(store, "BEGIN", err) : 0;
}

int store_end(struct store *store, int rc, struct err *err)
{
	if (!rc)
		rc = store_exec(store, "COMMIT", err);
	if (rc)
		(void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	return rc;
}

const char *store_text(struct arena *arena, sqlite3_stmt *statement, int column)
{
	const unsigned char *text = sqlite3_column_text(statement, column);

	return text ? arena_strdup(arena, (const char *)text) : NULL;
}

/* --- opening --- */

static int get_number(struct store *store, const char *pragma, int64_t *ret_value,
		      struct err *err)
{
	sqlite3_stmt *statement;
	int rc = sqlite3_prepare_v2(store->db, pragma, -1, &statement, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(statement);
	if (rc == SQLITE_ROW)
		*ret_value = sqlite3_column_int64(statement, 0);
	else
		(void)store_error(store, "opening", err);
	(void)sqlite3_finalize(statement);
	return rc == SQLITE_ROW ? 0 : -EIO;
}

static int migrate(struct store *store, int64_t version, struct err *err)
{
	int rc = store_begin(store, err);
	char pragma[64];

	/* Another process may have done it while this one waited. */
	if (!rc)
		rc = get_number(store, "PRAGMA user_version", &version, err);
	for (; !rc && version < SCHEMA_VERSION; version++)
		rc = store_exec(store, steps[version], err);
	(void)snprintf(pragma, sizeof(pragma), "PRAGMA user_version = %d", SCHEMA_VERSION);
	if (!rc)
		rc = store_exec(store, pragma, err);
	if (!rc)
		rc = store_exec(store, "PRAGMA application_id = " APPLICATION_ID, err);
	if (!rc)
		rc = store_exec(store,
				"INSERT OR IGNORE INTO meta VALUES ('salt', "
				"lower(hex(randomblob(16))))",
				err);
	return store_end(store, rc, err);
}

static int check_schema(struct store *store, enum store_mode mode, struct err *err)
{
	int64_t version = 0, application = 0, tables = 0;
	int rc = get_number(store, "PRAGMA user_version", &version, err);

	if (!rc)
		rc = get_number(store, "PRAGMA application_id", &application, err);
	if (!rc)
		rc = get_number(store, "SELECT count(*) FROM sqlite_schema", &tables, err);
	if (rc)
		return rc;
	if (tables && application != strtoll(APPLICATION_ID, NULL, 10))
		return err_input(err,
				 "store \"%s\" is a database of another program; name another "
				 "file with --store=",
				 store->path);
	if (version > SCHEMA_VERSION)
		return err_input(
			err,
			"store \"%s\" was made by a newer assay (schema %lld, this one "
			"knows %d); use that one, or another --store=",
			store->path, (long long)version, SCHEMA_VERSION);
	if (version == SCHEMA_VERSION)
		return 0;
	if (mode == STORE_READ && !version)
		return err_input(err, "store \"%s\" is empty", store->path);
	return migrate(store, version, err);
}

static int open_database(struct store *store, enum store_mode mode, struct err *err)
{
	int flags = SQLITE_OPEN_READWRITE, rc;
	int64_t page_bytes = 0;

	/* Who only reads does so in one thread: each column that is asked for would take a lock. */
	if (mode == STORE_READ)
		flags |= SQLITE_OPEN_NOMUTEX;
	if (sqlite3_open_v2(store->path, &store->db, flags, NULL) != SQLITE_OK)
		return store_error(store, "opening", err);
	(void)sqlite3_extended_result_codes(store->db, 0);
	(void)sqlite3_busy_timeout(store->db, BUSY_MS);
	rc = store_exec(store,
			"PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
			"PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF",
			err);
	if (!rc)
		rc = check_schema(store, mode, err);
	if (!rc)
		rc = get_number(store, "PRAGMA page_size", &page_bytes, err);
	store->page_bytes = (uint64_t)page_bytes;
	return rc;
}

int store_open(const char *path, enum store_mode mode, struct store **ret_store,
	       struct err *err)
{
	struct store *store;
	int rc;

	if (mode == STORE_WRITE) {
		rc = store_place_make(path, err);
		if (rc)
			return rc;
	} else if (access(path, F_OK) < 0) {
		return err_env(
			err, -ENOENT,
			"there is no store \"%s\" yet: `assay run` and `assay quick` make "
			"it, --store= names another",
			path);
	}
	store = calloc(1, sizeof(*store));
	if (store) {
		store->going_fd = -1;
		store->path = strdup(path);
	}
	if (!store || !store->path) {
		free(store);
		return err_env(err, -ENOMEM, "no memory for the store");
	}
	rc = open_database(store, mode, err);
	if (rc) {
		store_close(store);
		return rc;
	}
	*ret_store = store;
	return 0;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	for (unsigned i = 0; i < NSTATEMENT; i++)
		(void)sqlite3_finalize(store->statement[i]);
	store_going_end(store);
	(void)sqlite3_close(store->db); /* nothing is open any more */
	free(store->path);
	free(store);
}

const char *store_path(const struct store *store)
{
	return store->path;
}

uint64_t store_written_bytes(const struct store *store)
{
	int pages = 0, highest = 0;

	(void)sqlite3_db_status(store->db, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &highest, 0);
	return (uint64_t)pages * store->page_bytes;
}

int store_salt(struct store *store, struct str *ret_salt, struct err *err)
{
	sqlite3_stmt *statement = store_bind(store, GET_META, err, "t", "salt");
	int rc = store_step(store, statement, err);

	if (rc <= 0)
		return rc ? rc : err_env(err, -EIO, "store \"%s\" has no salt", store->path);
	str_add(ret_salt, (const char *)sqlite3_column_text(statement, 0));
	store_reset(statement);
	return 0;
}
