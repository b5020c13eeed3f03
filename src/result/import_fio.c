/* One document of fio's JSON: 2.x (microseconds, KiB) and 3.x (nanoseconds, bytes). */
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/str.h"
#include "result/import_order.h"
#include "result/import_priv.h"
#include "result/native_json_read_priv.h"

#define FIO_JOBS_MAX 100000

struct fio {
	struct json_reader reader;
	struct record_part *part;
	const json_t *root;
	struct import_place *places; /* one a job of the result */
	bool old;		     /* 2.x */
};

static uint64_t scaled(const json_t *object, const char *key, double scale)
{
	return import_whole(json_number_value(json_object_get(object, key)), scale);
}

static uint64_t number(const json_t *object, const char *key)
{
	return scaled(object, key, 1);
}

/* --- latencies --- */

/* json+: fio's bins, by the value that stands for each. Half of a bin of ours is the most that a
 * sample moves. */
static void read_bins(struct fio *fio, const json_t *bins, struct lat *lat)
{
	const json_t *count;
	const char *key;

	if (!json_object_size(bins))
		return;
	lat->hist = arena_new(&fio->part->result->arena, struct hist);
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): only const is cast away */
	json_object_foreach((json_t *)(uintptr_t)bins, key, count)
	{
		json_int_t many = json_integer_value(count);

		if (many > 0 && many < INT64_MAX / 4096)
			hist_add(lat->hist, strtoull(key, NULL, 10), (uint64_t)many);
	}
}

static void read_lat(struct fio *fio, const json_t *dir, const char *name, uint64_t ios,
		     struct lat *lat)
{
	char key[20];
	const json_t *one;
	double unit_ns = 1, mean;

	(void)snprintf(key, sizeof(key), "%s_ns", name);
	one = json_object_get(dir, key);
	if (!one) { /* 2.x, or fio 3 with a unit of its own */
		one = json_object_get(dir, name);
		unit_ns = 1000;
	}
	mean = json_number_value(json_object_get(one, "mean")) * unit_ns;
	if (!one || !(mean > 0) || !(mean < 0x1p62))
		return;
	lat->sums.total = number(one, "N") ? number(one, "N") : ios;
	lat->sums.min_ns = scaled(one, "min", unit_ns);
	lat->sums.max_ns = scaled(one, "max", unit_ns);
	lat->sums.sum_ns = (unsigned __int128)(mean * (double)lat->sums.total);
	read_bins(fio, json_object_get(one, "bins"), lat);
	if (lat->hist && hist_total(lat->hist) != lat->sums.total)
		lat->hist = NULL; /* bins of part of the samples are no histogram of them */
	if (!lat->hist)
		json_read_told(&fio->reader, json_object_get(one, "percentile"), lat, unit_ns);
}

/* --- one direction --- */

static void read_dir(struct fio *fio, const json_t *job, const char *name, enum dir to,
		     struct job_result *result)
{
	const json_t *dir = json_object_get(job, name);
	struct dir_result *figures = &result->dir[to];

	if (!number(dir, "total_ios"))
		return;
	figures->ios = number(dir, "total_ios");
	figures->bytes = scaled(dir, "io_bytes", fio->old ? 1024 : 1);
	figures->short_ios = number(dir, "short_ios");
	figures->runtime_ns = scaled(dir, "runtime", 1e6);
	figures->group_ios_per_s = json_number_value(json_object_get(dir, "iops"));
	figures->group_bytes_per_s =
		json_object_get(dir, "bw_bytes")
			? json_number_value(json_object_get(dir, "bw_bytes"))
			: json_number_value(json_object_get(dir, "bw")) * 1024;
	read_lat(fio, dir, "slat", figures->ios, &figures->lat[LAT_SLAT]);
	read_lat(fio, dir, "clat", figures->ios, &figures->lat[LAT_CLAT]);
	read_lat(fio, dir, "lat", figures->ios, &figures->lat[LAT_TOTAL]);
	result->end_ns = max_u64(result->end_ns, figures->runtime_ns);
}

/* --- one job --- */

static void set_options(struct fio *fio, const json_t *options, struct job_spec *spec)
{
	const json_t *value;
	const char *key;

	/* NOLINTNEXTLINE(performance-no-int-to-ptr): only const is cast away */
	json_object_foreach((json_t *)(uintptr_t)options, key, value)
	{
		struct err err = {0};
		const char *text = json_string_value(value);

		if (!text || str_equal(key, "name"))
			continue;
		if (job_set_option(fio->part->set, spec, key, *text ? text : NULL, &err))
			job_note_add(fio->part->set, NOTE_WARNING, spec->name, key, "%s",
				     err.text);
	}
}

/* The percentages are of the time of all members together, which 3.x tells. */
static void read_cpu(const json_t *job, struct job_result *result)
{
	double span = (double)result->end_ns * result->members / 100;

	if (number(job, "job_runtime"))
		span = (double)scaled(job, "job_runtime", 1e6) / 100;
	result->user_ns = scaled(job, "usr_cpu", span);
	result->sys_ns = scaled(job, "sys_cpu", span);
	result->switches = number(job, "ctx");
	result->major_faults = number(job, "majf");
	result->minor_faults = number(job, "minf");
}

static bool is_sibling(const json_t *a, const json_t *b)
{
	static const char *const keys[] = {"jobname", "groupid", "hostname", "port",
					   "job options"};

	if (!a || !b)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const json_t *one = json_object_get(a, keys[i]);
		const json_t *other = json_object_get(b, keys[i]);

		if (one != other && (!one || !other || !json_equal(one, other)))
			return false;
	}
	return true;
}

/* Without group_reporting fio lists each clone of a job, all alike but for their figures. Says
 * which result is the clone before this one; NULL: another job. */
static const struct job_result *clone_before(const struct fio *fio, const json_t *before,
					     const json_t *job)
{
	const struct result *result = fio->part->result;
	const struct job_result *last = &result->jobs[result->njobs - 1];

	if (!result->njobs || last->spec->group_reporting ||
	    last->clone + 1 >= last->spec->numjobs || !is_sibling(before, job))
		return NULL;
	return last;
}

static struct job_result *read_spec(struct fio *fio, const json_t *job)
{
	const char *name = json_string_value(json_object_get(job, "jobname"));
	struct job_result *result = import_job(fio->part, name ? name : "");
	struct job_spec *spec = fio->part->set->jobs[fio->part->set->njobs - 1];

	set_options(fio, json_object_get(fio->root, "global options"), spec);
	set_options(fio, json_object_get(job, "job options"), spec);
	return result;
}

/*
 * How many workers a row of fio's is of. It does not say, nor whether it merged any: an option
 * without a value (group_reporting, as most write it) is left out of its JSON, and a merged row's
 * options are those of the last job in it. What it says is the time of all workers together, which
 * is the time of the longest once for each where all ran equally long. Of one job, and before 3.x,
 * it is numjobs, if the clones do not follow one by one.
 */
static unsigned count_members(struct fio *fio, const json_t *job, const json_t *after,
			      const struct job_result *result)
{
	const struct job_spec *spec = result->spec;
	double together_ms = (double)number(job, "job_runtime");
	double times = result->end_ns ? together_ms * 1e6 / (double)result->end_ns : 0;
	unsigned least = times > 1 && times < 1e6 ? (unsigned)ceil(times * 0.998 - 0.03) : 1;
	unsigned members = spec->numjobs ? spec->numjobs : 1;

	if (least <= 1 &&
	    (together_ms > 0 || (!spec->group_reporting && is_sibling(job, after))))
		members = 1;
	else if (least > members &&
		 json_object_get(json_object_get(fio->root, "global options"), "numjobs"))
		members = (least + members - 1) / members * members;
	else
		members = (unsigned)max_u64(members, least);
	if (members > spec->numjobs && times * 1.02 + 0.03 < members)
		result_note(
			fio->part->result, "fio-merged", SEVERITY_WARNING, result->name,
			"fio merged jobs of different length here and does not say how many "
			"workers they had: %u is the least that fits their time",
			members);
	return members;
}

static bool has_flag(const struct fio *fio, const json_t *job, const char *name)
{
	const json_t *own = json_object_get(json_object_get(job, "job options"), name);
	const char *text = json_string_value(
		own ? own
		    : json_object_get(json_object_get(fio->root, "global options"), name));

	return text && !str_equal(text, "0");
}

/* A stonewall or new_group that is told is the reason of the group: none stands inside of one. */
static void read_place(struct fio *fio, const json_t *before, const json_t *job)
{
	unsigned at = fio->part->result->njobs - 1;
	struct import_place *place = &fio->places[at];
	const json_t *host = json_object_get(job, "hostname");

	place->client = at ? fio->places[at - 1].client : 0;
	if (at && host && !json_equal(host, json_object_get(before, "hostname")))
		place->client++;
	place->group = (unsigned)number(job, "groupid");
	if (has_flag(fio, job, "stonewall") || has_flag(fio, job, "wait_for_previous"))
		place->wall = WALL_STANDS;
	else if (has_flag(fio, job, "new_group"))
		place->wall = WALL_NONE;
	place->start_ms = number(job, "job_start");
	place->elapsed_ns = scaled(job, "elapsed", 1e9);
}

/* `before` and `after`: its neighbours, if any. */
static void read_job(struct fio *fio, const json_t *before, const json_t *job,
		     const json_t *after)
{
	const struct job_result *clone = clone_before(fio, before, job);
	struct job_result *result =
		clone ? import_clone(fio->part, clone) : read_spec(fio, job);
	struct job_spec *spec = fio->part->set->jobs[fio->part->set->njobs - 1];

	result->engine_about = spec->ioengine;
	result->error = (int)json_integer_value(json_object_get(job, "error"));
	result->elapsed_ns = scaled(job, "elapsed", 1e9);
	read_dir(fio, job, "read", DIR_READ, result);
	read_dir(fio, job, "write", DIR_WRITE, result);
	read_dir(fio, job, "trim", DIR_TRIM, result);
	if (number(json_object_get(job, "mixed"), "total_ios")) {
		read_dir(fio, job, "mixed", DIR_READ, result);
		spec->unified_rw_reporting = UNIFIED_MIXED;
		result_note(
			fio->part->result, "unified", SEVERITY_WARNING, result->name,
			"reads and writes are one figure here (unified_rw_reporting): it stands "
			"where others have their reads, in comparisons too");
	}
	result->runtime_ns = result->end_ns;
	if (!clone) {
		result->members = count_members(fio, job, after, result);
		spec->group_reporting |= result->members > 1;
	}
	read_cpu(job, result);
	read_place(fio, before, job);
}

static void read_disks(struct fio *fio, const json_t *root)
{
	const json_t *disks = json_object_get(root, "disk_util");
	struct run_facts *facts = &fio->part->result->facts;
	size_t count = json_array_size(disks);

	if (!count)
		return;
	facts->devices = arena_array(&fio->part->result->arena, struct device_facts, count);
	for (size_t i = 0; i < count; i++) {
		const json_t *name = json_object_get(json_array_get(disks, i), "name");
		struct device *device = &facts->devices[facts->ndevices++].device;

		(void)snprintf(device->name, sizeof(device->name), "%s",
			       json_is_string(name) ? json_string_value(name) : "");
		device->numa_node = -1;
	}
}

static void read_head(struct fio *fio, struct record *record, const json_t *root)
{
	const json_t *version = json_object_get(root, "fio version");
	struct result *result = fio->part->result;
	uint64_t ended = scaled(root, "timestamp_ms", 1e6);

	record->program = arena_strdup(
		&record->arena, json_is_string(version) ? json_string_value(version) : "fio");
	fio->old = str_starts(record->program, "fio-2") || str_starts(record->program, "fio 2");
	if (!ended)
		ended = scaled(root, "timestamp", 1e9);
	result->wall_end_ns = result->wall_start_ns = ended;
}

int import_fio(struct record *record, const json_t *root, struct err *err)
{
	const json_t *jobs = json_object_get(root, "jobs");
	struct fio fio = {.reader = {.err = err}, .root = root};
	const json_t *before = NULL;
	autostr title = {0};

	if (!json_is_array(jobs))
		jobs = json_object_get(root, "client_stats");
	if (json_array_size(jobs) > FIO_JOBS_MAX)
		return err_input(err, "more than %u jobs in one document", FIO_JOBS_MAX);
	fio.part = import_part(record, (unsigned)json_array_size(jobs));
	fio.reader.arena = &fio.part->result->arena;
	fio.places =
		arena_array(&record->arena, struct import_place, json_array_size(jobs) + 1);
	read_head(&fio, record, root);
	for (size_t i = 0; i < json_array_size(jobs); i++) {
		const json_t *job = json_array_get(jobs, i);
		const json_t *name = json_object_get(job, "jobname");

		/* The sum over all clients is of the others: it would count twice. */
		if (json_is_string(name) && str_equal(json_string_value(name), "All clients"))
			continue;
		read_job(&fio, before, job, json_array_get(jobs, i + 1));
		before = job;
	}
	read_disks(&fio, root);
	import_order(fio.part->result, fio.places);
	if (fio.part->result->wall_start_ns > fio.part->result->span_ns)
		fio.part->result->wall_start_ns -= fio.part->result->span_ns;
	str_printf(&title, "%s%s%s", record->program, fio.part->result->njobs ? ": " : "",
		   fio.part->result->njobs ? fio.part->result->jobs[0].name : "");
	if (fio.part->set->njobs > 1)
		str_printf(&title, " and %u more", fio.part->set->njobs - 1);
	record->title = arena_strdup(&record->arena, str_text(&title));
	return fio.reader.rc;
}
