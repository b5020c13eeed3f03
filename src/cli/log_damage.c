/* What is said of a log that is not as it was written. */
#include "base/lang.h"
#include "cli/log_priv.h"

static void add_rows(const struct trace_damage *damage, struct str *out)
{
	unsigned long long rows = damage->rows;

	if (damage->rows_known)
		str_printf(out, N_("%llu rows are lost"), rows);
	else if (rows)
		str_printf(out, N_("at least %llu rows are lost"), rows);
	else
		str_add(out, N_("rows are lost, and how many is not known"));
}

static void add_damage(const char *path, const struct trace_damage *damage, struct str *out)
{
	double from_s = (double)damage->from_ns / 1e9, to_s = (double)damage->to_ns / 1e9;
	unsigned long long at = damage->at, bytes = damage->bytes;
	autostr rows = {0};

	add_rows(damage, &rows);
	if (!bytes)
		str_printf(out, N_("%s: the log breaks off at byte %llu: %s, after %.6f s"),
			   path, at, str_text(&rows), from_s);
	else if (damage->to_ns == UINT64_MAX)
		str_printf(out,
			   N_("%s: %llu bytes from byte %llu on are damaged: %s, after "
			      "%.6f s"),
			   path, bytes, at, str_text(&rows), from_s);
	else
		str_printf(out,
			   N_("%s: %llu bytes from byte %llu on are damaged: %s, between "
			      "%.6f s and %.6f s"),
			   path, bytes, at, str_text(&rows), from_s, to_s);
}

void log_each_damage(const struct trace_reader *reader,
		     void (*say)(void *context, const char *text), void *context)
{
	const struct trace_counts *counts = trace_counts(reader);
	const char *path = trace_path(reader);
	autostr text = {0};

	for (unsigned i = 0; i < counts->ndamages; i++) {
		str_clear(&text);
		add_damage(path, &counts->damage[i], &text);
		say(context, str_text(&text));
	}
	str_clear(&text);
	if (counts->stray_bytes) {
		str_printf(&text, N_("%s: %llu bytes from byte %llu on belong to no block"),
			   path, (unsigned long long)counts->stray_bytes,
			   (unsigned long long)counts->first_stray_at);
		say(context, str_text(&text));
	}
	str_clear(&text);
	if (counts->cut_stream) {
		str_printf(
			&text,
			N_("%s: the packed data breaks off: rows behind it are lost, and how "
			   "many is not known"),
			path);
		say(context, str_text(&text));
	}
}
