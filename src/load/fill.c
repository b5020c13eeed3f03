#include "load/fill.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/lang.h"
#include "base/rng.h"

/* How many different blocks a duplicate may repeat: the last ones. */
#define DEDUPE_RECENT 64

#define SCRAMBLE_BYTES 512 /* each stretch of so many gets small edits */

enum fill_kind {
	FILL_ZERO,
	FILL_PATTERN,
	FILL_ONCE,     /* one random content for all, never touched again */
	FILL_SCRAMBLE, /* the same, with small edits in each 512 bytes (fio's default) */
	FILL_FRESH,    /* new random data in each write */
	FILL_SHAPED,   /* new in each write, compressible or duplicate in part */
};

/* Half a key: what a vector register of every x86-64 and arm64 holds. */
typedef uint64_t fill_word __attribute__((vector_size(16), aligned(1), may_alias));

struct fill_key {
	fill_word half[2];
};

struct fill {
	void (*next)(struct fill *fill, uint8_t *buf, uint32_t bytes, uint64_t offset);
	enum fill_kind kind;
	struct rng rng;
	const uint8_t *pool;
	const struct pattern *pattern;
	bool reads; /* reads land in the same buffers, so constant content is put back */
	/* shaped */
	uint32_t chunk_bytes, random_bytes; /* of each chunk the first bytes are random */
	uint32_t unit_bytes;		    /* what is duplicated at once */
	uint64_t dedupe_upto;		    /* of 2^32 */
	uint64_t recent[DEDUPE_RECENT];
	unsigned nrecent, newest;
};

/* --- random runs --- */

/* 64 bytes a turn, four registers. */
static void xor_copy(uint8_t *to, const uint8_t *from, size_t bytes, const struct fill_key *key)
{
	fill_word k0 = key->half[0], k1 = key->half[1];
	size_t i = 0;

	for (; i + 64 <= bytes; i += 64) {
		const fill_word *f = (const fill_word *)(from + i);
		fill_word *t = (fill_word *)(to + i);

		t[0] = f[0] ^ k0;
		t[1] = f[1] ^ k1;
		t[2] = f[2] ^ k0;
		t[3] = f[3] ^ k1;
	}
	for (; i < bytes;
	     i++) /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
		to[i] = from[i] ^ ((const uint8_t *)key)[i % sizeof(*key)];
}

/* At most FILL_RUN_BYTES. */
static void fill_run(const struct fill *fill, struct rng *rng, uint8_t *to, size_t bytes)
{
	uint64_t place = rng_next(rng) & (FILL_POOL_BYTES - FILL_RUN_BYTES - 1);
	struct fill_key key = {
		{{rng_next(rng), rng_next(rng)}, {rng_next(rng), rng_next(rng)}}};

	debug_assert(bytes <= FILL_RUN_BYTES);
	xor_copy(to, fill->pool + (place & ~(uint64_t)7), bytes, &key);
}

static void fill_random(const struct fill *fill, struct rng *rng, uint8_t *to, size_t bytes)
{
	while (bytes) {
		size_t run = bytes < FILL_RUN_BYTES ? bytes : FILL_RUN_BYTES;

		fill_run(fill, rng, to, run);
		to += run;
		bytes -= run;
	}
}

/* --- constant content --- */

static void put_zero(struct fill *fill, uint8_t *buf, uint32_t bytes, uint64_t offset)
{
	(void)fill, (void)offset;
	memset(buf, 0, bytes);
}

/* Doubles what is there: log2(bytes / count) copies. */
static void put_pattern(const struct fill *fill, uint8_t *buf, size_t bytes)
{
	size_t done = fill->pattern->count < bytes ? fill->pattern->count : bytes;

	memcpy(buf, fill->pattern->bytes, done);
	while (done < bytes) {
		size_t more = done < bytes - done ? done : bytes - done;

		memcpy(buf + done, buf, more);
		done += more;
	}
}

static void next_pattern(struct fill *fill, uint8_t *buf, uint32_t bytes, uint64_t offset)
{
	(void)offset;
	put_pattern(fill, buf, bytes);
}

/* --- changing content --- */

static void next_fresh(struct fill *fill, uint8_t *buf, uint32_t bytes, uint64_t offset)
{
	(void)offset;
	fill_random(fill, &fill->rng, buf, bytes);
}

/* 24 bytes of each 512, at a place that moves: 16 of random and 8 of the address. */
static void next_scramble(struct fill *fill, uint8_t *buf, uint32_t bytes, uint64_t offset)
{
	uint64_t random[2] = {rng_next(&fill->rng), rng_next(&fill->rng)};
	size_t first = (random[0] >> 59) * 8, second = 256 + (random[1] >> 60) * 8;

	for (size_t at = 0; at + SCRAMBLE_BYTES <= bytes; at += SCRAMBLE_BYTES) {
		uint64_t address = offset + at;

		random[0] += address;
		memcpy(buf + at + (first & 0xf8), random, sizeof(random));
		memcpy(buf + at + second, &address, sizeof(address));
	}
}

/* One unit: of each chunk the first part random, the rest zeros or the pattern. */
static void put_shaped(const struct fill *fill, struct rng *rng, uint8_t *buf, size_t bytes)
{
	if (fill->random_bytes == fill->chunk_bytes) {
		fill_random(fill, rng, buf, bytes);
		return;
	}
	for (size_t at = 0; at < bytes; at += fill->chunk_bytes) {
		size_t chunk = min_u64(fill->chunk_bytes, bytes - at);
		size_t random = min_u64(fill->random_bytes, chunk);

		fill_random(fill, rng, buf + at, random);
		if (fill->pattern->count)
			put_pattern(fill, buf + at + random, chunk - random);
		else
			memset(buf + at + random, 0, chunk - random);
	}
}

/* A unit's content is made of a seed alone, so a duplicate is a seed used again. */
static uint64_t choose_seed(struct fill *fill)
{
	if (fill->nrecent && (rng_next(&fill->rng) >> 32) < fill->dedupe_upto)
		return fill->recent[(fill->newest + DEDUPE_RECENT -
				     rng_below(&fill->rng, fill->nrecent)) %
				    DEDUPE_RECENT];
	fill->newest = (fill->newest + 1) % DEDUPE_RECENT;
	fill->nrecent += fill->nrecent < DEDUPE_RECENT;
	fill->recent[fill->newest] = rng_next(&fill->rng);
	return fill->recent[fill->newest];
}

static void next_shaped(struct fill *fill, uint8_t *buf, uint32_t bytes, uint64_t offset)
{
	(void)offset;
	if (fill->dedupe_upto == 0) {
		put_shaped(fill, &fill->rng, buf, bytes);
		return;
	}
	for (size_t at = 0; at < bytes; at += fill->unit_bytes) {
		struct rng rng;

		rng_seed(&rng, choose_seed(fill), 0);
		put_shaped(fill, &rng, buf + at, min_u64(fill->unit_bytes, bytes - at));
	}
}

/* --- all --- */

static enum fill_kind kind_of(const struct job_spec *spec)
{
	if (spec->zero_buffers)
		return FILL_ZERO;
	if (spec->buffer_compress_percentage || spec->dedupe_percentage)
		return FILL_SHAPED;
	if (spec->buffer_pattern.count)
		return FILL_PATTERN;
	if (spec->refuse_repeat || spec->refill_buffers)
		return FILL_FRESH;
	return spec->scramble_buffers ? FILL_SCRAMBLE : FILL_ONCE;
}

static void shape_init(struct fill *fill, const struct job_spec *spec)
{
	uint32_t percent = spec->buffer_compress_percentage;
	uint64_t unit = spec->bs[OP_WRITE].min;

	for (unsigned i = 0; i < spec->bssplit[OP_WRITE].count; i++)
		unit = min_u64(unit, spec->bssplit[OP_WRITE].entry[i].min_bytes);
	fill->unit_bytes = (uint32_t)max_u64(unit, 1);
	fill->chunk_bytes = spec->buffer_compress_chunk;
	if (fill->chunk_bytes == 0 || fill->chunk_bytes > fill->unit_bytes)
		fill->chunk_bytes = fill->unit_bytes;
	fill->random_bytes = (uint32_t)((uint64_t)fill->chunk_bytes * (100 - percent) / 100);
	fill->dedupe_upto = ((uint64_t)spec->dedupe_percentage << 32) / 100;
}

int fill_open(const struct job_spec *spec, uint64_t seed, struct arena *arena,
	      struct fill **ret_fill)
{
	struct fill *fill = arena_new(arena, struct fill);
	uint64_t *pool = arena_alloc(arena, FILL_POOL_BYTES, CACHE_LINE_BYTES);

	rng_seed(&fill->rng, seed, 5);
	for (size_t i = 0; i < FILL_POOL_BYTES / sizeof(*pool); i++)
		pool[i] = rng_next(&fill->rng);
	fill->pool = (const uint8_t *)pool;
	fill->pattern = &spec->buffer_pattern;
	fill->reads = spec->rw.does[OP_READ];
	switch (kind_of(spec)) {
	case FILL_ZERO:
		fill->next = fill->reads ? put_zero : NULL;
		break;
	case FILL_PATTERN:
		fill->next = fill->reads ? next_pattern : NULL;
		break;
	case FILL_ONCE:
		break;
	case FILL_SCRAMBLE:
		fill->next = next_scramble;
		break;
	case FILL_FRESH:
		fill->next = next_fresh;
		break;
	case FILL_SHAPED:
		shape_init(fill, spec);
		fill->next = next_shaped;
		break;
	}
	if (!spec->rw.does[OP_WRITE])
		fill->next = NULL;
	fill->kind = kind_of(spec);
	*ret_fill = fill;
	return 0;
}

/* With FILL_ONCE and FILL_SCRAMBLE all buffers hold the same block, as fio's do. */
void fill_first(struct fill *fill, void *buf, size_t bytes)
{
	struct rng same = {{1, 2, 3, 4}};

	switch (fill->kind) {
	case FILL_ZERO:
		memset(buf, 0, bytes);
		break;
	case FILL_PATTERN:
		put_pattern(fill, buf, bytes);
		break;
	case FILL_ONCE:
	case FILL_SCRAMBLE:
		fill_random(fill, &same, buf, bytes);
		break;
	case FILL_FRESH:
	case FILL_SHAPED:
		fill_random(fill, &fill->rng, buf, bytes);
		break;
	}
}

bool fill_is_needed(const struct fill *fill)
{
	return fill->next != NULL;
}

void fill_next(struct fill *fill, void *buf, uint32_t bytes, uint64_t offset)
{
	fill->next(fill, buf, bytes, offset);
}

static void describe_shaped(const struct job_spec *spec, struct str *out)
{
	str_add(out, N_("new data in each write"));
	if (spec->buffer_compress_percentage)
		str_printf(out,
			   spec->buffer_pattern.count
				   ? N_("; %u %% of the data are one pattern")
				   : N_("; %u %% of the data are zeros"),
			   spec->buffer_compress_percentage);
	if (spec->dedupe_percentage)
		str_printf(out, N_("; %u %% of the blocks repeat an earlier one"),
			   spec->dedupe_percentage);
}

void fill_describe(const struct job_spec *spec, struct str *out)
{
	switch (kind_of(spec)) {
	case FILL_ZERO:
		str_add(out, N_("zeros"));
		break;
	case FILL_PATTERN:
		str_printf(out, N_("one pattern repeated; its bytes: %u"),
			   spec->buffer_pattern.count);
		break;
	case FILL_ONCE:
		str_add(out, N_("one random block, the same in each write"));
		break;
	case FILL_SCRAMBLE:
		str_add(out,
			N_("one random block with 24 bytes of each 512 changed in each write "
			   "(compresses and deduplicates across blocks)"));
		break;
	case FILL_FRESH:
		str_add(out, N_("random data, each write different"));
		break;
	case FILL_SHAPED:
		describe_shaped(spec, out);
		break;
	}
}
