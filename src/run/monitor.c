/*
 * The monitor: how the machine and the drives fare while the workers run. A thread of its
 * own, since a drive that hangs may not let go who asks for its temperature; it sleeps a
 * step, looks, and writes a row into memory that was made before the start. On a virtual
 * clock the control plane asks the models instead. Not in fio's face, which tells nothing of
 * it.
 */
#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "device/vitals.h"
#include "run/run_priv.h"
#include "run/vital_rows.h"
#include "sim/drive.h"

#define ROWS_MAX      100000 /* a day of seconds and more; then two become one */
#define VALUES_MAX    8000000
#define CLOSE_WAIT_NS (500 * NS_PER_MS)
#define CLOSE_LOOK_NS (2 * NS_PER_MS)
#define DRIVES_MAX    16

struct monitor {
	struct vitals_reader *reader; /* NULL: simulated */
	const struct vital_channel *channels;
	unsigned nchannels; /* 0: nothing to look at */
	struct vital_rows rows;
	float *look;	   /* one row */
	uint64_t start_ns; /* CLOCK_MONOTONIC of the run's start; 0: not begun */
	int stop_fd;
	struct thread thread;
	bool hangs;
	struct drive *drives[DRIVES_MAX];
};

/* --- real time --- */

/* Until the instant, or until it is to stop: then false. */
static bool sleep_until(const struct monitor *m, uint64_t at_ns)
{
	struct pollfd poll_fd = {.fd = m->stop_fd, .events = POLLIN};
	uint64_t now_ns = clock_monotonic_ns();
	uint64_t left = at_ns > now_ns ? at_ns - now_ns : 0;
	struct timespec timeout = {.tv_sec = (time_t)(left / NS_PER_S),
				   .tv_nsec = (long)(left % NS_PER_S)};

	return ppoll(&poll_fd, 1, &timeout, NULL) <= 0;
}

static void watch(void *arg)
{
	struct monitor *m = arg;
	uint64_t next_ns = m->start_ns;

	while (sleep_until(m, next_ns)) {
		uint64_t since_ns = clock_monotonic_ns() - m->start_ns;

		vitals_read(m->reader, m->start_ns + since_ns, m->look);
		vital_rows_put(&m->rows, since_ns, m->look);
		next_ns = m->start_ns + (since_ns / m->rows.step_ns + 1) * m->rows.step_ns;
	}
}

/* Each drive once, however many namespaces or partitions of it are targets. */
static unsigned drives_of(const struct run_facts *facts, const struct device **devices)
{
	unsigned count = 0;

	for (unsigned i = 0; i < facts->ndevices && count < DRIVES_MAX; i++) {
		bool known = false;

		for (unsigned k = 0; k < count; k++)
			known |= str_equal(device_drive_name(devices[k]),
					   device_drive_name(&facts->devices[i].device));
		if (!known)
			devices[count++] = &facts->devices[i].device;
	}
	return count;
}

/* --- simulated drives --- */

static void open_models(struct run *run, struct monitor *m)
{
	struct vital_channel *channels =
		arena_array(&run->arena, struct vital_channel, DRIVES_MAX);

	for (const struct run_file *file = run->files; file && m->nchannels < DRIVES_MAX;
	     file = file->next) {
		struct vital_channel *channel = &channels[m->nchannels];

		if (!file->drive || !drive_temperature_mc(file->drive))
			continue;
		channel->kind = VITAL_TEMPERATURE;
		(void)snprintf(channel->name, sizeof(channel->name), "%s", file->path);
		m->drives[m->nchannels++] = file->drive;
	}
	m->channels = channels;
}

void run_monitor_tick(struct run *run)
{
	struct monitor *m = run->monitor;

	if (!m || m->reader || !run->start_ns)
		return; /* the thread looks by itself; nothing has begun */
	for (unsigned i = 0; i < m->nchannels; i++)
		m->look[i] = (float)drive_temperature_mc(m->drives[i]) / 1000;
	if (m->nchannels)
		vital_rows_put(&m->rows, run_now_ns(run) - run->start_ns, m->look);
}

/* --- begin and end --- */

/* A second, or the least number of whole intervals that is no less. */
static uint64_t step_of(uint64_t interval_ns)
{
	return (NS_PER_S + interval_ns - 1) / interval_ns * interval_ns;
}

void run_monitor_open(struct run *run)
{
	const struct device *devices[DRIVES_MAX];
	struct monitor *m;

	if (run->set->face != FACE_NATIVE)
		return;
	m = arena_new(&run->arena, struct monitor);
	m->stop_fd = -1;
	if (run_is_virtual(run)) {
		open_models(run, m);
	} else {
		m->reader = vitals_open(&run->arena, devices,
					drives_of(&run->result->facts, devices),
					&device_roots_real);
		m->channels = vitals_channels(m->reader, &m->nchannels);
	}
	run->monitor = m;
	if (!m->nchannels)
		return;
	m->look = arena_array(&run->arena, float, m->nchannels);
	if (vital_rows_init(&m->rows, m->channels, m->nchannels,
			    (unsigned)min_u64(ROWS_MAX, VALUES_MAX / m->nchannels),
			    step_of(run->result->interval_ns)))
		m->nchannels = 0; /* the run goes without */
}

void run_monitor_begin(struct run *run)
{
	struct monitor *m = run->monitor;

	if (!m || !m->reader || !m->nchannels || m->start_ns)
		return;
	m->start_ns = clock_monotonic_ns() - (run_now_ns(run) - run->start_ns);
	m->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (m->stop_fd < 0 || thread_start(&m->thread, watch, m, false))
		m->nchannels = 0;
}

/* False: it is in the kernel, asking a drive that does not answer. */
static bool stop_thread(struct monitor *m)
{
	static const uint64_t one = 1;
	static const struct timespec pause = {.tv_nsec = CLOSE_LOOK_NS};
	uint64_t until_ns = clock_monotonic_ns() + CLOSE_WAIT_NS;
	int ignored;

	if (!m->thread.started)
		return true;
	if (write(m->stop_fd, &one, sizeof(one)) < 0)
		return false; /* a counter that is full: does not happen */
	while (!thread_try_join(&m->thread, &ignored)) {
		if (clock_monotonic_ns() >= until_ns)
			return false;
		(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	}
	return true;
}

void run_monitor_so_far(const struct run *run, const struct run_had *had, struct result *copy)
{
	if (run->monitor)
		vital_rows_publish(&run->monitor->rows, had, &copy->arena, &copy->vitals);
}

void run_monitor_close(struct run *run)
{
	struct monitor *m = run->monitor;

	if (!m || m->hangs)
		return;
	run_monitor_tick(run); /* of the step that ended with the run */
	m->hangs = !stop_thread(m);
	vital_rows_publish(&m->rows, &(struct run_had){0}, &run->result->arena,
			   &run->result->vitals);
	if (m->hangs)
		return;
	run->monitor = NULL;
	file_close_fd(&m->stop_fd);
	if (m->reader)
		vitals_close(m->reader);
	vital_rows_done(&m->rows);
}

bool run_monitor_hangs(const struct run *run)
{
	return run->monitor && run->monitor->hangs;
}
