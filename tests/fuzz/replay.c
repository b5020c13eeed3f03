/*
 * Runs a fuzz target without libFuzzer: each file of the corpus (argv[1]), and of each a
 * fixed number of mutations (argv[2]), the same ones every time: seed 20263.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/rng.h"
#include "fuzz/fuzz.h"

#define INPUT_MAX 4096

/* One to four edits: a byte changed, a piece removed, doubled, or moved over another. */
static size_t mutate(struct rng *rng, uint8_t *data, size_t bytes)
{
	for (uint64_t edits = 1 + rng_below(rng, 4); edits && bytes; edits--) {
		size_t at = rng_below(rng, bytes), length = 1 + rng_below(rng, 8);

		length = length < bytes - at ? length : bytes - at;
		switch (rng_below(rng, 4)) {
		case 0:
			data[at] = (uint8_t)rng_below(rng, 256);
			break;
		case 1:
			memmove(data + at, data + at + length, bytes - at - length);
			bytes -= length;
			break;
		case 2:
			if (bytes + length > INPUT_MAX)
				break;
			memmove(data + at + length, data + at, bytes - at);
			bytes += length;
			break;
		case 3:
			length = length < bytes / 2 ? length : bytes / 2;
			memmove(data + rng_below(rng, bytes - length),
				data + rng_below(rng, bytes - length), length);
			break;
		}
	}
	return bytes;
}

static void replay(struct rng *rng, const struct str *text, unsigned mutations)
{
	(void)LLVMFuzzerTestOneInput((const uint8_t *)text->text, text->length);
	for (unsigned i = 0; i < mutations; i++) {
		uint8_t data[INPUT_MAX];
		size_t bytes = text->length < INPUT_MAX ? text->length : INPUT_MAX;

		memcpy(data, text->text, bytes);
		bytes = mutate(rng, data, bytes);
		(void)LLVMFuzzerTestOneInput(data, bytes);
	}
}

int main(int argc, char **argv)
{
	struct dirent **names;
	struct rng rng;
	int count;

	if (argc != 3)
		return 2;
	rng_seed(&rng, 20263, 0);
	count = scandir(argv[1], &names, NULL, alphasort);
	if (count <= 2)
		return 1; /* an empty corpus proves nothing */
	for (int i = 0; i < count; i++) {
		autostr path = {0}, text = {0};

		str_printf(&path, "%s/%s", argv[1], names[i]->d_name);
		if (!file_read(str_text(&path), 1 << 20, &text) && text.length)
			replay(&rng, &text, (unsigned)strtoul(argv[2], NULL, 10));
		free(names[i]);
	}
	free(names);
	return 0;
}
