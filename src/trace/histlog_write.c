#include "trace/histlog_write.h"

#include <unistd.h>

#include "base/str.h"

static int write_all(int fd, const struct str *text, struct err *err)
{
	size_t at = 0;

	while (at < text->length) {
		ssize_t n = write(fd, text->text + at, text->length - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_env(err, n ? -errno : -EIO, "the log cannot be written: %s",
				       err_name(n ? errno : EIO));
		at += (size_t)n;
	}
	return 0;
}

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
	return write_all(fd, &text, err);
}
