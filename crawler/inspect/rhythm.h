/*
 * When a site publishes: its new pages by weekday and hour, in words, and how
 * soon they are found.  Days and hours are those of the zone of base/zone.h.
 *
 * What is known of the time of a page: its sitemap did not list it at one
 * reading and did at the next.  The time between these readings is the window
 * of the page; a date that fits it says more.
 */
#ifndef FRESHET_RHYTHM_H
#define FRESHET_RHYTHM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/w3cdate.h"

/* A window of up to two hours says the hour, within one; of up to 26 hours the
 * day, because a daily reading is never exactly a day after the last one and a
 * day of a zone may have 25 hours.  What was found after a longer time has no
 * day, unless its date says one: nobody saw when it came. */
#define RHYTHM_HOUR_S 7200
#define RHYTHM_DAY_S (26 * INT64_C(3600))
/* Clocks of sites may be wrong by that, and pages are listed so long after
 * their date. */
#define RHYTHM_CLOCK_S 3600
#define RHYTHM_LATE_S (2 * INT64_C(86400))
/* When a rhythm is said: days were seen for three weeks, so that each weekday
 * was there three times; new pages came on four days at least.  A usual weekday
 * is one on which pages came three times, and on half of those that were seen.
 * Four of five days with new pages must be usual ones, so that a holiday or a
 * single burst does not spoil a rhythm; and of three days by chance the same
 * weekday has all in one case of 49. */
#define RHYTHM_SEEN_DAYS 21
#define RHYTHM_LEAST_DAYS 4
#define RHYTHM_TIMES 3
#define RHYTHM_SHARE 80 /* percent */
#define RHYTHM_HOURS 4 /* a longer time of the day is not said */
#define RHYTHM_QUIET_DAYS 14
#define RHYTHM_LAG_PAGES 5 /* fewer dates say nothing of a lag */
/* All dates of a sitemap move if RHYTHM_SHARE of them do, and so many at least;
 * where that is so on so many days, they are dates of builds. */
#define RHYTHM_ALL_PAGES 10
#define RHYTHM_REDATINGS 3
/* Where that share of the dates moved, and so many, the dates between theirs
 * say of no page when it came. */
#define RHYTHM_REDATED_PAGES 3

/* When something was first absent and then there. */
struct rhythm_window {
	int64_t after_s; /* 0: nobody looked before */
	int64_t at_s;
};

struct rhythm;

/* rhythm_new(from_s, to_s): what happened in that span will be added.
 * rhythm_free(rhythm): NULL is allowed. */
struct rhythm *rhythm_new(int64_t from_s, int64_t to_s);
void rhythm_free(struct rhythm *);

/* rhythm_look(rhythm, window): a sitemap was read at both ends of the window.
 * rhythm_page(rhythm, window, reading_id, date): a page was new.
 * rhythm_redated(rhythm, at_s): all dates of a sitemap moved together, as a
 * reading of that time found; readings come in their order. */
void rhythm_look(struct rhythm *, const struct rhythm_window *);
void rhythm_page(struct rhythm *, const struct rhythm_window *,
    int64_t reading_id, const struct date *);
void rhythm_redated(struct rhythm *, int64_t at_s);

/* What is known of them. */
struct rhythm_facts {
	uint64_t pages[7][24]; /* new ones; 0 is Monday */
	uint64_t hourless[7]; /* of days whose hour is not known */
	uint64_t placeless; /* whose day is not known either */
	uint64_t all;
	/* on how many days the hour was seen: when a page came then, its hour
	 * would be known */
	uint32_t seen[7][24];
	uint32_t seen_days[7]; /* on which it would be known that it came */
	uint32_t days[7]; /* with new pages */
	int64_t last_s; /* the latest day with new pages; 0: none */
	bool is_quiet; /* that is two weeks ago, and somebody looked since */
	/* if has_rhythm: */
	bool has_rhythm;
	bool is_usual[7];
	int hour_from, hour_to; /* -1: not known, or at any hour */
	uint64_t at_once; /* pages that come together; 0: various numbers */
	bool is_spread; /* these come in several readings of the day */
	/* of the pages whose date has an hour: */
	uint64_t dated;
	int64_t lag_s,
	    most_lag_s; /* half, and nine of ten, were found sooner */
	int64_t interval_s; /* half of their windows are shorter */
	uint64_t redatings; /* days on which all dates of a sitemap moved */
};

extern const char *const rhythm_weekdays[7]; /* "Mon" to "Sun" */

/* rhythm_judge(rhythm, facts): fill in *facts. */
void rhythm_judge(struct rhythm *, struct rhythm_facts *);

/* In words: rhythm_words: "Mondays, five at once", "Mon to Fri 10 to 11 h", "no
 * rhythm seen in 12 pages".  rhythm_lag_words: "half of 34 pages ...".
 * rhythm_redated_words: "re-dated ..."; nothing if no sitemap did. */
void rhythm_words(const struct rhythm_facts *, struct buf *);
void rhythm_lag_words(const struct rhythm_facts *, struct buf *);
void rhythm_redated_words(const struct rhythm_facts *, struct buf *);

#endif
