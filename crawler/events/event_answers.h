/*
 * What some pages of an event answered when the daemon asked them whether they
 * are still there (crawler/daemon/page_asks.h), and what that means.
 */
#ifndef FRESHET_EVENT_ANSWERS_H
#define FRESHET_EVENT_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

struct store;

/* Why a page has no status, or what speaks against it: verified.why. */
#define ANSWER_FORBIDDEN "robots.txt"
#define ANSWER_NONE "no answer"
#define ANSWER_WALL "wall" /* a login, a consent or a bot wall */
#define ANSWER_NOINDEX "noindex"
#define ANSWER_SOFT "soft-404" /* it says that there is no such page */

struct event_answer {
	char *url; /* owned */
	int64_t at_s; /* 0: it is still to be asked */
	int status; /* of the first answer; 0: there was none */
	char *location; /* owned: where it redirects to; NULL: nowhere */
	char *why; /* owned: one of the words above; NULL: none */
};

/* Zeroed: nobody asked. */
struct event_answers {
	struct event_answer *items; /* owned */
	size_t count, cap;
};

/* What the event was: pages that left, pages that moved, whose old URLs are
 * asked, or new pages. */
enum answers_of { ANSWERS_OF_DROP, ANSWERS_OF_MOVE, ANSWERS_OF_LAUNCH };

/* event_answers_find(answers, store, site_id, name): add what is stored of the
 * event of that name.  event_answers_release(answers): zeroed is allowed.
 * event_answers_are_whole(answers): was somebody asked, and did all answer? */
void event_answers_find(
    struct event_answers *, struct store *, int64_t site_id, struct slice name);
void event_answers_release(struct event_answers *);
bool event_answers_are_whole(const struct event_answers *);

/* event_answers_sentence(out, answers, of, host): "5 of 5 still answer: left
 * out, not taken down", of answers that are whole; host is that of the site.
 * event_answers_json(out, answers, of, host): the member "verified" with the
 * sentence and each page. */
void event_answers_sentence(struct buf *, const struct event_answers *,
    enum answers_of, struct slice host);
void event_answers_json(struct buf *, const struct event_answers *,
    enum answers_of, struct slice host);

#endif
