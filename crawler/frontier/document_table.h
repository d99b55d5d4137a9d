/*
 * Documents of sites: sitemaps, indexes and robots.txt.
 *
 * A document is known by its number, which is the scheduler's.
 */
#ifndef FRESHET_DOCUMENT_TABLE_H
#define FRESHET_DOCUMENT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "crawler/frontier/frontier_context.h"
#include "crawler/frontier/frontier_show.h"
#include "store/segment/reading.h"

struct candidate_cache;
struct document_list_row;
struct frontier_sites;
struct host_table;
struct origin_table;

struct document_item {
	int64_t id;
	uint32_t site;
	uint32_t next; /* the next document of its site, plus one */
	uint32_t listed; /* accepted entries */
	uint32_t refused; /* refused entries */
	uint32_t dated; /* accepted entries with a date */
	uint32_t promoted; /* entries that are pages */
	int64_t owed_s; /* as store/document_list.h has it */
	uint32_t other; /* the number of the same document while it was an index
			 * and this is none, or the other way round, plus one;
			 * 0: it always was of this kind */
	bool is_index, is_robots, has_parent, is_dirty;
	bool is_read; /* at least once */
	bool has_event; /* the scheduler knows what its index says of it */
	bool is_replaced; /* it is of the other kind now */
	bool is_orphan; /* no target leads to it */
	bool is_needed; /* an orphaned robots.txt, for pages of its origin */
	bool is_unlisted; /* nobody can read it: see store_unlisted() */
	bool is_out; /* given to be read */
	bool is_skipped; /* chosen while its site was not watched */
};

struct document_table;

/* The tables that documents refer to; borrowed. */
struct document_neighbours {
	struct host_table *hosts;
	struct frontier_sites *sites;
	struct origin_table *origins;
	struct candidate_cache *candidates;
};

struct document_table *document_table_new(
    const struct frontier_context *, const struct document_neighbours *);
void document_table_free(struct document_table *);

/* document_add(table, document, item): a new document with the scheduler's
 * number.  document_set(table, document): its id means this number now.
 * document_by_id: NONE: unknown. */
void document_add(
    struct document_table *, uint32_t document, const struct document_item *);
void document_set(struct document_table *, uint32_t document);
uint32_t document_by_id(const struct document_table *, int64_t id);
struct document_item *document_at(
    const struct document_table *, uint32_t document);
uint32_t document_count(const struct document_table *);

/* document_dirty, document_dirty_list: as those of pages. */
void document_dirty(struct document_table *, uint32_t document);
struct number_list *document_dirty_list(struct document_table *);

/* frontier_count(count): a count of the store, cut to what a document_item can
 * hold. */
static inline uint32_t
frontier_count(uint64_t count)
{
	return count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

/*
 * document_put(table, row): the number of that document.  The document is
 * made when it is new, after the indexes above it.  When it has become an
 * index, or is none any more, it gets another number; NONE: the store does not
 * have its site.
 *
 * document_find(table, id): the same by its id; NONE: unknown.
 * document_seen(table, id, kind): the same, given the kind it was seen to
 * be.
 */
uint32_t document_put(
    struct document_table *, const struct document_list_row *);
uint32_t document_find(struct document_table *, int64_t id);
uint32_t document_seen(struct document_table *, int64_t id, enum document_kind);

/* document_load(table, document, row): give the scheduler what was learned
 * of the document before; if nothing was saved, that it was read, unless no
 * reading was applied yet: then its readings are applied one by one. */
void document_load(struct document_table *, uint32_t document,
    const struct document_list_row *, bool was_applied);

/* document_before_index(table, index): the number that the document had
 * before it was an index: its pages stay there until another document lists
 * them. NONE: the store does not have it any more. */
uint32_t document_before_index(struct document_table *, uint32_t index);

/* document_update(table, document): tell the scheduler whether the document
 * is to be read at all.  To be called after the scheduler was told of it by an
 * index, and whenever the answer may have changed. */
void document_update(struct document_table *, uint32_t document);

/* document_orphan(table, document, is_orphan): nothing that is wanted leads
 * to it, or something does. */
void document_orphan(
    struct document_table *, uint32_t document, bool is_orphan);

/* document_lists(table, document, listed, refused): a reading accepted and
 * refused so many entries. */
void document_lists(struct document_table *, uint32_t document, uint32_t listed,
    uint32_t refused);

/* document_update_backlog(table, document): tell the scheduler how many of
 * its entries are no pages yet, as far as is known.
 * document_listed: the same when it may list other entries than before. */
void document_update_backlog(struct document_table *, uint32_t document);
void document_listed(struct document_table *, uint32_t document);

/* document_owes(table, document, owed_s): when the store wants it read again
 * (store/document_list.h). */
void document_owes(struct document_table *, uint32_t document, int64_t owed_s);

/*
 * document_of_robots(table, origin, site): a page of that site waits for the
 * robots.txt of an origin that nobody has read: robots.txt becomes a document
 * of the site, if anybody reads documents. document_need_robots(table,
 * origin): a page of the origin is eligible: its robots.txt is read even if it
 * is an orphan.
 */
void document_of_robots(
    struct document_table *, uint32_t origin, uint32_t site);
void document_need_robots(struct document_table *, uint32_t origin);

/* document_return(table, document): the scheduler may choose it again. */
void document_return(struct document_table *, uint32_t document);

/* site_round(table, site, of_pages): one request for each of its pages, or
 * of its documents but robots.txt. */
struct frontier_round site_round(
    const struct document_table *, uint32_t site, bool of_pages);

#endif
