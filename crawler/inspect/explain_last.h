/* What the last fetch of a page brought, or the last reading of a document, and
 * since when the outcome has been the same. */
#ifndef FRESHET_EXPLAIN_LAST_H
#define FRESHET_EXPLAIN_LAST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "store/outcome.h"
#include "store/segment/reading.h"

struct document_row;
struct store;

struct explain_last {
	bool is_known; /* there was a fetch or reading */
	/* a document: outcome and failure are set, not kind */
	bool is_document;
	enum outcome outcome;
	char *failure; /* owned: its diagnostic; NULL: none */
	bool has_hash; /* the hash of the text is known */
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

/*
 * explain_last_ask(store, url, last): ask for the page of a normalised URL.
 * explain_last_document(row, last): take the last reading of a document.
 * explain_last_release(last): free what `last` owns; zeroed is allowed.
 */
void explain_last_ask(struct store *, struct slice url, struct explain_last *);
void explain_last_document(const struct document_row *, struct explain_last *);
void explain_last_release(struct explain_last *);

/*
 * explain_last_text(last, out): append one sentence; nothing if nothing is
 * known or a document did not fail.
 * explain_last_json(text, last): append the members "last_*".
 */
void explain_last_text(const struct explain_last *, struct buf *out);
void explain_last_json(struct buf *, const struct explain_last *);

#endif
