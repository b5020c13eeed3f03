/* assay results export, import, merge. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/emit.h"
#include "cli/results_priv.h"
#include "result/anonymous.h"
#include "result/record_json.h"

struct exported {
	struct side *sides;
	struct record **records;
	unsigned nsides, count;
};

static int gather(struct results *results, struct exported *all, struct err *err)
{
	struct arena *arena = &results->source.arena;
	unsigned total = 0;

	all->sides = arena_array(arena, struct side, results->nwords);
	for (; all->nsides < results->nwords; all->nsides++) {
		int rc = side_load(&results->source, results->words[all->nsides],
				   &all->sides[all->nsides], err);

		if (rc)
			return rc;
		total += all->sides[all->nsides].count;
	}
	all->records = arena_array(arena, struct record *, total + 1);
	for (unsigned i = 0; i < all->nsides; i++)
		for (unsigned k = 0; k < all->sides[i].count; k++)
			all->records[all->count++] = all->sides[i].records[k];
	return 0;
}

/* The names of whoever exports are no part of a result, and yet may stand in its texts. */
static int hide(struct results *results, struct str *text, struct err *err)
{
	const char *user = getenv("SUDO_USER") ? getenv("SUDO_USER") : getenv("USER");
	char host[256] = "";
	autostr salt = {0}, hidden = {0};
	int rc = side_store(&results->source, STORE_READ, err);

	if (!rc)
		rc = store_salt(results->source.store, &salt, err);
	if (rc)
		return rc;
	(void)gethostname(host, sizeof(host) - 1);
	rc = anonymous_json(text, &(const struct anonymous){str_text(&salt), host, user},
			    &hidden, err);
	str_clear(text);
	str_add_bytes(text, str_text(&hidden), hidden.length);
	return rc;
}

int results_export(struct results *results, struct err *err)
{
	struct exported all = {0};
	autostr out = {0};
	int rc = results->nwords ? 0 : err_input(err, "results export: which runs?");

	if (!rc)
		rc = gather(results, &all, err);
	if (!rc)
		record_export_json(all.records, all.count, ASSAY_VERSION, &out);
	if (!rc && results->anonymous)
		rc = hide(results, &out, err);
	if (!rc)
		rc = emit_text(results->output, &out, err);
	for (unsigned i = 0; i < all.nsides; i++)
		side_done(&all.sides[i]);
	return rc;
}

static int import_one(struct results *results, struct record *record, struct str *out,
		      struct err *err)
{
	bool known;
	int rc;

	if (results->tag)
		record_add_tag(record, results->tag);
	rc = store_save(results->source.store, record, &known, err);
	if (!rc)
		str_printf(out, "%s\t%s\t%s\n", record->id, known ? "known" : "new",
			   record->title ? record->title : "");
	return rc;
}

int results_import(struct results *results, struct err *err)
{
	autostr out = {0};
	int rc = results->nwords ? side_store(&results->source, STORE_WRITE, err)
				 : err_input(err, "results import: which files?");

	for (unsigned i = 0; i < results->nwords && !rc; i++) {
		struct side side;

		if (!side_is_file(results->words[i]))
			return err_input(err, "\"%s\" is no file's name (./%s is)",
					 results->words[i], results->words[i]);
		rc = side_load(&results->source, results->words[i], &side, err);
		for (unsigned k = 0; k < side.count && !rc; k++)
			rc = import_one(results, side.records[k], &out, err);
		side_done(&side);
	}
	return rc ? rc : emit_text(NULL, &out, err);
}

int results_merge(struct results *results, struct err *err)
{
	unsigned fresh, known;
	autostr out = {0};
	int rc;

	if (results->nwords != 1)
		return err_input(err, "results merge: one STORE, a file that assay made");
	rc = side_store(&results->source, STORE_WRITE, err);
	if (!rc)
		rc = store_merge(results->source.store, results->words[0], &fresh, &known, err);
	if (rc)
		return rc;
	str_printf(&out, "%u new, %u known already\n", fresh, known);
	return emit_text(NULL, &out, err);
}
