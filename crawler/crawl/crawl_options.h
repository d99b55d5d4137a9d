/* What one crawl in a run wants, and hears: see run.h. */
#ifndef FRESHET_CRAWL_OPTIONS_H
#define FRESHET_CRAWL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/profile.h"
#include "base/slice.h"
#include "crawler/crawl/listed_page.h"
#include "store/segment/reading.h"

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
