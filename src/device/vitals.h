/*
 * Vitals: how the machine and its drives fare while a run goes on. Temperatures, power, CPU
 * use, interrupts and clock rates, each a channel with a value at every look. What can be
 * read here is found once, and its files stay open: a look is a read of each and nothing
 * more, no memory is asked for, and what cannot be read is NAN.
 *
 * A temperature costs the drive an admin command (NVMe), or one that waits until its queue
 * is empty (SATA, by drivetemp). So drives are asked every 10 s and every 60 s, and what
 * they said stands until then. Power states are the kernel's own knowledge of the PCI
 * function: nobody is asked.
 */
#pragma once

#include "device/device.h"

#define VITALS_ASK_NVME_NS (10ULL * 1000000000)
#define VITALS_ASK_SATA_NS (60ULL * 1000000000)
#define VITALS_CORES_MAX   32 /* CPUs that have a channel each; of more all and the busiest one */
#define VITALS_MAX	   160 /* channels */

enum vital_kind {
	VITAL_TEMPERATURE, /* degrees C, of a drive */
	VITAL_POWER_STATE, /* of a drive's PCI function: 0 awake (D0) to 3 (D3hot), 4 (D3cold) */
	VITAL_POWER,	   /* W, of a CPU package or its memory, by RAPL */
	VITAL_CPU,	   /* percent of the time not idle: "all", "busiest", "cpu3" */
	VITAL_STEAL,	   /* percent of the time that the hypervisor kept for others */
	VITAL_INTERRUPTS,  /* a second, all CPUs */
	VITAL_FREQUENCY,   /* MHz: "mean" and "lowest" of the CPUs */
	NVITAL,
};
extern const char *const vital_names[NVITAL]; /* "temperature" */
extern const char *const vital_units[NVITAL]; /* "degrees C" */

struct vital_channel {
	enum vital_kind kind;
	char name[80]; /* "nvme0n1", "package-0", "cpu3", "all" */
};

struct vitals_reader;

/* Of the machine, and of these drives (each once). Lives in the arena; files are closed by
 * vitals_close(). */
struct vitals_reader *vitals_open(struct arena *arena, const struct device *const *devices,
				  unsigned ndevices, const struct device_roots *roots);
void vitals_close(struct vitals_reader *reader);

const struct vital_channel *vitals_channels(const struct vitals_reader *reader,
					    unsigned *ret_count);
/* A value a channel. Shares and rates are those since the look before: NAN at the first one.
 * `now_ns` is CLOCK_MONOTONIC. */
void vitals_read(struct vitals_reader *reader, uint64_t now_ns, float *ret_values);
