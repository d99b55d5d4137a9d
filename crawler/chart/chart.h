/*
 * Charts as SVG within a page of markup.h.
 *
 * A chart is a figure: its title, the drawing with the texts of its axes, and
 * below it the same numbers as a table that opens.  Drawings have the width of
 * a phone, so that their text can be read there; colours come from the style of
 * the page.  All texts may be foreign: they are escaped here.
 */
#ifndef FRESHET_CHART_H
#define FRESHET_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

/* Appends a value as people read it. */
typedef void chart_put_fn(struct buf *, double value);

/* chart_put_count(out, value): "1,204", "-" for NaN. */
void chart_put_count(struct buf *, double value);

/* What each chart says beside its shapes. */
struct chart_words {
	const char *title;
	const char *note; /* after the title: unit, time; NULL: none */
	const char *x_text; /* what the places or values along it are */
	const char *y_text; /* the same of the other axis */
	chart_put_fn *put; /* values, in the drawing and in the table */
};

struct chart_bar {
	const char *name;
	double value; /* NaN: no value */
};

struct chart_bars {
	struct chart_words words;
	const struct chart_bar *bars;
	size_t count;
	double mark; /* value of a line across all bars; NaN: none */
	const char *mark_text;
};

/* chart_bars(out, bars): append bars, one below the other, from 0 to the
 * largest. */
void chart_bars(struct buf *, const struct chart_bars *);

/* Something that happened at a place of the axis. */
struct chart_mark {
	double at; /* the first place is 0 */
	const char *sign; /* a number, or a letter or two */
};

struct chart_line {
	struct chart_words words;
	const double *values; /* at 0, 1, ...; NaN: no value */
	const char *const *names; /* of the places */
	size_t length; /* number of places */
	const struct chart_mark *marks;
	size_t mark_count;
};

/* chart_line(out, line): append a line over time, from 0 on, of at most 120
 * points, which are means of the values between. */
void chart_line(struct buf *, const struct chart_line *);

struct chart_column {
	const char *name;
	uint64_t up, down;
	uint64_t mark; /* a triangle with its number; 0: none */
};

struct chart_columns {
	struct chart_words words;
	const struct chart_column *columns;
	size_t count;
	/* what they count; mark, or down and mark, may be NULL: there are none
	 */
	const char *up_text, *down_text, *mark_text;
	const struct chart_mark *marks;
	size_t mark_count;
};

/* chart_columns(out, columns): append columns over time.  Those that go down
 * have a scale of their own.  One or two that are far above all others are cut,
 * and have their number. */
void chart_columns(struct buf *, const struct chart_columns *);

/* chart_spark(out, values, count): append a line as small as a word, without
 * axes and table. */
void chart_spark(struct buf *, const double *values, size_t count);

#endif
