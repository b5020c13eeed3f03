/* The rungs of purge's ladder: each says whether it is possible, and does it. */
#pragma once

#include "device/ata_security.h"
#include "device/purge.h"

/* Sets why_not, and that the rung applies to this kind of drive. */
void purge_impossible(struct purge_rung *rung, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* What the two NVMe rungs are decided by. */
struct purge_nvme {
	uint8_t controller[4096], name_space[4096]; /* what identify says */
	int failed;				    /* identify: negative errno; 0 */
	unsigned allocated; /* namespaces of the subsystem; 0: the controller does not tell */
	/* Those that this host sees, the target's first, and why one may not be written. */
	unsigned nseen;
	struct {
		char path[80];
		char refused[300]; /* "" allowed */
	} seen[PURGE_ERASED_MAX];
};
void purge_nvme_gather(struct purge_nvme *ret_nvme, const struct device *device,
		       const struct guard_rules *rules, const struct device_roots *roots);
/* Pure. */
void purge_nvme_decide(struct purge_plan *plan, const struct purge_nvme *nvme);
/* For the method chosen: what it erases. */
void purge_nvme_erased(struct purge_plan *plan, const struct purge_nvme *nvme);
int purge_nvme_do(const struct purge_plan *plan, const struct purge_wish *wish,
		  struct err *err);

void purge_ata_look(struct purge_plan *plan, const struct purge_wish *wish);
int purge_ata_do(const struct purge_plan *plan, const struct purge_wish *wish, struct err *err);

/* TRIM and zero fill, of a block device or a file. */
void purge_blocks_look(struct purge_plan *plan);
int purge_blocks_do(const struct purge_plan *plan, const struct purge_wish *wish,
		    uint64_t *ret_written_bytes, struct err *err);
