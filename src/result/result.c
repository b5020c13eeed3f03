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

/* How much of a row lies in the common interval, where what it counts was done evenly over the
 * part of it in which its member ran. A row of no length is an instant. */
static double row_share(const struct job_row *row, const struct job_result *member,
			const struct job_result *common)
{
	uint64_t begin_ns = max_u64(row->begin_ns, member->begin_ns);
	uint64_t end_ns = min_u64(row->end_ns, member->end_ns);
	uint64_t first_ns = max_u64(begin_ns, common->begin_ns);
	uint64_t last_ns = min_u64(end_ns, common->end_ns);

	if (first_ns > last_ns)
		return 0;
	return end_ns > begin_ns ? (double)(last_ns - first_ns) / (double)(end_ns - begin_ns)
				 : 1;
}

/* What one member did per second in the common interval. Time without a row is time in which
 * it did nothing: it counts. A member that ran from its first to its last instant needs no
 * rows, and one that has none is taken to have gone evenly. */
static struct rate member_rate(const struct job_result *job, enum dir dir,
			       const struct job_result *common)
{
	double seconds = (double)(common->end_ns - common->begin_ns) / 1e9;
	struct rate done = {0};

	if (!job->rows || (job->begin_ns == common->begin_ns && job->end_ns == common->end_ns))
		return result_rate(job, dir);
	for (unsigned i = 0; i < job->nrows; i++) {
		double share = row_share(&job->rows[i], job, common);

		done.ios_per_s += share * (double)job->rows[i].ios[dir];
		done.bytes_per_s += share * (double)job->rows[i].bytes[dir];
	}
	return (struct rate){done.ios_per_s / seconds, done.bytes_per_s / seconds};
}

static void add_common_rates(const struct result *result, struct job_result *entry)
{
	for (unsigned i = 0; i < result->njobs; i++) {
		const struct job_result *job = &result->jobs[i];

		if (!same_entry(entry, job))
			continue;
		for (unsigned dir = 0; dir < NDIR; dir++) {
			struct rate rate = member_rate(job, dir, entry);

			entry->dir[dir].group_ios_per_s += rate.ios_per_s;
			entry->dir[dir].group_bytes_per_s += rate.bytes_per_s;
		}
	}
}

/* `jobs`: how many of the result's it is made of. One that is a group already has its rates. */
static void entry_rates(const struct result *result, struct job_result *entry, unsigned jobs)
{
	uint64_t whole_ns = entry->whole_end_ns - entry->whole_begin_ns;
	uint64_t common_ns = entry->end_ns - entry->begin_ns;

	if (jobs == 1 && entry->members > 1)
		return;
	entry->rated_whole =
		jobs > 1 && (double)common_ns < GROUP_COMMON_SHARE * (double)whole_ns;
	for (unsigned dir = 0; dir < NDIR; dir++) {
		struct dir_result *d = &entry->dir[dir];
		struct rate whole = rate_of(d->ios, d->bytes, whole_ns);

		d->group_ios_per_s = entry->rated_whole ? whole.ios_per_s : 0;
		d->group_bytes_per_s = entry->rated_whole ? whole.bytes_per_s : 0;
	}
	if (!entry->rated_whole)
		add_common_rates(result, entry);
}

static void settle_entry(const struct result *result, struct job_result *entry)
{
	unsigned jobs = 0;

	entry->end_ns = max_u64(entry->end_ns, entry->begin_ns);
	for (unsigned i = 0; i < result->njobs; i++)
		jobs += same_entry(entry, &result->jobs[i]);
	entry_rates(result, entry, jobs);
}

/* A member that never came to run says nothing of when the others did. */
static void span_whole(struct job_result *entry, const struct job_result *job)
{
	uint64_t begin_ns = job->whole_end_ns ? job->whole_begin_ns : job->begin_ns;
	uint64_t end_ns = job->whole_end_ns ? job->whole_end_ns : job->end_ns;

	if (end_ns <= begin_ns)
		return;
	if (entry->whole_end_ns)
		begin_ns = min_u64(entry->whole_begin_ns, begin_ns);
	entry->whole_begin_ns = begin_ns;
	entry->whole_end_ns = max_u64(entry->whole_end_ns, end_ns);
}

struct job_result *result_groups(struct result *result, unsigned *ret_count)
{
	struct job_result *entries =
		arena_array(&result->arena, struct job_result, result->njobs);
	unsigned count = 0;

	for (unsigned i = 0; i < result->njobs; i++) {
		const struct job_result *job = &result->jobs[i];
		struct job_result *entry = entry_of(entries, count, job);

		if (entry) {
			job_result_merge(&result->arena, entry, job);
			entry->begin_ns = max_u64(entry->begin_ns, job->begin_ns);
			entry->end_ns = min_u64(entry->end_ns, job->end_ns);
		} else {
			entry = &entries[count++];
			*entry = job_result_copy(&result->arena, job);
		}
		span_whole(entry, job);
	}
	for (unsigned i = 0; i < count; i++)
		settle_entry(result, &entries[i]);
	*ret_count = count;
	return entries;
}

const struct interval_hist *result_interval_hist(const struct result *result, unsigned row,
						 enum dir dir)
{
	static const struct interval_hist none;

	return row < result->hists_room ? &result->hists[row][dir] : &none;
}

int result_each_row(const struct result *result, row_fn *take, void *context, struct err *err)
{
	int rc = 0;

	if (result->elsewhere.context)
		return result->elsewhere.each_row(result->elsewhere.context, take, context,
						  err);
	for (unsigned i = 0; i < result->nrows && !rc; i++)
		rc = take(context, i, &result->rows[i]);
	return rc;
}

int result_each_interval_hist(const struct result *result, enum dir dir, interval_hist_fn *take,
			      void *context, struct err *err)
{
	int rc = 0;

	if (result->elsewhere.context)
		return result->elsewhere.each_hist(result->elsewhere.context, dir, take,
						   context, err);
	for (unsigned i = 0; i < result->hists_room && !rc; i++) {
		if (result->hists[i][dir].blob)
			rc = take(context, i, &result->hists[i][dir]);
	}
	return rc;
}

bool result_has_interval_hists(const struct result *result)
{
	return result->hists_room || result->elsewhere.has_hists;
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
