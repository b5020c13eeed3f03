/*
 * The verdict: a pure function of facts and rules, and the words for it. Every refusal is built
 * in one place each; the ladder is guard_decide() at the end.
 */
#include "device/guard.h"

#include <string.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/str.h"
#include "device/sysfs_priv.h"

/* Before anything is written, in the imperative. */
static const char *const use_remedies[] = {
	[USE_MOUNTED] = N_("unmount it"),
	[USE_SWAP] = N_("end that by swapoff"),
	[USE_HOLDER] = N_("take that apart (vgchange -an, mdadm --stop, dmsetup remove)"),
	[USE_LOOP] = N_("detach that by losetup -d"),
	[USE_ZFS] = N_("export the pool by zpool export"),
	[USE_EXCLUSIVE] = N_("end what holds it (fuser -v names programs)"),
};
_Static_assert(ARRAY_SIZE(use_remedies) == NUSE, "words for each use");

static void size_text(uint64_t bytes, char ret_text[32])
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	unsigned unit = 0;
	double value = (double)bytes;

	for (; value >= 1024 && unit + 1 < ARRAY_SIZE(units); unit++)
		value /= 1024;
	text_set(ret_text, 32, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static const char *what_is(const struct guard_facts *facts, const char *device)
{
	return device[0] ? device : facts->path;
}

static void use_text(const struct guard_facts *facts, const struct guard_use *use,
		     struct str *text)
{
	const char *what = what_is(facts, use->device);
	const char *where = str_ends(use->where, what) ? "" : use->where; /* said already */

	switch (use->kind) {
	case USE_MOUNTED:
		str_printf(text, N_("%.80s is mounted on %.120s"), what, use->where);
		return;
	case USE_SWAP:
		str_printf(text, N_("%.80s is in use as swap%s%.120s"), what, *where ? " " : "",
			   where);
		return;
	case USE_HOLDER:
		str_printf(text, N_("%.80s is part of %.120s"), what, use->where);
		return;
	case USE_LOOP:
		str_printf(text, N_("%.80s is behind %.120s"), what, use->where);
		return;
	case USE_ZFS:
		str_printf(text, N_("%.80s is part of the ZFS pool%s%.120s"), what,
			   *where ? " " : "", where);
		return;
	case USE_EXCLUSIVE:
		str_printf(text, N_("%.80s is held open exclusively by %.120s"), what,
			   use->where);
		return;
	case NUSE:
		return;
	}
}

/* Three in words, the rest as a number. */
static void uses_text(const struct guard_facts *facts, struct str *text)
{
	unsigned shown = facts->nuses < 3 ? facts->nuses : 3;

	for (unsigned i = 0; i < shown; i++) {
		if (i)
			str_add(text, ", ");
		use_text(facts, &facts->use[i], text);
	}
	if (facts->nuses > shown)
		str_printf(text, ", and %u more", facts->nuses - shown);
}

static const char *signature_word(const struct guard_signature *signature)
{
	static const struct {
		const char *type, *word;
	} words[] = {
		{"LVM2_member", N_("LVM physical volume")},
		{"LVM1_member", N_("LVM physical volume")},
		{"linux_raid_member", N_("md RAID member")},
		{"zfs_member", N_("ZFS pool member")},
		{"crypto_LUKS", N_("LUKS encryption")},
		{"gpt", N_("GPT partition table")},
		{"dos", N_("MBR partition table")},
		{"PMBR", N_("protective MBR")},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
		if (str_equal(words[i].type, signature->type))
			return words[i].word;
	}
	return signature->type;
}

static void signature_text(const struct guard_signature *signature, struct str *text)
{
	if (signature->label[0])
		str_printf(text, N_("%s \"%.40s\" on the device %s"), signature_word(signature),
			   signature->label, signature->device);
	else
		str_printf(text, N_("%s on the device %s"), signature_word(signature),
			   signature->device);
}

/* fio's face asks for what holds data of others; a bare partition table does not. */
static bool signature_counts(const struct guard_signature *signature, enum guard_face face)
{
	return face == GUARD_NATIVE || signature->kind != SIGNATURE_PARTITIONS;
}

static void signatures_text(const struct guard_facts *facts, enum guard_face face,
			    struct str *text)
{
	unsigned shown = 0, stored = facts->nsignatures;

	if (stored > GUARD_SIGNATURES_MAX)
		stored = GUARD_SIGNATURES_MAX;
	for (unsigned i = 0; i < stored; i++) {
		if (!signature_counts(&facts->signature[i], face))
			continue;
		if (shown == 3) {
			str_add(text, N_(", and more"));
			return;
		}
		str_add(text, shown++ ? ", " : "");
		signature_text(&facts->signature[i], text);
	}
}

/* What stands on the device; empty when it is blank for this face. */
static void contents_text(const struct guard_facts *facts, enum guard_face face,
			  struct str *text)
{
	signatures_text(facts, face, text);
	if (text->length)
		return;
	if (facts->unreadable)
		str_printf(text, N_("contents that cannot be read (%s)"),
			   err_name(facts->unreadable));
	else if (face == GUARD_NATIVE && facts->data_blocks)
		str_printf(text,
			   N_("data (the first non-zero block of those sampled is at byte "
			      "%llu)"),
			   (unsigned long long)facts->first_data_bytes);
}

/* "/dev/sda (Samsung SSD 870, 1.8 TiB)" */
static void target_text(const struct guard_facts *facts, struct str *text)
{
	char size[32];

	str_printf(text, "%.200s", facts->path);
	if (facts->target != GUARD_BLOCK)
		return;
	size_text(facts->device.size_bytes, size);
	str_add(text, " (");
	if (!str_equal(facts->path, facts->device.path))
		str_printf(text, "%s, ", facts->device.path);
	if (facts->device.model[0])
		str_printf(text, "%s, ", facts->device.model);
	str_printf(text, "%s)", size);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static bool token_names(const struct guard_facts *facts, const char *token)
{
	if (facts->target == GUARD_BLOCK)
		return device_token_is(&facts->device, token);
	return token[0] &&
	       (str_equal(token, facts->path) || str_equal(token, base_name(facts->path)));
}

static bool has_consent(const struct guard_facts *facts, const struct guard_rules *rules)
{
	for (unsigned i = 0; i < rules->ntokens; i++) {
		if (token_names(facts, rules->tokens[i]))
			return true;
	}
	return false;
}

static void verdict_finish(struct guard_verdict *verdict, enum guard_decision decision,
			   const struct str *found, const struct str *message)
{
	verdict->decision = decision;
	TEXT_SET(verdict->found, "%s", str_text(found));
	TEXT_SET(verdict->message, "%s", str_text(message));
}

static void refuse_use(const struct guard_facts *facts, struct guard_verdict *verdict)
{
	autostr found = {0}, target = {0}, message = {0};

	uses_text(facts, &found);
	target_text(facts, &target);
	str_printf(&message,
		   N_("%s is in use: %s. To write it, first %s; nothing overrides this"),
		   str_text(&target), str_text(&found), use_remedies[facts->use[0].kind]);
	verdict_finish(verdict, GUARD_REFUSE, &found, &message);
}

static void refuse_because(const struct guard_facts *facts, const char *because,
			   struct guard_verdict *verdict)
{
	autostr found = {0}, message = {0};

	target_text(facts, &message);
	str_add(&found, because);
	str_printf(&message, ": %s", because);
	verdict_finish(verdict, GUARD_REFUSE, &found, &message);
}

/* Consent by token, or the message that asks for it. */
static void ask(const struct guard_facts *facts, const struct guard_rules *rules,
		const struct str *found, struct guard_verdict *verdict)
{
	autostr message = {0}, target = {0}, option = {0};

	if (facts->target == GUARD_BLOCK)
		TEXT_SET(verdict->token, "%s", facts->device.token);
	else if (strlen(facts->path) < sizeof(verdict->token) && !strchr(facts->path, ','))
		TEXT_SET(verdict->token, "%s", facts->path);
	else
		TEXT_SET(verdict->token, "%s", base_name(facts->path));
	target_text(facts, &target);
	str_add(&option, rules->face == GUARD_NATIVE ? "--destroy=" : "ASSAY_DESTROY=");
	str_add_shell(&option, verdict->token);
	str_printf(&message, N_("%s carries %s; writing destroys it. To allow that: %s"),
		   str_text(&target), str_text(found), str_text(&option));
	verdict->by_consent = has_consent(facts, rules);
	verdict_finish(verdict, verdict->by_consent ? GUARD_ALLOW : GUARD_NEEDS_CONSENT, found,
		       &message);
}

static void decide_block(const struct guard_facts *facts, const struct guard_rules *rules,
			 struct guard_verdict *verdict)
{
	autostr found = {0};

	if (facts->nuses) {
		refuse_use(facts, verdict);
		return;
	}
	if (facts->device.read_only == ANSWER_YES) {
		refuse_because(
			facts,
			N_("is write-protected (ro in sysfs): if that is a switch, turn it; "
			   "if it was set by hand, blockdev --setrw undoes it"),
			verdict);
		return;
	}
	contents_text(facts, rules->face, &found);
	if (!found.length)
		return;
	ask(facts, rules, &found, verdict);
	verdict->unnamed_data = !facts->nsignatures && !facts->unreadable;
}

/* fio itself refuses only a device that is mounted, by its own path. */
static void decide_block_as_fio(const struct guard_facts *facts,
				const struct guard_rules *rules, struct guard_verdict *verdict)
{
	for (unsigned i = 0; i < facts->nuses && i < GUARD_USES_MAX; i++) {
		if (facts->use[i].kind == USE_MOUNTED && !rules->allow_mounted_write &&
		    str_equal(facts->use[i].device, facts->device.name)) {
			refuse_because(facts, "is mounted, and allow_mounted_write is not set",
				       verdict);
			return;
		}
	}
}

static bool is_ours(const struct guard_facts *facts, const struct guard_rules *rules)
{
	for (unsigned i = 0; i < rules->nown; i++) {
		if (rules->own[i].dev == facts->file_dev &&
		    rules->own[i].ino == facts->file_ino)
			return true;
	}
	return facts->ours;
}

/* fio's face lets a file be written that is behind a loop device, as long as nobody uses that:
 * what is mounted would be torn. */
static bool use_counts(const struct guard_use *use, enum guard_face face)
{
	switch (face) {
	case GUARD_NATIVE:
		return true;
	case GUARD_FIO:
		return use->kind != USE_LOOP;
	case GUARD_FIO_OFF:
		return use->kind == USE_SWAP;
	}
	return true;
}

static void decide_file(const struct guard_facts *facts, const struct guard_rules *rules,
			struct guard_verdict *verdict)
{
	autostr found = {0};
	char size[32];

	for (unsigned i = 0; i < facts->nuses && i < GUARD_USES_MAX; i++) {
		if (use_counts(&facts->use[i], rules->face)) {
			refuse_use(facts, verdict);
			return;
		}
	}
	if (rules->face != GUARD_NATIVE || facts->file_bytes == 0 || is_ours(facts, rules))
		return;
	size_text(facts->file_bytes, size);
	str_printf(&found, N_("%s of data that assay did not make"), size);
	ask(facts, rules, &found, verdict);
}

static void refuse_kernel(const struct guard_facts *facts, struct guard_verdict *verdict)
{
	autostr because = {0};

	if (facts->target == GUARD_NEW_FILE && str_starts(facts->fs.mount_point, "/dev"))
		str_printf(
			&because,
			N_("does not exist, and a file made on %s (%s) would live in memory: "
			   "assay targets lists the devices that there are"),
			facts->fs.mount_point, facts->fs.type);
	else
		str_printf(&because,
			   N_("lies on %s, the kernel's own file system on %s: no place for a "
			      "test file"),
			   device_text(facts->fs.type), facts->fs.mount_point);
	refuse_because(facts, str_text(&because), verdict);
}

void guard_decide(const struct guard_facts *facts, const struct guard_rules *rules,
		  struct guard_verdict *ret_verdict)
{
	*ret_verdict = (struct guard_verdict){.decision = GUARD_ALLOW};
	if (rules->readonly) {
		refuse_because(facts, N_("would be written, and --readonly forbids that"),
			       ret_verdict);
		return;
	}
	switch (facts->target) {
	case GUARD_SIM:
		break;
	case GUARD_CHAR:
		if (!facts->harmless && rules->face != GUARD_FIO_OFF)
			refuse_because(facts,
				       N_("is a character device: only null, zero and full are "
					  "written"),
				       ret_verdict);
		break;
	case GUARD_BLOCK:
		if (rules->face == GUARD_FIO_OFF)
			decide_block_as_fio(facts, rules, ret_verdict);
		else
			decide_block(facts, rules, ret_verdict);
		break;
	case GUARD_FILE:
	case GUARD_NEW_FILE:
		if (filesystem_is_kernel(&facts->fs))
			refuse_kernel(facts, ret_verdict);
		else if (facts->target == GUARD_FILE)
			decide_file(facts, rules, ret_verdict);
		break;
	}
}
