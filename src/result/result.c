#include "result/result.h"

#include <stdarg.h>
#include <string.h>

#include "base/bits.h"
#include "base/str.h"
#include "result/merge.h"

void result_init(struct result *result, const struct job_set *set)
{
	*result = (struct result){.set = set};
	arena_init(&result->arena);
}

void result_done(struct result *result)
{
	arena_done(&result->arena);
	*result = (struct result){0};
}

static struct note *note_new(struct result *result)
{
	if (result->nnotes == result->notes_room) {
		unsigned room = result->notes_room ? 2 * result->notes_room : 16;
		struct note *notes = arena_array(&result->arena, struct note, room);

		for (unsigned i = 0; i < result->nnotes; i++)
			notes[i] = result->notes[i];
		result->notes = notes;
		result->notes_room = room;
	}
	return &result->notes[result->nnotes++];
}

void result_note(struct result *result, const char *id, enum severity severity, const char *job,
		 const char *fmt, ...)
{
	autostr text = {0};
	va_list args;

	va_start(args, fmt);
	str_vprintf(&text, fmt, args);
	va_end(args);
	*note_new(result) = (struct note){
		.id = arena_strdup(&result->arena, id),
		.severity = severity,
		.job = job ? arena_strdup(&result->arena, job) : NULL,
		.text = arena_strdup(&result->arena, str_text(&text)),
	};
}

void result_lat_all(const struct job_result *job, enum lat_kind kind, struct hist *ret_hist)
{
	*ret_hist = (struct hist){0};
	for (unsigned dir = 0; dir < NDIR; dir++)
		if (job->dir[dir].lat[kind].hist)
			hist_merge(ret_hist, job->dir[dir].lat[kind].hist);
}

static struct rate rate_of(uint64_t ios, uint64_t bytes, uint64_t ns)
{
	if (!ns)
		return (struct rate){0};
	return (struct rate){
		.ios_per_s = (double)ios * 1e9 / (double)ns,
		.bytes_per_s = (double)bytes * 1e9 / (double)ns,
	};
}

struct rate result_rate(const struct job_result *job, enum dir dir)
{
	const struct dir_result *d = &job->dir[dir];

	if (job->members > 1)
		return (struct rate){d->group_ios_per_s, d->group_bytes_per_s};
	return rate_of(d->ios, d->bytes, d->runtime_ns);
}

static bool same_entry(const struct job_result *entry, const struct job_result *job)
{
	if (entry->group != job->group)
		return false;
	return entry->spec->number == job->spec->number ||
	       (entry->spec->group_reporting && job->spec->group_reporting);
}

static struct job_result *entry_of(struct job_result *entries, unsigned count,
				   const struct job_result *job)
{
	for (unsigned i = 0; i < count; i++)
		if (same_entry(&entries[i], job))
			return &entries[i];
	return NULL;
}

/* What one member did per second within [begin, end), from the rows that lie wholly inside;
 * over its own span where no such row exists. */
static struct rate member_rate(const struct job_result *job, enum dir dir,
			       const struct job_result *common)
{
	uint64_t ios = 0, bytes = 0, ns = 0;

	for (unsigned i = 0; job->rows && i < job->nrows; i++) {
		const struct job_row *row = &job->rows[i];

		if (row->begin_ns < common->begin_ns || row->end_ns > common->end_ns)
			continue;
		ios += row->ios[dir];
		bytes += row->bytes[dir];
		ns += row->end_ns - row->begin_ns;
	}
	return ns ? rate_of(ios, bytes, ns) : result_rate(job, dir);
}

/* A span that every member filled needs no rows: its counts are exact as they are. */
static bool fills(const struct job_result *job, const struct job_result *common)
{
	return job->begin_ns == common->begin_ns && job->end_ns == common->end_ns;
}

static void entry_rates(const struct result *result, struct job_result *entry)
{
	for (unsigned dir = 0; dir < NDIR; dir++)
		entry->dir[dir].group_ios_per_s = entry->dir[dir].group_bytes_per_s = 0;
	for (unsigned i = 0; i < result->njobs; i++) {
		const struct job_result *job = &result->jobs[i];

		if (!same_entry(entry, job))
			continue;
		for (unsigned dir = 0; dir < NDIR; dir++) {
			struct rate rate = fills(job, entry) ? result_rate(job, dir)
							     : member_rate(job, dir, entry);

			entry->dir[dir].group_ios_per_s += rate.ios_per_s;
			entry->dir[dir].group_bytes_per_s += rate.bytes_per_s;
		}
	}
}

struct job_result *result_groups(struct result *result, unsigned *ret_count)
{
	struct job_result *entries =
		arena_array(&result->arena, struct job_result, result->njobs);
	unsigned count = 0;

	for (unsigned i = 0; i < result->njobs; i++) {
		const struct job_result *job = &result->jobs[i];
		struct job_result *entry = entry_of(entries, count, job);

		if (!entry) {
			entries[count++] = job_result_copy(&result->arena, job);
			continue;
		}
		job_result_merge(&result->arena, entry, job);
		entry->begin_ns = max_u64(entry->begin_ns, job->begin_ns);
		entry->end_ns = min_u64(entry->end_ns, job->end_ns);
	}
	for (unsigned i = 0; i < count; i++) {
		entries[i].end_ns = max_u64(entries[i].end_ns, entries[i].begin_ns);
		entry_rates(result, &entries[i]);
	}
	*ret_count = count;
	return entries;
}

const struct interval_hist *result_interval_hist(const struct result *result, unsigned row,
						 enum dir dir)
{
	static const struct interval_hist none;

	return row < result->hists_room ? &result->hists[row][dir] : &none;
}

void result_set_interval_hist(struct result *result, unsigned row, enum dir dir,
			      const void *blob, size_t bytes)
{
	void *copy = arena_alloc(&result->arena, bytes, 1);

	if (row >= result->hists_room) {
		unsigned room = result->hists_room ? 2 * result->hists_room : 128;
		struct interval_hist(*hists)[NDIR];

		while (room <= row)
			room *= 2;
		hists = arena_calloc(&result->arena, room, sizeof(*hists), sizeof(void *));
		if (result->hists_room)
			memcpy(hists, result->hists, result->hists_room * sizeof(*hists));
		result->hists = hists;
		result->hists_room = room;
	}
	memcpy(copy, blob, bytes);
	result->hists[row][dir] =
		(struct interval_hist){.blob = copy, .bytes = (uint32_t)bytes};
}
