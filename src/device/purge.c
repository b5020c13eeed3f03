#include "device/purge.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/lang.h"
#include "base/str.h"
#include "device/purge_priv.h"
#include "device/same.h"
#include "device/sysfs_priv.h"

static const char *const method_names[NPURGE] = {
	[PURGE_AUTO] = "auto",	   [PURGE_SANITIZE] = "sanitize",
	[PURGE_FORMAT] = "format", [PURGE_SECURE_ERASE] = "secure-erase",
	[PURGE_TRIM] = "trim",	   [PURGE_ZERO] = "zero",
};

const char *purge_method_name(enum purge_method method)
{
	return method_names[method];
}

void purge_impossible(struct purge_rung *rung, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(rung->why_not, sizeof(rung->why_not), fmt, args);
	va_end(args);
	rung->possible = false;
	rung->applies = true;
}

/* --- looking --- */

static int check_target(const char *path, const struct purge_wish *wish,
			struct purge_plan *plan, struct err *err)
{
	int rc = guard_check(path, wish->rules, wish->roots, &plan->facts, NULL, err);

	if (rc < 0)
		return rc;
	switch (plan->facts.target) {
	case GUARD_BLOCK:
		plan->size_bytes = plan->facts.device.size_bytes;
		return 0;
	case GUARD_FILE:
		plan->size_bytes = plan->facts.file_bytes;
		return 0;
	case GUARD_NEW_FILE:
		return err_env(err, -ENOENT, "%s does not exist: there is nothing to purge",
			       path);
	case GUARD_CHAR:
	case GUARD_SIM:
		break;
	}
	return err_input(err, "%s is neither a block device nor a file: it cannot be purged",
			 path);
}

/* The commands of drives, where the target is a whole one. */
static void look_at_drive(struct purge_plan *plan, const struct purge_wish *wish,
			  struct purge_nvme *nvme)
{
	const struct device *device = &plan->facts.device;
	bool is_block = plan->facts.target == GUARD_BLOCK;
	bool is_nvme = is_block && device->interface == INTERFACE_NVME;
	bool is_ata = is_block && device->interface == INTERFACE_SATA;
	const char *part = N_("a partition gets at most TRIM or zero fill");

	for (unsigned m = PURGE_SANITIZE; m <= PURGE_SECURE_ERASE; m++)
		TEXT_SET(plan->rung[m].why_not, "%s",
			 m == PURGE_SECURE_ERASE ? N_("it is no SATA drive")
						 : N_("it is no NVMe drive"));
	if (is_nvme && device->kind == DEVICE_PARTITION) {
		purge_impossible(&plan->rung[PURGE_SANITIZE], "%s", part);
		purge_impossible(&plan->rung[PURGE_FORMAT], "%s", part);
	} else if (is_nvme) {
		purge_nvme_gather(nvme, device, wish->rules, wish->roots);
		purge_nvme_decide(plan, nvme);
	}
	if (is_ata && device->kind == DEVICE_PARTITION)
		purge_impossible(&plan->rung[PURGE_SECURE_ERASE], "%s", part);
	else if (is_ata)
		purge_ata_look(plan, wish);
	if (is_block && device->interface == INTERFACE_USB)
		purge_impossible(&plan->rung[PURGE_SECURE_ERASE],
				 "through a USB bridge an erase can lock the drive for good");
}

static int choose(struct purge_plan *plan, enum purge_method wanted, struct err *err)
{
	autostr able = {0};

	if (wanted != PURGE_AUTO && plan->rung[wanted].possible) {
		plan->method = wanted;
		return 0;
	}
	for (unsigned m = PURGE_SANITIZE; m < NPURGE; m++) {
		if (!plan->rung[m].possible)
			continue;
		if (wanted == PURGE_AUTO) {
			plan->method = (enum purge_method)m;
			return 0;
		}
		str_printf(&able, "%s%s", able.length ? ", " : "", method_names[m]);
	}
	if (!able.length)
		return err_input(
			err,
			"%s: purge by \"%s\" is not possible: %s; no other way is possible",
			plan->facts.path, method_names[wanted], plan->rung[wanted].why_not);
	return err_input(err, "%s: purge by \"%s\" is not possible: %s; possible: %s",
			 plan->facts.path, method_names[wanted], plan->rung[wanted].why_not,
			 str_text(&able));
}

int purge_look(const char *path, const struct purge_wish *wish, struct purge_plan *ret_plan,
	       struct err *err)
{
	struct purge_nvme nvme = {.nseen = 0};
	int rc;

	*ret_plan = (struct purge_plan){.method = PURGE_AUTO};
	rc = check_target(path, wish, ret_plan, err);
	if (rc < 0)
		return rc;
	look_at_drive(ret_plan, wish, &nvme);
	purge_blocks_look(ret_plan);
	rc = choose(ret_plan, wish->method, err);
	if (rc < 0)
		return rc;
	if (ret_plan->facts.target == GUARD_BLOCK) {
		TEXT_SET(ret_plan->erased[0], "%s", ret_plan->facts.device.path);
		ret_plan->nerased = 1;
	}
	purge_nvme_erased(ret_plan, &nvme);
	if (ret_plan->method != PURGE_SECURE_ERASE)
		ret_plan->expected_ns = 0;
	if (ret_plan->method == PURGE_ZERO)
		ret_plan->written_bytes = ret_plan->size_bytes;
	return 0;
}

/* --- doing --- */

/* What was done, and of AUTO why nothing stronger. */
static void describe(const struct purge_plan *plan, bool is_auto, struct purge_done *done)
{
	autostr text = {0};

	str_add(&text, plan->rung[plan->method].text);
	for (unsigned m = PURGE_SANITIZE; is_auto && m < (unsigned)plan->method; m++) {
		if (plan->rung[m].applies)
			str_printf(&text, "; not %s: %s", method_names[m],
				   plan->rung[m].why_not);
	}
	TEXT_SET(done->text, "%s", str_text(&text));
}

static int run_rung(const struct purge_plan *plan, const struct purge_wish *wish,
		    uint64_t *ret_written_bytes, struct err *err)
{
	switch (plan->method) {
	case PURGE_SANITIZE:
	case PURGE_FORMAT:
		return purge_nvme_do(plan, wish, err);
	case PURGE_SECURE_ERASE:
		return purge_ata_do(plan, wish, err);
	case PURGE_TRIM:
	case PURGE_ZERO:
		return purge_blocks_do(plan, wish, ret_written_bytes, err);
	case PURGE_AUTO:
	case NPURGE:
		break;
	}
	return err_input(err, "%s: no way to purge was chosen", plan->facts.path);
}

/* The same rung, and no device more than was looked at. */
static int same_as_planned(const struct purge_plan *plan, const struct purge_plan *now,
			   struct err *err)
{
	bool same = now->nerased == plan->nerased && now->size_bytes == plan->size_bytes;

	for (unsigned i = 0; same && i < now->nerased; i++)
		same = str_equal(now->erased[i], plan->erased[i]);
	if (!same)
		return err_refused(err,
				   "%s: what a purge by %s would erase is not what was looked "
				   "at before; nothing was erased",
				   plan->facts.path, method_names[plan->method]);
	if (plan->facts.target != GUARD_BLOCK)
		return 0;
	return device_compare(&plan->facts.device, &now->facts.device, err);
}

int purge_do(const struct purge_plan *plan, const struct purge_wish *wish,
	     struct purge_done *ret_done, struct err *err)
{
	struct purge_wish again = *wish;
	struct purge_done done = {.method = plan->method};
	struct purge_plan now;
	uint64_t begin_ns;
	int rc;

	again.method = plan->method;
	rc = purge_look(plan->facts.path, &again, &now, err);
	if (rc == 0)
		rc = same_as_planned(plan, &now, err);
	if (rc < 0)
		return rc;
	begin_ns = clock_monotonic_ns();
	rc = run_rung(&now, wish, &done.written_bytes, err);
	if (rc < 0)
		return rc;
	done.span_ns = clock_monotonic_ns() - begin_ns;
	describe(plan, wish->method == PURGE_AUTO, &done);
	if (now.facts.target == GUARD_BLOCK)
		rc = device_check_same(&now.facts.device, wish->roots, &now.facts.device, err);
	*ret_done = done;
	return rc;
}
