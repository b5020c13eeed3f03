/* Markup looked at as text: what is opened is closed, and how often something stands in it. */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "base/str.h"
#include "unit.h"

static inline unsigned count_of(const char *text, const char *what)
{
	unsigned count = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		count++;
	return count;
}

/* Every element that is opened is closed, in order: enough of XML for what svg.c writes. */
static inline void assert_balanced(const char *text)
{
	const char *stack[32];
	size_t length[32];
	unsigned depth = 0;

	for (; (text = strchr(text, '<')); text++) {
		const char *end = strchr(text, '>');
		bool close = text[1] == '/';
		const char *name = text + 1 + close;
		size_t n = strcspn(name, " />\n");

		assert_non_null(end);
		if (text[1] == '!' || text[1] == '?' || end[-1] == '/' ||
		    !strncmp(name, "meta", 4) || !strncmp(name, "link ", 5))
			continue;
		if (!close) {
			assert_true(depth < 32);
			stack[depth] = name;
			length[depth++] = n;
			continue;
		}
		assert_true(depth > 0);
		depth--;
		assert_true(n == length[depth] && !strncmp(stack[depth], name, n));
	}
	assert_int_equal(depth, 0);
}

/* The page without its own script, in which "<" compares. */
static inline void without_script(struct str *page)
{
	char *at = page->text ? strstr(page->text, "<script>/*") : NULL;
	char *end = at ? strstr(at, "</script>") : NULL;

	if (!end)
		return;
	memmove(at, end + strlen("</script>"), strlen(end + strlen("</script>")) + 1);
	page->length = strlen(page->text);
}
