/*
 * The frontier: the tables that it is made of, and its clock.
 *
 * The modules of this folder work on most of these tables at once, so they are
 * given the whole frontier.  A module that does not need it is given less:
 * candidate_cache.h.
 */
#ifndef FRESHET_FRONTIER_TABLES_H
#define FRESHET_FRONTIER_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/fifo.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/robots.h"
#include "base/slice.h"
#include "crawler/frontier/candidate_cache.h"
#include "crawler/frontier/frontier.h"
#include "crawler/frontier/frontier_show.h"
#include "crawler/frontier/frontier_sites.h"
#include "crawler/frontier/passed_over.h"
#include "sched/heap.h"
#include "sched/host_table.h"
#include "sched/scheduler_next.h"
#include "sched/scheduler_parts.h"
#include "store/hold.h"

struct frontier;
struct frontier_consumer;
struct strings;

#define NONE UINT32_MAX /* no number; the same as IDMAP_NONE, NAMES_NONE */

/* Origins, and what their robots.txt allows. */

/* An origin, and its robots.txt if that was read. */
struct origin_item {
	uint32_t host;
	uint32_t site; /* a site with pages or documents at this origin */
	/* how many pages have PAGE_CLOSED: chosen, and disallowed by
	 * robots.txt */
	uint32_t closed;
	uint32_t next; /* the next origin of its host, plus one */
	uint32_t orphan; /* its robots.txt, if that is an orphan, plus one */
	uint32_t crawl_delay_ms; /* when robots.txt was last read */
	/* enum frontier_robots: what holds before the rules */
	uint8_t fallback;
	/* spent on matching its rules since robots.txt was read */
	uint64_t work;
	bool is_judged; /* has_rules and fallback are up to date */
	bool has_rules; /* store_rules() has them; false: all is allowed */
	bool repairs; /* as store_rules() wants to know it */
	bool is_wanted; /* its robots.txt was made a document of the site */
};

struct origin_table {
	struct names names;
	struct origin_item *items; /* owned */
	size_t count, cap;
	uint64_t work; /* that matching rules has cost so far */
};

/* origin_put(frontier, origin, site): the number of that origin, made when it
 * is new; the site is one that has pages or documents there. */
uint32_t origin_put(struct frontier *, struct slice origin, uint32_t site);

/* origin_judge(frontier, origin, target, filter, verdict): does robots.txt
 * allow the target, a page for the purposes of the filter, or, with NULL, a
 * document?  *verdict is that of robots_page_verdict(), without its texts, or
 * zero if there are no rules; it may be NULL.  robots.txt is parsed when it is
 * needed. */
enum frontier_robots origin_judge(struct frontier *, uint32_t origin,
    struct slice target, const struct page_filter *, struct robots_verdict *);

/* origin_know(frontier, origin): parse robots.txt unless that was done: from
 * now on the host has the delay that it names. */
void origin_know(struct frontier *, uint32_t origin);

/* origin_changed(frontier, origin): robots.txt was read, so the scheduler may
 * again choose the pages that were disallowed. */
void origin_changed(struct frontier *, uint32_t origin);

/* Hosts: the table of sched/host_table.h, which the frontier shares with the
 * driver if there is one. */

/* host_keep(frontier, name): the number of that host, which the frontier knows
 * from now on. */
uint32_t host_keep(struct frontier *, struct slice name);

/* host_limit(frontier, host): set the limits of the host, in the scheduler too,
 * from its rules, its Crawl-delay and its budget. */
void host_limit(struct frontier *, uint32_t host);

/* host_lets(frontier, consumer, host): does the delay of the host allow that
 * the consumer gets a page of it now?  If not, frontier_paced_ms() says when.
 */
bool host_lets(
    struct frontier *, const struct frontier_consumer *, uint32_t host);

/* host_tell_hold(frontier, host, kind): tell the scheduler whether there is
 * such a hold. */
void host_tell_hold(struct frontier *, const struct host *, enum held_kind);

/* host_report_hold(frontier, hold, until_s, why): call options.held.  A hold is
 * numbered host * HELD_KINDS + kind. */
void host_report_hold(
    struct frontier *, uint32_t hold, int64_t until_s, const char *why);

/* host_held_s(host): the end of all holds of its pages; HOST_NEVER: the host
 * never was held.  host_times(frontier, host): its holds that are not over. */
int64_t host_held_s(const struct host *);
struct hold_times host_times(const struct frontier *, uint32_t host);

/* Tags with a budget: the requests an hour that all sites with the tag share.
 * The scheduler gives a site one tag; for sites with several, the table makes
 * a tag of the scheduler that keeps the budgets of all of them. */

/* A tag that has or had a budget. */
struct tag_item {
	char *name; /* owned */
	double per_hour; /* 0: no budget now */
	double share; /* of that, if there are shares */
	int64_t asked_s; /* when the share was asked for */
	uint32_t number; /* of the scheduler */
};

/* A tag of the scheduler that keeps the budgets of two others. */
struct tag_pair {
	uint32_t above, tag; /* of the scheduler: the two */
	uint32_t number; /* of the scheduler: the mix */
};

struct tag_table {
	struct tag_item *items; /* owned, and their names */
	size_t count, cap;
	struct tag_pair *mixes; /* owned */
	size_t mix_count, mix_cap;
};

/* tag_table_load(frontier): read all budgets of the store, at first and
 * whenever they were changed.  Sites must be given their tag_mix() again. */
void tag_table_load(struct frontier *);

/* tag_mix(frontier, tags): the scheduler's tag for a site with these tags;
 * SCHEDULER_NONE: none of them has or had a budget. */
uint32_t tag_mix(struct frontier *, const struct strings *tags);

/* Folders of sites, which the scheduler calls sections: pages of one folder
 * change alike, so that what is learned of one page helps to estimate the
 * others. */

#define SECTION_PATH_MAX 512 /* bytes; deeper folders count as one */

/* section_put(frontier, site, url): the scheduler's number of the folder of a
 * normalised URL.  The folder and those above it are made when they are new,
 * with what the store has learned of them.  0: the URL is in no folder. */
uint32_t section_put(struct frontier *, uint32_t site, struct slice url);

/* The folder that section_rate() was asked for last; zeroed at first. */
struct section_memo {
	char folder[SECTION_PATH_MAX];
	size_t len; /* of folder; 0: none */
	double rate;
};

/* section_rate(frontier, site, url, memo): how often a day an unknown page of
 * that folder changes, or of the first folder above it that is a section.  No
 * section is made.  A memo serves one site, until something is learned. */
double section_rate(
    struct frontier *, uint32_t site, struct slice url, struct section_memo *);

/* sections_save(frontier): save what was learned of the dirty ones, in the open
 * transaction. */
void sections_save(struct frontier *);

/* The ready queues: pages that the scheduler has chosen and that cannot be
 * leased at once, because their host or a consumer has to wait.  Each host has
 * a queue, and hosts with a queue take turns.
 *
 * The consumer of the driver looks only at hosts that may have become free:
 * each host with a queue is in `own` or in `slots`. */
struct ready_queues {
	struct ranking turns; /* owned; by turn, but those in `paced` */
	/* owned; by the millisecond at which they are put into `turns`, unless
	 * ready_wake() is called before: no consumer can have a page of these
	 * now */
	struct ranking paced;
	/* but of one of them, which has leases, a consumer that spaces pages
	 * itself can */
	bool is_lent;
	double turn; /* the last turn that was given */
	/* owned; by the second at which they are looked at; FRONTIER_NEVER:
	 * when ready_wake() is called */
	struct ranking own;
	/* owned; by turn: hosts that wait until the consumer has pages of fewer
	 * hosts */
	struct ranking slots;
};

/* ready_add(frontier, page, ready_s): put a page at the end of the queue of its
 * host, which may be asked at ready_s.  If enough pages wait there, or the host
 * waits, the host of the page's site is paused: the scheduler chooses none of
 * its pages for a while. */
void ready_add(struct frontier *, uint32_t page, int64_t ready_s);

/* ready_take(frontier, host): take the first page out of a queue that is not
 * empty. */
uint32_t ready_take(struct frontier *, uint32_t host);

/* ready_wait(frontier, host, ready_s): the consumer of the driver looks at the
 * host, if it has a queue, not before ready_s.
 * ready_wait_slot: not before the consumer has pages of fewer hosts; hosts take
 * turns.
 * ready_wake(frontier, host): the host may have become free.
 * ready_end_pace(frontier, is_all): put those into `turns` whose time has come,
 * or all that are paced. */
void ready_end_pace(struct frontier *, bool is_all);
void ready_wait(struct frontier *, uint32_t host, int64_t ready_s);
void ready_wait_slot(struct frontier *, uint32_t host);
void ready_wake(struct frontier *, uint32_t host);

/* ready_drop(frontier, page): take the page out of its ready queue, or from the
 * pages that wait for robots.txt or for their site. */
void ready_drop(struct frontier *, uint32_t page);

/* ready_return(frontier, page): if the page is in a ready queue, let the
 * scheduler choose it again: the page may not be eligible any more, or may be
 * due for another reason.  ready_return_site: all pages of a site. */
void ready_return(struct frontier *, uint32_t page);
void ready_return_site(struct frontier *, uint32_t site);

/*
 * A page is known by its number, which is the scheduler's, and its struct is
 * the scheduler's (sched/pages.h), with fields for the frontier.  Numbers rise
 * from 0, ids rise with them, and no page is ever removed.
 *
 * In sched_page.owner_flags:
 */
enum page_item_flag {
	PAGE_LEASED = 1,
	PAGE_READY = 2, /* chosen, and in the ready queue of its host */
	PAGE_CLOSED = 4, /* chosen, and robots.txt disallows it */
	PAGE_INELIGIBLE = 8, /* chosen, and its site does not want it */
	PAGE_DIRTY = 16, /* something was learned of it and is not saved */
	PAGE_UNLISTED = 32, /* its parent document does not list it any more */
	PAGE_PASSED = 64 /* chosen, and passed over: passed_over.h */
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
	bool is_own; /* the driver fetches them */
};

/* Consumers with a limit of hosts, and those of the driver, by their slot less
 * one. */
struct consumer_table {
	struct consumer_hosts **items; /* owned; NULL: a free slot */
	size_t count, cap;
};

/* consumer_forget(table, number): free that slot; it may be free already. */
void consumer_forget(struct consumer_table *, size_t number);

/* All pointers are owned, but for store. */
struct frontier {
	struct frontier_options options;
	struct store *store; /* that of the options */
	struct scheduler *scheduler;
	int64_t now_s; /* never goes back; frontier_clock() sets it */
	int64_t began_s; /* when the frontier was made */
	/* by so much the clock was put back since the frontier before this one
	 * was last saved: see loaded_s() */
	int64_t back_s;
	int64_t applied_id; /* the latest reading that the scheduler knows */
	int64_t saved_id; /* the value of applied_id that the store has */
	bool has_moved_holds; /* the store has other ends of holds */
	struct idmap page_by_url; /* page_key() -> number */
	/* that of the options, or owned; no host that the frontier knows is
	 * ever removed */
	struct host_table *hosts;
	/* owned: host * HELD_KINDS + kind, by the end that was reported to
	 * options.held */
	struct ranking holds;
	/* when a page that was refused because of the delay of its host alone
	 * may be leased; INT64_MAX: there is none */
	int64_t paced_ms;
	struct tag_table tags;
	struct tag_item all; /* the share of the budget of everything */
	int64_t leased_s; /* when pages were asked for last */
	struct frontier_sites sites;
	struct origin_table origins;
	struct idmap document_by_id; /* id -> number */
	struct idmap section_by_key; /* key in the store -> number */
	/* What was learned of these is not saved yet; each has a flag that says
	 * so, and is here once.  A page without the flag was saved since. */
	struct fifo dirty_pages, dirty_documents, dirty_sites, dirty_sections;
	struct fifo suspects; /* sites: site_suspect() */
	struct ranking lease_ends; /* owned: leased pages, by the end */
	struct consumer_table consumer_table;
	uint64_t consumers; /* that have asked so far */
	struct candidate_cache candidates;
	struct ready_queues ready;
	/* The driver fetches what is leased now, and asks for any robots.txt
	 * that is not known. */
	bool is_own;
	struct passed_over passed;
	/* the document whose URL was asked for last, for frontier_lease.c */
	int64_t told_id;
	struct buf told_url;
};

/* loaded_s(frontier, t_s): a time that another process stored.  If the clock
 * was put back between that process and this one, times that lie in the future
 * are put back as well, so that what lasts an hour lasts an hour, and what had
 * happened has happened. */
static inline int64_t
loaded_s(const struct frontier *f, int64_t t_s)
{
	return t_s > f->began_s ? t_s - f->back_s : t_s;
}

/* frontier_tables_new(options): a frontier with empty tables, at time 0. */
struct frontier *frontier_tables_new(const struct frontier_options *);

/* frontier_has_shares(frontier): are its budgets parts of budgets that hold for
 * several processes? */
static inline bool
frontier_has_shares(const struct frontier *f)
{
	return f->hosts->others != NULL && f->hosts->others->has_shares;
}

/* frontier_clock(frontier, now_s): the time that counts from now on.  A time
 * before the present is ignored. */
int64_t frontier_clock(struct frontier *, int64_t now_s);

/* X_at(frontier, number): borrowed until one more is added. */
static inline struct sched_page *
page_at(const struct frontier *f, uint32_t page)
{
	return &f->scheduler->pages.items[page];
}

static inline struct sched_source *
document_at(const struct frontier *f, uint32_t document)
{
	return &f->scheduler->sources.items[document];
}

static inline struct sched_site *
site_at(const struct frontier *f, uint32_t site)
{
	return &f->scheduler->sites.items[site];
}

static inline struct origin_item *
origin_at(const struct frontier *f, uint32_t origin)
{
	return &f->origins.items[origin];
}

/* The site of a page's parent document. */
static inline uint32_t
page_site_of(const struct frontier *f, const struct sched_page *page)
{
	return document_at(f, page->document)->site;
}

/* The host of a page, which need not be that of its site. */
static inline uint32_t
page_host_of(const struct frontier *f, const struct sched_page *page)
{
	return origin_at(f, page->origin)->host;
}

/* page_by_id(frontier, id): the number of that page; NONE: unknown.
 * page_key(frontier, url): the key of a normalised URL in page_by_url. */
uint32_t page_by_id(const struct frontier *, int64_t id);
int64_t page_key(const struct frontier *, struct slice url);

/* page_dirty(frontier, page): what was learned of the page is to be saved. */
void page_dirty(struct frontier *, uint32_t page);

/* frontier_why(reason): the word for it in lines of pages and documents. */
const char *frontier_why(enum scheduler_reason);

/* page_return(frontier, page): the scheduler may choose the page again.
 * page_reopen(frontier, page): the same of a page that is PAGE_CLOSED, which it
 * is no more; else nothing. */
void page_return(struct frontier *, uint32_t page);
void page_reopen(struct frontier *, uint32_t page);

#endif
