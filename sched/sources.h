/* Sources: the documents inside the scheduler, which give dates to their pages
 * or children; the value of a reading, and when it is computed again. */
#ifndef FRESHET_SOURCES_H
#define FRESHET_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/generator.h"
#include "base/mem.h"
#include "base/slice.h"
#include "sched/estimate.h"
#include "sched/queues.h"
#include "sched/scheduler.h"
#include "sched/sites.h"
#include "sched/trust.h"
#include "sched/value.h"

/* The backlog of a document: how many of the pages that it lists were never
 * fetched, and since when they are known.  Those that came while the first ones
 * were still there count as known since the first of them came: so they become
 * overdue too soon rather than too late.  Zeroed: empty. */
struct backlog {
	uint32_t count; /* of all pages */
	uint32_t first; /* how many of them are known since since_s */
	/* While the backlog is empty: of the pages that the next backlog_set()
	 * adds; 0: that call. */
	int64_t since_s;
	int64_t then_s; /* since when the others are known, if there are any */
};

/* backlog_set(backlog, count, now_s): change the number of pages.  Pages
 * above the old number became known now; when there are fewer, the newest
 * ones leave. */
void backlog_set(struct backlog *, uint32_t count, int64_t now_s);

/* backlog_take(backlog): take one of the oldest pages out; the backlog must
 * not be empty. */
void backlog_take(struct backlog *);

/* The date in the name of a document, such as an hourly or daily sitemap. */
struct stamp {
	int64_t begin_s; /* UTC */
	int64_t span_s; /* an hour, a day, a month or a year */
};

/* stamp_parse(stamp, name): Read the most precise date in a name, of the years
 * 1990 to 2099.  Year, month and day may be separated by - _ / . or nothing;
 * an hour may follow after a separator, T or nothing.  Without a day, or a
 * month, the month or year is read. Returns false, and writes nothing, when
 * there is none. */
bool stamp_parse(struct stamp *, struct slice name);

struct sched_source {
	/* First, in one cache line: what each evaluation of a page needs. */
	struct word word; /* what the dates say: source_word */
	bool has_word;
	uint16_t mass_count; /* readings in which most of the source moved */
	uint32_t site;
	uint32_t parent;
	int64_t read_s; /* the last reading; SCHEDULER_NEVER: none */
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
	/* owned: in the dates that the document gives; NULL: nothing is known,
	 * as of every robots.txt */
	struct trust *trust;
	struct rate rate; /* of changes of the listing */
	/* owned: of its pages, or children; NULL: all are 0 */
	struct gains *gains;
	/* its own part of the value of a reading of its index */
	struct gain gain;
	double cost; /* of a reading, in page fetches */
	/* of a reading that brought nothing new; 0: there was no such
	 * reading */
	double cost_same;
	/* the weight of new pages, and the days in which they came */
	double arrivals, arrival_days;
	/* owned: pages or children with ITEM_RETRO */
	uint32_t *retro;
	size_t retro_count, retro_cap;
	int64_t lastmod_s; /* the date that the index gives */
	uint16_t moves, mass; /* of that date, since the last reading */
	uint8_t failures; /* in a row */
	uint8_t hints; /* since the last reading (T17) */
	uint8_t quiet; /* readings in a row that showed no change */
	bool is_index, is_robots, is_gone, is_retired;
	bool is_mass; /* in the latest reading most of the source moved */
	/* enum item_flag: of its readings; of one more page of it */
	uint8_t flags, listed_flags;
	bool is_refreshing; /* in the FIFO of documents with `refresh` */
	/* by scheduler_retire(); no index lists the document */
	bool is_excluded, is_dropped;
	/* some pages in its list belong to other documents */
	bool has_moved_pages;
	/* The rest belongs to the owner of the scheduler, which reads and
	 * writes it; of a new document it is zeroed. */
	bool is_dirty;
	uint64_t saved; /* the hash of its record as the store has it */
	bool is_read; /* the document was read at least once */
	bool has_event; /* the scheduler knows what its index says of it */
	bool is_orphan; /* no target leads to the document */
	bool is_needed; /* an orphaned robots.txt, for pages of its origin */
	bool is_unlisted; /* nobody can read it: see store_unlisted() */
	/* the scheduler chose the document while its site was not watched */
	bool is_skipped;
	bool is_passed; /* passed_over.h: no call wants what it lists now */
	/* that writes it, for source_known(); NULL: not known */
	const struct generator *generator;
	int64_t id;
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

/* source_rules(sources, source): the intervals between its readings, and its
 * weight: those of its site, but a robots.txt has its own. */
const struct scheduler_site *source_rules(
    const struct sched_sources *, const struct sched_source *);

/* source_dates(source): the trust in its dates. */
static inline const struct trust *
source_dates(const struct sched_source *source)
{
	return source->trust == NULL ? &trust_unknown : source->trust;
}

/* source_known(source): the generator whose dates are known for something,
 * where trust in those of the document begins (T16); NULL: there is none. */
static inline const struct generator *
source_known(const struct sched_source *source)
{
	return source->is_index || source->generator == NULL ||
		source->generator->recall == 0
	    ? NULL
	    : source->generator;
}

/* source_add_gain(source, gain, value, moves): as gains_set(), for a page or a
 * child of the document. */
void source_add_gain(
    struct sched_source *, struct gain *, double value, double moves);

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
	return pace_position(&source_dates(source)->pace, blind);
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
	if (source->trust == NULL)
		source->trust = mem_zero(sizeof(*source->trust));
	return source->trust;
}

/* source_word(source): what the dates say, for estimates. */
static inline const struct word *
source_word(struct sched_source *source)
{
	if (!source->has_word)
		estimate_word(&source->word, source_dates(source));
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

/* source_ceiling_s(sources, source): the longest time between
 * two readings; 0: none.  The ceiling is three times as long for documents
 * whose dates deceive and for documents that are over.
 * source_is_exempt(sources, source): the quota of the site does not hold for
 * the next reading. source_allowed_s(sources, source): when it allows it; the
 * present: now.
 * source_is_overdue(sources, source): the document is past its ceiling, or
 * owed, not held, and allowed. */
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
