/* Languages: the tables are whole and sorted, formats agree, what was filled in is found again. */
#include "base/lang.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

/* The conversions of a format in the order of its arguments, flags left out. */
static void conversions(const char *format, char kinds[16])
{
	unsigned next = 0;

	memset(kinds, 0, 16);
	for (; (format = strchr(format, '%')); format++) {
		unsigned at = next;

		if (format[1] == '%') {
			format++;
			continue;
		}
		if (format[1] >= '1' && format[1] <= '9' && format[2] == '$')
			at = (unsigned)(format[1] - '1');
		else
			next++;
		format += 1 + strspn(format + 1, " #+-$0123456789.hlzj");
		assert_true(at < 16);
		if (!*format)
			return;
		if (strchr("duxfgsc", *format)) /* "95 % bounds" holds none */
			kinds[at] = *format;
	}
}

static void tables_are_sorted_and_formats_agree(void **state)
{
	(void)state;
	for (enum lang lang = LANG_ZH; lang < NLANGS; lang++) {
		unsigned count;
		const struct lang_entry *entries = lang_entries(lang, &count);

		assert_true(count > 200);
		for (unsigned i = 0; i < count; i++) {
			char english[16], other[16];

			if (i)
				assert_true(strcmp(entries[i - 1].english, entries[i].english) <
					    0);
			if (str_starts(entries[i].english, "%Y"))
				continue; /* a date's, not printf's */
			conversions(entries[i].english, english);
			conversions(entries[i].text, other);
			if (memcmp(english, other, 16) != 0)
				print_error("%s\n", entries[i].english);
			assert_memory_equal(english, other, 16);
			assert_string_equal(lang_text(lang, entries[i].english),
					    entries[i].text);
		}
	}
}

static void names_of_locales_are_known(void **state)
{
	static const struct {
		const char *name;
		int lang;
	} table[] = {{"zh", LANG_ZH},
		     {"zh_CN.UTF-8", LANG_ZH},
		     {"zh-TW", LANG_ZH},
		     {"ja", LANG_JA},
		     {"ja_JP.utf8", LANG_JA},
		     {"en_GB", LANG_EN},
		     {"zhx", -1},
		     {"", -1},
		     {"C", -1},
		     {"de_DE.UTF-8", -1}};

	(void)state;
	for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		enum lang lang = LANG_EN;

		assert_int_equal(lang_parse(table[i].name, &lang), table[i].lang >= 0);
		if (table[i].lang >= 0)
			assert_int_equal(lang, table[i].lang);
	}
}

static void the_first_variable_that_is_set_decides(void **state)
{
	(void)state;
	unsetenv("LC_ALL");
	unsetenv("LC_MESSAGES");
	setenv("LANG", "ja_JP.UTF-8", 1);
	assert_int_equal(lang_of_environment(), LANG_JA);
	assert_true(lang_environment_is_utf8());
	setenv("LC_ALL", "C", 1);
	assert_int_equal(lang_of_environment(), LANG_EN);
	assert_false(lang_environment_is_utf8());
	setenv("LC_ALL", "", 1);
	setenv("LC_MESSAGES", "zh_CN.GBK", 1);
	assert_int_equal(lang_of_environment(), LANG_ZH);
	assert_false(lang_environment_is_utf8());
	unsetenv("LC_MESSAGES");
	unsetenv("LANG");
	assert_int_equal(lang_of_environment(), LANG_EN);
}

static void say(enum lang lang, const char *text, const char *want)
{
	autostr out = {0};

	lang_say(lang, text, &out);
	assert_string_equal(str_text(&out), want);
}

static void what_was_filled_in_is_found_by_its_format(void **state)
{
	(void)state;
	say(LANG_EN, "read: 3 requests", "read: 3 requests");
	say(LANG_ZH, "pass", "通过");
	say(LANG_ZH, "16 CPUs", "16 个 CPU");
	/* arguments in another order, one left out, a per cent sign */
	say(LANG_ZH, "70 of 100 due were done (70.0 %)",
	    "到期的 100 个请求完成了 70 个（70.0 %）");
	say(LANG_JA, "3 workers died by SIGKILL: figures end there",
	    "3 個の worker が SIGKILL で終了：数値はそこまで");
	say(LANG_JA, "a name of nobody: and nothing like any format",
	    "a name of nobody: and nothing like any format");
	say(LANG_JA, "", "");
}

/* Every entry, filled in with words, comes back with the same words. */
static void every_format_is_found_again(void **state)
{
	unsigned count;
	const struct lang_entry *entries = lang_entries(LANG_ZH, &count);

	(void)state;
	for (unsigned i = 0; i < count; i++) {
		autostr filled = {0}, out = {0};
		unsigned words = 0, letters = 0;
		const char *c;

		for (c = entries[i].english; *c; c++) {
			if (*c == '%' && c[1] == '%') {
				str_add_char(&filled, *c++);
			} else if (*c == '%') {
				c += strspn(c + 1, " #+-$0123456789.hlzj") + 1;
				str_printf(&filled, "<%u>", words++);
			} else {
				letters++;
				str_add_char(&filled, *c);
			}
		}
		if (!words || letters < 12 || str_starts(entries[i].english, "%Y"))
			continue;
		lang_say(LANG_ZH, filled.text, &out);
		assert_string_not_equal(str_text(&out), filled.text);
	}
}

static void wide_signs_take_two_columns(void **state)
{
	(void)state;
	assert_int_equal(str_columns("abc"), 3);
	assert_int_equal(str_columns("µ–é"), 3);
	assert_int_equal(str_columns("延迟，"), 6);
	assert_int_equal(str_columns("レイテンシ p99"), 14);
	assert_int_equal(str_columns("한글 ＡＢ"), 9);
	assert_false(str_is_wide("\xe5"));
	assert_false(str_is_wide("\xe5\xbb"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_sorted_and_formats_agree),
		cmocka_unit_test(names_of_locales_are_known),
		cmocka_unit_test(the_first_variable_that_is_set_decides),
		cmocka_unit_test(what_was_filled_in_is_found_by_its_format),
		cmocka_unit_test(every_format_is_found_again),
		cmocka_unit_test(wide_signs_take_two_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
