/*
 * Hosts: what is known of each host, once for all that ask it.
 *
 * Two sides send requests to a host: freshet itself (the driver), for sitemaps,
 * robots.txt, samples, and pages that it fetches; and the fetchers of others,
 * that get pages from the frontier.
 * host_ready_ms() says to both when the host may be asked, and why not now.
 * Both keep one delay together, and take turns while both have something to
 * ask for.  A host that is held is left alone by both.
 *
 * Other processes may ask some of the hosts, too (struct host_others).  Such a
 * host is asked only at a time that is reserved for this process, whichever
 * side asks, and by one side at a time:
 *
 *	NOT --wanted--> ASKED --answer--> TIME --request, pages--> USED
 *
 * From each of these it goes back to NOT, and is given back.
 *
 * A host is known by its number.  Times in milliseconds are those of the
 * table's clock, which never goes back; holds also have the second at which
 * they end, as the store has it.
 */
#ifndef FRESHET_HOST_TABLE_H
#define FRESHET_HOST_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fifo.h"
#include "base/names.h"
#include "base/site_rules.h"
#include "base/slice.h"

#define HOST_NONE UINT32_MAX /* no host; the same as NAMES_NONE */
#define HOST_NEVER INT64_MIN /* no time */

/* Who asks a host. */
enum host_side {
	HOST_DOCUMENTS, /* freshet itself */
	HOST_PAGES, /* fetchers */
	HOST_SIDES /* nobody */
};

/* What a hold of a host covers. */
enum held_kind {
	HELD_ALL, /* pages and documents */
	HELD_PAGES, /* pages only: several have failed */
	HELD_KINDS, /* the scheduler alone knows the kind below */
	/* pages only, although none has failed: enough of them are chosen */
	HELD_PAUSE = HELD_KINDS,
	HELD_ALL_KINDS
};

/* Why a host may not be asked now. */
enum host_why {
	HOST_FREE, /* it may be asked */
	HOST_DELAY, /* its delay is not over */
	HOST_TURN, /* its delay is over, and the other side comes first */
	HOST_LENT, /* a fetcher has pages of it, and asks for them itself */
	/* freshet waits for its answer, or for a time that is reserved */
	HOST_BUSY,
	HOST_HELD
};

/* Other processes that ask hosts, and the right to ask any host at all. */
struct host_others {
	/* do others ask that host, too? */
	bool (*has)(void *arg, struct slice host);
	/* Ask for a time, which host_reserved() tells later, perhaps instead of
	 * one that is held; with a delay of -1 nothing is needed any more. */
	void (*ask)(void *arg, struct slice host, int64_t delay_ms);
	bool (*may_ask)(void *arg); /* may this process ask hosts now? */
	void *arg;
	bool has_shares; /* of budgets: frontier_set_share() */
};

enum host_reserved {
	RESERVED_NOT, /* nor is it asked for before reserved_ms */
	RESERVED_ASKED,
	RESERVED_TIME, /* the host may be asked at reserved_ms */
	/* a request is under way, or pages are lent; HOST_NEVER: others may
	 * ask the host meanwhile */
	RESERVED_USED
};

struct host {
	uint32_t number;
	const struct site_rules *rules;
	/* The largest Crawl-delay of its origins, as each side has read them;
	 * 0: none.  What one side has not read yet, or has forgotten, the other
	 * may know. */
	uint32_t crawl_delay_ms[HOST_SIDES];
	int64_t delay_ms; /* between two requests, whoever sends them */
	/* the last request; while one is under way, before_ms is the one
	 * before, in case that it is not sent after all */
	int64_t asked_ms, before_ms;
	/* the driver asks nothing before, because a fetcher asks for pages */
	int64_t lent_until_ms;
	int64_t held_ms; /* the end of the hold HELD_ALL; HOST_NEVER: none */
	int64_t held_s[HELD_KINDS]; /* ends of holds; HOST_NEVER: never held */
	/* what waits to be asked for: documents, and chosen pages */
	uint32_t waiting[HOST_SIDES];
	/* an enum host_side: who comes next, so that the other side waits for
	 * two delays; HOST_SIDES: nobody else waits */
	uint8_t turn;
	bool is_busy; /* a request of freshet itself is under way */
	bool is_recalled; /* host_recall() was called */
	bool is_limited; /* its last answer may have been 429 or 503 */
	bool is_file; /* files answer for the host, so there is no delay */
	bool is_kept; /* the frontier knows it, so it is never forgotten */
	bool is_shared; /* others ask it, too */
	uint8_t reserved; /* enum host_reserved */
	int64_t reserved_ms;

	/* The rest is the frontier's; zeroed at first, but for `limit`. */
	uint32_t limit; /* its number in the scheduler; HOST_NONE: it has none,
			 * because no site has this host */
	uint32_t leases; /* pages of this host that are leased */
	uint32_t owned; /* those of them that the driver fetches */
	uint64_t holder; /* the consumer that took the first of these; 0: one
			  * of an owner of the store before this one */
	/* the ready queue: chosen pages that wait until the host may be asked,
	 * or until a consumer wants them; their number is in `waiting` */
	struct fifo ready;
	uint32_t origins; /* the first of its origins, plus one */
	double per_hour; /* the budget of its site; 0: none */
	/* requests an hour that budget and delay allow; 0: no limit */
	double rate;
};

/* Whoever wants to know of changes; a function may be NULL. */
struct host_follower {
	/* the host may perhaps be asked at another time than before */
	void (*changed)(void *arg, struct host *);
	/* the hold of that kind has a new end; why is static */
	void (*held)(void *arg, struct host *, enum held_kind, const char *why);
	void *arg;
};

struct host_table {
	struct names names; /* a number is that of the host with that name */
	/* owned; NULL: the number is free; a host never moves in memory */
	struct host **items;
	size_t count, cap;
	site_rules_fn *rules; /* NULL: all hosts have the default delay */
	void *rules_arg;
	/* NULL: now_s is all that is known of the time */
	int64_t (*clock_ms)(void *clock);
	void *clock;
	int64_t now_s; /* without a clock */
	struct host_follower followers[HOST_SIDES];
	/* when a fetcher last wanted a page that its host can be asked for at
	 * once: as long as it comes back, pages have their turns */
	int64_t streamed_ms;
	bool has_pages; /* the frontier has loaded what it knows of hosts */
	const struct host_others *others; /* borrowed; NULL: there are none */
	uint32_t reserving; /* hosts that are more than RESERVED_NOT */
	int64_t soon_ms; /* until then pages may come that wait for a time */
};

/* host_table_new(rules, arg, hash_key): an empty table without a clock. */
struct host_table *host_table_new(
    site_rules_fn *, void *rules_arg, uint64_t hash_key);
void host_table_free(struct host_table *);

/* host_table_set_clock(table, clock_ms, clock): use this clock from now on;
 * the times that are known so far are moved to it.
 * host_table_now_ms(table): the time. */
void host_table_set_clock(
    struct host_table *, int64_t (*clock_ms)(void *), void *clock);
int64_t host_table_now_ms(const struct host_table *);

/* host_put(table, name): the number of that host, made when it is new; its name
 * is the text of that number in `names`. */
uint32_t host_put(struct host_table *, struct slice name);

/* host_kept(table, host): the host if the frontier knows it, else NULL. */
static inline struct host *
host_kept(const struct host_table *table, uint32_t number)
{
	struct host *host = table->items[number];

	return host != NULL && host->is_kept ? host : NULL;
}

/* host_forget(table, host): the number may be given to another host. */
void host_forget(struct host_table *, uint32_t host);

/* host_delay_ms(rules, host, crawl_delay_ms): How long freshet waits between
 * two requests to the host, whether they are for documents or for pages: what
 * the rules say, else the default; and no less than the Crawl-delay of its
 * robots.txt (SPEC R-105).  A host that is localhost or a loopback address by
 * its name has no delay by default.  The address that answers does not count: a
 * trial in which a server of one's own stands for a site is as polite as the
 * site itself would see it. */
int64_t host_delay_ms(
    const struct site_rules *, struct slice host, uint32_t crawl_delay_ms);
#define HOST_DELAY_MS 1000 /* the default */

/* host_set_delay(table, host): work the delay out again, after the rules, a
 * Crawl-delay or is_file have changed. */
void host_set_delay(struct host_table *, struct host *);

/* host_ready_ms(table, host, side, why): when that side may ask the host; now
 * or earlier: now.  *why, unless NULL, is what it waits for longest. */
int64_t host_ready_ms(const struct host_table *, const struct host *,
    enum host_side, enum host_why *why);

/*
 * host_asks(table, host, now_ms): freshet itself asks the host now.
 * host_unasked(table, host): that request was not sent after all.
 * host_answered(table, host, at_ms): it is over; the delay counts from at_ms,
 * when its answer began, but a turn of pages is not over before a delay from
 * now.
 */
void host_asks(struct host_table *, struct host *, int64_t now_ms);
void host_unasked(struct host_table *, struct host *);
void host_answered(struct host_table *, struct host *, int64_t at_ms);

/* host_note(host, at_ms): the host was asked at that time, by anybody. */
void host_note(struct host *, int64_t at_ms);

/*
 * host_lend(table, host, is_asked, is_alone): a page of the host is leased, so
 * its fetcher asks the host now; is_asked is false when the owner of the store
 * before this one leased the page.  is_alone: all pages of the host that are
 * leased are with one consumer, whose fetcher spaces them.
 * host_returned(table, host): none of its pages is leased any more.
 */
void host_lend(
    struct host_table *, struct host *, bool is_asked, bool is_alone);
void host_returned(struct host_table *, struct host *);

/* host_may_ask(table): may this process ask its hosts now? */
static inline bool
host_may_ask(const struct host_table *table)
{
	return table->others == NULL ||
	    table->others->may_ask(table->others->arg);
}

/*
 * host_reserve(table, host, side): may the side, for which the host is ready,
 * ask it now?  If not, a time is reserved, and the host is not ready before.
 * host_may_send(table, host): may the request that is under way still be sent?
 */
bool host_reserve(struct host_table *, struct host *, enum host_side);
bool host_may_send(const struct host_table *, const struct host *);

/* host_reserved(table, host, wait_ms): the answer: the host may be asked after
 * that time; below 0: not now. */
void host_reserved(struct host_table *, struct slice host, int64_t wait_ms);

/* host_share(table, host): others want that host from now on, too.  It counts
 * as reserved until now, and is given back when nothing is under way. */
void host_share(struct host_table *, struct slice host);

/* host_tidy(table, is_lost): give back what is not used; to be called every few
 * seconds.  is_lost: nothing that was reserved counts any more. */
void host_tidy(struct host_table *, bool is_lost);

/* host_recall(table, host, last_s, now_s, delay_ms): another process asked the
 * host at last_s, 0: never, and had to keep that delay, which counts once more
 * until the robots.txt of the host is read. */
void host_recall(struct host_table *, struct host *, int64_t last_s,
    int64_t now_s, int64_t delay_ms);

/* host_age_ms(at_s, now_s): the least time since that second. */
int64_t host_age_ms(int64_t at_s, int64_t now_s);

/* host_hold(table, host, kind, until_s, now_s, why): hold the host until then;
 * if that is not later than now_s, the hold ends.  The followers are told. */
void host_hold(struct host_table *, struct host *, enum held_kind,
    int64_t until_s, int64_t now_s, const char *why);

#endif
