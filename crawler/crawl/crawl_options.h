/* The options of a crawl, the callbacks through which it reports, and its
 * counts. */
#ifndef FRESHET_CRAWL_OPTIONS_H
#define FRESHET_CRAWL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/profile.h"
#include "base/purposes.h"
#include "base/slice.h"
#include "store/segment/reading.h"

struct fetch_result;
struct page_facts;
struct spool_file;

/* How a listed page ended. */
enum page_end {
	PAGE_ANSWERED, /* with status 200, after redirects */
	PAGE_DISALLOWED, /* by robots.txt: the page was not asked for */
	PAGE_LOST
};

/* The canonical URL that a page names, in a Link header or in its head. */
enum page_canonical {
	CANONICAL_NONE,
	CANONICAL_SELF,
	CANONICAL_OTHER,
	CANONICAL_SEVERAL, /* several different URLs */
	CANONICAL_INVALID /* the text is no URL */
};

/* A listed page that was looked at, or one that run_page() has fetched.
 * Everything is borrowed until the call returns; texts are hostile. */
struct listed_page {
	/* a document that lists the page; of a further page: any document */
	int64_t document_id;
	struct slice url;
	enum page_end end;
	int status; /* of the first answer, 0: there was none */
	int final_status; /* of the last answer, after redirects */
	/* number of redirects; one that was not followed counts, too */
	unsigned hops;
	bool is_endless; /* redirects in a circle, or too many */
	/* where redirects led; of run_page(), as far as that was asked for */
	struct slice final_url;
	/* PAGE_LOST, PAGE_DISALLOWED: the reason, in words; else what is
	 * meant by the next two */
	struct slice detail;
	bool has_refresh; /* it sends its readers to another URL */
	bool is_soft_404; /* it is empty, or says that there is no such page */
	bool was_read; /* the body was read; false: only the headers were */
	bool is_cut; /* the body was too long, and was read in part */
	/* the directive that forbids indexing, such as "X-Robots-Tag: none";
	 * empty: none */
	struct slice noindex;
	/* what robots.txt, the headers and the page say together */
	struct purposes purposes;
	struct slice bad_usage; /* a Content-Usage that cannot be understood */
	enum page_canonical canonical;
	struct slice canonical_url; /* the first one named; empty: none */
	/* the content of the first <meta name=generator>; empty: none */
	struct slice generator;
	bool is_probe; /* of check: only its generator is wanted */

	/* The rest is of run_page() only. */
	uint64_t id; /* of its order */
	enum diag_code failure; /* PAGE_LOST, PAGE_DISALLOWED: why */
	/* what was read of the page; NULL: nothing was */
	const struct page_facts *facts;
	int text_fd; /* the main text, from its beginning; -1: none */
	struct slice robots_tag; /* as in struct fetch_result */
	/* of the last answer; empty: absent */
	struct slice etag, last_modified, content_type;
	int64_t retry_after_s; /* -1: none */
	uint64_t bytes; /* of the last body, on the wire */
	uint32_t ms; /* of the last request */
	/* the first redirect leads there; empty: there was none */
	struct slice first_location;
	/* the page, or what it redirects to, asks for a password, or for
	 * consent: static, "login", "consent" or the maker of a bot wall;
	 * NULL: it does not */
	const char *wall;
};

typedef void listed_page_fn(void *arg, const struct listed_page *);

/* One request of run_page() and its answer.  Everything is borrowed until the
 * call returns. */
struct page_exchange {
	uint64_t id; /* of the order */
	unsigned hop; /* redirects before it */
	struct slice url;
	int64_t at_us; /* when it was sent, since the Epoch */
	const struct fetch_result *result; /* with the heads */
	struct spool_file *body; /* as it came; NULL: none */
	/* the last hop: what `page` gets after it; NULL: a redirect, or an
	 * answer after which the page is asked for again */
	const struct listed_page *page;
};

struct crawl_options {
	uint64_t max_urls; /* of all documents; UINT64_MAX: no limit */
	bool is_forced; /* read all documents, whatever is known of them */
	bool wants_robots; /* only robots.txt of the targets, nothing else */
	uint32_t pages; /* number of listed pages to look at; 0: none */
	/* further(arg, url): append the URL of one more page to look at, each
	 * once; false: there are no more. Called when all documents were read,
	 * if one of them lists a page. May be NULL. */
	bool (*further)(void *arg, struct buf *url);
	/* found(arg, url): append the URL of one more document to look at, each
	 * once, if robots.txt names none and none is at the default locations;
	 * false: there are no more. May be NULL. */
	bool (*found)(void *arg, struct buf *url);
	/* as is_forced, but documents that this crawl has read in another
	 * process before are not read again */
	bool is_continued;
	/* run_page() is called: the crawl does not end before run_drop() */
	bool takes_pages;

	/*
	 * Called from the loop.
	 *
	 * document: a reading was committed.  The reading and the profile
	 * that it was read under are borrowed.
	 * problem: one line for people; code is DIAG_OK when there is none.
	 * page: a chosen page was looked at.  Pages come after all documents;
	 * from then on, documents and problems are not reported (they are of
	 * robots.txt that pages need).
	 * page_returned: a page given to run_page() was not asked for, or not
	 * again, because its host is held, for held_ms from now on, or gives no
	 * answer any more.
	 * exchange: a request for a page that wants_exchange was answered; for
	 * the last one, this comes after the page was read, and before `page`.
	 * May be NULL.
	 * returned: a document given to run_document() was not read: the store
	 * has its largest size, or the host asked for a pause. May be NULL.
	 * done: everything was looked at and committed. Called once; nothing is
	 * called after it.
	 */
	void (*document)(void *arg, struct slice url, const struct reading *,
	    const struct profile *);
	void (*problem)(
	    void *arg, enum diag_code, struct slice url, struct slice text);
	listed_page_fn *page;
	void (*page_returned)(void *arg, uint64_t id, int64_t held_ms);
	void (*exchange)(void *arg, const struct page_exchange *);
	void (*returned)(void *arg, int64_t document_id);
	void (*done)(void *done_arg);
	void *arg;
	void *done_arg;
};

/* The counts of a crawl so far.  Documents do not include robots.txt. */
struct run_totals {
	uint64_t sites;
	uint64_t known; /* documents that this run knows and looks at */
	uint64_t done;
	uint64_t read, unchanged, failed, refused;
	uint64_t partial; /* of `read`: readings that are not complete */
	uint64_t already; /* documents read before this run was interrupted */
	/* Entries and changes of all documents that were done; at the end of
	 * the crawl, of its sites (SPEC 15.3). */
	uint64_t listed;
	/* of `listed`: refused entries, each document's under its main rule */
	uint64_t refused_by[VERDICTS];
	uint64_t changes[DELTA_KINDS];
	uint64_t waiting; /* documents that wait for a second reading */
	uint64_t waiting_urls; /* URLs of these documents */
	uint64_t first_sites; /* read through for the first time */
	uint64_t pages, pages_done; /* listed pages: to look at; done */
	uint64_t refused_entries;
	/* of `refused_entries`: entries of indexes */
	uint64_t refused_children;
	uint64_t codes[DIAG_COUNT]; /* findings by code */
	/* Documents that the scanner read, and those that other parsers read,
	 * with their decoded bytes; of the latter, why the scanner stepped
	 * aside. */
	uint64_t scanned, scanned_bytes;
	uint64_t parsed, parsed_bytes;
	uint64_t asides[ASIDE_COUNT];
	uint64_t wire_bytes;
	uint64_t requests;
	uint64_t lost_targets; /* sites at which nothing was found */
	bool is_over_budget;
	/* The longest ones of the run, see loop.h. */
	uint64_t gap_ms, gap_cpu_ms, commit_ms;
};

/* totals_refused(totals, most): the number of listed entries that are
 * refused; *most is the rule that refuses most of them. */
uint64_t totals_refused(const struct run_totals *, enum verdict *most);

#endif
