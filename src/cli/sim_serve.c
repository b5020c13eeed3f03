/* assay sim serve, and what is done to a served drive: cut, stall, errors, throttle. */
#include <stdio.h>

#include "base/quantity.h"
#include "base/str.h"
#include "base/unit.h"
#include "cli/emit.h"
#include "cli/sim_priv.h"
#include "serve/serve.h"

struct serving {
	const char *target;
	struct err *err;
};

/* Who waits for this line may use the file. */
static int say_ready(void *arg, const char *file, uint64_t size_bytes)
{
	const struct serving *serving = arg;
	autostr line = {0}, size = {0};

	quantity_decimal(size_bytes, &size);
	str_printf(&line, "%s: %s, simulated %s\n", file, str_text(&size), serving->target);
	return emit_text(NULL, &line, serving->err);
}

static int wrong(const char *arg, struct err *err)
{
	(void)err_input(err, "\"%s\" is no option here; assay help sim", arg);
	return emit_error(err);
}

int sim_serve(int argc, char **argv)
{
	struct err err = {0};
	struct serving serving = {.err = &err};
	struct serve_setup setup = {.ready = say_ready, .arg = &serving};

	for (int i = 1; i < argc; i++) {
		const char *value;

		if ((value = sim_value(argv[i], "backing")))
			setup.backing = value;
		else if ((value = sim_value(argv[i], "state")))
			setup.state = value;
		else if ((value = sim_value(argv[i], "log")))
			setup.log = value;
		else if (str_starts(argv[i], "-") || setup.mountpoint)
			return wrong(argv[i], &err);
		else if (setup.target)
			setup.mountpoint = argv[i];
		else
			setup.target = argv[i];
	}
	if (!setup.mountpoint) {
		(void)err_input(&err, "sim serve: which drive, and where? assay help sim");
		return emit_error(&err);
	}
	serving.target = setup.target;
	return serve_run(&setup, &err) ? emit_error(&err) : 0;
}

static int read_cut(const char *arg, struct serve_command *command, struct err *err)
{
	if (!str_equal(arg, "--torn"))
		return err_input(err, "\"%s\": cut takes --torn", arg);
	command->first = 1;
	return 0;
}

static int read_stall(const char *arg, struct serve_command *command, struct err *err)
{
	int rc = unit_parse_time(arg, "s", &command->first, err);

	if (!rc && command->first > SERVE_STALL_MAX_NS)
		return err_input(err, "\"%s\": a stall is a day at most", arg);
	return rc;
}

static int read_errors(const char *arg, struct serve_command *command, struct err *err)
{
	const char *value = sim_value(arg, "of");

	if (!value)
		return unit_parse_count(arg, &command->first, err);
	if (str_equal(value, "reads"))
		command->second = SERVE_FAIL_READS;
	else if (str_equal(value, "writes"))
		command->second = SERVE_FAIL_WRITES;
	else
		return err_input(err, "\"%s\": --of=reads or --of=writes", arg);
	return 0;
}

static int read_throttle(const char *arg, struct serve_command *command, struct err *err)
{
	const char *value;

	if ((value = sim_value(arg, "iops")))
		return unit_parse_count(value, &command->first, err);
	if ((value = sim_value(arg, "rate")))
		return unit_parse_size(value, &command->second, err);
	if (str_equal(arg, "off"))
		return 0;
	return err_input(err, "\"%s\": throttle takes --iops=N, --rate=BYTES or off", arg);
}

static int read_slc(const char *arg, struct serve_command *command, struct err *err)
{
	uint32_t percent_x100 = 0;
	int rc = unit_parse_percent(arg, &percent_x100, err);

	command->first = percent_x100 * UINT64_C(100);
	return rc;
}

static const struct {
	const char *name;
	enum serve_verb verb;
	bool needs_word;
	int (*read)(const char *arg, struct serve_command *command, struct err *err);
} controls[] = {
	{"cut", SERVE_CUT, false, read_cut},
	{"stall", SERVE_STALL, true, read_stall},
	{"errors", SERVE_ERRORS, true, read_errors},
	{"throttle", SERVE_THROTTLE, true, read_throttle},
	{"slc", SERVE_SLC, true, read_slc},
};

int sim_command(int argc, char **argv)
{
	struct serve_command command = {0};
	struct err err = {0};
	size_t which = 0;

	while (!str_equal(controls[which].name, argv[0])) /* cmd_sim has found it */
		which++;
	command.verb = controls[which].verb;
	if (argc < 2 || (controls[which].needs_word && argc < 3)) {
		(void)err_input(&err, "sim %s: which drive, and what? assay help sim", argv[0]);
		return emit_error(&err);
	}
	for (int i = 2; i < argc; i++) {
		if (controls[which].read(argv[i], &command, &err)) {
			err_context(&err, "sim %s", argv[0]);
			return emit_error(&err);
		}
	}
	return serve_send(argv[1], &command, &err) ? emit_error(&err) : 0;
}
