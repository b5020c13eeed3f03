#include "report/lineup_facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/unit.h"
#include "report/figures.h"

#define FAR_BELOW      0.5
#define FAR_ABOVE      1.5 /* of spindles, whose figure is a rule of thumb */
#define SMALL_BS_BYTES (8 * KiB)

static const char *const names[NSIDE_FACT] = {
	"disks", "rpm", "ports", "port_mb_s", "link_mb_s", "sheet_iops", "sheet_mb_s"};

/* --- the file --- */

static int parse_line(char *line, struct side_facts *facts, unsigned nsides, struct err *err)
{
	char side, key[40], number[40], rest;
	double value;

	if (sscanf(line, " %c.%39[a-z_] = %39s %c", &side, key, number, &rest) != 3)
		return err_input(err, "\"%s\": not SIDE.KEY = NUMBER, as B.disks = 5", line);
	if (side < 'A' || side >= 'A' + (int)nsides)
		return err_input(err, "\"%c\" is no side: A to %c", side,
				 'A' + (char)nsides - 1);
	if (unit_parse_double(number, &value, err) || !(value > 0))
		return err_input(err, "\"%s\": not a number above 0", number);
	for (unsigned i = 0; i < NSIDE_FACT; i++) {
		if (!str_equal(names[i], key))
			continue;
		facts[side - 'A'].value[i] = value;
		return 0;
	}
	return err_input(
		err,
		"\"%s\" is none of disks, rpm, ports, port_mb_s, link_mb_s, sheet_iops, "
		"sheet_mb_s",
		key);
}

int lineup_facts_parse(const char *name, const char *text, struct side_facts *facts,
		       unsigned nsides, struct err *err)
{
	unsigned number = 0;
	char line[200];

	while (*text) {
		size_t length = strcspn(text, "\n"), blank;

		number++;
		(void)snprintf(line, sizeof(line), "%.*s", (int)length, text);
		line[strcspn(line, "#")] = '\0';
		blank = strspn(line, " \t\r");
		if (line[blank] && parse_line(line, facts, nsides, err)) {
			err_context(err, "%s:%u", name, number);
			return -EINVAL;
		}
		text += length + (text[length] == '\n');
	}
	return 0;
}

/* --- the rules --- */

struct reached {
	double value;
	const struct lineup_cell *cell;
};

static struct reached most(const struct lineup *lineup, unsigned side, enum cell_metric metric,
			   bool random_reads)
{
	struct reached most = {0};

	for (unsigned c = 0; c < lineup->ncells; c++) {
		const struct lineup_cell *cell = &lineup->cells[c];
		double value = lineup_value(lineup, cell, side, metric);

		/* IOPS of printed bandwidth are the one divided by the other. */
		if (metric == CELL_IOS_PER_S && isnan(value) && cell->like.bs_bytes)
			value = lineup_value(lineup, cell, side, CELL_BYTES_PER_S) /
				(double)cell->like.bs_bytes;
		if (random_reads &&
		    (!lineup_is_random(cell) || cell->like.dir != DIR_READ ||
		     cell->like.read_percent != 100 || cell->like.bs_bytes > SMALL_BS_BYTES))
			continue;
		if (value > most.value)
			most = (struct reached){value, cell};
	}
	return most;
}

static double ios_of_a_disk(double rpm)
{
	return rpm >= 14000 ? 200 : rpm >= 9000 ? 140 : rpm >= 7000 ? 80 : 60;
}

/* One limit with its sum in words. */
static void judge(struct document *doc, unsigned side, struct reached reached, double limit,
		  double above, const char *sum)
{
	const char *letter = lineup_letter(doc, side);

	if (!reached.cell || !(limit > 0))
		return;
	if (reached.value > limit * above)
		document_prose(
			doc, TONE_WARNING,
			"%s, %s: %s is above what it can give (%s): a cache answered, or "
			"the figure is wrong",
			letter, reached.cell->key, figure_plain(doc, reached.value), sum);
	else if (reached.value < limit * FAR_BELOW)
		document_prose(
			doc, TONE_WARNING,
			"%s, %s: %s is far below what it can give (%s): at %u requests in "
			"flight no more than that many parts work at once",
			letter, reached.cell->key, figure_plain(doc, reached.value), sum,
			reached.cell->like.depth * reached.cell->like.jobs);
}

static void judge_side(struct document *doc, const struct lineup *lineup,
		       const struct side_facts *facts, unsigned side)
{
	const double *fact = facts->value;
	double disk = ios_of_a_disk(fact[FACT_RPM] > 0 ? fact[FACT_RPM] : 7200);
	struct reached ios = most(lineup, side, CELL_IOS_PER_S, true);
	struct reached any_ios = most(lineup, side, CELL_IOS_PER_S, false);
	struct reached mb = most(lineup, side, CELL_BYTES_PER_S, false);

	mb.value /= 1e6;
	judge(doc, side, ios, fact[FACT_DISKS] * disk, FAR_ABOVE,
	      document_text(doc, "%.0f disks × %.0f IOPS = %.0f", fact[FACT_DISKS], disk,
			    fact[FACT_DISKS] * disk));
	judge(doc, side, mb, fact[FACT_PORTS] * fact[FACT_PORT_MB_S], 1,
	      document_text(doc, "%.0f ports × %.0f MB/s = %.0f", fact[FACT_PORTS],
			    fact[FACT_PORT_MB_S], fact[FACT_PORTS] * fact[FACT_PORT_MB_S]));
	judge(doc, side, mb, fact[FACT_LINK_MB_S], 1,
	      document_text(doc, "its link carries %.0f MB/s", fact[FACT_LINK_MB_S]));
	judge(doc, side, any_ios, fact[FACT_SHEET_IOPS], 1.1,
	      document_text(doc, "its datasheet says %.0f IOPS", fact[FACT_SHEET_IOPS]));
	judge(doc, side, mb, fact[FACT_SHEET_MB_S], 1.1,
	      document_text(doc, "its datasheet says %.0f MB/s", fact[FACT_SHEET_MB_S]));
}

void lineup_facts_page(struct document *doc, const struct lineup *lineup,
		       const struct side_facts *facts)
{
	for (unsigned side = 0; side < lineup->nsides; side++)
		judge_side(doc, lineup, &facts[side], side);
}
