/* Documents of sites: sitemaps, indexes and robots.txt. */
#ifndef FRESHET_FRONTIER_DOCUMENTS_H
#define FRESHET_FRONTIER_DOCUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "store/segment/reading.h"

struct document_list_row;
struct frontier;

/* frontier_count(count): a count of the store, cut to what a document_item can
 * hold. */
static inline uint32_t
frontier_count(uint64_t count)
{
	return count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

/*
 * document_put(frontier, row): the number of that document.  The document is
 * made when it is new, after the indexes above it.  When it has become an
 * index, or is none any more, it gets another number; NONE: the store does not
 * have its site.
 *
 * document_find(frontier, id): the same by its id; NONE: unknown.
 * document_seen(frontier, id, kind): the same, given the kind it was seen to
 * be.
 */
uint32_t document_put(struct frontier *, const struct document_list_row *);
uint32_t document_find(struct frontier *, int64_t id);
uint32_t document_seen(struct frontier *, int64_t id, enum document_kind);

/* document_load(frontier, document, row): give the scheduler what was learned
 * of the document before; if nothing was saved, that it was read. */
void document_load(
    struct frontier *, uint32_t document, const struct document_list_row *);

/* document_before_index(frontier, index): the number that the document had
 * before it was an index: its pages stay there until another document lists
 * them. NONE: the store does not have it any more. */
uint32_t document_before_index(struct frontier *, uint32_t index);

/* document_update(frontier, document): tell the scheduler whether the document
 * is to be read at all.  To be called after the scheduler was told of it by an
 * index, and whenever the answer may have changed. */
void document_update(struct frontier *, uint32_t document);

/* document_orphan(frontier, document, is_orphan): nothing that is wanted leads
 * to it, or something does. */
void document_orphan(struct frontier *, uint32_t document, bool is_orphan);

/* document_lists(frontier, document, listed, refused): a reading accepted and
 * refused so many entries. */
void document_lists(
    struct frontier *, uint32_t document, uint32_t listed, uint32_t refused);

/* document_update_backlog(frontier, document): tell the scheduler how many of
 * its entries are no pages yet, as far as is known.
 * document_listed: the same when it may list other entries than before. */
void document_update_backlog(struct frontier *, uint32_t document);
void document_listed(struct frontier *, uint32_t document);

/* document_owes(frontier, document, owed_s): when the store wants it read again
 * (store/document_list.h). */
void document_owes(struct frontier *, uint32_t document, int64_t owed_s);

/* document_has_failed(frontier, id, at_s): has it failed for longer than SPEC
 * R-77 allows, with an attempt at that time? */
bool document_has_failed(struct frontier *, int64_t id, int64_t at_s);

/*
 * document_of_robots(frontier, origin, site): a page of that site waits for the
 * robots.txt of an origin that nobody has read: robots.txt becomes a document
 * of the site, if anybody reads documents. document_need_robots(frontier,
 * origin): a page of the origin is eligible: its robots.txt is read even if it
 * is an orphan.
 */
void document_of_robots(struct frontier *, uint32_t origin, uint32_t site);
void document_need_robots(struct frontier *, uint32_t origin);

#endif
