/* The note on two levels: provoked by a burst that ends, and spared by its neighbours. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "result/result.h"

#define SECONDS 40

struct fixture {
	struct job_set set;
	struct result result;
	struct row rows[SECONDS];
};

/* Twenty seconds at `high`, twenty at `low`. */
static void init(struct fixture *f, uint64_t high, uint64_t low)
{
	struct job_spec *spec;

	*f = (struct fixture){0};
	job_set_init(&f->set, FACE_NATIVE);
	spec = job_new(&f->set, "job");
	f->set.jobs = arena_array(&f->set.arena, struct job_spec *, 1);
	f->set.jobs[0] = spec;
	f->set.njobs = 1;
	result_init(&f->result, &f->set);
	f->result.interval_ns = NS_PER_S;
	f->result.rows = f->rows;
	f->result.nrows = SECONDS;
	for (unsigned i = 0; i < SECONDS; i++) {
		f->rows[i].begin_ns = i * NS_PER_S;
		f->rows[i].end_ns = (i + 1) * NS_PER_S;
		f->rows[i].dir[DIR_READ].ios = i < SECONDS / 2 ? high : low;
	}
}

/* The text of the note; NULL without one. */
static const char *note_of(struct fixture *f)
{
	result_plausibility(&f->result);
	for (unsigned i = 0; i < f->result.nnotes; i++)
		if (strcmp(f->result.notes[i].id, "two-levels") == 0)
			return f->result.notes[i].text;
	return NULL;
}

static void done(struct fixture *f)
{
	f->result.rows = NULL;
	result_done(&f->result);
	job_set_done(&f->set);
}

static void a_burst_that_ends_is_told_with_its_credits(void **state)
{
	struct fixture f;
	const char *text;

	(void)state;
	init(&f, 14000, 5000);
	text = note_of(&f);
	assert_non_null(text);
	assert_non_null(strstr(text, "20 s at 14,000 IOPS, then 5,000"));
	assert_non_null(strstr(text, "180,000 requests above"));
	done(&f);
}

static void a_level_or_a_rise_is_none(void **state)
{
	static const uint64_t levels[][2] = {{5000, 5000}, {5200, 5000}, {5000, 14000}, {0, 0}};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct fixture f;

		init(&f, levels[i][0], levels[i][1]);
		assert_null(note_of(&f));
		done(&f);
	}
}

static void what_does_not_count_is_left_out(void **state)
{
	struct fixture f;

	(void)state;
	init(&f, 14000, 5000);
	for (unsigned i = 0; i < SECONDS / 2; i++)
		f.rows[i].ramp = true;
	assert_null(note_of(&f));
	done(&f);
	init(&f, 14000, 5000); /* the job makes its own rate */
	f.set.jobs[0]->thinktime = NS_PER_MS;
	assert_null(note_of(&f));
	done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_burst_that_ends_is_told_with_its_credits),
		cmocka_unit_test(a_level_or_a_rise_is_none),
		cmocka_unit_test(what_does_not_count_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
