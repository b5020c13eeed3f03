/*
 * The security feature set of ATA drives, by hdparm: what the drive says of it, the secure erase,
 * and clearing the password that an erase needs. A drive with a password that has lost power is
 * locked: no data goes in or out until the password is given, which is why it is noted
 * (device/undo.h) before it is set, and always the same one.
 */
#pragma once

#include "device/device.h"

#define ATA_SECURITY_PASSWORD "assay"

struct ata_security {
	bool supported, enabled, locked, frozen, enhanced;
	uint64_t erase_ns, enhanced_ns; /* as the drive estimates; 0 unknown */
};

/* Pure: of what `hdparm -I` prints. */
void ata_security_parse(const char *text, struct ata_security *ret_security);
int ata_security_read(const struct device *device, const struct device_roots *roots,
		      struct ata_security *ret_security, struct err *err);

/* Sets the password and erases; a password that is still set afterwards is cleared. The caller
 * has noted it. */
int ata_security_erase(const struct device *device, const struct ata_security *security,
		       bool enhanced, const struct device_roots *roots, struct err *err);

/* Takes a password of ours off again: unlocks, then disables. 0 also where there is none. The
 * error says what to do by hand. */
int ata_security_clear(const struct device *device, const char *password,
		       const struct device_roots *roots, struct err *err);
