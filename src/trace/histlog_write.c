#include "trace/histlog_write.h"

#include "base/str.h"
#include "trace/write_priv.h"

int histlog_write(int fd, const struct histlog_row *row, unsigned coarseness, struct err *err)
{
	unsigned width = 1u << coarseness;
	autostr text = {0};

	str_printf(&text, "%llu, %u, %llu", (unsigned long long)row->time_ms, row->op,
		   (unsigned long long)row->length);
	for (unsigned bin = 0; bin < FIO_HIST_BUCKETS; bin += width) {
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
