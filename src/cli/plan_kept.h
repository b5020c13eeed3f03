/* A plan out of the store: what it was, how far it came, what it found. */
#pragma once

#include "cli/plan_page.h"
#include "store/store_plan.h"

struct plan_kept {
	struct plan_record record;
	struct plan plan; /* read again from the text that was kept */
	struct plan_journal journal;
	struct plan_spec spec;
	const struct plan_spec *sheet; /* &spec, or NULL: there was none */
	struct plan_around around;
};

/* Runs that were removed since leave it empty. */
void plan_around_load(struct plan_around *around, struct store *store,
		      const struct plan_journal *journal);
void plan_around_done(struct plan_around *around);

/* plan_vitals.c: of the runs that are still there; a page is bounded, however long they took. */
void plan_vitals_load(struct plan_vitals *vitals, struct store *store,
		      const struct plan_journal *journal);
void plan_vitals_done(struct plan_vitals *vitals);

/* The caller's to release also after an error. */
int plan_kept_load(struct plan_kept *ret_kept, struct store *store, const char *name,
		   struct err *err);
void plan_kept_done(struct plan_kept *kept);
/* Can what was read from elsewhere be shown: is the plan's text one, and its journal of it? */
int plan_kept_check(const struct plan_record *record, struct err *err);

static inline struct plan_view plan_kept_view(const struct plan_kept *kept)
{
	return (struct plan_view){.plan = &kept->plan,
				  .record = &kept->record,
				  .journal = &kept->journal,
				  .spec = kept->sheet,
				  .around = &kept->around};
}
