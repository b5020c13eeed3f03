/*
 * The command line of both faces. fio's: one or two dashes, the value after "=" or as the
 * next word, prefixes that only one option has. The native one: two dashes, whole names, "=".
 */
#include <errno.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/lang.h"
#include "job/options.h"
#include "job/outline_priv.h"

#define COMMAND_LINE N_("command line")

struct words {
	char **at;
	int left;
	const char *key; /* of the option being read, without its dashes */
};

static const char *next_word(struct words *words)
{
	if (!words->left)
		return NULL;
	words->left--;
	return *words->at++;
}

/* Options that may stand bare, or take the next word unless that is an option itself
 * (write_bw_log). */
static bool takes_word_if_any(const struct opt *opt)
{
	return !opt_is_cli(opt) && (opt->kind == OPT_TEXT_MAYBE || opt->kind == OPT_ENUM_MAYBE);
}

static int ambiguous(const struct words *words, struct err *err)
{
	autostr names = {0};
	unsigned count = 0;

	for (const struct opt *opt = opt_next(NULL); opt && count < 6; opt = opt_next(opt))
		if (str_starts(opt->name, words->key))
			str_printf(&names, "%s--%s", count++ ? ", " : "", opt->name);
	return err_input(err, "--%s: several options begin so (%s%s): write more of the name",
			 words->key, str_text(&names), count == 6 ? ", ..." : "");
}

static int find_row(struct words *words, enum face face, const struct opt **ret,
		    struct err *err)
{
	bool several = false;

	*ret = face == FACE_FIO ? opt_find_prefix(words->key, face, &several)
				: opt_find_face(words->key, face);
	if (*ret)
		return 0;
	if (several)
		return ambiguous(words, err);
	(void)opt_unknown(words->key, face, err);
	err_context(err, COMMAND_LINE);
	return -EINVAL;
}

/* The value of an option that had no "=". */
static int value_after(struct words *words, enum face face, const struct opt *opt,
		       const char **ret_value, struct err *err)
{
	bool next_is_value = words->left && words->at[0][0] != '-';

	*ret_value = NULL;
	if (opt_is_bare(opt)) {
		if (face == FACE_FIO && takes_word_if_any(opt) && next_is_value)
			*ret_value = next_word(words);
		return 0;
	}
	if (face == FACE_FIO && words->left) { /* even "-1", as fio */
		*ret_value = next_word(words);
		return 0;
	}
	if (words->left && next_is_value)
		return err_input(err, "--%s: the value is missing: write --%s=%s", opt->name,
				 opt->name, words->at[0]);
	return err_input(err, "--%s: the value is missing: write --%s=VALUE", opt->name,
			 opt->name);
}

/* fio's --output-format: one name or several with commas. */
static int check_output_format(const char *list, struct err *err)
{
	static const char *const names[] = {"normal", "terse", "json", "json+"};

	for (const char *at = list;; at++) {
		size_t length = strcspn(at, ","), i = 0;

		while (i < ARRAY_SIZE(names) &&
		       (strlen(names[i]) != length || strncmp(names[i], at, length) != 0))
			i++;
		if (i == ARRAY_SIZE(names))
			return err_input(err,
					 "output-format: \"%.*s\" is not one of: normal terse "
					 "json json+",
					 (int)length, at);
		at += length;
		if (!*at)
			return 0;
	}
}

static int set_command_option(struct outline *outline, const struct opt *opt, const char *value,
			      struct err *err)
{
	int rc;

	if (value && opt->kind == OPT_FLAG && outline->set->face == FACE_FIO)
		rc = err_input(err, "%s: takes no value (\"%s\" was given)", opt->name, value);
	else
		rc = job_set_option(outline->set, NULL, opt->name, value, err);
	if (!rc && value && str_equal(opt->name, "output-format"))
		rc = check_output_format(value, err);
	if (rc)
		err_context(err, COMMAND_LINE);
	return rc;
}

/* --name=X starts a job, --name=global what holds for the jobs after it. */
static int start_block(struct outline *outline, const char *name, struct err *err)
{
	bool global;

	assert(name);
	global = str_equal(name, "global");
	if (!*name)
		return err_input(err, "--name=: the name is missing: write --name=NAME");
	(void)outline_add_block(outline, global ? NULL : name, COMMAND_LINE);
	if (!global)
		outline_add_setting(outline, "name", name, COMMAND_LINE);
	return 0;
}

/* `word` begins with at least one dash and is no file. */
static int read_option(struct outline *outline, struct words *words, const char *word,
		       struct err *err)
{
	enum face face = outline->set->face;
	const char *equals = strchr(word, '='), *value;
	autostr key = {0};
	const struct opt *opt;
	int rc;

	word += word[1] == '-' ? 2 : 1;
	str_add_bytes(&key, word, equals ? (size_t)(equals - word) : strlen(word));
	words->key = str_text(&key);
	rc = find_row(words, face, &opt, err);
	if (rc)
		return rc;
	if (equals)
		value = equals + 1;
	else if ((rc = value_after(words, face, opt, &value, err)))
		return rc;
	if (opt_is_cli(opt))
		return set_command_option(outline, opt, value, err);
	if (str_equal(opt->name, "name"))
		return start_block(outline, value, err);
	outline_add_setting(outline, opt->name, value, COMMAND_LINE);
	return 0;
}

static const struct short_option {
	const char *text, *name;
} short_options[] = {
	{"-h", "--help"},
	{"-v", "--version"},
	{"-o", "--output"},
};

static const char *long_form(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(short_options); i++)
		if (str_equal(word, short_options[i].text))
			return short_options[i].name;
	return word;
}

static int read_word(struct outline *outline, struct words *words, const char *word,
		     struct err *err)
{
	bool native = outline->set->face == FACE_NATIVE;

	if (str_equal(word, "-o") && native) {
		const char *file = next_word(words);

		if (!file)
			return err_input(err, "-o: the file is missing: write -o FILE");
		return job_set_option(outline->set, NULL, "output", file, err);
	}
	word = long_form(word);
	if (native && word[1] != '-')
		return err_input(err, "\"%s\": options begin with two dashes: write -%s", word,
				 word);
	return read_option(outline, words, word, err);
}

int argv_read(struct outline *outline, int argc, char **argv, struct err *err)
{
	struct words words = {.at = argv, .left = argc};
	bool only_files = false;
	const char *word;

	(void)outline_add_block(outline, NULL, COMMAND_LINE);
	while ((word = next_word(&words))) {
		int rc = 0;

		if (only_files || word[0] != '-' || !word[1])
			outline_add_file(outline, word);
		else if (str_equal(word, "--"))
			only_files = true;
		else
			rc = read_word(outline, &words, word, err);
		if (rc)
			return rc;
	}
	return 0;
}
