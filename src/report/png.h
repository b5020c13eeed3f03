/* A picture of few colours as a PNG file in memory (ISO/IEC 15948), packed by zlib. */
#pragma once

#include "base/str.h"
#include "report/canvas.h"

/* One byte a pixel, a palette with opacities. Appends the file's bytes. */
void png_write(const struct raster *raster, uint32_t color, struct str *out);
/* Bytes as base64. */
void base64_write(const char *bytes, size_t count, struct str *out);
