/*
 * The frontier's memory: a table each for pages, hosts, origins, sites and
 * documents, and the struct that holds the tables together.
 *
 * A row of a table is known by its number; numbers rise from 0, and no row is
 * ever removed.  X_at() returns a row, borrowed until a row is added to the
 * same table.  Numbers of pages and documents are those of the scheduler.
 */
#ifndef FRESHET_FRONTIER_TABLES_H
#define FRESHET_FRONTIER_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/robots.h"
#include "base/strings.h"
#include "crawler/frontier/candidate_cache.h"
#include "crawler/frontier/frontier.h"
#include "sched/budget.h"
#include "sched/ranking.h"
#include "sched/scheduler.h"

#define NONE UINT32_MAX /* no number; the same as IDMAP_NONE, NAMES_NONE */

/* Numbers of rows, in the order in which they were added. */
struct number_list {
	uint32_t *items; /* owned */
	size_t count, cap;
};

void number_list_add(struct number_list *, uint32_t number);

/* Pages that wait for the same thing, in order.  first and last are numbers of
 * pages plus one; 0: the list is empty. */
struct page_list {
	uint32_t first, last;
};

enum page_flag {
	PAGE_LEASED = 1,
	PAGE_READY = 2, /* chosen, and in the ready queue of its host */
	PAGE_CLOSED = 4, /* chosen, and robots.txt disallows it */
	PAGE_INELIGIBLE = 8, /* chosen, and its site does not want it */
	PAGE_DIRTY = 16, /* something was learned of it and is not saved */
	PAGE_UNLISTED = 32 /* its parent document does not list it any more */
};

/* A page.  Ids rise with numbers. */
struct page_item {
	int64_t id;
	uint32_t origin;
	uint32_t document; /* the parent document */
	uint32_t next, before; /* in its page_list, plus one */
	float value; /* when the scheduler chose it */
	uint16_t consumer; /* consumer_table's slot of its lease; 0: none */
	uint8_t flags; /* enum page_flag */
	uint8_t reason; /* enum scheduler_reason */
};

struct page_table;

struct page_table *page_table_new(uint64_t hash_key);
void page_table_free(struct page_table *);

/* page_add(table, item, url): a new page; returns its number.  page_count:
 * how many there are. */
uint32_t page_add(
    struct page_table *, const struct page_item *, struct slice url);
struct page_item *page_at(const struct page_table *, uint32_t page);
uint32_t page_count(const struct page_table *);

/* page_by_id, page_by_url: by id or by normalised URL; NONE: unknown. */
uint32_t page_by_id(const struct page_table *, int64_t id);
uint32_t page_by_url(const struct page_table *, struct slice url);

/* page_dirty(table, page): what was learned of the page is to be saved.
 * page_dirty_list: the dirty pages; who saves them empties the list and clears
 * PAGE_DIRTY. */
void page_dirty(struct page_table *, uint32_t page);
struct number_list *page_dirty_list(struct page_table *);

/* page_list_add(table, list, page): at the end.  page_list_remove: wherever the
 * page is in the list.  Both take constant time. */
void page_list_add(struct page_table *, struct page_list *, uint32_t page);
void page_list_remove(struct page_table *, struct page_list *, uint32_t page);

/* What a hold of a host covers. */
enum held_kind {
	HELD_ALL, /* pages and documents */
	HELD_PAGES, /* pages only */
	HELD_KINDS
};

struct host_item {
	uint32_t number; /* of the scheduler; NONE: no site has this host */
	uint32_t leases; /* pages of this host that are leased */
	uint32_t ready_count; /* pages in the ready queue */
	struct page_list ready; /* the ready queue: chosen pages that wait for
				 * the host or for a consumer */
	uint32_t origins; /* the first of its origins, plus one */
	uint32_t crawl_delay_ms; /* the longest Crawl-delay of its origins */
	int64_t delay_ms; /* between two requests */
	double per_hour; /* the budget of its site; 0: none */
	double rate; /* requests an hour that budget and delay allow; 0: any */
	int64_t asked_s; /* the last lease before loading; 0: never */
	bool was_asked; /* that was recently enough to count in budgets */
	/* requests before loading that its budget was charged */
	double charged;
	struct budget spacing; /* the limit where the scheduler sets none */
	int64_t paced_ms,
	    paces; /* no page before paces delays after paced_ms */
	int64_t held_s[HELD_KINDS]; /* end of the hold; INT64_MIN: never held */
};

struct host_table;

struct host_table *host_table_new(uint64_t hash_key);
void host_table_free(struct host_table *);

/* host_add(table, name, is_new): the number of that host; a new one is zeroed
 * but for number and held_s.  host_find: NONE: unknown. */
uint32_t host_add(struct host_table *, struct slice name, bool *is_new);
uint32_t host_find(const struct host_table *, struct slice name);
struct host_item *host_at(const struct host_table *, uint32_t host);
const char *host_name(const struct host_table *, uint32_t host);
uint32_t host_count(const struct host_table *);

/* An origin, and its robots.txt as far as it was read (frontier_origins.h). */
struct origin_item {
	struct robots *robots; /* owned; NULL: none, or not parsed now */
	uint32_t host;
	uint32_t site; /* a site with pages or documents at this origin */
	struct page_list closed; /* chosen pages that robots.txt disallows */
	uint32_t next; /* the next origin of its host, plus one */
	uint32_t orphan; /* its robots.txt, if that is an orphan, plus one */
	uint32_t crawl_delay_ms; /* when robots.txt was last read */
	/* enum frontier_robots: what holds before the rules */
	uint8_t fallback;
	uint64_t work; /* of matching its rules since robots.txt was read */
	bool is_judged; /* robots and fallback are current */
	bool is_wanted; /* its robots.txt was made a document of the site */
};

struct origin_table;

struct origin_table *origin_table_new(uint64_t hash_key);
void origin_table_free(struct origin_table *);

/* As the functions of hosts; a new origin is zeroed. */
uint32_t origin_add(struct origin_table *, struct slice name, bool *is_new);
uint32_t origin_find(const struct origin_table *, struct slice name);
struct origin_item *origin_at(const struct origin_table *, uint32_t origin);
const char *origin_name(const struct origin_table *, uint32_t origin);
uint32_t origin_count(const struct origin_table *);

struct site_item {
	int64_t id;
	uint32_t host;
	uint32_t number; /* of the scheduler */
	uint32_t robots; /* the scheduler's site for robots.txt; NONE: none */
	uint32_t documents; /* the first of its documents, plus one */
	uint32_t unlisted; /* the document of pages that none lists, plus one */
	uint32_t pages;
	uint32_t ready; /* its pages in ready queues */
	uint32_t orphan_pages; /* pages whose document is an orphan, about */
	uint64_t listed; /* accepted entries of its documents without indexes */
	uint64_t refused; /* refused entries of the same */
	struct strings sections; /* owned; path prefixes; empty: all paths */
	struct strings tags; /* owned */
	struct scheduler_site is; /* as the scheduler has it */
	bool is_watched, is_removed; /* from the watch list */
	bool is_dirty; /* something was learned of it and is not saved */
	bool is_late; /* options.late was called */
	bool is_suspect; /* which of its documents are orphans may have
			  * changed: frontier_orphans.h */
	bool is_found; /* a sitemap of it was read.  Before that its documents
			* are not loaded: whoever crawls the site whole says
			* when, and there may be very many such sites */
};

struct frontier_site_table;

struct frontier_site_table *frontier_site_table_new(void);
void frontier_site_table_free(struct frontier_site_table *);

/* site_add(table, item): a new site, which is suspect; returns its number and
 * takes over its strings.  site_by_id: NONE: unknown. */
uint32_t site_add(struct frontier_site_table *, const struct site_item *);
uint32_t site_by_id(const struct frontier_site_table *, int64_t id);
struct site_item *site_at(const struct frontier_site_table *, uint32_t site);
uint32_t site_count(const struct frontier_site_table *);

/* site_changed(table, site): the watch list's row of that site is new or
 * another.  site_changes: how often that happened.  site_change(table, n): the
 * site of change n, if that is one of the last SITE_CHANGES. */
#define SITE_CHANGES 64
void site_changed(struct frontier_site_table *, uint32_t site);
uint64_t site_changes(const struct frontier_site_table *);
uint32_t site_change(const struct frontier_site_table *, uint64_t n);

/* site_dirty, site_dirty_list: as those of pages. */
void site_dirty(struct frontier_site_table *, uint32_t site);
struct number_list *site_dirty_list(struct frontier_site_table *);

/* site_suspect(table, site): its targets, an index or its robots.txt have
 * changed: some of its documents may have become orphans, or none any more.
 * site_suspect_list: the suspect sites. */
void site_suspect(struct frontier_site_table *, uint32_t site);
struct number_list *site_suspect_list(struct frontier_site_table *);

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

struct document_table *document_table_new(void);
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

/* What matching robots.txt rules has cost (frontier_origins.h). */
struct robots_cost {
	size_t bytes; /* of all parsed robots.txt */
	uint64_t work; /* of matching, so far */
	uint64_t work_most; /* origin_judge_if_cheap() stops there */
};

struct frontier {
	struct frontier_options options;
	struct scheduler *scheduler; /* owned, as all below */
	int64_t now_s;
	int64_t began_s; /* when it was made, or saved before: the later */
	int64_t applied_id; /* the latest reading that the scheduler knows */
	int64_t saved_id; /* what the store knows of that */
	struct page_table *pages;
	struct host_table *hosts;
	struct origin_table *origins;
	struct frontier_site_table *sites;
	struct document_table *documents;
	struct section_table *sections;
	struct tag_table *tags;
	struct consumer_table *consumers;
	struct candidate_cache candidates;
	struct robots_cost robots;
	struct ranking leases; /* pages, by the end of their lease */
	struct ranking ready; /* hosts with a ready queue, by turn */
	double turn; /* the last one that was given */
	struct ranking holds; /* host * HELD_KINDS + kind, by the end that
			       * options.held was told */
	bool has_moved_holds; /* the store has other ends of holds */
	struct pacer *pacer;
};

/*
 * frontier_clock(frontier, now_s): the time that counts from now on.  A time
 * that is earlier by up to ten minutes is ignored; if the clock was put back by
 * more, leases and holds end earlier by as much.
 */
int64_t frontier_clock(struct frontier *, int64_t now_s);

/* page_return(frontier, page), document_return(frontier, document): the
 * scheduler may choose it again. */
void page_return(struct frontier *, uint32_t page);
void document_return(struct frontier *, uint32_t document);

#endif
