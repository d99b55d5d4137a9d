/* Lookups of one URL: the documents that list, name or refuse the URL. */
#ifndef FRESHET_LOOKUP_H
#define FRESHET_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "base/url.h"
#include "store/query.h"
#include "store/segment/entry.h"

struct store;

/*
 * store_each_listing(store, url, fn, arg):
 * Each document, index or not, whose segment has an entry of the normalised
 * URL, missed and refused entries, too, in order of ids; the entry is borrowed.
 * A block that cannot be decoded makes store_failed return STORE_DAMAGED.
 */
typedef void store_listing_fn(
    void *arg, int64_t document_id, const struct entry *);
void store_each_listing(
    struct store *, struct slice url, store_listing_fn *, void *arg);

/*
 * store_gone(store, url, host, gone):
 * Find the document of that site that listed the URL last, and the last reading
 * of it that did; if that was pruned, the reading in which the URL was gone.
 * Returns false if no document listed it, or if that was pruned, too.
 */
struct gone_row {
	int64_t reading_id;
	int64_t at_s;
	char *document; /* its URL, owned by the caller; unset if false */
	bool is_left; /* the document was a window, which the URL left */
};
bool store_gone(
    struct store *, struct slice url, struct slice host, struct gone_row *);

/* store_refused_since(store, document_id, url): the time of the latest reading
 * of the document that refused the URL after it was accepted; 0 if there is
 * none, or if it was pruned. */
int64_t store_refused_since(
    struct store *, int64_t document_id, struct slice url);

/* store_each_proof(store, url, fn, arg): the origins whose robots.txt names a
 * document, and the line. */
typedef void store_proof_fn(void *arg, struct slice origin, uint32_t line);
void store_each_proof(
    struct store *, struct slice url, store_proof_fn *, void *arg);

/* store_each_sample(store, fn, arg): the samples of the readings that the
 * segments come from, by document; borrowed. */
struct sample_row {
	int64_t document_id;
	struct slice code;
	uint32_t line;
	struct slice text; /* hostile, cut at FINDING_TEXT_MAX */
};
typedef void store_sample_fn(void *arg, const struct sample_row *);
void store_each_sample(struct store *, store_sample_fn *, void *arg);

/* store_standing(store, document_id, host): the id of the reading that the
 * document's segment comes from, 0: none.  Appends the host of the site to
 * `host`. */
int64_t store_standing(struct store *, int64_t document_id, struct buf *host);

/* store_each_document_at(store, url, fn, arg): the documents with a URL: one
 * for each site that reaches the URL. */
void store_each_document_at(
    struct store *, struct slice url, store_row_fn *, void *arg);

/* URLs as segments and samples of findings hold them. */

/* raw_url_parse(url, text, base): parse a normalised URL, or the raw text of an
 * entry, as leniently as possible.  Returns what url_parse returns; relative
 * URLs are refused if base is NULL. */
enum diag_code raw_url_parse(
    struct url *, struct slice text, const struct url *base);

/* raw_url_is(text, base, wanted, *code): does the text of a sample, which
 * findings may have cut, mean the normalised URL `wanted`?  *code is that of
 * raw_url_parse. */
bool raw_url_is(struct slice text, const struct url *base, struct slice wanted,
    enum diag_code *code);

#endif
