/* Records by the names that a user gives: ids, tags, @last, files of assay or of fio. */
#pragma once

#include "result/record.h"
#include "store/store.h"

/* What one argument stands for: a tag may be several runs, repetitions of one another. */
struct side {
	const char *name;
	struct record **records; /* each released by side_done */
	unsigned count;
};

struct side_source {
	const char *store_path; /* NULL: the default one */
	struct store *store;	/* opened when first needed */
	struct arena arena;
	enum store_extent extent;
};

void side_source_init(struct side_source *source, const char *store_path,
		      enum store_extent extent);
void side_source_done(struct side_source *source);

/* The plan that an argument stands for: "p4", "@plan", "p4:2" for its second target, and so a tag
 * that a plan carries. *ret_plan is NULL where it stands for something else. */
int side_plan(struct side_source *source, const char *name, const char **ret_plan,
	      struct err *err);
/* An argument with "/" or "." is a file, else a name of the store. */
bool side_is_file(const char *name);
int side_load(struct side_source *source, const char *name, struct side *ret_side,
	      struct err *err);
void side_done(struct side *side);
int side_store(struct side_source *source, enum store_mode mode, struct err *err);
