#include "report/facts_page.h"

#include "base/bits.h"
#include "base/lang.h"
#include "report/figures.h"

#define FACTS_MAX 64 /* lines; what lies beyond is counted in words */

struct lines {
	struct fact fact[FACTS_MAX];
	unsigned count;
};

static void add_line(struct lines *lines, const char *name, const char *value)
{
	if (lines->count < FACTS_MAX)
		lines->fact[lines->count++] = (struct fact){name, value};
}

/* ", text" where there is one. */
static void add_piece(struct document *doc, struct str *out, const char *before,
		      const char *text)
{
	if (text && *text)
		str_printf(out, "%s%s%s", out->length ? ", " : "",
			   lang_text(doc->style.lang, before),
			   lang_text(doc->style.lang, text));
}

const char *facts_page_device(struct document *doc, const struct device *device)
{
	autostr text = {0};

	if (*device->model)
		str_printf(&text, "%s (%s)", device->model, device->name);
	else
		str_add(&text, device->name);
	if (device->size_bytes)
		add_piece(doc, &text, "", figure_decimal(doc, device->size_bytes));
	add_piece(doc, &text, "", device->rotational == ANSWER_YES ? N_("rotating") : NULL);
	add_piece(doc, &text, "", device->link.text);
	add_piece(doc, &text, N_("firmware "), device->firmware);
	add_piece(doc, &text, N_("serial "), device->serial);
	add_piece(doc, &text, N_("scheduler "), device->scheduler);
	return document_text(doc, "%s", str_text(&text));
}

static const char *target_text(struct document *doc, const struct target_facts *target)
{
	autostr text = {0};

	if (!target->path)
		return lang_text(doc->style.lang, N_("none (null engine)"));
	add_piece(doc, &text, "", target->path);
	add_piece(doc, &text, "", target->kind);
	if (target->size_bytes)
		add_piece(doc, &text, "", figure_size(doc, target->size_bytes));
	add_piece(doc, &text, "",
		  target->direct ? N_("direct I/O") : N_("through the page cache"));
	add_piece(doc, &text, N_("through "), target->via);
	if (target->simulated && target->simulated->scale > 1)
		add_piece(doc, &text, "",
			  document_text(doc,
					"scale=%llu: one part in %llu of the capacity, rates "
					"unchanged",
					(unsigned long long)target->simulated->scale,
					(unsigned long long)target->simulated->scale));
	return document_text(doc, "%s", str_text(&text));
}

/* What the drive's own log says after the run. */
static const char *simulated_text(struct document *doc, const struct simulated_facts *drive)
{
	autostr text = {0};

	document_add(doc, &text, "%s read", figure_decimal(doc, drive->host_read_bytes));
	document_add(doc, &text, ", %s written",
		     figure_decimal(doc, drive->host_written_bytes));
	if (drive->nand_written_bytes != drive->host_written_bytes || drive->erases)
		document_add(doc, &text, ", %s to flash, %.2f %% of its life used",
			     figure_decimal(doc, drive->nand_written_bytes),
			     (double)drive->used_ppm / 1e4);
	if (drive->media_errors)
		document_add(doc, &text,
			     PLURAL(drive->media_errors, ", %llu uncorrectable read",
				    ", %llu uncorrectable reads"),
			     (unsigned long long)drive->media_errors);
	if (drive->temperature_mc)
		document_add(doc, &text, ", %.0f C at the end",
			     (double)drive->temperature_mc / 1e3);
	return document_text(doc, "%s", str_text(&text));
}

static const char *file_system_text(struct document *doc, const struct filesystem *fs)
{
	return document_text(doc, "%s on %s (%s), %s of %s free", fs->type, fs->mount_point,
			     fs->options, figure_size(doc, fs->free_bytes),
			     figure_size(doc, fs->size_bytes));
}

static bool same_file_system(const struct filesystem *a, const struct filesystem *b)
{
	return a && b && a->major == b->major && a->minor == b->minor &&
	       str_equal(a->mount_point, b->mount_point);
}

static void add_targets(struct document *doc, const struct run_facts *facts,
			struct lines *lines)
{
	const unsigned shown = 8;

	for (unsigned i = 0; i < facts->ntargets && i < shown; i++) {
		const struct simulated_facts *drive = facts->targets[i].simulated;

		add_line(lines, N_("target"), target_text(doc, &facts->targets[i]));
		if (drive)
			add_line(lines, N_("drive's log"), simulated_text(doc, drive));
	}
	if (facts->ntargets > shown)
		add_line(lines, "", document_text(doc, "and %u more", facts->ntargets - shown));
	for (unsigned i = 0; i < facts->ntargets; i++) {
		const struct filesystem *fs = facts->targets[i].fs;
		bool known = !fs;

		for (unsigned k = 0; k < i; k++)
			known |= same_file_system(fs, facts->targets[k].fs);
		if (!known)
			add_line(lines, N_("file system"), file_system_text(doc, fs));
	}
	for (unsigned i = 0; i < facts->ndevices; i++)
		add_line(lines, N_("device"),
			 facts_page_device(doc, &facts->devices[i].device));
}

static void add_host(struct document *doc, const struct run_facts *facts, struct lines *lines)
{
	const struct host *host = &facts->host;
	autostr machine = {0}, system = {0};

	if (!facts->has_host)
		return;
	add_piece(doc, &machine, "", host->cpu_model);
	if (host->cpus_online)
		add_piece(doc, &machine, "", document_text(doc, "%u CPUs", host->cpus_online));
	if (host->memory_bytes)
		add_piece(doc, &machine, "",
			  document_text(doc, "%s of memory",
					figure_size(doc, host->memory_bytes)));
	if (str_equal(host->hypervisor, HOST_HYPERVISOR_UNNAMED))
		add_piece(doc, &machine, "",
			  N_("virtual machine (the hypervisor does not say which)"));
	else
		add_piece(doc, &machine, N_("virtual machine under "), host->hypervisor);
	add_piece(doc, &machine, N_("governor "), host->governor);
	add_piece(doc, &system, "", host->os);
	add_piece(doc, &system, N_("Linux "), host->kernel);
	add_line(lines, N_("machine"), document_text(doc, "%s", str_text(&machine)));
	add_line(lines, N_("system"), document_text(doc, "%s", str_text(&system)));
}

void facts_page(struct document *doc, const struct result *result, const struct fact *more,
		unsigned nmore)
{
	struct lines lines = {0};

	if (result) {
		add_targets(doc, &result->facts, &lines);
		add_host(doc, &result->facts, &lines);
		add_line(&lines, N_("started"), figure_when(doc, result->wall_start_ns));
	}
	for (unsigned i = 0; i < nmore; i++)
		add_line(&lines, more[i].name, more[i].value);
	document_facts(doc, lines.fact, lines.count);
}

static void device_row(struct document *doc, struct table *table,
		       const struct device_facts *facts, uint64_t span_ns)
{
	const struct device_counters *before = &facts->before, *after = &facts->after;

	table_cell(doc, table, "%s", facts->device.name);
	table_cell(doc, table, "%s", figure_count(doc, after->read.ios - before->read.ios));
	table_cell(doc, table, "%s",
		   figure_mb(doc, (double)(after->read.bytes - before->read.bytes)));
	table_cell(doc, table, "%s", figure_count(doc, after->write.ios - before->write.ios));
	table_cell(doc, table, "%s",
		   figure_mb(doc, (double)(after->write.bytes - before->write.bytes)));
	table_cell(doc, table, "%s", figure_count(doc, after->flush_ios - before->flush_ios));
	table_cell(doc, table, "%s",
		   span_ns ? figure_plain(doc, (double)(after->queue_ms - before->queue_ms) *
						       (double)NS_PER_MS / (double)span_ns)
			   : "–");
}

void facts_page_devices(struct document *doc, const struct result *result)
{
	static const char *const heads[] = {
		N_("counted by"), N_("reads"),	 N_("MB read"),	       N_("writes"),
		N_("MB written"), N_("flushes"), N_("mean in flight"), NULL};
	const struct run_facts *facts = &result->facts;
	struct table table;
	bool any = false;

	table_init(&table, heads);
	table_cell(doc, &table, "%s", N_("asked"));
	table_cell(doc, &table, "%s", figure_count(doc, facts->asked_ios[DIR_READ]));
	table_cell(doc, &table, "%s", figure_mb(doc, (double)facts->asked_bytes[DIR_READ]));
	table_cell(doc, &table, "%s", figure_count(doc, facts->asked_ios[DIR_WRITE]));
	table_cell(doc, &table, "%s", figure_mb(doc, (double)facts->asked_bytes[DIR_WRITE]));
	table_cell(doc, &table, "%s", figure_count(doc, facts->asked_ios[DIR_SYNC]));
	table_cell(doc, &table, "%s", "");
	for (unsigned i = 0; i < facts->ndevices; i++) {
		const struct device_facts *device = &facts->devices[i];
		uint64_t span = device->after.at_ns - device->before.at_ns;

		if (!device->has_counters)
			continue;
		any = true;
		device_row(doc, &table, device, span);
	}
	if (any)
		document_table(doc, &table);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? str_equal(a, b) : a == b;
}

/* Values that move by nature (load, temperature) differ without a reason. */
static bool differs(const struct environment_entry *entry)
{
	return !entry->moves && !same_text(entry->before, entry->after);
}

static void environment_row(struct document *doc, struct table *table,
			    const struct environment_entry *entry)
{
	bool same = entry->before && same_text(entry->before, entry->after);

	table_cell(doc, table, "%s", entry->name);
	table_cell(doc, table, "%s", entry->of);
	table_cell(doc, table, "%s", entry->before ? entry->before : N_("unknown"));
	table_cell(doc, table, "%s",
		   same		  ? N_("the same")
		   : entry->after ? entry->after
				  : N_("unknown"));
}

void facts_page_environment(struct document *doc, const struct environment *environment)
{
	static const char *const heads[] = {N_("environment"), N_("of"), N_("before"),
					    N_("after"), NULL};
	unsigned changed = 0;
	struct table table;

	for (unsigned i = 0; i < environment->count; i++)
		changed += differs(&environment->entries[i]);
	if (environment->count)
		document_heading(doc, 2, "environment");
	if (changed)
		document_prose(
			doc, TONE_WARNING,
			PLURAL(changed,
			       "%u value differs between before and after: it stands first",
			       "%u values differ between before and after: they stand first"),
			changed);
	table_init(&table, heads);
	for (int first = 1; first >= 0; first--)
		for (unsigned i = 0; i < environment->count; i++)
			if (differs(&environment->entries[i]) == (first == 1))
				environment_row(doc, &table, &environment->entries[i]);
	document_table(doc, &table);
}
