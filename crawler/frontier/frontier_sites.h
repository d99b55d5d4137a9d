/* The table of sites, as the watch list has them, and their documents. */
#ifndef FRESHET_FRONTIER_SITES_H
#define FRESHET_FRONTIER_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/slice.h"
#include "crawler/frontier/frontier_show.h"
#include "sched/scheduler.h"
#include "store/segment/reading.h"

struct date;
struct document_list_row;
struct frontier;
struct page_filter;
struct page_filter_rule;
struct sched_site;
struct sched_source;
struct watch;

struct frontier_sites {
	struct idmap by_id; /* id -> number */
	/* how often the row of a site in the watch list was new or had
	 * changed */
	uint64_t changes;
};

/* site_dirty(frontier, site): as page_dirty(). */
void site_dirty(struct frontier *, uint32_t site);

/* site_suspect(frontier, site): the targets of the site, an index or its
 * robots.txt have changed, so that documents may have become orphans, or may
 * have stopped being orphans. */
void site_suspect(struct frontier *, uint32_t site);

/* watch_schedule(watch): the weight and the intervals of a site with that row
 * of the watch list, with defaults for what the row does not give; NULL:
 * defaults only.  Host and tag are not set. */
struct scheduler_site watch_schedule(const struct watch *);

/* site_put(frontier, site_id, host, watch): the number of a new site; watch is
 * its row of the watch list, NULL: it never had one. */
uint32_t site_put(struct frontier *, int64_t site_id, struct slice host,
    const struct watch *);

/* site_find(frontier, site_id): the number of a site, which is read from the
 * store when it is new; NONE: the store does not have it. */
uint32_t site_find(struct frontier *, int64_t site_id);

/* site_follow(frontier, site): read its row of the watch list again, and set
 * what the scheduler knows of the site. */
void site_follow(struct frontier *, uint32_t site);

/* site_filter(frontier, site, of_sitemaps): which pages of the site are wanted,
 * and which of its sitemaps are read; NULL: all.
 * site_wants(frontier, site, url, lastmod, first_seen_s): is the site not
 * removed, and is the page wanted of it? */
const struct page_filter *site_filter(
    const struct frontier *, const struct sched_site *, bool of_sitemaps);
bool site_wants(const struct frontier *, const struct sched_site *,
    struct slice url, const struct date *lastmod, int64_t first_seen_s);

/* site_round(frontier, site, of_pages): the round of one request for each page
 * of the site, or for each of its documents without robots.txt. */
struct frontier_round site_round(
    const struct frontier *, uint32_t site, bool of_pages);

/* site_leased(frontier, site): a page of the site was leased, so from now on
 * its documents are read to find pages worth a fetch, and not to find every
 * change of the listing. */
void site_leased(struct frontier *, uint32_t site);

/* Documents of sites: sitemaps, indexes and robots.txt.  A document is known by
 * its number, which is the scheduler's. */

/* document_dirty(frontier, document): as page_dirty(). */
void document_dirty(struct frontier *, uint32_t document);

/* frontier_count(count): a count of the store, limited to what a document
 * can hold. */
static inline uint32_t
frontier_count(uint64_t count)
{
	return count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

/*
 * document_put(frontier, row, depth): the number of that document.  The
 * document is made when it is new, after the indexes above it; depth is how
 * many documents below it led here, 0 for all callers but the function itself.
 * When the document has become an index, or has stopped being one, it keeps its
 * number, and what was learned of it is forgotten.  NONE: the store does not
 * have its site.
 *
 * document_find(frontier, id, kind): the same for the document with that id,
 * which a reading found to be of that kind; KIND_UNKNOWN: no reading says it.
 * NONE: unknown.
 */
uint32_t document_put(
    struct frontier *, const struct document_list_row *, int depth);
uint32_t document_find(struct frontier *, int64_t id, enum document_kind);

/* document_refuses(frontier, document): the rule by which the document, which
 * an index or a robots.txt names, is not read; NULL: there is none. */
const struct page_filter_rule *document_refuses(struct frontier *, uint32_t);

/* document_update(frontier, document): tell the scheduler whether the document
 * is to be read at all.  Call this function after the scheduler got an event
 * about the document from an index, and whenever the answer may have
 * changed. */
void document_update(struct frontier *, uint32_t document);

/* document_tally(frontier, document, is_added): what a document lists counts
 * for its site, unless the document is an index or an orphan: add it to the
 * counts of the site, or take it out. */
void document_tally(
    struct frontier *, const struct sched_source *document, bool is_added);

/* document_lists(frontier, document, listed, refused): a reading accepted and
 * refused so many entries. */
void document_lists(
    struct frontier *, uint32_t document, uint32_t listed, uint32_t refused);

/* document_listed(frontier, document, is_other): tell the scheduler how many
 * entries of the document are no pages yet, as far as is known; is_other: the
 * document may list other entries than before. */
void document_listed(struct frontier *, uint32_t document, bool is_other);

/* document_owes(frontier, document, owed_s): the store wants the document to be
 * read again at owed_s (store/document.h). */
void document_owes(struct frontier *, uint32_t document, int64_t owed_s);

/* document_of_robots(frontier, origin, site): a page of that site waits for the
 * robots.txt of an origin, which was never read.  The robots.txt becomes a
 * document of the site, if documents are read. document_need_robots(frontier,
 * origin): a page of the origin is eligible, so the robots.txt of the origin
 * is read even if it is an orphan. */
void document_of_robots(struct frontier *, uint32_t origin, uint32_t site);
void document_need_robots(struct frontier *, uint32_t origin);

/* document_origin(frontier, document): the origin of its URL; NONE: the store
 * does not have the document. */
uint32_t document_origin(struct frontier *, uint32_t document);

/* document_return(frontier, document): the scheduler may choose the document
 * again. */
void document_return(struct frontier *, uint32_t document);

#endif
