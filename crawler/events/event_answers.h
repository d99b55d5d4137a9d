/* Which pages of an event are asked whether they are there, and what is said of
 * their answers.  The daemon asks them (crawler/daemon/page_asks.h). */
#ifndef FRESHET_EVENT_ANSWERS_H
#define FRESHET_EVENT_ANSWERS_H

#include <stdbool.h>

#include "crawler/events/site_event.h"

struct move;
struct section_rules;
struct site_changes;
struct store;

/* Why a page has no status, or what speaks against it: verified.why. */
#define ANSWER_FORBIDDEN "robots.txt"
#define ANSWER_NONE "no answer"
#define ANSWER_WALL "wall" /* a login, a consent or a bot wall */
#define ANSWER_NOINDEX "noindex"
#define ANSWER_SOFT "soft-404" /* it says that there is no such page */

/* What must be known of the site; all of it is borrowed. */
struct event_site {
	struct store *store;
	int64_t id;
	const struct site_changes *changes; /* with the pairs that moved */
	const struct section_rules *sections;
	unsigned sample; /* so many pages of an event are to be asked; or 0 */
};

/* event_answers_fill(event, site): set `verified` of a mass drop, a section
 * that came or went, and a rename, if all pages that were to be asked have
 * answered; and if none was, `sample` and `name`.
 * event_has_move(event, move): is that one of an event of moves? */
void event_answers_fill(struct site_event *, const struct event_site *);
bool event_has_move(const struct site_event *, const struct move *);

#endif
