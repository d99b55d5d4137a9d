/* Readings in the order of commits, their changes, and entries of documents. */
#ifndef FRESHET_CHANGES_H
#define FRESHET_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/generator.h"
#include "store/segment/entry.h"
#include "store/segment/reading.h"

struct store;

struct reading_row {
	int64_t id; /* in the order of commits */
	int64_t document_id;
	int64_t site_id;
	int64_t at_s;
	enum outcome outcome;
	/* DIAG_OK: none, or one that this version does not know */
	enum diag_code failure;
	int status; /* 0: none came */
	bool is_redirected; /* the answer came from another URL */
	/* The finding versions-alternate: no date is news of a page. */
	bool is_in_turns;
	bool is_read; /* the outcome is READ, and the content is readable */
	/* Only if is_read; else unknown, false and 0: */
	enum document_kind kind;
	bool is_complete;
	uint64_t entries; /* after the reading */
	uint64_t refused; /* of entries */
	uint64_t missed, dated, regressed;
	uint64_t changes[DELTA_KINDS];
	uint64_t wire_bytes;
	bool has_delta; /* false: nothing changed, or the site was new */
	bool lists_pages; /* after the reading; false: it lists children */
	/* `site` is exact; false for readings made before version 10 of the
	 * store, and for changes that no tally has counted yet */
	bool is_counted;
	/* Those of `changes` that are changes of the site, not only of the
	 * document.  Entries of a site's first readings are no changes.
	 * REDATED, REFUSED and ACCEPTED count in each document. */
	uint64_t site[DELTA_KINDS];
	/* when GONE entries were first absent, for delta_at_s(); 0: unknown */
	int64_t since_s;
	int64_t owed_s; /* of the document now: see document.h */
	/* how often in a row by now the URLs changed by a session part alone
	 * (siblings.h) */
	uint64_t sessions;
	/* that writes the document now; NULL: not known */
	const struct generator *generator;
};

/* Which readings store_each_reading() passes. */
struct reading_from {
	enum readings_by {
		READINGS_OF_ALL,
		READINGS_OF_SITE, /* of all documents of the site */
		READINGS_OF_DOCUMENT
	} by;
	int64_t id; /* of the site, or the document */
	int64_t at_s; /* made then or later; not with READINGS_OF_ALL */
	int64_t after_id; /* with greater ids; not with READINGS_OF_SITE */
	bool has_delta; /* only those that have; not with READINGS_OF_ALL */
};

/* store_each_reading(store, from, fn, arg): readings in the order of their ids.
 * fn may use the store; false from fn stops. */
typedef bool store_reading_fn(void *arg, const struct reading_row *);
void store_each_reading(
    struct store *, struct reading_from, store_reading_fn *, void *arg);

/*
 * Some changes of a delta are no changes of the site: another document lists
 * the same page, or the entry is a child and no page.
 *
 * store_elsewhere(store, reading_id, bits): get the set of these changes, as
 * bits.  A REDATED page is not in the set: dates belong to a document.
 * elsewhere_has() finds one there.
 */
void store_elsewhere(struct store *, int64_t reading_id, struct buf *bits);

/* store_each_missing(store, document_id, missed, fn, arg): of a document that
 * has so many missed entries, the readings that lacked them first, the latest
 * first, and for how many pages of the site. */
typedef void store_missing_fn(void *arg, int64_t at_s, uint64_t pages);
void store_each_missing(struct store *, int64_t document_id, uint64_t missed,
    store_missing_fn *, void *arg);

/*
 * store_each_change(store, reading_id, fn, arg): the changes of a reading, in
 * order of URLs; the first reading of a document has none.
 * store_each_entry(store, document_id, fn, arg): the entries of a document,
 * missed and refused ones, too, in order of URLs.
 *
 * Changes and entries are borrowed.  fn may use the store; false from fn stops.
 * A block that cannot be decoded makes store_failed return STORE_DAMAGED.
 */
typedef bool store_change_fn(void *arg, const struct change *);
void store_each_change(
    struct store *, int64_t reading_id, store_change_fn *, void *arg);
typedef bool store_entry_fn(void *arg, const struct entry *);
void store_each_entry(
    struct store *, int64_t document_id, store_entry_fn *, void *arg);

/* What a document listed at a time in the past: what it lists now, without the
 * changes since then. */

/*
 * store_each_listed_at(store, document_id, at_s, fn, arg): the entries that the
 * last reading up to at_s left as listed, in the order of URLs, with their
 * lastmod and verdict of that time.  The verdict is VERDICTS if the entry was
 * refused then and is accepted since: by which rule is not known any more.  An
 * entry that is gone is not listed from the time on when it was first absent,
 * though that was known later. first_seen_s is 0 if an entry has left the
 * document since; redated_s, ordinal, extensions and hints are always 0.
 *
 * Returns false, and passes nothing, if readings that would tell were removed
 * (store/prune.h).  Entries are borrowed; false from fn stops.
 */
bool store_each_listed_at(struct store *, int64_t document_id, int64_t at_s,
    store_entry_fn *, void *arg);

#endif
