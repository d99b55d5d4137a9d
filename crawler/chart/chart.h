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

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/w3cdate.h"

/* What each chart says beside its shapes. */
struct chart_words {
	const char *title;
	const char *note; /* after the title: unit, time; NULL: none */
	const char *x_text; /* what the places or values along it are */
	const char *y_text; /* the same of the other axis */
};

/* Pages by the age of their dates. */
#define CHART_AGES 7

/* chart_age(date, now_s): among which pages one with that date counts.
 * chart_ages(out, ages): append a bar for the pages of each age, from those of
 * the last week to those without a date. */
size_t chart_age(const struct date *, int64_t now_s);
void chart_ages(struct buf *, const uint64_t ages[CHART_AGES]);

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
	uint64_t mark; /* a triangle; 0: none */
};

struct chart_columns {
	struct chart_words words;
	const struct chart_column *columns;
	size_t count;
	/* what they count */
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
