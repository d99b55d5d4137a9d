/* Documents of the scheduler: what reading each is worth, and when to look at
 * it again. */
#ifndef FRESHET_SOURCES_H
#define FRESHET_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/backlog.h"
#include "sched/estimate.h"
#include "sched/families.h"
#include "sched/gains.h"
#include "sched/scheduler.h"

struct scheduler;

/* Documents whose names differ in digits only. */
struct sched_family {
	struct rate_prior rates; /* of changes of its documents */
	int64_t lively_s; /* one changed so long after the time in its name */
};

struct sched_source {
	/* What each look at one of its pages asks for comes first. */
	struct word word; /* what its dates say: source_word */
	bool has_word;
	uint16_t mass_count; /* its readings that moved most, told as one */
	uint32_t site;
	int64_t read_s; /* SCHEDULER_NEVER: never */
	uint32_t parent, family;
	uint32_t first; /* of its pages (source_first_page), or children, + 1 */
	uint32_t next; /* child of the same index, plus one */
	uint32_t next_of_site; /* document of the same site, plus one */
	uint32_t refresh; /* its page to be looked at next, plus one */
	uint32_t readings;
	int64_t added_s;
	int64_t held_s; /* not to be read before */
	int64_t owed_s; /* to be read then, whatever it is worth; 0: not */
	struct backlog backlog; /* listed, and no page yet */
	struct stamp stamp; /* of its name; span_s 0: none */
	struct trust trust; /* of the dates it gives */
	struct rate rate; /* of changes of what it lists */
	struct gains gains; /* of its pages, or children */
	struct gain gain; /* its own, to its index */
	double cost; /* of a reading, in page fetches */
	double cost_same; /* of one that brought nothing new; 0: none did */
	double arrivals, arrival_days; /* weight of new pages that came */
	uint32_t *retro; /* owned: pages with PAGE_RETRO, or children */
	size_t retro_count, retro_cap;
	int64_t lastmod_s; /* as its index says */
	uint16_t moves, mass; /* of that, since its last reading */
	uint8_t failures; /* in a row */
	uint8_t quiet; /* readings in a row that showed no change */
	bool is_index, is_out, is_gone, is_retired, is_retro;
	bool is_mass; /* its latest reading moved most of it */
	bool is_overdue, is_forced, is_waiting, is_refreshing; /* as of pages */
	/* as those above: the thing of its pages */
	bool is_listed_overdue, is_listed_forced, is_listed_waiting;
	bool is_excluded, is_dropped; /* retired by the caller; by its index */
	bool has_moved_pages; /* among its pages are those of others */
};

/* source_estimate(scheduler, number, of, pending): as page_estimate, the index
 * being the source of its dates; false: it has no index. */
bool source_estimate(struct scheduler *, uint32_t number, struct estimate_of *,
    struct pending *);

/* source_trust(source): its trust, to be changed: what its dates say is worked
 * out anew after that. */
static inline struct trust *
source_trust(struct sched_source *source)
{
	source->has_word = false;
	return &source->trust;
}

/* source_word(source): what its dates say. */
static inline const struct word *
source_word(struct sched_source *source)
{
	if (!source->has_word)
		estimate_word(&source->word, &source->trust);
	source->has_word = true;
	return &source->word;
}

/* source_view(scheduler, number, moves, view, pending): what is believed of it
 * now, had its index's date moved so many times more. */
void source_view(struct scheduler *, uint32_t number, unsigned moves,
    struct view *, struct pending *);

/* source_evaluate(scheduler, number, moves): what a reading of it is worth now,
 * had its index's date moved so many times more. */
double source_evaluate(struct scheduler *, uint32_t number, unsigned moves);

/* source_reschedule, source_reschedule_listed: as page_reschedule, for a
 * reading of it, which waits while it is worth the price, and for one more of
 * its pages. */
void source_reschedule(struct scheduler *, uint32_t number);
void source_reschedule_listed(struct scheduler *, uint32_t number);

/* source_listed_value(scheduler, number): of one more of its pages. */
double source_listed_value(const struct scheduler *, uint32_t number);

/* source_is_owed(scheduler, source): a reading that something waits for is due.
 * source_ceiling_s(scheduler, source): readings are no further apart, 0: there
 * is no such bound; it is three times as far for those whose dates deceive and
 * those that are over.  source_is_overdue: past it, or owed, and not
 * held. */
bool source_is_owed(const struct scheduler *, const struct sched_source *);
int64_t source_ceiling_s(const struct scheduler *, const struct sched_source *);
bool source_is_overdue(const struct scheduler *, const struct sched_source *);

/* is_read_since(source, t_s): a reading came after that. */
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
