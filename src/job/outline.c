/*
 * From a command line to checked jobs: outline first (argv.c, job files), then, block by
 * block, a spec with the defaults, the globals before it and its own settings.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/lang.h"
#include "job/ini.h"
#include "job/options.h"
#include "job/outline_priv.h"

/* --- the outline --- */

struct block *outline_add_block(struct outline *outline, const char *name, const char *where)
{
	struct arena *arena = &outline->set->arena;
	struct block *block;

	outline->blocks =
		arena_more(arena, outline->blocks, outline->nblocks, sizeof(*outline->blocks));
	block = &outline->blocks[outline->nblocks++];
	*block = (struct block){
		.global = !name,
		.name = name ? arena_strdup(arena, name) : NULL,
		.where = arena_strdup(arena, where),
		.file = outline->file,
	};
	return block;
}

void outline_add_setting(struct outline *outline, const char *key, const char *value,
			 const char *where)
{
	struct block *block = &outline->blocks[outline->nblocks - 1];
	struct arena *arena = &outline->set->arena;

	block->settings =
		arena_more(arena, block->settings, block->nsettings, sizeof(*block->settings));
	block->settings[block->nsettings++] = (struct setting){
		.key = arena_strdup(arena, key),
		.value = value ? arena_strdup(arena, value) : NULL,
		.where = arena_strdup(arena, where),
	};
}

void outline_add_file(struct outline *outline, const char *path)
{
	outline->files = arena_more(&outline->set->arena, outline->files, outline->nfiles,
				    sizeof(*outline->files));
	outline->files[outline->nfiles++] = arena_strdup(&outline->set->arena, path);
}

/* --- job files --- */

static int on_section(void *arg, const char *name, const char *where, struct err *err)
{
	struct outline *outline = arg;
	bool global = str_equal(name, "global");

	for (size_t i = 0; i < outline->nblocks && outline->set->face == FACE_NATIVE; i++) {
		const struct block *block = &outline->blocks[i];

		if (block->file == outline->file && block->name && str_equal(block->name, name))
			return err_input(err,
					 "%s: [%s]: a job of this name is at %s already: give "
					 "each its own",
					 where, name, block->where);
	}
	(void)outline_add_block(outline, global ? NULL : name, where);
	return 0;
}

static int on_setting(void *arg, const char *key, const char *value, const char *where,
		      struct err *err)
{
	struct outline *outline = arg;
	const struct opt *opt = opt_find_face(key, outline->set->face);

	if (!opt) {
		int rc = opt_unknown(key, outline->set->face, err);

		err_context(err, "%s", where);
		return rc;
	}
	if (opt_is_cli(opt))
		return err_input(err,
				 "%s: %s: belongs on the command line, not into a job file: "
				 "write --%s there",
				 where, key, opt->name);
	outline_add_setting(outline, opt->name, value, where);
	return 0;
}

static void on_doubt(void *arg, const char *where, const char *text)
{
	struct outline *outline = arg;

	job_note_add(outline->set, NOTE_WARNING, NULL, NULL, "%s: %s", where, text);
}

static int load_file(const char *path, struct str *ret_text)
{
	return file_read(path, INI_BYTES_MAX, ret_text);
}

static int load_stdin(struct str *ret_text)
{
	char part[4096];
	ssize_t got;

	while ((got = read(STDIN_FILENO, part, sizeof(part))) > 0) {
		if (ret_text->length + (size_t)got > INI_BYTES_MAX)
			return -EFBIG;
		str_add_bytes(ret_text, part, (size_t)got);
	}
	return got < 0 ? -errno : 0;
}

static int missing_file(const char *path, int rc, struct err *err)
{
	const char *equals = strchr(path, '=');

	if (rc == -EISDIR)
		return err_input(err, "%s: is a directory, not a job file", path);
	if (rc == -ENOENT && equals)
		return err_input(err, "%s: no such job file; for an option write --%s", path,
				 path);
	return err_input(err, "%s: cannot read the job file: %s", path, err_name(rc));
}

static int read_text(struct outline *outline, struct ini_source *source, const struct str *text,
		     struct err *err)
{
	struct ini_sink sink = {.arg = outline,
				.section = on_section,
				.setting = on_setting,
				.doubt = on_doubt};

	source->text = str_text(text);
	source->bytes = text->length;
	source->face = outline->set->face;
	outline->file++;
	return ini_read(source, &sink, err);
}

static int read_file(struct outline *outline, const char *path, struct err *err)
{
	bool is_stdin = str_equal(path, "-");
	struct ini_source source = {.name = is_stdin ? "stdin" : path, .load = load_file};
	autostr text = {0};
	int rc = is_stdin ? load_stdin(&text) : load_file(path, &text);

	return rc ? missing_file(path, rc, err) : read_text(outline, &source, &text, err);
}

/* --- applying --- */

#define SETTING_RANK_LAST 3

/* Kinds whose text is the user's own, blanks included. */
static bool is_free_text(const struct opt *opt)
{
	return opt->kind == OPT_TEXT || opt->kind == OPT_TEXT_MAYBE || opt->kind == OPT_LIST ||
	       opt->kind == OPT_LIST_ADD;
}

static int apply_setting(struct job_set *set, struct job_spec *spec, const struct opt *opt,
			 const struct setting *setting, struct err *err)
{
	const char *value = setting->value;
	int rc;

	/* fio keeps blanks after "=": part of a file's name, but nothing to a number. */
	if (value && !is_free_text(opt))
		value += strspn(value, " \t");
	rc = job_set_option(set, spec, opt->name, value, err);
	if (rc) {
		err_context(err, "%s", setting->where);
		return rc;
	}
	spec->given = arena_more(&set->arena, spec->given, spec->ngiven, sizeof(*spec->given));
	spec->given[spec->ngiven++] = (struct given){
		.key = opt->name,
		.value = setting->value ? setting->value : "",
		.where = setting->where,
	};
	return 0;
}

/* The order within one section of a file. The native face puts first what other options
 * depend on. fio has its own order, which its echo of the options shows: a few units and
 * policies, the rest, the names of files, and the options of engines. */
static unsigned setting_rank(const struct opt *opt, enum face face)
{
	static const char *const early[] = {"kb_base", "unit_base", "lockfile",
					    "cpus_allowed_policy"};

	if (face == FACE_NATIVE)
		return opt->flags & OPT_FIRST ? 0 : 1;
	for (size_t i = 0; i < ARRAY_SIZE(early); i++)
		if (str_equal(opt->name, early[i]))
			return 0;
	if (str_equal(opt->name, "filename") || str_equal(opt->name, "filename_format"))
		return 2;
	return opt->engines ? SETTING_RANK_LAST : 1;
}

static int apply_block(struct job_set *set, struct job_spec *spec, const struct block *block,
		       struct err *err)
{
	for (unsigned rank = 0; rank <= SETTING_RANK_LAST; rank++)
		for (size_t i = 0; i < block->nsettings; i++) {
			const struct setting *setting = &block->settings[i];
			const struct opt *opt = opt_find(setting->key);
			bool ordered = block->file == 0; /* the command line keeps its order */
			int rc;

			if (rank != (ordered ? 0 : setting_rank(opt, set->face)))
				continue;
			rc = apply_setting(set, spec, opt, setting, err);
			if (rc)
				return rc;
		}
	return 0;
}

static const struct setting *find_setting(const struct block *block, const char *key,
					  size_t from)
{
	for (size_t i = from; i < block->nsettings; i++)
		if (str_equal(block->settings[i].key, key))
			return &block->settings[i];
	return NULL;
}

/* A key given twice in one block: the last counts, and that is said; in a native job file it
 * is an error. */
static int check_twice(struct job_set *set, const struct block *block, struct err *err)
{
	for (size_t i = 0; i < block->nsettings; i++) {
		const struct setting *first = &block->settings[i];
		const struct setting *again = find_setting(block, first->key, i + 1);
		const struct opt *opt = opt_find(first->key);

		if (!again || opt->kind == OPT_LIST_ADD || str_equal(opt->name, "name"))
			continue;
		if (set->face == FACE_NATIVE && block->file)
			return err_input(err, "%s: %s: was set at %s already: keep one",
					 again->where, opt->name, first->where);
		job_note_add(set, NOTE_CHANGED, block->name, opt->name,
			     "given more than once (%s): the last one counts", again->where);
	}
	return 0;
}

/* Options beside a job file are defaults: one that this job's file sets too is without
 * effect here. */
static void note_overridden(struct job_set *set, const struct block *from,
			    const struct block *block)
{
	if (from->file || !block->file)
		return;
	for (size_t i = 0; i < from->nsettings; i++) {
		const char *key = from->settings[i].key;
		const struct setting *own = find_setting(block, key, 0);

		if (own && opt_find(key)->kind != OPT_LIST_ADD)
			job_note_add(set, NOTE_CHANGED, block->name, key,
				     "the command line's is only a default: %s sets it",
				     own->where);
	}
}

static bool applies_to(const struct block *global, const struct block *block)
{
	return global->global && (!global->file || global->file == block->file);
}

static int apply_globals(const struct outline *outline, struct job_spec *spec,
			 const struct block *block, struct err *err)
{
	/* A file's jobs have all of the command line's globals, wherever these stand. */
	const struct block *end = outline->blocks + outline->nblocks;

	for (const struct block *g = outline->blocks; g < end; g++) {
		int rc;

		if (!applies_to(g, block) || (g > block && g->file == block->file))
			continue;
		if (find_setting(g, "name", 0) && outline->set->face == FACE_NATIVE)
			return err_input(err, "%s: name: [global] is no job and takes no name",
					 find_setting(g, "name", 0)->where);
		rc = apply_block(outline->set, spec, g, err);
		if (rc)
			return rc;
	}
	return 0;
}

static int build_job(struct outline *outline, const struct block *block, bool new_file,
		     struct err *err)
{
	struct job_set *set = outline->set;
	struct job_spec *spec = job_new(set, NULL); /* nameless while it is only defaults */
	int rc = apply_globals(outline, spec, block, err);

	if (rc)
		return rc;
	spec->global = spec->given;
	spec->nglobal = spec->ngiven;
	spec->given = NULL;
	spec->ngiven = 0;
	spec->name = block->name;
	spec->section = set->face == FACE_FIO ? block->name : NULL;
	spec->where = block->where;
	for (size_t i = 0; i < outline->nblocks; i++)
		if (applies_to(&outline->blocks[i], block))
			note_overridden(set, &outline->blocks[i], block);
	rc = apply_block(set, spec, block, err);
	if (rc)
		return rc;
	spec->stonewall |= new_file; /* each further job file waits for the one before */
	set->global = spec->global;
	set->nglobal = spec->nglobal;
	return job_add(set, spec, err);
}

/* --- which jobs --- */

/* By the section's own name, whatever name= inside it says. */
static bool is_selected(const struct job_set *set, const struct block *block)
{
	const struct text_list *sections = &set->options.section;

	for (unsigned i = 0; i < sections->count; i++)
		if (str_equal(sections->items[i], block->name))
			return true;
	return sections->count == 0;
}

static int no_jobs(const struct outline *outline, struct err *err)
{
	const struct text_list *sections = &outline->set->options.section;
	autostr names = {0};

	for (size_t i = 0; i < outline->nblocks && names.length < 200; i++)
		if (!outline->blocks[i].global)
			str_printf(&names, "%s%s", names.length ? ", " : "",
				   outline->blocks[i].name);
	if (sections->count && names.length)
		return err_input(err, "--section=%s: there is no such section; there are: %s",
				 sections->items[0], str_text(&names));
	if (outline->nfiles)
		return err_input(err, "%s: no job is defined: a section [NAME] starts one",
				 outline->files[0]);
	return err_input(err, "no job is defined: give a job file%s",
			 outline->set->face == FACE_FIO
				 ? N_(" or --name=NAME")
				 : N_(", or options such as --filename=PATH"));
}

static int check_job_count(struct job_set *set, struct err *err)
{
	uint64_t workers = 0;

	for (unsigned i = 0; i < set->njobs; i++)
		workers += set->jobs[i]->numjobs;
	if (!set->options.max_jobs || workers <= set->options.max_jobs)
		return 0;
	if (set->face == FACE_NATIVE)
		return err_input(err,
				 "%" PRIu64
				 " workers are asked for, but --max-jobs=%u allows fewer",
				 workers, set->options.max_jobs);
	/* fio takes it for the size of a table and starts them all. */
	job_note_add(set, NOTE_WARNING, NULL, "max-jobs",
		     "%" PRIu64 " workers are more than %u: all start", workers,
		     set->options.max_jobs);
	return 0;
}

/* --warnings-fatal: a doubtful text is an error. */
static int check_warnings(const struct job_set *set, struct err *err)
{
	const struct job_note *note = set->notes;

	while (note && note->kind != NOTE_WARNING)
		note = note->next;
	if (!note || !set->options.warnings_fatal)
		return 0;
	return err_input(err, "%s%s%s%s%s (--warnings-fatal)", note->job ? note->job : "",
			 note->job ? ": " : "", note->option ? note->option : "",
			 note->option ? ": " : "", note->text);
}

static int build(struct outline *outline, struct err *err)
{
	struct job_set *set = outline->set;
	unsigned file = 0;
	int rc;

	for (size_t i = 0; i < outline->nblocks; i++) {
		const struct block *block = &outline->blocks[i];

		if (!block->global && !is_selected(set, block))
			continue;
		rc = check_twice(set, block, err);
		if (rc)
			return rc;
		if (block->global)
			continue;
		rc = build_job(outline, block, block->file > 1 && block->file != file, err);
		if (rc)
			return rc;
		file = block->file;
	}
	if (!set->njobs)
		return no_jobs(outline, err);
	rc = check_job_count(set, err);
	return rc ? rc : check_warnings(set, err);
}

/* Native face: without a section or --name the options make one job. */
static void make_only_job(struct outline *outline)
{
	struct block *block = &outline->blocks[0];

	if (outline->set->face != FACE_NATIVE || outline->nblocks != 1 || outline->nfiles ||
	    !block->nsettings)
		return;
	block->global = false;
	block->name = "job";
}

static bool asks_for_text_only(const struct run_options *options)
{
	return options->help || options->version || options->cmdhelp || options->enghelp ||
	       options->inflate_log;
}

int job_parse(struct job_set *set, int argc, char **argv, struct err *err)
{
	struct outline outline = {.set = set};
	int rc = argv_read(&outline, argc, argv, err);

	if (rc || asks_for_text_only(&set->options))
		return rc;
	make_only_job(&outline);
	for (size_t i = 0; i < outline.nfiles; i++) {
		rc = read_file(&outline, outline.files[i], err);
		if (rc)
			return rc;
	}
	return build(&outline, err);
}

int job_parse_text(struct job_set *set, const char *name, const char *text, size_t bytes,
		   struct err *err)
{
	struct outline outline = {.set = set};
	struct ini_source source = {.name = name};
	autostr copy = {0};
	int rc;

	str_add_bytes(&copy, text, bytes);
	outline_add_file(&outline, name);
	rc = read_text(&outline, &source, &copy, err);
	return rc ? rc : build(&outline, err);
}
