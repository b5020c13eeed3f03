#include "result/anonymous.h"

#include <ctype.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/library.h"
#include "base/memory.h"
#include "result/json_read_priv.h"
#include "result/native_json_read_priv.h"

#define SECRETS_MAX  4000
#define SECRET_BYTES 3 /* shorter ones are hidden in their own fields only */

#define CALLS(X) X(EVP_Digest) X(EVP_sha256)

struct crypto {
	CALLS(LIBRARY_CALL)
};

static int crypto_open(struct crypto *ret_crypto, struct err *err)
{
	static const char *const names[] = {CALLS(LIBRARY_NAME)};
	static const struct library library = {
		"libcrypto.so." LIBRARY_TEXT(OPENSSL_SHLIB_VERSION), "libssl3", names,
		ARRAY_SIZE(names)};

	return library_open(&library, ret_crypto, sizeof(*ret_crypto), err);
}

struct hiding {
	const struct anonymous *who;
	struct crypto crypto;
	struct arena arena;
	const char *secrets[SECRETS_MAX]; /* the longest first, before any is replaced */
	unsigned count;
};

static void add_digest(const struct hiding *hiding, const char *text, size_t length,
		       struct str *out)
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned bytes = 0;
	autostr salted = {0};

	str_add(&salted, hiding->who->salt);
	str_add_bytes(&salted, text, length);
	str_add(out, "anon-");
	if (!hiding->crypto.EVP_Digest(salted.text, salted.length, digest, &bytes,
				       hiding->crypto.EVP_sha256(), NULL))
		bytes = 0; /* then it is hidden all the same */
	for (unsigned i = 0; i < bytes && i < 6; i++)
		str_printf(out, "%02x", digest[i]);
}

static void add_secret(struct hiding *hiding, const char *text)
{
	if (!text || strlen(text) < SECRET_BYTES || hiding->count == SECRETS_MAX)
		return;
	for (unsigned i = 0; i < hiding->count; i++)
		if (str_equal(hiding->secrets[i], text))
			return;
	hiding->secrets[hiding->count++] = arena_strdup(&hiding->arena, text);
}

static int longer_first(const void *a, const void *b)
{
	size_t one = strlen(*(const char *const *)a), other = strlen(*(const char *const *)b);

	return one < other ? 1 : one > other ? -1 : 0;
}

/* --- which texts are secret --- */

static bool is_kernel_name(const char *path, size_t length)
{
	if (length < 6 || strncmp(path, "/dev/", 5) != 0)
		return length < 2; /* "/" */
	for (size_t i = 5; i < length; i++)
		if (!isalnum((unsigned char)path[i]) && path[i] != '-')
			return false;
	return true;
}

static bool is_path_key(const char *key)
{
	static const char *const keys[] = {"path",	"mount_point", "source", "filename",
					   "directory", "mem_path",    "through"};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (str_equal(key, keys[i]))
			return true;
	return false;
}

static void collect_text(struct hiding *hiding, const char *key, const char *text)
{
	bool path = is_path_key(key) && !is_kernel_name(text, strlen(text));

	/* A model is told as such: its name is no secret, where its file lies is. */
	if (path && str_starts(text, "sim:")) {
		text += strlen("sim:");
		path = strchr(text, '/') != NULL;
	}
	if (path || str_equal(key, "serial"))
		add_secret(hiding, text);
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the JSON, which jansson limits to 2,048 */
static void collect(struct hiding *hiding, const json_t *value)
{
	const json_t *one;
	const char *key;
	size_t i;

	if (json_is_array(value)) {
		/* A pair of key and value, as given. */
		if (json_array_size(value) == 2 && json_is_string(json_array_get(value, 0)) &&
		    json_is_string(json_array_get(value, 1)))
			collect_text(hiding, json_string_value(json_array_get(value, 0)),
				     json_string_value(json_array_get(value, 1)));
		json_array_foreach(value, i, one) collect(hiding, one);
	}
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): only const is cast away */
	json_object_foreach((json_t *)(uintptr_t)value, key, one)
	{
		if (json_is_string(one))
			collect_text(hiding, key, json_string_value(one));
		if (str_equal(key, "host") && json_is_object(one))
			add_secret(hiding, json_string_value(json_object_get(one, "name")));
		collect(hiding, one);
	}
}

/* --- replacing --- */

/* A name inside another word is not that name. */
static size_t secret_at(const struct hiding *hiding, const char *text, const char *begin)
{
	bool inside = text > begin && isalnum((unsigned char)text[-1]);

	for (unsigned i = 0; i < hiding->count; i++) {
		size_t length = strlen(hiding->secrets[i]);

		if (!inside && strncmp(text, hiding->secrets[i], length) == 0 &&
		    !isalnum((unsigned char)text[length]))
			return length;
	}
	return 0;
}

/* An absolute path begins here: its length up to a blank, a quote or a separator. */
static size_t path_at(const char *text, const char *begin)
{
	size_t length;

	if (*text != '/' ||
	    (text > begin && (isalnum((unsigned char)text[-1]) || strchr("/.-_", text[-1]))))
		return 0;
	length = strcspn(text, " \t\n\"',;:()=");
	return is_kernel_name(text, length) ? 0 : length;
}

/* A UUID (root=UUID=… of a command line) names a machine's disk as well as a serial number. */
static size_t uuid_at(const char *text, const char *begin)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	size_t at;

	if (text > begin && isalnum((unsigned char)text[-1]))
		return 0;
	for (at = 0; form[at]; at++) {
		bool fits =
			form[at] == 'x' ? isxdigit((unsigned char)text[at]) : text[at] == '-';

		if (!fits)
			return 0;
	}
	return isalnum((unsigned char)text[at]) ? 0 : at;
}

static void hide_text(const struct hiding *hiding, const char *text, struct str *out)
{
	for (const char *at = text; *at;) {
		size_t length = secret_at(hiding, at, text);

		if (!length)
			length = path_at(at, text);
		if (!length)
			length = uuid_at(at, text);
		if (length)
			add_digest(hiding, at, length, out);
		else
			str_add_char(out, *at);
		at += length ? length : 1;
	}
}

/* However short: a serial number, the host's name. */
static bool is_whole_secret(const char *owner, const char *key, const json_t *value)
{
	return json_is_string(value) && (str_equal(key, "serial") ||
					 (str_equal(owner, "host") && str_equal(key, "name")));
}

/* Counts in base64, in which a "/" begins no path. */
static bool is_bytes(const char *key)
{
	return str_equal(key, "histogram");
}

static json_t *hidden_whole(const struct hiding *hiding, const json_t *value)
{
	autostr text = {0};

	add_digest(hiding, json_string_value(value), json_string_length(value), &text);
	return json_string(str_text(&text));
}

/* `owner` is the key that the value stands under. */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as the JSON, which jansson limits to 2,048 */
static json_t *hidden(const struct hiding *hiding, const json_t *value, const char *owner)
{
	json_t *copy, *one;
	const char *key;
	size_t i;

	if (json_is_string(value)) {
		autostr text = {0};

		hide_text(hiding, json_string_value(value), &text);
		return json_string(str_text(&text));
	}
	if (json_is_array(value)) {
		copy = json_array();
		json_array_foreach(value, i, one)(void)
			json_array_append_new(copy, hidden(hiding, one, ""));
		return copy;
	}
	if (!json_is_object(value))
		return json_deep_copy(value);
	copy = json_object();
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): only const is cast away */
	json_object_foreach((json_t *)(uintptr_t)value, key, one)
	{
		json_t *other = is_whole_secret(owner, key, one) ? hidden_whole(hiding, one)
				: is_bytes(key)			 ? json_deep_copy(one)
								 : hidden(hiding, one, key);
		autostr name = {0};

		hide_text(hiding, key, &name); /* a mount point may be one */
		(void)json_object_set_new(copy, str_text(&name), other);
	}
	return copy;
}

int anonymous_json(const struct str *text, const struct anonymous *anonymous,
		   struct str *ret_text, struct err *err)
{
	struct hiding *hiding = memory_zeroed(1, sizeof(*hiding));
	json_t *root = json_read_parse(str_text(text), text->length, err), *copy;
	char *dump = NULL;

	if (root && !crypto_open(&hiding->crypto, err)) {
		hiding->who = anonymous;
		arena_init(&hiding->arena);
		add_secret(hiding, anonymous->host);
		add_secret(hiding, anonymous->user);
		collect(hiding, root);
		qsort(hiding->secrets, hiding->count, sizeof(hiding->secrets[0]), longer_first);
		copy = hidden(hiding, root, "");
		dump = json_dumps(copy, JSON_INDENT(2));
		json_decref(copy);
		arena_done(&hiding->arena);
	}
	free(hiding);
	json_decref(root);
	if (!dump)
		return err_env(err, -ENOMEM, "the export could not be made anonymous");
	str_add(ret_text, dump);
	str_add_char(ret_text, '\n');
	free(dump);
	return 0;
}
