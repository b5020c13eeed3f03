#include "result/facts.h"

void facts_environment_join(struct arena *arena, const struct environment *first,
			    const struct environment *last, struct environment *ret_joined)
{
	struct environment now = {
		.entries = arena_array(arena, struct environment_entry, last->count + 1UL),
		.count = last->count};

	*ret_joined = (struct environment){
		.entries = arena_array(arena, struct environment_entry, first->count + 1UL),
		.count = first->count};
	for (unsigned i = 0; i < first->count; i++)
		ret_joined->entries[i] = first->entries[i];
	for (unsigned i = 0; i < last->count; i++) {
		now.entries[i] = last->entries[i];
		now.entries[i].before = last->entries[i].after;
	}
	environment_update(arena, ret_joined, &now);
}
