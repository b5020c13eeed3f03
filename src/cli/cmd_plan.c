/* assay plan: its words and what they share. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/unit.h"
#include "cli/command.h"
#include "cli/emit.h"
#include "cli/plan_page.h"
#include "cli/plan_priv.h"
#include "plan/shipped.h"

static const struct word {
	const char *name;
	plan_word *run;
	unsigned least, most; /* words after it */
	bool measures;
} words[] = {
	{"list", plan_list_word, 0, 0, false},
	{"show", plan_show_word, 1, 1, false},
	{"check", plan_check_word, 1, 1, false},
	{"estimate", plan_estimate_word, 2, 1 + PLAN_WORDS_MAX, false},
	{"run", plan_run_word, 2, 1 + PLAN_WORDS_MAX, true},
	{"resume", plan_resume_word, 0, 1, true},
};

static int add_word(struct plan_options *options, const char *text, struct err *err)
{
	if (options->nwords == ARRAY_SIZE(options->words))
		return err_input(err, "more than %d targets", PLAN_WORDS_MAX);
	options->words[options->nwords++] = text;
	return 0;
}

static int add_set(struct plan_options *options, const char *text, struct err *err)
{
	if (!text || !strchr(text, '='))
		return err_input(err, "--set: write --set VARIABLE=VALUE");
	if (options->nset == PLAN_SET_MAX)
		return err_input(err, "more than %d of --set", PLAN_SET_MAX);
	options->set[options->nset++] = text;
	return 0;
}

/* The value of --NAME=VALUE; NULL: another option. */
static const char *value_of(const char *arg, const char *name)
{
	size_t length = strlen(name);

	return strncmp(arg, name, length) == 0 && arg[length] == '=' ? arg + length + 1 : NULL;
}

static int read_number(const char *arg, const char *text, unsigned least, unsigned *ret_value,
		       struct err *err)
{
	uint64_t value;
	int rc = unit_parse_count(text, &value, err);

	if (rc)
		err_context(err, "%.*s", (int)strcspn(arg, "="), arg);
	if (!rc && (value < least || value > 100000))
		rc = err_input(err, "%s: from %u to 100000", arg, least);
	if (!rc)
		*ret_value = (unsigned)value;
	return rc;
}

static int read_option(struct plan_options *options, char **argv, int argc, int *at,
		       struct err *err)
{
	const struct {
		const char *name, **value;
	} texts[] = {{"--spec", &options->spec_path},	  {"--output", &options->output},
		     {"--format", &options->format_text}, {"--destroy", &options->destroy},
		     {"--store", &options->store},	  {"--on-finish", &options->on_finish},
		     {"--progress", &options->progress}};
	const struct {
		const char *name;
		unsigned least, *value;
	} numbers[] = {{"--repeat", 1, &options->repeat},
		       {"--scale", 1, &options->scale},
		       {"--keep-worst", 0, &options->keep_worst}};
	const struct {
		const char *name;
		bool *value;
	} flags[] = {{"--text", &options->text},
		     {"--dry-run", &options->dry_run},
		     {"--parallel", &options->parallel},
		     {"--no-report", &options->no_report}};
	const char *arg = argv[*at];

	if (str_equal(arg, "--set"))
		return add_set(options, *at + 1 < argc ? argv[++*at] : NULL, err);
	if (value_of(arg, "--set"))
		return add_set(options, value_of(arg, "--set"), err);
	if (str_equal(arg, "-o") && *at + 1 < argc) {
		options->output = argv[++*at];
		return 0;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(flags); i++)
		if (str_equal(arg, flags[i].name)) {
			*flags[i].value = true;
			return 0;
		}
	for (unsigned i = 0; i < ARRAY_SIZE(numbers); i++)
		if (value_of(arg, numbers[i].name))
			return read_number(arg, value_of(arg, numbers[i].name),
					   numbers[i].least, numbers[i].value, err);
	for (unsigned i = 0; i < ARRAY_SIZE(texts); i++)
		if (value_of(arg, texts[i].name)) {
			*texts[i].value = value_of(arg, texts[i].name);
			return 0;
		}
	if (value_of(arg, "--max-write")) {
		options->has_max_write = true;
		if (!unit_parse_size(value_of(arg, "--max-write"), &options->max_write_bytes,
				     err))
			return 0;
		err_context(err, "%.*s", (int)strcspn(arg, "="), arg);
		return err->code;
	}
	return err_input(err, "there is no option \"%s\" here (`assay help plan`)", arg);
}

static int read_options(struct plan_options *options, int argc, char **argv, struct err *err)
{
	int rc = 0;

	for (int i = 2; i < argc && !rc; i++)
		rc = argv[i][0] == '-' && argv[i][1] ? read_option(options, argv, argc, &i, err)
						     : add_word(options, argv[i], err);
	if (!rc && options->format_text && str_equal(options->format_text, "csv"))
		options->format = NATIVE_CSV;
	else if (!rc && options->format_text && str_equal(options->format_text, "cdm"))
		options->format = NATIVE_CDM;
	else if (!rc)
		rc = native_format_parse(options->format_text, &options->format, err);
	if (!rc && options->spec_path)
		rc = plan_spec_read(&options->spec, options->spec_path, err);
	options->wish = (struct plan_wish){.set = options->set,
					   .nset = options->nset,
					   .spec = options->spec_path ? &options->spec : NULL};
	return rc;
}

int plan_options_open(struct plan_options *options, struct plan *ret_plan, struct err *err)
{
	return plan_open(ret_plan, options->words[0], &options->wish, err);
}

static int no_such_word(const char *name, struct err *err)
{
	autostr list = {0};

	for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
		str_printf(&list, "%s%s", i ? ", " : "", words[i].name);
	if (!name)
		return err_input(err, "plan: say what: %s (`assay help plan`)",
				 str_text(&list));
	return err_input(err, "plan: \"%s\" is none of %s", name, str_text(&list));
}

int cmd_plan(int argc, char **argv)
{
	const struct word *word = NULL;
	struct plan_options options = {.repeat = 1, .scale = 1, .keep_worst = 1};
	struct err err = {0};
	int rc;

	for (unsigned i = 0; argc > 1 && i < ARRAY_SIZE(words); i++)
		if (str_equal(words[i].name, argv[1]))
			word = &words[i];
	if (!word) {
		(void)no_such_word(argc > 1 ? argv[1] : NULL, &err);
		return emit_error(&err);
	}
	rc = read_options(&options, argc, argv, &err);
	if (!rc && (options.nwords < word->least || options.nwords > word->most))
		rc = err_input(&err, "plan %s takes %s (`assay help plan`)", word->name,
			       word->most == 0	 ? N_("no name")
			       : word->most == 1 ? N_("one plan")
						 : N_("a plan and its targets"));
	if (!rc)
		rc = word->measures && !options.dry_run
			     ? emit_check(options.output, argc, argv, &err)
			     : emit_check_place(options.output, argc, argv, &err);
	if (!rc)
		rc = word->run(&options, &err);
	if (options.spec_path)
		plan_spec_done(&options.spec);
	if (rc == -EPIPE) { /* who read stdout went away: as every other command ends then */
		(void)signal(SIGPIPE, SIG_DFL);
		(void)raise(SIGPIPE);
	}
	return rc < 0 ? emit_error(&err) : rc;
}
