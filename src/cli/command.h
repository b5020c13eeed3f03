/*
 * A command of the program: one file cmd_NAME.c, one line in the table of main.c. Commands are
 * the only place that reads argv, prints, and decides the exit code.
 */
#pragma once

#include <stdbool.h>

struct err;

struct command {
	const char *name, *summary;
	/* `argv[0]` is the command's name. Returns the exit code. */
	int (*main)(int argc, char **argv);
	const char *help; /* usage and examples; NULL: the summary is all there is */
};

int cmd_run(int argc, char **argv);
int cmd_fio(int argc, char **argv);
int cmd_quick(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_history(int argc, char **argv);
int cmd_gate(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_results(int argc, char **argv);
int cmd_sim(int argc, char **argv);
int cmd_targets(int argc, char **argv);
int cmd_log(int argc, char **argv);
int cmd_help(int argc, char **argv);

/* All commands, ended by an entry without a name. */
extern const struct command commands[];
/* Below it no command gets far, and what fails first says little of the cause. */
#define OPEN_FILES_LEAST 16
int command_check_limits(struct err *err);

/* How this process ends where memory runs out (base/memory.h), after all other clean-up: drives
 * get their settings back, and the code is the face's. A fork that is a command of its own calls
 * it anew. */
void command_end_without_memory(bool as_fio);

const struct command *command_find(const char *name);
