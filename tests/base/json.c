/* The writer's layout and quoting: examples, with UTF-8's edges from RFC 3629. */
#include "base/json.h"

#include "base/bits.h"
#include "unit.h"

static void check_quoting(const char *text, const char *want)
{
	struct json json;
	autostr out = {0};

	json_init_compact(&json, &out);
	json_open_array(&json, NULL);
	json_add_string(&json, NULL, text);
	json_close_array(&json);
	assert_string_equal(str_text(&out), want);
}

static void layout_is_fios(void **state)
{
	struct json json;
	autostr out = {0};

	(void)state;
	json_init(&json, &out);
	json_open_object(&json, NULL);
	json_add_u64(&json, "a", 1);
	json_open_array(&json, "b");
	json_add_double(&json, NULL, 0.5);
	json_add_null(&json, NULL);
	json_close_array(&json);
	json_close_object(&json);
	assert_string_equal(str_text(&out), "{\n  \"a\" : 1,\n  \"b\" : [\n    0.500000,\n"
					    "    null\n  ]\n}");
}

static void what_json_forbids_is_escaped(void **state)
{
	(void)state;
	check_quoting("a\"b\\c\n\x01", "[\"a\\\"b\\\\c\\u000a\\u0001\"]");
}

static void utf8_passes_and_other_bytes_are_replaced(void **state)
{
	static const char *const good[] = {
		"\xc2\x80",	"\xdf\xbf",	"\xe0\xa0\x80",	    "\xed\x9f\xbf",
		"\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"};
	static const struct {
		const char *text, *want;
	} bad[] = {
		{"\x80", "[\"\\ufffd\"]"},
		{"x\xff", "[\"x\\ufffd\"]"},
		{"\xc3", "[\"\\ufffd\"]"},
		{"\xc3(", "[\"\\ufffd(\"]"},
		{"\xe2\x82", "[\"\\ufffd\\ufffd\"]"},
		{"\xc0\xaf", "[\"\\ufffd\\ufffd\"]"},
		{"\xed\xa0\x80", "[\"\\ufffd\\ufffd\\ufffd\"]"},
		{"\xf4\x90\x80\x80", "[\"\\ufffd\\ufffd\\ufffd\\ufffd\"]"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		autostr want = {0};

		str_printf(&want, "[\"%s\"]", good[i]);
		check_quoting(good[i], str_text(&want));
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		check_quoting(bad[i].text, bad[i].want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layout_is_fios),
		cmocka_unit_test(what_json_forbids_is_escaped),
		cmocka_unit_test(utf8_passes_and_other_bytes_are_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
