/* See cdm_page.h. */
#include "report/cdm_page.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/clock.h"

#define LINE "------------------------------------------------------------------------------\n"
#define MB   1e6

static const struct {
	uint64_t bytes;
	const char *name, *old; /* version 3 wrote KB for KiB */
} units[] = {{UINT64_C(1) << 30, "GiB", "GB"}, {1 << 20, "MiB", "MB"}, {1 << 10, "KiB", "KB"}};

/* "   4KiB", "1 GiB": the greatest unit that divides it, and its number to the right of `width`
 * columns. */
static void add_size(struct str *out, uint64_t bytes, int width, const char *gap, bool old)
{
	const char *unit = "B";

	for (unsigned i = 0; i < ARRAY_SIZE(units); i++) {
		if (!bytes || bytes % units[i].bytes)
			continue;
		bytes /= units[i].bytes;
		unit = old ? units[i].old : units[i].name;
		break;
	}
	str_printf(out, "%*llu%s%s", width, (unsigned long long)bytes, gap, unit);
}

static double iops_of(const struct cdm_cell *cell)
{
	return cell->bytes_per_s / (double)cell->block_bytes;
}

/* --- versions 8 and 9 --- */

static void add_cell(struct str *out, const struct cdm_cell *cell)
{
	str_printf(out, "  %s ", cell->random ? "RND" : "SEQ");
	add_size(out, cell->block_bytes, 4, "", false);
	str_printf(out, " (Q=%3u, T=%2u): ", cell->depth, cell->threads);
	if (isnan(cell->bytes_per_s))
		str_add(out, "        - not measured\n");
	else
		str_printf(out, "%9.3f MB/s [%9.1f IOPS] <%9.2f us>\n", cell->bytes_per_s / MB,
			   iops_of(cell), cell->mean_ns / 1e3);
}

static void add_loads(const struct cdm *cdm, struct str *out)
{
	static const char *const heads[] = {"Read", "Write", "Mix"};

	for (unsigned l = 0; l < NCDM_LOADS; l++) {
		if (!cdm->ncells[l])
			continue;
		str_printf(out, "\n[%s]", heads[l]);
		if (l == CDM_MIX)
			str_printf(out, " Read %u%%/Write %u%%", cdm->mix_read_percent,
				   100 - cdm->mix_read_percent);
		str_add_char(out, '\n');
		for (unsigned i = 0; i < cdm->ncells[l]; i++)
			add_cell(out, &cdm->cells[l][i]);
	}
}

static void add_score(const struct cdm *cdm, const char *name, struct str *out)
{
	str_printf(out, "%s%s of %u run%s", name, cdm->score, cdm->runs,
		   cdm->runs == 1 ? "" : "s");
	if (cdm->discarded)
		str_printf(out, " (%u before %s not counted)", cdm->discarded,
			   cdm->discarded == 1 ? "it was" : "them were");
	str_add_char(out, '\n');
}

static void add_new(const struct cdm *cdm, struct str *out)
{
	str_add(out, LINE "* MB/s = 1,000,000 bytes/s [SATA/600 = 600,000,000 bytes/s]\n"
			  "* KB = 1000 bytes, KiB = 1024 bytes\n");
	add_loads(cdm, out);
	str_printf(out, "\nProfile: %s%s\n   Test: ", cdm->profile,
		   cdm->zeros ? " <0Fill>" : "");
	add_size(out, cdm->size_bytes, 0, " ", false);
	str_printf(out, " (x%u) [%s]\n", cdm->runs, cdm->target);
	add_score(cdm, "  Score: ", out);
	str_printf(out, "   Time: Measure %g sec / Interval %g sec\n",
		   (double)cdm->time_ns / NS_PER_S, (double)cdm->pause_ns / NS_PER_S);
	str_printf(out, "   Date: %s\n     OS: %s\n", cdm->date,
		   cdm->system ? cdm->system : "unknown");
}

/* --- version 3 --- */

static void add_old_cell(struct str *out, const struct cdm_cell *cell, enum cdm_load load)
{
	static const char *const words[] = {"Read", "Write", "Mix"};
	bool small = cell->random && cell->block_bytes <= 4096;
	autostr label = {0};

	str_printf(&label, "%s %s", cell->random ? "Random" : "Sequential", words[load]);
	if (cell->random) {
		str_add_char(&label, ' ');
		add_size(&label, cell->block_bytes, 0, "", true);
	}
	if (small)
		str_printf(&label, " (QD=%u)", cell->depth);
	str_add_right(out, str_text(&label), 27);
	if (isnan(cell->bytes_per_s)) {
		str_add(out, " :         - not measured\n");
		return;
	}
	str_printf(out, " : %9.3f MB/s", cell->bytes_per_s / MB);
	if (small)
		str_printf(out, " [%8.1f IOPS]", iops_of(cell));
	str_add_char(out, '\n');
}

/* Reads and writes of one test stand together. */
static void add_old(const struct cdm *cdm, struct str *out)
{
	unsigned most = 0;

	str_add(out, LINE "* MB/s = 1,000,000 byte/s [SATA/300 = 300,000,000 byte/s]\n\n");
	for (unsigned l = 0; l < NCDM_LOADS; l++)
		most = cdm->ncells[l] > most ? cdm->ncells[l] : most;
	for (unsigned i = 0; i < most; i++)
		for (unsigned l = 0; l < NCDM_LOADS; l++)
			if (i < cdm->ncells[l])
				add_old_cell(out, &cdm->cells[l][i], (enum cdm_load)l);
	str_add(out, "\n  Test : ");
	add_size(out, cdm->size_bytes, 0, " ", true);
	str_printf(out, " [%s] (x%u)%s\n", cdm->target, cdm->runs,
		   cdm->zeros ? " <0Fill>" : "");
	add_score(cdm, " Score : ", out);
	str_printf(out, "  Date : %s\n    OS : %s\n", cdm->date,
		   cdm->system ? cdm->system : "unknown");
}

void cdm_page(const struct cdm *cdm, struct str *out)
{
	bool old = str_equal(cdm->profile, "v3");

	str_printf(out, "%s: %sCrystalDiskMark's tests%s, not measured by CrystalDiskMark\n",
		   cdm->program, cdm->simulated ? "simulated drive: " : "",
		   old ? " of version 3" : "");
	if (old)
		add_old(cdm, out);
	else
		add_new(cdm, out);
}
