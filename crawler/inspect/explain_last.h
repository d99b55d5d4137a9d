/* What the last fetch of a page brought, or the last try of a document, and
 * since when it does. */
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
	bool is_known; /* there was one */
	bool is_document; /* of one: outcome and failure, not kind */
	enum outcome outcome;
	char *failure; /* owned; its diagnostic, NULL: none */
	bool has_hash; /* of its text */
	bool is_compared; /* some fetch told whether it had changed */
	int64_t at_s;
	enum page_outcome kind;
	int status;
	/* FAILED, GONE, MOVED, or a document that failed: it was so that many
	 * times in a row since then */
	uint64_t times;
	bool is_over; /* before, it was not so */
	int64_t since_s;
	char *location; /* owned; where it moved; NULL: nobody said */
};

/* explain_last_ask(store, url, last): of a normalised URL.
 * explain_last_document(row, last): of a document.
 * explain_last_release(last): zeroed is fine. */
void explain_last_ask(struct store *, struct slice url, struct explain_last *);
void explain_last_document(const struct document_row *, struct explain_last *);
void explain_last_release(struct explain_last *);

/* explain_last_text(last, out): one sentence; nothing if nothing is known, or
 * it is a document that did not fail.
 * explain_last_json(text, last): the members "last_*". */
void explain_last_text(const struct explain_last *, struct buf *out);
void explain_last_json(struct buf *, const struct explain_last *);

#endif
