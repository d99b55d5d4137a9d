/* A listed page that was looked at, as the run tells of it. */
#ifndef FRESHET_LISTED_PAGE_H
#define FRESHET_LISTED_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/slice.h"

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

#endif
