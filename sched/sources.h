/* Sources: the documents inside the scheduler, which give dates to their pages
 * or children; the value of a reading, and when it is computed again. */
#ifndef FRESHET_SOURCES_H
#define FRESHET_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/backlog.h"
#include "sched/clock.h"
#include "sched/estimate.h"
#include "sched/gains.h"
#include "sched/scheduler.h"
#include "sched/sites.h"
#include "sched/stamp.h"
#include "sched/trust_pool.h"

struct sched_source {
	/* First, in one cache line: what each evaluation of a page needs. */
	struct word word; /* what the dates say: source_word */
	bool has_word;
	uint16_t mass_count; /* readings in which most of the source moved */
	uint32_t site;
	int64_t read_s; /* the last reading; SCHEDULER_NEVER: none */
	uint32_t parent;
	uint32_t first; /* page (source_first_page), plus one */
	uint32_t next_of_site; /* document of the same site, plus one */
	uint32_t refresh; /* the next page to be evaluated, plus one */
	uint32_t readings;
	int64_t added_s;
	int64_t held_s; /* no reading before this time */
	/* when a reading is due, whatever it is worth; 0: at no time */
	int64_t owed_s;
	/* listed pages that are no pages of the scheduler yet */
	struct backlog backlog;
	struct stamp stamp; /* the date in the name; span_s 0: none */
	struct trust trust; /* in the dates that the document gives */
	struct rate rate; /* of changes of the listing */
	struct gains gains; /* of its pages, or children */
	/* its own part of the value of a reading of its index */
	struct gain gain;
	double cost; /* of a reading, in page fetches */
	/* of a reading that brought nothing new; 0: there was no such
	 * reading */
	double cost_same;
	/* the weight of new pages, and the days in which they came */
	double arrivals, arrival_days;
	/* owned: pages with PAGE_RETRO, or children with is_retro */
	uint32_t *retro;
	size_t retro_count, retro_cap;
	int64_t lastmod_s; /* the date that the index gives */
	uint16_t moves, mass; /* of that date, since the last reading */
	uint8_t failures; /* in a row */
	uint8_t quiet; /* readings in a row that showed no change */
	bool is_index, is_out, is_gone, is_retired, is_retro;
	bool is_mass; /* in the latest reading most of the source moved */
	bool is_overdue, is_forced, is_waiting,
	    is_refreshing; /* as the flags of struct sched_page */
	/* The same flags of the item for one more page of the document. */
	bool is_listed_overdue, is_listed_forced, is_listed_waiting;
	/* by scheduler_retire(); no index lists the document */
	bool is_excluded, is_dropped;
	/* some pages in its list belong to other documents */
	bool has_moved_pages;
	/* The rest belongs to the owner of the scheduler, which reads and
	 * writes it; of a new document it is zeroed. */
	bool is_robots, is_dirty;
	bool is_read; /* the document was read at least once */
	bool has_event; /* the scheduler knows what its index says of it */
	bool is_orphan; /* no target leads to the document */
	bool is_needed; /* an orphaned robots.txt, for pages of its origin */
	bool is_unlisted; /* nobody can read it: see store_unlisted() */
	/* the scheduler chose the document while its site was not watched */
	bool is_skipped;
	int64_t id;
	uint32_t owner_site;
	uint32_t next_owned; /* the next document of that site, plus one */
	uint32_t listed; /* accepted entries */
	uint32_t refused; /* refused entries */
	uint32_t dated; /* accepted entries with a date */
	uint32_t promoted; /* entries that are pages */
};

struct sched_sources {
	const struct scheduler_options *options; /* borrowed, as these four */
	const struct sched_clock *clock;
	struct sched_queues *queues;
	struct sched_sites *sites;
	struct sched_sections *sections;
	struct sched_source *items; /* owned */
	size_t count, cap;
	struct rate_prior rates; /* of all documents */
	/* Trust in all dates of each kind of document. */
	struct trust_pool sitemaps, indexes;
};

static inline struct sched_site *
source_site(
    const struct sched_sources *sources, const struct sched_source *source)
{
	return &sources->sites->items[source->site];
}

/* source_position(sources, number): the position of the document's pace
 * now (T11). */
static inline double
source_position(const struct sched_sources *sources, uint32_t document)
{
	const struct sched_source *source = &sources->items[document];
	double blind = 0;

	if (sources->options->reads_documents &&
	    source->read_s != SCHEDULER_NEVER)
		blind = days_after(sources->clock, source->read_s);
	return pace_position(&source->trust.pace, blind);
}

/* source_estimate(sources, number, of, pending): what page_estimate() does for
 * a page, for a document whose dates an index gives.  Returns false when there
 * is no index. */
bool source_estimate(struct sched_sources *, uint32_t number,
    struct estimate_of *, struct pending *);

/* source_trust(source): the trust in the dates, to be changed; source_word
 * is computed again after that. */
static inline struct trust *
source_trust(struct sched_source *source)
{
	source->has_word = false;
	return &source->trust;
}

/* source_word(source): what the dates say, for estimates. */
static inline const struct word *
source_word(struct sched_source *source)
{
	if (!source->has_word)
		estimate_word(&source->word, &source->trust);
	source->has_word = true;
	return &source->word;
}

/* source_view(sources, number, moves, view, pending): what is believed of
 * the document now, as if the date in its index had moved so many times
 * more. */
void source_view(struct sched_sources *, uint32_t number, unsigned moves,
    struct view *, struct pending *);

/* source_evaluate(sources, number, moves): the value of a reading now, as
 * if the date in the index had moved so many times more. */
double source_evaluate(struct sched_sources *, uint32_t number, unsigned moves);

/* source_reschedule(sources, number): as page_reschedule, for a reading,
 * which waits while it is worth the price. source_reschedule_listed:
 * likewise, for one more of the document's pages. */
void source_reschedule(struct sched_sources *, uint32_t number);
void source_reschedule_listed(struct sched_sources *, uint32_t number);

/* source_listed_value(sources, number): the value of fetching one more of
 * the document's pages. */
double source_listed_value(const struct sched_sources *, uint32_t number);

/* source_is_owed(sources, source): a reading is due that scheduler_owe
 * asked for. source_ceiling_s(sources, source): the longest time between
 * two readings; 0: none.  The ceiling is three times as long for documents
 * whose dates deceive and for documents that are over.
 * source_is_exempt(sources, source): the quota of the site does not hold for
 * the next reading. source_allowed_s(sources, source): when it allows it; the
 * present: now.
 * source_is_overdue(sources, source): the document is past its ceiling, or
 * owed, not held, and allowed. */
bool source_is_owed(const struct sched_sources *, const struct sched_source *);
int64_t source_ceiling_s(
    const struct sched_sources *, const struct sched_source *);
bool source_is_exempt(
    const struct sched_sources *, const struct sched_source *);
int64_t source_allowed_s(struct sched_sources *, const struct sched_source *);
bool source_is_overdue(struct sched_sources *, const struct sched_source *);

/* is_read_since(source, t_s): there was a reading after t_s. */
static inline bool
is_read_since(const struct sched_source *source, int64_t t_s)
{
	return source->read_s != SCHEDULER_NEVER && source->read_s > t_s;
}

/* source_ask(source, which): a change of that page, or child, was found that no
 * move of its date had announced; the next reading of the source decides
 * whether the change was announced late.  Returns false when too many wait for
 * it. */
bool source_ask(struct sched_source *, uint32_t which);

#endif
