/* What was measured and on what: host, targets, the devices under them, before and after. */
#include "run/run_priv.h"

void run_facts_before(struct run *run)
{
	(void)run;
}

void run_facts_after(struct run *run)
{
	(void)run;
}
