/* ATA secure erase: of the whole disk, which the guard has looked at with all its partitions. */
#include <errno.h>

#include "base/program.h"
#include "base/str.h"
#include "device/purge_priv.h"
#include "device/sysfs_priv.h"
#include "device/undo.h"

void purge_ata_look(struct purge_plan *plan, const struct purge_wish *wish)
{
	struct purge_rung *rung = &plan->rung[PURGE_SECURE_ERASE];
	struct ata_security security;
	struct err err = {0};

	if (!wish->state_folder) {
		purge_impossible(rung, "without a store an erase that is cut off cannot be "
				       "undone (give --store=)");
		return;
	}
	if (ata_security_read(&plan->facts.device, wish->roots, &security, &err) < 0)
		purge_impossible(rung, "%s", err.text);
	else if (!security.supported)
		purge_impossible(rung, "the drive has no security feature set");
	else if (security.locked || security.enabled)
		purge_impossible(rung,
				 "it has a password already (see hdparm --security-help)");
	else if (security.frozen)
		purge_impossible(rung, "the firmware of this machine has frozen its security "
				       "settings; a suspend to memory and back, or plugging it "
				       "in while the machine runs, lifts that");
	else
		*rung = (struct purge_rung){.possible = true, .applies = true};
	TEXT_SET(rung->text, "ATA secure erase");
	plan->expected_ns = rung->possible ? security.erase_ns : 0;
}

int purge_ata_do(const struct purge_plan *plan, const struct purge_wish *wish, struct err *err)
{
	const struct device *device = &plan->facts.device;
	struct undo undo = {.kind = UNDO_ATA_PASSWORD, .value = ATA_SECURITY_PASSWORD};
	struct ata_security security;
	struct err more = {0};
	int rc = ata_security_read(device, wish->roots, &security, err);

	if (rc == 0)
		rc = undo_note(wish->state_folder, device, wish->roots, &undo, err);
	if (rc < 0)
		return rc;
	rc = ata_security_erase(device, &security, false, wish->roots, err);
	/* It stays noted as long as a password may be set. */
	if (ata_security_read(device, wish->roots, &security, &more) == 0 && !security.enabled)
		(void)undo_forget(&undo, rc ? NULL : err);
	return rc;
}
