#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/unit.h"
#include "cli/command.h"
#include "cli/quick_priv.h"

#define QUICK_SIZE_BYTES      (1 * GiB)
#define QUICK_TIME_NS	      (3 * NS_PER_S)
#define QUICK_MAX_WRITE_BYTES (64 * GiB)
#define QUICK_REPEAT_MAX      100

static int parse_cells(struct quick_options *options, const char *text, struct err *err)
{
	memset(options->cell, 0, sizeof(options->cell));
	while (*text) {
		size_t length = strcspn(text, ",");
		bool known = false;

		for (unsigned i = 0; i < QUICK_CELLS; i++) {
			char name[32];

			(void)snprintf(name, sizeof(name), "%s", quick_cell_names[i]);
			for (char *c = name; *c; c++)
				*c = *c == ' ' ? '-' : *c;
			if (strlen(name) != length || strncasecmp(name, text, length) != 0)
				continue;
			options->cell[i] = known = true;
		}
		if (!known)
			return err_input(err,
					 "cells: \"%.*s\" is none of SEQ1M-Q8T1 SEQ1M-Q1T1 "
					 "RND4K-Q32T1 RND4K-Q32T4 RND4K-Q1T1",
					 (int)length, text);
		text += length + (text[length] == ',');
	}
	return 0;
}

static int parse_repeat(struct quick_options *options, const char *text, struct err *err)
{
	uint64_t count;
	int rc = unit_parse_count(text, &count, err);

	if (!rc && (count < 1 || count > QUICK_REPEAT_MAX))
		rc = err_input(err, "\"%s\": 1 to %u", text, QUICK_REPEAT_MAX);
	if (!rc)
		options->repeat = (unsigned)count;
	return rc;
}

static int set_value(struct quick_options *options, const char *key, const char *value,
		     struct err *err)
{
	int rc = 0;

	if (str_equal(key, "size")) {
		options->size_given = true;
		rc = unit_parse_size(value, &options->size_bytes, err);
		if (!rc && options->size_bytes < 16 * MiB)
			rc = err_input(err, "\"%s\": at least 16m, or nothing is measured",
				       value);
	} else if (str_equal(key, "time")) {
		rc = unit_parse_time(value, "s", &options->time_ns, err);
		if (!rc && options->time_ns < 100 * NS_PER_MS)
			rc = err_input(err, "\"%s\": at least 100ms", value);
	} else if (str_equal(key, "max-write") || str_equal(key, "max_write")) {
		rc = unit_parse_size(value, &options->max_write_bytes, err);
	} else if (str_equal(key, "cells")) {
		return parse_cells(options, value, err);
	} else if (str_equal(key, "repeat")) {
		rc = parse_repeat(options, value, err);
	} else if (str_equal(key, "destroy")) {
		options->destroy = value;
	} else if (str_equal(key, "format")) {
		return native_format_parse(value, &options->format, err);
	} else if (str_equal(key, "output")) {
		options->output = value;
	} else if (str_equal(key, "store")) {
		options->store = value;
	} else if (str_equal(key, "tag")) {
		options->tag = value;
	} else if (str_equal(key, "progress")) {
		options->progress = value;
	} else {
		return err_input(
			err,
			"quick: there is no option \"--%s\"; `assay help quick` lists them",
			key);
	}
	if (rc)
		err_context(err, "--%s", key);
	return rc;
}

static int set_flag(struct quick_options *options, const char *key, struct err *err)
{
	if (str_equal(key, "write"))
		options->write = true;
	else if (str_equal(key, "no-write") || str_equal(key, "readonly"))
		options->no_write = true;
	else if (str_equal(key, "no-store") || str_equal(key, "no_store"))
		options->no_store = true;
	else if (str_equal(key, "no-report") || str_equal(key, "no_report"))
		options->no_report = true;
	else if (str_equal(key, "clean"))
		options->clean = true;
	else if (str_equal(key, "o"))
		return err_input(err, "quick: -o lacks its file: -o FILE");
	else
		return err_input(err,
				 "quick: --%s is no flag here, or lacks its value (--%s=...)",
				 key, key);
	return 0;
}

static int parse_one(struct quick_options *options, const char *word, struct err *err)
{
	const char *equals = strchr(word, '=');
	char key[40];

	if (word[0] != '-' || !word[1]) {
		if (options->target)
			return err_input(err,
					 "quick: one target at a time: \"%s\", then \"%s\"",
					 options->target, word);
		options->target = word;
		return 0;
	}
	word += word[1] == '-' ? 2 : 1;
	if (!equals)
		return set_flag(options, word, err);
	(void)snprintf(key, sizeof(key), "%.*s", (int)(equals - word), word);
	return set_value(options, key, equals + 1, err);
}

int quick_options_parse(struct quick_options *options, int argc, char **argv, struct err *err)
{
	*options = (struct quick_options){.size_bytes = QUICK_SIZE_BYTES,
					  .time_ns = QUICK_TIME_NS,
					  .max_write_bytes = QUICK_MAX_WRITE_BYTES,
					  .repeat = 1};
	memset(options->cell, 1, sizeof(options->cell));
	for (int i = 1; i < argc; i++) {
		int rc;

		if (str_equal(argv[i], "-o") && i + 1 < argc) {
			options->output = argv[++i];
			continue;
		}
		rc = parse_one(options, argv[i], err);
		if (rc)
			return rc;
	}
	if (options->write && options->no_write)
		return err_input(
			err,
			"quick: --write and --no-write (or --readonly) exclude each other");
	return 0;
}
