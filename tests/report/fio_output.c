/*
 * fio's own output as the oracle. Each recorded run of Debian's fio (tests/data/fio-output)
 * holds one run as JSON with bins, as terse and as text. The JSON is read into a struct
 * result; our three renderers must give back the same three texts.
 *
 * Line by line the texts are equal, but for: what 3.42 prints beyond 3.33 (only_342),
 * deviations (ours come from the histogram: within 2 %), and shares of latencies and depths
 * (rounded in the record: within 0.11 percent points).
 */
#include "report/fio_figures.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/str.h"
#include "report/fio_json.h"
#include "report/fio_normal.h"
#include "report/fio_terse.h"
#include "unit.h"

/* --- the record, read into a result --- */

struct record {
	const char *name;
	unsigned terse;
	bool lat_pct, slat_pct, disable_clat, gtod, errors;
	unsigned members;
	enum unified unified;
	unsigned kb_base, unit_base, figures;
	const char *percentiles; /* NULL: fio's list */
	const char *skip;	 /* lines with this word cannot be told from the record */
};

static uint64_t get_u64(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

static double get_double(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

/* Two values that have this mean and deviation, for latencies recorded without bins. */
static void add_two_values(struct hist *hist, uint64_t n, double mean, double deviation)
{
	double root = sqrt((double)n - 1);

	if (n < 2) {
		hist_add(hist, (uint64_t)mean, n);
		return;
	}
	deviation *= sqrt((double)(n - 1) / (double)n);
	hist_add(hist, (uint64_t)(mean - deviation / root), n - 1);
	hist_add(hist, (uint64_t)(mean + deviation * root), 1);
}

static void read_lat(struct arena *arena, struct lat *lat, const json_t *json)
{
	const char *mid;
	json_t *count;

	lat->sums.total = get_u64(json, "N");
	if (!lat->sums.total)
		return;
	lat->sums.min_ns = get_u64(json, "min");
	lat->sums.max_ns = get_u64(json, "max");
	lat->sums.sum_ns =
		(unsigned __int128)(get_double(json, "mean") * (double)lat->sums.total + 0.5);
	lat->hist = arena_new(arena, struct hist);
	json_object_foreach(json_object_get(json, "bins"), mid, count) hist_add(
		lat->hist, strtoull(mid, NULL, 10), (uint64_t)json_integer_value(count));
	if (!json_object_get(json, "bins"))
		add_two_values(lat->hist, lat->sums.total, get_double(json, "mean"),
			       get_double(json, "stddev"));
}

static struct sample_stats read_samples(const json_t *json, const char *const *keys)
{
	struct sample_stats stats = {
		.min = get_double(json, keys[0]),
		.max = get_double(json, keys[1]),
		.mean = get_double(json, keys[2]),
		.samples = get_u64(json, keys[4]),
	};
	double n = (double)stats.samples;

	if (stats.samples > 1)
		stats.deviation = get_double(json, keys[3]) * sqrt((n - 1) / n);
	return stats;
}

static void read_dir(struct arena *arena, struct dir_result *dir, const json_t *json)
{
	static const char *const bw[] = {"bw_min", "bw_max", "bw_mean", "bw_dev", "bw_samples"};
	static const char *const iops[] = {"iops_min", "iops_max", "iops_mean", "iops_stddev",
					   "iops_samples"};

	dir->ios = get_u64(json, "total_ios");
	dir->bytes = get_u64(json, "io_bytes");
	dir->short_ios = get_u64(json, "short_ios");
	dir->runtime_ns = get_u64(json, "runtime") * NS_PER_MS;
	read_lat(arena, &dir->lat[LAT_SLAT], json_object_get(json, "slat_ns"));
	read_lat(arena, &dir->lat[LAT_CLAT], json_object_get(json, "clat_ns"));
	read_lat(arena, &dir->lat[LAT_TOTAL], json_object_get(json, "lat_ns"));
	dir->bw_kib = read_samples(json, bw);
	dir->iops = read_samples(json, iops);
}

static void read_shares(uint64_t *counts, const json_t *json)
{
	const char *key;
	json_t *share;
	unsigned i = 0;

	json_object_foreach((json_t *)(uintptr_t)json, key, share) counts[i++] =
		(uint64_t)(json_number_value(share) * 1e6 + 0.5);
}

static struct given *read_given(struct arena *arena, json_t *options, unsigned *ret_count)
{
	struct given *given = arena_array(arena, struct given, json_object_size(options) + 1);
	const char *key;
	json_t *value;

	*ret_count = 0;
	json_object_foreach(options, key, value) given[(*ret_count)++] = (struct given){
		.key = arena_strdup(arena, key),
		.value = arena_strdup(arena, json_string_value(value)),
	};
	return given;
}

static void read_percentiles(struct job_spec *spec, const char *list)
{
	const char *at =
		list ? list : "1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99";
	char *end;

	for (;; at = end + 1) {
		spec->percentile_list[spec->npercentiles++] = strtod(at, &end);
		if (*end != ':')
			return;
	}
}

static struct job_spec *read_spec(struct arena *arena, const struct record *record,
				  const json_t *json)
{
	struct job_spec *spec = arena_new(arena, struct job_spec);
	const char *ss =
		json_string_value(json_object_get(json_object_get(json, "steadystate"), "ss"));

	*spec = (struct job_spec){
		.stats = true,
		.clat_percentiles = true,
		.lat_percentiles = record->lat_pct,
		.slat_percentiles = record->slat_pct,
		.disable_clat = record->disable_clat,
		.gtod_reduce = record->gtod,
		.continue_on_error = record->errors ? CONTINUE_ALL : CONTINUE_NONE,
		.unified_rw_reporting = record->unified,
		.kb_base = record->kb_base ? record->kb_base : 1024,
		.unit_base = record->unit_base,
		.significant_figures = record->figures ? record->figures : 4,
		.iodepth = (uint32_t)get_u64(json, "latency_depth"),
		.steadystate_duration = 4 * NS_PER_S,
	};
	if (json_object_get(json, "desc"))
		spec->description =
			arena_strdup(arena, json_string_value(json_object_get(json, "desc")));
	if (ss) {
		assert_string_equal(ss, "iops:50.000000%");
		spec->steadystate = (struct steady_spec){true, STEADY_IOPS, 50, true};
	}
	read_percentiles(spec, record->percentiles);
	spec->given = read_given(arena, json_object_get(json, "job options"), &spec->ngiven);
	return spec;
}

static struct steady_result *read_steady(struct arena *arena, const json_t *json)
{
	struct steady_result *steady;
	json_t *data = json_object_get(json, "data"), *value;
	size_t i;

	if (!json)
		return NULL;
	steady = arena_new(arena, struct steady_result);
	steady->attained = get_u64(json, "attained");
	steady->criterion = strtod(json_string_value(json_object_get(json, "criterion")), NULL);
	steady->criterion_is_percent = true;
	steady->max_deviation = get_double(json, "max_deviation");
	steady->slope = get_double(json, "slope");
	steady->bw_mean = get_double(data, "bw_mean");
	steady->iops_mean = get_double(data, "iops_mean");
	steady->samples = (unsigned)json_array_size(json_object_get(data, "iops"));
	steady->iops = arena_array(arena, uint64_t, steady->samples);
	steady->bw_bytes_per_s = arena_array(arena, uint64_t, steady->samples);
	json_array_foreach(json_object_get(data, "iops"), i, value) steady->iops[i] =
		(uint64_t)json_integer_value(value);
	json_array_foreach(json_object_get(data, "bw"), i, value) steady->bw_bytes_per_s[i] =
		(uint64_t)json_integer_value(value);
	return steady;
}

static void read_job(struct arena *arena, struct job_result *job, const struct record *record,
		     const json_t *json)
{
	static const char *const names[] = {"read", "write", "trim"};

	job->spec = read_spec(arena, record, json);
	job->name = arena_strdup(arena, json_string_value(json_object_get(json, "jobname")));
	job->group = (unsigned)get_u64(json, "groupid");
	job->error = (int)get_u64(json, "error");
	job->members = record->members;
	job->end_ns = (get_u64(json, "elapsed") - 1) * NS_PER_S + job->spec->ramp_time;
	for (unsigned dir = 0; dir < NDATA; dir++)
		read_dir(arena, &job->dir[dir], json_object_get(json, names[dir]));
	if (record->unified == UNIFIED_MIXED)
		read_dir(arena, &job->dir[DIR_READ], json_object_get(json, "mixed"));
	job->dir[DIR_SYNC].ios = get_u64(json_object_get(json, "sync"), "total_ios");
	read_lat(arena, &job->dir[DIR_SYNC].lat[LAT_TOTAL],
		 json_object_get(json_object_get(json, "sync"), "lat_ns"));
	job->runtime_ns = get_u64(json, "job_runtime") * NS_PER_MS;
	job->user_ns =
		(uint64_t)(get_double(json, "usr_cpu") * (double)job->runtime_ns / 100 + 0.5);
	job->sys_ns =
		(uint64_t)(get_double(json, "sys_cpu") * (double)job->runtime_ns / 100 + 0.5);
	job->switches = get_u64(json, "ctx");
	job->major_faults = get_u64(json, "majf");
	job->minor_faults = get_u64(json, "minf");
	read_shares(job->depth, json_object_get(json, "iodepth_level"));
	read_shares(job->submit, json_object_get(json, "iodepth_submit"));
	read_shares(job->complete, json_object_get(json, "iodepth_complete"));
	job->steady = read_steady(arena, json_object_get(json, "steadystate"));
}

static void read_disk(struct arena *arena, struct disk_use *disk, const json_t *json)
{
	disk->name = arena_strdup(arena, json_string_value(json_object_get(json, "name")));
	disk->ios[0] = get_u64(json, "read_ios");
	disk->ios[1] = get_u64(json, "write_ios");
	disk->merges[0] = get_u64(json, "read_merges");
	disk->merges[1] = get_u64(json, "write_merges");
	disk->ticks_ms[0] = get_u64(json, "read_ticks");
	disk->ticks_ms[1] = get_u64(json, "write_ticks");
	disk->in_queue_ms = get_u64(json, "in_queue");
	disk->util_percent = get_double(json, "util");
}

static void read_result(struct result *result, const struct record *record, const json_t *json)
{
	json_t *jobs = json_object_get(json, "jobs"),
	       *disks = json_object_get(json, "disk_util");
	json_t *value;
	size_t i;

	result->wall_end_ns = get_u64(json, "timestamp_ms") * NS_PER_MS;
	result->njobs = (unsigned)json_array_size(jobs);
	result->jobs = arena_array(&result->arena, struct job_result, result->njobs);
	json_array_foreach(jobs, i, value)
		read_job(&result->arena, &result->jobs[i], record, value);
	result->ndisks = (unsigned)json_array_size(disks);
	result->disks = arena_array(&result->arena, struct disk_use, result->ndisks + 1);
	json_array_foreach(disks, i, value) read_disk(&result->arena, &result->disks[i], value);
}

/* --- comparing --- */

static bool has(const char *line, const char *word)
{
	return strstr(line, word) != NULL;
}

/* Members and words that 3.42 has and 3.33 has not: taken out of ours. */
static bool only_342(const char *line)
{
	return has(line, "\"job_start\"") || has(line, "\"latency_target_ns\"") ||
	       has(line, "\"latency_window_us\"") || has(line, "_sectors\"");
}

/* What cannot be equal: an eta of a run that is over, the process id, and fio's own slips (text
 * of "mixed" without figures, bandwidth of the steady state divided twice). */
static bool is_masked(const char *line, const struct record *record)
{
	return has(line, "\"eta\"") || has(line, "mixed: IOPS=0") || has(line, "attained=") ||
	       (record->skip && has(line, record->skip));
}

static bool is_share(const char *line)
{
	const char *key = line + strspn(line, " ");

	return has(line, "  lat (") || has(line, "IO depths") || has(line, "submit  ") ||
	       has(line, "complete  ") ||
	       (*key == '"' &&
		(key[1] == '>' || strspn(key + 1, "0123456789") == strcspn(key + 1, "\"")) &&
		has(line, "."));
}

/* How far two numbers of a line may be apart. */
enum slack {
	SLACK_NONE,
	SLACK_MEAN, /* fio's running mean rounds its sixth decimal differently from a quotient */
	SLACK_DEVIATION, /* from bins, not from samples */
	SLACK_SHARE,
};

/* Samples in the one bin around a bound of the latency table may lie on either side: the record
 * does not tell. In percent of all, the most that any bound has. */
static double share_slack;

static double straddling_percent(const struct job_result *job)
{
	uint64_t most = 0, total = 0;

	for (uint64_t unit = 1; unit <= NS_PER_MS; unit *= 1000)
		for (unsigned i = 0; i < FIO_LAT_MS - 1; i++) {
			uint64_t bound = fio_lat_bounds[i] * unit, count = 0;
			unsigned bucket = hist_index(bound);

			for (unsigned dir = 0; bound >= 2 * HIST_SUB && dir < NDATA; dir++)
				if (job->dir[dir].lat[LAT_CLAT].hist)
					count += job->dir[dir]
							 .lat[LAT_CLAT]
							 .hist->count[bucket] +
						 job->dir[dir]
							 .lat[LAT_CLAT]
							 .hist->count[bucket ^ 1];
			most = max_u64(most, count);
		}
	for (unsigned dir = 0; dir < NDATA; dir++)
		total += job->dir[dir].ios;
	return total ? 100.0 * (double)most / (double)total : 0;
}

static bool is_near(const char *ours, const char *theirs, enum slack slack)
{
	double a = strtod(ours, NULL), b = strtod(theirs, NULL), apart = fabs(a - b);

	switch (slack) {
	case SLACK_MEAN:
		return apart <= 1.01e-6;
	case SLACK_DEVIATION:
		return apart <= 0.02 * fmax(fabs(a), fabs(b)) + 0.006;
	case SLACK_SHARE:
		return apart <= fmax(0.11, share_slack + 0.011);
	case SLACK_NONE:
		break;
	}
	return apart == 0;
}

static enum slack slack_of(const char *line)
{
	if (is_share(line))
		return SLACK_SHARE;
	if (has(line, "stddev\"") || has(line, "_dev\""))
		return SLACK_DEVIATION;
	return has(line, "mean\"") ? SLACK_MEAN : SLACK_NONE;
}

/* Equal but for numbers that may be near: those of a slack line, or one after "stdev=". */
static bool lines_agree(const char *ours, const char *theirs)
{
	enum slack slack = slack_of(ours);

	while (*ours || *theirs) {
		if (strncmp(ours, "stdev=", 6) == 0)
			slack = SLACK_DEVIATION;
		if (*ours != *theirs &&
		    slack == SLACK_DEVIATION) { /* padding of "stdev=%5.2f" */
			ours += strspn(ours, " ");
			theirs += strspn(theirs, " ");
		}
		if (slack != SLACK_NONE && *ours >= '0' && *ours <= '9') {
			if (!is_near(ours, theirs, slack))
				return false;
			ours += strspn(ours, "0123456789.");
			theirs += strspn(theirs, "0123456789.");
		} else if (*ours++ != *theirs++) {
			return false;
		}
	}
	return true;
}

/* ", " after the last member that was taken out. */
static void drop_last_comma(char *line)
{
	size_t n = strlen(line);

	if (n && line[n - 1] == ',')
		line[n - 1] = '\0';
}

static void replace(char *line, const char *from, const char *to)
{
	char *at = strstr(line, from);
	char rest[4096];

	if (!at)
		return;
	(void)snprintf(rest, sizeof(rest), "%s", at + strlen(from));
	(void)sprintf(at, "%s%s", to, rest);
}

/* Our text as 3.33 would have printed it. */
static char *as_333(char *line)
{
	char *sectors = strstr(line, "sectors="), *after;

	replace(line, "fio-3.42", "fio-3.33");
	replace(line, "sync_file_range/syncfs:", "sync_file_range:");
	if (sectors && (after = strstr(sectors, "merge=")))
		memmove(sectors, after, strlen(after) + 1);
	return line;
}

static char *next_line(char **cursor)
{
	return *cursor && **cursor ? strsep(cursor, "\n") : NULL;
}

static void compare(const char *what, const struct record *record, char *ours, char *theirs)
{
	for (;;) {
		char *a = next_line(&ours), *b = next_line(&theirs);

		while (a && only_342(a))
			a = next_line(&ours);
		if (!a && !b)
			return;
		if (!a || !b)
			fail_msg("%s %s: ours goes on with \"%s\", fio with \"%s\"",
				 record->name, what, a, b);
		a = as_333(a);
		if (has(a, "\"latency_window\"") || has(b, "\"latency_window\"")) {
			drop_last_comma(a);
			drop_last_comma(b);
		}
		if (has(a, " pid=")) {
			replace(a, strstr(a, " pid="), "");
			replace(b, strstr(b, " pid="), "");
		}
		if (!is_masked(b, record) && !lines_agree(a, b))
			fail_msg("%s %s:\nours \"%s\"\nfio  \"%s\"", record->name, what, a, b);
	}
}

/* Terse fields: equal; those with six decimals or two (deviations, shares) within 2 %. */
static void compare_terse(const struct record *record, char *ours, char *theirs)
{
	for (unsigned field = 0;; field++) {
		char *a = strsep(&ours, ";\n"), *b = strsep(&theirs, ";\n");

		if (!a && !b)
			return;
		if (!a || !b)
			fail_msg("%s terse: field %u: ours %s, fio's %s", record->name, field,
				 a, b);
		if ((record->skip && has(b, record->skip)) || strcmp(a, b) == 0 ||
		    (has(b, ".") && is_near(a, b, has(b, "%") ? SLACK_SHARE : SLACK_DEVIATION)))
			continue;
		fail_msg("%s terse: field %u: ours \"%s\", fio's \"%s\"", record->name, field,
			 a, b);
	}
}

/* --- the tests --- */

static char *load_text(const char *name)
{
	char path[512], *text;
	FILE *file;
	long size;

	(void)snprintf(path, sizeof(path), "%s/fio-output/%s.txt", getenv("TEST_DATA"), name);
	file = fopen(path, "r");
	assert_non_null(file);
	(void)fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	text = calloc(1, (size_t)size + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, (size_t)size, file), size);
	(void)fclose(file);
	return text;
}

static void check_record(const struct record *record)
{
	char *text = load_text(record->name), *json_at, *normal_at, *terse_at;
	autostr terse = {0}, json = {0}, normal = {0};
	char head[4] = {'\n', (char)('0' + record->terse), ';', 0};
	struct job_set set = {0};
	struct fio_report report;
	struct result result;
	json_t *root;

	result_init(&result, &set);
	json_at = strstr(text, "\n{\n") + 1;
	normal_at = strstr(json_at, "\n}\n") + 3;
	terse_at = strstr(text, head) + 1;
	root = json_loads(json_at, JSON_DISABLE_EOF_CHECK, NULL);
	assert_non_null(root);
	set.global = read_given(&result.arena, json_object_get(root, "global options"),
				&set.nglobal);
	read_result(&result, record, root);
	json_decref(root);

	share_slack = 0;
	for (unsigned i = 0; i < result.njobs; i++)
		share_slack = fmax(share_slack, straddling_percent(&result.jobs[i]));
	fio_report_init(&report, &result);
	report.bins = true;
	report.terse_version = record->terse;
	report.notes = false;
	fio_terse(&report, &terse);
	fio_json(&report, &json);
	fio_normal(&report, &normal);
	json_at[-1] = '\0';
	normal_at[-1] = '\0';
	compare("json", record, json.text, json_at);
	compare("normal", record, normal.text, normal_at);
	replace(terse.text, "fio-3.42", "fio-3.33");
	terse.text[strlen(terse.text) - 1] = '\0';
	while (strstr(terse.text, "fio-3.42"))
		replace(strstr(terse.text, "fio-3.42"), "fio-3.42", "fio-3.33");
	compare_terse(record, terse.text, terse_at);
	result_done(&result);
	free(text);
}

static const struct record records[] = {
	{.name = "psync_read", .terse = 3},
	{.name = "libaio_randrw", .terse = 5},
	{.name = "disk", .terse = 3},
	{.name = "null_group", .terse = 4, .members = 3},
	/* fio counts the syncs in its depths: more than 100 % in all, which we do not copy */
	{.name = "fsync_write", .terse = 2, .skip = "110.9"},
	{.name = "unified1", .terse = 3, .unified = UNIFIED_MIXED},
	{.name = "unified2", .terse = 3, .unified = UNIFIED_BOTH},
	{.name = "latpct",
	 .terse = 3,
	 .lat_pct = true,
	 .slat_pct = true,
	 .percentiles = "50:99:99.999"},
	{.name = "disclat", .terse = 3, .disable_clat = true},
	{.name = "gtod", .terse = 3, .gtod = true},
	{.name = "trim", .terse = 4},
	{.name = "steady", .terse = 3},
	{.name = "groups", .terse = 3},
	{.name = "bits", .terse = 3, .kb_base = 1000, .unit_base = 8, .figures = 6},
	{.name = "rated", .terse = 3, .errors = true},
};

static void recorded_runs_come_out_as_fio_printed_them(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(records); i++)
		check_record(&records[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_runs_come_out_as_fio_printed_them),
	};

	(void)setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
