/* The page that says what a plan will do, before it does it. */
#pragma once

#include "plan/estimate.h"
#include "plan/execute.h"
#include "report/document.h"
#include "store/store.h"

struct plan_outlook {
	const struct plan *plan;
	const struct plan_spec *spec; /* NULL none */
	const struct plan_drive *drives;
	unsigned ndrives, scale, repetitions;
	struct store *store;	    /* for rates of earlier runs; NULL none */
	uint64_t max_write_bytes;   /* 0: no limit */
	const char *destroy;	    /* what was consented to; NULL nothing */
	bool parallel;		    /* all drives at once */
	bool holds_devices;	    /* the caller has them for itself */
	struct plan_speeds *speeds; /* of each drive, filled in; NULL: nobody asks */
};

/* plan_rates.c */
void plan_rates_find(const struct plan_outlook *outlook, const char *path,
		     struct plan_speeds *ret_speeds);

/* Reads each target for a second where nothing else tells how fast it is. */
void plan_estimate_page(struct document *doc, const struct plan_outlook *outlook);

/* The same numbers for programs: one object, "assay estimate 1". */
void plan_estimate_json(const struct plan_outlook *outlook, struct str *out);

/* Does any step write? */
bool plan_writes(const struct plan *plan);
