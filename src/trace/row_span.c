#include "trace/row_span.h"

#include "base/bits.h"

void row_span_init(struct row_span *span, const struct trace_info *info)
{
	*span = (struct row_span){
		.usual_ns = info->window_ns, .start_ns = info->start_ns, .epoch = info->epoch};
}

/* After rows that were left out, one goes back for as long as rows usually do. The first begins
 * with its job. */
static uint64_t begin_of(const struct row_span *span, uint64_t before, uint64_t end)
{
	bool knows_before = before && before < end;

	if (!knows_before && !span->epoch) {
		before = min_u64(span->start_ns, end);
		knows_before = true;
	}
	if (!span->usual_ns)
		return knows_before ? before : end - 1;
	if (knows_before && end - before < span->usual_ns + span->usual_ns / 2)
		return before;
	return end - min_u64(end, span->usual_ns);
}

uint64_t row_span_begin_ns(struct row_span *span, const struct sample *sample)
{
	uint64_t end = sample->time_ns, before = span->end_ns[sample->op];

	if (end != before) { /* the first sample of a row */
		if (!span->usual_ns && before && before < end)
			span->usual_ns = end - before;
		span->begin_ns[sample->op] = begin_of(span, before, end);
		span->end_ns[sample->op] = end;
	}
	return span->begin_ns[sample->op];
}

uint64_t row_span_middle_ns(struct row_span *span, const struct sample *sample)
{
	uint64_t begin = row_span_begin_ns(span, sample);

	return begin + (sample->time_ns - begin) / 2;
}
