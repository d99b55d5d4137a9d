/*
 * The frontier: the tables that it is made of, and its clock.
 *
 * The modules of this folder work on most of these tables at once, so they are
 * given the whole frontier.  A module that does not need it is given less:
 * host_table.h, pacer.h and candidate_cache.h.
 */
#ifndef FRESHET_FRONTIER_TABLES_H
#define FRESHET_FRONTIER_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/idmap.h"
#include "base/names.h"
#include "crawler/frontier/candidate_cache.h"
#include "crawler/frontier/document_table.h"
#include "crawler/frontier/frontier.h"
#include "crawler/frontier/frontier_context.h"
#include "crawler/frontier/frontier_sites.h"
#include "crawler/frontier/host_table.h"
#include "crawler/frontier/origin_table.h"
#include "crawler/frontier/ready_queues.h"
#include "crawler/frontier/section_table.h"
#include "crawler/frontier/tag_table.h"
#include "sched/scheduler_parts.h"

struct pacer;

/*
 * A page is known by its number, which is the scheduler's, and its struct is
 * the scheduler's (sched/pages.h), with fields for the frontier.  Numbers rise
 * from 0, ids rise with them, and no page is ever removed.
 */
/* In sched_page.owner_flags. */
enum page_item_flag {
	PAGE_LEASED = 1,
	PAGE_READY = 2, /* chosen, and in the ready queue of its host */
	PAGE_CLOSED = 4, /* chosen, and robots.txt disallows it */
	PAGE_INELIGIBLE = 8, /* chosen, and its site does not want it */
	PAGE_DIRTY = 16, /* something was learned of it and is not saved */
	PAGE_UNLISTED = 32 /* its parent document does not list it any more */
};

struct host_pages {
	uint32_t host;
	uint32_t pages; /* that are leased */
};

/* The hosts of one consumer; owned by the frontier. */
struct consumer_hosts {
	struct host_pages *items; /* owned; no more than the consumer's limit */
	size_t count, cap;
	size_t number; /* in the table */
	bool has_left; /* but some of its pages are still leased */
};

/* Consumers with a limit of hosts, by their slot less one. */
struct consumer_table {
	struct consumer_hosts **items; /* owned; NULL: a free slot */
	size_t count, cap;
};

/* consumer_forget(table, number): free that slot; it may be free already. */
void consumer_forget(struct consumer_table *, size_t number);

/* All pointers are owned, but for store. */
struct frontier {
	struct frontier_context context;
	struct store *store; /* that of the options */
	struct scheduler *scheduler; /* that of the context */
	int64_t applied_id; /* the latest reading that the scheduler knows */
	int64_t saved_id; /* the value of applied_id that the store has */
	bool has_moved_holds; /* the store has other ends of holds */
	struct idmap page_by_url; /* hash of the URL -> number */
	struct host_table *hosts;
	struct tag_table tags;
	struct frontier_sites sites;
	struct origin_table origins;
	struct idmap document_by_id;
	struct idmap section_by_key; /* key in the store -> number */
	/* What was learned of these is not saved yet; each has a flag that says
	 * so, and is here once.  A page without the flag was saved since. */
	struct number_list dirty_pages, dirty_documents, dirty_sites,
	    dirty_sections;
	struct number_list suspects; /* sites: site_suspect() */
	struct ranking lease_ends; /* owned: leased pages, by the end */
	struct consumer_table consumer_table;
	uint64_t consumers; /* that have asked so far */
	struct candidate_cache candidates;
	struct pacer *pacer;
	struct ready_queues ready;
	/* the document whose URL was asked for last, for frontier_lease.c */
	int64_t told_id;
	struct buf told_url;
};

/* frontier_tables_new(options): a frontier with empty tables, at time 0. */
struct frontier *frontier_tables_new(const struct frontier_options *);

/*
 * frontier_clock(frontier, now_s): the time that counts from now on.  A time
 * before the present is ignored.
 */
int64_t frontier_clock(struct frontier *, int64_t now_s);

/* X_at(frontier, number): borrowed until one more is added.  X_count(frontier):
 * how many there are. */
static inline struct sched_page *
page_at(const struct frontier *f, uint32_t page)
{
	return &f->scheduler->pages.items[page];
}

static inline uint32_t
page_count(const struct frontier *f)
{
	return (uint32_t)f->scheduler->pages.count;
}

static inline struct sched_source *
document_at(const struct frontier *f, uint32_t document)
{
	return &f->scheduler->sources.items[document];
}

static inline uint32_t
document_count(const struct frontier *f)
{
	return (uint32_t)f->scheduler->sources.count;
}

static inline struct site_item *
site_at(const struct frontier *f, uint32_t site)
{
	return &f->sites.items[site];
}

static inline uint32_t
site_count(const struct frontier *f)
{
	return (uint32_t)f->sites.count;
}

/* What the scheduler was told of a site. */
static inline const struct scheduler_site *
site_rules(const struct frontier *f, const struct site_item *site)
{
	return &f->scheduler->sites.items[site->number].is;
}

static inline struct origin_item *
origin_at(const struct frontier *f, uint32_t origin)
{
	return &f->origins.items[origin];
}

static inline const char *
origin_name(const struct frontier *f, uint32_t origin)
{
	return names_text(&f->origins.names, origin);
}

/* The site of a page's parent document. */
static inline uint32_t
page_site_of(const struct frontier *f, const struct sched_page *page)
{
	return document_at(f, page->document)->owner_site;
}

/* The host of a page, which need not be that of its site. */
static inline uint32_t
page_host_of(const struct frontier *f, const struct sched_page *page)
{
	return origin_at(f, page->origin)->host;
}

/* page_name(frontier, page, url): from now on page_by_url() finds the page,
 * which the scheduler has just added. */
void page_name(struct frontier *, uint32_t page, struct slice url);

/* page_by_id, page_by_url: by id or by normalised URL; NONE: unknown. */
uint32_t page_by_id(const struct frontier *, int64_t id);
uint32_t page_by_url(const struct frontier *, struct slice url);

/* page_dirty(frontier, page): what was learned of the page is to be saved. */
void page_dirty(struct frontier *, uint32_t page);

/* page_list_add(frontier, list, page): add the page at the end.
 * page_list_remove: remove the page, wherever it is in the list.  Both take
 * constant time. */
void page_list_add(struct frontier *, struct page_list *, uint32_t page);
void page_list_remove(struct frontier *, struct page_list *, uint32_t page);

/* page_return(frontier, page): the scheduler may choose the page again. */
void page_return(struct frontier *, uint32_t page);

#endif
