/*
 * What sides are made of, from a file of the user's (--facts=FILE), and what that allows: lines
 * of SIDE.KEY = NUMBER, as `B.disks = 5`. A result above what the parts can carry is suspect; one
 * far below it is too, for then something else was measured. The sum is written out.
 *
 *	disks, rpm           random reads: disks x 200 (15,000 rpm), 140 (10,000), 80 (7,200), 60
 *	ports, port_mb_s     MB/s of a port, a direction
 *	link_mb_s            of the slot or the cable
 *	sheet_iops, sheet_mb_s   the maker's figures
 */
#pragma once

#include "base/err.h"
#include "report/lineup_page.h"

enum side_fact {
	FACT_DISKS,
	FACT_RPM,
	FACT_PORTS,
	FACT_PORT_MB_S,
	FACT_LINK_MB_S,
	FACT_SHEET_IOPS,
	FACT_SHEET_MB_S,
	NSIDE_FACT,
};

struct side_facts {
	double value[NSIDE_FACT]; /* 0: not told */
};

/* `facts` has nsides entries, zeroed. Errors name the line. */
int lineup_facts_parse(const char *name, const char *text, struct side_facts *facts,
		       unsigned nsides, struct err *err);
void lineup_facts_page(struct document *doc, const struct lineup *lineup,
		       const struct side_facts *facts);
