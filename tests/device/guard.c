/* Each rule of the guard, with facts that no machine at hand could all provide. */
#include "device/guard.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "unit.h"

static struct guard_facts blank_disk(void)
{
	struct guard_facts facts = {.target = GUARD_BLOCK, .sampled_blocks = 768};

	(void)snprintf(facts.path, sizeof(facts.path), "/dev/sda");
	(void)snprintf(facts.device.path, sizeof(facts.device.path), "/dev/sda");
	(void)snprintf(facts.device.name, sizeof(facts.device.name), "sda");
	(void)snprintf(facts.device.model, sizeof(facts.device.model), "Model X");
	(void)snprintf(facts.device.token, sizeof(facts.device.token), "SERIAL1");
	facts.device.size_bytes = TiB;
	return facts;
}

static struct guard_facts file_of(uint64_t bytes)
{
	struct guard_facts facts = {.target = GUARD_FILE, .file_bytes = bytes};

	(void)snprintf(facts.path, sizeof(facts.path), "/data/disk.img");
	facts.fs.kind = FILESYSTEM_DISK;
	facts.file_dev = 5;
	facts.file_ino = 6;
	return facts;
}

static void add_use(struct guard_facts *facts, enum guard_use_kind kind, const char *device,
		    const char *where)
{
	struct guard_use *use = &facts->use[facts->nuses++];

	use->kind = kind;
	(void)snprintf(use->device, sizeof(use->device), "%s", device);
	(void)snprintf(use->where, sizeof(use->where), "%s", where);
}

static void add_signature(struct guard_facts *facts, enum guard_signature_kind kind,
			  const char *type)
{
	struct guard_signature *signature = &facts->signature[facts->nsignatures++];

	signature->kind = kind;
	(void)snprintf(signature->type, sizeof(signature->type), "%s", type);
	(void)snprintf(signature->device, sizeof(signature->device), "sda");
}

static enum guard_decision decide(const struct guard_facts *facts, enum guard_face face,
				  const char *token, struct guard_verdict *verdict)
{
	const char *tokens[] = {"OTHER", token};
	struct guard_rules rules = {.face = face, .tokens = tokens, .ntokens = token ? 2 : 1};

	guard_decide(facts, &rules, verdict);
	return verdict->decision;
}

static void use_is_refused_whatever_is_given(void **state)
{
	struct guard_verdict v;

	(void)state;
	for (int kind = 0; kind < NUSE; kind++) {
		struct guard_facts facts = blank_disk();

		add_use(&facts, (enum guard_use_kind)kind, "sda2", "/home");
		assert_int_equal(decide(&facts, GUARD_NATIVE, NULL, &v), GUARD_REFUSE);
		assert_int_equal(decide(&facts, GUARD_NATIVE, "SERIAL1", &v), GUARD_REFUSE);
		assert_int_equal(decide(&facts, GUARD_FIO, "SERIAL1", &v), GUARD_REFUSE);
		assert_string_equal(v.token, "");
		assert_non_null(strstr(v.message, "sda2"));
		assert_non_null(strstr(v.message, "/home"));
		assert_non_null(strstr(v.message, "first"));
		assert_null(strstr(v.message, "--destroy"));
	}
}

static void blank_disk_is_written(void **state)
{
	struct guard_facts facts = blank_disk();
	struct guard_verdict v;

	(void)state;
	assert_int_equal(decide(&facts, GUARD_NATIVE, NULL, &v), GUARD_ALLOW);
	assert_false(v.by_consent);
	assert_int_equal(decide(&facts, GUARD_FIO, NULL, &v), GUARD_ALLOW);
	assert_int_equal(decide(&facts, GUARD_FIO_OFF, NULL, &v), GUARD_ALLOW);
}

static void signature_needs_its_token(void **state)
{
	static const struct {
		enum guard_signature_kind kind;
		const char *type;
		enum guard_decision fio;
	} rows[] = {
		{SIGNATURE_FILESYSTEM, "ext4", GUARD_NEEDS_CONSENT},
		{SIGNATURE_FILESYSTEM, "swap", GUARD_NEEDS_CONSENT},
		{SIGNATURE_RAID, "linux_raid_member", GUARD_NEEDS_CONSENT},
		{SIGNATURE_RAID, "LVM2_member", GUARD_NEEDS_CONSENT},
		{SIGNATURE_FILESYSTEM, "zfs_member", GUARD_NEEDS_CONSENT},
		{SIGNATURE_CRYPTO, "crypto_LUKS", GUARD_NEEDS_CONSENT},
		{SIGNATURE_PARTITIONS, "gpt", GUARD_ALLOW},
	};
	struct guard_verdict v;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		struct guard_facts facts = blank_disk();

		add_signature(&facts, rows[i].kind, rows[i].type);
		assert_int_equal(decide(&facts, GUARD_FIO, NULL, &v), rows[i].fio);
		assert_int_equal(decide(&facts, GUARD_FIO_OFF, NULL, &v), GUARD_ALLOW);
		assert_int_equal(decide(&facts, GUARD_NATIVE, NULL, &v), GUARD_NEEDS_CONSENT);
		assert_string_equal(v.token, "SERIAL1");
		assert_non_null(strstr(v.message, "--destroy=SERIAL1"));
		assert_int_equal(decide(&facts, GUARD_NATIVE, "SERIAL", &v),
				 GUARD_NEEDS_CONSENT);
		assert_int_equal(decide(&facts, GUARD_NATIVE, "", &v), GUARD_NEEDS_CONSENT);
		assert_int_equal(decide(&facts, GUARD_NATIVE, "Model X", &v),
				 GUARD_NEEDS_CONSENT); /* a model is no token */
		assert_int_equal(decide(&facts, GUARD_NATIVE, "SERIAL1", &v), GUARD_ALLOW);
		assert_true(v.by_consent);
		assert_int_equal(decide(&facts, GUARD_FIO, "SERIAL1", &v), GUARD_ALLOW);
	}
}

static void fio_face_names_the_variable(void **state)
{
	struct guard_facts facts = blank_disk();
	struct guard_verdict v;

	(void)state;
	add_signature(&facts, SIGNATURE_PARTITIONS, "gpt");
	add_signature(&facts, SIGNATURE_FILESYSTEM, "ext4"); /* of a partition */
	assert_int_equal(decide(&facts, GUARD_FIO, NULL, &v), GUARD_NEEDS_CONSENT);
	assert_non_null(strstr(v.message, "ASSAY_DESTROY=SERIAL1"));
	assert_non_null(strstr(v.message, "ext4"));
	assert_null(strstr(v.message, "--destroy"));
}

static void data_without_a_signature_needs_the_token(void **state)
{
	struct guard_facts facts = blank_disk();
	struct guard_verdict v;

	(void)state;
	facts.data_blocks = 1;
	facts.first_data_bytes = 4096;
	assert_int_equal(decide(&facts, GUARD_NATIVE, NULL, &v), GUARD_NEEDS_CONSENT);
	assert_non_null(strstr(v.message, "byte 4096"));
	assert_int_equal(decide(&facts, GUARD_NATIVE, "SERIAL1", &v), GUARD_ALLOW);
	assert_int_equal(decide(&facts, GUARD_FIO, NULL, &v), GUARD_ALLOW);
}

static void what_cannot_be_read_is_not_blank(void **state)
{
	struct guard_facts facts = blank_disk();
	struct guard_verdict v;

	(void)state;
	facts.sampled_blocks = 0;
	facts.unreadable = -EIO;
	assert_int_equal(decide(&facts, GUARD_NATIVE, NULL, &v), GUARD_NEEDS_CONSENT);
	assert_int_equal(decide(&facts, GUARD_FIO, NULL, &v), GUARD_NEEDS_CONSENT);
	assert_int_equal(decide(&facts, GUARD_NATIVE, "SERIAL1", &v), GUARD_ALLOW);
}

static void write_protection_is_said(void **state)
{
	struct guard_facts facts = blank_disk();
	struct guard_verdict v;

	(void)state;
	facts.device.read_only = ANSWER_YES;
	assert_int_equal(decide(&facts, GUARD_NATIVE, "SERIAL1", &v), GUARD_REFUSE);
	assert_non_null(strstr(v.message, "write-protected"));
	facts.device.read_only = ANSWER_UNKNOWN;
	assert_int_equal(decide(&facts, GUARD_NATIVE, NULL, &v), GUARD_ALLOW);
}

static void fio_itself_refuses_its_own_mounts_only(void **state)
{
	struct guard_facts facts = blank_disk();
	struct guard_rules rules = {.face = GUARD_FIO_OFF};
	struct guard_verdict v;

	(void)state;
	add_use(&facts, USE_MOUNTED, "sda2", "/home");
	guard_decide(&facts, &rules, &v);
	assert_int_equal(v.decision, GUARD_ALLOW);
	add_use(&facts, USE_MOUNTED, "sda", "/mnt");
	guard_decide(&facts, &rules, &v);
	assert_int_equal(v.decision, GUARD_REFUSE);
	rules.allow_mounted_write = true;
	guard_decide(&facts, &rules, &v);
	assert_int_equal(v.decision, GUARD_ALLOW);
	rules.face = GUARD_FIO; /* without ASSAY_GUARD=fio the option opens nothing */
	guard_decide(&facts, &rules, &v);
	assert_int_equal(v.decision, GUARD_REFUSE);
}

static void readonly_wins_over_everything(void **state)
{
	static const enum guard_target targets[] = {GUARD_BLOCK, GUARD_FILE, GUARD_NEW_FILE,
						    GUARD_CHAR, GUARD_SIM};
	static const char *const tokens[] = {"SERIAL1", "/data/disk.img"};
	struct guard_verdict v;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(targets); i++) {
		for (int face = GUARD_NATIVE; face <= GUARD_FIO_OFF; face++) {
			struct guard_facts facts = blank_disk();
			struct guard_rules rules = {.face = (enum guard_face)face,
						    .readonly = true,
						    .tokens = tokens,
						    .ntokens = 2};

			facts.target = targets[i];
			guard_decide(&facts, &rules, &v);
			assert_int_equal(v.decision, GUARD_REFUSE);
			assert_non_null(strstr(v.message, "--readonly"));
		}
	}
}

static void file_of_others_needs_its_name(void **state)
{
	struct guard_own own = {.dev = 5, .ino = 6};
	struct guard_rules rules = {.face = GUARD_NATIVE, .own = &own, .nown = 1};
	struct guard_facts facts = file_of(GiB);
	struct guard_verdict v;

	(void)state;
	assert_int_equal(decide(&facts, GUARD_NATIVE, NULL, &v), GUARD_NEEDS_CONSENT);
	assert_string_equal(v.token, "/data/disk.img");
	assert_non_null(strstr(v.message, "1.0 GiB"));
	assert_non_null(strstr(v.message, "--destroy=/data/disk.img"));
	assert_int_equal(decide(&facts, GUARD_NATIVE, "/data/disk.img", &v), GUARD_ALLOW);
	assert_true(v.by_consent);
	assert_int_equal(decide(&facts, GUARD_NATIVE, "disk.img", &v), GUARD_ALLOW);
	assert_int_equal(decide(&facts, GUARD_NATIVE, "img", &v), GUARD_NEEDS_CONSENT);
	assert_int_equal(decide(&facts, GUARD_FIO, NULL, &v), GUARD_ALLOW);
	guard_decide(&facts, &rules, &v); /* the run's manifest */
	assert_int_equal(v.decision, GUARD_ALLOW);
	own.ino = 7;
	guard_decide(&facts, &rules, &v);
	assert_int_equal(v.decision, GUARD_NEEDS_CONSENT);
	facts.ours = true;
	assert_int_equal(decide(&facts, GUARD_NATIVE, NULL, &v), GUARD_ALLOW);
	facts = file_of(0);
	assert_int_equal(decide(&facts, GUARD_NATIVE, NULL, &v), GUARD_ALLOW);
}

static void file_in_use_is_refused(void **state)
{
	struct guard_facts facts = file_of(GiB);
	struct guard_verdict v;

	(void)state;
	facts.ours = true;
	add_use(&facts, USE_LOOP, "", "loop3");
	assert_int_equal(decide(&facts, GUARD_NATIVE, "disk.img", &v), GUARD_REFUSE);
	assert_non_null(strstr(v.message, "loop3"));
	assert_int_equal(decide(&facts, GUARD_FIO, NULL, &v), GUARD_ALLOW);
	add_use(&facts, USE_MOUNTED, "loop3", "/mnt");
	assert_int_equal(decide(&facts, GUARD_FIO, NULL, &v), GUARD_REFUSE);
	assert_non_null(strstr(v.message, "loop3 is mounted on /mnt"));
	assert_int_equal(decide(&facts, GUARD_FIO_OFF, NULL, &v), GUARD_ALLOW);
	facts.nuses = 1;
	facts.use[0].kind = USE_SWAP;
	assert_int_equal(decide(&facts, GUARD_NATIVE, "disk.img", &v), GUARD_REFUSE);
	assert_int_equal(decide(&facts, GUARD_FIO, NULL, &v), GUARD_REFUSE);
}

static void no_file_is_made_on_the_kernels_file_systems(void **state)
{
	struct guard_facts facts = file_of(0);
	struct guard_verdict v;

	(void)state;
	facts.target = GUARD_NEW_FILE;
	assert_int_equal(decide(&facts, GUARD_NATIVE, NULL, &v), GUARD_ALLOW);
	facts.fs.kind = FILESYSTEM_MEMORY; /* /dev/shm */
	assert_int_equal(decide(&facts, GUARD_NATIVE, NULL, &v), GUARD_ALLOW);
	facts.fs.kind = FILESYSTEM_KERNEL;
	(void)snprintf(facts.path, sizeof(facts.path), "/dev/nullx");
	(void)snprintf(facts.fs.mount_point, sizeof(facts.fs.mount_point), "/dev");
	(void)snprintf(facts.fs.type, sizeof(facts.fs.type), "devtmpfs");
	for (int face = GUARD_NATIVE; face <= GUARD_FIO_OFF; face++) {
		assert_int_equal(decide(&facts, (enum guard_face)face, "/dev/nullx", &v),
				 GUARD_REFUSE);
		assert_non_null(strstr(v.message, "/dev/nullx: does not exist"));
	}
	facts.target = GUARD_FILE; /* /proc/sysrq-trigger */
	assert_int_equal(decide(&facts, GUARD_FIO, NULL, &v), GUARD_REFUSE);
}

static void character_devices_are_refused_but_for_null(void **state)
{
	struct guard_facts facts = {.target = GUARD_CHAR, .path = "/dev/sg0"};
	struct guard_verdict v;

	(void)state;
	assert_int_equal(decide(&facts, GUARD_NATIVE, NULL, &v), GUARD_REFUSE);
	assert_int_equal(decide(&facts, GUARD_FIO, NULL, &v), GUARD_REFUSE);
	facts.harmless = true;
	assert_int_equal(decide(&facts, GUARD_NATIVE, NULL, &v), GUARD_ALLOW);
}

static void many_and_long_finds_still_make_a_message(void **state)
{
	struct guard_facts facts = blank_disk();
	struct guard_verdict v;
	char where[290];

	(void)state;
	memset(where, 'x', sizeof(where) - 1);
	where[sizeof(where) - 1] = '\0';
	for (unsigned i = 0; i < GUARD_USES_MAX; i++)
		add_use(&facts, USE_MOUNTED, "sda1", where);
	facts.nuses += 5; /* more than were kept */
	assert_int_equal(decide(&facts, GUARD_NATIVE, NULL, &v), GUARD_REFUSE);
	assert_non_null(strstr(v.message, "and 34 more"));
	facts = blank_disk();
	for (unsigned i = 0; i < GUARD_SIGNATURES_MAX; i++)
		add_signature(&facts, SIGNATURE_FILESYSTEM, "ext4");
	facts.nsignatures += 5;
	assert_int_equal(decide(&facts, GUARD_NATIVE, NULL, &v), GUARD_NEEDS_CONSENT);
	assert_non_null(strstr(v.message, "and more"));
	assert_non_null(strstr(v.message, "--destroy=SERIAL1"));
}

static void tokens_are_split_at_commas(void **state)
{
	const char *const *tokens;
	struct arena arena;
	unsigned count;

	(void)state;
	arena_init(&arena);
	guard_tokens_parse(&arena, ",A,,vdb:1073741824,", &tokens, &count);
	assert_int_equal(count, 2);
	assert_string_equal(tokens[0], "A");
	assert_string_equal(tokens[1], "vdb:1073741824");
	guard_tokens_parse(&arena, "", &tokens, &count);
	assert_int_equal(count, 0);
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(use_is_refused_whatever_is_given),
		cmocka_unit_test(blank_disk_is_written),
		cmocka_unit_test(signature_needs_its_token),
		cmocka_unit_test(fio_face_names_the_variable),
		cmocka_unit_test(data_without_a_signature_needs_the_token),
		cmocka_unit_test(what_cannot_be_read_is_not_blank),
		cmocka_unit_test(write_protection_is_said),
		cmocka_unit_test(fio_itself_refuses_its_own_mounts_only),
		cmocka_unit_test(readonly_wins_over_everything),
		cmocka_unit_test(file_of_others_needs_its_name),
		cmocka_unit_test(file_in_use_is_refused),
		cmocka_unit_test(no_file_is_made_on_the_kernels_file_systems),
		cmocka_unit_test(character_devices_are_refused_but_for_null),
		cmocka_unit_test(many_and_long_finds_still_make_a_message),
		cmocka_unit_test(tokens_are_split_at_commas),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
