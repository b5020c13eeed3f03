/* The log of all workers' bandwidth together (fio's --bandwidth-log). */
#include "base/bits.h"
#include "run/logs_priv.h"

int run_total_logs_open(struct run *run, struct err *err)
{
	static const char *const words[NDATA] = {"read", "write", "trim"};
	const char *prefix = run->set->options.bandwidth_log;
	struct trace_info info = {.format = TRACE_FIO_TEXT,
				  .kind = TRACE_BW,
				  .unit = TRACE_UNIT_NS,
				  .windowed = true,
				  .has_prio = true,
				  .window_ns = run->result->interval_ns};

	for (unsigned d = 0; prefix && d < NDATA; d++) {
		const char *path = arena_printf(&run->arena, "%s-%s_bw.log",
						*prefix ? prefix : "agg", words[d]);

		run->total_logs[d] = log_file_new(run, path, &info, err);
		if (!run->total_logs[d])
			return err->code;
	}
	return 0;
}

/* As in fio, an interval without a request is a row of zero, and one of the ramp is a row too. */
void run_total_logs_close(struct run *run)
{
	for (unsigned d = 0; d < NDATA; d++) {
		struct log_file *file = run->total_logs[d];

		if (!file)
			continue;
		run->total_logs[d] = NULL;
		for (unsigned i = 0; i < run->result->nrows; i++) {
			const struct row *row = &run->result->rows[i];
			struct sample sample = {
				.time_ns = row->end_ns,
				.value = muldiv_u64(row->dir[d].bytes, NS_PER_S,
						    row->end_ns - row->begin_ns) /
					 KiB,
				.op = (uint8_t)d,
				.flags = file->flags};

			log_file_add(file, &sample, 0, 1);
		}
		log_file_close(run, file);
	}
}
