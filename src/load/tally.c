#include "load/tally.h"

#include <string.h>

#include "base/assert.h"

static void lat_init(struct tally_lat *lat, struct arena *arena)
{
	lat->count = arena_array(arena, uint32_t, HIST_BUCKETS);
	lat->min_ns = UINT64_MAX;
}

static void tally_init(struct tally *tally, const struct tally_plan *plan, struct arena *arena)
{
	for (unsigned d = 0; d < NDIR; d++) {
		for (unsigned k = 0; k < NTALLY; k++) {
			/* a sync has no address and no queueing of its own: one figure */
			bool wanted = plan->dir[d] && plan->kind[k] &&
				      (d != DIR_SYNC || k == TALLY_TOTAL);

			if (wanted)
				lat_init(&tally->dir[d].lat[k], arena);
		}
	}
	if (plan->lateness)
		lat_init(&tally->lateness, arena);
}

void mailbox_init(struct mailbox *mailbox, const struct tally_plan *plan, struct arena *arena)
{
	atomic_init(&mailbox->sent, 0);
	atomic_init(&mailbox->taken, 0);
	atomic_init(&mailbox->through_row, 0);
	tally_init(&mailbox->tally[0], plan, arena);
	tally_init(&mailbox->tally[1], plan, arena);
}

static bool other_is_free(struct mailbox *mailbox, uint32_t sent)
{
	return atomic_load_explicit(&mailbox->taken, memory_order_acquire) == sent;
}

struct tally *mailbox_turn(struct mailbox *mailbox, uint64_t next_row)
{
	uint32_t sent = atomic_load_explicit(&mailbox->sent, memory_order_relaxed);
	struct tally *tally = &mailbox->tally[sent & 1];

	if (tally->used && other_is_free(mailbox, sent)) {
		atomic_store_explicit(&mailbox->sent, sent + 1, memory_order_release);
		tally = &mailbox->tally[(sent + 1) & 1];
		tally->row = next_row;
	} else if (tally->used) {
		tally->joined++;
		return tally; /* the collector must keep the row open that it began in */
	} else {
		tally->row = next_row;
	}
	atomic_store_explicit(&mailbox->through_row, next_row, memory_order_release);
	return tally;
}

bool mailbox_flush(struct mailbox *mailbox)
{
	uint32_t sent = atomic_load_explicit(&mailbox->sent, memory_order_relaxed);

	if (mailbox->tally[sent & 1].used) {
		if (!other_is_free(mailbox, sent))
			return false;
		mailbox->tally[sent & 1].last = true;
		atomic_store_explicit(&mailbox->sent, sent + 1, memory_order_release);
	}
	atomic_store_explicit(&mailbox->through_row, UINT64_MAX, memory_order_release);
	return true;
}

struct tally *mailbox_take(struct mailbox *mailbox)
{
	uint32_t taken = atomic_load_explicit(&mailbox->taken, memory_order_relaxed);

	if (atomic_load_explicit(&mailbox->sent, memory_order_acquire) == taken)
		return NULL;
	return &mailbox->tally[taken & 1];
}

static void lat_clear(struct tally_lat *lat)
{
	uint32_t *count = lat->count;

	if (!count)
		return;
	if (lat->total)
		memset(count, 0, HIST_BUCKETS * sizeof(*count));
	*lat = (struct tally_lat){.count = count, .min_ns = UINT64_MAX};
}

void tally_clear(struct tally *tally)
{
	struct tally kept = *tally;

	*tally = (struct tally){0};
	for (unsigned d = 0; d < NDIR; d++) {
		for (unsigned k = 0; k < NTALLY; k++) {
			tally->dir[d].lat[k] = kept.dir[d].lat[k];
			lat_clear(&tally->dir[d].lat[k]);
		}
	}
	tally->lateness = kept.lateness;
	lat_clear(&tally->lateness);
}

void mailbox_give_back(struct mailbox *mailbox, struct tally *tally)
{
	uint32_t taken = atomic_load_explicit(&mailbox->taken, memory_order_relaxed);

	assert(tally == &mailbox->tally[taken & 1]);
	tally_clear(tally);
	atomic_store_explicit(&mailbox->taken, taken + 1, memory_order_release);
}
