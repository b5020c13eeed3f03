/* ATA's security commands with a scripted hdparm: what is asked, in which order, and what is said
 * when it goes wrong. QEMU's disks have no security feature set: no drive carried these out. */
#include "device/ata_security.h"

#include <errno.h>
#include <sys/wait.h>

#include "base/bits.h"
#include "device/undo.h"
#include "scripted.h"
#include "tree.h"

static const char security[] =
	"\n"
	"ATA device, with non-removable media\n"
	"\tModel Number:       ACME S100\n"
	"Security: \n"
	"\tMaster password revision code = 65534\n"
	"\t\tsupported\n"
	"\tnot\tenabled\n"
	"\tnot\tlocked\n"
	"\tnot\tfrozen\n"
	"\tnot\texpired: security count\n"
	"\t\tsupported: enhanced erase\n"
	"\t2min for SECURITY ERASE UNIT. 8min for ENHANCED SECURITY ERASE "
	"UNIT. \n"
	"Logical Unit WWN Device Identifier: 5000\n"
	"\tenabled\n";

static const struct device sda = {.name = "sda", .path = "/dev/sda", .token = "S100-7"};

static void the_section_is_read(void **state)
{
	struct ata_security s;

	(void)state;
	ata_security_parse(security, &s);
	assert_true(s.supported && s.enhanced);
	assert_false(s.enabled || s.locked || s.frozen);
	assert_int_equal(s.erase_ns, 120 * NS_PER_S);
	assert_int_equal(s.enhanced_ns, 480 * NS_PER_S);
	ata_security_parse("\nSecurity: \n\t\tsupported\n\t\tenabled\n\t\tlocked\n\t\tfrozen\n",
			   &s);
	assert_true(s.supported && s.enabled && s.locked && s.frozen);
	assert_false(s.enhanced);
	assert_int_equal(s.erase_ns, 0);
	ata_security_parse("Commands/features:\n\t   *\tSecurity Mode feature set\n", &s);
	assert_false(s.supported);
}

/* Keeps its state in files: "enabled", "locked"; with "broken" no command does anything. */
static void script(const struct scripted *s)
{
	autostr body = {0};

	str_printf(
		&body,
		"cd %s\n"
		"word() { [ -e $1 ] && printf '\\t\\t%%s\\n' $1 || printf "
		"'\\tnot\\t%%s\\n' $1; }\n"
		"case \"$*\" in\n"
		"-I*) printf '\\nSecurity:\\n\\t\\tsupported\\n'; word enabled; word locked; "
		"word frozen;;\n"
		"*set-pass*) [ -e broken ] || touch enabled;;\n"
		"*unlock*) [ -e broken ] && { echo 'wrong password' >&2; exit 5; }; rm -f "
		"locked;;\n"
		"*disable*) [ -e locked ] || rm -f enabled;;\n"
		"*erase*) [ -e fails ] || rm -f enabled;;\n"
		"esac",
		s->top);
	scripted_program(s, "hdparm", str_text(&body));
}

static void mark(const struct scripted *s, const char *name)
{
	autostr path = {0};

	str_printf(&path, "%s/%s", s->top, name);
	scripted_write(str_text(&path), "", 0600);
}

static bool is_marked(const struct scripted *s, const char *name)
{
	autostr path = {0};

	str_printf(&path, "%s/%s", s->top, name);
	return access(str_text(&path), F_OK) == 0;
}

static void erase_sets_a_password_and_sees_it_gone(void **state)
{
	const struct ata_security now = {.supported = true};
	autostr asked = {0}, expected = {0};
	struct scripted s;
	struct err err = {0};

	(void)state;
	scripted_open(&s);
	script(&s);
	assert_int_equal(ata_security_erase(&sda, &now, false, &s.roots, &err), 0);
	scripted_asked(&s, &asked);
	str_printf(&expected,
		   "hdparm --user-master u --security-set-pass assay %s/sda\n"
		   "hdparm -I %s/sda\n"
		   "hdparm --user-master u --security-erase assay %s/sda\n"
		   "hdparm -I %s/sda\n"
		   "hdparm -I %s/sda\n",
		   s.dev, s.dev, s.dev, s.dev, s.dev);
	assert_string_equal(str_text(&asked), str_text(&expected));
	assert_int_equal(ata_security_erase(&sda, &now, true, &s.roots, &err), 0);
	scripted_asked(&s, &asked);
	assert_non_null(strstr(str_text(&asked), "--security-erase-enhanced assay"));
	scripted_close(&s);
}

static void an_erase_that_does_not_finish_leaves_no_password(void **state)
{
	const struct ata_security now = {.supported = true};
	struct scripted s;
	struct err err = {0};

	(void)state;
	scripted_open(&s);
	script(&s);
	mark(&s, "fails");
	assert_int_equal(ata_security_erase(&sda, &now, false, &s.roots, &err), -EIO);
	assert_non_null(strstr(err.text, "did not finish its secure erase"));
	assert_false(is_marked(&s, "enabled"));
	scripted_close(&s);
}

static void a_drive_that_takes_no_password_is_not_erased(void **state)
{
	const struct ata_security now = {.supported = true};
	autostr asked = {0};
	struct scripted s;
	struct err err = {0};

	(void)state;
	scripted_open(&s);
	script(&s);
	mark(&s, "broken");
	assert_int_equal(ata_security_erase(&sda, &now, false, &s.roots, &err), -EIO);
	assert_non_null(strstr(err.text, "took no password"));
	scripted_asked(&s, &asked);
	assert_null(strstr(str_text(&asked), "--security-erase"));
	scripted_close(&s);
}

static void a_locked_drive_says_how_to_free_it(void **state)
{
	struct scripted s;
	struct err err = {0};

	(void)state;
	scripted_open(&s);
	script(&s);
	mark(&s, "enabled");
	mark(&s, "locked");
	mark(&s, "broken");
	assert_int_equal(ata_security_clear(&sda, "assay", &s.roots, &err), -EIO);
	assert_non_null(strstr(err.text, "--security-unlock assay /dev/sda"));
	assert_non_null(strstr(err.text, "wrong password"));
	scripted_close(&s);
}

static void hear(void *arg, bool done, const char *text)
{
	*(bool *)arg = done && strstr(text, "may not be complete");
}

static void the_next_command_clears_the_password_of_a_kill(void **state)
{
	struct device device;
	bool cleared = false;
	struct tree tree;
	struct scripted s;
	pid_t child;

	(void)state;
	scripted_open(&s);
	script(&s);
	tree_open(&tree, "sys-sata.tree");
	s.roots.sys = tree.sys;
	assert_int_equal(device_from_name(&device, "sda", &s.roots, NULL), 0);
	child = fork();
	if (child == 0) {
		struct undo undo = {.kind = UNDO_ATA_PASSWORD, .value = ATA_SECURITY_PASSWORD};

		_exit(undo_note(s.top, &device, &s.roots, &undo, NULL) < 0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	mark(&s, "enabled");
	mark(&s, "locked"); /* the machine lost its power meanwhile */
	undo_pending(s.top, &s.roots, hear, &cleared);
	assert_true(cleared);
	assert_false(is_marked(&s, "enabled"));
	tree_close(&tree);
	scripted_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_section_is_read),
		cmocka_unit_test(erase_sets_a_password_and_sees_it_gone),
		cmocka_unit_test(an_erase_that_does_not_finish_leaves_no_password),
		cmocka_unit_test(a_drive_that_takes_no_password_is_not_erased),
		cmocka_unit_test(a_locked_drive_says_how_to_free_it),
		cmocka_unit_test(the_next_command_clears_the_password_of_a_kill),
	};

	return cmocka_run_group_tests_name("ata_security", tests, NULL, NULL);
}
