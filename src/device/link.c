/*
 * The wire between host and drive, and its ceiling: PCIe of an NVMe controller, SATA's and SAS'
 * negotiated rate, USB's. Virtual machines show PCIe links that no byte passes through; a
 * virtio disk is given no link, nor is an emulated NVMe drive.
 */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/str.h"
#include "device/device_priv.h"
#include "device/sysfs_priv.h"

/* Lane rates in MT/s, and the share of them that is payload after the line code. PCIe 6.0 sends
 * 256-byte flits of which 236 are the transaction layer's. */
static const struct pcie_generation {
	const char *speed; /* how sysfs begins it */
	const char *name;
	uint64_t mt_per_s;
	unsigned payload, of;
} pcie_generations[] = {
	{"2.5 GT/s", "1.1", 2500, 8, 10},    {"5.0 GT/s", "2.0", 5000, 8, 10},
	{"5 GT/s", "2.0", 5000, 8, 10},	     {"8.0 GT/s", "3.0", 8000, 128, 130},
	{"8 GT/s", "3.0", 8000, 128, 130},   {"16.0 GT/s", "4.0", 16000, 128, 130},
	{"16 GT/s", "4.0", 16000, 128, 130}, {"32.0 GT/s", "5.0", 32000, 128, 130},
	{"32 GT/s", "5.0", 32000, 128, 130}, {"64.0 GT/s", "6.0", 64000, 236, 256},
};

static const struct pcie_generation *pcie_find(const char *speed)
{
	for (unsigned i = 0; i < ARRAY_SIZE(pcie_generations); i++) {
		if (str_starts(speed, pcie_generations[i].speed))
			return &pcie_generations[i];
	}
	return NULL;
}

uint64_t link_pcie_bytes_per_s(const char *speed, unsigned lanes)
{
	const struct pcie_generation *gen = pcie_find(speed);

	if (!gen)
		return 0;
	return gen->mt_per_s * 1000000 * lanes / 8 * gen->payload / gen->of;
}

/* One end's speed and width as text and ceiling; width 0 is a link that is down. */
static void pcie_side(const struct device_roots *roots, const char *folder,
		      const char *speed_attr, const char *width_attr, char ret_text[40],
		      uint64_t *ret_bytes_per_s)
{
	char speed[40];
	uint64_t lanes = sysfs_u64(roots, folder, width_attr, 0);
	const struct pcie_generation *gen;

	SYSFS_LINE(roots, folder, speed_attr, speed);
	gen = pcie_find(speed);
	if (!gen || !lanes || lanes > 32)
		return;
	text_set(ret_text, 40, "PCIe %s x%u", gen->name, (unsigned)lanes);
	*ret_bytes_per_s = link_pcie_bytes_per_s(speed, (unsigned)lanes);
}

/* Cuts the last component off; false at the root. */
static bool folder_up(char *folder)
{
	char *slash = strrchr(folder, '/');

	if (!slash || slash == folder)
		return false;
	*slash = '\0';
	return true;
}

/* The nearest folder above that has `attribute`. */
static bool folder_with(const struct device_roots *roots, char *folder, const char *attribute)
{
	while (!sysfs_exists(roots, folder, attribute)) {
		if (!folder_up(folder))
			return false;
	}
	return true;
}

/* A multipath head hangs below its subsystem, whose links name the controllers: the first one
 * that is live stands for all. */
static bool nvme_controller(const struct device_roots *roots, const char *folder,
			    char *ret_folder, size_t size_bytes)
{
	char subsystem[300], controller[400], state[32];
	const char *name;

	if (!strstr(folder, "/nvme-subsystem/")) {
		text_set(ret_folder, size_bytes, "%s", folder);
		return true;
	}
	TEXT_SET(subsystem, "%s", folder);
	(void)folder_up(subsystem);
	autodir dir = sysfs_open(roots, subsystem, "");
	while (dir && (name = sysfs_next(dir))) {
		unsigned number;
		int used = 0;

		/* NOLINTNEXTLINE(cert-err34-c): the kernel's own text */
		if (sscanf(name, "nvme%u%n", &number, &used) != 1 || name[used])
			continue;
		TEXT_SET(controller, "%s/%s", subsystem, name);
		SYSFS_LINE(roots, controller, "state", state);
		if (str_equal(state, "live") &&
		    sysfs_resolve(roots, subsystem, name, ret_folder, size_bytes) == 0)
			return true;
	}
	return false;
}

static void link_pcie(struct device *device, const char *folder,
		      const struct device_roots *roots)
{
	struct device_link *link = &device->link;
	char at[300];

	if (str_starts(device->model, "QEMU"))
		return;
	if (!nvme_controller(roots, folder, at, sizeof(at)) ||
	    !folder_with(roots, at, "current_link_speed"))
		return;
	pcie_side(roots, at, "current_link_speed", "current_link_width", link->text,
		  &link->bytes_per_s);
	pcie_side(roots, at, "max_link_speed", "max_link_width", link->max_text,
		  &link->max_bytes_per_s);
}

/* "6.0 Gbps", "12.0 Gbit": a serial line of 8b/10b, or 128b/150b from 22.5 Gb/s on (SAS-4). */
static void serial_side(const char *bus, const char *text, unsigned lanes, char ret_text[40],
			uint64_t *ret_bytes_per_s)
{
	unsigned whole, tenth = 0;
	uint64_t mbit_per_s;

	/* NOLINTNEXTLINE(cert-err34-c): the kernel's own text */
	if (sscanf(text, "%u.%1u G", &whole, &tenth) < 1 || !strstr(text, " Gb"))
		return;
	mbit_per_s = whole * 1000ULL + tenth * 100ULL;
	if (lanes > 1)
		text_set(ret_text, 40, "%s %u.%u Gb/s x%u", bus, whole, tenth, lanes);
	else
		text_set(ret_text, 40, "%s %u.%u Gb/s", bus, whole, tenth);
	*ret_bytes_per_s = mbit_per_s >= 22500 ? mbit_per_s * 125000 * lanes * 128 / 150
					       : mbit_per_s * 100000 * lanes;
}

/* IDENTIFY DEVICE word 76 (in VPD page 89h): bit 3, 2, 1 say that 6.0, 3.0, 1.5 Gb/s are
 * supported by the drive. */
static void sata_drive_max(struct device_link *link, const char *folder,
			   const struct device_roots *roots)
{
	uint8_t page[60 + 512];
	unsigned word76;

	if (sysfs_bytes(roots, folder, "device/vpd_pg89", page, sizeof(page)) != sizeof(page))
		return;
	word76 = page[60 + 152] | (unsigned)page[60 + 153] << 8;
	if (word76 == 0 || word76 == 0xffff)
		return;
	serial_side("SATA",
		    word76 & 8	 ? "6.0 Gbps"
		    : word76 & 4 ? "3.0 Gbps"
				 : "1.5 Gbps",
		    1, link->max_text, &link->max_bytes_per_s);
}

static void link_sata(struct device *device, const char *folder,
		      const struct device_roots *roots)
{
	const char *ata = strstr(folder, "/ata");
	char at[400], speed[40];
	unsigned port;
	int used = 0;

	/* NOLINTNEXTLINE(cert-err34-c): the kernel's own text */
	if (!ata || sscanf(ata, "/ata%u%n", &port, &used) != 1)
		return;
	TEXT_SET(at, "%.*s/link%u/ata_link/link%u", (int)(ata - folder) + used, folder, port,
		 port);
	SYSFS_LINE(roots, at, "sata_spd", speed);
	serial_side("SATA", speed, 1, device->link.text, &device->link.bytes_per_s);
	sata_drive_max(&device->link, folder, roots);
}

/* The phys of the port that the drive hangs on, as links "phy-H:N" in its folder. They are the
 * host's or expander's: their maximum says nothing of the drive, so a SAS drive has none. */
static void link_sas(struct device *device, const char *folder,
		     const struct device_roots *roots)
{
	struct device_link *link = &device->link;
	const char *bus = device->interface == INTERFACE_SATA ? "SATA" : "SAS";
	char port[300], phy[400], now[40], speed[40] = "";
	unsigned lanes = 0;
	const char *name;
	char *end;

	TEXT_SET(port, "%s", folder);
	end = strstr(port, "/end_device-");
	if (!end)
		return;
	*end = '\0';
	autodir dir = sysfs_open(roots, port, "");
	while (dir && (name = sysfs_next(dir))) {
		if (!str_starts(name, "phy-"))
			continue;
		TEXT_SET(phy, "/class/sas_phy/%s", name);
		SYSFS_LINE(roots, phy, "negotiated_linkrate", now);
		if (!strstr(now, " Gb"))
			continue;
		lanes++;
		TEXT_SET(speed, "%s", now);
	}
	if (!lanes)
		return;
	serial_side(bus, speed, lanes, link->text, &link->bytes_per_s);
	if (device->interface == INTERFACE_SATA)
		sata_drive_max(link, folder, roots);
}

/* Mb/s as sysfs has them; the payload share is that of the line code. */
static const struct usb_speed {
	unsigned mbit_per_s;
	const char *text;
	uint64_t bytes_per_s;
} usb_speeds[] = {
	{12, "USB 12 Mb/s", 1500000},	    {480, "USB 480 Mb/s", 60000000},
	{5000, "USB 5 Gb/s", 500000000},    {10000, "USB 10 Gb/s", 1212121212},
	{20000, "USB 20 Gb/s", 2424242424},
};

static void link_usb(struct device *device, const char *folder,
		     const struct device_roots *roots)
{
	char at[300];
	uint64_t speed;

	TEXT_SET(at, "%s", folder);
	if (!folder_with(roots, at, "busnum"))
		return;
	speed = sysfs_u64(roots, at, "speed", 0);
	for (unsigned i = 0; i < ARRAY_SIZE(usb_speeds); i++) {
		if (usb_speeds[i].mbit_per_s != speed)
			continue;
		TEXT_SET(device->link.text, "%s", usb_speeds[i].text);
		device->link.bytes_per_s = usb_speeds[i].bytes_per_s;
	}
}

void link_load(struct device *device, const char *folder, const struct device_roots *roots)
{
	struct device_link *link = &device->link;

	if (device->interface == INTERFACE_NVME)
		link_pcie(device, folder, roots);
	else if (device->interface == INTERFACE_USB)
		link_usb(device, folder, roots);
	else if (strstr(folder, "/end_device-"))
		link_sas(device, folder, roots);
	else if (device->interface == INTERFACE_SATA)
		link_sata(device, folder, roots);
	link->trained_down = link->bytes_per_s && link->max_bytes_per_s > link->bytes_per_s;
}
