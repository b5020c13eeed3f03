/* The kinds that pick one way of working and its numbers: rw, splits, distributions and kin. */
#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/str.h"
#include "base/unit.h"
#include "job/options_priv.h"

/* --- rw --- */

struct rw_word {
	const char *text;
	bool read, write, trim, random, trim_then_write;
};

static const struct rw_word rw_words[] = {
	{"read", .read = true},
	{"write", .write = true},
	{"trim", .trim = true},
	{"randread", .read = true, .random = true},
	{"randwrite", .write = true, .random = true},
	{"randtrim", .trim = true, .random = true},
	{"rw", .read = true, .write = true},
	{"readwrite", .read = true, .write = true},
	{"randrw", .read = true, .write = true, .random = true},
	{"trimwrite", .trim = true, .write = true, .trim_then_write = true},
	{"randtrimwrite", .trim = true, .write = true, .random = true, .trim_then_write = true},
};

static const struct rw_word *rw_find(const char *text, size_t length)
{
	for (unsigned i = 0; i < ARRAY_SIZE(rw_words); i++)
		if (strlen(rw_words[i].text) == length &&
		    memcmp(rw_words[i].text, text, length) == 0)
			return &rw_words[i];
	return NULL;
}

/* ":N" behind the word: a count for random work, signed bytes for sequential. */
static int rw_step(struct reading *r, const char *text, struct rw *rw)
{
	bool minus = text[0] == '-';
	uint64_t n = 0;
	int rc;

	if (rw->random)
		return kind_count(r, text, &rw->every);
	rc = kind_size(r, text + minus, &n);
	if (rc)
		return rc;
	rw->skip_bytes = minus ? -(int64_t)n : (int64_t)n;
	rw->every = minus ? 0 : n;
	return 0;
}

int kind_rw_parse(struct reading *r, const char *text, void *field)
{
	const char *colon = strchrnul(text, ':');
	const struct rw_word *word = rw_find(text, (size_t)(colon - text));
	struct rw rw = {0};
	int rc;

	if (!word)
		return err_input(
			r->err,
			"\"%s\" is not one of: read write trim randread randwrite "
			"randtrim rw randrw trimwrite randtrimwrite (with :N or without)",
			text);
	rw.does[OP_READ] = word->read;
	rw.does[OP_WRITE] = word->write;
	rw.does[OP_TRIM] = word->trim;
	rw.random = word->random;
	rw.trim_then_write = word->trim_then_write;
	rw.text = str_equal(word->text, "readwrite") ? "rw" : word->text;
	rc = *colon ? rw_step(r, colon + 1, &rw) : 0;
	if (!rc)
		*(struct rw *)field = rw;
	return rc;
}

void kind_rw_format(const struct opt *opt, const struct job_spec *spec, const void *field,
		    struct str *out)
{
	const struct rw *rw = field;

	(void)opt, (void)spec;
	str_add(out, rw->text ? rw->text : "");
	if (rw->random && rw->every) {
		str_printf(out, ":%llu", (unsigned long long)rw->every);
	} else if (rw->skip_bytes) {
		str_add(out, rw->skip_bytes < 0 ? ":-" : ":");
		unit_format_size(
			(uint64_t)(rw->skip_bytes < 0 ? -rw->skip_bytes : rw->skip_bytes), out);
	}
}

/* --- bssplit --- */

#define SHARE_BLANK UINT32_MAX

static int share_parse(struct reading *r, const char *text, uint32_t *ret_percent)
{
	uint64_t percent = 0;
	int rc;

	if (!text || !*text) {
		*ret_percent = SHARE_BLANK;
		return 0;
	}
	rc = r->face == FACE_FIO ? kind_count(r, text, &percent)
				 : unit_parse_count(text, &percent, r->err);
	if (!rc && percent > 100)
		rc = err_input(r->err, "\"%s\" is more than 100 percent", text);
	if (!rc)
		*ret_percent = (uint32_t)percent;
	return rc;
}

static int split_entry(struct reading *r, const char *text, struct split_entry *entry)
{
	const char *halves[2], *ends[2];
	unsigned count = kind_split(r, text, "/", halves, 2), nends;
	int rc;

	if (count > 2)
		return err_input(r->err, "\"%s\" is not SIZE/PERCENT", text);
	nends = kind_split(r, halves[0], "-", ends, 2);
	if (nends > 2)
		return err_input(r->err, "\"%s\" is not a range of sizes", halves[0]);
	rc = kind_size(r, ends[0], &entry->min_bytes);
	entry->max_bytes = entry->min_bytes;
	if (!rc && nends == 2)
		rc = kind_size(r, ends[1], &entry->max_bytes);
	if (!rc && (!entry->min_bytes || entry->max_bytes < entry->min_bytes))
		rc = err_input(r->err, "\"%s\" must grow from at least 1 byte", halves[0]);
	return rc ? rc : share_parse(r, count == 2 ? halves[1] : NULL, &entry->percent);
}

/* fio gives the largest share whatever is lacking to 100, or takes from it what is too much. */
static int split_settle_fio(struct reading *r, const char *text, struct split *split,
			    unsigned sum)
{
	struct split_entry *largest = &split->entry[0];
	unsigned others;
	autostr s = {0};

	for (unsigned i = 1; i < split->count; i++)
		if (split->entry[i].percent >= largest->percent)
			largest = &split->entry[i];
	others = sum - largest->percent;
	if (others > 100)
		return err_input(r->err, "\"%s\": the shares make %u percent, not 100", text,
				 sum);
	largest->percent = 100 - others;
	str_printf(&s, "%u percent for the largest share, as the shares make %u",
		   largest->percent, sum);
	kind_doubt(r, text, str_text(&s));
	return 0;
}

static int split_settle(struct reading *r, const char *text, struct split *split)
{
	unsigned sum = 0, blanks = 0, rest;

	for (unsigned i = 0; i < split->count; i++) {
		bool blank = split->entry[i].percent == SHARE_BLANK;

		blanks += blank;
		sum += blank ? 0 : split->entry[i].percent;
	}
	if (blanks && sum > 100)
		return err_input(r->err, "\"%s\": the shares make %u percent already", text,
				 sum);
	rest = 100 - (sum < 100 ? sum : 100);
	for (unsigned i = 0; i < split->count && blanks; i++) {
		if (split->entry[i].percent != SHARE_BLANK)
			continue;
		split->entry[i].percent = rest / blanks;
		rest -= rest / blanks;
		sum += split->entry[i].percent;
		blanks--;
	}
	if (sum == 100)
		return 0;
	if (r->face == FACE_FIO)
		return split_settle_fio(r, text, split, sum);
	return err_input(r->err, "\"%s\": the shares make %u percent, not 100", text, sum);
}

static int split_one(struct reading *r, const char *text, struct split *ret_split)
{
	const char *parts[SPLIT_MAX];
	unsigned count = kind_split(r, text, ":", parts, SPLIT_MAX);
	struct split split = {.count = count};

	if (count > SPLIT_MAX)
		return kind_too_many(r, text, SPLIT_MAX, "sizes");
	for (unsigned i = 0; i < count; i++) {
		int rc = split_entry(r, parts[i], &split.entry[i]);

		if (rc)
			return rc;
	}
	*ret_split = split;
	return split_settle(r, text, ret_split);
}

int kind_split3_parse(struct reading *r, const char *text, void *field)
{
	struct split read[NDATA];
	const char *parts[NDATA];
	unsigned count = kind_split(r, text, ",", parts, NDATA);

	if (count == NDATA + 1 && str_ends(text, ","))
		count = NDATA;
	if (count > NDATA)
		return kind_too_many(r, text, NDATA, "directions");
	memcpy(read, field, sizeof(read));
	for (unsigned i = 0; i < count; i++) {
		int rc = *parts[i] ? split_one(r, parts[i], &read[i]) : 0;

		if (rc)
			return rc;
	}
	for (unsigned i = count; i < NDATA && *parts[count - 1]; i++)
		read[i] = read[count - 1];
	memcpy(field, read, sizeof(read));
	return 0;
}

static void split_format(const struct split *split, struct str *out)
{
	for (unsigned i = 0; i < split->count; i++) {
		const struct split_entry *entry = &split->entry[i];

		if (i)
			str_add_char(out, ':');
		unit_format_size(entry->min_bytes, out);
		if (entry->max_bytes != entry->min_bytes) {
			str_add_char(out, '-');
			unit_format_size(entry->max_bytes, out);
		}
		str_printf(out, "/%u", entry->percent);
	}
}

void kind_split3_format(const struct opt *opt, const struct job_spec *spec, const void *field,
			struct str *out)
{
	const struct split *split = field;

	(void)opt, (void)spec;
	for (unsigned i = 0; i < NDATA; i++) {
		if (i)
			str_add_char(out, ',');
		split_format(&split[i], out);
	}
}

/* --- random_distribution --- */

static const struct opt_word dist_words[] = {
	{"random", DIST_RANDOM, NULL},	     {"zipf", DIST_ZIPF, NULL},
	{"pareto", DIST_PARETO, NULL},	     {"normal", DIST_NORMAL, NULL},
	{"gauss", DIST_NORMAL, NULL},	     {"zoned", DIST_ZONED, NULL},
	{"zoned_abs", DIST_ZONED_ABS, NULL}, {NULL, 0, NULL},
};

/* What a distribution starts from where fio lets its number be left out. */
#define ZIPF_THETA_FIO 1.1
#define PARETO_H_FIO   0.2

static int dist_bounds(struct reading *r, const char *text, const struct dist *dist)
{
	double x = dist->value;

	if (dist->kind == DIST_ZIPF && (x <= 0 || x == 1.0))
		return err_input(r->err, "\"%s\": theta must be above 0 and not 1 (try 1.2)",
				 text);
	if (dist->kind == DIST_PARETO && (x <= 0 || x >= 1))
		return err_input(r->err, "\"%s\": h must be between 0 and 1 (try 0.2)", text);
	if (dist->kind == DIST_NORMAL && (x < 0 || x >= 100))
		return err_input(r->err,
				 "\"%s\": the deviation must be from 0 to below 100 percent",
				 text);
	if (dist->center != -1 && (dist->center < 0 || dist->center > 1))
		return err_input(r->err, "\"%s\": the center must be between 0 and 1", text);
	return 0;
}

/* "zipf:1.2:0.25" split at its colons. */
static int dist_numbers(struct reading *r, const char *text, const char **parts, unsigned count,
			struct dist *dist)
{
	int rc = 0;

	if (count > 3)
		return err_input(r->err, "\"%s\" has too many parts (try zipf:1.2:0.5)", text);
	if (count == 1 && r->face == FACE_NATIVE)
		return err_input(r->err,
				 "\"%s\" needs its number (zipf:1.2, pareto:0.2, normal:10)",
				 text);
	dist->value = dist->kind == DIST_ZIPF	  ? ZIPF_THETA_FIO
		      : dist->kind == DIST_PARETO ? PARETO_H_FIO
						  : 0;
	dist->center = -1;
	if (count > 1)
		rc = kind_double(r, parts[1], &dist->value);
	if (!rc && count > 2)
		rc = kind_double(r, parts[2], &dist->center);
	return rc ? rc : dist_bounds(r, text, dist);
}

static int zone_parse(struct reading *r, const char *text, const struct dist *dist,
		      struct dist_zone *zone)
{
	const char *halves[2];
	uint32_t span = 0;
	int rc;

	if (kind_split(r, text, "/", halves, 2) != 2)
		return err_input(r->err, "\"%s\" is not ACCESS/SPAN", text);
	rc = share_parse(r, halves[0], &zone->access_percent);
	if (rc)
		return rc;
	if (dist->kind == DIST_ZONED_ABS)
		return kind_size(r, halves[1], &zone->span);
	rc = share_parse(r, halves[1], &span);
	zone->span = span;
	return rc;
}

/* Fills the places left blank with equal parts of the rest, and checks that they make 100. */
static int zones_settle(struct reading *r, const char *text, const struct dist *dist,
			struct dist_zone *zone, unsigned count)
{
	for (unsigned what = 0; what < 2; what++) {
		uint64_t sum = 0, blanks = 0;

		if (what == 1 && dist->kind == DIST_ZONED_ABS)
			break;
		for (unsigned i = 0; i < count; i++) {
			uint64_t v = what ? zone[i].span : zone[i].access_percent;

			blanks += v == SHARE_BLANK;
			sum += v == SHARE_BLANK ? 0 : v;
		}
		for (unsigned i = 0; i < count && blanks && sum <= 100; i++) {
			uint64_t v = what ? zone[i].span : zone[i].access_percent,
				 part = (100 - sum) / blanks;

			if (v != SHARE_BLANK)
				continue;
			if (what)
				zone[i].span = part;
			else
				zone[i].access_percent = (uint32_t)part;
			sum += part;
			blanks--;
		}
		if (sum != 100 || blanks)
			return err_input(
				r->err,
				what ? N_("\"%s\": the spans make %llu percent, not 100")
				     : N_("\"%s\": the accesses make %llu percent, not 100"),
				text, (unsigned long long)sum);
	}
	return 0;
}

static int zones_one(struct reading *r, const char *text, struct dist *dist, unsigned dir)
{
	const char *parts[ZONES_MAX];
	unsigned count = kind_split(r, text, ":", parts, ZONES_MAX);
	struct dist_zone *zone;

	if (count > ZONES_MAX)
		return kind_too_many(r, text, ZONES_MAX, "zones");
	zone = arena_array(&r->set->arena, struct dist_zone, count);
	for (unsigned i = 0; i < count; i++) {
		int rc = zone_parse(r, parts[i], dist, &zone[i]);

		if (rc)
			return rc;
	}
	dist->zone[dir] = zone;
	dist->nzones[dir] = count;
	return zones_settle(r, text, dist, zone, count);
}

static int zones_parse(struct reading *r, const char *text, struct dist *dist)
{
	const char *parts[NDATA];
	unsigned count = kind_split(r, text, ",", parts, NDATA);

	if (count > NDATA)
		return kind_too_many(r, text, NDATA, "directions");
	for (unsigned i = 0; i < count; i++) {
		int rc = zones_one(r, parts[i], dist, i);

		if (rc)
			return rc;
	}
	for (unsigned i = count; i < NDATA; i++) {
		dist->zone[i] = dist->zone[count - 1];
		dist->nzones[i] = dist->nzones[count - 1];
	}
	return 0;
}

int kind_dist_parse(struct reading *r, const char *text, void *field)
{
	const char *parts[4], *colon = strchrnul(text, ':');
	unsigned count = kind_split(r, text, ":", parts, ARRAY_SIZE(parts));
	struct dist dist = {.center = -1};
	const struct opt_word *word;
	int rc = 0;

	if (str_equal(parts[0], "sequence"))
		return err_input(r->err,
				 "\"%s\": a sequence of offsets is not built in; use "
				 "zoned_abs or several jobs",
				 text);
	word = kind_word(dist_words, parts[0]);
	if (!word)
		return err_input(r->err,
				 "\"%s\" is not one of: random zipf:THETA pareto:H "
				 "normal:DEVIATION zoned:... zoned_abs:...",
				 text);
	dist.kind = (enum dist_kind)word->value;
	if (dist.kind == DIST_RANDOM && count > 1)
		rc = err_input(r->err, "\"%s\": random takes no number", text);
	else if (dist.kind >= DIST_ZONED)
		rc = *colon ? zones_parse(r, colon + 1, &dist)
			    : err_input(r->err, "\"%s\" needs its zones (zoned:60/10:40/90)",
					text);
	else if (dist.kind != DIST_RANDOM)
		rc = dist_numbers(r, text, parts, count, &dist);
	if (!rc)
		*(struct dist *)field = dist;
	return rc;
}

static void zones_format(const struct dist *dist, unsigned dir, struct str *out)
{
	for (unsigned i = 0; i < dist->nzones[dir]; i++) {
		const struct dist_zone *zone = &dist->zone[dir][i];

		str_printf(out, "%s%u/", i ? ":" : "", zone->access_percent);
		if (dist->kind == DIST_ZONED_ABS)
			unit_format_size(zone->span, out);
		else
			str_printf(out, "%llu", (unsigned long long)zone->span);
	}
}

void kind_dist_format(const struct opt *opt, const struct job_spec *spec, const void *field,
		      struct str *out)
{
	const struct dist *dist = field;

	(void)opt, (void)spec;
	str_add(out, kind_word_text(dist_words, dist->kind));
	if (dist->kind == DIST_RANDOM)
		return;
	str_add_char(out, ':');
	if (dist->kind >= DIST_ZONED) {
		for (unsigned i = 0; i < NDATA; i++) {
			if (i)
				str_add_char(out, ',');
			zones_format(dist, i, out);
		}
		return;
	}
	unit_format_double(dist->value, out);
	if (dist->center != -1) {
		str_add_char(out, ':');
		unit_format_double(dist->center, out);
	}
}

/* --- file_service_type --- */

static const struct opt_word service_words[] = {
	{"roundrobin", FILE_SERVICE_ROUNDROBIN, NULL},
	{"sequential", FILE_SERVICE_SEQUENTIAL, NULL},
	{"random", FILE_SERVICE_RANDOM, NULL},
	{"zipf", FILE_SERVICE_ZIPF, NULL},
	{"pareto", FILE_SERVICE_PARETO, NULL},
	{"normal", FILE_SERVICE_NORMAL, NULL},
	{"gauss", FILE_SERVICE_NORMAL, NULL},
	{NULL, 0, NULL},
};

static int service_distribution(struct reading *r, const char *text, const char *number,
				struct file_service_rule *rule)
{
	struct dist dist = {.center = -1};
	int rc = 0;

	dist.kind = rule->kind == FILE_SERVICE_ZIPF	? DIST_ZIPF
		    : rule->kind == FILE_SERVICE_PARETO ? DIST_PARETO
							: DIST_NORMAL;
	dist.value = dist.kind == DIST_ZIPF ? ZIPF_THETA_FIO : PARETO_H_FIO;
	if (number)
		rc = kind_double(r, number, &dist.value);
	rc = rc ? rc : dist_bounds(r, text, &dist);
	rule->value = dist.value;
	return rc;
}

int kind_file_service_parse(struct reading *r, const char *text, void *field)
{
	struct file_service_rule rule = {.every = 1};
	const char *parts[2];
	unsigned count = kind_split(r, text, ":", parts, 2);
	const struct opt_word *word = kind_word(service_words, parts[0]);
	const char *number = count == 2 ? parts[1] : NULL;
	uint64_t every = 1;
	int rc = 0;

	if (!word || count > 2)
		return err_input(r->err,
				 "\"%s\" is not one of: roundrobin sequential random (with "
				 ":N or without), zipf:X pareto:X normal:X",
				 text);
	rule.kind = (enum file_service)word->value;
	if (rule.kind >= FILE_SERVICE_ZIPF) {
		rc = service_distribution(r, text, number, &rule);
	} else if (number) {
		rc = kind_count(r, number, &every);
		if (!rc && (!every || every > UINT32_MAX))
			rc = err_input(r->err, "\"%s\": at least 1 request a file", text);
	}
	rule.every = (uint32_t)every;
	if (!rc)
		*(struct file_service_rule *)field = rule;
	return rc;
}

void kind_file_service_format(const struct opt *opt, const struct job_spec *spec,
			      const void *field, struct str *out)
{
	const struct file_service_rule *rule = field;

	(void)opt, (void)spec;
	str_add(out, kind_word_text(service_words, rule->kind));
	if (rule->kind >= FILE_SERVICE_ZIPF) {
		str_add_char(out, ':');
		unit_format_double(rule->value, out);
	} else if (rule->every > 1) {
		str_printf(out, ":%u", rule->every);
	}
}

/* --- lists of numbers --- */

int kind_floats_parse(struct reading *r, const char *text, void *field)
{
	const char *parts[PERCENTILES_MAX];
	unsigned count = kind_split(r, text, ":", parts, PERCENTILES_MAX);
	double value[PERCENTILES_MAX];

	if (count > PERCENTILES_MAX)
		return kind_too_many(r, text, PERCENTILES_MAX, "numbers");
	for (unsigned i = 0; i < count; i++) {
		int rc = kind_double(r, parts[i], &value[i]);

		if (!rc && (value[i] < 0 || value[i] > 100))
			rc = err_input(r->err, "\"%s\" is not a percentile: 0 to 100",
				       parts[i]);
		if (rc)
			return rc;
	}
	memcpy(field, value, count * sizeof(value[0]));
	r->spec->npercentiles = count;
	return 0;
}

void kind_floats_format(const struct opt *opt, const struct job_spec *spec, const void *field,
			struct str *out)
{
	const double *value = field;

	(void)opt;
	for (unsigned i = 0; i < spec->npercentiles; i++) {
		if (i)
			str_add_char(out, ':');
		unit_format_double(value[i], out);
	}
}

/* --- steadystate --- */

static const struct opt_word steady_words[] = {
	{"iops", STEADY_IOPS, NULL},
	{"iops_slope", STEADY_IOPS_SLOPE, NULL},
	{"bw", STEADY_BW, NULL},
	{"bw_slope", STEADY_BW_SLOPE, NULL},
	{"lat", STEADY_LAT, NULL},
	{"lat_slope", STEADY_LAT_SLOPE, NULL},
	{NULL, 0, NULL},
};

/* Percent, or the metric's own unit: requests per second, bytes per second, nanoseconds. */
static int steady_limit(struct reading *r, const char *text, struct steady_spec *steady)
{
	size_t n = strlen(text);
	uint64_t whole = 0;
	int rc;

	if (n && text[n - 1] == '%') {
		steady->limit_is_percent = true;
		return kind_double(r, arena_strndup(&r->set->arena, text, n - 1),
				   &steady->limit);
	}
	if (steady->metric <= STEADY_IOPS_SLOPE ||
	    (r->face == FACE_FIO && steady->metric > STEADY_BW_SLOPE))
		return kind_double(r, text, &steady->limit);
	rc = steady->metric <= STEADY_BW_SLOPE ? kind_size(r, text, &whole)
					       : unit_parse_time(text, "us", &whole, r->err);
	steady->limit = (double)whole;
	return rc;
}

int kind_steady_parse(struct reading *r, const char *text, void *field)
{
	struct steady_spec steady = {.given = true};
	const struct opt_word *word;
	const char *parts[2];
	int rc;

	if (kind_split(r, text, ":", parts, 2) != 2 ||
	    !(word = kind_word(steady_words, parts[0])))
		return err_input(r->err,
				 "\"%s\" is not METRIC:LIMIT (iops iops_slope bw bw_slope "
				 "lat lat_slope; try iops:5%%)",
				 text);
	steady.metric = (enum steady_metric)word->value;
	rc = steady_limit(r, parts[1], &steady);
	if (!rc && !(steady.limit >= 0))
		rc = err_input(r->err, "\"%s\": the limit must not be negative", text);
	if (!rc)
		*(struct steady_spec *)field = steady;
	return rc;
}

void kind_steady_format(const struct opt *opt, const struct job_spec *spec, const void *field,
			struct str *out)
{
	const struct steady_spec *steady = field;
	bool whole = !steady->limit_is_percent && steady->metric >= STEADY_BW;

	(void)opt, (void)spec;
	if (!steady->given)
		return;
	str_printf(out, "%s:", kind_word_text(steady_words, steady->metric));
	if (whole && steady->metric >= STEADY_LAT)
		unit_format_time((uint64_t)steady->limit, out);
	else if (whole)
		unit_format_size((uint64_t)steady->limit, out);
	else
		unit_format_double(steady->limit, out);
	if (steady->limit_is_percent)
		str_add_char(out, '%');
}
