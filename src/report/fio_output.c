#include "report/fio_output.h"

#include <errno.h>
#include <string.h>

#include "report/fio_json.h"
#include "report/fio_normal.h"
#include "report/fio_terse.h"

static int parse_word(struct fio_formats *formats, const char *word, struct err *err)
{
	if (str_equal(word, "normal"))
		formats->normal = true;
	else if (str_equal(word, "terse") || str_equal(word, "minimal"))
		formats->terse = true;
	else if (str_equal(word, "json"))
		formats->json = true;
	else if (str_equal(word, "json+"))
		formats->json = formats->bins = true;
	else
		return err_input(
			err, "output-format: \"%s\" is not one of normal, terse, json, json+",
			word);
	return 0;
}

int fio_formats_parse(struct fio_formats *ret_formats, const struct run_options *options,
		      struct err *err)
{
	struct fio_formats formats = {0};
	const char *at = options->output_format ? options->output_format : "normal";

	while (at) {
		const char *end = strchr(at, ',');
		autostr word = {0};

		str_add_bytes(&word, at, end ? (size_t)(end - at) : strlen(at));
		if (parse_word(&formats, str_text(&word), err))
			return -EINVAL;
		at = end ? end + 1 : NULL;
	}
	if (options->minimal)
		formats = (struct fio_formats){.terse = true};
	formats.terse |= options->append_terse;
	*ret_formats = formats;
	return 0;
}

void fio_output(struct fio_report *report, const struct fio_formats *formats, struct str *out)
{
	report->bins = formats->bins;
	if (formats->terse)
		fio_terse(report, out);
	if (formats->json)
		fio_json(report, out);
	if (formats->normal)
		fio_normal(report, out);
}
