#include "report/fio_eta.h"

#include <string.h>

#include "base/bits.h"
#include "report/fio_number.h"

/* --- the wish: rates and minima of the workers that run --- */

struct wish {
	uint64_t rate, rate_min, iops, iops_min;
};

static void add_wish(struct wish *wish, const struct job_spec *spec)
{
	for (unsigned dir = 0; dir < NDATA; dir++) {
		if (!spec->rw.does[dir])
			continue;
		wish->rate += spec->rate[dir];
		wish->rate_min += spec->rate_min[dir];
		wish->iops += spec->rate_iops[dir];
		wish->iops_min += spec->rate_iops_min[dir];
	}
}

static bool is_running(char state)
{
	return strchr("RrWwMmDdFf/", state) != NULL;
}

static struct wish wish_of(const struct job_set *set, const char *states)
{
	struct wish wish = {0};
	size_t nstates = states ? strlen(states) : 0;
	unsigned worker = 0;

	for (unsigned i = 0; i < set->njobs; i++)
		for (unsigned clone = 0; clone < set->jobs[i]->numjobs; clone++, worker++)
			if (worker < nstates && is_running(states[worker]))
				add_wish(&wish, set->jobs[i]);
	return wish;
}

/* --- parts of the line --- */

static struct fio_scale scale_of(const struct job_set *set, enum fio_unit unit)
{
	const struct job_spec *spec = set->njobs ? set->jobs[0] : NULL;
	struct fio_scale scale = {.digits = 4, .base = 1024, .unit = unit};

	if (unit == FIO_COUNT || (spec && spec->kb_base == 1000))
		scale.base = 1000;
	if (unit == FIO_BYTES && spec && spec->unit_base == 1)
		scale.unit = FIO_BITS;
	return scale;
}

static void add_rate(struct str *out, const struct job_set *set, double bytes_per_s)
{
	struct fio_scale scale = scale_of(set, FIO_BYTES);

	fio_number(out, scale.unit == FIO_BITS ? 8 * bytes_per_s : bytes_per_s, scale);
	str_add(out, "/s");
}

/* What is measured is shown from KiB up; what was wished for, from bytes. */
static void add_rate_kib(struct str *out, const struct job_set *set, double bytes_per_s)
{
	struct fio_scale scale = scale_of(set, FIO_BYTES);

	scale.step = 1;
	bytes_per_s /= scale.base;
	fio_number(out, scale.unit == FIO_BITS ? 8 * bytes_per_s : bytes_per_s, scale);
	str_add(out, "/s");
}

static void add_wished(struct str *out, const struct job_set *set, const char *states)
{
	struct wish wish = wish_of(set, states);

	if (wish.rate || wish.rate_min) {
		str_add(out, ", ");
		add_rate(out, set, (double)wish.rate_min);
		str_add_char(out, '-');
		add_rate(out, set, (double)wish.rate);
	} else if (wish.iops || wish.iops_min) {
		str_add(out, ", ");
		fio_number(out, (double)wish.iops_min, scale_of(set, FIO_COUNT));
		str_add_char(out, '-');
		fio_number(out, (double)wish.iops, scale_of(set, FIO_COUNT));
		str_add(out, " IOPS");
	}
}

/* "[r(1),P(2)]": runs of equal letters. */
static void add_states(struct str *out, const char *states)
{
	str_add_char(out, '[');
	for (const char *at = states; at && *at;) {
		char run[2] = {*at, 0};
		unsigned count = (unsigned)strspn(at, run);

		str_printf(out, "%s%c(%u)", at == states ? "" : ",", *at, count);
		at += count;
	}
	str_add_char(out, ']');
}

static const char *const letters[NDATA] = {"r", "w", "t"};

static void add_figures(struct str *out, const struct job_set *set, const struct row *row)
{
	double seconds = (double)(row->end_ns - row->begin_ns) / 1e9;
	unsigned shown = 0;

	if (!(seconds > 0))
		return;
	for (unsigned dir = 0; dir < NDATA; dir++) {
		if (!row->dir[dir].ios)
			continue;
		str_printf(out, "%s%s=", shown++ ? "," : "[", letters[dir]);
		add_rate_kib(out, set, (double)row->dir[dir].bytes / seconds);
	}
	if (!shown)
		return;
	str_add_char(out, ']');
	shown = 0;
	for (unsigned dir = 0; dir < NDATA; dir++) {
		if (!row->dir[dir].ios)
			continue;
		str_printf(out, "%s%s=", shown++ ? "," : "[", letters[dir]);
		fio_number(out, (double)row->dir[dir].ios / seconds, scale_of(set, FIO_COUNT));
	}
	str_add(out, " IOPS]");
}

static void add_left(struct str *out, uint64_t left_ns)
{
	uint64_t s = (left_ns + NS_PER_S / 2) / NS_PER_S;
	unsigned seconds = (unsigned)(s % 60), minutes = (unsigned)(s / 60 % 60);
	unsigned hours = (unsigned)(s / 3600 % 24), days = (unsigned)(s / 86400);

	if (left_ns == PROGRESS_UNKNOWN) {
		str_add(out, "[eta --]");
		return;
	}
	str_add(out, "[eta ");
	if (days)
		str_printf(out, "%ud:", days);
	if (days || hours)
		str_printf(out, "%02uh:", hours);
	str_printf(out, "%02um:%02us]", minutes, seconds);
}

void fio_eta(const struct progress *progress, const struct job_set *set, struct str *out)
{
	str_printf(out, "Jobs: %u (f=%u)", progress->running, progress->open_files);
	add_wished(out, set, progress->states);
	if (progress->phase == PROGRESS_LAYOUT)
		return;
	str_add(out, ": ");
	add_states(out, progress->states);
	if (progress->done_percent < 0)
		str_add(out, "[-.-%]");
	else
		str_printf(out, "[%3.1f%%]", progress->done_percent);
	add_figures(out, set, &progress->row);
	add_left(out, progress->left_ns);
}
