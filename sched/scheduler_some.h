/* Pages of some sites alone; the scheduler's options say asks_apart. */
#ifndef FRESHET_SCHEDULER_SOME_H
#define FRESHET_SCHEDULER_SOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/scheduler.h"

struct scheduler_some {
	const uint32_t *sites; /* borrowed: their numbers */
	size_t count;
	/* all below is zeroed at first, and the scheduler's */
	size_t at; /* whose turn it is */
	struct sites_open *ring; /* owned */
	size_t open; /* of its sites: those that may have a page */
	int64_t now_s; /* when the others had none */
	uint64_t seen_news; /* what happened since then */
	uint64_t evaluations; /* at sites, so far */
};

/* scheduler_some_release(some): before it is of other sites, and at the end.
 * Whose turn it is stays so. */
void scheduler_some_release(struct scheduler_some *);

/*
 * scheduler_next_page(scheduler, now_s, some, choice): scheduler_next_of, of
 * pages of these sites; all limits hold, and other sites take no turn.  The
 * best first, where they are few; among more than dozens that have pages the
 * sites take turns.
 */
bool scheduler_next_page(struct scheduler *, int64_t now_s,
    struct scheduler_some *, struct scheduler_choice *);

/*
 * When something of a site may be chosen, as far as is known; SCHEDULER_NEVER:
 * not before it is told something.  At the time of the latest call that said.
 * scheduler_site_ready_s(scheduler, site): its limits, and those of its host
 * and of all, allow a request; now or earlier: they do.
 * scheduler_all_ready_s(scheduler), scheduler_tag_ready_s(scheduler, tag): that
 * of all alone; those of that tag, and above it.
 * scheduler_page_due_s(scheduler, page), scheduler_listed_due_s(scheduler,
 * document): it is worth one, if nothing else waits; earlier: it waits for
 * its turn.
 */
int64_t scheduler_site_ready_s(struct scheduler *, uint32_t site);
int64_t scheduler_all_ready_s(struct scheduler *);
int64_t scheduler_tag_ready_s(struct scheduler *, uint32_t tag);
int64_t scheduler_page_due_s(const struct scheduler *, uint32_t page);
int64_t scheduler_listed_due_s(const struct scheduler *, uint32_t document);

#endif
