/*
 * What some pages of an event answered when the daemon asked them whether they
 * are still there (crawler/daemon/page_asks.h), and what that means.
 */
#ifndef FRESHET_EVENT_ANSWERS_H
#define FRESHET_EVENT_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/slice.h"
#include "store/page_says.h"

/* Why a page has no status, or what speaks against it: verified.why. */
#define ANSWER_FORBIDDEN "robots.txt"
#define ANSWER_NONE "no answer"
#define ANSWER_WALL "wall" /* a login, a consent or a bot wall */
#define ANSWER_NOINDEX "noindex"
#define ANSWER_SOFT "soft-404" /* it says that there is no such page */

/* What the event was: pages that left, pages that moved, whose old URLs are
 * asked, or new pages. */
enum answers_of {
	ANSWERS_OF_DROP,
	ANSWERS_OF_MOVE,
	ANSWERS_OF_LAUNCH,
	ANSWERS_OF_NONE
};

#define ANSWER_GROUPS 32

/* Answers of one event.  Zeroed, but for `target`, there are none. */
struct answers {
	/* of one meaning each: place in the table of meanings, status */
	struct answers_group {
		size_t meaning;
		int status;
		unsigned count;
	} groups[ANSWER_GROUPS];
	size_t group_count;
	unsigned count, waiting; /* pages; of these not asked yet */
	bool is_one_target; /* all redirects lead to the same URL */
	bool is_elsewhere; /* one leads to another origin */
	struct buf target; /* owned; what the targets of redirects begin with */
};

/* answers_add(answers, page): a store_verified_fn.
 * answers_sentence(out, answers, of, host): append "5 of 5 still answer: left
 * out, not taken down"; nothing while a page is to be asked, or if none was.
 * host is that of the site. */
void answers_add(void *answers, const struct verified *page);
void answers_sentence(
    struct buf *, struct answers *, enum answers_of, struct slice host);

#endif
