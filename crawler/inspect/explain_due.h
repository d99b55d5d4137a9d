/* When a URL is due, and every term of its value: asked of the frontier, and
 * said in words. */
#ifndef FRESHET_EXPLAIN_DUE_H
#define FRESHET_EXPLAIN_DUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/w3cdate.h"
#include "crawler/frontier/frontier_show.h"
#include "crawler/inspect/explain_last.h"

struct explanation;
struct out;
struct store;
struct explain_due;

/* A budget of requests that holds for it. */
struct explain_budget {
	const char *of; /* static: "total", "site", "tag" */
	char *tag; /* owned; NULL: it is of none */
	double per_hour;
};

/* The page of that URL, or one of the documents that have it. */
struct explain_due {
	int64_t document_id; /* 0: the page */
	bool is_robots; /* the document is a robots.txt: it gives no dates */
	bool has_dates; /* what the document lists has some */
	struct date lastmod; /* of the page, DATE_NONE: none */
	struct date before; /* what it was at its last fetch, if it moved since
			     * and the store remembers; else DATE_NONE */
	struct frontier_terms terms;
	struct explain_last last; /* of the page */
	struct explain_budget *budgets; /* owned */
	size_t budget_count, budget_cap;
};

struct explain_dues {
	struct explain_due *items; /* owned */
	size_t count, cap;
	int64_t now_s; /* that they are as of */
};

/* explain_due_ask(frontier, store, explanation, now_s): fill explanation->dues.
 * explain_due_release(dues): zeroed is fine. */
void explain_due_ask(
    struct frontier *, struct store *, struct explanation *, int64_t now_s);
void explain_due_release(struct explain_dues *);

/* explain_due_text(explanation, out): append some lines for each. */
void explain_due_text(const struct explanation *, struct out *);

/* explain_due_state(due, now_s): in one word: due, later, waiting, out, held,
 * refused, unknown-robots, removed, unwanted, unlisted, unpromoted, unwatched.
 */
const char *explain_due_state(const struct explain_due *, int64_t now_s);

/* Explain: when it is due, or why not: the first line. */

#endif
