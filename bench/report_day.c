/*
 * A store with one run: the synthetic day of tests/report/day_sample.h, a histogram a row and what
 * the machine was asked every second included, for what its report takes: usage: report_day STORE.
 */
#include <stdio.h>

#include "report/day_sample.h"
#include "store/store.h"

int main(int argc, char **argv)
{
	struct store *store = NULL;
	struct record record;
	struct err err = {0};
	struct job_set set;
	struct sample s;
	int rc;

	if (argc != 2)
		return 4;
	day_init(&s, &set, &record);
	day_histograms(&s);
	day_vitals(&s);
	record_settle(&record);
	rc = store_open(argv[1], STORE_WRITE, &store, &err);
	if (!rc)
		rc = store_save(store, &record, NULL, &err);
	if (rc)
		(void)fprintf(stderr, "%s\n", err.text);
	store_close(store);
	day_done(&s, &set, &record);
	return rc ? 1 : 0;
}
