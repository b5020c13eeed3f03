/*
 * Writes the man page: a template (argv[1]) whose line "@OPTIONS@" is replaced by the option
 * table's own text, and "@VERSION@" by argv[2]. The build runs it; nothing installs it.
 */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"
#include "job/job.h"

#define TEMPLATE_BYTES_MAX (1 << 20)

/* Adds the text up to `mark` and returns what follows it; all of it where there is no mark. */
static const char *add_until(struct str *page, const char *text, const char *mark)
{
	const char *at = strstr(text, mark);

	if (!at) {
		str_add(page, text);
		return "";
	}
	str_add_bytes(page, text, (size_t)(at - text));
	return at + strlen(mark);
}

int main(int argc, char **argv)
{
	autostr template = {0}, page = {0};
	const char *rest;

	if (argc != 3 || file_read(argv[1], TEMPLATE_BYTES_MAX, &template)) {
		(void)fprintf(stderr, "usage: man_page TEMPLATE VERSION >PAGE\n");
		return 1;
	}
	rest = add_until(&page, str_text(&template), "@VERSION@");
	str_add(&page, argv[2]);
	rest = add_until(&page, rest, "@OPTIONS@\n");
	job_man_options(&page);
	str_add(&page, rest);
	return fputs(str_text(&page), stdout) == EOF || fflush(stdout) == EOF;
}
