/* Asking a drive for its health: smartctl, and the OCP log page of NVMe drives. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/lang.h"
#include "base/program.h"
#include "base/str.h"
#include "device/health.h"
#include "device/passthrough_priv.h"
#include "device/sysfs_priv.h"

#define SMARTCTL_LIMIT_NS (60 * NS_PER_S) /* a disk that is busy answers late */
#define SMARTCTL_FAILED	  3		  /* bits 0 and 1: command line, open */
#define OCP_LOG_PAGE	  0xC0

static void ask_ocp(struct health *health, const struct device *device,
		    const struct device_roots *roots)
{
	uint8_t page[HEALTH_OCP_BYTES] = {0};

	if (passthrough_nvme_log(device, roots, OCP_LOG_PAGE, page, sizeof(page)) == 0 &&
	    health_parse_ocp(health, page)) {
		size_t length = strlen(health->source);

		text_set(health->source + length, sizeof(health->source) - length,
			 ", OCP log page C0h");
	}
}

/* Has the kernel drivers for it that pass commands to the drive? */
static bool has_hardware(const struct device *device)
{
	switch (device->interface) {
	case INTERFACE_NVME:
	case INTERFACE_SATA:
	case INTERFACE_SAS:
	case INTERFACE_SCSI:
	case INTERFACE_USB:
		return true;
	case INTERFACE_UNKNOWN:
	case INTERFACE_MMC:
	case INTERFACE_VIRTIO:
	case INTERFACE_XEN:
	case INTERFACE_VIRTUAL:
	case NINTERFACE:
		break;
	}
	return false;
}

static void ask_smartctl(struct health *health, const char *path)
{
	/* Not one that sleeps: spinning it up costs seconds and a wish of its owner. */
	const char *const argv[] = {"smartctl", "--json=c", "--nocheck=standby",
				    "-x",	path,	    NULL};
	autoprogram end = {0};
	struct err err = {0};
	char said[120];

	if (program_run(argv, SMARTCTL_LIMIT_NS, &end, &err) < 0) {
		health_init(health, err.text);
		if (err.code == -ENOENT)
			health_init(health,
				    N_("smartctl is not installed (package smartmontools)"));
		return;
	}
	if (health_parse(health, str_text(&end.out), end.out.length, &err) < 0) {
		health_init(health, "");
		TEXT_SET(health->why_not, "smartctl: %s",
			 program_complaint(&end, said, sizeof(said)));
	} else if ((end.status & SMARTCTL_FAILED) && !health->why_not[0]) {
		TEXT_SET(health->why_not, "smartctl could not ask it (exit status %d)",
			 end.status);
	}
}

void health_read(struct health *ret_health, const struct device *device,
		 const struct device_roots *roots)
{
	const char *name = device_drive_name(device);
	char path[200];
	struct timespec now;

	if (!has_hardware(device)) {
		health_init(ret_health, "");
		TEXT_SET(ret_health->why_not, "%s (%s) has no health log", name,
			 device->interface == INTERFACE_VIRTUAL
				 ? device_kind_name(device->kind)
				 : device_interface_name(device->interface));
		return;
	}
	TEXT_SET(path, "%s/%s", roots->dev, name);
	ask_smartctl(ret_health, path);
	if (clock_gettime(CLOCK_REALTIME, &now) == 0)
		ret_health->at_unix_ns =
			(uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
	if (device->interface == INTERFACE_NVME && !ret_health->why_not[0])
		ask_ocp(ret_health, device, roots);
}
