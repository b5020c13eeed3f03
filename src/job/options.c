#include "job/options.h"

#include <errno.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/str.h"
#include "job/options_priv.h"

static const struct opt_table *const tables[] = {
	&opt_table_identity, &opt_table_target, &opt_table_io,	    &opt_table_random,
	&opt_table_buffer,   &opt_table_engine, &opt_table_time,    &opt_table_worker,
	&opt_table_measure,  &opt_table_errors, &opt_table_log,	    &opt_table_verify,
	&opt_table_replay,   &opt_table_zones,	&opt_table_command, &opt_table_foreign,
};

/* --- looking up --- */

static const struct opt_table *table_of(const struct opt *opt)
{
	for (unsigned i = 0; i < ARRAY_SIZE(tables); i++)
		if (opt >= tables[i]->rows && opt < tables[i]->rows + tables[i]->count)
			return tables[i];
	return NULL;
}

const struct opt *opt_next(const struct opt *opt)
{
	if (!opt)
		return tables[0]->rows;
	for (unsigned i = 0; i < ARRAY_SIZE(tables); i++) {
		if (opt < tables[i]->rows || opt >= tables[i]->rows + tables[i]->count)
			continue;
		if (opt + 1 < tables[i]->rows + tables[i]->count)
			return opt + 1;
		return i + 1 < ARRAY_SIZE(tables) ? tables[i + 1]->rows : NULL;
	}
	return NULL;
}

const char *opt_group(const struct opt *opt)
{
	return table_of(opt)->title;
}

static bool opt_in_face(const struct opt *opt, enum face face)
{
	return !(opt->flags & (face == FACE_FIO ? OPT_NATIVE : OPT_FIO));
}

/* Hundreds of jobs look up tens of options each: the first letter rules most rows out. */
const struct opt *opt_find(const char *key)
{
	for (unsigned i = 0; i < ARRAY_SIZE(tables); i++)
		for (unsigned row = 0; row < tables[i]->count; row++) {
			const struct opt *opt = &tables[i]->rows[row];

			if (opt->name[0] == key[0] && str_equal(opt->name, key))
				return opt;
			if (opt->alias && opt->alias[0] == key[0] && str_equal(opt->alias, key))
				return opt;
		}
	return NULL;
}

const struct opt *opt_find_face(const char *key, enum face face)
{
	const struct opt *opt = opt_find(key);

	return opt && opt_in_face(opt, face) ? opt : NULL;
}

const struct opt *opt_find_prefix(const char *key, enum face face, bool *ret_ambiguous)
{
	const struct opt *found = opt_find_face(key, face);

	*ret_ambiguous = false;
	if (found || !*key)
		return found;
	for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt)) {
		if (!opt_in_face(opt, face) || opt->deed == OPT_FOREIGN)
			continue;
		if (!str_starts(opt->name, key) && !(opt->alias && str_starts(opt->alias, key)))
			continue;
		if (found) {
			*ret_ambiguous = true;
			return NULL;
		}
		found = opt;
	}
	return found;
}

const char *opt_nearest(const char *key, enum face face)
{
	unsigned best = str_near_limit(key);
	const char *near = NULL;

	for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt)) {
		const char *names[] = {opt->name, opt->alias};

		if (!opt_in_face(opt, face) || opt->deed == OPT_FOREIGN)
			continue;
		for (unsigned i = 0; i < ARRAY_SIZE(names) && names[i]; i++) {
			unsigned distance = str_distance(key, names[i]);

			if (distance < best) {
				best = distance;
				near = names[i];
			}
		}
	}
	return near;
}

int opt_unknown(const char *key, enum face face, struct err *err)
{
	const struct opt *other = opt_find(key);
	const char *near;

	if (other && face == FACE_NATIVE)
		return err_input(err, "%s belongs to the fio face (assay fio ...): %s", key,
				 other->why);
	if (other)
		return err_input(err, "%s belongs to assay run, not to the fio face", key);
	near = opt_nearest(key, face);
	if (near)
		return err_input(err, "unknown option \"%s\": did you mean \"%s\"?", key, near);
	return err_input(err, "unknown option \"%s\" (`assay help options` lists all)", key);
}

bool opt_is_bare(const struct opt *opt)
{
	return opt->kind == OPT_FLAG || opt->kind == OPT_TEXT_MAYBE;
}

bool opt_is_cli(const struct opt *opt)
{
	return opt->flags & OPT_CLI;
}

static unsigned engine_number(const char *engine)
{
	unsigned i = 0;

	while (job_engine_names[i] && !str_equal(job_engine_names[i], engine))
		i++;
	return i;
}

bool opt_fits_engine(const struct opt *opt, const char *engine)
{
	return !opt->engines || opt->engines >> engine_number(engine) & 1;
}

void opt_format_engines(const struct opt *opt, struct str *out)
{
	bool first = true;

	for (unsigned i = 0; job_engine_names[i]; i++) {
		if (!(opt->engines >> i & 1))
			continue;
		str_printf(out, "%s%s", first ? "" : " or ", job_engine_names[i]);
		first = false;
	}
}

/* --- canonical text --- */

static const void *opt_field(const struct opt *opt, const struct job_spec *spec,
			     const struct run_options *run)
{
	const char *base = opt_is_cli(opt) ? (const char *)run : (const char *)spec;

	return opt->field && base ? base + (opt->field - 1) : NULL;
}

static bool is_zero(const void *bytes, size_t count)
{
	const char *p = bytes;

	for (size_t i = 0; i < count; i++)
		if (p[i])
			return false;
	return true;
}

static bool kind_is_bool(enum opt_kind kind)
{
	return kind == OPT_BOOL || kind == OPT_BOOL_INVERSE || kind == OPT_FLAG;
}

/* A field of zeros is "not set" where the row names no default. */
static void format_field(const struct opt *opt, const struct job_spec *spec, const void *field,
			 struct str *out)
{
	const struct opt_kind_ops *kind = &opt_kinds[opt->kind];

	if (opt->def || kind_is_bool(opt->kind) || !is_zero(field, kind->bytes))
		kind->format(opt, spec, field, out);
}

void opt_format(const struct opt *opt, const struct job_spec *spec,
		const struct run_options *run, struct str *out)
{
	const void *field = opt_field(opt, spec, run);

	if (field)
		format_field(opt, spec, field, out);
}

bool opt_is_set(const struct opt *opt, const struct job_spec *spec)
{
	return !opt->given || *(const bool *)((const char *)spec + (opt->given - 1));
}

void job_format_option(const struct job_spec *spec, const char *key, struct str *ret_text)
{
	const struct opt *opt = opt_find(key);

	if (opt && !opt_is_cli(opt))
		opt_format(opt, spec, NULL, ret_text);
}

/* --- setting --- */

static const char *spec_name(const struct job_spec *spec)
{
	return spec ? spec->name : NULL;
}

/* Reads `value` strictly or not into scratch memory and prints it back. */
static int canonical(struct reading *r, const char *value, struct str *out)
{
	_Alignas(16) char scratch[READING_BYTES];
	struct job_spec beside = {0}; /* for the kinds that write to a second field */
	struct reading own = *r;
	int rc;

	memset(scratch, 0, opt_kinds[r->opt->kind].bytes);
	beside.kb_base = r->spec ? r->spec->kb_base : 0;
	beside.name = spec_name(r->spec);
	own.spec = &beside;
	rc = opt_kinds[r->opt->kind].parse(&own, value, scratch);
	if (!rc)
		format_field(r->opt, &beside, scratch, out);
	return rc;
}

/* Is `text` one of the words of `list`? */
static bool in_list(const char *list, const char *text)
{
	size_t n = strlen(text);

	for (const char *p = list; p && *p; p += strcspn(p, " "), p += *p == ' ')
		if (strcspn(p, " ") == n && memcmp(p, text, n) == 0)
			return true;
	return false;
}

/* The option has no effect here: is the value harmless? */
static int set_not(struct reading *r, const char *value)
{
	autostr text = {0}, harmless = {0};
	struct reading strict = *r;
	int rc;

	if (in_list(r->opt->off, value))
		return 0;
	rc = canonical(r, value, &text);
	if (rc)
		return rc;
	strict.face = FACE_NATIVE;
	if (r->opt->def)
		rc = canonical(&strict, r->opt->def, &harmless);
	else if (kind_is_bool(r->opt->kind))
		str_add(&harmless, "0");
	assert(rc == 0);
	/* A text that may be left out (--server): to give the option is to ask for it. */
	if (r->opt->kind != OPT_TEXT_MAYBE && str_equal(str_text(&text), str_text(&harmless)))
		return 0;
	if (!*value)
		return err_input(r->err, "%s", r->opt->why);
	return err_input(r->err, "\"%s\" cannot be had: %s", value, r->opt->why);
}

static int set_noted(struct reading *r, const char *value)
{
	autostr text = {0};
	int rc = canonical(r, value, &text);

	if (rc)
		return rc;
	job_note_add(r->set, NOTE_ACCEPTED, spec_name(r->spec), r->opt->name,
		     "accepted, no effect: %s", r->opt->why);
	return 0;
}

static int set_field(struct reading *r, const char *value)
{
	const struct opt *opt = r->opt;
	char *base = opt_is_cli(opt) ? (char *)&r->set->options : (char *)r->spec;
	int rc;

	if (in_list(opt->off, value))
		return 0;
	rc = opt_kinds[opt->kind].parse(r, value, base + (opt->field - 1));
	if (rc || r->is_default)
		return rc;
	if (opt->given)
		*(bool *)(base + (opt->given - 1)) = true;
	if (opt->after)
		opt->after(r->spec);
	return 0;
}

static int set_value(struct reading *r, const char *value)
{
	switch (r->opt->deed) {
	case OPT_ACTS:
		return set_field(r, value);
	case OPT_HINT:
		return set_noted(r, value);
	case OPT_NOT:
		return set_not(r, value);
	case OPT_FOREIGN:
		return err_input(r->err, "belongs to %s, which is not built in", r->opt->why);
	}
	return -EINVAL;
}

/* What a bare option means, or why it cannot be bare. */
static int bare_value(struct reading *r, const char **value)
{
	const struct opt *opt = r->opt;
	bool empty = *value && !**value;

	if (!*value && opt_is_bare(opt)) {
		*value = opt->kind == OPT_FLAG ? "1" : "";
		return 0;
	}
	if (*value && (!empty || opt->kind == OPT_TEXT_MAYBE))
		return 0;
	return err_input(r->err, "a value is missing: %s=%s, %s", opt->name,
			 opt_kinds[opt->kind].form, opt_kinds[opt->kind].note);
}

int job_set_option(struct job_set *set, struct job_spec *spec, const char *key,
		   const char *value, struct err *err)
{
	const struct opt *opt = opt_find_face(key, set->face);
	struct err own = {0};
	struct reading r = {
		.opt = opt, .face = set->face, .set = set, .spec = spec, .err = &own};
	int rc;

	if (!opt)
		return opt_unknown(key, set->face, err);
	assert(spec || opt_is_cli(opt) || opt->deed != OPT_ACTS);
	rc = bare_value(&r, &value);
	rc = rc ? rc : set_value(&r, value);
	if (rc) {
		err_context(&own, "%s", key);
		return err_copy(err, &own);
	}
	return 0;
}

/* --- defaults --- */

static const char *default_of(const struct opt *opt, enum face face)
{
	if (!opt_in_face(opt, face))
		return NULL;
	return face == FACE_NATIVE && opt->native_def ? opt->native_def : opt->def;
}

static void set_defaults(struct job_set *set, struct job_spec *spec, bool cli)
{
	for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt)) {
		const char *text = default_of(opt, set->face);
		struct reading r = {.opt = opt,
				    .face = FACE_NATIVE,
				    .is_default = true,
				    .set = set,
				    .spec = spec};
		int rc;

		if (!text || !opt->field || opt_is_cli(opt) != cli)
			continue;
		rc = set_field(&r, text);
		assert(rc == 0); /* the table's own text */
	}
}

void opt_run_defaults(struct job_set *set)
{
	set_defaults(set, NULL, true);
}

struct job_spec *job_new(struct job_set *set, const char *name)
{
	struct job_spec *spec = arena_new(&set->arena, struct job_spec);

	set_defaults(set, spec, false);
	spec->name = name ? arena_strdup(&set->arena, name) : NULL;
	return spec;
}

void opt_format_default(const struct opt *opt, struct str *out)
{
	const char *text = opt->def;

	if (text)
		str_add(out, text);
}
