#include "trace/histlog_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/str.h"
#include "trace/write_priv.h"

int histlog_write(int fd, const struct histlog_row *row, unsigned coarseness, struct err *err)
{
	unsigned width = 1u << coarseness, bins = row->bins ? row->bins : FIO_HIST_BUCKETS;
	autostr text = {0};

	str_printf(&text, "%llu, %u, %llu", (unsigned long long)row->time_ms, row->op,
		   (unsigned long long)row->length);
	for (unsigned bin = 0; bin < bins; bin += width) {
		uint64_t sum = 0;

		for (unsigned i = 0; i < width; i++)
			sum += row->count[bin + i];
		if (sum)
			str_printf(&text, ", %llu", (unsigned long long)sum);
		else
			str_add(&text, ", 0");
	}
	str_add_char(&text, '\n');
	return trace_write(fd, text.text, text.length, err);
}

struct histlog_writer {
	int fd;
	unsigned coarseness, bins;
	uint64_t unit_ns;
	bool any;
	struct sample last; /* of the row that gathers */
	uint64_t count[FIO_HIST_BUCKETS];
};

struct histlog_writer *histlog_writer_new(int fd, const struct trace_info *info,
					  struct err *err)
{
	struct histlog_writer *writer = calloc(1, sizeof(*writer));
	bool us = info->unit == TRACE_UNIT_US;

	if (!writer)
		return (void)err_env(err, -ENOMEM, "no memory to write a log"), NULL;
	writer->fd = fd;
	writer->coarseness = info->coarseness;
	writer->bins = us ? FIO2_HIST_BUCKETS : FIO_HIST_BUCKETS;
	writer->unit_ns = us ? NS_PER_US : 1;
	return writer;
}

int histlog_writer_end(struct histlog_writer *writer, struct err *err)
{
	struct histlog_row row = {.time_ms = writer->last.time_ns / NS_PER_MS,
				  .op = writer->last.op,
				  .length = writer->last.length,
				  .count = writer->count,
				  .bins = writer->bins};
	int rc;

	if (!writer->any)
		return 0;
	rc = histlog_write(writer->fd, &row, writer->coarseness, err);
	memset(writer->count, 0, sizeof(writer->count));
	writer->any = false;
	return rc;
}

int histlog_writer_add(struct histlog_writer *writer, const struct sample *samples,
		       unsigned count, struct err *err)
{
	for (unsigned i = 0; i < count; i++) {
		unsigned bin = hist_fio_index(samples[i].value / writer->unit_ns);

		if (writer->any && histlog_is_new_row(&writer->last, &samples[i])) {
			int rc = histlog_writer_end(writer, err);

			if (rc)
				return rc;
		}
		writer->last = samples[i];
		writer->any = true;
		writer->count[min_u64(bin, writer->bins - 1)] += samples[i].extra;
	}
	return 0;
}

void histlog_writer_free(struct histlog_writer *writer)
{
	free(writer);
}
