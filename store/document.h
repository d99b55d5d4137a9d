/* Documents, and the links from indexes to them.  All ids are positive. */
#ifndef FRESHET_DOCUMENT_H
#define FRESHET_DOCUMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/slice.h"
#include "base/w3cdate.h"
#include "store/segment/reading.h"

struct store;

/* What the driver must know of a document before it asks for it. */
struct document {
	int64_t id;
	int64_t site_id;
	char *url; /* owned, normalised, as requested */
	enum document_kind kind; /* of the latest reading that knew */
	char *final_url; /* owned; of the stored validators; or NULL */
	char *etag; /* owned or NULL */
	char *last_modified; /* owned or NULL */
	bool has_digest;
	struct digest wire_digest;
	struct digest decoded_digest;
	uint64_t fingerprint; /* scope of the segment; 0: none */
	int64_t last_read_s; /* last READ or UNCHANGED, 0: never */
	int64_t last_full_s; /* last READ, 0: never */
	int64_t last_try_s;
	uint32_t failures; /* in a row */
	int64_t failing_since_s; /* 0: not failing */
	struct date index_lastmod; /* newest that an index gives it now */
	struct date index_lastmod_read; /* the same at its last reading */
	uint64_t entries; /* of the segment */
	uint64_t missed;
	uint64_t refused; /* of entries */
	enum verdict refused_by; /* most of these; VERDICT_ACCEPTED: none */
	bool lacks_refused; /* it was read whole when they were not kept, and
			       never since */
	bool is_complete; /* latest reading that brought bytes */
};

void document_release(struct document *);

/* document_is_given_up(document, now_s): it has failed for longer than is to be
 * put up with (SPEC R-77). */
bool document_is_given_up(const struct document *, int64_t now_s);

/*
 * store_document(store, site_id, url, *document):
 * The document of that normalised URL within the site, made when it is new.
 * What is made becomes durable with the next commit.
 */
void store_document(
    struct store *, int64_t site_id, struct slice url, struct document *);

/* store_unlisted(store, site_id, url): the id of one, made when it is new, that
 * nobody reads: pages that no document lists belong to it.  It is like any
 * other as soon as store_document is asked for it. */
int64_t store_unlisted(struct store *, int64_t site_id, struct slice url);

/* store_document_get(store, id, *document): false when there is none. */
bool store_document_get(struct store *, int64_t id, struct document *);

/*
 * store_links_begin(store, index_id), store_link(store, index_id, child_id,
 * lastmod): the index lists the child, accepted.  They become known with the
 * index's next reading, if that is READ: call both before its commit.  Links
 * that a complete reading does not renew are missed, and dropped by the next
 * complete or unchanged one (SPEC R-120); a partial one only adds.
 */
void store_links_begin(struct store *, int64_t index_id);
void store_link(struct store *, int64_t index_id, int64_t child_id,
    const struct date *lastmod);

/* store_each_child(store, index_id, fn, arg): the accepted children, without
 * the missed ones. */
typedef void store_child_fn(
    void *arg, int64_t child_id, const struct date *lastmod);
void store_each_child(
    struct store *, int64_t index_id, store_child_fn *, void *arg);

/* store_children_after(store, index_id, is_held, after_id, most, fn, arg): the
 * next of them behind that one, by id, with their URLs; so many at most.
 * is_held: those, too, that only its last reading missed. */
typedef void store_child_url_fn(
    void *arg, int64_t child_id, struct slice url, const struct date *lastmod);
void store_children_after(struct store *, int64_t index_id, bool is_held,
    int64_t after_id, unsigned most, store_child_url_fn *, void *arg);

/* store_other_parents(store, child_id, index_id, most): how many indexes list
 * it besides that one, or did when they were read before; no more are counted.
 * store_has_other_parent: does any? */
unsigned store_other_parents(
    struct store *, int64_t child_id, int64_t index_id, unsigned most);
bool store_has_other_parent(struct store *, int64_t child_id, int64_t index_id);

#endif
