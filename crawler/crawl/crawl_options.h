/* What one crawl in a run wants, and hears: see run.h. */
#ifndef FRESHET_CRAWL_OPTIONS_H
#define FRESHET_CRAWL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/profile.h"
#include "base/slice.h"
#include "store/segment/reading.h"

/* A listed page that was looked at. */

enum page_end {
	PAGE_ANSWERED, /* with status 200 in the end */
	PAGE_DISALLOWED, /* by robots.txt: it was not asked for */
	PAGE_FAILED
};

/* What it names as its canonical URL, in a Link header or in its head. */
enum page_canonical {
	CANONICAL_NONE,
	CANONICAL_SELF,
	CANONICAL_OTHER,
	CANONICAL_SEVERAL, /* which are not one */
	CANONICAL_INVALID /* what is no URL */
};

/* Everything in it is borrowed until the call returns; texts are hostile. */
struct listed_page {
	int64_t document_id; /* of one that lists it */
	struct slice url;
	enum page_end end;
	int status; /* of its own answer, 0: none came */
	int final_status; /* of the last one, after redirects */
	unsigned hops; /* redirects, a last one that was not followed, too */
	bool is_endless; /* they lead in a circle, or on and on */
	struct slice final_url; /* where they led */
	/* PAGE_FAILED, PAGE_DISALLOWED: why, in words */
	struct slice detail;
	bool was_read; /* its bytes: else only headers were looked at */
	bool is_cut; /* not all of them: there are too many */
	struct slice noindex; /* what says so: "X-Robots-Tag: none"; empty */
	enum page_canonical canonical;
	struct slice canonical_url; /* the first that it names; empty: none */
};

typedef void listed_page_fn(void *arg, const struct listed_page *);

struct crawl_options {
	uint64_t max_urls; /* of all its documents; UINT64_MAX: no limit */
	bool is_forced; /* no conditions, nothing is skipped */
	uint32_t pages; /* listed ones to look at: 0: none */
	bool finds_below; /* a target that ends in a slash is looked below, as a
			     site is, before it is asked for itself */
	bool is_continued; /* but what it read itself, before it moved here */

	/* Called from the loop.
	 * document: an attempt was committed; reading and the profile that it
	 * was read by are borrowed.
	 * problem: one line for people; code is DIAG_OK when it has none.
	 * page: one of those that were chosen was looked at, after all
	 * documents; what robots.txt are asked for on its behalf is not told
	 * any more. returned: nothing came of a document of run_document: the
	 * store has the size that it may have, or its host asked to be left
	 * alone; may be NULL. done: all was looked at and committed; once, and
	 * nothing after it. */
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
