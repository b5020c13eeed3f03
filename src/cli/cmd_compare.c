/* assay compare: runs, tags or files side by side. */
#include <string.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/lang.h"
#include "cli/command.h"
#include "cli/emit.h"
#include "cli/native.h"
#include "cli/sides.h"
#include "report/html.h"
#include "report/lineup_facts.h"

#define SIDES_MAX	26 /* a letter each */
#define CELLS_TOLD	3  /* of a side, where none is in common */
#define FACTS_MAX_BYTES (1 << 20)

struct compare {
	const char *names[SIDES_MAX], *output, *facts_path;
	unsigned nnames;
	enum native_format format;
	bool csv, html, has_format;
	struct side_source source;
	struct side side[SIDES_MAX];
	struct side_facts facts[SIDES_MAX];
};

/* Of --format, or of the ending of -o's file. */
static int set_format(struct compare *compare, const char *name, struct err *err)
{
	compare->has_format = true;
	compare->csv = str_equal(name, "csv");
	compare->html = str_equal(name, "html");
	return compare->csv || compare->html ? 0
					     : native_format_parse(name, &compare->format, err);
}

static void take_ending(struct compare *compare)
{
	static const struct {
		const char *ending, *format;
	} endings[] = {{".html", "html"}, {".htm", "html"},  {".md", "markdown"},
		       {".csv", "csv"},	  {".json", "json"}, {".txt", "text"}};

	for (unsigned i = 0; i < ARRAY_SIZE(endings); i++)
		if (compare->output && !compare->has_format &&
		    str_ends(compare->output, endings[i].ending))
			(void)set_format(compare, endings[i].format, NULL); /* is one */
}

static int set_option(struct compare *compare, const char *word, struct err *err)
{
	if (str_starts(word, "--store="))
		compare->source.store_path = strchr(word, '=') + 1;
	else if (str_starts(word, "--output="))
		compare->output = strchr(word, '=') + 1;
	else if (str_starts(word, "--facts="))
		compare->facts_path = strchr(word, '=') + 1;
	else if (str_starts(word, "--format="))
		return set_format(compare, strchr(word, '=') + 1, err);
	else
		return err_input(err, "compare: there is no option \"%s\"", word);
	return 0;
}

static int parse(struct compare *compare, int argc, char **argv, struct err *err)
{
	int rc = 0;

	for (int i = 1; i < argc && !rc; i++) {
		if (str_equal(argv[i], "-o") && i + 1 < argc)
			compare->output = argv[++i];
		else if (str_starts(argv[i], "--"))
			rc = set_option(compare, argv[i], err);
		else if (compare->nnames < SIDES_MAX)
			compare->names[compare->nnames++] = argv[i];
		else
			rc = err_input(err, "compare: more than %u sides", SIDES_MAX);
	}
	take_ending(compare);
	if (!rc && compare->nnames < 2)
		rc = err_input(err, "compare: two sides at least (runs, tags or files)");
	return rc;
}

static int read_facts(struct compare *compare, struct err *err)
{
	autostr text = {0};
	int rc;

	if (!compare->facts_path)
		return 0;
	rc = file_read(compare->facts_path, FACTS_MAX_BYTES, &text);
	if (rc)
		return err_env(err, rc, "cannot read \"%s\": %s", compare->facts_path,
			       err_name(rc));
	return lineup_facts_parse(compare->facts_path, str_text(&text), compare->facts,
				  compare->nnames, err);
}

static int show(struct compare *compare, const struct lineup *lineup, struct err *err)
{
	const struct html_head head = {.title = N_("Runs side by side"),
				       .program = "assay " ASSAY_VERSION,
				       .lang = lang_of_environment()};
	struct document doc;
	autostr out = {0};

	if (compare->csv) {
		lineup_csv(lineup, &out);
	} else if (compare->format == NATIVE_JSON) {
		lineup_json(lineup, &out);
	} else {
		if (compare->html)
			document_init_html(&doc, &out, &head);
		else
			native_begin_page(&doc, &out, compare->format, compare->output);
		if (compare->html)
			lineup_report(&doc, lineup);
		else
			lineup_page(&doc, lineup);
		lineup_facts_page(&doc, lineup, compare->facts);
		document_done(&doc);
	}
	return emit_text(compare->output, &out, err);
}

/* Two lists under each other are no comparison. */
static int check_common(const struct lineup *lineup, struct err *err)
{
	autostr all = {0};

	for (unsigned c = 0; c < lineup->ncells; c++) {
		unsigned sides = 0;

		for (unsigned i = 0; i < lineup->nsides; i++)
			sides += lineup_has(&lineup->cells[c], i);
		if (sides > 1)
			return 0;
	}
	for (unsigned i = 0; i < lineup->nsides; i++) {
		unsigned shown = 0, count = 0;

		str_printf(&all, "%s%s: ", i ? "; " : "", lineup->names[i]);
		for (unsigned c = 0; c < lineup->ncells; c++) {
			if (!lineup_has(&lineup->cells[c], i) || ++count > CELLS_TOLD)
				continue;
			str_printf(&all, "%s%s", shown++ ? ", " : "", lineup->cells[c].key);
		}
		if (count > shown)
			str_printf(&all, " +%u", count - shown);
		else if (!count)
			str_add(&all, "–");
	}
	return err_input(err, "compare: they have no cell in common: %s", str_text(&all));
}

int cmd_compare(int argc, char **argv)
{
	struct compare compare = {0};
	struct lineup lineup;
	struct err err = {0};
	int rc;

	side_source_init(&compare.source, NULL, STORE_WHOLE);
	rc = parse(&compare, argc, argv, &err);
	if (!rc)
		rc = emit_check_place(compare.output, argc, argv, &err);
	if (!rc)
		rc = read_facts(&compare, &err);
	if (!rc)
		lineup_init(&lineup, &compare.source.arena, compare.nnames);
	for (unsigned i = 0; i < compare.nnames && !rc; i++) {
		rc = side_load(&compare.source, compare.names[i], &compare.side[i], &err);
		if (!rc)
			lineup_add(&lineup, i, compare.names[i], compare.side[i].records,
				   compare.side[i].count);
	}
	if (!rc)
		rc = check_common(&lineup, &err);
	if (!rc)
		rc = show(&compare, &lineup, &err);
	for (unsigned i = 0; i < compare.nnames; i++)
		side_done(&compare.side[i]);
	side_source_done(&compare.source);
	return rc ? emit_error(&err) : 0;
}
