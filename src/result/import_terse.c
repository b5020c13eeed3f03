/*
 * fio's terse lines, versions 3 to 5: fields with ";" between. A head of five (version, fio's
 * version, job, group, error), then a block a direction (v3 reads and writes, v4 and v5 trims
 * too), CPU, depths, latencies, disks. Latencies are microseconds, bandwidth KiB. A job's name
 * may hold ";": the block of numbers behind it is found by its shape.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "result/import_order.h"
#include "result/import_priv.h"

#define FIELDS_MAX  1000
#define HEAD	    5
#define BLOCK	    41 /* v3, v4 */
#define BLOCK_5	    47 /* v5: a count of samples and five figures of IOPS more */
#define PERCENTILES 20
#define AT_SLAT	    4
#define AT_CLAT	    8
#define AT_PERCENT  12
#define AT_LAT	    (AT_PERCENT + PERCENTILES)

struct line {
	char *field[FIELDS_MAX];
	unsigned count, name_fields; /* that the job's name takes; 1 without ";" */
	unsigned version, blocks, block;
};

static bool is_number(const char *text)
{
	char *end;

	(void)strtod(text, &end);
	return end != text && (!*end || (*end == '%' && !end[1]));
}

static bool is_percentile(const char *text)
{
	const char *equals = strchr(text, '=');

	return equals && is_number(equals + 1);
}

static bool block_fits(const struct line *line, unsigned at)
{
	if (at + line->block * line->blocks > line->count)
		return false;
	for (unsigned i = 0; i < line->block * line->blocks; i++) {
		unsigned in = i % line->block;
		bool percent = in >= AT_PERCENT && in < AT_PERCENT + PERCENTILES;

		if (!(percent ? is_percentile : is_number)(line->field[at + i]))
			return false;
	}
	return true;
}

/* Where the numbers begin: the name takes one field, or as many as it has ";" more. */
static bool find_blocks(struct line *line)
{
	for (line->name_fields = 1; line->name_fields + HEAD < line->count;
	     line->name_fields++) {
		unsigned at = HEAD - 1 + line->name_fields;

		if (is_number(line->field[at - 2]) && is_number(line->field[at - 1]) &&
		    block_fits(line, at))
			return true;
	}
	return false;
}

static bool split(struct line *line, char *text)
{
	char *rest = text, *field;

	line->count = 0;
	while ((field = strsep(&rest, ";")) && line->count < FIELDS_MAX)
		line->field[line->count++] = field;
	if (line->count < HEAD + 2 * BLOCK || !str_starts(line->field[1], "fio-"))
		return false;
	line->version = (unsigned)strtoul(line->field[0], NULL, 10);
	line->blocks = line->version == 3 ? 2 : 3;
	line->block = line->version == 5 ? BLOCK_5 : BLOCK;
	return line->version >= 3 && line->version <= 5 && find_blocks(line);
}

static double value(char *const *fields, unsigned at)
{
	double number = strtod(fields[at], NULL);

	return isfinite(number) && number > 0 ? number : 0;
}

static void read_lat(char *const *fields, unsigned at, uint64_t ios, struct lat *lat)
{
	double mean_us = value(fields, at + 2);

	if (!(mean_us > 0) || !(mean_us < 0x1p50))
		return;
	lat->sums.total = ios;
	lat->sums.min_ns = import_whole(value(fields, at), 1000);
	lat->sums.max_ns = import_whole(value(fields, at + 1), 1000);
	lat->sums.sum_ns = (unsigned __int128)(mean_us * 1000 * (double)ios);
}

static void read_percentiles(struct arena *arena, char *const *fields, struct lat *lat)
{
	struct told_percentile *told = arena_array(arena, struct told_percentile, PERCENTILES);

	lat->told = told;
	for (unsigned i = 0; i < PERCENTILES; i++) {
		const char *text = fields[AT_PERCENT + i];
		double percent = strtod(text, NULL);
		double us = strtod(strchr(text, '=') + 1, NULL);

		if (percent > 0 && us >= 0 && us < 1e15)
			told[lat->ntold++] =
				(struct told_percentile){percent, (uint64_t)(us * 1000)};
	}
}

static void read_block(struct arena *arena, char *const *fields, struct job_result *job,
		       enum dir dir)
{
	struct dir_result *figures = &job->dir[dir];
	double runtime_ms = value(fields, 3), iops = value(fields, 2);

	if (!(value(fields, 0) > 0) && !(iops > 0))
		return;
	figures->bytes = import_whole(value(fields, 0), 1024);
	figures->runtime_ns = import_whole(runtime_ms, 1e6);
	figures->group_bytes_per_s = value(fields, 1) * 1024;
	figures->group_ios_per_s = iops;
	figures->ios = import_whole(iops * runtime_ms / 1000 + 0.5, 1);
	read_lat(fields, AT_SLAT, figures->ios, &figures->lat[LAT_SLAT]);
	read_lat(fields, AT_CLAT, figures->ios, &figures->lat[LAT_CLAT]);
	read_lat(fields, AT_LAT, figures->ios, &figures->lat[LAT_TOTAL]);
	if (figures->lat[LAT_CLAT].sums.total)
		read_percentiles(arena, fields, &figures->lat[LAT_CLAT]);
	job->end_ns = max_u64(job->end_ns, figures->runtime_ns);
}

static void name_of(const struct line *line, struct str *out)
{
	for (unsigned i = 0; i < line->name_fields; i++)
		str_printf(out, "%s%s", i ? ";" : "", line->field[2 + i]);
}

static void read_line(struct record *record, struct record_part *part, const struct line *line,
		      struct import_place *place)
{
	unsigned at = HEAD - 1 + line->name_fields;
	struct job_result *job;
	struct job_spec *spec;
	autostr name = {0};

	name_of(line, &name);
	job = import_job(part, str_text(&name));
	spec = part->set->jobs[part->set->njobs - 1];
	spec->rw = (struct rw){.text = ""}; /* a terse line does not tell the load */
	job->error = (int)value(line->field, at - 1);
	place->group = (unsigned)import_whole(value(line->field, at - 2), 1);
	for (unsigned i = 0; i < line->blocks; i++) {
		read_block(&part->result->arena, line->field + at + (size_t)i * line->block,
			   job, (enum dir)i);
	}
	at += line->blocks * line->block;
	if (at + 3 <= line->count) {
		job->user_ns = import_whole(value(line->field, at) / 100, (double)job->end_ns);
		job->sys_ns =
			import_whole(value(line->field, at + 1) / 100, (double)job->end_ns);
		job->switches = import_whole(value(line->field, at + 2), 1);
	}
	job->runtime_ns = job->elapsed_ns = job->end_ns;
	if (!record->program)
		record->program = arena_strdup(&record->arena, line->field[1]);
}

static unsigned count_lines(const char *text)
{
	unsigned lines = 1;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

int import_terse(struct record *record, const char *text, unsigned *ret_lines, struct err *err)
{
	unsigned lines = 0, room = count_lines(text);
	struct record_part *part = import_part(record, room);
	struct import_place *places = arena_array(&record->arena, struct import_place, room);
	char *copy = arena_strdup(&record->arena, text), *rest = copy, *one;
	struct line *line = arena_new(&record->arena, struct line);

	while ((one = strsep(&rest, "\n"))) {
		size_t length = strlen(one);

		if (length && one[length - 1] == '\r')
			one[length - 1] = '\0';
		if (!isdigit((unsigned char)one[0]) || !split(line, one))
			continue; /* a description, or another output beside it */
		read_line(record, part, line, &places[lines++]);
	}
	(void)err;
	*ret_lines = lines;
	if (!lines)
		return 0;
	import_order(part->result, places);
	result_note(part->result, "terse", SEVERITY_INFO, NULL,
		    "from fio's terse lines: the load is not told there, and counts are rate "
		    "times runtime");
	record->title = arena_printf(&record->arena, "%s: %s", record->program,
				     part->result->jobs[0].name);
	return 0;
}
