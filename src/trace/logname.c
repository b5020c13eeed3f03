#include "trace/logname.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/str.h"

static const char *const kind_names[TRACE_KINDS] = {
	[TRACE_UNKNOWN] = "unknown", [TRACE_LAT] = "lat", [TRACE_SLAT] = "slat",
	[TRACE_CLAT] = "clat",	     [TRACE_BW] = "bw",	  [TRACE_IOPS] = "iops",
	[TRACE_HIST] = "hist",
};

const char *trace_kind_name(enum trace_kind kind)
{
	return kind_names[kind];
}

enum trace_kind trace_kind_find(const char *word)
{
	for (enum trace_kind kind = TRACE_LAT; kind < TRACE_KINDS; kind++)
		if (str_equal(word, kind_names[kind]))
			return kind;
	return TRACE_UNKNOWN;
}

static void cut_packing(char *name)
{
	static const char *const suffixes[] = {".gz", ".zst", ".fz"};

	for (unsigned i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (str_ends(name, suffixes[i])) {
			name[strlen(name) - strlen(suffixes[i])] = '\0';
			return;
		}
}

/* ".12" at the end becomes 12. */
static unsigned take_number(char *name)
{
	char *dot = strrchr(name, '.');
	unsigned number = 0;

	if (!dot || !dot[1] || strspn(dot + 1, "0123456789") != strlen(dot + 1) ||
	    strlen(dot + 1) > 6)
		return 0;
	for (const char *p = dot + 1; *p; p++)
		number = number * 10 + (unsigned)(*p - '0');
	*dot = '\0';
	return number;
}

static enum trace_kind take_kind(char *name)
{
	char *mark = strrchr(name, '_');
	enum trace_kind kind;

	if (!mark)
		return TRACE_UNKNOWN;
	kind = trace_kind_find(mark + 1);
	if (kind == TRACE_UNKNOWN)
		return kind;
	*mark = '\0';
	if (kind == TRACE_HIST && str_ends(name, "_clat"))
		name[strlen(name) - strlen("_clat")] = '\0';
	return kind;
}

void logname_parse(const char *path, struct logname *ret_name)
{
	static const char *const aggregates[] = {"agg-read", "agg-write", "agg-trim"};
	const char *slash = strrchr(path, '/');
	char name[256], *log;

	*ret_name = (struct logname){.aggregate_op = -1};
	(void)snprintf(name, sizeof(name), "%s", slash ? slash + 1 : path);
	cut_packing(name);
	log = strstr(name, ".log");
	while (log && log[4] != '\0' && log[4] != '.')
		log = strstr(log + 1, ".log");
	if (log) {
		(void)snprintf(ret_name->host, LOGNAME_MAX, "%s", log[4] ? log + 5 : "");
		cut_packing(ret_name->host);
		*log = '\0';
	}
	ret_name->job = take_number(name);
	ret_name->kind = take_kind(name);
	(void)snprintf(ret_name->prefix, LOGNAME_MAX, "%.*s", LOGNAME_MAX - 1, name);
	for (unsigned i = 0; i < ARRAY_SIZE(aggregates); i++)
		if (str_equal(name, aggregates[i]) && ret_name->kind == TRACE_BW)
			ret_name->aggregate_op = (int)i;
}
