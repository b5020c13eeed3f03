/* The ring between a worker and its log: order, bounds, and what is dropped is counted. */
#include "unit.h"

#include "base/thread.h"
#include "load/capture.h"

#define ENTRIES 1024

static struct capture_entry numbered(uint64_t number)
{
	return (struct capture_entry){.done_ticks = number,
				      .offset = ~number,
				      .packed = capture_pack(number, 3, OP_TRIM)};
}

static void add(struct capture *capture, uint64_t number)
{
	struct capture_entry *entry = capture_slot(capture, 1);

	if (!entry)
		return;
	*entry = numbered(number);
	capture_commit(capture);
}

static void what_goes_in_comes_out_in_order(void **state)
{
	struct capture_entry taken[300];
	struct arena arena;
	struct capture *capture;
	uint64_t in = 0, out = 0;

	(void)state;
	arena_init_shared(&arena);
	capture = capture_new(&arena, ENTRIES);
	for (unsigned round = 0; round < 100; round++) { /* often around the ring */
		unsigned count;

		for (unsigned i = 0; i < 250; i++)
			add(capture, in++);
		count = capture_take(capture, taken, 1 + round * 7 % 300);
		for (unsigned i = 0; i < count; i++, out++) {
			assert_int_equal(taken[i].done_ticks, out);
			assert_int_equal(taken[i].offset, ~out);
			assert_int_equal(capture_op(&taken[i]), OP_TRIM);
		}
		while (capture_waiting(capture) > ENTRIES / 2)
			out += capture_take(capture, taken, 300);
	}
	assert_int_equal(capture_lost(capture), 0);
	assert_int_equal(capture_waiting(capture), in - out);
	arena_done(&arena);
}

static void a_full_ring_drops_and_counts(void **state)
{
	struct capture_entry taken[ENTRIES];
	struct arena arena;
	struct capture *capture;

	(void)state;
	arena_init_shared(&arena);
	capture = capture_new(&arena, ENTRIES);
	for (uint64_t i = 0; i < ENTRIES + 77; i++)
		add(capture, i);
	assert_int_equal(capture_lost(capture), 77);
	assert_true(capture_is_half_full(capture));
	assert_int_equal(capture_take(capture, taken, ENTRIES), ENTRIES);
	assert_int_equal(taken[0].done_ticks, 0); /* the oldest stay, the newest go */
	assert_int_equal(taken[ENTRIES - 1].done_ticks, ENTRIES - 1);
	arena_done(&arena);
}

/* As at the worker: a ring that was emptied is seen to be at once, not after losses. */
static void a_ring_that_has_room_loses_nothing(void **state)
{
	struct capture_entry taken[ENTRIES];
	struct arena arena;
	struct capture *capture;

	(void)state;
	arena_init_shared(&arena);
	capture = capture_new(&arena, ENTRIES);
	for (uint64_t i = 0; i < 100ULL * ENTRIES; i++) {
		add(capture, i);
		if (capture_waiting(capture) == ENTRIES)
			assert_int_equal(capture_take(capture, taken, ENTRIES), ENTRIES);
	}
	assert_int_equal(capture_lost(capture), 0);
	arena_done(&arena);
}

static void an_entry_says_what_was_packed(void **state)
{
	struct capture_entry entry = {.packed = capture_pack(123456789, 4711, OP_WRITE)};

	(void)state;
	assert_int_equal(capture_total_ticks(&entry), 123456789);
	assert_int_equal(capture_count(&entry), 4711);
	assert_int_equal(capture_op(&entry), OP_WRITE);
	entry.packed = capture_pack(UINT64_MAX, CAPTURE_RUN_MAX, OP_TRIM);
	assert_int_equal(capture_total_ticks(&entry), CAPTURE_LONG_MAX);
	assert_int_equal(capture_count(&entry), CAPTURE_RUN_MAX);
	assert_int_equal(capture_op(&entry), OP_TRIM);
}

static void long_submissions_saturate(void **state)
{
	(void)state;
	assert_int_equal(capture_short(17), 17);
	assert_int_equal(capture_short(UINT32_MAX), CAPTURE_SHORT_MAX);
	assert_int_equal(capture_short(UINT64_MAX), CAPTURE_SHORT_MAX);
}

static void all_rings_together_stay_bounded(void **state)
{
	(void)state;
	assert_int_equal(capture_entries_for(1), CAPTURE_ENTRIES_MAX);
	for (unsigned n = 1; n < 5000; n++) {
		unsigned entries = capture_entries_for(n);

		assert_int_equal(entries & (entries - 1), 0);
		assert_true(entries == CAPTURE_ENTRIES_MIN ||
			    (uint64_t)entries * n * sizeof(struct capture_entry) <= 64 * MiB);
	}
}

/* Two threads: each entry comes once, whole and in order, or is counted as lost. */
#define MANY 300000

static void add_many(void *arg)
{
	for (uint64_t i = 0; i < MANY; i++)
		add(arg, i);
}

static void two_threads_lose_nothing_uncounted(void **state)
{
	struct capture_entry taken[64];
	struct thread thread = {0};
	struct arena arena;
	struct capture *capture;
	uint64_t seen = 0, next = 0;
	int signal;

	(void)state;
	arena_init_shared(&arena);
	capture = capture_new(&arena, ENTRIES);
	assert_int_equal(thread_start(&thread, add_many, capture, false), 0);
	for (bool ended = false, last = false; !last;) {
		unsigned count;

		last = ended;
		while ((count = capture_take(capture, taken, 64)) > 0) {
			for (unsigned i = 0; i < count; i++) {
				assert_true(taken[i].done_ticks >= next);
				assert_int_equal(taken[i].offset, ~taken[i].done_ticks);
				next = taken[i].done_ticks + 1;
			}
			seen += count;
		}
		ended = ended || thread_try_join(&thread, &signal);
	}
	assert_int_equal(seen + capture_lost(capture), MANY);
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_goes_in_comes_out_in_order),
		cmocka_unit_test(a_full_ring_drops_and_counts),
		cmocka_unit_test(a_ring_that_has_room_loses_nothing),
		cmocka_unit_test(an_entry_says_what_was_packed),
		cmocka_unit_test(long_submissions_saturate),
		cmocka_unit_test(all_rings_together_stay_bounded),
		cmocka_unit_test(two_threads_lose_nothing_uncounted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
