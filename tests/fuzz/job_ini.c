/*
 * Any text as a job file, in both faces: it is refused with one message, or it gives jobs
 * whose canonical options, given again as a command line, make the same jobs. The first byte
 * chooses the face.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "fuzz/fuzz.h"
#include "job/options.h"

#define WORDS_MAX 4000

struct words {
	char *word[WORDS_MAX];
	int count;
};

static void words_done(struct words *words)
{
	for (int i = 0; i < words->count; i++)
		free(words->word[i]);
}

/* The words of a command line as a shell splits it; showcmd quotes with ' and ". */
static void split(const char *text, struct words *words)
{
	while (*text && *text != '\n') {
		autostr word = {0};
		char quote = '\0';

		str_add(&word, "");
		for (; *text && *text != '\n' && (quote || *text != ' '); text++) {
			if (quote ? *text == quote : *text == '\'' || *text == '"')
				quote = quote ? '\0' : *text;
			else if (!quote && *text == '\\')
				str_add_char(&word, *++text);
			else
				str_add_char(&word, *text);
		}
		assert(words->count < WORDS_MAX);
		words->word[words->count++] = strdup(str_text(&word));
		text += *text == ' ';
	}
}

/* All effective options of all jobs. */
static void add_words(const struct job_set *set, struct words *words)
{
	for (unsigned i = 0; i < set->njobs; i++) {
		const struct job_spec *spec = set->jobs[i];

		for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt)) {
			autostr value = {0}, word = {0};
			bool is_name = str_equal(opt->name, "name");

			if (opt_is_cli(opt) || !opt_find_face(opt->name, set->face) ||
			    !opt_fits_engine(opt, spec->ioengine))
				continue;
			opt_format(opt, spec, NULL, &value);
			if (!value.length && !is_name)
				continue;
			str_printf(&word, "--%s=%s", opt->name, str_text(&value));
			assert(words->count < WORDS_MAX);
			words->word[words->count++] = strdup(str_text(&word));
		}
	}
}

static void describe(const struct job_set *set, struct str *out)
{
	for (unsigned i = 0; i < set->njobs; i++) {
		const struct job_spec *spec = set->jobs[i];

		str_printf(out, "%u/%u\n", spec->group, spec->stonewall_group);
		for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt)) {
			if (opt_is_cli(opt))
				continue;
			str_printf(out, "%s=", opt->name);
			opt_format(opt, spec, NULL, out);
			str_add_char(out, '\n');
		}
	}
}

static void assert_same_jobs(const struct job_set *set, struct words *words, int from)
{
	struct job_set again;
	struct err err = {0};
	autostr one = {0}, two = {0};
	int rc;

	job_set_init(&again, set->face);
	rc = job_parse(&again, words->count - from, words->word + from, &err);
	if (rc) {
		for (int i = 0; i < words->count; i++)
			(void)fprintf(stderr, "%s ", words->word[i]);
		(void)fprintf(stderr, "\n%s\n", err.text);
		abort();
	}
	describe(set, &one);
	describe(&again, &two);
	if (!str_equal(str_text(&one), str_text(&two))) {
		(void)fprintf(stderr, "--- given\n%s--- again\n%s", str_text(&one),
			      str_text(&two));
		abort();
	}
	job_set_done(&again);
}

/* Names that a section can have and a command line cannot say: none, and "global". */
static bool has_odd_name(const struct job_set *set)
{
	for (unsigned i = 0; i < set->njobs; i++)
		if (str_equal(set->jobs[i]->name, "global") || !set->jobs[i]->name[0])
			return true;
	return false;
}

static void check_round_trip(const struct job_set *set)
{
	struct words words = {.count = 0};
	autostr line = {0};

	if (has_odd_name(set))
		return;
	if (set->face == FACE_FIO) {
		job_showcmd(set, &line);
		split(str_text(&line), &words);
		assert_same_jobs(set, &words, 1);
	} else {
		add_words(set, &words);
		assert_same_jobs(set, &words, 0);
	}
	words_done(&words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct job_set set;
	struct err err = {0};
	int rc;

	if (!bytes || bytes > 4096)
		return 0;
	job_set_init(&set, data[0] & 1 ? FACE_FIO : FACE_NATIVE);
	rc = job_parse_text(&set, "text", (const char *)data + 1, bytes - 1, &err);
	if (rc)
		assert(err.code == rc && err.text[0]);
	else if (set.njobs <= 8)
		check_round_trip(&set);
	job_set_done(&set);
	return 0;
}
