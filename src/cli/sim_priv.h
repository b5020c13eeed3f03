/* The subcommands of `assay sim`; each reads its own options and gives the exit code. */
#pragma once

#include <stdbool.h>

#include "base/err.h"

int sim_list(int argc, char **argv);
int sim_show(int argc, char **argv);
int sim_waf(int argc, char **argv);
int sim_serve(int argc, char **argv);
int sim_command(int argc, char **argv); /* cut, stall, errors, throttle, slc */
int sim_health(int argc, char **argv);

/* What every one of them takes: --format=text|json and -o FILE. */
struct sim_output {
	bool json;
	const char *path; /* NULL: stdout */
};

/* The value of "--NAME=VALUE", or NULL if `arg` is another option. */
const char *sim_value(const char *arg, const char *name);
/* True if argv[*index] was one of the common options (-o takes the next word too). */
bool sim_read_output(int argc, char **argv, int *index, struct sim_output *output);
/* The one word that a subcommand takes beside those, `what` of it: "MOUNTPOINT". 0, or err. */
int sim_read_word(int argc, char **argv, const char *what, struct sim_output *output,
		  const char **ret_word, struct err *err);
