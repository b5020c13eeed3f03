/*
 * Where and how a worker runs: CPUs, memory policy, nice, I/O priority, scheduling class.
 * Called in the worker's own thread or process, before its memory is first touched.
 */
#include <errno.h>
#include <linux/ioprio.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lang.h"
#include "run/run_priv.h"

_Static_assert(CPU_SETSIZE == CPUS_MAX, N_("the kernel's set holds what an option can name"));

static bool has_bit(const struct cpu_list *list, unsigned at)
{
	return list->bit[at / 64] >> (at % 64) & 1;
}

static unsigned nth_cpu(const struct cpu_list *list, unsigned n)
{
	for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++) {
		if (has_bit(list, cpu) && n-- == 0)
			return cpu;
	}
	return 0;
}

static int set_cpus(const struct cpu_list *list, int only, struct err *err)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (has_bit(list, cpu) && (only < 0 || cpu == (unsigned)only))
			CPU_SET(cpu, &set);
	}
	if (sched_setaffinity(0, sizeof(set), &set) == 0)
		return 0;
	return err_env(err, -errno,
		       "cpus_allowed: these CPUs are not there (or not allowed): %s",
		       err_name(errno));
}

static void add_node(struct cpu_list *list, unsigned node)
{
	char path[80], text[400];
	const char *at = text;
	unsigned from, to;
	int used;

	(void)snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/cpulist", node);
	(void)file_read_line(path, text, sizeof(text)); /* "" : no such node, no CPU */
	/* NOLINTBEGIN(cert-err34-c): the kernel's own text */
	while (sscanf(at, "%u%n", &from, &used) == 1) {
		at += used;
		to = from;
		if (*at == '-' && sscanf(at + 1, "%u%n", &to, &used) == 1)
			at += used + 1;
		for (unsigned cpu = from; cpu <= to && cpu < CPUS_MAX; cpu++) {
			list->bit[cpu / 64] |= 1ULL << (cpu % 64);
			list->count++;
		}
		at += *at == ',';
	}
	/* NOLINTEND(cert-err34-c) */
}

static void keep_present(struct cpu_list *nodes)
{
	for (unsigned node = 0; node < CPUS_MAX; node++) {
		char path[80];

		(void)snprintf(path, sizeof(path), "/sys/devices/system/node/node%u", node);
		if (has_bit(nodes, node) && access(path, F_OK) < 0)
			nodes->bit[node / 64] &= ~(1ULL << (node % 64));
	}
}

static int place_cpus(const struct run_worker *worker, const struct job_spec *spec,
		      struct err *err)
{
	struct cpu_list cpus = spec->cpus_allowed;

	if (!cpus.count && spec->numa_cpu_nodes.count) {
		for (unsigned node = 0; node < CPUS_MAX; node++) {
			if (has_bit(&spec->numa_cpu_nodes, node))
				add_node(&cpus, node);
		}
		if (!cpus.count && spec->numa_cpu_nodes.count < CPUS_MAX) /* not "all" */
			return err_env(err, -ENODEV,
				       "numa_cpu_nodes: no such node on this machine");
	}
	if (!cpus.count)
		return 0;
	if (spec->cpus_allowed_policy == CPUS_SPLIT)
		return set_cpus(&cpus, (int)nth_cpu(&cpus, worker->clone % cpus.count), err);
	return set_cpus(&cpus, -1, err);
}

static int place_memory(const struct job_spec *spec, struct err *err)
{
	static const int mode[] = {[NUMA_DEFAULT] = MPOL_DEFAULT,
				   [NUMA_LOCAL] = MPOL_LOCAL,
				   [NUMA_PREFER] = MPOL_PREFERRED,
				   [NUMA_BIND] = MPOL_BIND,
				   [NUMA_INTERLEAVE] = MPOL_INTERLEAVE};
	struct cpu_list nodes = spec->numa_mem_nodes;
	bool names_nodes = nodes.count > 0;
	long rc;

	if (spec->numa_mem_policy == NUMA_UNSET)
		return 0;
	if (nodes.count == CPUS_MAX)
		keep_present(&nodes); /* "all": the kernel takes none that it has not got */
	rc = syscall(SYS_set_mempolicy, mode[spec->numa_mem_policy],
		     names_nodes ? nodes.bit : NULL, names_nodes ? CPUS_MAX : 0);
	if (rc == 0)
		return 0;
	return err_env(err, -errno, "numa_mem_policy: the kernel refuses it: %s",
		       err_name(errno));
}

static int place_priority(const struct job_spec *spec, struct err *err)
{
	/* Linux: a thread has a nice value of its own, by its thread id. */
	if (spec->nice_given && setpriority(PRIO_PROCESS, (id_t)gettid(), spec->nice) < 0)
		return err_env(err, -errno, "nice=%d: %s", spec->nice, err_name(errno));
	if (spec->prio_given) {
		unsigned class = spec->prioclass ? spec->prioclass : IOPRIO_CLASS_BE;
		long value = (long)(class << IOPRIO_CLASS_SHIFT) | spec->prio;

		if (syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, value) < 0)
			return err_env(err, -errno, "prioclass=%u, prio=%u: %s", class,
				       spec->prio, err_name(errno));
	}
	if (spec->sched_batch) {
		struct sched_param param = {0};

		if (sched_setscheduler(0, SCHED_BATCH, &param) < 0)
			return err_env(err, -errno, "sched_batch: %s", err_name(errno));
	}
	return 0;
}

int run_place(const struct run_worker *worker, struct err *err)
{
	const struct job_spec *spec = worker->job->spec;
	int rc;

	(void)prctl(PR_SET_TIMERSLACK, 1UL); /* naps to the point; a refusal costs 50 us */
	(void)prctl(PR_SET_NAME, spec->name);
	rc = place_cpus(worker, spec, err);
	if (!rc)
		rc = place_memory(spec, err);
	if (!rc)
		rc = place_priority(spec, err);
	return rc;
}
