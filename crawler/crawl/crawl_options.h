/* The options of a crawl, and the callbacks through which it reports. */
#ifndef FRESHET_CRAWL_OPTIONS_H
#define FRESHET_CRAWL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/profile.h"
#include "base/slice.h"
#include "store/segment/reading.h"

/* How a listed page ended. */
enum page_end {
	PAGE_ANSWERED, /* with status 200, after redirects */
	PAGE_DISALLOWED, /* by robots.txt: the page was not asked for */
	PAGE_FAILED
};

/* The canonical URL that a page names, in a Link header or in its head. */
enum page_canonical {
	CANONICAL_NONE,
	CANONICAL_SELF,
	CANONICAL_OTHER,
	CANONICAL_SEVERAL, /* several different URLs */
	CANONICAL_INVALID /* the text is no URL */
};

/* A listed page that was looked at.  Everything is borrowed until the call
 * returns; texts are hostile. */
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
	struct slice final_url; /* URL of the last answer */
	/* PAGE_FAILED, PAGE_DISALLOWED: the reason, in words; else what is
	 * meant by the next two */
	struct slice detail;
	bool has_refresh; /* it sends its readers to another URL */
	bool is_soft_404; /* it is empty, or says that there is no such page */
	bool was_read; /* the body was read; false: only the headers were */
	bool is_cut; /* the body was too long, and was read in part */
	/* the directive that forbids indexing, such as "X-Robots-Tag: none";
	 * empty: none */
	struct slice noindex;
	enum page_canonical canonical;
	struct slice canonical_url; /* the first one named; empty: none */
};

typedef void listed_page_fn(void *arg, const struct listed_page *);

struct crawl_options {
	uint64_t max_urls; /* of all documents; UINT64_MAX: no limit */
	bool is_forced; /* read all documents, whatever is known of them */
	bool wants_robots; /* only robots.txt of the targets, nothing else */
	uint32_t pages; /* number of listed pages to look at; 0: none */
	/* further(arg, url): append the URL of one more page to look at, each
	 * once; false: there are no more. Called when all documents were read,
	 * if one of them lists a page. May be NULL. */
	bool (*further)(void *arg, struct buf *url);
	/* as is_forced, but documents that this crawl has read in another
	 * process before are not read again */
	bool is_continued;

	/*
	 * Called from the loop.
	 *
	 * document: a reading was committed.  The reading and the profile
	 * that it was read under are borrowed.
	 * problem: one line for people; code is DIAG_OK when there is none.
	 * page: a chosen page was looked at.  Pages come after all documents;
	 * from then on, documents and problems are not reported (they are of
	 * robots.txt that pages need).
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
	void (*returned)(void *arg, int64_t document_id);
	void (*done)(void *done_arg);
	void *arg;
	void *done_arg;
};

#endif
