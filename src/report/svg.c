#include "report/svg.h"

#include <math.h>
#include <stddef.h>

#include "base/bits.h"
#include "report/png.h"

static struct svg *svg_of(struct canvas *canvas)
{
	return container_of(canvas, struct svg, canvas);
}

/* The length of a well-formed sequence of UTF-8 at `text`; 0: none is there. */
static unsigned utf8_length(const unsigned char *text)
{
	unsigned length = *text < 0x80			  ? 1
			  : *text >= 0xc2 && *text < 0xe0 ? 2
			  : *text >= 0xe0 && *text < 0xf0 ? 3
			  : *text >= 0xf0 && *text < 0xf5 ? 4
							  : 0;

	for (unsigned i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	}
	/* overlong forms, halves of UTF-16, beyond the last sign */
	if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
	    (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f))
		return 0;
	return length;
}

void svg_escape(const char *text, struct str *out)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at) {
		unsigned length = utf8_length(at);

		if (*at == '&')
			str_add(out, "&amp;");
		else if (*at == '<')
			str_add(out, "&lt;");
		else if (*at == '>')
			str_add(out, "&gt;");
		else if (*at == '"')
			str_add(out, "&quot;");
		else if (!length || *at < ' ' || *at == 0x7f)
			str_add_char(out, '?');
		else
			str_add_bytes(out, (const char *)at, length);
		at += length ? length : 1;
	}
}

static void style_of(bool dark, struct str *out)
{
	for (unsigned i = 0; i < NINKS; i++) {
		uint32_t color = dark ? ink_colors[i].dark : ink_colors[i].light;

		str_printf(out, ".l-%s{stroke:#%06x}.f-%s{fill:#%06x}", ink_colors[i].name,
			   color, ink_colors[i].name, color);
	}
}

void svg_style(struct str *out)
{
	str_add(out, "polyline{fill:none;stroke-linejoin:round}"
		     "text{font-family:system-ui,'DejaVu Sans',sans-serif}");
	style_of(false, out);
	str_add(out, "@media (prefers-color-scheme:dark){");
	style_of(true, out);
	str_add(out, "}");
}

/* Hundredths of a pixel are enough for the eye, and small files. */
static void add_points(struct str *out, const struct point *points, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		str_printf(out, "%s%.5g,%.5g", i ? " " : "", points[i].x, points[i].y);
}

static void one_line(struct str *out, const struct point *points, unsigned count,
		     const struct stroke *stroke)
{
	static const char *const dashes[] = {
		[DASH_SOLID] = "",
		[DASH_LONG] = " stroke-dasharray=\"6 4\"",
		[DASH_SHORT] = " stroke-dasharray=\"2 2\"",
	};

	if (!count)
		return;
	str_printf(out, "<polyline class=\"l-%s\" stroke-width=\"%g\"%s points=\"",
		   ink_colors[stroke->ink].name, stroke->width, dashes[stroke->dash]);
	add_points(out, points, count);
	str_add(out, "\"/>\n");
}

static void svg_line(struct canvas *canvas, const struct point *points, unsigned count,
		     const struct stroke *stroke)
{
	unsigned from = 0;

	for (unsigned i = 0; i <= count; i++) {
		if (i < count && !isnan(points[i].y))
			continue;
		one_line(svg_of(canvas)->out, points + from, i - from, stroke);
		from = i + 1;
	}
}

static void svg_fill(struct canvas *canvas, const struct box *box, enum ink ink, double opacity)
{
	str_printf(svg_of(canvas)->out,
		   "<rect class=\"f-%s\" x=\"%.4g\" y=\"%.4g\" width=\"%.4g\" height=\"%.4g\"",
		   ink_colors[ink].name, box->x, box->y, box->width, box->height);
	if (opacity < 1)
		str_printf(svg_of(canvas)->out, " fill-opacity=\"%.3g\"", opacity);
	str_add(svg_of(canvas)->out, "/>\n");
}

static void svg_text(struct canvas *canvas, const struct point *at,
		     const struct lettering *lettering, const char *text)
{
	static const char *const anchors[] = {
		[ANCHOR_START] = "start", [ANCHOR_MIDDLE] = "middle", [ANCHOR_END] = "end"};
	struct str *out = svg_of(canvas)->out;

	str_printf(out, "<text class=\"f-%s\" font-size=\"%g\" text-anchor=\"%s\"%s",
		   ink_colors[lettering->ink].name, lettering->size, anchors[lettering->anchor],
		   lettering->bold ? " font-weight=\"600\"" : "");
	if (lettering->upright)
		str_printf(out, " transform=\"translate(%.4g,%.4g) rotate(-90)\">", at->x,
			   at->y);
	else
		str_printf(out, " x=\"%.4g\" y=\"%.4g\">", at->x, at->y);
	svg_escape(text, out);
	str_add(out, "</text>\n");
}

static void svg_image(struct canvas *canvas, const struct box *box, const struct raster *raster)
{
	struct str *out = svg_of(canvas)->out;
	autostr png = {0};

	/* A middle tone with opacities: it reads on light and on dark paper. */
	png_write(raster, ink_colors[raster->ink].light, &png);
	str_printf(out,
		   "<image x=\"%.4g\" y=\"%.4g\" width=\"%.4g\" height=\"%.4g\" "
		   "preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
		   "xlink:href=\"data:image/png;base64,",
		   box->x, box->y, box->width, box->height);
	base64_write(png.text, png.length, out);
	str_add(out, "\"/>\n");
}

static void open_picture(struct svg *svg, double width, double height, const char *title,
			 struct str *out)
{
	static const struct canvas_ops ops = {
		.line = svg_line, .fill = svg_fill, .text = svg_text, .image = svg_image};

	*svg = (struct svg){.canvas = {&ops, width, height}, .out = out};
	str_printf(out,
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" "
		   "xmlns:xlink=\"http://www.w3.org/1999/xlink\" role=\"img\" "
		   "viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\">\n<title>",
		   width, height, width, height);
	svg_escape(title, out);
	str_add(out, "</title>\n");
}

void svg_begin(struct svg *svg, double width, double height, const char *title, struct str *out)
{
	open_picture(svg, width, height, title, out);
	str_add(out, "<style>");
	svg_style(out);
	str_add(out, "</style>\n");
	svg_fill(&svg->canvas, &(struct box){0, 0, width, height}, INK_PAPER, 1);
}

void svg_begin_inside(struct svg *svg, double width, double height, const char *title,
		      struct str *out)
{
	open_picture(svg, width, height, title, out);
}

void svg_end(struct svg *svg)
{
	str_add(svg->out, "</svg>\n");
}
