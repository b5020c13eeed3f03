/* See plan_cdm.h. Every run step is a line, but for [file], which makes the file. */
#include "cli/plan_cdm.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "plan/cell.h"
#include "plan/measure.h"
#include "report/cdm_page.h"

#define CELLS_MAX 100

struct layout {
	const struct plan_view *view;
	struct cdm cdm;
	struct cdm_cell cells[NCDM_LOADS][CELLS_MAX];
};

static enum cdm_load load_of(const struct job_spec *spec)
{
	if (spec->rw.does[DIR_READ] && spec->rw.does[DIR_WRITE])
		return CDM_MIX;
	return spec->rw.does[DIR_WRITE] ? CDM_WRITE : CDM_READ;
}

static const char *variable_of(const struct plan *plan, const char *name, const char *otherwise)
{
	for (unsigned i = 0; i < plan->nvariables; i++)
		if (str_equal(plan->variables[i].key, name))
			return plan->variables[i].value;
	return otherwise;
}

/* What the page says once is that of its last line: all cells of such a plan agree. */
static int add_cell(struct layout *layout, const struct plan_lane *lane, unsigned number,
		    struct err *err)
{
	const struct plan_step *step = &lane->plan->steps[number];
	struct cdm *cdm = &layout->cdm;
	struct plan_figures figures;
	struct job_spec *spec;
	struct job_set set;
	enum cdm_load load;
	int rc;

	job_set_init(&set, FACE_NATIVE);
	rc = plan_cell_spec(&set, step, &step->cells[0],
			    layout->view->record->targets[lane->target].path, &spec, err);
	if (rc) {
		job_set_done(&set);
		return rc;
	}
	load = load_of(spec);
	(void)plan_cell_figures(lane, number, 0, &figures);
	if (cdm->ncells[load] < CELLS_MAX)
		layout->cells[load][cdm->ncells[load]++] = (struct cdm_cell){
			.random = spec->rw.random,
			.block_bytes = spec->bs[load == CDM_WRITE ? DIR_WRITE : DIR_READ].max,
			.depth = spec->iodepth,
			.threads = spec->numjobs,
			.bytes_per_s = figures.value[PLAN_ALL][CELL_BYTES_PER_S],
			.mean_ns = figures.value[PLAN_ALL][CELL_MEAN_NS],
		};
	cdm->score = plan_aggregate_names[step->aggregate];
	cdm->discarded = step->discard;
	cdm->runs = step->repeat - step->discard;
	cdm->time_ns = spec->runtime / layout->view->record->scale;
	cdm->pause_ns = step->pause_ns / layout->view->record->scale;
	cdm->size_bytes = spec->size.bytes / layout->view->record->scale;
	cdm->zeros = spec->zero_buffers;
	if (load == CDM_MIX)
		cdm->mix_read_percent = spec->rwmixread;
	job_set_done(&set);
	return 0;
}

/* "Debian GNU/Linux 12 [Linux 6.1.0]"; NULL unknown. */
static const char *system_of(const struct plan_view *view, struct str *text)
{
	const struct record *first =
		view->around && view->around->has ? &view->around->first : NULL;
	const struct result *result = first && first->nparts ? first->parts[0].result : NULL;

	if (!result || !result->facts.has_host)
		return NULL;
	str_printf(text, "%s [Linux %s]", result->facts.host.os, result->facts.host.kernel);
	return str_text(text);
}

static int add_page(struct layout *layout, const struct plan_lane *lane, struct str *out,
		    struct err *err)
{
	const struct plan_record *record = layout->view->record;
	const char *target = record->targets[lane->target].path;
	time_t seconds = (time_t)(record->started_unix_ns / NS_PER_S);
	char date[32] = "unknown";
	autostr system = {0};
	struct tm tm;
	int rc = 0;

	if (localtime_r(&seconds, &tm))
		(void)strftime(date, sizeof(date), "%Y/%m/%d %H:%M:%S", &tm);
	layout->cdm = (struct cdm){
		.program = "assay " ASSAY_VERSION,
		.profile = variable_of(lane->plan, "profile", record->name),
		.target = target,
		.date = date,
		.system = system_of(layout->view, &system),
		.simulated = str_starts(target, "sim:"),
	};
	for (unsigned l = 0; l < NCDM_LOADS; l++)
		layout->cdm.cells[l] = layout->cells[l];
	for (unsigned s = 0; s < lane->plan->nsteps && !rc; s++)
		if (!str_equal(lane->plan->steps[s].name, "file"))
			rc = add_cell(layout, lane, s, err);
	if (!rc)
		cdm_page(&layout->cdm, out);
	return rc;
}

int plan_cdm_check(const struct plan *plan, struct err *err)
{
	for (unsigned s = 0; s < plan->nsteps; s++)
		if (plan->steps[s].kind != PLAN_RUN)
			return err_input(err,
					 "format: cdm is for plans of single cells, such as "
					 "cdm: [%s] of \"%s\" is %s",
					 plan->steps[s].name, plan->name,
					 plan_kind_name(plan->steps[s].kind));
	return 0;
}

int plan_cdm(const struct plan_view *view, struct str *out, struct err *err)
{
	struct layout layout = {.view = view};
	int rc = plan_cdm_check(view->plan, err);

	for (unsigned r = 0; r < view->record->repetitions && !rc; r++)
		for (unsigned t = 0; t < view->record->ntargets && !rc; t++) {
			const struct plan_lane lane = {.plan = view->plan,
						       .journal = view->journal,
						       .spec = view->spec,
						       .target = t,
						       .repetition = r};

			if (out->length)
				str_add_char(out, '\n');
			rc = add_page(&layout, &lane, out, err);
		}
	return rc;
}
