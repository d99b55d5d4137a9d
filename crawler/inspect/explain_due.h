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
#include "base/diag.h"
#include "base/w3cdate.h"
#include "crawler/frontier/frontier_show.h"
#include "store/outcome.h"
#include "store/segment/reading.h"

struct explanation;
struct out;
struct store;
struct explain_due;

/* Lines have a label in the first column, then text; this is the indent of
 * lines without a label. */
#define EXPLAIN_INDENT "           "

/* explain_label(out, severity, name): begin a line with a name in the colour of
 * a severity; out_end_line() ends it. */
void explain_label(struct out *, enum severity, const char *name);

/* What the last fetch of a page brought, or the last reading of a document, and
 * since when the outcome has been the same. */
struct explain_last {
	bool is_known; /* there was a fetch or reading */
	/* a document: outcome and failure are set, not kind */
	bool is_document;
	enum outcome outcome;
	char *failure; /* owned: its diagnostic; NULL: none */
	bool has_hash; /* the hash of the text is known */
	bool is_noindex; /* the page said so when it was fetched last */
	bool is_compared; /* some fetch told whether the text had changed */
	int64_t at_s;
	enum page_outcome kind;
	int status;
	/* FAILED, GONE, MOVED, or a document that failed: number of times in a
	 * row, since since_s */
	uint64_t times;
	bool is_over; /* another outcome came before */
	int64_t since_s;
	char *location; /* owned: where the page moved; NULL: not known */
};

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
 */
void explain_due_ask(
    struct frontier *, struct store *, struct explanation *, int64_t now_s);

/* explain_due_text(explanation, out): append some lines for each item. */
void explain_due_text(const struct explanation *, struct out *);

/* explain_due_state(due, now_s): the state in one word: due, later, unpromoted,
 * out, held, refused, unknown-robots, removed, unwanted, unwatched. */
const char *explain_due_state(const struct explain_due *, int64_t now_s);

/* Append what limits how often an item is asked for, as members of an object.
 */
void explain_limits_json(struct buf *, const struct explain_due *);

#endif
