/* The kinds that are lists and sets: patterns, CPUs, nodes, memory, errors, engines. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/lang.h"
#include "base/str.h"
#include "base/unit.h"
#include "job/options_priv.h"

/* --- patterns --- */

#define PATTERN_MAX_BYTES 65536

static unsigned hex_digit(char c)
{
	return isdigit((unsigned char)c) ? (unsigned)(c - '0')
					 : (unsigned)(tolower((unsigned char)c) - 'a' + 10);
}

/* 0xHEX: the bytes in the order written; with an odd number of digits the first stands alone. */
static int pattern_hex(struct reading *r, const char **p, struct str *bytes)
{
	const char *start = *p + 2, *end = start;
	size_t n;

	while (isxdigit((unsigned char)*end))
		end++;
	n = (size_t)(end - start);
	if (!n)
		return err_input(r->err, "\"%s\": digits must follow 0x", *p);
	if (n & 1)
		str_add_char(bytes, (char)hex_digit(*start++));
	for (; start < end; start += 2)
		str_add_char(bytes, (char)(hex_digit(start[0]) << 4 | hex_digit(start[1])));
	*p = end;
	return 0;
}

/* A decimal number: its bytes, lowest first, as many as it needs. */
static int pattern_decimal(struct reading *r, const char **p, struct str *bytes)
{
	long long value;
	uint32_t left;
	char *end;

	errno = 0;
	value = strtoll(*p, &end, 10);
	if (errno || value > UINT32_MAX || value < INT32_MIN)
		return err_input(r->err, "\"%s\": the number must fit in 32 bits", *p);
	left = (uint32_t)value;
	do {
		str_add_char(bytes, (char)(left & 255));
		left >>= 8;
	} while (left);
	*p = end;
	return 0;
}

/* "text" with \" inside. */
static int pattern_text(struct reading *r, const char **p, struct str *bytes)
{
	const char *at = *p + 1;

	for (; *at && *at != '"'; at++) {
		if (at[0] == '\\' && (at[1] == '"' || at[1] == '\\'))
			at++;
		str_add_char(bytes, *at);
	}
	if (!*at)
		return err_input(r->err, "%s: the closing quotation mark is missing", *p);
	*p = at + 1;
	return 0;
}

static int pattern_file(struct reading *r, const char **p, struct str *bytes)
{
	const char *start = *p + 1, *end = strchr(start, '\'');
	const char *path;
	int rc;

	if (!end)
		return err_input(r->err, "%s: the closing ' of the file name is missing", *p);
	path = arena_strndup(&r->set->arena, start, (size_t)(end - start));
	rc = file_read(path, PATTERN_MAX_BYTES, bytes);
	if (rc)
		return err_input(r->err, "file '%s' of the pattern: %s", path, err_name(rc));
	*p = end + 1;
	return 0;
}

static int pattern_piece(struct reading *r, const char **p, struct str *bytes)
{
	const char *at = *p;

	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		return pattern_hex(r, p, bytes);
	if (isdigit((unsigned char)at[0]) || (at[0] == '-' && isdigit((unsigned char)at[1])))
		return pattern_decimal(r, p, bytes);
	if (at[0] == '"')
		return pattern_text(r, p, bytes);
	if (at[0] == '\'')
		return pattern_file(r, p, bytes);
	if (at[0] == '%')
		return err_input(r->err,
				 "\"%s\": block offsets in patterns are for verify only", at);
	return err_input(r->err, "\"%s\" is not a pattern: 0xHEX, a number, \"text\" or 'file'",
			 at);
}

int kind_pattern_parse(struct reading *r, const char *text, void *field)
{
	struct pattern pattern = {0};
	autostr bytes = {0};

	for (const char *p = text; *p;) {
		int rc = pattern_piece(r, &p, &bytes);

		if (rc)
			return rc;
	}
	if (!bytes.length)
		return err_input(r->err, "%s is an empty pattern", text);
	if (bytes.length > PATTERN_MAX_BYTES)
		return err_input(r->err, "the pattern is longer than %u bytes",
				 PATTERN_MAX_BYTES);
	pattern.count = (uint32_t)bytes.length;
	pattern.bytes = arena_array(&r->set->arena, uint8_t, bytes.length);
	memcpy(pattern.bytes, bytes.text, bytes.length);
	*(struct pattern *)field = pattern;
	return 0;
}

void kind_pattern_format(const struct opt *opt, const struct job_spec *spec, const void *field,
			 struct str *out)
{
	const struct pattern *pattern = field;

	(void)opt, (void)spec;
	for (uint32_t i = 0; i < pattern->count; i++)
		str_printf(out, "%s%02x", i ? "" : "0x", pattern->bytes[i]);
}

/* --- CPUs and nodes --- */

static void cpu_add(struct cpu_list *list, unsigned cpu)
{
	uint64_t bit = 1ULL << (cpu % 64), *word = &list->bit[cpu / 64];

	list->count += !(*word & bit);
	*word |= bit;
}

static bool cpu_has(const struct cpu_list *list, unsigned cpu)
{
	return list->bit[cpu / 64] >> (cpu % 64) & 1;
}

static int cpu_number(struct reading *r, const char *text, unsigned *ret_cpu)
{
	uint64_t cpu = 0;
	int rc = unit_parse_count(text, &cpu, r->err);

	if (!rc && cpu >= CPUS_MAX)
		rc = err_input(r->err, "\"%s\" is too large: at most %d", text, CPUS_MAX - 1);
	*ret_cpu = (unsigned)cpu;
	return rc;
}

static int cpus_read(struct reading *r, const char *text, struct cpu_list *ret_list)
{
	const char *separators = r->face == FACE_FIO ? ",:" : ",";
	struct cpu_list list = {0};
	const char *parts[CPUS_MAX], *ends[2];
	unsigned count = kind_split(r, text, separators, parts, CPUS_MAX);

	if (count > CPUS_MAX)
		return kind_too_many(r, text, CPUS_MAX, "places");
	for (unsigned i = 0; i < count; i++) {
		unsigned first = 0, last, nends = kind_split(r, parts[i], "-", ends, 2);
		int rc = nends > 2 ? err_input(r->err, "\"%s\" is not a range", parts[i])
				   : cpu_number(r, ends[0], &first);

		last = first;
		if (!rc && nends == 2)
			rc = cpu_number(r, ends[1], &last);
		if (!rc && last < first)
			rc = err_input(r->err, "\"%s\" is upside down", parts[i]);
		if (rc)
			return rc;
		for (unsigned cpu = first; cpu <= last; cpu++)
			cpu_add(&list, cpu);
	}
	*ret_list = list;
	return 0;
}

int kind_cpus_parse(struct reading *r, const char *text, void *field)
{
	return cpus_read(r, text, field);
}

static void cpus_format(const struct cpu_list *list, struct str *out)
{
	bool first = true;

	for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++) {
		unsigned last = cpu;

		if (!cpu_has(list, cpu))
			continue;
		while (last + 1 < CPUS_MAX && cpu_has(list, last + 1))
			last++;
		str_printf(out, "%s%u", first ? "" : ",", cpu);
		if (last > cpu)
			str_printf(out, "-%u", last);
		first = false;
		cpu = last;
	}
}

void kind_cpus_format(const struct opt *opt, const struct job_spec *spec, const void *field,
		      struct str *out)
{
	(void)opt, (void)spec;
	cpus_format(field, out);
}

/* Every node that there may be; which there are is known where the job runs. */
static int nodes_read(struct reading *r, const char *text, struct cpu_list *ret_list)
{
	if (strcmp(text, "all") != 0)
		return cpus_read(r, text, ret_list);
	memset(ret_list->bit, 0xff, sizeof(ret_list->bit));
	ret_list->count = CPUS_MAX;
	return 0;
}

static void nodes_format(const struct cpu_list *list, struct str *out)
{
	if (list->count == CPUS_MAX)
		str_add(out, "all");
	else
		cpus_format(list, out);
}

int kind_nodes_parse(struct reading *r, const char *text, void *field)
{
	return nodes_read(r, text, field);
}

void kind_nodes_format(const struct opt *opt, const struct job_spec *spec, const void *field,
		       struct str *out)
{
	(void)opt, (void)spec;
	nodes_format(field, out);
}

int kind_cpumask_parse(struct reading *r, const char *text, void *field)
{
	struct cpu_list list = {0};
	uint64_t mask = 0;
	int rc = unit_parse_count(text, &mask, r->err);

	if (!rc && !mask)
		rc = err_input(r->err, "\"%s\" allows no CPU", text);
	if (rc)
		return rc;
	list.bit[0] = mask;
	list.count = (unsigned)__builtin_popcountll(mask);
	*(struct cpu_list *)field = list;
	return 0;
}

/* The set is printed by cpus_allowed, which holds every set. */
void kind_cpumask_format(const struct opt *opt, const struct job_spec *spec, const void *field,
			 struct str *out)
{
	(void)opt, (void)spec, (void)field, (void)out;
}

static const struct opt_word numa_words[] = {
	{"default", NUMA_DEFAULT, NULL},       {"local", NUMA_LOCAL, NULL},
	{"prefer", NUMA_PREFER, NULL},	       {"bind", NUMA_BIND, NULL},
	{"interleave", NUMA_INTERLEAVE, NULL}, {NULL, 0, NULL},
};

int kind_numa_parse(struct reading *r, const char *text, void *field)
{
	const char *parts[2];
	unsigned count = kind_split(r, text, ":", parts, 2);
	const struct opt_word *word = kind_word(numa_words, parts[0]);
	struct cpu_list nodes = {0};
	int rc = 0;

	if (!word || count > 2)
		return err_input(r->err,
				 "\"%s\" is not one of: default local prefer:NODE "
				 "bind:LIST interleave:LIST",
				 text);
	if (word->value >= NUMA_PREFER && count == 1)
		return err_input(r->err, "\"%s\" needs its nodes (%s:0)", text, text);
	if (word->value < NUMA_PREFER && count == 2)
		return err_input(r->err, "\"%s\": %s takes no nodes", text, word->text);
	if (count == 2)
		rc = nodes_read(r, parts[1], &nodes);
	if (!rc && word->value == NUMA_PREFER && nodes.count != 1)
		rc = err_input(r->err, "\"%s\": prefer takes one node", text);
	if (rc)
		return rc;
	*(uint32_t *)field = word->value;
	r->spec->numa_mem_nodes = nodes;
	return 0;
}

void kind_numa_format(const struct opt *opt, const struct job_spec *spec, const void *field,
		      struct str *out)
{
	uint32_t policy = *(const uint32_t *)field;

	(void)opt;
	if (policy == NUMA_UNSET)
		return;
	str_add(out, kind_word_text(numa_words, policy));
	if (policy >= NUMA_PREFER) {
		str_add_char(out, ':');
		nodes_format(&spec->numa_mem_nodes, out);
	}
}

/* --- memory of the buffers --- */

static const struct opt_word mem_words[] = {
	{"malloc", MEM_MALLOC, NULL},
	{"shm", MEM_SHM, NULL},
	{"shmhuge", MEM_SHMHUGE, NULL},
	{"mmap", MEM_MMAP, NULL},
	{"mmaphuge", MEM_MMAPHUGE, NULL},
	{"mmapshared", MEM_MMAPSHARED, NULL},
	{NULL, 0, NULL},
};

int kind_mem_parse(struct reading *r, const char *text, void *field)
{
	const char *colon = strchrnul(text, ':'), *path = NULL;
	const char *name = arena_strndup(&r->set->arena, text, (size_t)(colon - text));
	const struct opt_word *word = kind_word(mem_words, name);

	if (str_equal(name, "cudamalloc"))
		return err_input(r->err,
				 "\"%s\": memory of a GPU is not built in; use malloc or "
				 "mmap",
				 text);
	if (!word)
		return err_input(r->err,
				 "\"%s\" is not one of: malloc shm shmhuge mmap mmaphuge "
				 "mmapshared",
				 text);
	if (*colon) {
		if (word->value < MEM_MMAP)
			return err_input(r->err,
					 "\"%s\": only mmap, mmaphuge and mmapshared take a "
					 "file",
					 text);
		if (!colon[1])
			return err_input(r->err, "\"%s\": the name of the file is missing",
					 text);
		path = arena_strdup(&r->set->arena, colon + 1);
	}
	*(uint32_t *)field = word->value;
	r->spec->mem_path = path;
	return 0;
}

void kind_mem_format(const struct opt *opt, const struct job_spec *spec, const void *field,
		     struct str *out)
{
	(void)opt;
	str_add(out, kind_word_text(mem_words, *(const uint32_t *)field));
	if (spec->mem_path)
		str_printf(out, ":%s", spec->mem_path);
}

/* --- errors --- */

#define ERRNO_LAST 133
#define ERRNOS_MAX 128

static int errno_parse(struct reading *r, const char *text, int *ret_code)
{
	uint64_t code = 0;
	int rc;

	for (int e = 1; e <= ERRNO_LAST; e++) {
		const char *name = strerrorname_np(e);

		if (name && str_equal(name, text)) {
			*ret_code = e;
			return 0;
		}
	}
	if (!isdigit((unsigned char)text[0]))
		return err_input(r->err, "\"%s\" is not the name of an error: write its number",
				 text);
	rc = unit_parse_count(text, &code, r->err);
	if (!rc && (!code || code > 4095))
		rc = err_input(r->err, "\"%s\" is not the number of an error", text);
	*ret_code = (int)code;
	return rc;
}

int kind_errnos_parse(struct reading *r, const char *text, void *field)
{
	struct errno_list lists[NDATA] = {{0}};
	const char *parts[NDATA], *names[ERRNOS_MAX];
	unsigned count = kind_split(r, text, ",", parts, NDATA);

	if (count > NDATA)
		return kind_too_many(r, text, NDATA, N_("lists (read,write,verify)"));
	for (unsigned i = 0; i < count; i++) {
		unsigned n = *parts[i] ? kind_split(r, parts[i], ":", names, ERRNOS_MAX) : 0;

		if (n > ERRNOS_MAX)
			return kind_too_many(r, parts[i], ERRNOS_MAX, "errors");
		lists[i].codes = arena_array(&r->set->arena, int, n ? n : 1);
		for (unsigned j = 0; j < n; j++) {
			int rc = errno_parse(r, names[j], &lists[i].codes[j]);

			if (rc)
				return rc;
		}
		lists[i].count = n;
	}
	memcpy(field, lists, sizeof(lists));
	return 0;
}

void kind_errnos_format(const struct opt *opt, const struct job_spec *spec, const void *field,
			struct str *out)
{
	const struct errno_list *lists = field;

	(void)opt, (void)spec;
	for (unsigned i = 0; i < NDATA; i++) {
		if (i)
			str_add_char(out, ',');
		for (unsigned j = 0; j < lists[i].count; j++) {
			const char *name = strerrorname_np(lists[i].codes[j]);

			if (j)
				str_add_char(out, ':');
			if (name)
				str_add(out, name);
			else
				str_printf(out, "%d", lists[i].codes[j]);
		}
	}
}

/* --- engines --- */

const char *const job_engine_names[] = {"io_uring", "libaio",  "psync", "sync",
					"pvsync",   "pvsync2", "vsync", "posixaio",
					"mmap",	    "null",    "sim",	NULL};

/* fio's other engines: known, so that the answer is precise. */
static const char *const foreign_engines[] = {
	"io_uring_cmd", "filecreate", "filestat",   "filedelete", "dircreate",	"dirstat",
	"dirdelete",	"cpuio",      "falloc",	    "ftruncate",  "splice",	"sg",
	"exec",		"net",	      "netsplice",  "rbd",	  "rados",	"rdma",
	"http",		"nbd",	      "nfs",	    "libiscsi",	  "gfapi",	"gfapi_async",
	"libhdfs",	"dfs",	      "ime_psync",  "ime_psyncv", "ime_aio",	"mtd",
	"e4defrag",	"libzbc",     "libpmem",    "pmemblk",	  "dev-dax",	"libblkio",
	"xnvme",	"libcufile",  "libhipfile", "page_fault", "windowsaio", "solarisaio",
	"external",
};

static int engine_unknown(struct reading *r, const char *text)
{
	const char *near = NULL;
	unsigned best = 3;
	autostr all = {0};

	for (unsigned i = 0; job_engine_names[i]; i++) {
		unsigned distance = str_distance(text, job_engine_names[i]);

		if (distance < best) {
			best = distance;
			near = job_engine_names[i];
		}
		str_printf(&all, "%s%s", i ? " " : "", job_engine_names[i]);
	}
	if (near)
		return err_input(r->err, "unknown engine \"%s\": did you mean \"%s\"?", text,
				 near);
	return err_input(r->err, "unknown engine \"%s\": choose one of %s", text,
			 str_text(&all));
}

int kind_engine_parse(struct reading *r, const char *text, void *field)
{
	for (unsigned i = 0; job_engine_names[i]; i++)
		if (str_equal(text, job_engine_names[i])) {
			*(const char **)field = job_engine_names[i];
			return 0;
		}
	for (unsigned i = 0; i < ARRAY_SIZE(foreign_engines); i++)
		if (str_equal(text, foreign_engines[i]) || str_starts(text, "external:"))
			return err_input(r->err, "engine %s is not built in", text);
	return engine_unknown(r, text);
}

void kind_engine_format(const struct opt *opt, const struct job_spec *spec, const void *field,
			struct str *out)
{
	const char *name = *(const char *const *)field;

	(void)opt, (void)spec;
	str_add(out, name ? name : "");
}
