#include "report/lineup_page.h"

#include <inttypes.h>
#include <math.h>

#include "base/lang.h"
#include "base/quantity.h"
#include "report/cells_page.h"
#include "report/figures.h"

#define LITTLE_TOLERANCE 0.10
#define BINARY_MB	 1.048576 /* 2^20 bytes, where a document may mean that by MB */

const char *lineup_letter(struct document *doc, unsigned side)
{
	if (side < 26)
		return document_text(doc, "%c", 'A' + (char)side);
	return document_text(doc, "S%u", side + 1);
}

/* --- who --- */

static void sides(struct document *doc, const struct lineup *lineup)
{
	struct fact *facts = arena_array(&doc->arena, struct fact, lineup->nsides);

	for (unsigned i = 0; i < lineup->nsides; i++) {
		const struct record *record = lineup->first[i];

		facts[i].name = lineup_letter(doc, i);
		facts[i].value = document_text(
			doc, "%s: %s (%s)%s", lineup->names[i],
			record->title ? record->title : record->kind,
			record->program ? record->program : N_("unknown program"),
			lineup->nrecords[i] > 1
				? document_text(doc, ", %u runs", lineup->nrecords[i])
				: "");
	}
	document_facts(doc, facts, lineup->nsides);
}

struct trait {
	const char *name;
	const char *(*text)(struct document *doc, const struct run_facts *facts);
};

#define HOST_TRAIT(field)                                                                     \
	static const char *trait_##field(struct document *doc, const struct run_facts *facts) \
	{                                                                                     \
		(void)doc;                                                                    \
		return facts->has_host && *facts->host.field ? facts->host.field : NULL;      \
	}
HOST_TRAIT(name)
HOST_TRAIT(os)
HOST_TRAIT(kernel)
HOST_TRAIT(cpu_model)
HOST_TRAIT(hypervisor)
HOST_TRAIT(governor)
HOST_TRAIT(clocksource)

#define DEVICE_TRAIT(name, field)                                                            \
	static const char *trait_##name(struct document *doc, const struct run_facts *facts) \
	{                                                                                    \
		(void)doc;                                                                   \
		return facts->ndevices && *facts->devices[0].device.field                    \
			       ? facts->devices[0].device.field                              \
			       : NULL;                                                       \
	}
DEVICE_TRAIT(model, model)
DEVICE_TRAIT(serial, serial)
DEVICE_TRAIT(firmware, firmware)
DEVICE_TRAIT(scheduler, scheduler)
DEVICE_TRAIT(link, link.text)

static const char *trait_direct(struct document *doc, const struct run_facts *facts)
{
	(void)doc;
	if (!facts->ntargets)
		return NULL;
	return facts->targets[0].direct ? "direct I/O" : "through the page cache";
}

static const char *trait_size(struct document *doc, const struct run_facts *facts)
{
	return facts->ntargets ? figure_size(doc, facts->targets[0].size_bytes) : NULL;
}

static const struct trait traits[] = {
	{N_("host"), trait_name},
	{"system", trait_os},
	{N_("kernel"), trait_kernel},
	{"CPU", trait_cpu_model},
	{N_("hypervisor"), trait_hypervisor},
	{N_("governor"), trait_governor},
	{N_("clock"), trait_clocksource},
	{N_("drive"), trait_model},
	{N_("serial"), trait_serial},
	{N_("firmware"), trait_firmware},
	{N_("link"), trait_link},
	{N_("scheduler"), trait_scheduler},
	{"I/O", trait_direct},
	{N_("target size"), trait_size},
};

static const char *trait_of(struct document *doc, const struct trait *trait,
			    const struct record *record)
{
	const char *text =
		record->nparts ? trait->text(doc, &record->parts[0].result->facts) : NULL;

	return text ? text : "unknown";
}

static void differences(struct document *doc, const struct lineup *lineup)
{
	const char *heads[TABLE_COLUMNS_MAX + 1] = {N_("what differs")};
	unsigned shown =
		lineup->nsides < TABLE_COLUMNS_MAX ? lineup->nsides : TABLE_COLUMNS_MAX - 1;
	struct table table;

	for (unsigned i = 0; i < shown; i++)
		heads[i + 1] = lineup_letter(doc, i);
	table_init(&table, heads);
	for (size_t t = 0; t < sizeof(traits) / sizeof(traits[0]); t++) {
		bool differ = false;

		for (unsigned i = 1; i < shown; i++)
			differ |= !str_equal(trait_of(doc, &traits[t], lineup->first[0]),
					     trait_of(doc, &traits[t], lineup->first[i]));
		if (!differ)
			continue;
		table_cell(doc, &table, "%s", traits[t].name);
		for (unsigned i = 0; i < shown; i++)
			table_cell(doc, &table, "%s",
				   trait_of(doc, &traits[t], lineup->first[i]));
	}
	document_table(doc, &table);
}

/* --- the matrix --- */

static const char *three_figures(struct document *doc, const struct lineup *lineup,
				 const struct lineup_cell *cell, unsigned side)
{
	static const enum cell_metric shown[] = {CELL_MEAN_NS, CELL_BYTES_PER_S,
						 CELL_IOS_PER_S};
	autostr text = {0};

	if (cell->printed[side])
		return cell->printed[side];
	for (unsigned i = 0; i < 3; i++) {
		double value = lineup_value(lineup, cell, side, shown[i]);

		if (!isnan(value))
			str_printf(&text, "%s%s %s", text.length ? ", " : "",
				   cells_value(doc, shown[i], value),
				   cell_metrics[shown[i]].unit);
	}
	return text.length ? document_text(doc, "%s", str_text(&text)) : "–";
}

static void matrix(struct document *doc, const struct lineup *lineup, bool numbered)
{
	const char *heads[TABLE_COLUMNS_MAX + 1] = {"cell"};
	unsigned shown =
		lineup->nsides < TABLE_COLUMNS_MAX ? lineup->nsides : TABLE_COLUMNS_MAX - 1;
	struct table table;

	for (unsigned i = 0; i < shown; i++)
		heads[i + 1] = lineup_letter(doc, i);
	table_init(&table, heads);
	for (unsigned c = 0; c < lineup->ncells; c++) {
		table_cell(doc, &table, "%s%s",
			   numbered ? document_text(doc, "%u: ", c + 1) : "",
			   lineup->cells[c].key);
		for (unsigned i = 0; i < shown; i++)
			table_cell(doc, &table, "%s",
				   three_figures(doc, lineup, &lineup->cells[c], i));
	}
	document_table(doc, &table);
}

/* --- ratios --- */

static const char *ratio_text(struct document *doc, const struct ratio *ratio)
{
	if (isnan(ratio->value))
		return "–";
	if (isnan(ratio->low))
		return document_text(doc, ratio->value < 0.1 ? "%.2g" : "%.2f", ratio->value);
	return document_text(doc, "%.2f [%.2f, %.2f]%s%s", ratio->value, ratio->low,
			     ratio->high, ratio->of_pair ? "*" : "",
			     ratio_is_undecided(ratio) ? " ~" : "");
}

static void ratios(struct document *doc, const struct lineup *lineup, unsigned other)
{
	static const enum cell_metric shown[] = {CELL_BYTES_PER_S, CELL_IOS_PER_S, CELL_MEAN_NS,
						 CELL_P99_NS};
	static const char *const heads[] = {"", "MB/s", "IOPS", N_("mean"), "p99", NULL};
	bool of_pair = false;
	struct table table;

	table_init(&table, heads);
	for (unsigned c = 0; c < lineup->ncells; c++) {
		const struct lineup_cell *cell = &lineup->cells[c];
		const char *texts[4];
		bool any = false;

		for (unsigned i = 0; i < 4; i++) {
			struct ratio ratio =
				lineup_ratio_pair(lineup, cell, other, 0, shown[i]);

			texts[i] = ratio_text(doc, &ratio);
			any |= !isnan(ratio.value);
			of_pair |= ratio.of_pair;
		}
		if (!any)
			continue;
		table_cell(doc, &table, "%s", cell->key);
		for (unsigned i = 0; i < 4; i++)
			table_cell(doc, &table, "%s", texts[i]);
	}
	if (!table.count)
		return;
	document_heading(doc, 2, "A ÷ %s", lineup_letter(doc, other));
	document_table(doc, &table);
	if (of_pair)
		document_prose(doc, TONE_INFO,
			       "* of this pair of runs, from their own intervals (bootstrap of "
			       "blocks): not what a repetition would give");
}

/* --- sequential against random --- */

static const struct lineup_cell *sequential(const struct lineup *lineup, enum dir dir)
{
	const struct lineup_cell *best = NULL;

	for (unsigned c = 0; c < lineup->ncells; c++) {
		const struct lineup_cell *cell = &lineup->cells[c];

		if (lineup_is_random(cell) || cell->like.dir != dir || !*cell->like.load)
			continue;
		if (!best || cell->like.bs_bytes > best->like.bs_bytes)
			best = cell;
	}
	return best;
}

/* How many times a side does sequentially what it does in this cell; NAN: not known. */
static double fall(const struct lineup *lineup, const struct lineup_cell *cell, unsigned side)
{
	const struct lineup_cell *from = sequential(lineup, cell->like.dir);

	if (!from || !lineup_is_random(cell) || cell->like.dir > DIR_WRITE)
		return (double)NAN;
	return lineup_value(lineup, from, side, CELL_BYTES_PER_S) /
	       lineup_value(lineup, cell, side, CELL_BYTES_PER_S);
}

static void factor_cell(struct document *doc, struct table *table, double factor)
{
	if (isfinite(factor))
		table_cell(doc, table, "%.2f", factor);
	else
		table_cell(doc, table, "–"); /* the side has one of the two, or none */
}

static void falls(struct document *doc, const struct lineup *lineup)
{
	const char *heads[TABLE_COLUMNS_MAX + 1] = {""};
	unsigned shown =
		lineup->nsides < TABLE_COLUMNS_MAX - 1 ? lineup->nsides : TABLE_COLUMNS_MAX - 2;
	struct table table;

	for (unsigned i = 0; i < shown; i++)
		heads[i + 1] = lineup_letter(doc, i);
	if (shown == 2)
		heads[3] = "B ÷ A";
	table_init(&table, heads);
	for (unsigned c = 0; c < lineup->ncells; c++) {
		const struct lineup_cell *cell = &lineup->cells[c];

		if (!isfinite(fall(lineup, cell, 0)))
			continue;
		table_cell(doc, &table, "%s", cell->key);
		for (unsigned i = 0; i < shown; i++)
			factor_cell(doc, &table, fall(lineup, cell, i));
		if (shown == 2)
			factor_cell(doc, &table, fall(lineup, cell, 1) / fall(lineup, cell, 0));
	}
	if (!table.count)
		return;
	document_heading(doc, 2, "sequential ÷ random, MB/s, inside each");
	document_table(doc, &table);
}

/* --- sentences --- */

struct extremes {
	const struct lineup_cell *least, *most;
	double least_ratio, most_ratio;
	unsigned cells, undecided, single;
};

static enum cell_metric leading(const struct lineup *lineup, unsigned other)
{
	static const enum cell_metric order[] = {CELL_BYTES_PER_S, CELL_IOS_PER_S,
						 CELL_MEAN_NS};

	for (unsigned i = 0; i < 3; i++)
		for (unsigned c = 0; c < lineup->ncells; c++)
			if (!isnan(lineup_ratio(lineup, &lineup->cells[c], other, 0, order[i])
					   .value))
				return order[i];
	return CELL_IOS_PER_S;
}

static struct extremes extremes_of(const struct lineup *lineup, unsigned other,
				   enum cell_metric metric)
{
	struct extremes extremes = {0};

	for (unsigned c = 0; c < lineup->ncells; c++) {
		const struct lineup_cell *cell = &lineup->cells[c];
		struct ratio ratio = lineup_ratio(lineup, cell, other, 0, metric);

		if (isnan(ratio.value))
			continue;
		extremes.cells++;
		extremes.single += isnan(ratio.low);
		if (!isnan(ratio.low) && ratio_is_undecided(&ratio)) {
			extremes.undecided++;
			continue;
		}
		if (!extremes.least || ratio.value < extremes.least_ratio) {
			extremes.least = cell;
			extremes.least_ratio = ratio.value;
		}
		if (!extremes.most || ratio.value > extremes.most_ratio) {
			extremes.most = cell;
			extremes.most_ratio = ratio.value;
		}
	}
	return extremes;
}

static void sentence_of_ratios(struct document *doc, const struct lineup *lineup,
			       unsigned other)
{
	enum cell_metric metric = leading(lineup, other);
	struct extremes all = extremes_of(lineup, other, metric);
	const char *letter = lineup_letter(doc, other), *name = cell_metrics[metric].unit;

	if (metric >= CELL_MEAN_NS)
		name = "latency";
	if (!all.cells) {
		document_prose(doc, TONE_PLAIN, "A and %s have no cell in common.", letter);
		return;
	}
	if (all.least == all.most && all.least)
		document_prose(doc, TONE_PLAIN, "A has %.2f times the %s of %s in %s.",
			       all.least_ratio, name, letter, all.least->key);
	else if (all.least)
		document_prose(
			doc, TONE_PLAIN,
			"A has %.2f to %.2f times the %s of %s: least in %s, most in %s.",
			all.least_ratio, all.most_ratio, name, letter, all.least->key,
			all.most->key);
	if (all.undecided)
		document_prose(
			doc, TONE_PLAIN,
			PLURAL(all.cells,
			       "Cannot tell A from %s in %u of %u cell: the interval holds 1.",
			       "Cannot tell A from %s in %u of %u cells: the interval holds "
			       "1."),
			letter, all.undecided, all.cells);
	if (all.single)
		document_prose(
			doc, TONE_INFO,
			PLURAL(all.cells,
			       "%u of %u ratio rests on one run a side: what a repetition "
			       "would give is not known (6 runs each, A B B A)",
			       "%u of %u ratios rest on one run a side: what a repetition "
			       "would give is not known (6 runs each, A B B A)"),
			all.single, all.cells);
}

static void sentence_of_falls(struct document *doc, const struct lineup *lineup, unsigned other)
{
	const struct lineup_cell *widest = NULL;
	double most = 0;

	for (unsigned c = 0; c < lineup->ncells; c++) {
		double gap = log(fall(lineup, &lineup->cells[c], other) /
				 fall(lineup, &lineup->cells[c], 0));

		if (!isfinite(gap) || (widest && fabs(gap) <= fabs(most)))
			continue;
		widest = &lineup->cells[c];
		most = gap;
	}
	if (!widest)
		return;
	document_prose(doc, TONE_PLAIN,
		       "From sequential to %s %s loses a factor of %.2f, A of %.2f: %s is %.2f "
		       "times as even.",
		       widest->key, lineup_letter(doc, other), fall(lineup, widest, other),
		       fall(lineup, widest, 0), most > 0 ? "A" : lineup_letter(doc, other),
		       exp(fabs(most)));
}

/* --- what does not add up --- */

static void check_cell(struct document *doc, const struct lineup *lineup,
		       const struct lineup_cell *cell, unsigned side)
{
	double uncertain = lineup->first[side]->uncertain_percent / 100;
	double little = lineup_little(lineup, cell, side);
	double size = lineup_size_ratio(lineup, cell, side);
	bool printed = cell->like.part < 0;

	if (little > 1 + LITTLE_TOLERANCE || little < 1 - LITTLE_TOLERANCE)
		document_prose(
			doc, TONE_WARNING,
			PLURAL(cell->like.jobs * cell->like.depth,
			       "%s, %s: IOPS × mean latency is %.2f of the %u request that "
			       "jobs × depth keep in flight",
			       "%s, %s: IOPS × mean latency is %.2f of the %u requests that "
			       "jobs × depth keep in flight"),
			lineup_letter(doc, side), cell->key, little,
			cell->like.jobs * cell->like.depth);
	if (!printed || isnan(size))
		return;
	if (size < 1 - uncertain || size > BINARY_MB * (1 + uncertain))
		document_prose(
			doc, TONE_WARNING,
			"%s, %s: %s does not add up: %s IOPS of %s are %s, not %s",
			lineup_letter(doc, side), cell->key, cell->printed[side],
			figure_plain(doc, lineup_value(lineup, cell, side, CELL_IOS_PER_S)),
			figure_size(doc, cell->like.bs_bytes),
			figure_rate(doc,
				    size * lineup_value(lineup, cell, side, CELL_BYTES_PER_S)),
			figure_rate(doc, lineup_value(lineup, cell, side, CELL_BYTES_PER_S)));
}

static void checks(struct document *doc, const struct lineup *lineup)
{
	for (unsigned c = 0; c < lineup->ncells; c++)
		for (unsigned i = 0; i < lineup->nsides; i++)
			check_cell(doc, lineup, &lineup->cells[c], i);
	for (unsigned i = 0; i < lineup->nsides; i++)
		if (lineup->first[i]->uncertain_percent > 0)
			document_prose(doc, TONE_INFO,
				       "%s is of printed figures: unit uncertain, ±%.0f %%",
				       lineup_letter(doc, i),
				       lineup->first[i]->uncertain_percent);
}

static void sentences(struct document *doc, const struct lineup *lineup)
{
	for (unsigned i = 1; i < lineup->nsides; i++) {
		sentence_of_ratios(doc, lineup, i);
		sentence_of_falls(doc, lineup, i);
	}
}

/* What others have and an incomplete side has not. */
static void add_lacking(struct document *doc, const struct lineup *lineup, unsigned side)
{
	autostr cells = {0};
	unsigned count = 0;

	for (unsigned c = 0; c < lineup->ncells; c++)
		if (!lineup_has(&lineup->cells[c], side))
			str_printf(&cells, "%s%s", count++ ? "; " : "", lineup->cells[c].key);
	if (count)
		document_prose(doc, TONE_WARNING,
			       PLURAL(count, "%s lacks %u cell: %s", "%s lacks %u cells: %s"),
			       lineup->names[side], count, str_text(&cells));
}

void lineup_marks(struct document *doc, const struct lineup *lineup)
{
	for (unsigned i = 0; i < lineup->nsides; i++) {
		if (!lineup->incomplete[i])
			continue;
		document_prose(doc, TONE_WARNING, "%s is not complete: %s", lineup->names[i],
			       document_say(doc, lineup->incomplete[i]));
		add_lacking(doc, lineup, i);
	}
}

void lineup_page(struct document *doc, const struct lineup *lineup)
{
	document_heading(doc, 1, "compared");
	sides(doc, lineup);
	lineup_marks(doc, lineup);
	differences(doc, lineup);
	matrix(doc, lineup, false);
	for (unsigned i = 1; i < lineup->nsides; i++)
		ratios(doc, lineup, i);
	falls(doc, lineup);
	checks(doc, lineup);
	sentences(doc, lineup);
}

static bool any_simulated(const struct lineup *lineup)
{
	for (unsigned i = 0; i < lineup->nsides; i++)
		if (record_is_simulated(lineup->first[i]))
			return true;
	return false;
}

void lineup_report(struct document *doc, const struct lineup *lineup)
{
	document_heading(doc, 1, "compared");
	if (any_simulated(lineup))
		document_prose(doc, TONE_MARK,
			       "simulated: figures of models are among these, no drive was "
			       "touched for them");
	sides(doc, lineup);
	lineup_marks(doc, lineup);
	sentences(doc, lineup);
	checks(doc, lineup);
	differences(doc, lineup);
	matrix(doc, lineup, true);
	for (unsigned i = 1; i < lineup->nsides; i++)
		ratios(doc, lineup, i);
	falls(doc, lineup);
	document_heading(doc, 2, "figures");
	lineup_graphs(doc, lineup);
}
