/*
 * Health around a run: of each drive at the bottom of what the targets stand on, once, and of
 * simulated ones. Asked before the first request and after the last, so that the processes that
 * ask weigh on neither. A drive that has no log of its own (a loop device, virtio) is left out;
 * one that could not be asked stands there with the reason.
 */
#include "device/health.h"
#include "run/run_priv.h"
#include "sim/drive.h"

#define HEALTH_MAX 64 /* drives; beyond that nobody is asked */

static struct health_facts *entry_of(struct run *run, const char *device)
{
	struct run_facts *facts = &run->result->facts;
	struct health_facts *entry;

	if (!facts->health)
		facts->health =
			arena_array(&run->result->arena, struct health_facts, HEALTH_MAX);
	for (unsigned i = 0; i < facts->nhealth; i++)
		if (str_equal(facts->health[i].device, device))
			return &facts->health[i];
	if (facts->nhealth == HEALTH_MAX)
		return NULL;
	entry = &facts->health[facts->nhealth++];
	entry->device = arena_strdup(&run->result->arena, device);
	health_init(&entry->before, "");
	health_init(&entry->after, "");
	return entry;
}

static void put(struct run *run, const char *device, bool after, const struct health *health)
{
	struct health_facts *entry = health->at_unix_ns ? entry_of(run, device) : NULL;

	if (entry)
		*(after ? &entry->after : &entry->before) = *health;
}

static bool is_first_of_its_drive(const struct run_facts *facts, unsigned at)
{
	const char *name = device_drive_name(&facts->devices[at].device);

	for (unsigned i = 0; i < at; i++)
		if (str_equal(device_drive_name(&facts->devices[i].device), name))
			return false;
	return true;
}

void run_health_read(struct run *run, bool after)
{
	const struct run_facts *facts = &run->result->facts;
	struct health health;

	if (run->set->face != FACE_NATIVE)
		return;
	for (const struct run_file *file = run->files; file; file = file->next) {
		struct drive_health log;

		if (!file->drive)
			continue;
		drive_get_health(file->drive, after ? run->virtual_ns : 0, &log);
		health_of_sim(&health, drive_profile(file->drive), &log);
		put(run, file->path, after, &health);
	}
	for (unsigned i = 0; i < facts->ndevices; i++) {
		if (!is_first_of_its_drive(facts, i))
			continue;
		health_read(&health, &facts->devices[i].device, &device_roots_real);
		put(run, device_drive_name(&facts->devices[i].device), after, &health);
	}
}
