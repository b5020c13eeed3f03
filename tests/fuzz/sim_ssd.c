/*
 * Any sequence of operations on a translation layer keeps its invariants. The first four bytes
 * choose its shape, each further one an operation on a page: 6 bits of page, 2 of operation.
 */
#include "base/assert.h"
#include "fuzz/fuzz.h"
#include "sim/ftl.h"

#define CHECK_EVERY 32

static void operate(struct ftl *ftl, uint8_t byte)
{
	uint32_t page = (uint32_t)((byte >> 2) * ftl->config.user_pages / 64);

	switch (byte & 3) {
	case 0:
	case 1:
		ftl_write(ftl, page);
		break;
	case 2:
		ftl_trim(ftl, page);
		break;
	case 3:
		if (byte >> 2 == 0)
			(void)ftl_collect(ftl);
		else
			for (uint32_t i = 0; i < ftl->config.user_pages; i++)
				ftl_write(ftl,
					  (i * 7 + page) % (uint32_t)ftl->config.user_pages);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct ftl ftl;
	struct arena arena;
	struct ftl_config config;

	if (bytes < 4 || bytes > 4096)
		return 0;
	config = (struct ftl_config){
		.user_pages = 1 + data[0],
		.pages_per_block = 1 + data[1] % 16,
		.policy = (enum gc_policy)(data[2] % 3),
		.choices = data[2] / 3 % 8,
		.wear_delta = data[3] % 32,
		.gc_stream = data[3] & 128,
		.seed = data[3],
	};
	config.blocks = ftl_blocks_for(config.user_pages, config.pages_per_block,
				       1000 * (uint32_t)data[2]) +
			data[2] % 4;
	if (ftl_check(&config, NULL))
		return 0;
	arena_init(&arena);
	ftl_init(&ftl, &arena, &config);
	for (size_t i = 4; i < bytes; i++) {
		uint64_t erases = ftl.counts.erases;

		operate(&ftl, data[i]);
		assert(ftl.counts.erases >= erases);
		if (i % CHECK_EVERY == 0)
			assert(!ftl_broken(&ftl));
	}
	assert(!ftl_broken(&ftl));
	arena_done(&arena);
	return 0;
}
