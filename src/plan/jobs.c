/* The jobs of one task: a cell's options, and what the plan settles around them. */
#include <math.h>
#include <stdio.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/unit.h"
#include "plan/execute.h"
#include "plan/plan_priv.h"

#define ROWS_A_CELL 20 /* at least, where a cell is short */

struct building {
	const struct plan_execution *x;
	const struct plan_task *task;
	const struct plan_step *step;
	const struct plan_drive *drive;
	struct job_set *set;
	struct err *err;
};

static int set_text(struct building *b, struct job_spec *spec, const char *key,
		    const char *value)
{
	struct given given = {.key = key,
			      .value = arena_strdup(&b->set->arena, value),
			      .where = b->step->where};
	int rc = job_set_option(b->set, spec, key, given.value, b->err);

	if (rc) {
		err_context(b->err, "[%s]", b->step->name);
		return rc;
	}
	spec->given =
		arena_more(&b->set->arena, spec->given, spec->ngiven, sizeof(*spec->given));
	spec->given[spec->ngiven++] = given;
	return 0;
}

static int set_number(struct building *b, struct job_spec *spec, const char *key,
		      uint64_t value)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return set_text(b, spec, key, text);
}

static int set_time(struct building *b, struct job_spec *spec, const char *key, uint64_t ns)
{
	autostr text = {0};

	unit_format_time(ns, &text);
	return set_text(b, spec, key, str_text(&text));
}

/* --- scale --- */

static uint64_t scaled(const struct building *b, uint64_t value, uint64_t least)
{
	return value ? max_u64(value / b->x->record->scale, least) : 0;
}

static uint64_t block_of(const struct job_spec *spec)
{
	uint64_t block = 1;

	for (unsigned d = 0; d < NDATA; d++)
		if (spec->rw.does[d])
			block = max_u64(block, spec->bs[d].max);
	return block;
}

static int scale_amount(struct building *b, struct job_spec *spec, const char *key,
			const struct amount *amount)
{
	uint64_t block = block_of(spec);

	if (!amount->given || !amount->bytes)
		return 0;
	return set_number(b, spec, key,
			  max_u64(amount->bytes / b->x->record->scale / block * block, block));
}

/* Times and sizes that the plan gives are divided; a share of the drive is one already, and of a
 * real drive only so much is used at all. */
static int scale_spec(struct building *b, struct job_spec *spec)
{
	int rc = 0;

	if (b->x->record->scale == 1)
		return 0;
	if (spec->runtime)
		rc = set_time(b, spec, "runtime", scaled(b, spec->runtime, NS_PER_MS));
	if (!rc && spec->ramp_time)
		rc = set_time(b, spec, "ramp_time", scaled(b, spec->ramp_time, NS_PER_MS));
	if (!rc)
		rc = scale_amount(b, spec, "size", &spec->size);
	return rc ? rc : scale_amount(b, spec, "io_size", &spec->io_size);
}

/* What a real drive has beyond the plan's part of it is left alone. */
static int limit_range(struct building *b, struct job_spec *spec)
{
	uint64_t block = block_of(spec), bytes = b->drive->size_bytes;

	if (b->drive->kind == PLAN_SIMULATED || b->x->record->scale == 1 || !bytes)
		return 0;
	if (spec->size.given && !spec->size.percent_x100)
		return 0;
	if (spec->size.percent_x100)
		bytes = muldiv_u64(bytes, spec->size.percent_x100, 10000);
	return set_number(b, spec, "size", max_u64(bytes / block * block, block));
}

/* --- loads of find --- */

static uint64_t share_of(const struct building *b, enum plan_dir dir,
			 const struct job_spec *spec)
{
	const struct plan_lane lane = {.plan = b->x->plan,
				       .journal = b->x->journal,
				       .target = b->task->target,
				       .repetition = b->task->repetition};
	const struct plan_entry *entry;
	unsigned from = 0;

	while ((entry = plan_entry_next(&lane, b->task->step, &from))) {
		double rate = entry->figures.value[dir][CELL_IOS_PER_S];

		if (entry->task.load == 0 && !isnan(rate))
			return max_u64(1, (uint64_t)(rate * b->task->load / 100 /
						     (spec->numjobs ? spec->numjobs : 1)));
	}
	return 0;
}

static int set_load(struct building *b, struct job_spec *spec)
{
	const struct plan_find *find = &b->step->find;
	char text[96];

	if (b->step->kind != PLAN_FIND)
		return 0;
	if (find->by != PLAN_BY_RATE)
		return set_number(b, spec, find->by == PLAN_BY_IODEPTH ? "iodepth" : "numjobs",
				  (uint64_t)b->task->load);
	if (b->task->load == 0)
		return 0;
	(void)snprintf(text, sizeof(text), "%llu,%llu,%llu",
		       (unsigned long long)share_of(b, PLAN_READ, spec),
		       (unsigned long long)share_of(b, PLAN_WRITE, spec),
		       (unsigned long long)share_of(b, PLAN_TRIM, spec));
	return set_text(b, spec, "rate_iops", text);
}

/* --- kinds --- */

/* On a model the numbers of a run are the same each time: rounds of the same ones would write the
 * same few blocks over and over. Each cell has its own, and the same when it is done again. */
static int new_spec(struct building *b, struct job_spec **ret_spec)
{
	int rc = plan_cell_spec(b->set, b->step, &b->step->cells[b->task->cell],
				b->drive->file ? b->drive->file : b->drive->path, ret_spec,
				b->err);

	if (!rc && b->drive->kind == PLAN_SIMULATED)
		rc = set_number(b, *ret_spec, "randseed",
				(*ret_spec)->randseed +
					plan_journal_of(b->x->journal, b->task->target));
	return rc;
}

static int add_cell(struct building *b)
{
	struct job_spec *spec;
	int rc = new_spec(b, &spec);

	if (!rc)
		rc = scale_spec(b, spec);
	if (!rc)
		rc = limit_range(b, spec);
	if (!rc)
		rc = set_load(b, spec);
	if (!rc && b->step->pause_ns && b->drive->kind == PLAN_SIMULATED) /* virtual time */
		rc = set_time(b, spec, "startdelay", scaled(b, b->step->pause_ns, NS_PER_MS));
	if (!rc && b->step->kind == PLAN_SOAK) {
		rc = set_time(b, spec, "runtime", scaled(b, b->step->every_ns, NS_PER_MS));
		if (!rc)
			rc = set_text(b, spec, "time_based", "1");
	}
	return rc ? rc : job_add(b->set, spec, b->err);
}

/* One worker of a fill: its share of the range, so many times. */
static int add_share(struct building *b, uint64_t begin, uint64_t bytes, unsigned number)
{
	struct job_spec *spec;
	int rc = new_spec(b, &spec);

	if (!rc)
		rc = set_number(b, spec, "offset", begin);
	if (!rc)
		rc = set_number(b, spec, "size", bytes);
	if (!rc)
		rc = set_number(b, spec, "loops", b->step->passes);
	if (!rc)
		rc = set_text(b, spec, "group_reporting", "1");
	if (rc)
		return rc;
	if (b->step->workers > 1)
		spec->name = arena_printf(&b->set->arena, "%s.%u", b->step->name, number + 1);
	return job_add(b->set, spec, b->err);
}

static int add_shares(struct building *b)
{
	uint64_t bytes = muldiv_u64(b->drive->size_bytes, b->step->range_percent_x100, 10000);
	unsigned workers = b->step->workers;
	struct job_spec *spec;
	uint64_t block, begin = 0;
	int rc = new_spec(b, &spec);

	if (rc)
		return rc;
	block = block_of(spec);
	bytes = bytes / block * block;
	if (bytes / block < workers)
		return err_input(
			b->err,
			PLURAL(workers,
			       "[%s]: \"%s\" has %llu bytes to be filled: too few for %u "
			       "worker with blocks of %llu",
			       "[%s]: \"%s\" has %llu bytes to be filled: too few for %u "
			       "workers with blocks of %llu"),
			b->step->name, b->drive->path, (unsigned long long)b->drive->size_bytes,
			workers, (unsigned long long)block);
	for (unsigned w = 0; w < workers && !rc; w++) {
		uint64_t end = bytes / block * (w + 1) / workers * block;

		rc = add_share(b, begin, end - begin, w);
		begin = end;
	}
	return rc;
}

/* On virtual time, waiting is a job as well: a block is read after it. */
static int add_idle(struct building *b)
{
	struct job_spec *spec = job_new(b->set, b->step->name);
	int rc = set_text(b, spec, "filename", b->drive->path);

	if (!rc)
		rc = set_text(b, spec, "rw", "read");
	if (!rc)
		rc = set_number(b, spec, "number_ios", 1);
	if (!rc)
		rc = set_time(b, spec, "startdelay", scaled(b, b->step->for_ns, NS_PER_MS));
	return rc ? rc : job_add(b->set, spec, b->err);
}

static void settle_rows(struct job_set *set)
{
	uint64_t interval = NS_PER_S;

	for (unsigned i = 0; i < set->njobs; i++)
		if (set->jobs[i]->runtime)
			interval = min_u64(interval, set->jobs[i]->runtime / ROWS_A_CELL);
	set->options.interval = max_u64(interval, NS_PER_MS);
}

static struct building begin(const struct plan_execution *x, const struct plan_task *task,
			     struct job_set *set, struct err *err)
{
	return (struct building){.x = x,
				 .task = task,
				 .step = &x->plan->steps[task->step],
				 .drive = &x->drives[task->target],
				 .set = set,
				 .err = err};
}

int plan_task_jobs(const struct plan_execution *x, const struct plan_task *task,
		   struct job_set *set, struct err *err)
{
	struct building b = begin(x, task, set, err);
	int rc;

	if (b.step->kind == PLAN_IDLE)
		rc = add_idle(&b);
	else if (b.step->kind == PLAN_FILL || b.step->kind == PLAN_PRECONDITION)
		rc = add_shares(&b);
	else
		rc = add_cell(&b);
	settle_rows(set);
	return rc;
}

int plan_refresh_jobs(const struct plan_execution *x, const struct plan_task *task,
		      uint64_t span_ns, struct job_set *set, struct err *err)
{
	struct building b = begin(x, task, set, err);
	struct job_spec *spec;
	int rc = new_spec(&b, &spec);

	if (!rc)
		rc = limit_range(&b, spec);
	if (!rc)
		rc = set_load(&b, spec);
	if (!rc)
		rc = set_time(&b, spec, "runtime", span_ns);
	if (!rc)
		rc = set_text(&b, spec, "time_based", "1");
	return rc ? rc : job_add(set, spec, err);
}
