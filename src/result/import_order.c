#include "result/import_order.h"

#include "base/bits.h"
#include "base/str.h"
#include "result/result.h"

#define WAVES_TRIED 12 /* unknown walls of which each combination is tried */

/* The jobs of one client, [first, last). */
struct timeline {
	struct result *result;
	const struct import_place *places;
	unsigned first, last;
	bool undelayed; /* startdelay and wait_for are not counted */
};

static bool opens_group(const struct timeline *line, unsigned i)
{
	return i > line->first && line->places[i].group != line->places[i - 1].group;
}

static unsigned count_unknown(const struct timeline *line)
{
	unsigned count = 0;

	for (unsigned i = line->first; i < line->last; i++)
		count += opens_group(line, i) && line->places[i].wall == WALL_UNKNOWN;
	return count;
}

static uint64_t end_of_named(const struct timeline *line, unsigned before, const char *name)
{
	uint64_t end_ns = 0;

	for (unsigned i = line->first; i < before; i++)
		if (str_equal(line->result->jobs[i].name, name))
			end_ns = max_u64(end_ns, line->result->jobs[i].end_ns);
	return end_ns;
}

/* Lays the jobs out with those unknown walls that `walls` has a bit for; returns the last end. */
static uint64_t lay_out(const struct timeline *line, uint64_t walls)
{
	uint64_t wave_ns = 0, last_ns = 0;

	for (unsigned i = line->first; i < line->last; i++) {
		struct job_result *job = &line->result->jobs[i];
		const struct job_spec *spec = job->spec;
		enum import_wall wall = line->places[i].wall;
		uint64_t length_ns = job->end_ns - job->begin_ns;

		if (opens_group(line, i)) {
			bool stands = wall == WALL_STANDS;

			if (wall == WALL_UNKNOWN) {
				stands = walls & 1;
				walls >>= 1;
			}
			wave_ns = stands ? last_ns : wave_ns;
		}
		job->begin_ns = wave_ns;
		if (!line->undelayed)
			job->begin_ns = max_u64(wave_ns, spec->startdelay.min);
		if (spec->wait_for && !line->undelayed)
			job->begin_ns =
				max_u64(job->begin_ns, end_of_named(line, i, spec->wait_for));
		job->begin_ns += spec->ramp_time;
		job->end_ns = job->begin_ns + length_ns;
		last_ns = max_u64(last_ns, job->end_ns);
	}
	return last_ns;
}

/* Of all combinations the longest that the run had the time for: a group that waits where it need
 * not would leave time unused. Equal ones: the later walls stand. */
static bool settle(const struct timeline *line, unsigned unknown)
{
	uint64_t most_ns = line->places[line->first].elapsed_ns;
	uint64_t all = unknown > 63 ? UINT64_MAX : (1ULL << unknown) - 1;
	uint64_t best = 0, best_ns = 0;

	for (uint64_t walls = all;; walls = unknown > WAVES_TRIED ? 0 : walls - 1) {
		uint64_t span_ns = lay_out(line, walls);

		if (span_ns > best_ns && (!most_ns || span_ns < most_ns)) {
			best = walls;
			best_ns = span_ns;
		}
		if (!walls || !most_ns)
			break;
	}
	(void)lay_out(line, best);
	return best_ns || !most_ns;
}

static bool settle_by_starts(struct result *result, const struct import_place *places)
{
	uint64_t first_ms = UINT64_MAX;

	for (unsigned i = 0; i < result->njobs; i++)
		first_ms = min_u64(first_ms, places[i].start_ms);
	if (!first_ms)
		return false;
	for (unsigned i = 0; i < result->njobs; i++) {
		struct job_result *job = &result->jobs[i];
		uint64_t length_ns = job->end_ns - job->begin_ns;

		job->begin_ns = (places[i].start_ms - first_ms) * NS_PER_MS;
		job->begin_ns += job->spec->ramp_time;
		job->end_ns = job->begin_ns + length_ns;
	}
	return true;
}

static void settle_by_walls(struct result *result, const struct import_place *places)
{
	unsigned unknown = 0;
	struct timeline line = {.result = result, .places = places};

	for (unsigned i = 1; i <= result->njobs; i++)
		if (i == result->njobs || places[i].client != places[i - 1].client) {
			unsigned here;

			line.last = i;
			here = count_unknown(&line);
			/* The options of a merged row are those of one job in it: a delay of
			 * that one may be none of the others'. */
			line.undelayed = false;
			line.undelayed = !settle(&line, here);
			if (line.undelayed)
				(void)settle(&line, here);
			unknown += here;
			line.first = i;
		}
	if (unknown && places[0].elapsed_ns)
		result_note(
			result, "fio-order", SEVERITY_INFO, NULL,
			"fio does not say here which groups of jobs waited for others: they "
			"are taken to have, as far as the time that it took has room for it");
	else if (unknown)
		result_note(result, "fio-order", SEVERITY_INFO, NULL,
			    "fio does not say here which groups of jobs waited for others, nor "
			    "how long it took: they are taken to have run one after another");
}

void import_order(struct result *result, const struct import_place *places)
{
	if (result->njobs && !settle_by_starts(result, places))
		settle_by_walls(result, places);
	result->span_ns = 0;
	for (unsigned i = 0; i < result->njobs; i++)
		result->span_ns = max_u64(result->span_ns, result->jobs[i].end_ns);
}
