#include "trace/fiolog_write.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/str.h"
#include "trace/write_priv.h"

#define TEXT_BYTES   (64 * KiB)
#define ROW_TEXT_MAX 160

struct fiolog_writer {
	int fd;
	bool fio2, latency;
	struct trace_info info;
	size_t used;
	char text[TEXT_BYTES];
};

struct fiolog_writer *fiolog_writer_new(int fd, const struct trace_info *info, bool fio2,
					struct err *err)
{
	struct fiolog_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return (void)err_env(err, -ENOMEM, "no memory to write a log"), NULL;
	writer->fd = fd;
	writer->fio2 = fio2;
	writer->info = *info;
	writer->latency = info->kind != TRACE_BW && info->kind != TRACE_IOPS;
	return writer;
}

const char *fiolog_writer_loss(const struct trace_info *info, bool fio2)
{
	if (info->kind == TRACE_HIST)
		return "a histogram has no text form with a row per request";
	if (fio2)
		return N_("times below a millisecond, latencies below a microsecond, and "
			  "priorities");
	if (info->has_issue)
		return N_("issue times");
	return info->format == TRACE_BLOCKS ? N_("times below a millisecond") : NULL;
}

static char *put_number(char *p, uint64_t number, const char *behind)
{
	char digits[20];
	unsigned count = 0;

	do
		digits[count++] = (char)('0' + number % 10);
	while (number /= 10);
	while (count)
		*p++ = digits[--count];
	while (*behind)
		*p++ = *behind++;
	return p;
}

static char *put_row(const struct fiolog_writer *writer, char *p, const struct sample *sample)
{
	uint64_t value = sample->value;

	if (writer->fio2 && writer->latency)
		value /= NS_PER_US;
	p = put_number(p, sample->time_ns / NS_PER_MS, ", ");
	p = put_number(p, value, ", ");
	if (writer->info.has_max)
		p = put_number(p, sample->extra, ", ");
	p = put_number(p, sample->op, ", ");
	p = put_number(p, sample->length, "");
	if (writer->info.has_offset && !writer->fio2)
		p = put_number(p + snprintf(p, 3, ", "),
			       sample->flags & SAMPLE_OFFSET ? sample->extra : 0, "");
	if (!writer->fio2 && writer->info.prio_hex)
		p += snprintf(p, 16, ", 0x%04x", sample->prio);
	else if (!writer->fio2)
		p = put_number(p + snprintf(p, 3, ", "), sample->prio, "");
	*p++ = '\n';
	return p;
}

static int flush(struct fiolog_writer *writer, struct err *err)
{
	int rc = trace_write(writer->fd, writer->text, writer->used, err);

	writer->used = 0;
	return rc;
}

int fiolog_writer_add(struct fiolog_writer *writer, const struct sample *samples,
		      unsigned count, struct err *err)
{
	for (unsigned i = 0; i < count; i++) {
		char *p = writer->text + writer->used;

		if (samples[i].flags & SAMPLE_COUNT)
			return err_input(err, "a histogram has no text form with a row per "
					      "request");
		writer->used = (size_t)(put_row(writer, p, &samples[i]) - writer->text);
		if (writer->used > TEXT_BYTES - ROW_TEXT_MAX) {
			int rc = flush(writer, err);

			if (rc)
				return rc;
		}
	}
	return 0;
}

int fiolog_writer_add_issued(struct fiolog_writer *writer, const struct sample *sample,
			     uint64_t issue_ns, struct err *err)
{
	char *begin = writer->text + writer->used, *p = put_row(writer, begin, sample) - 1;

	*p++ = ',';
	*p++ = ' ';
	p = put_number(p, issue_ns, "\n");
	writer->used = (size_t)(p - writer->text);
	return writer->used > TEXT_BYTES - ROW_TEXT_MAX ? flush(writer, err) : 0;
}

int fiolog_writer_end(struct fiolog_writer *writer, struct err *err)
{
	return flush(writer, err);
}

void fiolog_writer_free(struct fiolog_writer *writer)
{
	free(writer);
}
