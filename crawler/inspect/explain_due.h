/*
 * When a URL is due, and the terms of its value: ask the frontier, and say it
 * in words.
 */
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

/* A budget of requests that holds for the item. */
struct explain_budget {
	const char *of; /* static: "total", "site", "tag" */
	char *tag; /* owned; NULL: not a tag's budget */
	double per_hour;
};

/* The page of the URL, or one of the documents that have the URL. */
struct explain_due {
	int64_t document_id; /* 0: the page */
	bool is_robots; /* the document is a robots.txt, which has no dates */
	bool has_dates; /* some entries of the document have dates */
	struct date lastmod; /* of the page; DATE_NONE: none */
	/* the page's date at its last fetch, if it has changed since and the
	 * store still has it; else DATE_NONE */
	struct date before;
	struct frontier_terms terms;
	struct explain_last last; /* the last fetch of the page */
	struct explain_budget *budgets; /* owned */
	size_t budget_count, budget_cap;
};

struct explain_dues {
	struct explain_due *items; /* owned */
	size_t count, cap;
	int64_t now_s; /* the time for which the items hold */
};

/* explain_due_ask(frontier, store, explanation, now_s): fill explanation->dues.
 * explain_due_release(dues): free; zeroed is allowed. */
void explain_due_ask(
    struct frontier *, struct store *, struct explanation *, int64_t now_s);
void explain_due_release(struct explain_dues *);

/* explain_due_text(explanation, out): append some lines for each item. */
void explain_due_text(const struct explanation *, struct out *);

/* explain_due_state(due, now_s): the state in one word: due, later, unpromoted,
 * out, held, refused, unknown-robots, removed, unwanted, unwatched. */
const char *explain_due_state(const struct explain_due *, int64_t now_s);

#endif
