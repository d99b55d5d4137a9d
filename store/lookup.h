/* Looking up one URL: who lists it, who names it, who refused it. */
#ifndef FRESHET_LOOKUP_H
#define FRESHET_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "store/query.h"
#include "store/segment/entry.h"

struct store;

/*
 * store_each_listing(store, url, fn, arg): every document, index or not, whose
 * segment has that normalised URL, missed and refused ones too, in order of
 * their ids; the entry is borrowed.  A block that cannot be decoded makes
 * store_failed answer STORE_DAMAGED.
 */
typedef void store_listing_fn(
    void *arg, int64_t document_id, const struct entry *);
void store_each_listing(
    struct store *, struct slice url, store_listing_fn *, void *arg);

/*
 * store_gone(store, url, host, gone): the latest reading of a document of that
 * host's site by which the URL was gone from it; false: there is none, or it
 * is forgotten.
 */
struct gone_row {
	int64_t reading_id;
	int64_t at_s;
	char *document; /* its URL, the caller's; unset when there is none */
};
bool store_gone(
    struct store *, struct slice url, struct slice host, struct gone_row *);

/* store_refused_since(store, document_id, url): the latest reading of the
 * document that found it refused, though it was accepted before; 0: there is
 * none, or it is forgotten. */
int64_t store_refused_since(
    struct store *, int64_t document_id, struct slice url);

/* store_each_proof(store, url, fn, arg): the origins whose robots.txt names
 * that document, and on which line. */
typedef void store_proof_fn(void *arg, struct slice origin, uint32_t line);
void store_each_proof(
    struct store *, struct slice url, store_proof_fn *, void *arg);

/* store_each_sample(store, fn, arg): the samples of all readings whose
 * entries stand, by document; borrowed. */
struct sample_row {
	int64_t document_id;
	struct slice code;
	uint32_t line;
	struct slice text; /* hostile, cut at FINDING_TEXT_MAX */
};
typedef void store_sample_fn(void *arg, const struct sample_row *);
void store_each_sample(struct store *, store_sample_fn *, void *arg);

/* store_standing(store, document_id, host): the reading whose entries stand,
 * 0: none; the host of the document's site is appended. */
int64_t store_standing(struct store *, int64_t document_id, struct buf *host);

/* store_each_document_at(store, url, fn, arg): the documents of that URL: one
 * of each site that reaches it. */
void store_each_document_at(
    struct store *, struct slice url, store_row_fn *, void *arg);

#endif
