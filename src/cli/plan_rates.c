/* How fast a target may be, before it was written: earlier runs, the data sheet, else it is read
 * for a second and a half. */
#include <math.h>
#include <stdlib.h>

#include "base/lang.h"
#include "cli/plan_estimate.h"
#include "run/run.h"

#define SLOWEST_SHARE \
	20 /* of the read rate: a write rate that is not known is at least this part */
#define RANDOM_SHARE 5	  /* of the write rate, at random */
#define KEPT_MARGIN  2	  /* of few runs the fastest one is not behind us */
#define OVER_SHEET   1.25 /* what a data sheet or reading says is no limit of writing */
#define IOS_MARGIN   4	  /* writes that a cache takes are faster than reads */

/* --- earlier runs --- */

static void take_column(void *context, unsigned columns, const char *const *names,
			const char *const *values)
{
	double *found = context;

	(void)names;
	for (unsigned i = 0; values && i < columns; i++)
		found[i] = values[i] ? strtod(values[i], NULL) : 0;
}

static void add_quoted(const char *text, struct str *out)
{
	str_add_char(out, '\'');
	for (; *text; text++)
		str_printf(out, *text == '\'' ? "''" : "%c", *text);
	str_add_char(out, '\'');
}

/* Least and most of earlier runs of the same target, blocks of 64 KiB and more. */
static struct plan_speed kept_speed(struct store *store, const char *path,
				    const char *direction, const char *load)
{
	double found[2] = {0};
	autostr sql = {0};

	if (!store)
		return (struct plan_speed){0};
	str_add(&sql,
		"SELECT min(bytes_per_s), max(bytes_per_s) FROM cells JOIN runs ON runs.id "
		"= run_id WHERE bytes_per_s > 0 AND bs_bytes >= 65536 AND target = ");
	add_quoted(path, &sql);
	str_printf(&sql, " AND direction = '%s' AND load LIKE '%s'", direction, load);
	if (store_query(store, str_text(&sql), take_column, found, NULL))
		return (struct plan_speed){0}; /* a store that cannot be asked knows nothing */
	return (struct plan_speed){found[0] / KEPT_MARGIN, found[1] * KEPT_MARGIN};
}

static struct plan_speed sheet_speed(const struct plan_spec *spec, const char *name)
{
	const struct check_value *value = plan_spec_find(spec, name);

	if (!value || value->unit != CHECK_BYTES_PER_S)
		return (struct plan_speed){0};
	return (struct plan_speed){value->value / 2, value->value * OVER_SHEET};
}

/* --- reading --- */

/* What reading tells: bytes a second in order, then requests a second at random. */
struct probed {
	double bytes_per_s, ios_per_s;
};

static int add_probe(struct job_set *set, const char *path, bool at_random)
{
	bool is_model = str_starts(path, "sim:"); /* it costs CPU, and does not vary */
	const char *const options[][2] = {
		{"rw", at_random ? "randread" : "read"},
		{"bs", at_random ? "4k" : "128k"},
		{"runtime", !at_random ? "1s"
			    : is_model ? "20ms"
				       : "500ms"},
		{"time_based", "1"},
		{"iodepth", "32"},
		{"direct", "1"},
		{"stonewall", "1"},
		{"filename", path},
		{"ioengine", "libaio"},
	};
	struct job_spec *spec = job_new(set, "probe");
	int rc = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(options) && !rc; i++)
		rc = job_set_option(set, spec, options[i][0], options[i][1], NULL);
	return rc ? rc : job_add(set, spec, NULL);
}

static struct probed probe(const char *path, bool holds_devices)
{
	const struct run_hooks hooks = {.holds_devices = holds_devices};
	struct probed probed = {0};
	struct result result;
	struct job_set set;
	int rc;

	job_set_init(&set, FACE_NATIVE);
	result_init(&result, &set);
	set.options.readonly = true;
	rc = add_probe(&set, path, false);
	if (!rc)
		rc = add_probe(&set, path, true);
	if (!rc)
		rc = run_execute(&set, &hooks, &result, NULL);
	if (!rc && result.njobs == 2) {
		probed.bytes_per_s = result_rate(&result.jobs[0], DIR_READ).bytes_per_s;
		probed.ios_per_s = result_rate(&result.jobs[1], DIR_READ).ios_per_s;
	}
	result_done(&result);
	job_set_done(&set);
	return probed;
}

static void fill_gaps(struct plan_speeds *speeds, double read_rate)
{
	struct plan_speed guess = {read_rate / SLOWEST_SHARE, read_rate * OVER_SHEET};

	if (!(speeds->read.most > 0))
		speeds->read = (struct plan_speed){read_rate / 2, read_rate * OVER_SHEET};
	if (!(speeds->write.most > 0))
		speeds->write = guess;
	if (!(speeds->random_write.most > 0))
		speeds->random_write = (struct plan_speed){
			fmin(guess.least, speeds->write.least) / RANDOM_SHARE,
			speeds->write.most};
}

void plan_rates_find(const struct plan_outlook *outlook, const char *path,
		     struct plan_speeds *ret_speeds)
{
	struct store *store = outlook->store;
	const struct plan_spec *spec = outlook->spec;
	struct plan_speeds speeds = {
		.read = kept_speed(store, path, "read", "%read"),
		.write = kept_speed(store, path, "write", "write"),
		.random_write = kept_speed(store, path, "write", "randwrite"),
		.source = N_("earlier runs of this target"),
	};
	struct probed probed;

	if (!(speeds.write.most > 0)) {
		speeds.source = N_("the data sheet, and half of it");
		speeds.read = sheet_speed(spec, "read.bw");
		speeds.write = sheet_speed(spec, "write.bw");
	}
	if (!(speeds.write.most > 0))
		speeds.source =
			N_("a second of reading; writing is taken for a twentieth of it to "
			   "all of it");
	probed = probe(path, outlook->holds_devices);
	fill_gaps(&speeds, speeds.read.most > 0 ? speeds.read.most : probed.bytes_per_s);
	speeds.ios_most = IOS_MARGIN * probed.ios_per_s;
	*ret_speeds = speeds;
}
