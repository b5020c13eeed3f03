/*
 * The files of a clone: filename= as a list shared by all clones, or names made by
 * filename_format ("$jobname.$jobnum.$filenum"), below directory= (a list is spread over the
 * clones).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"
#include "run/run_priv.h"

static const char *directory_of(const struct job_spec *spec, unsigned clone)
{
	if (!spec->directory.count)
		return NULL;
	return spec->directory.items[clone % spec->directory.count];
}

static bool replace(struct str *out, const char **text, const char *word, const char *value)
{
	if (!str_starts(*text, word))
		return false;
	str_add(out, value);
	*text += strlen(word);
	return true;
}

static void format_name(struct str *out, const struct job_spec *spec, unsigned clone,
			unsigned file)
{
	const char *text = spec->filename_format;
	const char *jobname = spec->section ? spec->section : spec->name;
	char jobnum[12], filenum[12];

	if (!text || !*text)
		text = "$jobname.$jobnum.$filenum";
	(void)snprintf(jobnum, sizeof(jobnum), "%u", clone);
	(void)snprintf(filenum, sizeof(filenum), "%u", file);
	while (*text) {
		if (replace(out, &text, "$jobname", jobname) ||
		    replace(out, &text, "$jobnum", jobnum) ||
		    replace(out, &text, "$filenum", filenum) ||
		    replace(out, &text, "$clientuid", ""))
			continue;
		str_add_char(out, *text++);
	}
}

static const char *below(struct run *run, const char *directory, const char *name)
{
	if (!directory || !*directory || name[0] == '/')
		return arena_strdup(&run->arena, name);
	return arena_printf(&run->arena, "%s/%s", directory, name);
}

/* fio makes the folders that a file's name holds, but directory= must be there. */
static bool is_folder(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

int run_names(struct run *run, const struct job_spec *spec, unsigned clone,
	      const char ***ret_paths, unsigned *ret_count, struct err *err)
{
	const char *directory = directory_of(spec, clone);
	unsigned count = spec->filename.count ? spec->filename.count : spec->nrfiles;
	const char **paths;

	if (run->set->face == FACE_FIO && directory && !is_folder(directory))
		return err_env(err, -ENOTDIR,
			       "directory=%s: there is no such directory: make it first",
			       directory);
	if (!count)
		return err_input(err, "%s: nrfiles=0 leaves nothing to do", spec->name);
	paths = arena_array(&run->arena, const char *, count);
	for (unsigned i = 0; i < count; i++) {
		autostr name = {0};

		if (spec->filename.count) {
			paths[i] = below(run, directory, spec->filename.items[i]);
			continue;
		}
		format_name(&name, spec, clone, i);
		paths[i] = below(run, directory, str_text(&name));
	}
	*ret_paths = paths;
	*ret_count = count;
	return 0;
}
