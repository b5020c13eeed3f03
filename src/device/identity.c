/*
 * Who a drive is: model, serial, WWID, firmware, and the token that consent is given by.
 *
 * NVMe tells by attributes of its controller. SCSI's `model` is cut at 16 characters and it has
 * no serial, so SATA drives are asked by VPD page 89h (it carries IDENTIFY DEVICE: ACS-4, table
 * of words 10, 23, 27; SAT-4, ATA Information VPD page) and the others by page 80h.
 */
#include <ctype.h>
#include <string.h>

#include "base/bits.h"
#include "base/str.h"
#include "device/attached.h"
#include "device/device_priv.h"
#include "device/sysfs_priv.h"

#define VPD89_IDENTIFY	 60 /* where IDENTIFY DEVICE begins in the page */
#define IDENTIFY_BYTES	 512
#define VPD_HEADER_BYTES 4

/* Drives of no serial fill theirs with zeros or blanks. */
static void serial_set(struct device *device, const char *text)
{
	size_t zeros = strspn(text, "0 ");

	TEXT_SET(device->serial, "%s", text[zeros] ? text : "");
	text_trim(device->serial);
}

/* An ATA string: two characters a word, the first in the high byte (words are little-endian). */
static void ata_string(char *ret_text, const uint8_t *identify, size_t word, size_t nwords)
{
	for (size_t i = 0; i < nwords; i++) {
		uint8_t low = identify[2 * (word + i)], high = identify[2 * (word + i) + 1];

		ret_text[2 * i] = isprint(high) ? (char)high : ' ';
		ret_text[2 * i + 1] = isprint(low) ? (char)low : ' ';
	}
	ret_text[2 * nwords] = '\0';
	text_trim(ret_text);
}

static bool identity_by_vpd89(struct device *device, const char *folder,
			      const struct device_roots *roots)
{
	uint8_t page[VPD89_IDENTIFY + IDENTIFY_BYTES];
	const uint8_t *identify = page + VPD89_IDENTIFY;
	char serial[21], model[41], firmware[9];

	if (sysfs_bytes(roots, folder, "device/vpd_pg89", page, sizeof(page)) != sizeof(page) ||
	    page[1] != 0x89)
		return false;
	ata_string(serial, identify, 10, 10);
	ata_string(firmware, identify, 23, 4);
	ata_string(model, identify, 27, 20);
	if (!model[0])
		return false;
	serial_set(device, serial);
	TEXT_SET(device->firmware, "%s", firmware);
	TEXT_SET(device->model, "%s", model);
	return true;
}

static void serial_by_vpd80(struct device *device, const char *folder,
			    const struct device_roots *roots)
{
	uint8_t page[VPD_HEADER_BYTES + 70];
	char serial[sizeof(page)];
	size_t n = sysfs_bytes(roots, folder, "device/vpd_pg80", page, sizeof(page)), length;

	if (n < VPD_HEADER_BYTES || page[1] != 0x80)
		return;
	length = min_u64(n - VPD_HEADER_BYTES, (size_t)page[2] << 8 | page[3]);
	for (size_t i = 0; i < length; i++)
		serial[i] = isprint(page[VPD_HEADER_BYTES + i])
				    ? (char)page[VPD_HEADER_BYTES + i]
				    : ' ';
	serial[length] = '\0';
	text_trim(serial);
	serial_set(device, serial);
}

static void identity_scsi(struct device *device, const char *folder,
			  const struct device_roots *roots)
{
	char vendor[40], model[40];

	SYSFS_LINE(roots, folder, "device/wwid", device->wwid);
	if (identity_by_vpd89(device, folder, roots))
		return;
	SYSFS_LINE(roots, folder, "device/vendor", vendor);
	SYSFS_LINE(roots, folder, "device/model", model);
	SYSFS_LINE(roots, folder, "device/rev", device->firmware);
	/* libata puts "ATA" there and the maker into the model. */
	if (str_equal(vendor, "ATA") || !vendor[0])
		TEXT_SET(device->model, "%s", model);
	else
		TEXT_SET(device->model, "%s %s", vendor, model);
	serial_by_vpd80(device, folder, roots);
}

static void identity_nvme(struct device *device, const char *folder,
			  const struct device_roots *roots)
{
	char serial[80];

	SYSFS_LINE(roots, folder, "device/model", device->model);
	SYSFS_LINE(roots, folder, "device/firmware_rev", device->firmware);
	SYSFS_LINE(roots, folder, "device/serial", serial);
	serial_set(device, serial);
	SYSFS_LINE(roots, folder, "wwid", device->wwid);
}

static void identity_other(struct device *device, const char *folder,
			   const struct device_roots *roots)
{
	char serial[80];

	if (device->kind == DEVICE_DM) {
		SYSFS_LINE(roots, folder, "dm/name", device->model);
		SYSFS_LINE(roots, folder, "dm/uuid", device->wwid);
		return;
	}
	if (device->interface == INTERFACE_MMC) {
		SYSFS_LINE(roots, folder, "device/name", device->model);
		SYSFS_LINE(roots, folder, "device/fwrev", device->firmware);
		SYSFS_LINE(roots, folder, "device/cid", device->wwid);
		SYSFS_LINE(roots, folder, "device/serial", serial);
		serial_set(device, serial);
		return;
	}
	SYSFS_LINE(roots, folder, "serial", serial); /* virtio */
	serial_set(device, serial);
	SYSFS_LINE(roots, folder, "wwid", device->wwid);
}

bool identity_is_attached(const struct device *device)
{
	return device->interface == INTERFACE_VIRTUAL;
}

void identity_load(struct device *device, const char *folder, const struct device_roots *roots)
{
	switch (device->interface) {
	case INTERFACE_NVME:
		identity_nvme(device, folder, roots);
		break;
	case INTERFACE_SATA:
	case INTERFACE_SAS:
	case INTERFACE_SCSI:
	case INTERFACE_USB:
		identity_scsi(device, folder, roots);
		break;
	case INTERFACE_MMC:
	case INTERFACE_VIRTIO:
	case INTERFACE_XEN:
	case INTERFACE_UNKNOWN:
	case INTERFACE_VIRTUAL:
	case NINTERFACE:
		identity_other(device, folder, roots);
		break;
	}
	if (identity_is_attached(device))
		attached_identity(device, strrchr(folder, '/') + 1, folder, roots);
}

void identity_clean(char *ret_clean, size_t size_bytes, const char *text)
{
	size_t n = 0;

	for (; *text && n + 1 < size_bytes; text++) {
		if (isalnum((unsigned char)*text) || strchr("-_.:", *text))
			ret_clean[n++] = *text;
		else if (n && ret_clean[n - 1] != '_')
			ret_clean[n++] = '_';
	}
	while (n && ret_clean[n - 1] == '_')
		n--;
	ret_clean[n] = '\0';
}

/* Another disk with this serial that is not another path to the same disk. */
static bool serial_is_shared(const struct device *device, const struct device *peers,
			     unsigned npeers)
{
	const char *whole = device_drive_name(device);

	for (unsigned i = 0; i < npeers; i++) {
		const struct device *peer = &peers[i];
		bool same_disk = device->wwid[0] && str_equal(peer->wwid, device->wwid);

		if (str_equal(peer->serial, device->serial) && !str_equal(peer->name, whole) &&
		    !same_disk)
			return true;
	}
	return false;
}

void identity_set_token(struct device *device, const struct device *peers, unsigned npeers)
{
	char clean[160] = "";

	if (device->serial[0] && !identity_is_attached(device) &&
	    !serial_is_shared(device, peers, npeers))
		identity_clean(clean, sizeof(clean), device->serial);
	if (!clean[0])
		identity_clean(clean, sizeof(clean), device->wwid);
	if (!clean[0])
		TEXT_SET(device->token, "%s:%llu", device->name,
			 (unsigned long long)device->size_bytes);
	else if (device->kind == DEVICE_PARTITION)
		TEXT_SET(device->token, "%s-part%u", clean, device->partition);
	else
		TEXT_SET(device->token, "%s", clean);
}
