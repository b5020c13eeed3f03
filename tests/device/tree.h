/* A recorded /sys and /proc (tests/data/sys-*.tree) unpacked below a temporary folder. */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "device/device.h"
#include "unit.h"

struct tree {
	char top[64], sys[80], proc[80];
	struct device_roots roots;
};

static inline void tree_folders(const char *path)
{
	char part[1024];

	for (size_t i = 1; path[i]; i++) {
		if (path[i] != '/')
			continue;
		(void)snprintf(part, sizeof(part), "%.*s", (int)i, path);
		(void)mkdir(part, 0755);
	}
}

static inline void tree_file(const char *path, const char *bytes, size_t length)
{
	FILE *file;

	tree_folders(path);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

/* "\n" and "\t" become what they mean; a new line ends the text, as sysfs has it. */
static inline void tree_text(const char *path, const char *text)
{
	autostr plain = {0};

	for (; *text; text++) {
		if (text[0] == '\\' && (text[1] == 'n' || text[1] == 't'))
			str_add_char(&plain, *++text == 'n' ? '\n' : '\t');
		else
			str_add_char(&plain, *text);
	}
	str_add_char(&plain, '\n');
	tree_file(path, plain.text, plain.length);
}

static inline void tree_hex(const char *path, const char *text)
{
	autostr bytes = {0};
	unsigned byte;

	for (; sscanf(text, "%2x", &byte) == 1; text += 2)
		str_add_char(&bytes, (char)byte);
	tree_file(path, str_text(&bytes), bytes.length);
}

static inline void tree_line(const struct tree *tree, char *line)
{
	char path[1024], *kind = strchr(line, ' ');
	size_t length;

	line[strcspn(line, "\n")] = '\0';
	if (!line[0] || line[0] == '#')
		return;
	(void)snprintf(path, sizeof(path), "%s/%.*s", tree->top,
		       kind ? (int)(kind - line) : (int)strlen(line), line);
	length = strlen(path);
	if (path[length - 1] == '/') {
		tree_folders(path);
		return;
	}
	assert_non_null(kind);
	if (strncmp(kind, " -> ", 4) == 0) {
		tree_folders(path);
		assert_int_equal(symlink(kind + 4, path), 0);
	} else if (strncmp(kind, " : ", 3) == 0) {
		tree_hex(path, kind + 3);
	} else {
		assert_int_equal(strncmp(kind, " = ", 3), 0);
		tree_text(path, kind + 3);
	}
}

static inline void tree_open(struct tree *tree, const char *name)
{
	const char *data = getenv("TEST_DATA");
	char path[600];
	char *line = NULL;
	size_t size = 0;
	FILE *file;

	assert_non_null(data); /* meson sets it */
	(void)snprintf(path, sizeof(path), "%s/%s", data, name);
	file = fopen(path, "re");
	assert_non_null(file);
	(void)snprintf(tree->top, sizeof(tree->top),
		       "/tmp/assay-tree-XX"
		       "XX"
		       "XX");
	assert_non_null(mkdtemp(tree->top));
	while (getline(&line, &size, file) > 0)
		tree_line(tree, line);
	free(line);
	(void)fclose(file);
	(void)snprintf(tree->sys, sizeof(tree->sys), "%s/sys", tree->top);
	(void)snprintf(tree->proc, sizeof(tree->proc), "%s/proc", tree->top);
	tree->roots =
		(struct device_roots){.sys = tree->sys, .proc = tree->proc, .dev = "/dev"};
}

static inline int tree_remove(const char *path, const struct stat *st, int type,
			      struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static inline void tree_close(struct tree *tree)
{
	(void)nftw(tree->top, tree_remove, 16, FTW_DEPTH | FTW_PHYS);
}
