/* Plots as SVG: plain shapes with classes for colours, without scripts. */
#include "crawler/sim/sim_svg.h"

#include <math.h>

#include "base/vis.h"

/* Bars. The width is that of a phone, where text keeps its size. */
#define WIDTH 360
#define BAR_HEIGHT 34
#define BAR_LEFT 2
/* End of the longest bar; the values stand right of it. */
#define BAR_RIGHT 300
#define ERROR_RIGHT 316.0

/* Lines. */
#define PLOT_HEIGHT 220
#define LEFT 38
#define RIGHT 352
#define TOP 10
#define BOTTOM 190
#define POINTS 200

/* Points. */
#define SIDE 300
#define INNER 40

static void
begin(struct buf *out, int width, int height, const char *title)
{
	(void)buf_print(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>",
	    width, height);
	xml_put(out, slice_of(title));
	(void)buf_print(out, "</title>\n");
}

static void
put_text(struct buf *out, double x, double y, const char *class)
{
	(void)buf_print(
	    out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
}

static void
put_label(
    struct buf *out, double x, double y, const char *class, const char *text)
{
	put_text(out, x, y, class);
	xml_put(out, slice_of(text));
	(void)buf_print(out, "</text>\n");
}

static void
put_rule(struct buf *out, const char *class, double from[2], double to[2])
{
	(void)buf_print(out,
	    "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", class, from[0],
	    from[1], to[0], to[1]);
}

static double
largest(const struct svg_bars *bars)
{
	double most = isfinite(bars->mark) ? bars->mark : 0;

	for (size_t i = 0; i < bars->count; i++)
		if (isfinite(bars->bars[i].value))
			most = fmax(most, bars->bars[i].value);
	return most > 0 ? most : 1;
}

static void
put_bar(struct buf *out, const struct svg_bar *bar, size_t i, double scale)
{
	double y = (double)i * BAR_HEIGHT;
	double length = isfinite(bar->value) ? bar->value * scale : 0;
	double error = isfinite(bar->error) ? bar->error * scale : 0;

	put_label(out, BAR_LEFT, y + 13, "name", bar->name);
	(void)buf_print(out,
	    "<rect class=\"bar%s\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" "
	    "height=\"11\" rx=\"2\"/>\n",
	    i == 0 ? " first" : "", BAR_LEFT, y + 18, length);
	/* an interval of two seeds may be very wide: keep it off the values */
	if (error > 0.2)
		put_rule(out, "error",
		    (double[]){
			fmax(BAR_LEFT + length - error, BAR_LEFT), y + 23.5},
		    (double[]){fmin(BAR_LEFT + length + error, ERROR_RIGHT),
			y + 23.5});
	put_label(out, WIDTH - 2, y + 27.5, "value end", bar->text);
}

void
svg_bars(struct buf *out, const struct svg_bars *bars)
{
	double scale = (BAR_RIGHT - BAR_LEFT) / largest(bars);
	double bottom = (double)bars->count * BAR_HEIGHT;
	double x = BAR_LEFT + bars->mark * scale;

	begin(out, WIDTH, (int)bottom + 22, bars->title);
	for (size_t i = 0; i < bars->count; i++)
		put_bar(out, &bars->bars[i], i, scale);
	if (isfinite(bars->mark)) {
		put_rule(
		    out, "mark", (double[]){x, 0}, (double[]){x, bottom + 6});
		put_label(out, x, bottom + 18, "axis end", bars->mark_text);
	}
	(void)buf_print(out, "</svg>\n");
}

/* The mean of the values that exist; NaN: there are none. */
static double
mean_of(const struct svg_line *line, size_t from, size_t to)
{
	double sum = 0;
	size_t count = 0;

	for (size_t i = from; i < to; i++)
		if (isfinite(line->values[i])) {
			sum += line->values[i];
			count++;
		}
	return count > 0 ? sum / (double)count : NAN;
}

static void
put_line(
    struct buf *out, const struct svg_lines *all, const struct svg_line *line)
{
	size_t points = all->length < POINTS ? all->length : POINTS;
	double range = all->high - all->low;
	bool is_open = false;

	(void)buf_print(
	    out, "<path class=\"line l%zu\" d=\"", line->colour % SVG_COLOURS);
	for (size_t i = 0; i < points; i++) {
		size_t from = i * all->length / points;
		size_t to = (i + 1) * all->length / points;
		double mean = mean_of(line, from, to);
		double value = fmin(fmax(mean, all->low), all->high);

		if (isfinite(mean))
			(void)buf_print(out, "%c%.1f %.1f", is_open ? 'L' : 'M',
			    LEFT +
				(RIGHT - LEFT) * ((double)i + 0.5) /
				    (double)points,
			    BOTTOM -
				(BOTTOM - TOP) * (value - all->low) / range);
		is_open = isfinite(mean);
	}
	(void)buf_print(out, "\"/>\n");
}

/* Four horizontal lines with their values, and the days below. */
static void
put_axes(struct buf *out, const struct svg_lines *all)
{
	for (int i = 0; i <= 4; i++) {
		double value = all->low + (all->high - all->low) * i / 4;
		double y = BOTTOM - (BOTTOM - TOP) * i / 4.0;

		put_rule(
		    out, "grid", (double[]){LEFT, y}, (double[]){RIGHT, y});
		put_text(out, LEFT - 4, y + 4, "axis end");
		(void)buf_print(out, "%.0f %%</text>\n", 100 * value);
	}
	for (int i = 0; i <= 4; i++) {
		put_text(out, LEFT + (RIGHT - LEFT) * i / 4.0, BOTTOM + 14,
		    i == 4 ? "axis end" : "axis mid");
		(void)buf_print(out, "%zu</text>\n", all->length * i / 4);
	}
	put_label(
	    out, (LEFT + RIGHT) / 2.0, BOTTOM + 27, "axis mid", all->x_text);
}

void
svg_lines(struct buf *out, const struct svg_lines *all)
{
	double part = all->marked_from / (double)all->length;

	begin(out, WIDTH, PLOT_HEIGHT, all->title);
	if (isfinite(part))
		(void)buf_print(out,
		    "<rect class=\"shade\" x=\"%.1f\" y=\"%d\" "
		    "width=\"%.1f\" height=\"%d\"/>\n",
		    LEFT + (RIGHT - LEFT) * part, TOP,
		    (RIGHT - LEFT) * (1 - part), BOTTOM - TOP);
	put_axes(out, all);
	for (size_t i = all->count; i-- > 0;)
		put_line(out, all, &all->lines[i]);
	(void)buf_print(out, "</svg>\n");
}

void
svg_points(struct buf *out, const struct svg_points *all)
{
	double low = SIDE - INNER, high = TOP;

	begin(out, SIDE + 20, SIDE, all->title);
	for (int i = 0; i <= 4; i++) {
		double at = low + (high - low) * i / 4;
		double x = INNER + (low - high) * i / 4;

		put_rule(out, "grid", (double[]){INNER, at},
		    (double[]){INNER + low - high, at});
		put_text(out, INNER - 4, at + 4, "axis end");
		(void)buf_print(out, "%.2f</text>\n", i / 4.0);
		put_text(out, x, low + 14, "axis mid");
		(void)buf_print(out, "%.2f</text>\n", i / 4.0);
	}
	put_rule(out, "mark", (double[]){INNER, low},
	    (double[]){INNER + low - high, high});
	put_label(
	    out, INNER + (low - high) / 2, low + 28, "axis mid", all->x_text);
	put_label(out, INNER + 4, high + 12, "axis", all->y_text);
	for (size_t i = 0; i < all->count; i++)
		if (isfinite(all->points[i].x) && isfinite(all->points[i].y))
			(void)buf_print(out,
			    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n",
			    INNER + (low - high) * all->points[i].x,
			    low + (high - low) * all->points[i].y);
	(void)buf_print(out, "</svg>\n");
}
