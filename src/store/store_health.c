/* The health of drives as lines of a table, for queries. */
#include "store/store_priv.h"

static int save_reading(struct store *store, const struct health_owner *owner,
			const struct health_facts *drive, bool after, struct err *err)
{
	const struct health *health = after ? &drive->after : &drive->before;
	int rc = 0;

	for (unsigned f = 0; f < NHEALTH && !rc; f++)
		if (health_knows(health, (enum health_field)f))
			rc = store_run(store, SAVE_HEALTH, err, "iiitttit", owner->run,
				       owner->plan, owner->number, after ? "after" : "before",
				       drive->device, health_fields[f].name, health->value[f],
				       health_fields[f].unit);
	return rc;
}

int store_save_health(struct store *store, const struct health_owner *owner,
		      const struct health_facts *health, struct err *err)
{
	int rc = save_reading(store, owner, health, false, err);

	return rc ? rc : save_reading(store, owner, health, true, err);
}
