/* What the frontier's tables have a row for; see frontier_internal.h. */
#ifndef FRESHET_FRONTIER_TABLES_H
#define FRESHET_FRONTIER_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/robots.h"
#include "base/strings.h"
#include "crawler/frontier/frontier_chain.h"
#include "sched/budget.h"
#include "sched/scheduler.h"

#define NONE UINT32_MAX

enum page_at_flag {
	PAGE_LEASED = 1,
	PAGE_SHELVED = 2, /* chosen, and waits for its host or a consumer */
	PAGE_CLOSED = 4, /* chosen, and robots.txt refuses it */
	PAGE_LEFT = 8, /* chosen, and its site is not wanted */
	PAGE_DIRTY = 16, /* learned of, and not saved */
	PAGE_UNLISTED = 32 /* gone from its document */
};

/* A page; its number is the scheduler's.  Ids rise with numbers. */
struct page_at {
	int64_t id;
	uint32_t origin;
	uint32_t document;
	uint32_t next, before; /* in the chain that it waits in, plus one */
	float value; /* when it was chosen */
	uint16_t consumer; /* of its lease, plus one; 0: none to be told */
	uint8_t flags; /* enum page_at_flag */
	uint8_t reason; /* enum scheduler_reason */
};

/* What of a host is held. */
enum held_kind { HELD_ALL, HELD_PAGES /* besides that */, HELD_KINDS };

/* A host; its number is that of host_names. */
struct host_at {
	uint32_t number; /* of the scheduler; NONE: it is no site's */
	uint32_t leases, shelf_count; /* its pages that are out; that wait: */
	struct page_chain shelf;
	uint32_t origins; /* the first of them, plus one */
	uint32_t crawl_delay_ms; /* the longest that these want */
	int64_t delay_ms;
	double per_hour; /* budget of its site; 0: none */
	double rate; /* of that and the delay, an hour; 0: no limit */
	int64_t asked_s; /* for a page, before it was loaded; 0: never */
	bool was_asked; /* not long before */
	double charged; /* for that */
	struct budget spacing; /* of what the scheduler does not space */
	int64_t paced_ms, paces; /* so many delays after that comes a page */
	int64_t held_s[HELD_KINDS]; /* not before; INT64_MIN: never held */
};

/* An origin and its robots.txt, which is read when it is needed. */
struct origin_at {
	struct robots *robots; /* owned; NULL: none, or to be read again */
	uint32_t host, site; /* its own; one that reaches it */
	struct page_chain closed; /* pages it refuses */
	uint32_t next, orphan; /* of its host; its robots.txt; plus one */
	uint32_t crawl_delay_ms; /* as it was last judged */
	uint8_t fallback; /* enum frontier_robots: before its rules */
	uint64_t work; /* that its rules have cost since they were read */
	bool is_judged; /* robots and standing are right */
	bool is_wanted; /* its robots.txt is a document since a page waits */
};

struct site_at {
	int64_t id;
	uint32_t host;
	uint32_t number; /* of the scheduler */
	uint32_t robots; /* likewise, of its robots.txt; NONE: none yet */
	uint32_t documents, unlisted; /* the first; that one; plus one */
	uint32_t pages, shelved, orphan_pages; /* how many; on shelves; about */
	uint64_t listed; /* by its documents, indexes left out; without: */
	uint64_t refused;
	struct strings sections; /* owned; path prefixes */
	struct strings tags; /* owned */
	struct scheduler_site is; /* what the scheduler was told */
	bool is_watched, is_removed, is_dirty, is_late; /* told: late */
	bool is_doubted; /* see frontier_orphans.h */
	bool is_found; /* a sitemap of it was read; else it has no documents
			* here: who crawls it whole says when, and it may
			* be one of very many */
};

/* A document; its number is the scheduler's. */
struct document_at {
	int64_t id;
	uint32_t site;
	uint32_t next; /* of the site, plus one */
	uint32_t listed; /* entries that are accepted */
	uint32_t refused; /* and that are not */
	uint32_t dated; /* of them with a date */
	uint32_t promoted; /* of them */
	int64_t owed_s; /* as the scheduler was told */
	uint32_t other; /* its number when it was of the other kind, an index
			 * or none, plus one; 0: it never was */
	bool is_index, is_robots, has_parent, is_dirty;
	bool is_read; /* once, or more often */
	bool is_told; /* what its index says of it */
	bool is_replaced; /* it turned out to be of another kind */
	bool is_orphan, is_needed; /* no target leads to it; a page does */
	bool is_unlisted; /* none that can be read: see store_unlisted */
	bool is_out, is_left; /* chosen; and its site is not watched */
};

struct section_at {
	int64_t key;
	uint32_t above; /* 0: none */
	bool is_dirty;
};

/* Numbers, of what is dirty. */
struct numbers {
	uint32_t *items; /* owned */
	size_t count, cap;
};

#endif
