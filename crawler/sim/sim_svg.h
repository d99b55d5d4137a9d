/* Plots as SVG, in a page whose style gives the colours. */
#ifndef FRESHET_SIM_SVG_H
#define FRESHET_SIM_SVG_H

#include <stddef.h>

#include "base/buf.h"
#include "base/slice.h"

/* Lines have the classes l0 to l7; further lines begin again with l0. */
#define SVG_COLOURS 8

struct svg_bar {
	const char *name; /* without markup */
	double value; /* NaN: no value */
	double error; /* half of the interval; NaN: none */
	const char *text; /* the text at its end, without markup */
};

struct svg_bars {
	const struct svg_bar *bars;
	size_t count;
	double mark; /* value of a line across all bars; NaN: none */
	const char *mark_text;
	const char *title; /* for readers who cannot see the plot */
};

/* svg_bars(out, bars): append bars, one below the other, from 0 to the
 * largest. */
void svg_bars(struct buf *, const struct svg_bars *);

struct svg_line {
	const char *name;
	const double *values; /* at 0, 1, ...; NaN: no value */
	size_t colour;
};

struct svg_lines {
	const struct svg_line *lines;
	size_t count;
	size_t length; /* number of values of each line */
	double low, high; /* ends of the value axis */
	/* the plot is shaded from this place on; NaN: not at all */
	double marked_from;
	const char *x_text;
	const char *title;
};

/* svg_lines(out, lines): append lines over time, of at most 200 points each,
 * which are means of the values between. A value beyond the axis is drawn at
 * its end. */
void svg_lines(struct buf *, const struct svg_lines *);

struct svg_point {
	double x, y; /* from 0 to 1; NaN: not drawn */
};

struct svg_points {
	const struct svg_point *points;
	size_t count;
	const char *x_text, *y_text, *title;
};

/* svg_points(out, points): append points in a square, with its diagonal. */
void svg_points(struct buf *, const struct svg_points *);

#endif
