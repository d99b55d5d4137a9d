/* What was committed since: readings, what each changed, what stands. */
#ifndef FRESHET_CHANGES_H
#define FRESHET_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "store/segment/entry.h"
#include "store/segment/reading.h"

struct store;

struct reading_row {
	int64_t id; /* in the order of commits */
	int64_t document_id;
	int64_t site_id;
	int64_t at_s;
	enum outcome outcome;
	enum diag_code failure; /* DIAG_OK: none, or one that this version does
				   not know */
	int status; /* 0: none came */
	bool is_read; /* it brought entries: READ, and not unreadable */
	/* of one that is_read; else unknown, false and 0: */
	enum document_kind kind;
	bool is_complete;
	uint64_t entries; /* afterwards */
	uint64_t refused; /* of entries */
	uint64_t missed, dated, regressed;
	uint64_t changes[DELTA_KINDS];
	uint64_t wire_bytes; /* that came */
	bool has_delta; /* else of its document's first, all are added */
	bool lists_pages; /* afterwards; else children */
	bool is_counted; /* whose pages are the site's is known; not where it
			    was made before version 10 of the store */
	/* of these, those that are changes of the site, and not only of the
	 * document; dates and verdicts of each document.  What a site listed
	 * when it was first read is none. */
	uint64_t site[DELTA_KINDS];
	int64_t since_s; /* what is gone by it was first absent; 0: unknown */
	int64_t owed_s; /* of its document as it is now: roster.h */
};

/* reading_at_s(reading, kind): when it happened: what is gone, when it was
 * first absent. */
int64_t reading_at_s(const struct reading_row *, enum delta_kind);

/* store_each_reading_after(store, reading_id, fn, arg): those with greater
 * ids, in order.  False from fn stops.  fn may use the store. */
typedef bool store_reading_fn(void *arg, const struct reading_row *);
void store_each_reading_after(
    struct store *, int64_t reading_id, store_reading_fn *, void *arg);

/* store_each_site_reading(store, site_id, from_s, fn, arg): the same of the
 * documents of a site, made at from_s or later; store_site_known_s: when the
 * first of all was made, 0: none. */
void store_each_site_reading(struct store *, int64_t site_id, int64_t from_s,
    store_reading_fn *, void *arg);
int64_t store_site_known_s(struct store *, int64_t site_id);

/* store_each_document_reading(store, document_id, from, fn, arg): the same of
 * one document. */
struct reading_from {
	int64_t at_s; /* or later */
	int64_t after_id; /* and with greater ids */
};
void store_each_document_reading(struct store *, int64_t document_id,
    struct reading_from, store_reading_fn *, void *arg);

/* store_at_s_after(store, reading_id): when the first reading with a greater id
 * was made, 0: there is none. */
int64_t store_at_s_after(struct store *, int64_t reading_id);

/*
 * store_elsewhere(store, reading_id, bits): which changes of its delta are none
 * of the site, since another document has the page, or because it is a child
 * and no page.  elsewhere_has(bits, at): by its place in the delta; of such
 * that come or go, or get another verdict.  reading_is_elsewhere(reading, bits,
 * change, at): of any.
 */
void store_elsewhere(struct store *, int64_t reading_id, struct buf *bits);
bool elsewhere_has(struct slice bits, uint64_t at);
bool reading_is_elsewhere(const struct reading_row *, struct slice bits,
    const struct change *, uint64_t at);

/*
 * store_each_change(store, reading_id, fn, arg): its delta, in order of URLs;
 * the first reading of a document has none.  store_each_entry(store,
 * document_id, fn, arg): its segment, missed and refused ones too, in order of
 * URLs.
 * What is passed is borrowed; false from fn stops; fn may use the store.  A
 * block that cannot be decoded makes store_failed answer STORE_DAMAGED.
 */
typedef bool store_change_fn(void *arg, const struct change *);
void store_each_change(
    struct store *, int64_t reading_id, store_change_fn *, void *arg);
typedef bool store_entry_fn(void *arg, const struct entry *);
void store_each_entry(
    struct store *, int64_t document_id, store_entry_fn *, void *arg);

#endif
