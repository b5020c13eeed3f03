/*
 * The rungs that drives carry out. What is decided is a pure function of what identify says; what
 * is asked of nvme and hdparm is seen by scripted ones. The real commands run in the guest
 * (tests/cli/test_guest.py) as far as QEMU's drives have them: format, not sanitize, not ATA's.
 */
#include <errno.h>
#include <sys/ioctl.h>

#include "device/purge_priv.h"
#include "scripted.h"
#include "tree.h"

/* A controller that can do everything, with one namespace that may be written. */
static struct purge_nvme able(void)
{
	struct purge_nvme nvme = {.nseen = 1, .allocated = 1};

	nvme.controller[256] = 0x02 | 0x08; /* OACS: format, namespaces */
	nvme.controller[328] = 0x03;	    /* SANICAP: crypto and block erase */
	nvme.name_space[26] = 0x12;	    /* FLBAS: format 2, metadata inline */
	nvme.name_space[29] = 0x09;	    /* DPS: type 1, first bytes */
	(void)strcpy(nvme.seen[0].path, "/dev/nvme0n1");
	return nvme;
}

static void decide(struct purge_plan *plan, const struct purge_nvme *nvme)
{
	*plan = (struct purge_plan){.method = PURGE_AUTO};
	purge_nvme_decide(plan, nvme);
}

static struct scripted s;

static int open_scripts(void **state)
{
	(void)state;
	scripted_open(&s);
	scripted_program(&s, "nvme", "");
	return 0;
}

static int close_scripts(void **state)
{
	(void)state;
	scripted_close(&s);
	return 0;
}

static void what_the_controller_offers_is_possible(void **state)
{
	struct purge_nvme nvme = able();
	struct purge_plan plan;

	(void)state;
	decide(&plan, &nvme);
	assert_true(plan.rung[PURGE_SANITIZE].possible && plan.rung[PURGE_FORMAT].possible);
	assert_string_equal(plan.rung[PURGE_SANITIZE].text, "NVMe sanitize, block erase");
	assert_string_equal(plan.rung[PURGE_FORMAT].text, "NVMe format, user data erase");
	assert_int_equal(plan.lba_format, 2);
	assert_int_equal(plan.metadata_inline, 1);
	assert_int_equal(plan.protection, 1);
	assert_int_equal(plan.protection_first, 1);
	nvme.controller[328] = 0x01;
	decide(&plan, &nvme);
	assert_string_equal(plan.rung[PURGE_SANITIZE].text, "NVMe sanitize, crypto erase");
	nvme.controller[328] = 0x04; /* overwrite alone wears the drive: not offered */
	nvme.controller[256] = 0;
	decide(&plan, &nvme);
	assert_string_equal(plan.rung[PURGE_SANITIZE].why_not, "the controller offers none");
	assert_string_equal(plan.rung[PURGE_FORMAT].why_not, "the controller offers none");
	assert_true(plan.rung[PURGE_FORMAT].applies);
}

static void neighbours_must_be_consented_to(void **state)
{
	struct purge_nvme nvme = able();
	struct purge_plan plan;

	(void)state;
	nvme.nseen = nvme.allocated = 2;
	(void)strcpy(nvme.seen[1].path, "/dev/nvme0n2");
	(void)strcpy(nvme.seen[1].refused, "/dev/nvme0n2 holds ext4");
	decide(&plan, &nvme);
	assert_false(plan.rung[PURGE_SANITIZE].possible);
	assert_string_equal(plan.rung[PURGE_SANITIZE].why_not,
			    "it would erase /dev/nvme0n2 too: /dev/nvme0n2 holds ext4");
	assert_true(plan.rung[PURGE_FORMAT].possible); /* of the one namespace */
	for (unsigned bit = 1; bit <= 2; bit++) {      /* FNA: all at a format, or an erase */
		nvme.controller[524] = (uint8_t)bit;
		decide(&plan, &nvme);
		assert_false(plan.rung[PURGE_FORMAT].possible);
		assert_non_null(strstr(plan.rung[PURGE_FORMAT].text, "of all namespaces"));
	}
	nvme.seen[1].refused[0] = '\0';
	decide(&plan, &nvme);
	assert_true(plan.rung[PURGE_SANITIZE].possible && plan.rung[PURGE_FORMAT].possible);
	plan.method = PURGE_FORMAT;
	purge_nvme_erased(&plan, &nvme);
	assert_int_equal(plan.nerased, 1);
	assert_string_equal(plan.erased[0], "/dev/nvme0n2");
}

static void namespaces_that_nobody_sees_are_not_erased(void **state)
{
	struct purge_nvme nvme = able();
	struct purge_plan plan;

	(void)state;
	nvme.allocated = 3; /* attached to another host, or to none */
	decide(&plan, &nvme);
	assert_non_null(strstr(plan.rung[PURGE_SANITIZE].why_not, "sees 1 of them"));
	assert_true(plan.rung[PURGE_FORMAT].possible);
	nvme.nseen = PURGE_ERASED_MAX + 1;
	decide(&plan, &nvme);
	assert_false(plan.rung[PURGE_SANITIZE].possible);
	nvme.failed = -EACCES;
	decide(&plan, &nvme);
	assert_non_null(strstr(plan.rung[PURGE_FORMAT].why_not, "permission denied"));
}

/* --- doing --- */

static unsigned polls, sanitize_ends_with;
static bool controller_is_gone;

/* Two namespaces are allocated; this is the second, in its third format. */
static int identify(const struct nvme_admin_cmd *command)
{
	uint8_t *data = (uint8_t *)(uintptr_t)command->addr;

	if (controller_is_gone)
		return -1;
	if (command->cdw10 == 0x01) {
		data[256] = 0x02 | 0x08;
		data[328] = 0x02;
	} else if (command->cdw10 == 0x00) {
		assert_int_equal(command->nsid, 1);
		data[26] = 2;
	} else {
		assert_int_equal(command->cdw10, 0x10);
		data[0] = 1;
		data[4] = 2;
	}
	return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	struct nvme_admin_cmd *command;
	uint8_t *log;
	va_list args;

	va_start(args, request);
	command = va_arg(args, void *);
	va_end(args);
	assert_true(fd >= 0);
	assert_int_equal(request, NVME_IOCTL_ADMIN_CMD);
	if (command->opcode == 0x06)
		return identify(command);
	assert_int_equal(command->opcode, 0x02);
	assert_int_equal(command->cdw10 & 0xff, 0x81);
	log = (uint8_t *)(uintptr_t)command->addr;
	log[1] = 0x80; /* half way */
	log[2] = (uint8_t)(++polls < 3 ? 2 : sanitize_ends_with);
	return 0;
}

static struct purge_plan planned(enum purge_method method)
{
	struct purge_nvme nvme = able();
	struct purge_plan plan;

	decide(&plan, &nvme);
	plan.method = method;
	(void)strcpy(plan.facts.device.name, "nvme0n1");
	(void)strcpy(plan.facts.device.path, "/dev/nvme0n1");
	scripted_node(&s, "nvme0n1");
	polls = 0;
	return plan;
}

static void format_keeps_the_format_of_the_drive(void **state)
{
	const struct purge_wish wish = {.roots = &s.roots};
	struct purge_plan plan = planned(PURGE_FORMAT);
	autostr asked = {0}, expected = {0};
	struct err err = {0};

	(void)state;
	assert_int_equal(purge_nvme_do(&plan, &wish, &err), 0);
	scripted_asked(&s, &asked);
	str_printf(&expected,
		   "nvme format %s/nvme0n1 --lbaf=2 --ses=1 --ms=1 --pi=1 --pil=1 "
		   "--timeout=14400000 --force\n",
		   s.dev);
	assert_string_equal(str_text(&asked), str_text(&expected));
	scripted_program(&s, "nvme", "echo 'NVMe status: Format In Progress' >&2; exit 1");
	assert_int_equal(purge_nvme_do(&plan, &wish, &err), -EIO);
	assert_string_equal(err.text, "nvme format: NVMe status: Format In Progress");
}

static void sanitize_is_waited_for(void **state)
{
	const struct purge_wish wish = {.roots = &s.roots};
	struct purge_plan plan = planned(PURGE_SANITIZE);
	autostr asked = {0}, expected = {0};
	struct err err = {0};

	(void)state;
	sanitize_ends_with = 1;
	assert_int_equal(purge_nvme_do(&plan, &wish, &err), 0);
	assert_int_equal(polls, 3);
	scripted_asked(&s, &asked);
	str_printf(&expected, "nvme sanitize %s/nvme0n1 --sanact=2\n", s.dev);
	assert_string_equal(str_text(&asked), str_text(&expected));
	sanitize_ends_with = 3;
	polls = 2;
	assert_int_equal(purge_nvme_do(&plan, &wish, &err), -EIO);
	assert_non_null(strstr(err.text, "the sanitize failed"));
}

static bool at_once(void *arg, uint64_t done, uint64_t of)
{
	*(double *)arg = (double)done / (double)of;
	return true;
}

static void a_sanitize_that_is_left_goes_on_and_says_so(void **state)
{
	double share = 0;
	const struct purge_wish wish = {.roots = &s.roots, .stop = at_once, .stop_arg = &share};
	struct purge_plan plan = planned(PURGE_SANITIZE);
	struct err err = {0};

	(void)state;
	assert_int_equal(purge_nvme_do(&plan, &wish, &err), -EINTR);
	assert_true(share > 0.49 && share < 0.51);
	assert_non_null(strstr(err.text, "goes on inside the drive"));
}

static void neighbours_are_found_and_looked_at(void **state)
{
	const struct guard_rules rules = {.face = GUARD_NATIVE};
	struct purge_nvme nvme;
	struct device device;
	struct purge_plan plan;
	struct tree tree;

	(void)state;
	tree_open(&tree, "sys-nvme.tree");
	s.roots.sys = tree.sys;
	scripted_node(&s, "nvme1n1");
	assert_int_equal(device_from_name(&device, "nvme1n1", &s.roots, NULL), 0);
	purge_nvme_gather(&nvme, &device, &rules, &s.roots);
	assert_int_equal(nvme.failed, 0);
	assert_int_equal(nvme.allocated, 2);
	assert_int_equal(nvme.nseen, 2); /* nvme0n1 is of another subsystem */
	assert_true(str_ends(nvme.seen[0].path, "/nvme1n1"));
	assert_string_equal(nvme.seen[0].refused, "");
	assert_true(str_ends(nvme.seen[1].path, "/nvme1n2"));
	assert_true(nvme.seen[1].refused[0]); /* no such node here: not to be written */
	decide(&plan, &nvme);
	assert_false(plan.rung[PURGE_SANITIZE].possible);
	assert_non_null(strstr(plan.rung[PURGE_SANITIZE].why_not, "/nvme1n2 too"));
	assert_int_equal(plan.lba_format, 2);
	controller_is_gone = true;
	purge_nvme_gather(&nvme, &device, &rules, &s.roots);
	assert_true(nvme.failed < 0);
	controller_is_gone = false;
	tree_close(&tree);
}

/* --- ATA --- */

static void ata(const char *lines, struct purge_plan *plan, const char *folder)
{
	const struct purge_wish wish = {.roots = &s.roots, .state_folder = folder};
	autostr body = {0};

	str_printf(&body, "printf '\\n%s'", lines);
	scripted_program(&s, "hdparm", str_text(&body));
	*plan = (struct purge_plan){.method = PURGE_AUTO};
	(void)strcpy(plan->facts.device.name, "sda");
	(void)strcpy(plan->facts.device.path, "/dev/sda");
	(void)strcpy(plan->facts.device.token, "S100-7");
	purge_ata_look(plan, &wish);
}

static void secure_erase_only_where_it_can_be_undone(void **state)
{
	static const struct {
		const char *lines, *why;
	} cases[] = {
		{"Nothing:\\n", "no security feature set"},
		{"Security:\\n\\t\\tsupported\\n\\t\\tfrozen\\n", "has frozen its security"},
		{"Security:\\n\\t\\tsupported\\n\\t\\tenabled\\n", "has a password already"},
		{"Security:\\n\\t\\tsupported\\n\\t\\tlocked\\n", "has a password already"},
	};
	struct purge_plan plan;

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ata(cases[i].lines, &plan, s.top);
		assert_false(plan.rung[PURGE_SECURE_ERASE].possible);
		assert_non_null(strstr(plan.rung[PURGE_SECURE_ERASE].why_not, cases[i].why));
	}
	ata("Security:\\n\\t\\tsupported\\n", &plan, NULL);
	assert_non_null(strstr(plan.rung[PURGE_SECURE_ERASE].why_not, "without a store"));
	ata("Security:\\n\\t\\tsupported\\n\\t3min for SECURITY ERASE UNIT.\\n", &plan, s.top);
	assert_true(plan.rung[PURGE_SECURE_ERASE].possible);
	assert_int_equal(plan.expected_ns, 180000000000);
	scripted_program(&s, "hdparm", "echo ' HDIO failed' >&2; exit 22");
	{
		const struct purge_wish wish = {.roots = &s.roots, .state_folder = s.top};

		purge_ata_look(&plan, &wish);
		assert_string_equal(plan.rung[PURGE_SECURE_ERASE].why_not,
				    "hdparm -I /dev/sda: HDIO failed");
	}
}

/* The password is noted before it is set, and the note goes when the drive has none. */
static void an_erase_is_noted_while_it_lasts(void **state)
{
	const struct purge_wish wish = {.roots = &s.roots, .state_folder = s.top};
	autostr body = {0}, note = {0}, seen = {0};
	struct purge_plan plan;
	struct err err = {0};

	(void)state;
	ata("Security:\\n\\t\\tsupported\\n", &plan, s.top);
	str_printf(&note, "%s/S100-7.ata-password", s.top);
	str_printf(&seen, "%s/noted", s.top);
	str_printf(&body,
		   "cd %s\ncase \"$*\" in\n"
		   "-I*) printf '\\nSecurity:\\n\\t\\tsupported\\n'; [ ! -e set ] || printf "
		   "'\\t\\tenabled\\n';;\n"
		   "*set-pass*) touch set; [ ! -e %s ] || touch noted;;\n"
		   "*) rm set;;\nesac",
		   s.top, str_text(&note));
	scripted_program(&s, "hdparm", str_text(&body));
	assert_int_equal(purge_ata_do(&plan, &wish, &err), 0);
	assert_int_equal(access(str_text(&seen), F_OK), 0);
	assert_true(access(str_text(&note), F_OK) < 0);
}

int main(void)
{
#define WITH_SCRIPTS(test) cmocka_unit_test_setup_teardown(test, open_scripts, close_scripts)
	const struct CMUnitTest tests[] = {
		WITH_SCRIPTS(what_the_controller_offers_is_possible),
		WITH_SCRIPTS(neighbours_must_be_consented_to),
		WITH_SCRIPTS(namespaces_that_nobody_sees_are_not_erased),
		WITH_SCRIPTS(format_keeps_the_format_of_the_drive),
		WITH_SCRIPTS(sanitize_is_waited_for),
		WITH_SCRIPTS(a_sanitize_that_is_left_goes_on_and_says_so),
		WITH_SCRIPTS(neighbours_are_found_and_looked_at),
		WITH_SCRIPTS(secure_erase_only_where_it_can_be_undone),
		WITH_SCRIPTS(an_erase_is_noted_while_it_lasts),
	};

	return cmocka_run_group_tests_name("purge_drive", tests, NULL, NULL);
}
