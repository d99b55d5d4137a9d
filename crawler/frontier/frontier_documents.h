/* Documents of the frontier's sites. */
#ifndef FRESHET_FRONTIER_DOCUMENTS_H
#define FRESHET_FRONTIER_DOCUMENTS_H

#include "crawler/frontier/frontier_internal.h"
#include "store/segment/reading.h"

struct document_list_row;

/* frontier_count(count): as it is kept: no more than fits. */
static inline uint32_t
frontier_count(uint64_t count)
{
	return count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

/* document_put(frontier, row): the number of that document, made when it is new
 * or turned out to be an index, or none; those above it first. */
uint32_t document_put(struct frontier *, const struct document_list_row *);

/* document_find(frontier, id): the same, by its id; NONE: there is none.
 * document_seen: it was seen to be of that kind. */
uint32_t document_find(struct frontier *, int64_t id);
uint32_t document_seen(struct frontier *, int64_t id, enum document_kind);

/* document_wanted(frontier, document): it is to be read, or not, as its site is
 * watched.  To be called when the scheduler was told of it by an index. */
void document_wanted(struct frontier *, uint32_t document);

/* document_of_robots(frontier, origin, site): a page of that site waits for the
 * robots.txt of an origin that nobody has read: it is a document of the site
 * from now on, if somebody reads those. */
void document_of_robots(struct frontier *, uint32_t origin, uint32_t site);

/* document_lists(frontier, document, listed, refused): so many that are
 * accepted, and so many that are not, as it was read now. */
void document_lists(
    struct frontier *, uint32_t document, uint32_t listed, uint32_t refused);

/* document_owes(frontier, document, owed_s): as the store has it (roster.h). */
void document_owes(struct frontier *, uint32_t document, int64_t owed_s);

/* document_left(frontier, document): tell the scheduler how many of its entries
 * are no pages yet, as far as is known.  document_listed: other ones than
 * before, perhaps. */
void document_left(struct frontier *, uint32_t document);
void document_listed(struct frontier *, uint32_t document);

/* document_orphan(frontier, document, is_orphan): nothing that is wanted leads
 * to it, or it does. */
void document_orphan(struct frontier *, uint32_t document, bool is_orphan);

/* document_has_failed(frontier, id, at_s): for as long as R-77 puts up with, by
 * an attempt then. */
bool document_has_failed(struct frontier *, int64_t id, int64_t at_s);

/* document_learned(frontier, document, row): believe what was saved of it;
 * where nothing is, that it was read. */
void document_learned(
    struct frontier *, uint32_t document, const struct document_list_row *);

#endif
