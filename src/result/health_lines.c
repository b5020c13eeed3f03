#include "result/health_lines.h"

#include <stdio.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/str.h"

struct health_facts *health_facts_copy(struct arena *arena, const struct health_facts *health,
				       unsigned count)
{
	struct health_facts *copy = arena_array(arena, struct health_facts, count + 1);

	for (unsigned i = 0; i < count; i++) {
		copy[i] = health[i];
		copy[i].device = arena_strdup(arena, health[i].device);
	}
	return copy;
}

/* Counters that stood still say nothing; errors that a drive has seen do, at any time. */
static bool is_worth_a_line(const struct health *before, const struct health *after,
			    enum health_field field)
{
	static const enum health_field troubles[] = {HEALTH_MEDIA_ERRORS, HEALTH_REALLOCATED,
						     HEALTH_PENDING, HEALTH_LINK_ERRORS,
						     HEALTH_CRITICAL_WARNING};
	int64_t was = before->value[field], is = after->value[field];

	if (was == HEALTH_UNKNOWN && is == HEALTH_UNKNOWN)
		return false;
	for (unsigned i = 0; i < sizeof(troubles) / sizeof(troubles[0]); i++)
		if (troubles[i] == field)
			return was > 0 || is > 0;
	return !health_fields[field].counts || was != is;
}

static void put_line(struct health_line *line, enum health_field field,
		     const struct health *before, const struct health *after)
{
	int64_t was = before->value[field], is = after->value[field];
	bool both = was != HEALTH_UNKNOWN && is != HEALTH_UNKNOWN;
	char size[60];

	line->title = health_fields[field].title;
	health_format(field, was, line->before, sizeof(line->before));
	health_format(field, is, line->after, sizeof(line->after));
	line->change[0] = 0;
	if (!both || str_equal(line->before, line->after))
		return;
	if (health_fields[field].counts && is < was) {
		(void)snprintf(line->change, sizeof(line->change), "%s",
			       N_("began anew")); /* a reset, or another drive */
		return;
	}
	health_format(field, was < is ? is - was : was - is, size, sizeof(size));
	(void)snprintf(line->change, sizeof(line->change), "%s%s", was < is ? "+" : "-", size);
}

unsigned health_lines(const struct health_facts *health, struct health_line *ret_lines)
{
	const struct health *before = &health->before, *after = &health->after;
	struct health grown;
	unsigned count = 0;
	double amplification;

	for (unsigned f = 0; f < NHEALTH; f++)
		if (is_worth_a_line(before, after, (enum health_field)f))
			put_line(&ret_lines[count++], (enum health_field)f, before, after);
	health_difference(before, after, &grown);
	amplification = health_write_amplification(&grown);
	if (amplification > 0) {
		struct health_line *line = &ret_lines[count++];

		*line = (struct health_line){.title = N_("write amplification")};
		(void)snprintf(line->change, sizeof(line->change), "%.2f", amplification);
	}
	return count;
}
