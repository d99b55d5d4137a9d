/*
 * What a page shows of a site in a span of time: the numbers of `stats` and
 * `diff`, the events, and, for the sites that have a part of their own, what
 * their sections and sitemaps list now; and the charts of these numbers.
 */
#ifndef FRESHET_FIGURES_H
#define FRESHET_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/w3cdate.h"
#include "crawler/chart/chart.h"
#include "crawler/cli/options.h"
#include "crawler/events/events.h"
#include "crawler/inspect/stats_gather.h"

#define FIGURES_STEPS 120 /* at most */

/* A column of the charts: a day, a week or several weeks, of the zone of
 * base/zone.h.  Weeks begin on Monday. */
struct figures_step {
	char name[16]; /* "21 Sep", "21 Sep 26" */
	int64_t from_s;
	uint64_t counts[STATS_KINDS];
	double listed; /* at its end; NaN: not known */
};

struct figures_section {
	char *name; /* owned; "/blog" */
	uint64_t listed; /* pages now, refused ones too */
	uint64_t counts[STATS_KINDS];
	uint64_t changes; /* those of the counts that are news of a section */
	bool has_changed;
};

struct figures_document {
	char *url; /* owned */
	uint64_t entries, dated;
	struct date newest;
	int64_t last_read_s;
	char *failing; /* owned; failing_row_text(); NULL: it does not fail */
	bool is_index;
};

struct figures_note {
	int64_t at_s;
	char *text; /* owned */
};

/* How much is asked for of a site. */
enum figures_depth {
	/* the changes, events and totals: what sorts the sites of a page, and
	 * counts in its sums; half of the cost of a row */
	FIGURES_SUMS,
	FIGURES_ROW, /* and its row in the table of sites */
	FIGURES_WHOLE /* all; the cost grows with the number of its pages */
};

/* Pages that are absent since a time. */
struct figures_missing {
	int64_t at_s;
	uint64_t pages;
};

struct figures {
	char *host; /* owned */
	uint64_t listed, refused; /* now */
	/* pages listed at the beginning and at the end of the span; -1: not
	 * known */
	int64_t before, after;
	/* owned; pages that are absent now, and not gone yet */
	struct figures_missing *missing;
	size_t missing_count, missing_cap;
	uint64_t counts[STATS_KINDS];
	uint64_t changes; /* new, gone and moved */
	struct site_totals totals; /* now */
	enum events_gap gap;
	size_t event_count; /* of the members of events that are no notes */
	/* of the re-dated pages, those of EVENT_REDATED: at deploys times all
	 * dates of a sitemap moved together */
	uint64_t deployed;
	size_t deploys;
	bool are_builds; /* that is so for most of the re-dated pages */
	struct date newest; /* of its sitemaps */
	char rhythm[96]; /* in words */
	bool is_silent, has_lost_line; /* by its latest event of that kind */

	struct site_event_list events; /* sorted, and folded */

	/* The members below are filled in only if has_detail is true.  They may
	 * be empty if the site has no history. */
	bool has_detail;
	struct figures_step *steps; /* owned */
	size_t step_count;
	int64_t step_s; /* length of a step */
	struct figures_section *sections; /* owned; most changes first */
	size_t section_count, section_cap;
	struct figures_document *documents; /* owned; in order of URLs */
	size_t document_count, document_cap;
	uint64_t ages[CHART_AGES];
	struct figures_note *notes; /* owned; of the span, in order of time */
	size_t note_count, note_cap;
	struct events_span span;
};

/* figures_span(since_s, until_s, now_s): the span that a page shows: it begins
 * with the day of since_s, in the zone of base/zone.h.  The caller puts the
 * sections and renamings of each site into it. */
struct events_span figures_span(
    int64_t since_s, int64_t until_s, int64_t now_s);

/*
 * figures_gather(figures, store, host, span, depth): fill in *figures for a
 * site.
 * figures_release(figures): free what *figures owns.
 */
void figures_gather(struct figures *, struct store *, struct slice host,
    const struct events_span *, enum figures_depth);
void figures_release(struct figures *);

/* figures_kind(out, kind): append the kind of an event as markup.
 * figures_event_link(out, host, event, tail): append <a>, which leads to the
 * page of an event of the site; `tail` is markup, and ends the link. */
void figures_kind(struct buf *, enum site_event_kind);
void figures_event_link(struct buf *, const char *host,
    const struct site_event *, const char *tail);

/* The charts of a site. */

#define SITE_EVENTS 40 /* in the part of a site */
#define SITE_NOTES 26 /* with a letter each, in the part of a site */

/* The events and notes that have a mark in the charts of their site, with the
 * numbers or letters that they have in its lists: "3", or "3-5" if one step has
 * several. */
struct figures_marks {
	struct chart_mark items[SITE_EVENTS + SITE_NOTES];
	char signs[SITE_EVENTS + SITE_NOTES][8];
	size_t count;
};

/* figures_marks(marks, figures): fill the marks, which stay where they are.
 * Events and notes are in the order of time. */
void figures_marks(struct figures_marks *, const struct figures *);

/* figures_columns: new, gone and moved pages. figures_trend: the pages
 * that were listed at the end of each step. */
void figures_columns(struct buf *, const struct figures *, const char *title,
    const struct figures_marks *);
void figures_trend(
    struct buf *, const struct figures *, const struct figures_marks *);

#endif
