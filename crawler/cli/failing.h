/* What fails at a site, since when and why, in words that all tables share. */
#ifndef FRESHET_FAILING_H
#define FRESHET_FAILING_H

#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

struct document_row;
struct site_totals;
struct store;
struct wall;

/* The latest attempt to read a document, which failed. */
struct failing {
	struct slice code; /* its diagnostic */
	int status; /* of HTTP; 0: there was no answer */
	struct slice text; /* of the finding; hostile; empty: none */
	int64_t since_s; /* 0: not known */
	uint64_t tries; /* that failed, in a row */
};

/*
 * failing_text(out, failing): append "status 500 since 2026-11-20 14:00 (12
 * tries)"; what stands in place of the status is the reason: "connection
 * refused", "empty file".
 *
 * failing_row_text(out, store, row): the same of a document of the store.
 * Returns the wall that stands behind it (base/wall.h), or NULL.
 */
void failing_text(struct buf *, const struct failing *);
const struct wall *failing_row_text(
    struct buf *, struct store *, const struct document_row *);

/* failing_site_text(out, totals): append "1 of 3 sitemaps fails", "its
 * robots.txt fails", or both; nothing if nothing fails. */
void failing_site_text(struct buf *, const struct site_totals *);

#endif
