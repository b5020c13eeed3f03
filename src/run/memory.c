/* Is there memory for the buffers? All are touched before the start: what does not fit would
 * bring the kernel's killer in, on this process or on another. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "run/run_priv.h"

#define WORTH_ASKING_BYTES (256 * MiB) /* below, nobody is asked: a short run stays short */
#define KERNEL_FILE_BYTES  (64 * KiB)

/* MemAvailable of /proc/meminfo; UINT64_MAX where it cannot be read. */
static uint64_t available_bytes(void)
{
	autostr text = {0};
	const char *at;

	if (file_read("/proc/meminfo", KERNEL_FILE_BYTES, &text))
		return UINT64_MAX;
	at = strstr(str_text(&text), "MemAvailable:");
	return at ? strtoull(at + strlen("MemAvailable:"), NULL, 10) * KiB : UINT64_MAX;
}

static uint64_t wave_bytes(const struct run *run, unsigned wave)
{
	uint64_t sum = 0;

	for (unsigned j = 0; j < run->njobs; j++) {
		const struct job_spec *spec = run->jobs[j].spec;
		uint64_t need = worker_buffers_need(spec), all;

		if (spec->stonewall_group != wave)
			continue;
		if (__builtin_mul_overflow(need, (uint64_t)spec->numjobs, &all) ||
		    __builtin_add_overflow(sum, all, &sum))
			return UINT64_MAX;
	}
	return sum;
}

int run_check_memory(const struct run *run, struct err *err)
{
	uint64_t most = 0, available;

	for (unsigned j = 0; j < run->njobs; j++)
		most = max_u64(most, wave_bytes(run, run->jobs[j].spec->stonewall_group));
	if (most < WORTH_ASKING_BYTES)
		return 0;
	available = available_bytes();
	if (most <= available)
		return 0;
	return err_env(
		err, -ENOMEM,
		"the buffers (iodepth x bs x numjobs) need %llu MiB, and %llu MiB of memory are "
		"available: take a smaller iodepth, bs or numjobs",
		(unsigned long long)(most / MiB), (unsigned long long)(available / MiB));
}
