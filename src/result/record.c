#include "result/record.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/lang.h"
#include "base/quantity.h"
#include "base/rng.h"
#include "result/figure.h"

const struct cell_metric_facts cell_metrics[NCELL_METRIC] = {
	[CELL_IOS_PER_S] = {"iops", "ios_per_s", "IOPS", 1, false, 0},
	[CELL_BYTES_PER_S] = {"bw", "bytes_per_s", "MB/s", 1e-6, false, 0},
	[CELL_MEAN_NS] = {"mean", "mean_ns", "us", 1e-3, true, 0},
	[CELL_P50_NS] = {"p50", "p50_ns", "us", 1e-3, true, 50},
	[CELL_P99_NS] = {"p99", "p99_ns", "us", 1e-3, true, 99},
	[CELL_P999_NS] = {"p99.9", "p999_ns", "us", 1e-3, true, 99.9},
	[CELL_P9999_NS] = {"p99.99", "p9999_ns", "us", 1e-3, true, 99.99},
	[CELL_MAX_NS] = {"max", "max_ns", "us", 1e-3, true, 0},
};

static void set_uid(struct record *record, uint64_t high, uint64_t low)
{
	(void)snprintf(record->uid, sizeof(record->uid), "%016llx%016llx",
		       (unsigned long long)high, (unsigned long long)low);
}

void record_init(struct record *record, const char *kind)
{
	uint64_t random[2];

	*record = (struct record){.kind = kind};
	arena_init(&record->arena);
	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random)) {
		uint64_t state = clock_wall_ns();

		random[0] = rng_splitmix(&state); /* before the kernel's pool is ready */
		random[1] = rng_splitmix(&state) ^ clock_monotonic_ns();
	}
	set_uid(record, random[0], random[1]);
}

void record_done(struct record *record)
{
	for (unsigned i = 0; i < record->nparts; i++) {
		struct record_part *part = &record->parts[i];

		if (!part->owned)
			continue;
		result_done(part->result);
		job_set_done(part->set);
	}
	arena_done(&record->arena);
	*record = (struct record){0};
}

/* FNV-1a twice, mixed: this tells texts apart, it keeps no secret. */
void record_uid_of_text(struct record *record, const char *text, size_t bytes)
{
	uint64_t a = 0xcbf29ce484222325ULL, b = 0x84222325cbf29ce4ULL ^ bytes;

	for (size_t i = 0; i < bytes; i++) {
		a = (a ^ (unsigned char)text[i]) * 0x100000001b3ULL;
		b = rng_rotl(b ^ (unsigned char)text[i], 23) * 0x9e3779b97f4a7c15ULL;
	}
	set_uid(record, rng_splitmix(&a), rng_splitmix(&b));
}

/* Room for one more in an array that doubles. */
static void *more(struct arena *arena, void *items, unsigned count, size_t item_bytes)
{
	void *room;

	if (count && (count < 4 || (count & (count - 1))))
		return items;
	room = arena_calloc(arena, count ? 2 * (size_t)count : 4, item_bytes,
			    _Alignof(max_align_t));
	if (count)
		memcpy(room, items, count * item_bytes);
	return room;
}

static struct record_part *new_part(struct record *record, const char *name, const char *load,
				    unsigned repeat)
{
	struct record_part *part;

	record->parts =
		more(&record->arena, record->parts, record->nparts, sizeof(*record->parts));
	part = &record->parts[record->nparts++];
	*part = (struct record_part){.name = arena_strdup(&record->arena, name ? name : ""),
				     .load = arena_strdup(&record->arena, load ? load : ""),
				     .repeat = repeat};
	return part;
}

struct record_part *record_add_part(struct record *record, const char *name, const char *load,
				    unsigned repeat)
{
	struct record_part *part = new_part(record, name, load, repeat);

	part->result = arena_new(&record->arena, struct result);
	part->set = arena_new(&record->arena, struct job_set);
	part->owned = true;
	return part;
}

void record_add_live(struct record *record, const char *name, const char *load, unsigned repeat,
		     struct result *result, const struct job_set *set)
{
	struct record_part *part = new_part(record, name, load, repeat);

	part->result = result;
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): not owned: never written to */
	part->set = (struct job_set *)(uintptr_t)set;
}

void record_add_tag(struct record *record, const char *tag)
{
	for (unsigned i = 0; i < record->ntags; i++)
		if (str_equal(record->tags[i], tag))
			return;
	record->tags = more(&record->arena, record->tags, record->ntags, sizeof(*record->tags));
	record->tags[record->ntags++] = arena_strdup(&record->arena, tag);
}

void record_add_remark(struct record *record, uint64_t unix_ns, const char *text)
{
	record->remarks = more(&record->arena, record->remarks, record->nremarks,
			       sizeof(*record->remarks));
	record->remarks[record->nremarks++] = (struct record_remark){
		.unix_ns = unix_ns, .text = arena_strdup(&record->arena, text)};
}

void record_add_cell(struct record *record, const struct record_cell *cell)
{
	record->cells =
		more(&record->arena, record->cells, record->ncells, sizeof(*record->cells));
	record->cells[record->ncells++] = *cell;
}

/* --- cells of the parts --- */

static bool is_rated(const struct job_result *group)
{
	return group->arrivals_due > 0;
}

static void cell_values(const struct job_result *group, enum dir dir, struct record_cell *cell)
{
	const struct dir_result *figures = &group->dir[dir];
	const struct lat *lat =
		is_rated(group) ? &figures->lat[LAT_RESPONSE] : figure_service(figures, NULL);
	struct rate rate = result_rate(group, dir);

	for (unsigned metric = 0; metric < NCELL_METRIC; metric++) {
		uint64_t ns;

		cell->value[metric] = (double)NAN;
		if (cell_metrics[metric].percent > 0 &&
		    figure_percentile_ns(lat, cell_metrics[metric].percent, &ns))
			cell->value[metric] = (double)ns;
	}
	cell->value[CELL_IOS_PER_S] = rate.ios_per_s;
	if (figures->bytes)
		cell->value[CELL_BYTES_PER_S] = rate.bytes_per_s;
	if (lat->sums.total) {
		cell->value[CELL_MEAN_NS] = hist_sums_mean_ns(&lat->sums);
		cell->value[CELL_MAX_NS] = (double)lat->sums.max_ns;
	}
}

static unsigned read_percent(const struct job_spec *spec)
{
	if (!spec->rw.does[DIR_READ])
		return 0;
	return spec->rw.does[DIR_WRITE] ? spec->rwmixread : 100;
}

/* The part of a direction of "4k/60:64k/40,4k,": sizes of reads, writes and trims. */
static const char *sizes_of(struct arena *arena, const struct job_spec *spec, const char *key,
			    enum dir dir)
{
	autostr text = {0};
	const char *at;

	job_format_option(spec, key, &text);
	at = str_text(&text);
	for (unsigned d = 0; d < (unsigned)dir && strchr(at, ','); d++)
		at = strchr(at, ',') + 1;
	return arena_printf(arena, "%.*s", (int)strcspn(at, ","), at);
}

/* Requests of several sizes have no block size: the load says which there are. */
static void settle_sizes(struct record *record, const struct job_spec *spec,
			 struct record_cell *cell)
{
	const char *rw = spec->rw.text ? spec->rw.text : "", *key = NULL;

	cell->load = arena_strdup(&record->arena, rw);
	if (cell->dir >= NDATA)
		return;
	cell->bs_bytes = spec->bs[cell->dir].max;
	if (spec->bssplit[cell->dir].count)
		key = "bssplit";
	else if (spec->bs[cell->dir].min != spec->bs[cell->dir].max)
		key = "bsrange";
	if (!key)
		return;
	cell->bs_bytes = 0;
	cell->load = arena_printf(&record->arena, "%s %s=%s", rw, key,
				  sizes_of(&record->arena, spec, key, cell->dir));
}

static void add_group(struct record *record, int part, unsigned number,
		      const struct job_result *group)
{
	const struct job_spec *spec = group->spec;
	const struct record_part *of = &record->parts[part];

	for (enum dir dir = DIR_READ; dir < NDIR; dir++) {
		const struct dir_result *figures = &group->dir[dir];
		struct record_cell cell = {
			.name = *of->load ? of->name
					  : arena_strdup(&record->arena, group->name),
			.depth = spec->iodepth,
			.jobs = group->members,
			.read_percent = read_percent(spec),
			.dir = dir,
			.repeat = of->repeat,
			.part = part,
			.group = number,
			.ios = figures->ios,
			.bytes = figures->bytes,
			.errors = figures->errors,
		};

		/* Nothing done in a direction that was asked for is a figure: zero. Of a run that
		 * was cut off before anything was kept it is none. */
		if (!figures->ios && (!(dir < NDATA && spec->rw.does[dir]) ||
				      (record->cut_off && !group->whole_end_ns)))
			continue;
		settle_sizes(record, spec, &cell);
		cell_values(group, dir, &cell);
		record_add_cell(record, &cell);
	}
}

bool record_is_simulated(const struct record *record)
{
	return record->nparts && record->parts[0].result->simulated;
}

static const char *title_of(struct record *record)
{
	const struct record_part *first = &record->parts[0];
	const struct run_facts *facts = &first->result->facts;
	const char *target = facts->ntargets ? facts->targets[0].path : NULL;
	const char *load = first->set->njobs && first->set->jobs[0]->rw.text
				   ? first->set->jobs[0]->rw.text
				   : "";

	if (str_equal(record->kind, "quick"))
		load = "quick";
	if (!target)
		return arena_printf(&record->arena, "%s%s",
				    record_is_simulated(record) ? "simulated " : "", load);
	return arena_printf(&record->arena,
			    record_is_simulated(record) ? N_("simulated %s on %s%s")
							: N_("%s on %s%s"),
			    load, target, facts->ntargets > 1 ? N_(" and others") : "");
}

/* Of all parts, ramp and layout included: what wore the drive. */
static uint64_t written_by_parts(const struct record *record)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < record->nparts; i++)
		bytes += record->parts[i].result->facts.asked_bytes[DIR_WRITE] +
			 record->parts[i].result->layout_bytes;
	return bytes;
}

static void settle_times(struct record *record)
{
	const struct result *first = record->parts[0].result;
	const struct result *last = record->parts[record->nparts - 1].result;

	record->started_unix_ns = first->wall_start_ns;
	record->span_ns = last->wall_end_ns > first->wall_start_ns
				  ? last->wall_end_ns - first->wall_start_ns
				  : last->span_ns;
}

/* Whoever compares must know that the figures are of less than was asked for. */
static const char *ended_early(const struct result *result)
{
	if (result->interrupted)
		return result->signal == SIGINT	   ? N_("stopped by SIGINT")
		       : result->signal == SIGTERM ? N_("stopped by SIGTERM")
						   : N_("stopped before its end");
	for (unsigned i = 0; i < result->njobs; i++) {
		if (result->jobs[i].stopped_by_limit)
			return N_("stopped at --max-write");
		if (result->jobs[i].error || result->jobs[i].killed_by)
			return N_("ended by an error");
	}
	return NULL;
}

void record_settle(struct record *record)
{
	autostr text = {0};

	if (!record->nparts)
		return; /* printed figures: they are all there is */
	settle_times(record);
	if (!record->written_bytes)
		record->written_bytes = written_by_parts(record);
	record->ncells = 0;
	for (unsigned i = 0; i < record->nparts && !record->incomplete && !record->cut_off; i++)
		record->incomplete = ended_early(record->parts[i].result);
	for (unsigned i = 0; i < record->nparts; i++) {
		unsigned ngroups;
		const struct job_result *groups =
			result_groups(record->parts[i].result, &ngroups);

		for (unsigned g = 0; g < ngroups; g++)
			add_group(record, (int)i, g, &groups[g]);
		if (!record->job_text) {
			if (i)
				str_add_char(&text, '\n');
			job_print(record->parts[i].set, &text);
		}
	}
	if (!record->job_text)
		record->job_text = arena_strdup(&record->arena, str_text(&text));
	if (!record->title)
		record->title = title_of(record);
}

const char *record_cell_key(struct arena *arena, const struct record_cell *cell)
{
	autostr text = {0};

	if (!*cell->load)
		return cell->name;
	str_add(&text, cell->load);
	if (cell->read_percent && cell->read_percent < 100)
		str_printf(&text, " %u/%u", cell->read_percent, 100 - cell->read_percent);
	if (cell->bs_bytes) {
		str_add_char(&text, ' ');
		quantity_size(cell->bs_bytes, &text);
	}
	if (cell->depth)
		str_printf(&text, " depth %u", cell->depth);
	if (cell->jobs)
		str_printf(&text, " x%u", cell->jobs);
	if ((cell->read_percent && cell->read_percent < 100) || cell->dir > DIR_WRITE)
		str_printf(&text, " %s", figure_dir_names[cell->dir]);
	return arena_strdup(arena, str_text(&text));
}
