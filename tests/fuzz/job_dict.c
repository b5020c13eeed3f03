/* Prints the fuzzer's dictionary for the job language from the option table: every name,
 * every alias, every word of a choice, every default. */
#include <ctype.h>
#include <stdio.h>

#include "job/options.h"

static void print_token(const char *text, const char *behind)
{
	(void)putchar('"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			(void)printf("\\%c", c);
		else if (isprint(c))
			(void)putchar(c);
		else
			(void)printf("\\x%02x", c);
	}
	(void)printf("%s\"\n", behind);
}

int main(void)
{
	static const char *const tokens[] = {
		"k",	 "kiB",	   "MB",	 "us",	  "ms",	  "%",	   "\n",     "0x",
		"zipf:", "zoned:", "zoned_abs:", "bind:", "EIO:", "iops:", "4k/50:", "1k-4k,"};

	for (const struct opt *opt = opt_next(NULL); opt; opt = opt_next(opt)) {
		print_token(opt->name, "=");
		if (opt->alias)
			print_token(opt->alias, "=");
		if (opt->def)
			print_token(opt->def, "");
		for (const struct opt_word *word = opt->words; word && word->text; word++)
			print_token(word->text, "");
	}
	for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++)
		print_token(tokens[i], "");
	return 0;
}
