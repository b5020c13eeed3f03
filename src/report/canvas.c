#include "report/canvas.h"

const struct ink_colors ink_colors[NINKS] = {
	[INK_PAPER] = {"paper", 0xffffff, 0x14171a},
	[INK_TEXT] = {"text", 0x1b1f23, 0xe8eaed},
	[INK_MUTED] = {"muted", 0x57606a, 0x9aa4ae},
	[INK_GRID] = {"grid", 0xdde1e6, 0x2f363d},
	[INK_BLUE] = {"blue", 0x0072b2, 0x56b4e9},
	[INK_ORANGE] = {"orange", 0xb97a00, 0xe69f00},
	[INK_GREEN] = {"green", 0x007a59, 0x2cc79b},
	[INK_RED] = {"red", 0xc44e00, 0xff7a33},
	[INK_PINK] = {"pink", 0xa8558a, 0xcc79a7},
};

double raster_opacity(unsigned index)
{
	return index ? RASTER_OPACITY_MIN + (1 - RASTER_OPACITY_MIN) * (index - 1) / 254.0 : 0;
}
