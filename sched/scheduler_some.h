/* A choice among some sites only; for the option asks_apart. */
#ifndef FRESHET_SCHEDULER_SOME_H
#define FRESHET_SCHEDULER_SOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sched_sites;

/* The sites that scheduler_next_page chooses from.  The caller sets the first
 * two members and zeroes the others, which belong to the scheduler. */
struct scheduler_some {
	const uint32_t *sites; /* borrowed: their numbers */
	size_t count;
	size_t at; /* the site whose turn it is */
	struct sites_open *ring; /* owned; NULL: not made yet */
	size_t open; /* sites in the ring: those that may have a page */
	/* the time at which the sites outside the ring had no page */
	int64_t now_s;
	uint64_t seen_news; /* news of the limiter that were handled already */
	uint64_t evaluations; /* of sites, so far */
};

/* scheduler_some_release(some): free what belongs to the scheduler, before
 * `sites` changes and at the end.  Whose turn it is stays. */
void scheduler_some_release(struct scheduler_some *);

/*
 * For scheduler_next_page only.
 * sites_best(sites, some, at): the index of the site whose best page is the
 * best; false: none of the sites may be asked for a page.  Of many sites, a few
 * are compared at a time.  A site without a page is not tried again in the same
 * second, unless an item comes to wait there or a limit becomes wider.
 * sites_next(some, at): that site had its turn.
 */
bool sites_best(struct sched_sites *, struct scheduler_some *, size_t *at);
void sites_next(struct scheduler_some *, size_t at);

#endif
