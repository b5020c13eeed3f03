#include "report/run_page.h"

#include <math.h>

#include "base/bits.h"
#include "base/err.h"
#include "base/lang.h"
#include "report/facts_page.h"
#include "report/figures.h"
#include "report/health_page.h"
#include "report/logs_page.h"

#define UNFINISHED_SHOWN 10

static const char *const op_names[] = {"read", "write", "trim", "fsync", "fdatasync"};

/* --- one group: the table by direction --- */

static bool is_rated(const struct job_result *group)
{
	return group->arrivals_due > 0;
}

static uint64_t typical_ns(const struct job_result *group)
{
	uint64_t typical = 0;

	for (unsigned dir = 0; dir < NDIR; dir++) {
		const char *name;
		const struct lat *lat = figure_service(&group->dir[dir], &name);

		if (lat->sums.total)
			typical = max_u64(typical, (uint64_t)hist_sums_mean_ns(&lat->sums));
	}
	return typical;
}

static void latency_cells(struct document *doc, struct table *table, const struct lat *lat,
			  struct lat_unit unit)
{
	static const double percents[] = {50, 99, 99.9};

	table_cell(doc, table, "%s", figure_mean(doc, lat, unit));
	for (unsigned i = 0; i < ARRAY_SIZE(percents); i++)
		table_cell(doc, table, "%s", figure_percentile(doc, lat, percents[i], unit));
	table_cell(doc, table, "%s", figure_max(doc, lat, unit));
}

/* fio's unified_rw_reporting, imported: reads and writes are one figure, which is no read's. */
static bool is_unified(const struct job_result *group)
{
	return group->spec->unified_rw_reporting == UNIFIED_MIXED &&
	       group->spec->rw.does[DIR_READ] && group->spec->rw.does[DIR_WRITE] &&
	       !group->dir[DIR_WRITE].ios;
}

static const char *dir_name(const struct job_result *group, enum dir dir)
{
	return dir == DIR_READ && is_unified(group) ? N_("mixed") : figure_dir_names[dir];
}

static const char *dir_word(struct document *doc, const struct job_result *group, enum dir dir)
{
	return lang_text(doc->style.lang, dir_name(group, dir));
}

static void direction_rows(struct document *doc, struct table *table,
			   const struct job_result *group, enum dir dir, struct lat_unit unit)
{
	const struct dir_result *figures = &group->dir[dir];
	struct rate rate = result_rate(group, dir);
	const char *kind;
	const struct lat *service = figure_service(figures, &kind);
	bool plain = !is_rated(group) && str_equal(kind, "service");

	table_cell(doc, table, "%s%s%s", dir_word(doc, group, dir), plain ? "" : ", ",
		   plain ? "" : document_say(doc, kind));
	table_cell(doc, table, "%s", figure_plain(doc, rate.ios_per_s));
	table_cell(doc, table, "%s", figures->bytes ? figure_mb(doc, rate.bytes_per_s) : "–");
	latency_cells(doc, table, service, unit);
	if (!is_rated(group))
		return;
	table_cell(doc, table, "%s, response", dir_word(doc, group, dir));
	table_cell(doc, table, "%s", "");
	table_cell(doc, table, "%s", "");
	latency_cells(doc, table, &figures->lat[LAT_RESPONSE], unit);
}

static void group_table(struct document *doc, const struct job_result *group)
{
	struct lat_unit unit = figure_lat_unit(typical_ns(group));
	const char *heads[] = {"",
			       N_("IOPS"),
			       N_("MB/s"),
			       document_text(doc, "mean %s", unit.name),
			       document_text(doc, "p50 %s", unit.name),
			       document_text(doc, "p99 %s", unit.name),
			       document_text(doc, "p99.9 %s", unit.name),
			       document_text(doc, "max %s", unit.name),
			       NULL};
	struct table table;

	table_init(&table, heads);
	for (enum dir dir = DIR_READ; dir < NDIR; dir++)
		if (group->dir[dir].ios)
			direction_rows(doc, &table, group, dir, unit);
	if (is_rated(group) && group->lateness.sums.total) {
		table_cell(doc, &table, "sent late by");
		table_cell(doc, &table, "%s", "");
		table_cell(doc, &table, "%s", "");
		latency_cells(doc, &table, &group->lateness, unit);
	}
	document_table(doc, &table);
}

/* --- one group: what else is to be said --- */

static const char *load_text(struct document *doc, const struct job_result *group)
{
	const struct job_spec *spec = group->spec;
	autostr text = {0};

	str_add(&text, spec->rw.text ? spec->rw.text : "");
	if (spec->rw.does[DIR_READ] && spec->rw.does[DIR_WRITE])
		str_printf(&text, " %u/%u", spec->rwmixread, 100 - spec->rwmixread);
	for (unsigned dir = 0; dir < NDATA; dir++)
		if (spec->rw.does[dir]) {
			str_printf(&text, ", %s", figure_size(doc, spec->bs[dir].min));
			if (spec->bs[dir].max != spec->bs[dir].min)
				document_add(doc, &text, " to %s",
					     figure_size(doc, spec->bs[dir].max));
			break;
		}
	document_add(doc, &text,
		     group->as_process ? PLURAL(group->members, ", depth %u, %u process",
						", depth %u, %u processes")
				       : PLURAL(group->members, ", depth %u, %u worker",
						", depth %u, %u workers"),
		     spec->iodepth, group->members);
	return document_text(doc, "%s", str_text(&text));
}

static const char *depth_text(struct document *doc, const struct job_result *group)
{
	if (!(group->depth_mean > 0))
		return NULL;
	return document_text(
		doc, "%s in flight on average, %s asked", figure_plain(doc, group->depth_mean),
		figure_count(doc, (uint64_t)group->spec->iodepth * group->members));
}

static const char *cpu_text(struct document *doc, const struct job_result *group)
{
	double ios = (double)(figure_total_ios(group) + group->ramp_ios);
	const char *beyond = "", *core = "";

	if (!(ios > 0) || !(group->user_ns + group->sys_ns + group->beyond_ns))
		return NULL;
	if (group->core_busy_max_percent > 0) /* else not known: an import */
		core = document_text(doc, ", busiest core %.0f %%",
				     group->core_busy_max_percent);
	if (group->beyond_ns)
		beyond =
			document_text(doc, ", beyond its threads %s",
				      figure_plain(doc, (double)group->beyond_ns / ios / 1000));
	return document_text(doc,
			     "%s us per I/O (user %s, sys %s%s), %s context switches per "
			     "I/O%s",
			     figure_plain(doc, figure_cpu_ns_per_io(group) / 1000),
			     figure_plain(doc, (double)group->user_ns / ios / 1000),
			     figure_plain(doc, (double)group->sys_ns / ios / 1000), beyond,
			     figure_plain(doc, (double)group->switches / ios), core);
}

static const char *arrivals_text(struct document *doc, const struct job_result *group)
{
	uint64_t ios = figure_total_ios(group);

	if (!is_rated(group))
		return NULL;
	return document_text(doc, "%s of %s due were done (%.1f %%)", figure_count(doc, ios),
			     figure_count(doc, group->arrivals_due),
			     100.0 * (double)ios / (double)group->arrivals_due);
}

static const char *mix_text(struct document *doc, const struct job_result *group)
{
	double reads = (double)group->dir[DIR_READ].ios;
	double all = reads + (double)group->dir[DIR_WRITE].ios;

	if (!group->spec->rw.does[DIR_READ] || !group->spec->rw.does[DIR_WRITE] || !(all > 0) ||
	    is_unified(group))
		return NULL;
	return document_text(doc, "%.1f %% of the requests were reads, %u %% asked",
			     100 * reads / all, group->spec->rwmixread);
}

static const char *moved_text(struct document *doc, const struct job_result *group)
{
	autostr text = {0};

	for (enum dir dir = DIR_READ; dir < NDIR; dir++) {
		const struct dir_result *figures = &group->dir[dir];

		if (!figures->ios)
			continue;
		str_printf(&text, "%s%s %s", text.length ? ", " : "",
			   figure_count(doc, figures->ios), dir_word(doc, group, dir));
		if (figures->bytes)
			str_printf(&text, " (%s)", figure_decimal(doc, figures->bytes));
	}
	if (group->rated_whole)
		document_add(doc, &text,
			     "; rates over the whole %s, of which all ran together for %s",
			     figure_time(doc, group->whole_end_ns - group->whole_begin_ns),
			     figure_time(doc, group->end_ns - group->begin_ns));
	else if (group->end_ns > group->begin_ns && group->members > 1)
		document_add(doc, &text, "; all ran together for %s",
			     figure_time(doc, group->end_ns - group->begin_ns));
	else if (group->end_ns > group->begin_ns)
		document_add(doc, &text, " in %s",
			     figure_time(doc, group->end_ns - group->begin_ns));
	return text.length ? document_text(doc, "%s", str_text(&text)) : NULL;
}

static const char *error_text(struct document *doc, const struct job_result *group)
{
	const struct first_error *first = &group->first_error;

	if (!first->code)
		return group->error ? err_name(group->error) : NULL;
	return document_text(
		doc, "%s; the first: %s of %u bytes at offset %llu of %s: %s",
		figure_count(doc, max_u64(group->total_errors, 1)), op_names[first->op],
		first->bytes, (unsigned long long)first->offset,
		first->path ? first->path : N_("the target"), err_name(first->code));
}

static const char *steady_text(struct document *doc, const struct job_result *group)
{
	const struct steady_result *steady = group->steady;

	if (!steady)
		return NULL;
	return document_text(
		doc,
		PLURAL(steady->samples, "%s: %.4g%s over %u sample, mean %s IOPS, %s",
		       "%s: %.4g%s over %u samples, mean %s IOPS, %s"),
		document_say(doc, steady->attained ? N_("attained") : N_("not attained")),
		steady->criterion, steady->criterion_is_percent ? " %" : "", steady->samples,
		figure_plain(doc, steady->iops_mean), figure_rate(doc, steady->bw_mean));
}

/* "" says as little as nothing. */
static const char *known(const char *text)
{
	return text && *text ? text : NULL;
}

static void group_page(struct document *doc, const struct job_result *group)
{
	const struct fact head[] = {
		{N_("load"), load_text(doc, group)},
		{N_("engine"), known(group->engine_about)},
		{N_("files"), known(group->files)},
		{N_("written"), group->dir[DIR_WRITE].ios ? group->fill_about : NULL},
	};
	const struct fact tail[] = {
		{N_("done"), moved_text(doc, group)},
		{N_("mix"), mix_text(doc, group)},
		{N_("arrivals"), arrivals_text(doc, group)},
		{N_("depth"), depth_text(doc, group)},
		{N_("CPU"), cpu_text(doc, group)},
		{N_("steady state"), steady_text(doc, group)},
		{N_("errors"), error_text(doc, group)},
	};

	document_heading(doc, 2, "%s", group->name);
	document_facts(doc, head, ARRAY_SIZE(head));
	group_table(doc, group);
	document_facts(doc, tail, ARRAY_SIZE(tail));
}

/* --- the whole run --- */

enum series { SERIES_IOPS, SERIES_P99 };

static double row_value(const struct row *row, enum dir dir, enum series series)
{
	double seconds = (double)(row->end_ns - row->begin_ns) / (double)NS_PER_S;

	if (row->partial || !(seconds > 0))
		return (double)NAN;
	if (series == SERIES_IOPS)
		return (double)row->dir[dir].ios / seconds;
	/* Too little came back: there is no p99, and no zero either. */
	if (!hist_percentile_is_sound(row->dir[dir].ios, 99))
		return (double)NAN;
	return (double)row->dir[dir].p99_ns / 1000;
}

static void series_chart(struct document *doc, const struct result *result, enum dir dir,
			 enum series series)
{
	double *values = arena_array(&doc->arena, double, result->nrows);
	const struct chart chart = {
		.title = document_text(doc, "%s%s", figure_dir(doc, dir),
				       series == SERIES_IOPS ? "" : " p99"),
		.unit = series == SERIES_IOPS ? "IOPS" : "us",
		.values = values,
		.count = result->nrows,
		.span = figure_time(doc, result->interval_ns),
	};

	for (unsigned i = 0; i < result->nrows; i++)
		values[i] = row_value(&result->rows[i], dir, series);
	document_chart(doc, &chart);
}

static bool has_p99(const struct result *result, enum dir dir)
{
	for (unsigned i = 0; i < result->nrows; i++)
		if (!isnan(row_value(&result->rows[i], dir, SERIES_P99)))
			return true;
	return false;
}

static void series_page(struct document *doc, const struct result *result)
{
	bool headed = false;

	for (enum dir dir = DIR_READ; dir < NDIR; dir++) {
		uint64_t ios = 0;
		unsigned whole = 0;

		for (unsigned i = 0; i < result->nrows; i++) {
			ios += result->rows[i].dir[dir].ios;
			whole += !result->rows[i].partial;
		}
		if (!ios || whole < 2)
			continue;
		if (!headed)
			document_heading(doc, 2,
					 "over time (0: an interval in which nothing "
					 "came back)");
		headed = true;
		series_chart(doc, result, dir, SERIES_IOPS);
		if (has_p99(result, dir))
			series_chart(doc, result, dir, SERIES_P99);
	}
}

static void unfinished_page(struct document *doc, const struct result *result)
{
	static const char *const heads[] = {N_("not finished"), N_("age"),  N_("offset"),
					    N_("bytes"),	N_("file"), NULL};
	struct table table;
	unsigned shown = 0;

	table_init(&table, heads);
	for (unsigned i = 0; i < result->njobs; i++)
		for (unsigned k = 0; k < result->jobs[i].nunfinished; k++) {
			const struct unfinished *one = &result->jobs[i].unfinished[k];

			if (shown++ >= UNFINISHED_SHOWN)
				continue;
			table_cell(doc, &table, "%s", op_names[one->op]);
			table_cell(doc, &table, "%s", figure_time(doc, one->age_ns));
			table_cell(doc, &table, "%llu", (unsigned long long)one->offset);
			table_cell(doc, &table, "%u", one->bytes);
			table_cell(doc, &table, "%s", one->path ? one->path : "");
		}
	document_table(doc, &table);
	if (shown > UNFINISHED_SHOWN)
		document_prose(doc, TONE_PLAIN, "and %u more", shown - UNFINISHED_SHOWN);
}

static void options_page(struct document *doc, const struct job_set *set)
{
	for (const struct job_note *note = set->notes; note; note = note->next)
		document_prose(doc, note->kind == NOTE_WARNING ? TONE_WARNING : TONE_INFO,
			       "%s%s%s%s%s", note->job ? note->job : "", note->job ? ": " : "",
			       note->option ? note->option : "", note->option ? ": " : "",
			       note->text);
}

void run_page_notes(struct document *doc, const struct result *result)
{
	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < result->nnotes; i++) {
			const struct note *note = &result->notes[i];
			bool named = note->job && result->set->njobs > 1;

			if ((note->severity == SEVERITY_WARNING) != (pass == 0))
				continue;
			document_prose(doc, pass == 0 ? TONE_WARNING : TONE_INFO, "%s%s%s",
				       named ? note->job : "", named ? ": " : "",
				       document_say(doc, note->text));
		}
}

/* --- the sentence --- */

static unsigned count_warnings(const struct result *result)
{
	unsigned count = 0;

	for (unsigned i = 0; i < result->nnotes; i++)
		count += result->notes[i].severity == SEVERITY_WARNING;
	for (const struct job_note *note = result->set->notes; note; note = note->next)
		count += note->kind == NOTE_WARNING;
	return count;
}

static void add_direction(struct document *doc, const struct job_result *group, enum dir dir,
			  struct str *out)
{
	struct rate rate = result_rate(group, dir);
	const struct dir_result *figures = &group->dir[dir];
	const char *kind;
	const struct lat *lat =
		is_rated(group) ? &figures->lat[LAT_RESPONSE] : figure_service(figures, &kind);
	uint64_t ns;

	document_add(doc, out, "%s%s: %s IOPS", out->length ? "; " : "",
		     dir_word(doc, group, dir), figure_plain(doc, rate.ios_per_s));
	if (figures->bytes)
		str_printf(out, ", %s", figure_rate(doc, rate.bytes_per_s));
	if (figure_percentile_ns(lat, 99, &ns))
		document_add(doc, out,
			     is_rated(group) ? N_(", 99 of 100 within %s of being due")
					     : N_(", 99 of 100 within %s"),
			     figure_time(doc, ns));
}

static void group_sentence(struct document *doc, const struct job_result *group,
			   struct str *out)
{
	for (enum dir dir = DIR_READ; dir < NDIR; dir++)
		if (group->dir[dir].ios)
			add_direction(doc, group, dir, out);
	if (group->rated_whole)
		document_add(doc, out,
			     "; all work over the whole %s: its members hardly ran together",
			     figure_time(doc, group->whole_end_ns - group->whole_begin_ns));
}

static void sentence(struct document *doc, const struct result *result,
		     const struct job_result *groups, unsigned ngroups)
{
	unsigned warnings = count_warnings(result);
	uint64_t errors = 0, ios = 0;
	autostr text = {0};

	for (unsigned i = 0; i < ngroups; i++) {
		ios += figure_total_ios(&groups[i]);
		errors += groups[i].total_errors;
	}
	if (!ios && !result->span_ns)
		document_add(doc, &text, "no figure was kept");
	else if (!ios)
		document_add(doc, &text, "nothing was measured");
	else if (ngroups == 1)
		group_sentence(doc, &groups[0], &text);
	else
		document_add(doc, &text,
			     PLURAL(ios, "%u groups of jobs did %s request in %s",
				    "%u groups of jobs did %s requests in %s"),
			     ngroups, figure_count(doc, ios),
			     figure_time(doc, result->span_ns));
	if (errors)
		document_add(doc, &text,
			     PLURAL(errors, "; %s request failed", "; %s requests failed"),
			     figure_count(doc, errors));
	if (warnings)
		document_add(doc, &text,
			     PLURAL(warnings, "; mind the %u warning above",
				    "; mind the %u warnings above"),
			     warnings);
	document_prose(doc, TONE_VERDICT, "%s.", str_text(&text));
}

void run_page_groups(struct document *doc, struct result *result)
{
	unsigned ngroups;
	const struct job_result *groups = result_groups(result, &ngroups);

	for (unsigned i = 0; i < ngroups; i++)
		group_page(doc, &groups[i]);
}

void run_page_end(struct document *doc, const struct result *result)
{
	facts_page_devices(doc, result);
	health_page(doc, result->facts.health, result->facts.nhealth);
	unfinished_page(doc, result);
	logs_page(doc, result);
	if (result->nnotes || result->set->notes) {
		document_heading(doc, 2, "notes");
		run_page_notes(doc, result);
		options_page(doc, result->set);
	}
}

void run_page_sentence(struct document *doc, struct result *result)
{
	unsigned ngroups;
	const struct job_result *groups = result_groups(result, &ngroups);

	sentence(doc, result, groups, ngroups);
}

void run_page(struct document *doc, struct result *result)
{
	document_heading(doc, 1, "%s",
			 lang_text(doc->style.lang,
				   result->simulated
					   ? N_("what was simulated (no drive was touched)")
					   : N_("what was measured")));
	facts_page(doc, result, NULL, 0);
	run_page_groups(doc, result);
	series_page(doc, result);
	run_page_end(doc, result);
	run_page_sentence(doc, result);
}
