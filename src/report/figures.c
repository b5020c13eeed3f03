#include "report/figures.h"

#include <time.h>

#include "base/bits.h"
#include "base/quantity.h"

#define ABSENT "–"

struct lat_unit figure_lat_unit(uint64_t typical_ns)
{
	static const struct lat_unit us = {"us", NS_PER_US}, ms = {"ms", NS_PER_MS};

	return typical_ns >= 10 * NS_PER_MS ? ms : us;
}

const char *figure_plain(struct document *doc, double value)
{
	autostr text = {0};

	quantity_plain(value, &text);
	return document_text(doc, "%s", str_text(&text));
}

const char *figure_mb(struct document *doc, double bytes)
{
	return figure_plain(doc, bytes / 1e6);
}

static const char *quantity(struct document *doc, void (*format)(uint64_t, struct str *),
			    uint64_t value)
{
	autostr text = {0};

	format(value, &text);
	return document_text(doc, "%s", str_text(&text));
}

const char *figure_count(struct document *doc, uint64_t count)
{
	return quantity(doc, quantity_count, count);
}

const char *figure_time(struct document *doc, uint64_t ns)
{
	return quantity(doc, quantity_time, ns);
}

const char *figure_size(struct document *doc, uint64_t bytes)
{
	return quantity(doc, quantity_size, bytes);
}

const char *figure_decimal(struct document *doc, uint64_t bytes)
{
	return quantity(doc, quantity_decimal, bytes);
}

const char *figure_rate(struct document *doc, double bytes_per_s)
{
	autostr text = {0};

	quantity_rate(bytes_per_s, &text);
	return document_text(doc, "%s", str_text(&text));
}

static const char *in_unit(struct document *doc, double ns, struct lat_unit unit)
{
	return figure_plain(doc, ns / (double)unit.ns);
}

const char *figure_mean(struct document *doc, const struct lat *lat, struct lat_unit unit)
{
	if (!lat->sums.total)
		return ABSENT;
	return in_unit(doc, hist_sums_mean_ns(&lat->sums), unit);
}

const char *figure_max(struct document *doc, const struct lat *lat, struct lat_unit unit)
{
	if (!lat->sums.total)
		return ABSENT;
	return in_unit(doc, (double)lat->sums.max_ns, unit);
}

const char *figure_percentile(struct document *doc, const struct lat *lat, double percent,
			      struct lat_unit unit)
{
	uint64_t ns;

	if ((!lat->hist && !lat->ntold) || !lat->sums.total)
		return ABSENT;
	if (!figure_percentile_ns(lat, percent, &ns))
		return document_text(doc, "– (needs %llu)",
				     (unsigned long long)hist_needs(percent));
	return in_unit(doc, (double)ns, unit);
}

const char *figure_dir(struct document *doc, enum dir dir)
{
	return lang_text(doc->style.lang, figure_dir_names[dir]);
}

const char *figure_when(struct document *doc, uint64_t unix_ns)
{
	time_t seconds = (time_t)(unix_ns / NS_PER_S);
	struct tm utc;
	char text[40];

	if (!unix_ns || !gmtime_r(&seconds, &utc) ||
	    !strftime(text, sizeof(text),
		      lang_text(doc->style.lang, N_("%Y-%m-%d %H:%M:%S UTC")), &utc))
		return NULL;
	return document_text(doc, "%s", text);
}
