/* Reading attributes below struct device_roots, and texts of fixed size: for device/ alone. */
#pragma once

#include <dirent.h>

#include "device/device.h"

#define SYSFS_PATH_BYTES 700

/* printf into an array, cut at its size. */
void text_set(char *text, size_t size_bytes, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
#define TEXT_SET(array, ...) text_set(array, sizeof(array), __VA_ARGS__)
/* Cuts blanks at both ends, and at the front. */
void text_trim(char *text);
/* A whole decimal number; false for anything else. */
bool text_u64(const char *text, uint64_t *ret_value);

/* `folder` is below roots->sys and begins with '/': "/class/block/sda". The line is "" when the
 * attribute is not there, blanks at its ends are cut. */
int sysfs_line(const struct device_roots *roots, const char *folder, const char *attribute,
	       char *ret_line, size_t size_bytes);
#define SYSFS_LINE(roots, folder, attribute, array) \
	sysfs_line(roots, folder, attribute, array, sizeof(array))
uint64_t sysfs_u64(const struct device_roots *roots, const char *folder, const char *attribute,
		   uint64_t unknown);
enum answer sysfs_answer(const struct device_roots *roots, const char *folder,
			 const char *attribute);
bool sysfs_exists(const struct device_roots *roots, const char *folder, const char *entry);
/* Bytes of a binary attribute (VPD pages); 0 when it cannot be read. */
size_t sysfs_bytes(const struct device_roots *roots, const char *folder, const char *attribute,
		   void *ret_bytes, size_t size_bytes);
/* Resolves links; the result is below roots->sys again ("/devices/…"). 0 or -errno. */
int sysfs_resolve(const struct device_roots *roots, const char *folder, const char *entry,
		  char *ret_folder, size_t size_bytes);
/* NULL when the folder cannot be read; closes by closedir. */
DIR *sysfs_open(const struct device_roots *roots, const char *folder, const char *entry);
/* Next name that does not begin with '.'; NULL at the end. */
const char *sysfs_next(DIR *dir);
void sysfs_close(DIR **dir);
#define autodir __attribute__((cleanup(sysfs_close))) DIR *

/* vitals.c: the folder below which a drive ("sda") tells its temperature, temp1_input and the like;
 * false: it has none. */
bool vitals_find_hwmon(const struct device_roots *roots, const char *drive,
		       char ret_folder[SYSFS_PATH_BYTES]);

/* The same for the whole path of a file below roots->proc. */
struct str;
int proc_read(const struct device_roots *roots, const char *path, struct str *ret_text);
