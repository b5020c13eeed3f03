/* Languages: the tables are whole and sorted, formats agree, what was filled in is found again. */
#include "base/lang.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
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
		format += 1 + strspn(format + 1, " #+-$0123456789.*hlzj");
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

		assert_true(count > 900);
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
	unsetenv("LC_CTYPE");
	unsetenv("LANGUAGE");
	setenv("LANG", "ja_JP.UTF-8", 1);
	assert_int_equal(lang_of_environment(), LANG_JA);
	assert_true(lang_environment_is_utf8());
	setenv("LC_ALL", "C", 1);
	assert_int_equal(lang_of_environment(), LANG_EN);
	assert_false(lang_environment_is_utf8());
	setenv("LC_ALL", "", 1);
	setenv("LC_MESSAGES", "zh_CN.GBK", 1);
	assert_int_equal(lang_of_environment(), LANG_ZH);
	assert_true(lang_environment_is_utf8()); /* signs are LC_CTYPE's, of LANG here */
	assert_int_equal(lang_of_messages(), LANG_ZH);
	setenv("LC_CTYPE", "zh_CN.GBK", 1);
	assert_false(lang_environment_is_utf8());
	assert_int_equal(lang_of_messages(), LANG_EN);
	unsetenv("LC_CTYPE");
	unsetenv("LC_MESSAGES");
	unsetenv("LANG");
	assert_int_equal(lang_of_environment(), LANG_EN);
}

static void language_goes_before_unless_the_locale_is_c(void **state)
{
	static const struct {
		const char *lang, *list;
		enum lang want;
	} table[] = {
		{"zh_CN.UTF-8", "ja", LANG_JA},
		{"zh_CN.UTF-8", "", LANG_ZH},
		{"zh_CN.UTF-8", "de:fr", LANG_ZH}, /* none of ours: the locale's */
		{"zh_CN.UTF-8", "de:en_GB:ja", LANG_EN},
		{"de_DE.UTF-8", ":::ja_JP.UTF-8:zh", LANG_JA},
		{"C", "ja", LANG_EN},
		{"C.UTF-8", "ja", LANG_EN},
		{"POSIX", "zh", LANG_EN},
		{"../../etc/passwd", "%s%n:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:zh", LANG_ZH},
		{"zh", "\xff\xfe", LANG_ZH},
		{"zh/../ja", NULL, LANG_EN},
		{"%s%s%s%n", NULL, LANG_EN},
	};

	(void)state;
	unsetenv("LC_ALL");
	unsetenv("LC_MESSAGES");
	for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		setenv("LANG", table[i].lang, 1);
		if (table[i].list)
			setenv("LANGUAGE", table[i].list, 1);
		else
			unsetenv("LANGUAGE");
		assert_int_equal(lang_of_environment(), table[i].want);
	}
	unsetenv("LANGUAGE");
	unsetenv("LANG");
}

static __attribute__((format(printf, 2, 3))) void fills(const char *want, const char *fmt, ...)
{
	autostr out = {0};
	va_list args;

	va_start(args, fmt);
	lang_vprintf(LANG_ZH, &out, fmt, args);
	va_end(args);
	assert_string_equal(str_text(&out), want);
}

static void formats_are_filled_in_their_own_order(void **state)
{
	(void)state;
	fills("quick：/data 上只剩 12 MiB；其十分之一作文件太小："
	      "请指定别的文件夹，或给出 --size=16m",
	      "quick: only %llu MiB are free on %s; a tenth of it is too small a file: name "
	      "another folder, or give --size=16m",
	      12ull, "/data");
	/* a cause is the program's, and what stands in quotation marks is not */
	fills("无法打开“is a directory”：是一个目录", "cannot open \"%s\": %s",
	      "is a directory", "is a directory");
	fills("“4kB”可以指两种大小：1024 的幂写 4k，1000 的幂写 4kB",
	      "\"%s\" can mean two sizes: write %.*s%c for powers of 1024, or %.*s%cB for powers "
	      "of 1000",
	      "4kB", 1, "4kB", 'k', 1, "4kB", 'k');
	fills("r17 没有标签“a”", "r%" PRId64 " has no tag \"%s\"", (int64_t)17, "a");
	/* hostile: percent signs, the separator, nothing */
	fills("“%s%n$%1$s”不存在", "\"%s\" does not exist", "%s%n$%1$s");
	fills("\"a\x1f\" does not exist", "\"%s\" does not exist", "a\x1f");
	fills("“”不存在", "\"%s\" does not exist", "");
	fills("no format of ours 7", "no format of ours %d", 7);
}

static void errors_carry_both_languages(void **state)
{
	struct err err = {0}, copy = {0};

	(void)state;
	setenv("LANG", "ja_JP.UTF-8", 1);
	assert_int_equal(err_input(&err, "more than %d targets", 4), -EINVAL);
	err_context(&err, "line %u", 3);
	assert_string_equal(err.text, "line 3: more than 4 targets");
	assert_string_equal(err_said(&err), "3 行目: 対象が 4 個を超える");
	assert_int_equal(err_copy(&copy, &err), -EINVAL);
	assert_string_equal(err_said(&copy), err_said(&err));
	unsetenv("LANG");
	copy = (struct err){0};
	(void)err_input(&copy, "more than %d targets", 4);
	assert_string_equal(err_said(&copy), copy.text);
	assert_int_equal(err_copy(&copy, &err), -EINVAL); /* the first cause stays */
	assert_string_equal(err_said(&copy), "more than 4 targets");
}

/* Cut within a sign a text would be no UTF-8. */
static void a_long_cause_is_cut_between_signs(void **state)
{
	char name[1200];

	(void)state;
	setenv("LANG", "zh_CN.UTF-8", 1);
	for (unsigned shift = 0; shift < 3; shift++) {
		struct err err = {0};
		size_t length = shift;

		memset(name, 'x', shift);
		while (length + 4 < sizeof(name)) {
			memcpy(name + length, "盘", 3);
			length += 3;
		}
		name[length] = '\0';
		(void)err_input(&err, "\"%s\" does not exist", name);
		length = strlen(err.said);
		assert_in_range(length, sizeof(err.said) - 3, sizeof(err.said) - 1);
		assert_memory_equal(err.said + length - 3, "盘", 3);
	}
	unsetenv("LANG");
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
	/* what a format holds is said too, unless it is somebody's or too little agrees */
	say(LANG_ZH,
	    "sda is in use: vda is mounted on /. To write it, first unmount it; "
	    "nothing overrides this",
	    "sda 正在使用：vda 挂载在 /。若要写入，"
	    "请先卸载它；没有任何选项能越过此限制");
	say(LANG_ZH, "my disk: a file of mine", "my disk: a file of mine");
	/* several, joined; a name before */
	say(LANG_ZH, "the whole device; of nobody; the whole file",
	    "整个设备; of nobody; 整个文件");
	say(LANG_ZH, "step 3: no file (null engine)", "step 3: 无文件（null 引擎）");
}

static void as_many_signs_as_fit(void **state)
{
	autostr out = {0};

	(void)state;
	str_add_columns(&out, "延迟ab", 3);
	assert_string_equal(str_text(&out), "延");
	str_clear(&out);
	str_add_columns(&out, "a延b", 4);
	assert_string_equal(str_text(&out), "a延b");
	str_clear(&out);
	str_add_columns(&out, "µs", 0);
	assert_string_equal(str_text(&out), "");
}

#define FLAGS " #+-$0123456789.*hlzj" /* and sizes, before a conversion */

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
			} else if (*c == '%' && c[1] != ' ' && c[1 + strspn(c + 1, FLAGS)]) {
				c += strspn(c + 1, FLAGS) + 1;
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
		cmocka_unit_test(language_goes_before_unless_the_locale_is_c),
		cmocka_unit_test(formats_are_filled_in_their_own_order),
		cmocka_unit_test(errors_carry_both_languages),
		cmocka_unit_test(a_long_cause_is_cut_between_signs),
		cmocka_unit_test(what_was_filled_in_is_found_by_its_format),
		cmocka_unit_test(as_many_signs_as_fit),
		cmocka_unit_test(every_format_is_found_again),
		cmocka_unit_test(wide_signs_take_two_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
