/*
 * NVMe sanitize and format, carried out by nvme-cli; what the controller offers and how far it
 * would reach is read by identify (NVM Express base 2.0, figure 275): OACS, FNA, SANICAP.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/lang.h"
#include "base/program.h"
#include "base/str.h"
#include "device/device_priv.h"
#include "device/passthrough_priv.h"
#include "device/purge_priv.h"
#include "device/sysfs_priv.h"

/* Bytes of identify controller. */
#define AT_OACS		256
#define AT_SANICAP	328
#define AT_FNA		524
#define OACS_FORMAT	0x02
#define OACS_NAMESPACES 0x08
#define SANICAP_CRYPTO	0x01
#define SANICAP_BLOCK	0x02
#define FNA_FORMAT_ALL	0x01
#define FNA_ERASE_ALL	0x02

/* Bytes of identify namespace. */
#define AT_FLBAS 26
#define AT_DPS	 29

#define LOG_SANITIZE	  0x81 /* SSTAT at byte 2, bits 2:0 */
#define SANITIZE_PROGRESS 2
#define SANITIZE_FAILED	  3

#define NS_PER_HOUR	  (3600 * NS_PER_S)
#define FORMAT_LIMIT_NS	  (4 * NS_PER_HOUR)
#define SANITIZE_LIMIT_NS (24 * NS_PER_HOUR)
#define POLL_NS		  (200 * NS_PER_MS)

static unsigned word_at(const uint8_t *bytes, unsigned at)
{
	return bytes[at] | (unsigned)bytes[at + 1] << 8;
}

/* --- gathering --- */

/* A namespace's folder links to its controller or, with multipath, to its subsystem: both tell
 * the subsystem's name. */
static void subsystem_of(const struct device *device, const struct device_roots *roots,
			 char *ret_name, size_t size_bytes)
{
	char folder[200];

	TEXT_SET(folder, "/class/block/%s", device->name);
	(void)sysfs_line(roots, folder, "device/subsysnqn", ret_name, size_bytes);
}

static bool is_peer(const struct device *device, const struct device *other,
		    const char *subsystem, const struct device_roots *roots)
{
	char name[300];

	if (other->interface != INTERFACE_NVME || str_equal(other->name, device->name))
		return false;
	subsystem_of(other, roots, name, sizeof(name));
	if (!*name || !*subsystem) /* kernels before 4.19: the serial is the subsystem's */
		return str_equal(device->serial, other->serial);
	return str_equal(name, subsystem);
}

static void add_seen(struct purge_nvme *nvme, const struct device *device,
		     const struct guard_rules *rules, const struct device_roots *roots)
{
	struct guard_facts facts;
	struct err err = {0};
	unsigned i = nvme->nseen++;

	if (i >= PURGE_ERASED_MAX)
		return; /* more than can be told apart: decide() refuses by the count */
	TEXT_SET(nvme->seen[i].path, "%s", device->path);
	if (!rules)
		return;
	if (guard_check(device->path, rules, roots, &facts, NULL, &err) < 0)
		TEXT_SET(nvme->seen[i].refused, "%s", err.text);
	else if (facts.target != GUARD_BLOCK) /* to the guard a missing node is a new file */
		TEXT_SET(nvme->seen[i].refused, "what it holds cannot be looked at: no device");
}

static unsigned allocated_namespaces(const struct device *device,
				     const struct device_roots *roots)
{
	uint8_t list[NVME_IDENTIFY_BYTES] = {0};
	unsigned count = 0;

	if (passthrough_nvme_identify(device, roots, NVME_CNS_ALLOCATED, 0, list) < 0)
		return 0;
	for (size_t at = 0; at < sizeof(list); at += 4)
		count += word_at(list, (unsigned)at) || word_at(list, (unsigned)at + 2);
	return count;
}

void purge_nvme_gather(struct purge_nvme *ret_nvme, const struct device *device,
		       const struct guard_rules *rules, const struct device_roots *roots)
{
	struct purge_nvme *nvme = ret_nvme;
	struct device_list disks = {0};
	char folder[200], subsystem[300];
	struct arena arena;
	uint32_t nsid;

	*nvme = (struct purge_nvme){.nseen = 0};
	TEXT_SET(folder, "/class/block/%s", device->name);
	nsid = (uint32_t)sysfs_u64(roots, folder, "nsid", 1);
	nvme->failed = passthrough_nvme_identify(device, roots, NVME_CNS_CONTROLLER, 0,
						 nvme->controller);
	if (!nvme->failed)
		nvme->failed = passthrough_nvme_identify(device, roots, NVME_CNS_NAMESPACE,
							 nsid, nvme->name_space);
	if (nvme->failed)
		return;
	if (word_at(nvme->controller, AT_OACS) & OACS_NAMESPACES)
		nvme->allocated = allocated_namespaces(device, roots);
	add_seen(nvme, device, NULL, roots); /* the target has passed */
	subsystem_of(device, roots, subsystem, sizeof(subsystem));
	arena_init(&arena);
	if (device_load_disks(&arena, roots, &disks) < 0)
		nvme->failed = -EIO;
	for (unsigned i = 0; i < disks.count; i++) {
		if (is_peer(device, &disks.items[i], subsystem, roots))
			add_seen(nvme, &disks.items[i], rules, roots);
	}
	arena_done(&arena);
}

/* --- deciding --- */

/* May everything be erased that all namespaces hold? Says why not. */
static bool may_erase_all(struct purge_rung *rung, const struct purge_nvme *nvme)
{
	if (nvme->nseen > PURGE_ERASED_MAX) {
		purge_impossible(rung, "it would erase %u namespaces; this goes up to %u",
				 nvme->nseen, PURGE_ERASED_MAX);
		return false;
	}
	if (nvme->allocated > nvme->nseen) {
		purge_impossible(rung,
				 "it would erase all %u namespaces of the drive, and this host "
				 "sees %u of them",
				 nvme->allocated, nvme->nseen);
		return false;
	}
	for (unsigned i = 0; i < nvme->nseen; i++) {
		if (!nvme->seen[i].refused[0])
			continue;
		purge_impossible(rung, "it would erase %s too: %s", nvme->seen[i].path,
				 nvme->seen[i].refused);
		return false;
	}
	return true;
}

static bool erases_all(const struct purge_nvme *nvme)
{
	return nvme->controller[AT_FNA] & (FNA_FORMAT_ALL | FNA_ERASE_ALL);
}

void purge_nvme_decide(struct purge_plan *plan, const struct purge_nvme *nvme)
{
	struct purge_rung *sanitize = &plan->rung[PURGE_SANITIZE];
	struct purge_rung *format = &plan->rung[PURGE_FORMAT];
	unsigned can = nvme->controller[AT_SANICAP];
	autostr program = {0};

	*sanitize = *format = (struct purge_rung){.applies = true, .possible = true};
	plan->block_erase = can & SANICAP_BLOCK;
	TEXT_SET(sanitize->text, "NVMe sanitize, %s",
		 plan->block_erase ? N_("block erase") : N_("crypto erase"));
	TEXT_SET(format->text, "NVMe format, user data erase%s",
		 erases_all(nvme) ? N_(" of all namespaces") : "");
	plan->lba_format = nvme->name_space[AT_FLBAS] & 0x0F;
	plan->lba_format |= (nvme->name_space[AT_FLBAS] & 0x60u) >> 1; /* bits 6:5 are 5:4 */
	plan->metadata_inline = nvme->name_space[AT_FLBAS] >> 4 & 1;
	plan->protection = nvme->name_space[AT_DPS] & 7;
	plan->protection_first = nvme->name_space[AT_DPS] >> 3 & 1;
	if (nvme->failed) {
		purge_impossible(sanitize, "the controller cannot be asked: %s",
				 err_name(nvme->failed));
		purge_impossible(format, "the controller cannot be asked: %s",
				 err_name(nvme->failed));
		return;
	}
	if (!program_find("nvme", &program)) {
		purge_impossible(sanitize, "nvme is not installed (package nvme-cli)");
		purge_impossible(format, "nvme is not installed (package nvme-cli)");
		return;
	}
	if (!(can & (SANICAP_BLOCK | SANICAP_CRYPTO)))
		purge_impossible(sanitize, "the controller offers none");
	else
		(void)may_erase_all(sanitize, nvme);
	if (!(word_at(nvme->controller, AT_OACS) & OACS_FORMAT))
		purge_impossible(format, "the controller offers none");
	else if (erases_all(nvme))
		(void)may_erase_all(format, nvme);
}

void purge_nvme_erased(struct purge_plan *plan, const struct purge_nvme *nvme)
{
	bool all = plan->method == PURGE_SANITIZE ||
		   (plan->method == PURGE_FORMAT && erases_all(nvme));

	for (unsigned i = 1; all && i < nvme->nseen; i++, plan->nerased++)
		TEXT_SET(plan->erased[plan->nerased], "%s", nvme->seen[i].path);
}

/* --- doing --- */

static int nvme_cli(const char *const *argv, uint64_t limit_ns, struct err *err)
{
	autoprogram end = {0};
	char said[200];
	int rc = program_run(argv, limit_ns, &end, err);

	if (rc == 0 && end.status)
		rc = err_env(err, -EIO, "nvme %s: %s", argv[1],
			     program_complaint(&end, said, sizeof(said)));
	return rc;
}

static int format(const struct purge_plan *plan, const struct purge_wish *wish, struct err *err)
{
	char path[200], lba[24], inline_[24], pi[24], pil[24], limit[40];
	const char *const argv[] = {"nvme", "format", path,  lba,	"--ses=1", inline_,
				    pi,	    pil,      limit, "--force", NULL};

	/* All that a format could change stays as it is: older versions take 0 otherwise. */
	TEXT_SET(path, "%s/%s", wish->roots->dev, plan->facts.device.name);
	TEXT_SET(lba, "--lbaf=%u", plan->lba_format);
	TEXT_SET(inline_, "--ms=%u", plan->metadata_inline);
	TEXT_SET(pi, "--pi=%u", plan->protection);
	TEXT_SET(pil, "--pil=%u", plan->protection_first);
	TEXT_SET(limit, "--timeout=%llu", FORMAT_LIMIT_NS / NS_PER_MS);
	return nvme_cli(argv, FORMAT_LIMIT_NS, err);
}

/* Sanitize goes on by itself; the log page says when it is over. It cannot be ended, also not by
 * a reset: until then the drive answers no read and no write. */
static int sanitize_wait(const struct purge_plan *plan, const struct purge_wish *wish,
			 struct err *err)
{
	uint64_t until_ns = clock_monotonic_ns() + SANITIZE_LIMIT_NS;
	const struct timespec nap = {.tv_nsec = POLL_NS};
	const char *path = plan->facts.device.path;

	while (clock_monotonic_ns() < until_ns) {
		uint8_t log[32] = {0};
		int rc = passthrough_nvme_log(&plan->facts.device, wish->roots, LOG_SANITIZE,
					      log, sizeof(log));
		uint64_t progress = word_at(log, 0);

		if (rc < 0)
			return err_env(err, rc,
				       "%s: how far the sanitize is cannot be read: %s", path,
				       err_name(rc));
		if ((log[2] & 7) == SANITIZE_FAILED)
			return err_env(err, -EIO,
				       "%s: the sanitize failed; see `nvme "
				       "sanitize-log %s`",
				       path, path);
		if ((log[2] & 7) != SANITIZE_PROGRESS)
			return 0;
		if (wish->stop && wish->stop(wish->stop_arg, progress, UINT16_MAX))
			return err_env(
				err, -EINTR,
				"%s: the sanitize goes on inside the drive, which takes no "
				"I/O until it has ended; see `nvme sanitize-log %s`",
				path, path);
		(void)nanosleep(&nap, NULL);
	}
	return err_env(err, -ETIMEDOUT, "%s: the sanitize has not ended in 24 hours", path);
}

static int sanitize(const struct purge_plan *plan, const struct purge_wish *wish,
		    struct err *err)
{
	const char *action = plan->block_erase ? "--sanact=2" : "--sanact=4";
	char path[200];
	const char *const argv[] = {"nvme", "sanitize", path, action, NULL};
	int rc;

	TEXT_SET(path, "%s/%s", wish->roots->dev, plan->facts.device.name);
	rc = nvme_cli(argv, FORMAT_LIMIT_NS, err);
	return rc < 0 ? rc : sanitize_wait(plan, wish, err);
}

int purge_nvme_do(const struct purge_plan *plan, const struct purge_wish *wish, struct err *err)
{
	return plan->method == PURGE_FORMAT ? format(plan, wish, err)
					    : sanitize(plan, wish, err);
}
