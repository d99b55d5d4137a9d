/*
 * The page fetcher: it leases pages of the frontier for this process, lets the
 * driver fetch them, puts what came into archives and hands it to a program,
 * and tells the frontier what became of each page.
 *
 *	frontier --lease--> OUT --driver--> CAME --program--> KEPT
 *	    --on the disk, result, COMMIT--> TOLD --durable--> options.page
 *
 * A page that cannot be kept is given back.  While no archive can be written,
 * one page every ten seconds tries whether that is over.
 */
#ifndef FRESHET_PAGE_FETCH_H
#define FRESHET_PAGE_FETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "base/strings.h"
#include "crawler/archive/archive.h"
#include "crawler/event/loop.h"
#include "store/outcome.h"
#include "store/store.h"

struct frontier;
struct page_fetch;
struct policy;
struct run;

/* What became of a page; borrowed until the call returns. */
struct page_fetched {
	struct slice url;
	enum page_outcome outcome;
	int status; /* of HTTP; 0: no answer */
	uint64_t bytes; /* of the body, on the wire */
	const char *wall; /* static: see struct listed_page; NULL: none */
	struct slice location, title, error; /* empty: none */
	struct slice json; /* the object of the page, without a newline */
};

struct page_fetch_options {
	/* All of these are borrowed and outlive the fetcher. */
	struct loop *loop;
	struct store *store;
	struct run *run;
	struct frontier *frontier;
	struct policy *policy;
	const struct strings *sites, *tags; /* as of frontier_consumer */
	/* rules that frontier_consumer_filter() takes; NULL: none */
	const struct strings *filter;

	unsigned at_once; /* hosts */
	uint64_t count; /* pages; 0: no limit */
	bool is_endless; /* it waits for pages that are due later */
	uint64_t max_bytes; /* of one page on the wire */
	bool wants_text; /* the objects have the main text */
	/* a program that has ended is started again; else fetching ends */
	bool restarts_program;
	/* borrowed for the call: folders, and a program for sh; NULL: none */
	const char *warc, *texts, *program;
	struct archive_about about; /* for the archives */

	/* Called from the loop, never from within a call of the fetcher.
	 * page: its outcome is durable.  May be NULL.
	 * has_room: can the listener take more now?  Pages wait until it can.
	 * NULL: always.
	 * warn: one line for people: fetching pauses, goes on, or the program
	 * has ended.
	 * over: no page follows.  The only call after it is page_fetch_free();
	 * not from within it. */
	void (*page)(void *arg, const struct page_fetched *);
	bool (*has_room)(void *arg);
	void (*warn)(void *arg, struct slice text);
	void (*over)(void *arg);
	void *arg;
};

struct page_fetch_counts {
	uint64_t leased, returned; /* pages handed to the driver; given back */
	uint64_t told; /* outcomes that are durable */
	uint64_t outcomes[PAGE_OUTCOMES]; /* of these */
	uint64_t walls; /* of them: pages that ask for a login, and the like */
	uint64_t bytes;
};

/* page_fetch_new(options, why): begin.  NULL, with one line in `why`, if an
 * archive cannot be used or the program cannot be started; with none if a rule
 * of the filter is no rule. */
struct page_fetch *page_fetch_new(
    const struct page_fetch_options *, char why[static 256]);

/* page_fetch_has_archives(options, why): can the folders of archives be used?
 * If not, `why` has one line. */
bool page_fetch_has_archives(
    const struct page_fetch_options *, char why[static 256]);

/* page_fetch_stop(fetch, grace_ms): lease nothing more; what is under way may
 * end within that time, and the rest is given back.  `over` is called then. */
void page_fetch_stop(struct page_fetch *, int64_t grace_ms);

/* page_fetch_settle(fetch): store what came, wait until it is durable, and call
 * `page`; nothing more is fetched.  page_fetch_free(fetch): the same without
 * calls, give back the rest, and close the archives; NULL is ignored. */
void page_fetch_settle(struct page_fetch *);
void page_fetch_free(struct page_fetch *);

struct page_fetch_counts page_fetch_counts(const struct page_fetch *);

/* page_fetch_program_status(fetch): the exit status of the program that has
 * ended, as a shell tells it; 0: none has. */
int page_fetch_program_status(const struct page_fetch *);

/* page_fetch_next(fetch, line): append the line {"type":"more"}
 * (frontier_lines.h): when more pages may be due, and which budget is used up
 * until then. */
void page_fetch_next(struct page_fetch *, struct buf *line);

#endif
