#include "device/counters.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/bits.h"
#include "base/clock.h"
#include "device/sysfs_priv.h"

#define SECTOR_BYTES 512

/* The columns of Documentation/block/stat.rst. */
enum {
	COL_READ_IOS,
	COL_READ_MERGES,
	COL_READ_SECTORS,
	COL_READ_TICKS,
	COL_WRITE_IOS,
	COL_WRITE_MERGES,
	COL_WRITE_SECTORS,
	COL_WRITE_TICKS,
	COL_IN_FLIGHT,
	COL_IO_TICKS,
	COL_TIME_IN_QUEUE,
	COL_DISCARD_IOS,
	COL_DISCARD_MERGES,
	COL_DISCARD_SECTORS,
	COL_DISCARD_TICKS,
	COL_FLUSH_IOS,
	COL_FLUSH_TICKS,
	NCOL,
};

static void direction_set(struct counters_direction *direction, const uint64_t *column)
{
	direction->ios = column[0];
	direction->merges = column[1];
	direction->bytes = column[2] * SECTOR_BYTES;
	direction->busy_ms = column[3];
}

bool counters_parse(struct device_counters *ret_counters, const char *text)
{
	struct device_counters counters = {.at_ns = 0};
	uint64_t column[NCOL] = {0};
	unsigned count = 0;

	while (count < NCOL) {
		char *end;
		uint64_t value = strtoull(text, &end, 10);

		if (end == text)
			break;
		column[count++] = value;
		text = end;
	}
	if (count <= COL_TIME_IN_QUEUE)
		return false;
	direction_set(&counters.read, column + COL_READ_IOS);
	direction_set(&counters.write, column + COL_WRITE_IOS);
	direction_set(&counters.discard, column + COL_DISCARD_IOS);
	counters.in_flight = column[COL_IN_FLIGHT];
	counters.active_ms = column[COL_IO_TICKS];
	counters.queue_ms = column[COL_TIME_IN_QUEUE];
	counters.flush_ios = column[COL_FLUSH_IOS];
	counters.flush_busy_ms = column[COL_FLUSH_TICKS];
	counters.has_discard = count > COL_DISCARD_TICKS;
	counters.has_flush = count > COL_FLUSH_TICKS;
	*ret_counters = counters;
	return true;
}

int counters_read(struct device_counters *ret_counters, const struct device *device,
		  const struct device_roots *roots)
{
	char folder[64], line[400];
	int rc;

	TEXT_SET(folder, "/dev/block/%u:%u", device->major, device->minor);
	rc = SYSFS_LINE(roots, folder, "stat", line);
	if (rc < 0)
		return rc == -ENOENT ? -ENODEV : rc;
	if (!counters_parse(ret_counters, line))
		return -EPROTO;
	ret_counters->at_ns = clock_monotonic_ns();
	return 0;
}

static uint64_t forward(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

/* The kernel prints times as 32 bits of milliseconds, which a deep queue wraps in days. A
 * device that came anew (its requests went backwards) has no difference. */
static uint64_t forward_ms(uint64_t before, uint64_t after, bool anew)
{
	return anew ? 0 : (uint32_t)(after - before);
}

static void direction_difference(const struct counters_direction *before,
				 const struct counters_direction *after,
				 struct counters_direction *ret_difference)
{
	ret_difference->ios = forward(before->ios, after->ios);
	ret_difference->merges = forward(before->merges, after->merges);
	ret_difference->bytes = forward(before->bytes, after->bytes);
	ret_difference->busy_ms =
		forward_ms(before->busy_ms, after->busy_ms, after->ios < before->ios);
}

void counters_difference(const struct device_counters *before,
			 const struct device_counters *after,
			 struct device_counters *ret_difference)
{
	struct device_counters difference = *after;
	bool anew = after->read.ios < before->read.ios || after->write.ios < before->write.ios;

	difference.at_ns = forward(before->at_ns, after->at_ns);
	direction_difference(&before->read, &after->read, &difference.read);
	direction_difference(&before->write, &after->write, &difference.write);
	direction_difference(&before->discard, &after->discard, &difference.discard);
	difference.flush_ios = forward(before->flush_ios, after->flush_ios);
	difference.flush_busy_ms =
		forward_ms(before->flush_busy_ms, after->flush_busy_ms, anew);
	difference.active_ms = forward_ms(before->active_ms, after->active_ms, anew);
	difference.queue_ms = forward_ms(before->queue_ms, after->queue_ms, anew);
	*ret_difference = difference;
}

static void direction_add(struct counters_direction *sum, const struct counters_direction *more)
{
	sum->ios += more->ios;
	sum->merges += more->merges;
	sum->bytes += more->bytes;
	sum->busy_ms += more->busy_ms;
}

void counters_add(struct device_counters *sum, const struct device_counters *more)
{
	sum->at_ns = max_u64(sum->at_ns, more->at_ns);
	direction_add(&sum->read, &more->read);
	direction_add(&sum->write, &more->write);
	direction_add(&sum->discard, &more->discard);
	sum->flush_ios += more->flush_ios;
	sum->flush_busy_ms += more->flush_busy_ms;
	sum->in_flight += more->in_flight;
	sum->active_ms += more->active_ms;
	sum->queue_ms += more->queue_ms;
	sum->has_discard |= more->has_discard;
	sum->has_flush |= more->has_flush;
}

int counters_watch(struct device_counters *ret_difference, const struct device *device,
		   unsigned window_ms, const struct device_roots *roots)
{
	struct timespec window = {.tv_sec = window_ms / 1000,
				  .tv_nsec = (long)(window_ms % 1000) * (long)NS_PER_MS};
	struct device_counters before, after;
	int rc = counters_read(&before, device, roots);

	if (rc < 0)
		return rc;
	(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &window, NULL); /* a signal cuts it short */
	rc = counters_read(&after, device, roots);
	if (rc < 0)
		return rc;
	counters_difference(&before, &after, ret_difference);
	return 0;
}
