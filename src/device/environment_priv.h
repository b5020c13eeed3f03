/* How the files of environment add to the list. */
#pragma once

#include "device/environment.h"

struct environment_list {
	struct arena *arena;
	const struct device_roots *roots;
	struct environment_entry *entries;
	unsigned count, room;
};

/* An empty value is unknown. */
void environment_add(struct environment_list *list, const char *of, const char *name,
		     const char *value);
void environment_printf(struct environment_list *list, const char *of, const char *name,
			const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* The first line of a file below roots->sys. */
void environment_add_sysfs(struct environment_list *list, const char *of, const char *name,
			   const char *folder, const char *attribute);

/* `thousandths` as the kernel's thermal files have them, "-1500"; "" is unknown. */
void environment_add_degrees(struct environment_list *list, const char *of, const char *name,
			     const char *thousandths);

void environment_of_host(struct environment_list *list);
void environment_of_device(struct environment_list *list, const struct device *device);
