/* The option table: its rows, their defaults, and that what a kind prints it reads back to the
 * same value. Seed 20261130. */
#include "unit.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/rng.h"
#include "job/options.h"
#include "job/options_priv.h"

#define SEED 20261130

static const enum face faces[] = {FACE_NATIVE, FACE_FIO};

static bool in_face(const struct opt *opt, enum face face)
{
	return opt_find_face(opt->name, face) == opt;
}

static void names_and_aliases_are_unique(void **state)
{
	(void)state;
	for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt)) {
		assert_ptr_equal(opt_find(opt->name), opt);
		if (opt->alias)
			assert_ptr_equal(opt_find(opt->alias), opt);
	}
}

static void rows_are_complete(void **state)
{
	unsigned rows = 0;

	(void)state;
	for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt), rows++) {
		size_t n = strlen(opt->help);

		assert_in_range(n, 2, 160);
		assert_int_equal(opt->help[n - 1], '.');
		assert_non_null(opt_kinds[opt->kind].parse);
		assert_non_null(opt_kinds[opt->kind].format);
		if (opt->deed == OPT_ACTS)
			assert_true(opt->field);
		else
			assert_non_null(opt->why);
		if (opt->kind == OPT_ENUM || opt->kind == OPT_ENUM_MAYBE)
			assert_non_null(opt->words);
		if (opt->why)
			assert_false(str_ends(opt->why, "."));
		assert_true(!opt->max || opt->max >= opt->min);
	}
	assert_in_range(rows, 300, 500);
}

static void every_kind_has_a_parser_and_its_words(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < NOPT_KINDS; kind++) {
		assert_true(opt_kinds[kind].bytes);
		assert_non_null(opt_kinds[kind].form);
		assert_non_null(opt_kinds[kind].note);
		assert_non_null(opt_kinds[kind].fio);
	}
}

static void defaults_print_back_to_themselves(void **state)
{
	(void)state;
	for (unsigned f = 0; f < 2; f++) {
		struct job_set set;
		struct job_spec *spec;

		job_set_init(&set, faces[f]);
		spec = job_new(&set, "x");
		for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt)) {
			const char *def = opt->native_def && faces[f] == FACE_NATIVE
						  ? opt->native_def
						  : opt->def;
			autostr text = {0};

			if (!def || !opt->field || !in_face(opt, faces[f]))
				continue;
			opt_format(opt, spec, &set.options, &text);
			assert_string_equal(str_text(&text), def);
		}
		assert_null(set.notes);
		job_set_done(&set);
	}
}

/* Nothing that was not written counts as given. */
static void defaults_are_not_given(void **state)
{
	struct job_set set;
	struct job_spec *spec;

	(void)state;
	job_set_init(&set, FACE_FIO);
	spec = job_new(&set, "x");
	assert_false(spec->thread_given || spec->randseed_given || spec->iodepth_batch_given);
	assert_false(spec->nice_given || spec->prio_given || spec->registerfiles_given);
	assert_false(spec->nonvectored_given);
	assert_true(spec->thread);
	assert_int_equal(job_set_option(&set, spec, "thread", "0", NULL), 0);
	assert_true(spec->thread_given);
	assert_false(spec->thread);
	job_set_done(&set);
}

/* What each option says at its default is accepted in both faces, whatever its deed. */
static void every_default_is_accepted(void **state)
{
	(void)state;
	for (unsigned f = 0; f < 2; f++) {
		struct job_set set;

		job_set_init(&set, faces[f]);
		for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt)) {
			struct job_spec *spec = job_new(&set, "x");
			struct err err = {0};
			autostr text = {0};

			if (!opt->def || !in_face(opt, faces[f]))
				continue;
			/* fio's own numbers for windows are milliseconds without a unit. */
			if (faces[f] == FACE_FIO && opt->flags & OPT_FIO_INT)
				str_printf(&text, "%d", 1000);
			else
				str_add(&text, opt->def);
			if (job_set_option(&set, spec, opt->name, str_text(&text), &err))
				fail_msg("%s=%s: %s", opt->name, opt->def, err.text);
		}
		job_set_done(&set);
	}
}

/* --- random texts, by kind --- */

struct soup {
	enum opt_kind kind;
	const char *const *tokens;
};

#define TOKENS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NUMBERS	    "0", "1", "2", "3", "7", "10", "64", "99", "100", "512", "1.5", "0x10"
#define SIZES	    NUMBERS, "k", "m", "g", "kB", "MiB", "4k", "8k"

static const struct soup soups[] = {
	{OPT_BOOL, TOKENS("0", "1")},
	{OPT_BOOL_INVERSE, TOKENS("0", "1")},
	{OPT_FLAG, TOKENS("0", "1")},
	{OPT_COUNT, TOKENS(NUMBERS, "%")},
	{OPT_COUNT64, TOKENS(NUMBERS)},
	{OPT_COUNT3, TOKENS(NUMBERS, ",", ",")},
	{OPT_SIGNED, TOKENS(NUMBERS, "-")},
	{OPT_DOUBLE, TOKENS(NUMBERS, "0.15", ".", "-", "e3")},
	{OPT_SIZE, TOKENS(SIZES)},
	{OPT_SIZE32, TOKENS(SIZES)},
	{OPT_SIZE3, TOKENS(SIZES, ",", ",")},
	{OPT_AMOUNT, TOKENS(SIZES, "%")},
	{OPT_TIME, TOKENS(NUMBERS, "us", "ms", "s", "m", "h", "ns")},
	{OPT_TIME3, TOKENS(NUMBERS, "us", "ms", ",", "1us", "2ms")},
	{OPT_TIME_RANGE, TOKENS(NUMBERS, "us", "ms", "s", "-", ":")},
	{OPT_BS, TOKENS(SIZES, ",", ",")},
	{OPT_SIZE_RANGE, TOKENS(SIZES, "-", ":")},
	{OPT_SIZE_RANGE3, TOKENS("1", "512", "1k", "4k", "64k", "-", ":", ",", "-")},
	{OPT_TEXT, TOKENS("a", " ", "b#c", "=", "\\", ":")},
	{OPT_TEXT_MAYBE, TOKENS("a", " ", "b")},
	{OPT_LIST, TOKENS("a", "/dev/x", ":", "\\:", "b c")},
	{OPT_LIST_ADD, TOKENS("a", "/dev/x", ":", "\\:", "b c", "\\")},
	{OPT_ENGINE, TOKENS("io_uring", "psync", "null", "mmap")},
	{OPT_RW,
	 TOKENS("read", "rand", "rw", "write", "trim", ":", "8", "4k", "-", "readwrite")},
	{OPT_SPLIT, TOKENS("4k", "8k-16k", "1m", "/50", "/100", "/25", ":", ":", ",")},
	{OPT_DIST, TOKENS("random", "zipf:1.2", "pareto:0.3", "normal:10", ":0.25",
			  "zoned:", "zoned_abs:", "50/10:50/90", "60/:40/", "100/100", "100/1g",
			  ",", ":0.123456789")},
	{OPT_FLOATS, TOKENS("1", "50", "99.9", "99.999", "100", ":", ":", "0.1")},
	{OPT_FILE_SERVICE, TOKENS("random", "roundrobin", "sequential", "zipf", "pareto",
				  "gauss", ":", "8", "1.2", "0.2")},
	{OPT_PATTERN, TOKENS("0xdead", "0xabc", "\"text\"", "-12", "65793", "\"a\\\"b\"", "0")},
	{OPT_NODES, TOKENS("0", "1", "2-5", "7", ",", ",", "all", "1023")},
	{OPT_CPUS, TOKENS("0", "1", "2-5", "7", ",", ",", "63", "64", "1023")},
	{OPT_CPUMASK, TOKENS(NUMBERS)},
	{OPT_NUMA,
	 TOKENS("local", "default", "bind:0", "prefer:1", "interleave:2", ",1", "-3")},
	{OPT_MEM, TOKENS("malloc", "mmap", "huge", "shm", "shared", ":/x/y")},
	{OPT_ERRNOS, TOKENS("EIO", "ENOSPC", "5", "28", ":", ",", "4000")},
	{OPT_STEADY,
	 TOKENS("iops:5", "bw_slope:0.3%", "bw:4k", "lat:10us", "iops_slope:0.1", "%", "2")},
};

static const char *const *tokens_of(const struct opt *opt)
{
	for (unsigned i = 0; i < ARRAY_SIZE(soups); i++)
		if (soups[i].kind == opt->kind)
			return soups[i].tokens;
	return NULL;
}

static void random_text(struct rng *rng, const struct opt *opt, struct str *out)
{
	const char *const *tokens = tokens_of(opt);
	uint64_t ntokens = 0, length = 1 + rng_below(rng, 6);

	if (!tokens) {
		const struct opt_word *words = opt->words;

		while (words[ntokens].text)
			ntokens++;
		str_add(out, words[rng_below(rng, ntokens)].text);
		return;
	}
	while (tokens[ntokens])
		ntokens++;
	for (uint64_t i = 0; i < length; i++)
		str_add(out, tokens[rng_below(rng, ntokens)]);
}

/* Fields without pointers are compared byte by byte as well. */
static bool is_plain(enum opt_kind kind)
{
	static const enum opt_kind pointing[] = {OPT_TEXT,     OPT_TEXT_MAYBE, OPT_LIST,
						 OPT_LIST_ADD, OPT_ENUM_MAYBE, OPT_ENGINE,
						 OPT_DIST,     OPT_PATTERN,    OPT_ERRNOS};

	for (unsigned i = 0; i < ARRAY_SIZE(pointing); i++)
		if (pointing[i] == kind)
			return false;
	return true;
}

static void *field_of(struct job_set *set, struct job_spec *spec, const struct opt *opt)
{
	return (opt_is_cli(opt) ? (char *)&set->options : (char *)spec) + (opt->field - 1);
}

static void assert_reads_back(struct job_set *set, const struct opt *opt, struct job_spec *spec,
			      const char *text)
{
	size_t bytes = opt_kinds[opt->kind].bytes;
	struct job_spec *other = job_new(set, "y");
	autostr first = {0}, second = {0};
	struct err err = {0};
	char before[READING_BYTES];

	opt_format(opt, spec, &set->options, &first);
	memcpy(before, field_of(set, spec, opt), bytes);
	if (!first.length) /* nothing is set, as with bsrange=4k-4k */
		return;
	if (opt_is_cli(opt))
		memset(field_of(set, other, opt), 0, bytes);
	if (job_set_option(set, other, opt->name, str_text(&first), &err))
		fail_msg("%s=%s was printed as %s: %s", opt->name, text, str_text(&first),
			 err.text);
	opt_format(opt, other, &set->options, &second);
	assert_string_equal(str_text(&first), str_text(&second));
	if (is_plain(opt->kind) && memcmp(before, field_of(set, other, opt), bytes) != 0)
		fail_msg("%s=%s, printed as %s, reads back to another value", opt->name, text,
			 str_text(&first));
}

static void what_is_printed_reads_back(void **state)
{
	unsigned accepted[NOPT_KINDS] = {0};
	struct job_set set;
	struct rng rng;

	(void)state;
	rng_seed(&rng, SEED, 0);
	job_set_init(&set, FACE_NATIVE);
	for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt)) {
		if (!opt->field || opt->deed != OPT_ACTS || !in_face(opt, FACE_NATIVE))
			continue;
		for (int i = 0; i < 200; i++) {
			struct job_spec *spec = job_new(&set, "x");
			autostr text = {0};

			random_text(&rng, opt, &text);
			if (opt_is_cli(opt))
				memset(field_of(&set, spec, opt), 0,
				       opt_kinds[opt->kind].bytes);
			if (job_set_option(&set, spec, opt->name, str_text(&text), NULL))
				continue;
			accepted[opt->kind]++;
			assert_reads_back(&set, opt, spec, str_text(&text));
		}
		job_set_done(&set);
		job_set_init(&set, FACE_NATIVE);
	}
	job_set_done(&set);
	for (unsigned kind = 0; kind < NOPT_KINDS; kind++)
		if (accepted[kind] < 10 && kind != OPT_TEXT_MAYBE)
			fail_msg("kind %u was accepted %u times: the texts are too poor", kind,
				 accepted[kind]);
}

/* A refused value changes nothing of the job. */
static void refused_values_change_nothing(void **state)
{
	struct job_set set;
	struct rng rng;
	unsigned refused = 0;

	(void)state;
	rng_seed(&rng, SEED, 1);
	job_set_init(&set, FACE_NATIVE);
	for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt)) {
		struct job_spec *spec = job_new(&set, "x"), before = *spec;

		if (!opt->field || opt_is_cli(opt) || opt->deed != OPT_ACTS ||
		    opt->kind == OPT_TEXT)
			continue;
		for (int i = 0; i < 50; i++) {
			autostr text = {0};

			random_text(&rng, opt, &text);
			str_add(&text, "~");
			if (!job_set_option(&set, spec, opt->name, str_text(&text), NULL)) {
				*spec = before;
				continue;
			}
			refused++;
			if (memcmp(&before, spec, sizeof(before)) != 0)
				fail_msg("%s=%s was refused and left a trace", opt->name,
					 str_text(&text));
		}
	}
	assert_true(refused > 1000);
	job_set_done(&set);
}

static const struct opt_word *word_of(const struct opt *opt, const char *text)
{
	for (const struct opt_word *word = opt->words; word && word->text; word++)
		if (strcmp(word->text, text) == 0)
			return word;
	return NULL;
}

/* Whether `value` says what a row that is not built in does anyway: its default, or "off". */
static bool changes_nothing(const struct opt *opt, const char *value)
{
	const char *def = opt->def ? opt->def : "0",
		   *off = opt->off ? strstr(opt->off, value) : NULL;
	const struct opt_word *meant = word_of(opt, value), *usual = word_of(opt, def);
	size_t n = strlen(value);

	return strcmp(def, value) == 0 || (meant && usual && meant->value == usual->value) ||
	       (off && (off == opt->off || off[-1] == ' ') && (!off[n] || off[n] == ' '));
}

/* How many of some values `opt` refused with its reason; any other that would do nothing fails. */
static unsigned refusals(struct job_set *set, const struct opt *opt)
{
	static const char *const values[] = {"1", "0", "7", "4k", "10us", "x"};
	const struct opt_word *word = opt->words;
	unsigned refused = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(values) || (word && word->text);) {
		const char *value = i < ARRAY_SIZE(values) ? values[i++] : word++->text;
		struct job_spec *spec = job_new(set, "x");
		struct err err = {0};
		int rc = job_set_option(set, spec, opt->name, value, &err);

		if (rc == 0) {
			if (!changes_nothing(opt, value))
				fail_msg("%s=%s was taken and has no effect", opt->name, value);
			continue;
		}
		assert_int_equal(rc, -EINVAL);
		assert_int_equal(err.kind, ERR_INPUT);
		if (!strstr(err.text, opt->name))
			fail_msg("%s=%s: \"%s\" does not name it", opt->name, value, err.text);
		refused += strstr(err.text, "cannot be had") && strstr(err.text, opt->why);
	}
	return refused;
}

/* nowait, uncached, verify, zonemode ...: never silently without effect, in neither face. */
static void what_is_not_built_in_is_refused_with_its_reason(void **state)
{
	unsigned rows = 0;

	(void)state;
	for (unsigned f = 0; f < 2; f++) {
		struct job_set set;

		job_set_init(&set, faces[f]);
		for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt)) {
			if (opt->deed != OPT_NOT || opt_is_cli(opt) || !in_face(opt, faces[f]))
				continue;
			rows++;
			if (refusals(&set, opt) == 0)
				fail_msg("%s refused nothing with its reason", opt->name);
		}
		job_set_done(&set);
	}
	assert_true(rows > 40);
}

/* fio's --server needs no value: to give it is to ask for it. */
static void what_is_not_built_in_is_refused_without_a_value_too(void **state)
{
	static char server[] = "--server", crctest[] = "--crctest",
		    memcpytest[] = "--memcpytest";
	static char name[] = "--name=j", size[] = "--size=1m";
	char *const options[] = {server, crctest, memcpytest};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		char *argv[] = {options[i], name, size};
		struct err err = {0};
		struct job_set set;

		job_set_init(&set, FACE_FIO);
		assert_int_not_equal(job_parse(&set, 3, argv, &err), 0);
		assert_non_null(strstr(err.text, options[i] + 2));
		assert_non_null(strstr(err.text, "built in"));
		job_set_done(&set);
	}
}

/* --- looking up --- */

static void prefixes_must_be_unambiguous(void **state)
{
	bool ambiguous = true;

	(void)state;
	assert_string_equal(
		opt_find_prefix("iodepth_batch_complete_mi", FACE_FIO, &ambiguous)->name,
		"iodepth_batch_complete_min");
	assert_false(ambiguous);
	assert_string_equal(opt_find_prefix("bs", FACE_FIO, &ambiguous)->name, "bs");
	assert_null(opt_find_prefix("iodep", FACE_FIO, &ambiguous));
	assert_true(ambiguous);
	assert_null(opt_find_prefix("nosuch", FACE_FIO, &ambiguous));
	assert_false(ambiguous);
	assert_string_equal(opt_find_prefix("blocksize_r", FACE_FIO, &ambiguous)->name,
			    "bsrange");
}

static void unknown_names_get_a_suggestion(void **state)
{
	static const char *const cases[][2] = {
		{"blocksiz", "blocksize"}, {"dierct", "direct"},       {"iodept", "iodepth"},
		{"runtme", "runtime"},	   {"rwmixraed", "rwmixread"}, {"numjob", "numjobs"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(opt_nearest(cases[i][0], FACE_NATIVE), cases[i][1]);
	assert_null(opt_nearest("zzzzzz", FACE_NATIVE));
}

static void faces_keep_their_own_options(void **state)
{
	struct err err = {0};

	(void)state;
	assert_null(opt_find_face("output-format", FACE_NATIVE));
	assert_non_null(opt_find_face("output-format", FACE_FIO));
	assert_null(opt_find_face("destroy", FACE_FIO));
	assert_int_equal(opt_unknown("output-format", FACE_NATIVE, &err), -EINVAL);
	assert_non_null(strstr(err.text, "--format=text"));
}

static void engine_options_know_their_engines(void **state)
{
	autostr engines = {0};

	(void)state;
	assert_true(opt_fits_engine(opt_find("hipri"), "io_uring"));
	assert_true(opt_fits_engine(opt_find("hipri"), "pvsync2"));
	assert_false(opt_fits_engine(opt_find("hipri"), "libaio"));
	assert_true(opt_fits_engine(opt_find("userspace_reap"), "libaio"));
	assert_true(opt_fits_engine(opt_find("thp"), "mmap"));
	assert_true(opt_fits_engine(opt_find("bs"), "null"));
	opt_format_engines(opt_find("fixedbufs"), &engines);
	assert_string_equal(str_text(&engines), "io_uring");
}

/* --- help --- */

static void help_speaks_of_every_option(void **state)
{
	autostr all = {0}, man = {0};

	(void)state;
	job_help_all(FACE_NATIVE, &all);
	job_man_options(&man);
	for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt)) {
		enum face face = opt->flags & OPT_FIO ? FACE_FIO : FACE_NATIVE;
		const char *near = NULL;
		autostr one = {0};

		assert_true(job_help_option(opt->name, face, &one, &near));
		assert_non_null(strstr(str_text(&one), opt->name));
		if (opt->deed != OPT_FOREIGN && face == FACE_NATIVE)
			assert_non_null(strstr(str_text(&all), opt->name));
	}
	for (const char *p = str_text(&all); *p; p += strcspn(p, "\n"), p += *p == '\n')
		assert_in_range(strcspn(p, "\n"), 0, 80);
	for (const char *p = str_text(&man); *p; p++)
		assert_true(isprint((unsigned char)*p) || *p == '\n');
}

static void help_of_an_unknown_option_suggests(void **state)
{
	const char *near = NULL;
	autostr out = {0};

	(void)state;
	assert_false(job_help_option("blocksiz", FACE_NATIVE, &out, &near));
	assert_string_equal(near, "blocksize");
	assert_int_equal(out.length, 0);
}

/* The shape of fio --cmdhelp=iodepth (3.33), with our words. */
static void fio_help_has_its_shape(void **state)
{
	const char *near = NULL;
	autostr out = {0};

	(void)state;
	assert_true(job_help_option("bs", FACE_FIO, &out, &near));
	assert_string_equal(str_text(&out), "                  bs: Bytes of one request.\n"
					    "               alias: blocksize\n"
					    "                type: integer value (opt=100)\n"
					    "             default: 4096\n"
					    "               range: min=1, max=1073741824\n\n");
}

/* The shapes of fio --enghelp, --enghelp=libaio and --enghelp=io_uring,hipri. */
static void engine_help_has_its_shape(void **state)
{
	autostr all = {0}, libaio = {0}, hipri = {0}, none = {0};

	(void)state;
	assert_true(job_help_engine("", &all));
	assert_true(
		str_starts(str_text(&all), "Available IO engines:\n\tio_uring\n\tlibaio\n"));
	assert_true(job_help_engine("libaio", &libaio));
	assert_true(str_starts(str_text(&libaio), "userspace_reap          : "));
	assert_null(strstr(str_text(&libaio), "hipri"));
	assert_true(job_help_engine("io_uring,hipri", &hipri));
	assert_true(str_starts(str_text(&hipri), "               hipri: "));
	assert_false(job_help_engine("libaio,hipri", &none));
	assert_false(job_help_engine("io_ur", &none));
	assert_false(job_help_engine("io_uring,", &none));
	assert_int_equal(none.length, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_aliases_are_unique),
		cmocka_unit_test(rows_are_complete),
		cmocka_unit_test(every_kind_has_a_parser_and_its_words),
		cmocka_unit_test(defaults_print_back_to_themselves),
		cmocka_unit_test(defaults_are_not_given),
		cmocka_unit_test(every_default_is_accepted),
		cmocka_unit_test(what_is_printed_reads_back),
		cmocka_unit_test(refused_values_change_nothing),
		cmocka_unit_test(what_is_not_built_in_is_refused_with_its_reason),
		cmocka_unit_test(what_is_not_built_in_is_refused_without_a_value_too),
		cmocka_unit_test(prefixes_must_be_unambiguous),
		cmocka_unit_test(unknown_names_get_a_suggestion),
		cmocka_unit_test(faces_keep_their_own_options),
		cmocka_unit_test(engine_options_know_their_engines),
		cmocka_unit_test(help_speaks_of_every_option),
		cmocka_unit_test(help_of_an_unknown_option_suggests),
		cmocka_unit_test(fio_help_has_its_shape),
		cmocka_unit_test(engine_help_has_its_shape),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
