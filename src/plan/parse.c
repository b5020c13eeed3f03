/* A plan's file becomes drafts, drafts become steps; settle.c then looks at the whole. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/bits.h"
#include "base/file.h"
#include "job/ini.h"
#include "job/options.h"
#include "plan/plan_priv.h"

#define PLAN_BYTES_MAX (1u << 20)

int plan_refuse(struct plan_reading *r, const char *where, const char *fmt, ...)
{
	autostr text = {0};
	va_list args;

	va_start(args, fmt);
	str_vprintf(&text, fmt, args);
	va_end(args);
	return err_input(r->err, "%s: %s", where, str_text(&text));
}

/* --- drafts --- */

static int add_setting(struct plan_reading *r, struct plan_draft *draft, const char *key,
		       const char *value, const char *where)
{
	struct arena *arena = &r->plan->arena;
	const struct plan_key *own = plan_key_find(key);
	const struct opt *opt = own ? NULL : opt_find_face(key, FACE_NATIVE);
	const char *name = opt ? opt->name : key;

	for (unsigned i = 0; i < draft->nsettings; i++) {
		const struct given *other = &draft->settings[i];
		bool many = own ? own->many : opt && opt->kind == OPT_LIST_ADD;

		if (str_equal(other->key, name) && !many)
			return plan_refuse(r, where, "%s: was set at %s already: keep one", key,
					   other->where);
	}
	draft->settings =
		arena_more(arena, draft->settings, draft->nsettings, sizeof(*draft->settings));
	draft->settings[draft->nsettings++] = (struct given){
		.key = arena_strdup(arena, name),
		.value = value ? arena_strdup(arena, value) : NULL,
		.where = arena_strdup(arena, where),
	};
	return 0;
}

static int check_name(struct plan_reading *r, const char *name, const char *where)
{
	for (const char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at) && *at != '_' && *at != '-')
			return plan_refuse(
				r, where,
				"[%s]: a step's name has letters, digits, \"_\" and \"-\"",
				name);
	if (r->ndrafts == PLAN_STEPS_MAX)
		return plan_refuse(r, where, "more than %d steps", PLAN_STEPS_MAX);
	return 0;
}

static bool is_own_section(const char *name)
{
	return str_equal(name, "plan") || str_equal(name, "variables") ||
	       str_equal(name, "global");
}

static int on_section(void *arg, const char *name, const char *where, struct err *err)
{
	struct plan_reading *r = arg;
	struct arena *arena = &r->plan->arena;
	bool own = is_own_section(name);
	int rc;

	(void)err; /* r->err is the same */
	if (r->left_out)
		r->ndrafts--;
	r->left_out = false;
	rc = own ? 0 : check_name(r, name, where);
	if (rc)
		return rc;
	r->drafts = arena_more(arena, r->drafts, r->ndrafts, sizeof(*r->drafts));
	r->drafts[r->ndrafts++] = (struct plan_draft){.name = arena_strdup(arena, name),
						      .where = arena_strdup(arena, where)};
	return 0;
}

/* [variables]: a default; the command line's value stands before it. */
static int set_variable(struct plan_reading *r, const char *name, const char *value,
			const char *where)
{
	const struct plan_wish *wish = r->wish;
	size_t length = strlen(name);

	for (unsigned i = 0; i < r->nvariables; i++)
		if (str_equal(r->variables[i].key, name))
			return plan_refuse(r, where, "%s: has a value at %s already", name,
					   r->variables[i].where);
	r->defaults =
		arena_more(&r->plan->arena, r->defaults, r->nvariables, sizeof(*r->defaults));
	r->defaults[r->nvariables] = arena_strdup(&r->plan->arena, value ? value : "");
	for (unsigned i = 0; wish && i < wish->nset; i++)
		if (strncmp(wish->set[i], name, length) == 0 && wish->set[i][length] == '=')
			value = wish->set[i] + length + 1;
	r->variables =
		arena_more(&r->plan->arena, r->variables, r->nvariables, sizeof(*r->variables));
	r->variables[r->nvariables++] =
		(struct given){.key = arena_strdup(&r->plan->arena, name),
			       .value = arena_strdup(&r->plan->arena, value ? value : ""),
			       .where = arena_strdup(&r->plan->arena, where)};
	return 0;
}

static int set_title(struct plan_reading *r, const char *key, const char *value,
		     const char *where)
{
	if (str_equal(key, "title") && value)
		r->plan->title = arena_strdup(&r->plan->arena, value);
	else if (str_equal(key, "about") && value)
		r->plan->about = arena_strdup(&r->plan->arena, value);
	else
		return plan_refuse(r, where, "%s: [plan] has title=TEXT and about=TEXT", key);
	return 0;
}

static int unknown_key(struct plan_reading *r, const char *key, const char *where)
{
	const char *near = NULL;
	unsigned best = str_near_limit(key);
	int rc;

	for (unsigned i = 0; i < plan_nkeys; i++) {
		unsigned distance = str_distance(key, plan_keys[i].name);

		if (distance < best) {
			best = distance;
			near = plan_keys[i].name;
		}
	}
	if (near)
		return plan_refuse(r, where, "unknown key \"%s\": did you mean \"%s\"?", key,
				   near);
	rc = opt_unknown(key, FACE_NATIVE, r->err);
	err_context(r->err, "%s", where);
	return rc;
}

/* The first line of a section that a variable chooses. */
static int on_when(struct plan_reading *r, const struct plan_draft *draft, const char *value,
		   const char *where)
{
	bool holds = false;
	int rc;

	if (str_equal(draft->name, "global") || str_equal(draft->name, "plan"))
		return plan_refuse(r, where, "when: stands in steps and in [variables]");
	rc = plan_when_parse(r, value ? value : "", where, &holds);
	r->left_out |= !rc && !holds;
	return rc;
}

static int on_setting(void *arg, const char *key, const char *value, const char *where,
		      struct err *err)
{
	struct plan_reading *r = arg;
	struct plan_draft *draft = &r->drafts[r->ndrafts - 1];
	const struct plan_key *own = plan_key_find(key);
	int rc;

	(void)err;
	if (str_equal(key, "when"))
		return on_when(r, draft, value, where);
	if (r->left_out)
		return 0;
	if (str_equal(draft->name, "variables"))
		return set_variable(r, key, value, where);
	if (str_equal(draft->name, "plan"))
		return set_title(r, key, value, where);
	if (!own && !opt_find_face(key, FACE_NATIVE))
		return unknown_key(r, key, where);
	if (own && !value)
		return plan_refuse(r, where, "%s: a value is missing: %s=%s", key, key,
				   own->form);
	if (!own && opt_is_cli(opt_find_face(key, FACE_NATIVE)))
		return plan_refuse(r, where,
				   "%s: belongs on the command line: write --%s there", key,
				   key);
	rc = plan_refuse_target(r, where, key);
	return rc ? rc : add_setting(r, draft, key, value, where);
}

static const char *find_variable(void *arg, const char *name)
{
	const struct plan_reading *r = arg;

	for (unsigned i = 0; i < r->nvariables; i++)
		if (str_equal(r->variables[i].key, name))
			return r->variables[i].value;
	return r->left_out ? "?" : NULL; /* nobody reads it there */
}

/* A name that --set gives and the plan does not have changes nothing: an error. */
static int check_set(struct plan_reading *r)
{
	const struct plan_wish *wish = r->wish;

	for (unsigned i = 0; wish && i < wish->nset; i++) {
		size_t length = strcspn(wish->set[i], "=");
		autostr names = {0};
		bool found = false;

		if (!wish->set[i][length])
			return err_input(r->err, "--set %s: write NAME=VALUE", wish->set[i]);
		for (unsigned v = 0; v < r->nvariables; v++) {
			const char *name = r->variables[v].key;

			found |= strlen(name) == length &&
				 strncmp(name, wish->set[i], length) == 0;
			str_printf(&names, "%s%s", v ? ", " : "", name);
		}
		if (!found)
			return names.length
				       ? err_input(r->err,
						   "--set %s: the plan \"%s\" has no such "
						   "variable; it has: %s",
						   wish->set[i], r->plan->name,
						   str_text(&names))
				       : err_input(r->err,
						   "--set %s: the plan \"%s\" has no variables",
						   wish->set[i], r->plan->name);
	}
	return 0;
}

/* --- steps --- */

static const struct given *find_setting(const struct plan_draft *draft, const char *key)
{
	for (unsigned i = 0; i < draft->nsettings; i++)
		if (str_equal(draft->settings[i].key, key))
			return &draft->settings[i];
	return NULL;
}

static int kind_of(struct plan_reading *r, const struct plan_draft *draft,
		   enum plan_kind *ret_kind)
{
	const struct given *given = find_setting(draft, "step");
	autostr list = {0};

	for (unsigned k = 0; k < NPLAN_KINDS; k++)
		str_printf(&list, "%s%s", k ? ", " : "", plan_kind_name((enum plan_kind)k));
	if (!given)
		return plan_refuse(r, draft->where, "[%s]: say what it does: step=%s",
				   draft->name, str_text(&list));
	if (plan_kind_parse(given->value, ret_kind))
		return plan_refuse(r, given->where, "step=%s: one of %s", given->value,
				   str_text(&list));
	return 0;
}

static int refuse_kind(struct plan_reading *r, const struct plan_step *step,
		       const struct plan_key *key, const struct given *given)
{
	autostr kinds = {0};

	for (unsigned k = 0; k < NPLAN_KINDS; k++)
		if (key->kinds >> k & 1)
			str_printf(&kinds, "%sstep=%s", kinds.length ? ", " : "",
				   plan_kind_name((enum plan_kind)k));
	return plan_refuse(r, given->where, "%s: means nothing to step=%s; it belongs to %s",
			   key->name, plan_kind_name(step->kind), str_text(&kinds));
}

static int read_keys(struct plan_reading *r, struct plan_step *step,
		     const struct plan_draft *draft, bool global)
{
	for (unsigned k = 0; k < plan_nkeys; k++) {
		const struct plan_key *key = &plan_keys[k];

		for (unsigned i = 0; i < draft->nsettings; i++) {
			const struct given *given = &draft->settings[i];
			int rc = 0;

			if (!str_equal(given->key, key->name))
				continue;
			if (!(key->kinds >> step->kind & 1)) {
				if (global)
					continue;
				return refuse_kind(r, step, key, given);
			}
			if (key->parse)
				rc = key->parse(r, step, given);
			if (rc)
				return rc;
		}
	}
	return 0;
}

/* What a step of the kind does where the plan does not say: after the globals. */
static void add_defaults(struct plan_step *step, struct given *options, unsigned *count)
{
	static const struct given fill[] = {{"rw", "write", NULL},
					    {"bs", "128k", NULL},
					    {"iodepth", "32", NULL},
					    {"direct", "1", NULL}};
	static const struct given random[] = {{"rw", "randwrite", NULL},
					      {"bs", "4k", NULL},
					      {"iodepth", "32", NULL},
					      {"direct", "1", NULL}};
	const struct given *from = step->kind == PLAN_FILL ? fill : random;

	if (step->kind != PLAN_FILL && step->kind != PLAN_PRECONDITION)
		return;
	for (unsigned i = 0; i < ARRAY_SIZE(fill); i++) {
		options[*count] = from[i];
		options[(*count)++].where = step->where;
	}
}

static void add_options(const struct plan_draft *draft, struct given *options, unsigned *count)
{
	for (unsigned i = 0; i < draft->nsettings; i++)
		if (!plan_key_find(draft->settings[i].key))
			options[(*count)++] = draft->settings[i];
}

/* What limits a measurement does not limit a fill: it ends with its range. */
static bool is_limit(const char *key)
{
	static const char *const limits[] = {
		"runtime",   "time_based",	 "ramp_time", "size",	   "io_size",
		"offset",    "offset_increment", "loops",     "numjobs",   "rate",
		"rate_iops", "number_ios",	 "thinktime", "startdelay"};

	for (unsigned i = 0; i < ARRAY_SIZE(limits); i++)
		if (str_equal(limits[i], key))
			return true;
	return false;
}

static unsigned drop_limits(struct given *options, unsigned count)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < count; i++)
		if (!is_limit(options[i].key))
			options[kept++] = options[i];
	return kept;
}

bool plan_step_loads(const struct plan_step *step)
{
	return plan_key_find("range")->kinds >> step->kind & 1;
}

static int take_options(struct plan_reading *r, struct plan_step *step,
			const struct plan_draft *draft)
{
	unsigned room = r->global.nsettings + draft->nsettings + 8, count = 0;
	struct given *options = arena_array(&r->plan->arena, struct given, room);

	if (plan_step_loads(step)) {
		add_options(&r->global, options, &count);
		if (step->kind == PLAN_FILL || step->kind == PLAN_PRECONDITION)
			count = drop_limits(options, count);
		add_defaults(step, options, &count);
	}
	step->nglobals = count;
	add_options(draft, options, &count);
	if (!plan_step_loads(step) && count)
		return plan_refuse(r, options[0].where, "%s: means nothing to step=%s",
				   options[0].key, plan_kind_name(step->kind));
	step->options = options;
	step->noptions = count;
	return 0;
}

static int make_step(struct plan_reading *r, const struct plan_draft *draft)
{
	struct plan_step *step = &r->plan->steps[r->plan->nsteps];
	enum plan_kind kind;
	int rc = kind_of(r, draft, &kind);

	if (rc)
		return rc;
	*step = (struct plan_step){
		.name = draft->name,
		.where = draft->where,
		.kind = kind,
		.range_percent_x100 = 10000,
		.repeat = 1,
		.passes = 1,
		.workers = 1,
		.max_rounds = 25,
		.every_ns = 3600 * NS_PER_S,
		.find = {.from = 1, .to = 256, .precision_percent = 2},
		.method = kind == PLAN_PRECONDITION ? PLAN_PASSES : PLAN_AUTO,
	};
	rc = plan_cells_make(r, step, draft->where); /* one, unless it sweeps */
	if (!rc)
		rc = take_options(r, step, draft);
	if (!rc)
		rc = read_keys(r, step, &r->global, true);
	if (!rc)
		rc = read_keys(r, step, draft, false);
	if (!rc)
		r->plan->nsteps++;
	return rc;
}

/* For plan_format(): what is no variable and no title. */
static void keep_drafts(struct plan_reading *r)
{
	struct plan *plan = r->plan;
	struct plan_draft *kept = arena_array(&plan->arena, struct plan_draft, r->ndrafts + 1);

	for (unsigned i = 0; i < r->ndrafts; i++)
		if (!str_equal(r->drafts[i].name, "plan") &&
		    !str_equal(r->drafts[i].name, "variables"))
			kept[plan->ndrafts++] = r->drafts[i];
	plan->drafts = kept;
}

/* Asked when all is read: of two sections of one name, when= may have left one out. */
static int check_twice(struct plan_reading *r, const struct plan_draft *drafts, unsigned at)
{
	for (unsigned i = 0; i < at; i++)
		if (str_equal(drafts[i].name, drafts[at].name))
			return plan_refuse(r, drafts[at].where,
					   "[%s]: a step of this name is at %s already",
					   drafts[at].name, drafts[i].where);
	return 0;
}

static int make_steps(struct plan_reading *r)
{
	struct plan *plan = r->plan;
	struct plan_draft *drafts =
		arena_array(&plan->arena, struct plan_draft, r->ndrafts + 1);
	unsigned count = 0;

	plan->steps = arena_array(&plan->arena, struct plan_step, r->ndrafts + 1);
	for (unsigned i = 0; i < r->ndrafts; i++) {
		if (str_equal(r->drafts[i].name, "global"))
			r->global = r->drafts[i];
		if (!is_own_section(r->drafts[i].name))
			drafts[count++] = r->drafts[i];
	}
	for (unsigned i = 0; i < count; i++) {
		int rc = check_twice(r, drafts, i);

		if (!rc)
			rc = make_step(r, &drafts[i]);
		if (rc)
			return rc;
	}
	keep_drafts(r);
	r->drafts = drafts; /* as the steps are */
	r->ndrafts = count;
	if (!count)
		return err_input(r->err, "%s: no step: a section [NAME] starts one",
				 plan->path);
	return 0;
}

/* --- the whole --- */

static int load_file(const char *path, struct str *ret_text)
{
	return file_read(path, PLAN_BYTES_MAX, ret_text);
}

/* "pcie-ssd" of "plans/pcie-ssd.plan". */
static const char *name_of(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t length = strlen(base);

	if (str_ends(base, ".plan"))
		length -= strlen(".plan");
	return arena_strndup(arena, base, length);
}

static int read_all(struct plan_reading *r, const char *text)
{
	const struct expand_names names = {.find = find_variable, .arg = r};
	const struct ini_sink sink = {.arg = r, .section = on_section, .setting = on_setting};
	const struct ini_source source = {.name = r->plan->path,
					  .text = text,
					  .bytes = strlen(text),
					  .face = FACE_NATIVE,
					  .load = load_file,
					  .names = &names};
	int rc = ini_read(&source, &sink, r->err);

	if (r->left_out)
		r->ndrafts--;
	if (!rc)
		rc = plan_whens_check(r);
	if (!rc)
		rc = check_set(r);
	if (!rc)
		rc = make_steps(r);
	if (!rc)
		rc = plan_settle(r);
	r->plan->variables = r->variables;
	r->plan->nvariables = r->nvariables;
	return rc;
}

static int begin(struct plan_reading *r, const char *path, const char *text)
{
	struct plan *plan = r->plan;
	struct job_set scratch;
	int rc;

	*plan = (struct plan){0};
	arena_init(&plan->arena);
	plan->path = arena_strdup(&plan->arena, path);
	plan->name = name_of(&plan->arena, path);
	job_set_init(&scratch, FACE_NATIVE);
	r->scratch = &scratch;
	r->spec = job_new(&scratch, "plan");
	rc = read_all(r, text);
	job_set_done(&scratch);
	if (rc)
		plan_done(plan);
	return rc;
}

int plan_read_text(struct plan *ret_plan, const char *name, const char *text,
		   const struct plan_wish *wish, struct err *err)
{
	struct plan_reading r = {.plan = ret_plan, .wish = wish, .err = err};

	return begin(&r, name, text);
}

void plan_done(struct plan *plan)
{
	arena_done(&plan->arena);
	*plan = (struct plan){0};
}

const struct plan_step *plan_find_step(const struct plan *plan, const char *name)
{
	for (unsigned i = 0; i < plan->nsteps; i++)
		if (str_equal(plan->steps[i].name, name))
			return &plan->steps[i];
	return NULL;
}
