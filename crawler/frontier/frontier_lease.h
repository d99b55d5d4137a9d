/*
 * Leasing pages: a consumer asks for a page, and the page is out until its
 * result comes (frontier_result.h) or the lease ends.
 */
#ifndef FRESHET_FRONTIER_LEASE_H
#define FRESHET_FRONTIER_LEASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/purposes.h"
#include "base/slice.h"
#include "base/strings.h"
#include "base/w3cdate.h"

struct frontier;
struct page_filter;

#define FRONTIER_TOKEN_SIZE 40
/* The longest lease. */
#define FRONTIER_LEASE_MAX_S (7 * 86400)

/* A consumer leases pages: for one answer, or a stream of them.  Zeroed but for
 * lease_s a consumer has no limits.  It must not move in memory before
 * frontier_consumer_release(). */
struct frontier_consumer {
	/* How many pages of one host may be leased at once, by all consumers
	 * together.  0: if the host has a delay, one consumer has pages of it
	 * at a time: one page if is_spaced, else any number, which it spaces
	 * itself. */
	uint32_t per_host;
	/* of how many hosts this consumer may have pages at once; 0: no
	 * limit */
	uint32_t hosts;
	int64_t lease_s; /* 1 to FRONTIER_LEASE_MAX_S */
	/* between two pages of a host its delay passes; else options.burst_ms
	 * counts */
	bool is_spaced;
	/*
	 * The driver fetches the pages (run_page()), and its host queue keeps
	 * the delay.  Of a host with a delay at most 2 pages are leased, of
	 * another one 8; while other hosts wait for their turn, because this
	 * consumer has pages of `hosts` hosts, one.  per_host and is_spaced
	 * mean nothing.  A page whose robots.txt was never read is leased, too.
	 *
	 * Such a lease ends with this process: frontier_lease() needs no
	 * COMMIT before the page is asked for.
	 */
	bool is_own;
	/* The consumer gets only pages of these sites that have one of these
	 * tags; owned by the consumer; NULL: all. */
	const struct strings *sites, *tags;
	bool is_later; /* set by frontier_lease() */
	/* The rest belongs to the frontier. */
	uint64_t number; /* 0: it has leased nothing yet */
	/* the hosts whose pages the consumer has */
	struct consumer_hosts *leased;
	struct eligible_sites *eligible; /* NULL: all sites */
	/* of frontier_consumer_filter(), with its text; NULL: all pages */
	struct page_filter *filter;
	char *filter_text;
};

/* frontier_consumer_filter(consumer, rules): the consumer gets only pages that
 * these rules want, too: KEY=VALUE texts about pages (base/page_filter.h).
 * Returns false, and sets nothing, if one is no such text, or if they are too
 * long. */
bool frontier_consumer_filter(
    struct frontier_consumer *, const struct strings *rules);

/* frontier_consumer_release(frontier, consumer): the consumer asks for no more
 * pages; its leases live on. */
void frontier_consumer_release(struct frontier *, struct frontier_consumer *);

/* A leased page; what it borrows is valid until the next call. */
struct frontier_page {
	char token[FRONTIER_TOKEN_SIZE]; /* of the lease */
	int64_t page_id, site_id;
	struct slice url, host;
	int64_t due_s, lease_until_s;
	double value; /* finite: the price of any request if it has no value */
	/* static: "new", "lastmod-moved", "value", "ceiling", "removed" */
	const char *why;
	struct date lastmod; /* DATE_NONE: none */
	int64_t first_seen_s; /* in a sitemap; 0: not known */
	/* The host of its site, and the URL of the sitemap that it was promoted
	 * from; empty: that was not stored. */
	struct slice site, sitemap;
	const struct strings *tags; /* of its site */
	unsigned failures; /* of its fetches, in a row */
	struct slice etag, last_modified; /* of its last fetch; empty: none */
	int64_t delay_ms; /* between two requests to its host */
	/* of a request for it, valid as long as the lease; NULL: none */
	const struct signature *signature;
	struct purposes purposes; /* what robots.txt says of it */
};

/* frontier_lease(frontier, consumer, now_s, page): lease the best page that the
 * consumer may have now, in the open transaction: unless it is the driver's,
 * the caller flushes the store before anybody hears of the page.  Returns false
 * when there is none, and frontier_due_s() says when to ask again; or after a
 * few milliseconds of searching: then is_later is set, and the caller asks
 * again soon. */
bool frontier_lease(struct frontier *, struct frontier_consumer *,
    int64_t now_s, struct frontier_page *);

/* frontier_due_s(frontier, now_s): when frontier_lease() may return another
 * page; FRONTIER_NEVER: not before something else happens. */
int64_t frontier_due_s(struct frontier *, int64_t now_s);

/* A budget of requests that is used up, or pages that are handed out, in whose
 * place nothing else can be had. */
struct frontier_spent {
	const char *of; /* static: "total", "site", "tag"; NULL: none is */
	struct slice name; /* host or tag; borrowed until the next call */
	double per_hour;
	uint64_t leases; /* that many are handed out; 0: this is no cause */
};

/* frontier_next_s(frontier, consumer, now_s, spent): the time, later than
 * now_s, at which the consumer may have a page after it got none at now_s;
 * FRONTIER_NEVER: not before something else happens.  *spent: the budget or
 * the leases that it waits for.  Looks at all pages. */
int64_t frontier_next_s(struct frontier *, struct frontier_consumer *,
    int64_t now_s, struct frontier_spent *);

/* frontier_knows_site(frontier, host): is that the host of a site of the store?
 * frontier_knows_tag(frontier, tag): does a watched site have that tag? */
bool frontier_knows_site(struct frontier *, struct slice host);
bool frontier_knows_tag(struct frontier *, struct slice tag);

/* The rest is for the frontier's own files. */

/* frontier_site_spent(frontier, site, ready_s): the budget that keeps the site,
 * a number of the table of sites, from requests until ready_s, which is what
 * scheduler_ready_s() says of it. */
struct frontier_spent frontier_site_spent(
    const struct frontier *, uint32_t site, int64_t ready_s);

/* frontier_expire(frontier, now_s): set the clock, and end the leases that are
 * over. */
void frontier_expire(struct frontier *, int64_t now_s);

/* lease_first(frontier): the page whose lease ends first; NONE: no page is
 * leased.  lease_until_s: the end of the lease of a page that is leased;
 * FRONTIER_NEVER for NONE.  lease_running: how many leases end after now; the
 * others end when the frontier is asked. */
uint32_t lease_first(const struct frontier *);
int64_t lease_until_s(const struct frontier *, uint32_t page);
uint64_t lease_running(const struct frontier *);

/* lease_begin(frontier, consumer, page, until_s): the page is leased, and the
 * store knows the lease already; consumer is NULL when the lease was loaded.
 * lease_end(frontier, page): the page is not leased any more.
 * lease_return(frontier, page): the same, without a result: the scheduler may
 * choose it again. */
void lease_begin(struct frontier *, struct frontier_consumer *, uint32_t page,
    int64_t until_s);
void lease_end(struct frontier *, uint32_t page);
void lease_return(struct frontier *, uint32_t page);

#endif
