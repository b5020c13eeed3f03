/* assay sim: drives that exist in the program alone. */
#include <string.h>

#include "base/bits.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/emit.h"
#include "cli/sim_priv.h"

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
} subcommands[] = {
	{"list", sim_list},	 {"show", sim_show},	    {"waf", sim_waf},
	{"serve", sim_serve},	 {"cut", sim_command},	    {"stall", sim_command},
	{"errors", sim_command}, {"throttle", sim_command}, {"slc", sim_command},
	{"health", sim_health},
};

const char *sim_value(const char *arg, const char *name)
{
	size_t length = strlen(name);

	if (!str_starts(arg, "--") || !str_starts(arg + 2, name) || arg[2 + length] != '=')
		return NULL;
	return arg + 3 + length;
}

bool sim_read_output(int argc, char **argv, int *index, struct sim_output *output)
{
	const char *format = sim_value(argv[*index], "format");

	if (format && (str_equal(format, "json") || str_equal(format, "text"))) {
		output->json = str_equal(format, "json");
		return true;
	}
	if (str_equal(argv[*index], "-o") && *index + 1 < argc) {
		output->path = argv[++*index];
		return true;
	}
	return false;
}

int sim_read_word(int argc, char **argv, const char *what, struct sim_output *output,
		  const char **ret_word, struct err *err)
{
	const char *word = NULL;

	for (int i = 1; i < argc; i++) {
		if (sim_read_output(argc, argv, &i, output))
			continue;
		if (word || argv[i][0] == '-')
			return err_input(err, "sim %s: \"%s\" is too much: give one %s",
					 argv[0], argv[i], what);
		word = argv[i];
	}
	if (!word)
		return err_input(err, "sim %s: which %s? (`assay help sim`)", argv[0], what);
	*ret_word = word;
	return emit_check_place(output->path, argc, argv, err);
}

int cmd_sim(int argc, char **argv)
{
	struct err err = {0};

	for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(subcommands); i++)
		if (str_equal(argv[1], subcommands[i].name))
			return subcommands[i].main(argc - 1, argv + 1);
	if (argc > 1)
		(void)err_input(&err, "sim: there is no \"%s\"; assay help sim", argv[1]);
	else
		(void)err_input(&err, "sim: what? assay help sim");
	return emit_error(&err);
}
