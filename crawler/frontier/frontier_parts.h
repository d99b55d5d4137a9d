/* What the parts of the frontier do for each other; see frontier_internal.h. */
#ifndef FRESHET_FRONTIER_PARTS_H
#define FRESHET_FRONTIER_PARTS_H

#include "crawler/frontier/frontier_internal.h"
#include "sched/scheduler_events.h"
#include "store/document_list.h"
#include "store/outcome.h"
#include "store/page.h"
#include "store/watch.h"

/* A normalised URL; borrowed from it. */
struct frontier_url {
	struct slice origin, host, target;
};

struct frontier_url frontier_url(struct slice url);

/* frontier_hash(frontier, url): as a key of an idmap. */
int64_t frontier_hash(const struct frontier *, struct slice url);

/* frontier_clock(frontier, now_s): the time that holds, see desk.h. */
int64_t frontier_clock(struct frontier *, int64_t now_s);

/* frontier_dirty(numbers, number): one more of them. */
void frontier_dirty(struct numbers *, uint32_t number);
void page_dirty(struct frontier *, uint32_t page);
void document_dirty(struct frontier *, uint32_t document);

/* page_by_id(frontier, id): NONE: it is none. */
uint32_t page_by_id(const struct frontier *, int64_t id);

/* page_by_url(frontier, url): the same, by its normalised URL. */
uint32_t page_by_url(struct frontier *, struct slice url);

/* page_promote(frontier, row, is_out): one more page, listed by a document that
 * the frontier knows; NONE: it does not. */
uint32_t page_promote(struct frontier *, const struct page_row *, bool is_out);

/* page_return(frontier, page): the scheduler may choose it again. */
void page_return(struct frontier *, uint32_t page);

/* page_told_kind(outcome): what the scheduler is told of it.
 * page_taught(frontier, page, url): it was: what was learned is to be saved. */
enum scheduler_outcome_kind page_told_kind(enum page_outcome);
void page_taught(struct frontier *, uint32_t page, struct slice url);

#endif
