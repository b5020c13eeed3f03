/* assay plan list, show, check: what plans there are, and what they are made of. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/lang.h"
#include "base/quantity.h"
#include "base/unit.h"
#include "cli/emit.h"
#include "cli/plan_priv.h"
#include "plan/shipped.h"

/* --- list --- */

/* The table, and what is wrong with plans that are in it. */
struct listing {
	struct document *doc;
	struct table table;
	struct str wrong;
};

static void list_one(struct listing *list, const char *name, const char *from, const char *text)
{
	struct document *doc = list->doc;
	struct table *table = &list->table;
	struct plan plan;
	struct err err = {0};
	autostr path = {0};

	str_printf(&path, "%s.plan", name);
	table_cell(doc, table, "%s", name);
	if (plan_read_text(&plan, str_text(&path), text, NULL, &err)) {
		table_cell(doc, table, "–");
		table_cell(doc, table, "%s", from);
		table_cell(doc, table, "cannot be read");
		str_printf(&list->wrong, "%s\n", err.text);
		return;
	}
	table_cell(doc, table, "%u", plan.nsteps);
	table_cell(doc, table, "%s", from);
	table_cell(doc, table, "%s", plan.title ? plan.title : "");
	plan_done(&plan);
}

static void list_wrong(struct listing *list)
{
	char *at = list->wrong.text;

	while (at && *at) {
		char *newline = strchr(at, '\n');

		*newline = '\0'; /* each ends in one */
		document_prose(list->doc, TONE_WARNING, "%s", at);
		at = newline + 1;
	}
	str_done(&list->wrong);
}

static int is_plan(const struct dirent *entry)
{
	return str_ends(entry->d_name, ".plan");
}

static void list_own(struct listing *list)
{
	struct dirent **entries;
	autostr folder = {0};
	int count;

	plan_own_folder(&folder);
	count = scandir(str_text(&folder), &entries, is_plan, alphasort);
	for (int i = 0; i < count; i++) {
		autostr path = {0}, text = {0}, from = {0}, name = {0};

		str_printf(&path, "%s/%s", str_text(&folder), entries[i]->d_name);
		str_add_bytes(&name, entries[i]->d_name,
			      strlen(entries[i]->d_name) - strlen(".plan"));
		if (!plan_text_load(str_text(&path), &text, &from, NULL))
			list_one(list, str_text(&name), N_("yours"), str_text(&text));
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

static int no_json(const struct plan_options *options, struct err *err)
{
	if (options->format == NATIVE_JSON)
		return err_input(err, "format: json is the form of results: text or markdown "
				      "here");
	return 0;
}

int plan_list_word(struct plan_options *options, struct err *err)
{
	static const char *const heads[] = {N_("plan"), N_("steps"), "from", "what", NULL};
	struct document doc;
	struct listing list = {.doc = &doc};
	autostr out = {0};
	int rc = no_json(options, err);

	if (rc)
		return rc;
	native_begin_page(&doc, &out, options->format, options->output);
	document_heading(&doc, 1, "plans");
	table_init(&list.table, heads);
	list.table.names = 1u << 0;
	for (const struct plan_text *p = plan_texts; p->name; p++)
		list_one(&list, p->name, "assay", p->text);
	list_own(&list);
	document_table(&doc, &list.table);
	list_wrong(&list);
	document_done(&doc);
	return emit_text(options->output, &out, err);
}

/* --- show and check --- */

static void describe_cells(struct document *doc, const struct plan_step *step, struct str *out)
{
	for (unsigned a = 0; a < step->sweep.count; a++) {
		const struct plan_axis *axis = &step->sweep.axis[a];

		str_printf(out, "%s%s ", a ? " × " : "", axis->key);
		for (unsigned v = 0; v < axis->count; v++)
			str_printf(out, "%s%s", v ? "," : "", axis->values[v]);
	}
	if (step->sweep.count)
		document_add(doc, out, PLURAL(step->ncells, ": %u cell", ": %u cells"),
			     step->ncells);
	if (step->repeat > 1 && out->length)
		str_add(out, ", ");
	if (step->repeat > 1)
		document_add(doc, out,
			     step->discard ? N_("%u times (%s, the first not counted)")
					   : N_("%u times (%s)"),
			     step->repeat,
			     document_say(doc, plan_aggregate_names[step->aggregate]));
}

static void describe_kind(struct document *doc, const struct plan_step *step, struct str *out)
{
	autostr figures = {0};

	switch (step->kind) {
	case PLAN_ROUNDS:
		for (unsigned v = 0; v < step->until.count; v++)
			str_printf(&figures, "%s%s", v ? ", " : "",
				   step->until.variable[v].text);
		document_add(doc, out,
			     PLURAL(step->max_rounds,
				    "until %s steady over %u of at most %u round",
				    "until %s steady over %u of at most %u rounds"),
			     str_text(&figures), step->until.window, step->max_rounds);
		if (step->max_fills)
			document_add(doc, out,
				     PLURAL(step->max_fills, ", or %u time the target",
					    ", or %u times the target"),
				     step->max_fills);
		break;
	case PLAN_FIND:
		document_add(doc, out, "highest load with %s", step->find.check);
		break;
	case PLAN_FILL:
	case PLAN_PRECONDITION:
		document_add(doc, out, PLURAL(step->passes, "%u pass", "%u passes"),
			     step->passes);
		document_add(doc, out, PLURAL(step->workers, ", %u worker", ", %u workers"),
			     step->workers);
		break;
	case PLAN_IDLE:
	case PLAN_SOAK:
		quantity_time(step->for_ns, out);
		break;
	case PLAN_CHECK:
		document_add(doc, out, PLURAL(step->nchecks, "%u check", "%u checks"),
			     step->nchecks);
		break;
	case PLAN_RUN:
	case PLAN_SWEEP:
	case PLAN_PURGE:
	case PLAN_SNAPSHOT:
	case NPLAN_KINDS:
		break;
	}
}

static void show_step(struct document *doc, struct table *table, const struct plan *plan,
		      const struct plan_step *step)
{
	autostr what = {0}, cells = {0}, kind = {0}, needs = {0};

	if (step->filesystem)
		document_add(doc, &what, "through %s, made for it", step->filesystem);
	describe_kind(doc, step, &kind);
	if (kind.length)
		str_printf(&what, "%s%s", what.length ? "; " : "", str_text(&kind));
	describe_cells(doc, step, &cells);
	if (cells.length)
		str_printf(&what, "%s%s", what.length ? "; " : "", str_text(&cells));
	for (unsigned i = 0; i < step->nneeds; i++)
		str_printf(&needs, "%s%s", i ? ", " : "", plan->steps[step->needs[i]].name);
	table_cell(doc, table, "%s", step->name);
	table_cell(doc, table, "%s", plan_kind_name(step->kind));
	table_cell(doc, table, "%s", plan_step_writes(step) ? "writes" : "");
	table_cell(doc, table, "%s", str_text(&needs));
	table_cell(doc, table, "%s", str_text(&what));
}

static void show_plan(struct document *doc, const struct plan *plan)
{
	static const char *const heads[] = {N_("step"),	 N_("kind"), "",
					    N_("needs"), "what",     NULL};
	struct table table;

	document_heading(doc, 1, "%s",
			 plan->title ? document_say(doc, plan->title) : plan->name);
	if (plan->about)
		document_prose(doc, TONE_PLAIN, "%s", plan->about);
	table_init(&table, heads);
	table.names = 1u << 0 | 1u << 1 | 1u << 3; /* of steps, and step= */
	for (unsigned i = 0; i < plan->nsteps; i++)
		show_step(doc, &table, plan, &plan->steps[i]);
	document_table(doc, &table);
	for (unsigned i = 0; i < plan->nsteps; i++)
		if (plan->steps[i].about)
			document_prose(doc, TONE_PLAIN, "%s: %s", plan->steps[i].name,
				       plan->steps[i].about);
	if (plan_makes_filesystem(plan))
		document_prose(
			doc, TONE_PLAIN,
			"It makes file systems and mounts them, which takes root and a "
			"block device. A simulated drive becomes one by `assay sim serve "
			"PROFILE FOLDER` and `losetup -f --show --direct-io=on "
			"FOLDER/disk`, in real time; a file by the latter.");
	for (unsigned i = 0; i < plan->nvariables; i++)
		document_prose(doc, TONE_PLAIN, "--set %s=%s", plan->variables[i].key,
			       plan->variables[i].value);
}

static int show(struct plan_options *options, const char *last_words, struct err *err)
{
	struct document doc;
	struct plan plan;
	autostr out = {0};
	int rc = no_json(options, err);

	if (!rc)
		rc = plan_options_open(options, &plan, err);
	if (rc)
		return rc;
	native_begin_page(&doc, &out, options->format, options->output);
	show_plan(&doc, &plan);
	if (last_words)
		document_prose(&doc, TONE_VERDICT, "%s: %s", plan.path, last_words);
	document_done(&doc);
	plan_done(&plan);
	return emit_text(options->output, &out, err);
}

int plan_show_word(struct plan_options *options, struct err *err)
{
	autostr text = {0}, path = {0};
	int rc;

	if (!options->text)
		return show(options, NULL, err);
	rc = plan_text_load(options->words[0], &text, &path, err);
	return rc ? rc : emit_text(options->output, &text, err);
}

int plan_check_word(struct plan_options *options, struct err *err)
{
	return show(options, N_("nothing is wrong with it"), err);
}
