/* The charts of a site: how many pages it lists, came, went and moved, and how
 * old its dates are. */
#ifndef FRESHET_SITE_CHARTS_H
#define FRESHET_SITE_CHARTS_H

#include <stddef.h>

#include "base/buf.h"
#include "crawler/chart/chart.h"
#include "crawler/pages/figures.h"

#define SITE_EVENTS 40 /* in the part of a site */
#define SITE_NOTES 26 /* with a letter each, in the part of a site */

/* The events and notes that have a mark in the charts of their site, with the
 * numbers or letters that they have in its lists: "3", or "3-5" if one step has
 * several. */
struct site_marks {
	struct chart_mark items[SITE_EVENTS + SITE_NOTES];
	char signs[SITE_EVENTS + SITE_NOTES][8];
	size_t count;
};

/* site_charts_marks(marks, figures): fill the marks, which stay where they are.
 * Events and notes are in the order of time. */
void site_charts_marks(struct site_marks *, const struct figures *);

/* site_charts_columns: new, gone and moved pages. site_charts_trend: the pages
 * that were listed at the end of each step. site_charts_ages: by the lastmod of
 * the pages. */
void site_charts_columns(struct buf *, const struct figures *,
    const char *title, const struct site_marks *);
void site_charts_trend(
    struct buf *, const struct figures *, const struct site_marks *);
void site_charts_ages(struct buf *, const struct figures *);

#endif
