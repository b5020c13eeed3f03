/* What the drives of a plan said of themselves: around it all, and as a reviewer asks for it. */
#include "base/lang.h"
#include "cli/plan_page_priv.h"
#include "report/health_page.h"
#include "result/health_lines.h"

/* From before the first step to after the last one, each drive of a target. */
void plan_health(struct document *doc, const struct plan_view *view, unsigned target)
{
	struct health_facts *all = NULL;
	unsigned count = 0;

	for (unsigned i = 0; i < view->journal->count; i++) {
		const struct plan_entry *entry = &view->journal->entries[i];

		if (entry->task.target != target || !entry->nhealth)
			continue;
		if (!all) {
			count = entry->nhealth;
			all = health_facts_copy(&doc->arena, entry->health, count);
		}
		for (unsigned k = 0; k < count && k < entry->nhealth; k++) {
			if (!all[k].before.at_unix_ns) /* it began with a snapshot */
				all[k].before = entry->health[k].after;
			all[k].after = entry->health[k].after;
		}
	}
	health_page(doc, all, count);
}

/* Adds what grew of the first drive while an entry was done; what is not known adds nothing. */
static void add_growth(const struct plan_entry *entry, struct health *sum)
{
	struct health grown;
	bool both;

	if (!entry->nhealth || !entry->health->before.at_unix_ns ||
	    !entry->health->after.at_unix_ns)
		return;
	health_difference(&entry->health->before, &entry->health->after, &grown);
	/* Of a quotient both or none. */
	both = health_knows(&grown, HEALTH_HOST_WRITTEN_BYTES) &&
	       health_knows(&grown, HEALTH_NAND_WRITTEN_BYTES);
	for (unsigned f = 0; f < NHEALTH; f++) {
		bool written = f == HEALTH_HOST_WRITTEN_BYTES || f == HEALTH_NAND_WRITTEN_BYTES;

		if (!health_fields[f].counts || !health_knows(&grown, (enum health_field)f) ||
		    (written && !both))
			continue;
		if (!health_knows(sum, (enum health_field)f))
			sum->value[f] = 0;
		sum->value[f] += grown.value[f];
	}
}

static void step_growth(const struct plan_lane *lane, unsigned step, struct health *ret_grown)
{
	const struct plan_entry *entry;
	unsigned from = 0;

	health_init(ret_grown, "");
	while ((entry = plan_entry_next(lane, step, &from)))
		add_growth(entry, ret_grown);
}

/* --- write amplification --- */

void plan_amplification(struct document *doc, const struct plan_view *view,
			const struct plan_lane *lane, struct table *table)
{
	const struct plan_task task = {.target = lane->target, .repetition = lane->repetition};
	double least = 0, most = 0;
	unsigned place = 0;

	for (unsigned s = 0; s < lane->plan->nsteps; s++) {
		struct health grown;
		double value;

		step_growth(lane, s, &grown);
		value = health_write_amplification(&grown);
		if (!(value > 0))
			continue;
		least = most > 0 && least < value ? least : value;
		place = value > most ? s : place;
		most = value > most ? value : most;
	}
	table_cell(doc, table, "%swrite amplification", plan_lane_words(doc, view, &task));
	if (!(most > 0)) {
		table_cell(doc, table,
			   "not available: the drive does not tell what it writes to flash");
		table_cell(doc, table, "%s", "");
		return;
	}
	table_cell(doc, table, "%.2f to %.2f, by step", least, most);
	table_cell(doc, table, "%s", lane->plan->steps[place].name);
	table_link(doc, table, &(struct table_link){.graph = plan_step_id(doc, lane, place)});
}

/* --- complaints --- */

static const enum health_field complaints[] = {HEALTH_MEDIA_ERRORS,	HEALTH_REALLOCATED,
					       HEALTH_LINK_ERRORS,	HEALTH_HOT_MINUTES,
					       HEALTH_CRITICAL_MINUTES, HEALTH_THROTTLED_NS};

/* Errors that the drive counted, and heat: whatever its answers to requests were. */
void plan_complaints(struct document *doc, const struct plan_view *view,
		     const struct plan_lane *lane, struct table *table)
{
	const struct plan_task task = {.target = lane->target, .repetition = lane->repetition};
	struct health all;
	autostr found = {0};
	unsigned known = 0;
	int place = -1;

	health_init(&all, "");
	for (unsigned i = 0; i < lane->journal->count; i++) {
		const struct plan_entry *entry = &lane->journal->entries[i];

		if (entry->task.target != lane->target ||
		    entry->task.repetition != lane->repetition)
			continue;
		add_growth(entry, &all);
		for (unsigned k = 0; k < ARRAY_SIZE(complaints) && place < 0; k++)
			if (all.value[complaints[k]] > 0)
				place = (int)entry->task.step;
	}
	for (unsigned k = 0; k < ARRAY_SIZE(complaints); k++) {
		enum health_field field = complaints[k];
		char text[64];

		known += health_knows(&all, field);
		if (!health_knows(&all, field) || !all.value[field])
			continue;
		health_format(field, all.value[field], text, sizeof(text));
		str_printf(&found, "%s%s %s", found.length ? ", " : "",
			   health_fields[field].title, text);
	}
	table_cell(doc, table, "%serrors and heat, as the drive counts them",
		   plan_lane_words(doc, view, &task));
	table_cell(doc, table, "%s",
		   found.length ? str_text(&found)
		   : known	? N_("none")
				: N_("not available: the drive tells none of it"));
	table_cell(doc, table, "%s", place >= 0 ? lane->plan->steps[place].name : "");
	if (place >= 0)
		table_link(doc, table,
			   &(struct table_link){
				   .graph = plan_step_id(doc, lane, (unsigned)place)});
}
