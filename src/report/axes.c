#include "report/axes.h"

#include <math.h>

#include "base/bits.h"
#include "base/str.h"

#define TICKS_Y		  5
#define PIXELS_PER_TICK_X 90
#define TICK_LETTER	  6.8 /* pixels of a column of a tick, at most */
#define MARGIN_LEAST \
	21.0 /* pixels right of every box: the last tick may not leave the picture */

void axes_caption(struct axes *axes, double x, double y, const struct lettering *lettering,
		  const char *text)
{
	axes->canvas->ops->text(axes->canvas, &(struct point){x, y}, lettering, text);
}

void axes_segment(struct axes *axes, struct point from, struct point to,
		  const struct stroke *stroke)
{
	const struct point points[] = {from, to};

	axes->canvas->ops->line(axes->canvas, points, 2, stroke);
}

static void axis_x(struct axes *axes, const char *name)
{
	const struct lettering small = {.ink = INK_MUTED, .size = 12, .anchor = ANCHOR_MIDDLE};
	const struct stroke grid = {INK_GRID, 1, DASH_SOLID};
	struct scale_tick ticks[SCALE_TICKS_MAX];
	double bottom = axes->box.y + axes->box.height;
	double last = axes->box.x + axes->box.width + MARGIN_LEAST;
	unsigned count =
		scale_ticks(&axes->x, (unsigned)(axes->box.width / PIXELS_PER_TICK_X), ticks);

	for (unsigned i = 0; i < count; i++) {
		double x = scale_pixel(&axes->x, ticks[i].value);

		axes_segment(axes, (struct point){x, axes->box.y}, (struct point){x, bottom},
			     &grid);
		axes_caption(axes, fmin(x, last - TICK_LETTER / 2 * str_columns(ticks[i].text)),
			     bottom + 16, &small, ticks[i].text);
	}
	axes_caption(axes, axes->box.x + axes->box.width / 2, bottom + 34, &small, name);
}

static void axis_y(struct axes *axes, const char *name)
{
	const struct lettering small = {.ink = INK_MUTED, .size = 12, .anchor = ANCHOR_END};
	const struct lettering up = {
		.ink = INK_MUTED, .size = 12, .anchor = ANCHOR_MIDDLE, .upright = true};
	const struct stroke grid = {INK_GRID, 1, DASH_SOLID};
	struct scale_tick ticks[SCALE_TICKS_MAX];
	unsigned count = scale_ticks(&axes->y, TICKS_Y, ticks);

	for (unsigned i = 0; i < count; i++) {
		double y = scale_pixel(&axes->y, ticks[i].value);

		axes_segment(axes, (struct point){axes->box.x, y},
			     (struct point){axes->box.x + axes->box.width, y}, &grid);
		axes_caption(axes, axes->box.x - 8, y + 4, &small, ticks[i].text);
	}
	axes_caption(axes, axes->box.x - 60, axes->box.y + axes->box.height / 2, &up, name);
}

/* To `columns` code points; the end of a name tells more than its middle. */
static void shorten(struct str *text, unsigned columns)
{
	size_t at = text->length, keep = 0;

	if (str_columns(str_text(text)) <= columns)
		return;
	while (at && keep < columns / 2)
		keep += (text->text[--at] & 0xc0) != 0x80;
	for (size_t i = 0; i < at; i++) {
		if ((text->text[i] & 0xc0) == 0x80 || ++keep < columns)
			continue;
		autostr tail = {0};

		str_add(&tail, text->text + at);
		text->text[i] = '\0';
		text->length = i;
		str_printf(text, "…%s", str_text(&tail));
		return;
	}
}

void axes_draw(struct axes *axes, const struct axes_words *words)
{
	const struct lettering head = {.ink = INK_TEXT, .size = 13.5, .bold = true};
	autostr text = {0};

	axes->x.begin = axes->box.x;
	axes->x.end = axes->box.x + axes->box.width;
	axes->y.begin = axes->box.y + axes->box.height;
	axes->y.end = axes->box.y;
	scale_round(&axes->x);
	scale_round(&axes->y);
	axis_x(axes, words->x);
	axis_y(axes, words->y);
	if (!words->title)
		return;
	str_add(&text, words->title);
	shorten(&text, (unsigned)(axes->box.width / 8.2));
	axes_caption(axes, axes->box.x, axes->box.y - 26, &head, str_text(&text));
}

void axes_keys(struct axes *axes, const struct axes_key *keys, unsigned count)
{
	const struct lettering small = {.ink = INK_TEXT, .size = 11.5};
	double x = axes->box.x, y = axes->box.y - 9;

	for (unsigned i = 0; i < count; i++) {
		axes_segment(axes, (struct point){x, y - 4}, (struct point){x + 20, y - 4},
			     &keys[i].stroke);
		axes_caption(axes, x + 25, y, &small, keys[i].text);
		x += 41 + 6.6 * str_columns(keys[i].text);
	}
}

void envelope_init(struct axes *axes, struct envelope *envelope)
{
	envelope->width = (unsigned)axes->box.width + 1;
	envelope->low = arena_array(axes->arena, double, envelope->width);
	envelope->high = arena_array(axes->arena, double, envelope->width);
	envelope->cut = arena_array(axes->arena, bool, envelope->width);
	for (unsigned i = 0; i < envelope->width; i++)
		envelope->low[i] = envelope->high[i] = (double)NAN;
}

unsigned envelope_at(const struct axes *axes, const struct envelope *envelope, double x)
{
	double pixel = scale_pixel(&axes->x, x) - axes->box.x;

	return (unsigned)fmin(fmax(pixel, 0), envelope->width - 1);
}

void envelope_add(struct axes *axes, struct envelope *envelope, double x, double y)
{
	unsigned at = envelope_at(axes, envelope, x);

	envelope->low[at] = fmin(envelope->low[at], y); /* fmin and fmax pass NAN over */
	envelope->high[at] = fmax(envelope->high[at], y);
}

/* One line through both ends of each column. Where there are fewer intervals than pixels it
 * passes over the columns between them. */
void envelope_draw(struct axes *axes, const struct envelope *envelope,
		   const struct stroke *stroke)
{
	struct point *points = arena_array(axes->arena, struct point, 3UL * envelope->width);
	unsigned count = 0;

	for (unsigned i = 0; i < envelope->width; i++) {
		double x = axes->box.x + i;

		if (envelope->cut[i])
			points[count++] = (struct point){x, (double)NAN};
		if (isnan(envelope->low[i]))
			continue;
		points[count++] = (struct point){x, scale_pixel(&axes->y, envelope->high[i])};
		if (envelope->low[i] < envelope->high[i])
			points[count++] =
				(struct point){x, scale_pixel(&axes->y, envelope->low[i])};
	}
	axes->canvas->ops->line(axes->canvas, points, count, stroke);
}
