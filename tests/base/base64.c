/* Bytes as text and back. Vectors of RFC 4648; seed 3. */
#include "base/base64.h"

#include "unit.h"

#include <string.h>

#include "base/rng.h"

static void vectors_of_the_standard(void **state)
{
	static const char *const pairs[][2] = {
		{"", ""},
		{"f", "Zg=="},
		{"fo", "Zm8="},
		{"foo", "Zm9v"},
		{"foob", "Zm9vYg=="},
		{"fooba", "Zm9vYmE="},
		{"foobar", "Zm9vYmFy"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		size_t length = strlen(pairs[i][0]);
		autostr text = {0};
		char bytes[16];

		base64_add(&text, pairs[i][0], length);
		assert_string_equal(str_text(&text), pairs[i][1]);
		assert_int_equal(base64_decode(pairs[i][1], text.length, bytes), length);
		assert_memory_equal(bytes, pairs[i][0], length);
	}
}

static void all_bytes_come_back(void **state)
{
	unsigned char bytes[300], back[BASE64_ROOM(400)];
	struct rng rng;

	(void)state;
	rng_seed(&rng, 3, 0);
	for (unsigned round = 0; round < 300; round++) {
		autostr text = {0};

		for (unsigned i = 0; i < round; i++)
			bytes[i] = (unsigned char)rng_next(&rng);
		base64_add(&text, bytes, round);
		assert_int_equal(base64_decode(str_text(&text), text.length, back), round);
		assert_memory_equal(bytes, back, round);
	}
}

static void what_is_no_such_text_is_refused(void **state)
{
	static const char *const bad[] = {
		"Z", "Zg", "Zg=", "Zg= ", "Z===", "Zm9v!", "Zh==", "=Zg=", "Zm9=", "Zm9vZ==="};
	char bytes[16];

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(base64_decode(bad[i], strlen(bad[i]), bytes), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_of_the_standard),
		cmocka_unit_test(all_bytes_come_back),
		cmocka_unit_test(what_is_no_such_text_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
