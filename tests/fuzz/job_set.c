/*
 * Fuzz: options set one by one. The first byte chooses the face; then lines "key=value" or
 * "key". Whatever is accepted must print text that the native face reads back to the same
 * text; whatever is refused must say why and leave the job as it was.
 *
 *   clang -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -Isrc tests/fuzz/job_set.c
 *         src/job/[a-z]*.c src/base/[a-z]*.c -lm -lpthread
 *
 * The dictionary is printed by tests/fuzz/job_dict.c from the option table.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "job/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void assert_reads_back(const struct opt *opt, const struct job_spec *spec)
{
	struct job_set other;
	struct job_spec *again;
	autostr first = {0}, second = {0};

	if (opt->flags & OPT_FIO || !opt->field || opt_is_cli(opt))
		return;
	opt_format(opt, spec, NULL, &first);
	if (!first.length)
		return;
	job_set_init(&other, FACE_NATIVE);
	again = job_new(&other, "again");
	assert(job_set_option(&other, again, opt->name, str_text(&first), NULL) == 0);
	opt_format(opt, again, NULL, &second);
	assert(str_equal(str_text(&first), str_text(&second)));
	job_set_done(&other);
}

static void set_line(struct job_set *set, struct job_spec *spec, char *line)
{
	char *equals = strchr(line, '=');
	const char *value = equals ? equals + 1 : NULL;
	struct job_spec before = *spec;
	const struct opt *opt;
	struct err err = {0};

	if (equals)
		*equals = '\0';
	opt = opt_find_face(line, set->face);
	/* A pattern may read any file: that is not for a fuzzer. */
	if (opt && opt->kind == OPT_PATTERN && value && strchr(value, '\''))
		return;
	if (job_set_option(set, spec, line, value, &err)) {
		assert(err.text[0]);
		assert(err.kind == ERR_INPUT);
		assert(memcmp(&before, spec, sizeof(before)) == 0);
	} else {
		assert(opt);
		assert_reads_back(opt, spec);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct job_set set;
	struct job_spec *spec;
	char *text, *line, *rest;

	if (bytes < 2 || bytes > 4096)
		return 0;
	text = malloc(bytes);
	assert(text);
	memcpy(text, data + 1, bytes - 1);
	text[bytes - 1] = '\0';
	job_set_init(&set, data[0] & 1 ? FACE_FIO : FACE_NATIVE);
	spec = job_new(&set, "fuzz");
	for (line = text; line; line = rest) {
		rest = strchr(line, '\n');
		if (rest)
			*rest++ = '\0';
		set_line(&set, spec, line);
	}
	job_set_done(&set);
	free(text);
	return 0;
}
