#include "report/bitmap.h"

#include <cairo.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/library.h"
#include "base/outfile.h"

/* The calls that are used, by name, with the types of cairo's own header. */
#define CALLS(X)                          \
	X(cairo_image_surface_create)     \
	X(cairo_image_surface_get_data)   \
	X(cairo_image_surface_get_stride) \
	X(cairo_surface_status)           \
	X(cairo_surface_mark_dirty)       \
	X(cairo_surface_write_to_png)     \
	X(cairo_surface_destroy)          \
	X(cairo_status_to_string)         \
	X(cairo_create)                   \
	X(cairo_destroy)                  \
	X(cairo_scale)                    \
	X(cairo_translate)                \
	X(cairo_rotate)                   \
	X(cairo_save)                     \
	X(cairo_restore)                  \
	X(cairo_set_source_rgba)          \
	X(cairo_set_source_surface)       \
	X(cairo_get_source)               \
	X(cairo_pattern_set_filter)       \
	X(cairo_set_line_width)           \
	X(cairo_set_line_join)            \
	X(cairo_set_dash)                 \
	X(cairo_move_to)                  \
	X(cairo_line_to)                  \
	X(cairo_stroke)                   \
	X(cairo_rectangle)                \
	X(cairo_fill)                     \
	X(cairo_paint)                    \
	X(cairo_select_font_face)         \
	X(cairo_set_font_size)            \
	X(cairo_text_extents)             \
	X(cairo_show_text)

struct bitmap_library {
	CALLS(LIBRARY_CALL)
};

static struct bitmap *bitmap_of(struct canvas *canvas)
{
	return container_of(canvas, struct bitmap, canvas);
}

static void set_ink(struct bitmap *bitmap, enum ink ink, double opacity)
{
	uint32_t color = ink_colors[ink].light;

	bitmap->library->cairo_set_source_rgba(bitmap->context, (color >> 16) / 255.0,
					       (color >> 8 & 255) / 255.0,
					       (color & 255) / 255.0, opacity);
}

static void bitmap_line(struct canvas *canvas, const struct point *points, unsigned count,
			const struct stroke *stroke)
{
	static const double dashes[][2] = {
		[DASH_SOLID] = {0, 0}, [DASH_LONG] = {6, 4}, [DASH_SHORT] = {2, 2}};
	struct bitmap *bitmap = bitmap_of(canvas);
	const struct bitmap_library *lib = bitmap->library;
	bool down = false;

	set_ink(bitmap, stroke->ink, 1);
	lib->cairo_set_line_width(bitmap->context, stroke->width);
	lib->cairo_set_line_join(bitmap->context, CAIRO_LINE_JOIN_ROUND);
	lib->cairo_set_dash(bitmap->context, dashes[stroke->dash],
			    stroke->dash == DASH_SOLID ? 0 : 2, 0);
	for (unsigned i = 0; i < count; i++) {
		if (isnan(points[i].y)) {
			down = false;
			continue;
		}
		if (down)
			lib->cairo_line_to(bitmap->context, points[i].x, points[i].y);
		else
			lib->cairo_move_to(bitmap->context, points[i].x, points[i].y);
		down = true;
	}
	lib->cairo_stroke(bitmap->context);
}

static void bitmap_fill(struct canvas *canvas, const struct box *box, enum ink ink,
			double opacity)
{
	struct bitmap *bitmap = bitmap_of(canvas);

	set_ink(bitmap, ink, opacity);
	bitmap->library->cairo_rectangle(bitmap->context, box->x, box->y, box->width,
					 box->height);
	bitmap->library->cairo_fill(bitmap->context);
}

static void bitmap_text(struct canvas *canvas, const struct point *at,
			const struct lettering *lettering, const char *text)
{
	struct bitmap *bitmap = bitmap_of(canvas);
	const struct bitmap_library *lib = bitmap->library;
	cairo_text_extents_t extents;
	double back = 0;

	lib->cairo_save(bitmap->context);
	set_ink(bitmap, lettering->ink, 1);
	lib->cairo_select_font_face(bitmap->context, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
				    lettering->bold ? CAIRO_FONT_WEIGHT_BOLD
						    : CAIRO_FONT_WEIGHT_NORMAL);
	lib->cairo_set_font_size(bitmap->context, lettering->size);
	lib->cairo_text_extents(bitmap->context, text, &extents);
	if (lettering->anchor != ANCHOR_START)
		back = lettering->anchor == ANCHOR_END ? extents.x_advance
						       : extents.x_advance / 2;
	lib->cairo_translate(bitmap->context, at->x, at->y);
	if (lettering->upright)
		lib->cairo_rotate(bitmap->context, -M_PI / 2);
	lib->cairo_move_to(bitmap->context, -back, 0);
	lib->cairo_show_text(bitmap->context, text);
	lib->cairo_restore(bitmap->context);
}

/* Premultiplied, as cairo wants it. */
static uint32_t pixel_of(enum ink ink, unsigned index)
{
	uint32_t color = ink_colors[ink].light;
	double opacity = raster_opacity(index);

	return (uint32_t)(opacity * 255 + 0.5) << 24 |
	       (uint32_t)((color >> 16) * opacity + 0.5) << 16 |
	       (uint32_t)((color >> 8 & 255) * opacity + 0.5) << 8 |
	       (uint32_t)((color & 255) * opacity + 0.5);
}

static void bitmap_image(struct canvas *canvas, const struct box *box,
			 const struct raster *raster)
{
	struct bitmap *bitmap = bitmap_of(canvas);
	const struct bitmap_library *lib = bitmap->library;
	cairo_surface_t *picture = lib->cairo_image_surface_create(
		CAIRO_FORMAT_ARGB32, (int)raster->width, (int)raster->height);
	unsigned char *rows = lib->cairo_image_surface_get_data(picture);
	int stride = lib->cairo_image_surface_get_stride(picture);

	for (unsigned y = 0; y < raster->height && rows; y++) {
		for (unsigned x = 0; x < raster->width; x++) {
			uint32_t pixel =
				pixel_of(raster->ink, raster->pixels[y * raster->width + x]);

			memcpy(rows + (size_t)y * (size_t)stride + x * sizeof(pixel), &pixel,
			       sizeof(pixel));
		}
	}
	lib->cairo_surface_mark_dirty(picture);
	lib->cairo_save(bitmap->context);
	lib->cairo_translate(bitmap->context, box->x, box->y);
	lib->cairo_scale(bitmap->context, box->width / raster->width,
			 box->height / raster->height);
	lib->cairo_set_source_surface(bitmap->context, picture, 0, 0);
	lib->cairo_pattern_set_filter(lib->cairo_get_source(bitmap->context),
				      CAIRO_FILTER_NEAREST);
	lib->cairo_paint(bitmap->context);
	lib->cairo_restore(bitmap->context);
	lib->cairo_surface_destroy(picture);
}

static int cairo_open(struct bitmap_library *ret_library, struct err *err)
{
	static const char *const names[] = {CALLS(LIBRARY_NAME)};
	static const struct library library = {"libcairo.so.2", "libcairo2", names,
					       ARRAY_SIZE(names)};
	int rc = library_open(&library, ret_library, sizeof(*ret_library), NULL);

	if (rc == -ENOENT)
		return err_env(
			err, rc,
			"PNG needs the cairo library (package libcairo2); SVG and HTML need "
			"none");
	if (rc)
		return err_env(err, rc,
			       "this libcairo.so.2 lacks functions: take 1.16 or newer");
	return 0;
}

static const char *status_of(const struct bitmap *bitmap)
{
	return bitmap->library->cairo_status_to_string(
		bitmap->library->cairo_surface_status(bitmap->surface));
}

static void release(struct bitmap *bitmap)
{
	bitmap->library->cairo_destroy(bitmap->context);
	bitmap->library->cairo_surface_destroy(bitmap->surface);
	free(bitmap->library);
	bitmap->library = NULL;
}

int bitmap_begin(struct bitmap *bitmap, double width, double height, double scale,
		 struct err *err)
{
	static const struct canvas_ops ops = {.line = bitmap_line,
					      .fill = bitmap_fill,
					      .text = bitmap_text,
					      .image = bitmap_image};
	struct bitmap_library *lib = calloc(1, sizeof(*lib));
	int rc;

	if (!lib)
		return err_env(err, -ENOMEM, "no memory for a bitmap");
	rc = cairo_open(lib, err);
	if (rc) {
		free(lib);
		return rc;
	}
	*bitmap = (struct bitmap){.canvas = {&ops, width, height}, .library = lib};
	bitmap->surface = lib->cairo_image_surface_create(
		CAIRO_FORMAT_ARGB32, (int)ceil(width * scale), (int)ceil(height * scale));
	bitmap->context = lib->cairo_create(bitmap->surface);
	if (lib->cairo_surface_status(bitmap->surface) != CAIRO_STATUS_SUCCESS) {
		rc = err_env(err, -EINVAL, "a bitmap of %.0f by %.0f pixels: %s", width * scale,
			     height * scale, status_of(bitmap));
		release(bitmap);
		return rc;
	}
	lib->cairo_scale(bitmap->context, scale, scale);
	bitmap_fill(&bitmap->canvas, &(struct box){0, 0, width, height}, INK_PAPER, 1);
	return 0;
}

int bitmap_end(struct bitmap *bitmap, const char *path, struct err *err)
{
	int rc = outfile_check(path, OUTFILE_AGAIN, err);
	cairo_status_t status = CAIRO_STATUS_SUCCESS;

	if (!rc)
		status = bitmap->library->cairo_surface_write_to_png(bitmap->surface, path);
	if (!rc && status == CAIRO_STATUS_SUCCESS)
		outfile_mark_path(path);
	else if (!rc)
		rc = err_env(err, -EIO, "\"%s\": %s", path,
			     bitmap->library->cairo_status_to_string(status));
	release(bitmap);
	return rc;
}
