/* What the parts of the desk do for each other; see desk_internal.h. */
#ifndef FRESHET_DESK_PARTS_H
#define FRESHET_DESK_PARTS_H

#include "crawler/frontier/desk_internal.h"
#include "sched/scheduler_tell.h"
#include "store/outcome.h"
#include "store/page.h"
#include "store/roster.h"
#include "store/watch.h"

/* A normalised URL; borrowed from it. */
struct desk_url {
	struct slice origin, host, target;
};

struct desk_url desk_url(struct slice url);

/* desk_hash(desk, url): as a key of an idmap. */
int64_t desk_hash(const struct desk *, struct slice url);

/* desk_clock(desk, now_s): the time that holds, see desk.h. */
int64_t desk_clock(struct desk *, int64_t now_s);

/* desk_dirty(numbers, number): one more of them. */
void desk_dirty(struct numbers *, uint32_t number);
void page_dirty(struct desk *, uint32_t page);
void document_dirty(struct desk *, uint32_t document);

/* page_by_id(desk, id): NONE: it is none. */
uint32_t page_by_id(const struct desk *, int64_t id);

/* page_by_url(desk, url): the same, by its normalised URL. */
uint32_t page_by_url(struct desk *, struct slice url);

/* page_promote(desk, row, is_out): one more page, listed by a document that the
 * desk knows; NONE: it does not. */
uint32_t page_promote(struct desk *, const struct page_row *, bool is_out);

/* page_return(desk, page): the scheduler may choose it again. */
void page_return(struct desk *, uint32_t page);

/* page_told_kind(outcome): what the scheduler is told of it.  page_taught(desk,
 * page, url): it was: what was learned is to be saved. */
enum scheduler_outcome_kind page_told_kind(enum page_outcome);
void page_taught(struct desk *, uint32_t page, struct slice url);

#endif
