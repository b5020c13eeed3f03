#include "device/vitals.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/str.h"
#include "device/sysfs_priv.h"

#define POWERCAP_FOLDER	  "/class/powercap"
#define CPUFREQ_FOLDER	  "/devices/system/cpu/cpufreq"
#define STAT_BYTES	  (128 * KiB) /* of /proc/stat: the lines of 1,000 CPUs, and intr's first */
#define FREQUENCIES_MAX	  64	      /* policies that are read; of more every so manieth */
#define INTERVAL_LEAST_NS NS_PER_MS /* a rate over less says nothing */

const char *const vital_names[NVITAL] = {
	[VITAL_TEMPERATURE] = "temperature",
	[VITAL_POWER_STATE] = "power_state",
	[VITAL_POWER] = "power",
	[VITAL_CPU] = "cpu",
	[VITAL_STEAL] = "steal",
	[VITAL_INTERRUPTS] = "interrupts",
	[VITAL_FREQUENCY] = "frequency",
};
const char *const vital_units[NVITAL] = {
	[VITAL_TEMPERATURE] = "degrees C",
	[VITAL_POWER_STATE] = "state",
	[VITAL_POWER] = "W",
	[VITAL_CPU] = "percent",
	[VITAL_STEAL] = "percent",
	[VITAL_INTERRUPTS] = "per second",
	[VITAL_FREQUENCY] = "MHz",
};

/* What is read from a file of its own. */
struct source {
	int fd;
	uint64_t every_ns, next_ns; /* of temperatures */
	float held;		    /* what was read last */
	uint64_t energy_uj, wrap_uj;
	bool has_energy; /* energy_uj is from the look before */
};

struct cpu_times {
	uint64_t busy, steal, total; /* ticks */
	bool known;
};

struct vitals_reader {
	struct vital_channel channel[VITALS_MAX];
	struct source source[VITALS_MAX]; /* beside; fd -1: none */
	unsigned count;
	unsigned cpus; /* channels from `cpu` on: all, busiest, then each core */
	unsigned cpu, steal, interrupts, frequency; /* channels; VITALS_MAX: none */
	int stat_fd;
	char *stat;
	struct cpu_times all, core[VITALS_CORES_MAX];
	struct cpu_times *every; /* of each CPU, for the busiest one */
	unsigned nevery;
	uint64_t interrupts_before, last_ns;
	bool has_interrupts;
	int frequency_fd[FREQUENCIES_MAX];
	unsigned nfrequencies;
};

/* --- finding --- */

static unsigned add_channel(struct vitals_reader *reader, enum vital_kind kind,
			    const char *name)
{
	struct vital_channel *channel = &reader->channel[reader->count];

	if (reader->count == VITALS_MAX)
		return VITALS_MAX;
	channel->kind = kind;
	TEXT_SET(channel->name, "%s", name);
	reader->source[reader->count] = (struct source){.fd = -1, .held = NAN};
	return reader->count++;
}

static int open_attribute(const struct device_roots *roots, const char *folder,
			  const char *attribute)
{
	char path[SYSFS_PATH_BYTES];

	TEXT_SET(path, "%s%s/%s", roots->sys, folder, attribute);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* A file that opens is a channel. */
static struct source *add_source(struct vitals_reader *reader, enum vital_kind kind,
				 const char *name, int fd)
{
	unsigned at = fd < 0 ? VITALS_MAX : add_channel(reader, kind, name);

	if (at == VITALS_MAX) {
		file_close_fd(&fd);
		return NULL;
	}
	reader->source[at].fd = fd;
	return &reader->source[at];
}

/* The first entry of a folder that begins so and goes on with digits alone; false: none. */
static bool find_numbered(const struct device_roots *roots, const char *folder,
			  const char *prefix, char ret_name[32])
{
	const char *name;
	autodir dir = sysfs_open(roots, folder, "");

	while (dir && (name = sysfs_next(dir))) {
		uint64_t number;

		if (!str_starts(name, prefix) || strlen(name) >= 32 ||
		    !text_u64(name + strlen(prefix), &number))
			continue;
		text_set(ret_name, 32, "%s", name);
		return true;
	}
	return false;
}

/* "device" is a SCSI disk, an NVMe controller, or with native multipath a subsystem, which
 * holds links to its controllers. */
static void controller_of(const struct device_roots *roots, const char *drive,
			  char ret_folder[SYSFS_PATH_BYTES])
{
	char name[32];

	text_set(ret_folder, SYSFS_PATH_BYTES, "/class/block/%s/device", drive);
	if (find_numbered(roots, ret_folder, "nvme", name))
		text_set(ret_folder, SYSFS_PATH_BYTES, "/class/block/%s/device/%s", drive,
			 name);
}

/* A controller of class nvme holds "hwmon3" itself; a SCSI disk, and the PCI function below
 * older kernels' controllers, has a folder "hwmon" for it. */
bool vitals_find_hwmon(const struct device_roots *roots, const char *drive,
		       char ret_folder[SYSFS_PATH_BYTES])
{
	static const char *const places[] = {"", "/hwmon", "/device/hwmon"};
	char controller[SYSFS_PATH_BYTES], name[32];

	controller_of(roots, drive, controller);
	for (unsigned i = 0; i < ARRAY_SIZE(places); i++) {
		char place[SYSFS_PATH_BYTES];

		TEXT_SET(place, "%s%s", controller, places[i]);
		if (!find_numbered(roots, place, "hwmon", name))
			continue;
		text_set(ret_folder, SYSFS_PATH_BYTES, "%s/%s", place, name);
		if (sysfs_exists(roots, ret_folder, "temp1_input"))
			return true;
	}
	return false;
}

static void find_drive(struct vitals_reader *reader, const struct device *device,
		       const struct device_roots *roots)
{
	char folder[SYSFS_PATH_BYTES], hwmon[SYSFS_PATH_BYTES], kind[32];
	const char *name = device_drive_name(device);
	struct source *source;
	int fd;

	if (vitals_find_hwmon(roots, name, hwmon)) {
		SYSFS_LINE(roots, hwmon, "name", kind);
		fd = open_attribute(roots, hwmon, "temp1_input");
		source = add_source(reader, VITAL_TEMPERATURE, name, fd);
		if (source)
			source->every_ns = str_equal(kind, "nvme") ? VITALS_ASK_NVME_NS
								   : VITALS_ASK_SATA_NS;
	}
	controller_of(roots, name, folder);
	fd = device->interface == INTERFACE_NVME
		     ? open_attribute(roots, folder, "device/power_state")
		     : -1;
	(void)add_source(reader, VITAL_POWER_STATE, name, fd);
}

/* Packages, the whole platform, and the memory of a package: parts of what a package counts
 * itself are left out. */
static void find_power(struct vitals_reader *reader, const struct device_roots *roots)
{
	const char *entry;
	autodir dir = sysfs_open(roots, POWERCAP_FOLDER, "");

	while (dir && (entry = sysfs_next(dir))) {
		char folder[SYSFS_PATH_BYTES], name[32], above[32], *part;
		struct source *source;
		char words[80];

		TEXT_SET(folder, POWERCAP_FOLDER "/%s", entry);
		SYSFS_LINE(roots, folder, "name", name);
		part = strchr(entry, ':') ? strchr(strchr(entry, ':') + 1, ':') : NULL;
		if (!str_starts(entry, "intel-rapl:") || !*name ||
		    (part && !str_equal(name, "dram")))
			continue;
		TEXT_SET(words, "%s", name);
		if (part) {
			TEXT_SET(folder, POWERCAP_FOLDER "/%.*s", (int)(part - entry), entry);
			SYSFS_LINE(roots, folder, "name", above);
			TEXT_SET(words, "%s %s", above, name);
			TEXT_SET(folder, POWERCAP_FOLDER "/%s", entry);
		}
		source = add_source(reader, VITAL_POWER, words,
				    open_attribute(roots, folder, "energy_uj"));
		if (source)
			source->wrap_uj = sysfs_u64(roots, folder, "max_energy_range_uj", 0);
	}
}

static void find_frequency(struct vitals_reader *reader, const struct device_roots *roots)
{
	const char *entry;
	autodir dir = sysfs_open(roots, CPUFREQ_FOLDER, "");

	while (dir && reader->nfrequencies < FREQUENCIES_MAX && (entry = sysfs_next(dir))) {
		char folder[SYSFS_PATH_BYTES];
		int fd;

		if (!str_starts(entry, "policy"))
			continue;
		TEXT_SET(folder, CPUFREQ_FOLDER "/%s", entry);
		fd = open_attribute(roots, folder, "scaling_cur_freq");
		if (fd >= 0)
			reader->frequency_fd[reader->nfrequencies++] = fd;
	}
	if (!reader->nfrequencies)
		return;
	reader->frequency = add_channel(reader, VITAL_FREQUENCY, "mean");
	(void)add_channel(reader, VITAL_FREQUENCY, "lowest");
}

/* --- /proc/stat --- */

/* The text, cut at what there is room for; false: it cannot be read. */
static bool read_stat(struct vitals_reader *reader)
{
	size_t used = 0;
	ssize_t n = 1;

	while (n > 0 && used < STAT_BYTES - 1) {
		n = pread(reader->stat_fd, reader->stat + used, STAT_BYTES - 1 - used,
			  (off_t)used);
		used += n > 0 ? (size_t)n : 0;
	}
	reader->stat[used] = '\0';
	return used > 0;
}

/* user nice system idle iowait irq softirq steal; guest time is in user already. */
static bool parse_times(const char *text, struct cpu_times *ret_times)
{
	uint64_t v[8] = {0};
	unsigned count = 0;

	for (; count < ARRAY_SIZE(v) && *text && *text != '\n'; count++) {
		char *end;

		v[count] = strtoull(text, &end, 10);
		if (end == text)
			break;
		text = end;
	}
	*ret_times = (struct cpu_times){.busy = v[0] + v[1] + v[2] + v[5] + v[6],
					.steal = v[7],
					.total = v[0] + v[1] + v[2] + v[3] + v[4] + v[5] +
						 v[6] + v[7],
					.known = count >= 4};
	return ret_times->known;
}

/* Percent since the look before; idle times may go backwards (proc(5)): then nobody knows. */
static float share_of(uint64_t before, uint64_t after, const struct cpu_times *from,
		      const struct cpu_times *to)
{
	if (!from->known || !to->known || to->total <= from->total || after < before)
		return NAN;
	return (float)fmin(100.0 * (double)(after - before) / (double)(to->total - from->total),
			   100);
}

static void read_core(struct vitals_reader *reader, unsigned cpu, const char *text,
		      float *values)
{
	struct cpu_times now, *before = &reader->every[cpu];
	float *busiest = &values[reader->cpu + 1], share;

	if (!parse_times(text, &now))
		return;
	share = share_of(before->busy, now.busy, before, &now);
	if (!isnan(share) && (isnan(*busiest) || share > *busiest))
		*busiest = share;
	if (cpu + 2 < reader->cpus)
		values[reader->cpu + 2 + cpu] = share;
	*before = now;
}

static void read_interrupts(struct vitals_reader *reader, const char *text, uint64_t span_ns,
			    float *values)
{
	uint64_t now = strtoull(text, NULL, 10);

	if (reader->has_interrupts && span_ns >= INTERVAL_LEAST_NS &&
	    now >= reader->interrupts_before)
		values[reader->interrupts] = (float)((double)(now - reader->interrupts_before) *
						     1e9 / (double)span_ns);
	reader->interrupts_before = now;
	reader->has_interrupts = true;
}

static void read_cpus(struct vitals_reader *reader, uint64_t span_ns, float *values)
{
	const char *line = reader->stat;
	struct cpu_times now;

	if (!read_stat(reader))
		return;
	for (; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		char *end;
		unsigned long cpu;

		if (str_starts(line, "intr ")) {
			read_interrupts(reader, line + 5, span_ns, values);
			return; /* nothing below is ours */
		}
		if (!str_starts(line, "cpu"))
			continue;
		if (line[3] == ' ' && parse_times(line + 4, &now)) {
			values[reader->cpu] =
				share_of(reader->all.busy, now.busy, &reader->all, &now);
			values[reader->steal] =
				share_of(reader->all.steal, now.steal, &reader->all, &now);
			reader->all = now;
			continue;
		}
		cpu = strtoul(line + 3, &end, 10);
		if (end > line + 3 && cpu < reader->nevery)
			read_core(reader, (unsigned)cpu, end, values);
	}
}

/* Numbers of CPUs are below the greatest that the text has; those that come later go
 * uncounted. */
static unsigned count_cpus(const char *text)
{
	unsigned count = 0;

	while ((text = strstr(text, "\ncpu"))) {
		text += 4;
		count = (unsigned)max_u64(count, strtoul(text, NULL, 10) + 1);
	}
	return (unsigned)min_u64(count, 4096);
}

static void find_cpus(struct vitals_reader *reader, struct arena *arena,
		      const struct device_roots *roots)
{
	char path[SYSFS_PATH_BYTES];

	TEXT_SET(path, "%s/stat", roots->proc);
	reader->stat = arena_alloc(arena, STAT_BYTES, 1);
	reader->stat_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (reader->stat_fd < 0 || !read_stat(reader)) {
		file_close_fd(&reader->stat_fd);
		return;
	}
	reader->nevery = count_cpus(reader->stat);
	reader->every = arena_array(arena, struct cpu_times, reader->nevery + 1UL);
	reader->cpu = add_channel(reader, VITAL_CPU, "all");
	(void)add_channel(reader, VITAL_CPU, "busiest");
	reader->cpus = 2;
	for (unsigned i = 0; i < reader->nevery && reader->nevery <= VITALS_CORES_MAX; i++) {
		char name[16];

		TEXT_SET(name, "cpu%u", i);
		(void)add_channel(reader, VITAL_CPU, name);
		reader->cpus++;
	}
	reader->steal = add_channel(reader, VITAL_STEAL, "all");
	reader->interrupts = add_channel(reader, VITAL_INTERRUPTS, "all");
}

struct vitals_reader *vitals_open(struct arena *arena, const struct device *const *devices,
				  unsigned ndevices, const struct device_roots *roots)
{
	struct vitals_reader *reader = arena_new(arena, struct vitals_reader);

	reader->stat_fd = -1;
	reader->cpu = reader->steal = reader->interrupts = reader->frequency = VITALS_MAX;
	find_cpus(reader, arena, roots); /* first: the others take what room there is */
	find_frequency(reader, roots);
	find_power(reader, roots);
	for (unsigned i = 0; i < ndevices; i++)
		find_drive(reader, devices[i], roots);
	return reader;
}

void vitals_close(struct vitals_reader *reader)
{
	file_close_fd(&reader->stat_fd);
	for (unsigned i = 0; i < reader->count; i++)
		file_close_fd(&reader->source[i].fd);
	for (unsigned i = 0; i < reader->nfrequencies; i++)
		file_close_fd(&reader->frequency_fd[i]);
}

const struct vital_channel *vitals_channels(const struct vitals_reader *reader,
					    unsigned *ret_count)
{
	*ret_count = reader->count;
	return reader->channel;
}

/* --- a look --- */

static bool read_text(int fd, char *ret_text, size_t size_bytes)
{
	ssize_t n = pread(fd, ret_text, size_bytes - 1, 0);

	ret_text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* False: it is no number. */
static bool read_number(int fd, int64_t *ret_value)
{
	char text[32], *end;

	if (!read_text(fd, text, sizeof(text)))
		return false;
	*ret_value = strtoll(text, &end, 10);
	return end > text;
}

static float power_state(int fd)
{
	static const char *const states[] = {"D0", "D1", "D2", "D3hot", "D3cold"};
	char text[32];

	if (!read_text(fd, text, sizeof(text)))
		return NAN;
	text_trim(text);
	for (unsigned i = 0; i < ARRAY_SIZE(states); i++)
		if (str_equal(text, states[i]))
			return (float)i;
	return NAN;
}

static float temperature(struct source *source, uint64_t now_ns)
{
	int64_t millidegrees;

	if (now_ns < source->next_ns)
		return source->held;
	source->next_ns = now_ns + source->every_ns;
	source->held = read_number(source->fd, &millidegrees) ? (float)millidegrees / 1000
							      : (float)NAN;
	return source->held;
}

/* The counter of energy begins anew at its greatest value. */
static float power(struct source *source, uint64_t span_ns)
{
	int64_t now;
	uint64_t before = source->energy_uj, used;
	bool had = source->has_energy;

	source->has_energy = read_number(source->fd, &now) && now >= 0;
	if (!source->has_energy)
		return NAN;
	source->energy_uj = (uint64_t)now;
	if (!had || span_ns < INTERVAL_LEAST_NS ||
	    (source->energy_uj < before && source->wrap_uj < before))
		return NAN;
	used = source->energy_uj < before ? source->wrap_uj - before + source->energy_uj
					  : source->energy_uj - before;
	return (float)((double)used * 1e3 / (double)span_ns);
}

static void read_frequencies(const struct vitals_reader *reader, float *values)
{
	double sum = 0, lowest = (double)INFINITY;
	unsigned known = 0;

	for (unsigned i = 0; i < reader->nfrequencies; i++) {
		int64_t khz;

		if (!read_number(reader->frequency_fd[i], &khz) || khz <= 0)
			continue;
		sum += (double)khz / 1e3;
		lowest = fmin(lowest, (double)khz / 1e3);
		known++;
	}
	if (!known)
		return;
	values[reader->frequency] = (float)(sum / known);
	values[reader->frequency + 1] = (float)lowest;
}

void vitals_read(struct vitals_reader *reader, uint64_t now_ns, float *ret_values)
{
	uint64_t span_ns = reader->last_ns ? now_ns - reader->last_ns : 0;

	for (unsigned i = 0; i < reader->count; i++)
		ret_values[i] = NAN;
	if (reader->stat_fd >= 0)
		read_cpus(reader, span_ns, ret_values);
	if (reader->nfrequencies)
		read_frequencies(reader, ret_values);
	for (unsigned i = 0; i < reader->count; i++) {
		struct source *source = &reader->source[i];

		if (source->fd < 0)
			continue;
		if (reader->channel[i].kind == VITAL_TEMPERATURE)
			ret_values[i] = temperature(source, now_ns);
		else if (reader->channel[i].kind == VITAL_POWER)
			ret_values[i] = power(source, span_ns);
		else
			ret_values[i] = power_state(source->fd);
	}
	reader->last_ns = now_ns;
}
