#include "plan/shipped.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

#define PLAN_BYTES_MAX (1u << 20)

const char *plan_text_find(const char *name)
{
	for (const struct plan_text *p = plan_texts; p->name; p++)
		if (str_equal(p->name, name))
			return p->text;
	return NULL;
}

void plan_own_folder(struct str *ret_path)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (data && *data)
		str_printf(ret_path, "%s/assay/plans", data);
	else
		str_printf(ret_path, "%s/.local/share/assay/plans", home ? home : "");
}

static int unknown(const char *name, struct err *err)
{
	const char *near = NULL;
	unsigned best = str_near_limit(name);

	for (const struct plan_text *p = plan_texts; p->name; p++) {
		unsigned distance = str_distance(name, p->name);

		if (distance < best) {
			best = distance;
			near = p->name;
		}
	}
	if (near)
		return err_input(
			err,
			"there is no plan \"%s\"; did you mean \"%s\"? (`assay plan list` "
			"shows them; a file's name has a \"/\" or ends in .plan)",
			name, near);
	return err_input(
		err,
		"there is no plan \"%s\" (`assay plan list` shows them; a file's name has "
		"a \"/\" or ends in .plan)",
		name);
}

static int load(const char *path, struct str *ret_text, struct err *err)
{
	int rc = file_read(path, PLAN_BYTES_MAX, ret_text);

	return rc ? err_input(err, "cannot read the plan \"%s\": %s", path, err_name(rc)) : 0;
}

int plan_text_load(const char *name, struct str *ret_text, struct str *ret_path,
		   struct err *err)
{
	const char *shipped = plan_text_find(name);

	if (strchr(name, '/') || str_ends(name, ".plan")) {
		str_add(ret_path, name);
		return load(name, ret_text, err);
	}
	plan_own_folder(ret_path);
	str_printf(ret_path, "/%s.plan", name);
	if (access(str_text(ret_path), F_OK) == 0)
		return load(str_text(ret_path), ret_text, err);
	str_clear(ret_path);
	str_printf(ret_path, "%s.plan", name);
	if (!shipped)
		return unknown(name, err);
	str_add(ret_text, shipped);
	return 0;
}

int plan_open(struct plan *ret_plan, const char *name, const struct plan_wish *wish,
	      struct err *err)
{
	autostr text = {0}, path = {0};
	int rc = plan_text_load(name, &text, &path, err);

	*ret_plan = (struct plan){0};
	if (rc)
		return rc;
	return plan_read_text(ret_plan, str_text(&path), str_text(&text), wish, err);
}
