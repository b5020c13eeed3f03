#include "device/shared.h"

#include <stdio.h>
#include <string.h>

#include "base/lang.h"
#include "base/str.h"
#include "device/stack.h"
#include "device/sysfs_priv.h"

/* The folders that both paths begin with, up to a whole component. */
static size_t common_folder(const char *a, const char *b)
{
	size_t length = 0;

	for (size_t i = 0; a[i] == b[i] || !a[i] || !b[i]; i++) {
		if ((a[i] == '/' || !a[i]) && (b[i] == '/' || !b[i]))
			length = i;
		if (!a[i] || !b[i])
			break;
	}
	return length;
}

static bool is_pci_function(const char *name, size_t length)
{
	unsigned part[4];
	int used = 0;

	/* NOLINTNEXTLINE(cert-err34-c): the kernel's own text */
	return sscanf(name, "%4x:%2x:%2x.%1x%n", &part[0], &part[1], &part[2], &part[3],
		      &used) == 4 &&
	       (size_t)used == length;
}

static void name_pci(const char *folder, const char *name, const struct device_roots *roots,
		     char ret_text[SHARED_TEXT_BYTES])
{
	uint64_t lanes = sysfs_u64(roots, folder, "current_link_width", 0);
	char speed[40];

	SYSFS_LINE(roots, folder, "current_link_speed", speed);
	if (*speed && lanes && lanes <= 32)
		text_set(ret_text, SHARED_TEXT_BYTES, "the PCI function %s (%s x%u)", name,
			 speed, (unsigned)lanes);
	else
		text_set(ret_text, SHARED_TEXT_BYTES, "the PCI function %s", name);
}

/* The last bus or function of the common way counts: it is the narrowest place. */
static bool name_way(const char *way, const struct device_roots *roots,
		     char ret_text[SHARED_TEXT_BYTES])
{
	bool found = false;
	unsigned bus;

	for (const char *at = strchr(way, '/'); at; at = strchr(at, '/')) {
		size_t length = strcspn(++at, "/");
		char folder[300], name[64];
		int used = 0;

		TEXT_SET(folder, "%.*s", (int)(at - way + (long)length), way);
		TEXT_SET(name, "%.*s", (int)length, at);
		/* NOLINTNEXTLINE(cert-err34-c): the kernel's own text */
		if (sscanf(name, "usb%u%n", &bus, &used) == 1 && !name[used])
			text_set(ret_text, SHARED_TEXT_BYTES, "the USB bus %u", bus);
		else if (is_pci_function(at, length))
			name_pci(folder, name, roots, ret_text);
		else
			continue;
		found = true;
	}
	return found;
}

bool device_share(const struct device *a, const struct device *b,
		  const struct device_roots *roots, char ret_text[SHARED_TEXT_BYTES])
{
	char way[300];

	if (str_equal(a->name, b->name)) {
		text_set(ret_text, SHARED_TEXT_BYTES, N_("the drive %s"), a->name);
		return true;
	}
	TEXT_SET(way, "%.*s", (int)common_folder(a->sysfs, b->sysfs), a->sysfs);
	return name_way(way, roots, ret_text);
}

bool device_shared(const char *a, const char *b, const struct device_roots *roots,
		   char ret_text[SHARED_TEXT_BYTES])
{
	struct device_stack of_a = {0}, of_b = {0};
	struct arena arena;
	bool found = false;

	arena_init(&arena);
	if (device_of_file(&arena, a, roots, &of_a, NULL) ||
	    device_of_file(&arena, b, roots, &of_b, NULL))
		of_a.count = 0; /* what cannot be looked at shares nothing that is known */
	for (unsigned i = 0; i < of_a.count && !found; i++)
		for (unsigned k = 0; k < of_b.count && !found; k++)
			found = of_a.layer[i].leaf && of_b.layer[k].leaf &&
				device_share(&of_a.layer[i].device, &of_b.layer[k].device,
					     roots, ret_text);
	arena_done(&arena);
	return found;
}
