/* Plots as SVG, within a page whose style gives the colours. */
#ifndef FRESHET_SIM_SVG_H
#define FRESHET_SIM_SVG_H

#include <stddef.h>

#include "base/buf.h"
#include "base/slice.h"

/* Lines of a plot have the classes l0 to l7; more take them again. */
#define SVG_COLOURS 8

struct svg_bar {
	const char *name; /* plain */
	double value; /* NaN: there is none */
	double error; /* half an interval, NaN: none */
	const char *text; /* what stands at its end, plain */
};

struct svg_bars {
	const struct svg_bar *bars;
	size_t count;
	double mark; /* a line across all bars; NaN: none */
	const char *mark_text;
	const char *title; /* for who cannot see it */
};

/* svg_bars(out, bars): one below the other, from 0 to the largest. */
void svg_bars(struct buf *, const struct svg_bars *);

struct svg_line {
	const char *name;
	const double *values; /* at 0, 1, ...; NaN: none there */
	size_t colour;
};

struct svg_lines {
	const struct svg_line *lines;
	size_t count;
	size_t length; /* of each */
	double low, high; /* of values, on the axis */
	double marked_from; /* places from there on are shaded; NaN: none */
	const char *x_text;
	const char *title;
};

/* svg_lines(out, lines): over time; at most 200 points of each are drawn,
 * means of those between; what is beyond the axis is drawn at its end. */
void svg_lines(struct buf *, const struct svg_lines *);

struct svg_point {
	double x, y; /* 0 to 1; NaN: left out */
};

struct svg_points {
	const struct svg_point *points;
	size_t count;
	const char *x_text, *y_text, *title;
};

/* svg_points(out, points): in a square, with its diagonal. */
void svg_points(struct buf *, const struct svg_points *);

#endif
