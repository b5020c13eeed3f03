#include "report/png.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "report/pack.h"

static void add_u32(struct str *out, uint32_t value)
{
	const char bytes[] = {(char)(value >> 24), (char)(value >> 16), (char)(value >> 8),
			      (char)value};

	str_add_bytes(out, bytes, sizeof(bytes));
}

static void add_chunk(struct str *out, const char *type, const char *data, size_t bytes)
{
	size_t from = out->length + 4;
	uLong sum = crc32(0, NULL, 0);

	add_u32(out, (uint32_t)bytes);
	str_add_bytes(out, type, 4);
	str_add_bytes(out, data, bytes);
	sum = crc32(sum, (const Bytef *)out->text + from, (uInt)(bytes + 4));
	add_u32(out, (uint32_t)sum);
}

static void add_header(const struct raster *raster, struct str *out)
{
	autostr data = {0};

	add_u32(&data, raster->width);
	add_u32(&data, raster->height);
	str_add_bytes(&data, "\x08\x03\0\0\0", 5); /* 8 bits, a palette; no interlace */
	add_chunk(out, "IHDR", data.text, data.length);
}

static void add_palette(uint32_t color, struct str *out)
{
	char colors[256 * 3], opacities[256];

	for (unsigned i = 0; i < 256; i++) {
		char *at = &colors[(size_t)3 * i];

		at[0] = (char)(color >> 16);
		at[1] = (char)(color >> 8);
		at[2] = (char)color;
		opacities[i] = (char)(unsigned char)(raster_opacity(i) * 255 + 0.5);
	}
	add_chunk(out, "PLTE", colors, sizeof(colors));
	add_chunk(out, "tRNS", opacities, sizeof(opacities));
}

static void add_pixels(const struct raster *raster, struct str *out)
{
	size_t row = raster->width, bytes = (row + 1) * raster->height;
	unsigned char *plain = memory_zeroed(1, bytes);
	size_t packed_bytes;
	char *packed;

	for (unsigned y = 0; y < raster->height; y++) /* each row after its filter: none */
		memcpy(&plain[y * (row + 1) + 1], &raster->pixels[y * row], row);
	packed = pack_zlib(plain, bytes, 9, &packed_bytes);
	add_chunk(out, "IDAT", packed, packed_bytes);
	free(plain);
	free(packed);
}

void png_write(const struct raster *raster, uint32_t color, struct str *out)
{
	str_add_bytes(out, "\x89PNG\r\n\x1a\n", 8);
	add_header(raster, out);
	add_palette(color, out);
	add_pixels(raster, out);
	add_chunk(out, "IEND", "", 0);
}

void base64_write(const char *bytes, size_t count, struct str *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < count; i += 3) {
		size_t left = count - i;
		uint32_t three = (uint32_t)(unsigned char)bytes[i] << 16;

		three |= left > 1 ? (uint32_t)(unsigned char)bytes[i + 1] << 8 : 0;
		three |= left > 2 ? (uint32_t)(unsigned char)bytes[i + 2] : 0;
		str_add_char(out, digits[three >> 18]);
		str_add_char(out, digits[three >> 12 & 63]);
		str_add_char(out, left > 1 ? digits[three >> 6 & 63] : '=');
		str_add_char(out, left > 2 ? digits[three & 63] : '=');
	}
}
