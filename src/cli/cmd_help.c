#include <errno.h>
#include <stdio.h>

#include "base/lang.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/emit.h"
#include "job/job.h"

static void overview(struct str *out)
{
	str_add(out,
		lang_here(
			"assay: the test bench for storage\n\nusage: assay COMMAND [...]\n\n"));
	for (const struct command *command = commands; command->name; command++)
		str_printf(out, "  %-9s %s\n", command->name, lang_here(command->summary));
	str_add(out,
		lang_here("\nassay quick measures the file system of this folder; assay help "
			  "COMMAND tells\nmore; assay help OPTION explains an option of a job, "
			  "as `assay help bs`.\n"));
}

int cmd_help(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL, *near = NULL;
	const struct command *command = word ? command_find(word) : NULL;
	autostr out = {0};
	struct err err = {0};

	if (!word)
		overview(&out);
	else if (command)
		str_printf(&out, "assay %s: %s\n\n%s", command->name,
			   lang_here(command->summary),
			   command->help ? lang_here(command->help) : "");
	else if (str_equal(word, "options"))
		job_help_all(FACE_NATIVE, &out);
	else if (str_equal(word, "--man"))
		job_man_options(&out);
	else if (!job_help_option(word, FACE_NATIVE, &out, &near) && near)
		(void)err_input(
			&err, "no command and no option is called \"%s\"; did you mean \"%s\"?",
			word, near);
	else if (!near && !out.length)
		(void)err_input(&err, "no command and no option is called \"%s\"", word);
	if (!err.code)
		(void)emit_text(NULL, &out, &err);
	return err.code ? emit_error(&err) : 0;
}
