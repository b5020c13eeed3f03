/* Datasheets: what a drive is sold as. */
#include <string.h>

#include "base/file.h"
#include "plan/plan.h"

#define SPEC_BYTES_MAX 65536

static int add_line(struct plan_spec *spec, char *line, unsigned number, struct err *err)
{
	char *equals, *value;
	size_t length;
	int rc;

	line[strcspn(line, "#;")] = '\0';
	line += strspn(line, " \t\r");
	if (!*line)
		return 0;
	equals = strchr(line, '=');
	length = equals ? strcspn(line, " \t=") : 0;
	if (!length)
		return err_input(err, "%s:%u: write NAME = VALUE, as in iops = 90000",
				 spec->path, number);
	for (char *at = equals + strlen(equals); at > equals && strchr(" \t\r", at[-1]); at--)
		at[-1] = '\0';
	spec->names = arena_more(&spec->arena, spec->names, spec->count, sizeof(*spec->names));
	spec->values =
		arena_more(&spec->arena, spec->values, spec->count, sizeof(*spec->values));
	value = equals + 1 + strspn(equals + 1, " \t");
	rc = check_number(value, &spec->values[spec->count], err);
	if (rc) {
		err_context(err, "%s:%u", spec->path, number);
		return rc;
	}
	spec->names[spec->count] = arena_strndup(&spec->arena, line, length);
	spec->texts = arena_more(&spec->arena, spec->texts, spec->count, sizeof(*spec->texts));
	spec->texts[spec->count] = arena_strdup(&spec->arena, value);
	if (plan_spec_find(spec, spec->names[spec->count]))
		return err_input(err, "%s:%u: %s stands there twice", spec->path, number,
				 spec->names[spec->count]);
	spec->count++;
	return 0;
}

int plan_spec_parse(struct plan_spec *ret_spec, const char *path, const char *text,
		    struct err *err)
{
	autostr copy = {0};
	char *at;
	int rc = 0;

	*ret_spec = (struct plan_spec){0};
	arena_init(&ret_spec->arena);
	ret_spec->path = arena_strdup(&ret_spec->arena, path);
	str_add(&copy, text);
	at = copy.text;
	for (unsigned number = 1; at && *at && !rc; number++) {
		char *newline = strchr(at, '\n');

		if (newline)
			*newline = '\0';
		rc = add_line(ret_spec, at, number, err);
		at = newline ? newline + 1 : NULL;
	}
	if (rc)
		plan_spec_done(ret_spec);
	return rc;
}

int plan_spec_read(struct plan_spec *ret_spec, const char *path, struct err *err)
{
	autostr text = {0};
	int rc = file_read(path, SPEC_BYTES_MAX, &text);

	*ret_spec = (struct plan_spec){0};
	if (rc)
		return err_input(err, "cannot read the datasheet \"%s\": %s", path,
				 err_name(rc));
	return plan_spec_parse(ret_spec, path, str_text(&text), err);
}

void plan_spec_format(const struct plan_spec *spec, struct str *out)
{
	for (unsigned i = 0; i < spec->count; i++)
		str_printf(out, "%s = %s\n", spec->names[i], spec->texts[i]);
}

void plan_spec_done(struct plan_spec *spec)
{
	arena_done(&spec->arena);
	*spec = (struct plan_spec){0};
}

const struct check_value *plan_spec_find(const struct plan_spec *spec, const char *name)
{
	for (unsigned i = 0; spec && i < spec->count; i++)
		if (str_equal(spec->names[i], name))
			return &spec->values[i];
	return NULL;
}
