/*
 * Links: which documents an index lists, and which of these are accepted.
 *
 * New links wait in memory until the reading of their index is committed: a
 * crash between two commits must not leave an index with half of its children.
 */
#ifndef FRESHET_LINK_H
#define FRESHET_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/w3cdate.h"
#include "store/location.h"
#include "store/segment/reading.h"
#include "store/store.h"

struct store;

struct link {
	int64_t child_id;
	struct date lastmod;
};

/* The links of an index that wait for its reading. */
struct link_set {
	int64_t index_id;
	struct link *items; /* owned */
	size_t count;
	size_t cap;
};

/*
 * For store/ only: the waiting links of all indexes.
 *
 * link_set_of(store, index_id): those of one index, maybe none; valid until the
 * next call.
 * link_sets_clear(sets): forget all, since the transaction is rolled back.
 */
struct link_sets {
	struct link_set *items; /* owned; one for each index */
	size_t count, cap;
};
void link_sets_clear(struct link_sets *);
struct link_set *link_set_of(struct store *, int64_t index_id);

/* store_link(store, index_id, child_id, lastmod): The index lists the child,
 * and the child is accepted.  The links are stored with the next reading of the
 * index, if that is READ: set the count of link_set_of() to 0, and call this
 * function, before its commit.  Links that a complete reading does not renew
 * are missed, and dropped by the next complete or unchanged one (SPEC R-120); a
 * partial reading only adds links. */
void store_link(struct store *, int64_t index_id, int64_t child_id,
    const struct date *lastmod);

/* store_each_child(store, index_id, fn, arg): the accepted children, without
 * the missed ones. */
typedef void store_child_fn(
    void *arg, int64_t child_id, const struct date *lastmod);
void store_each_child(
    struct store *, int64_t index_id, store_child_fn *, void *arg);

/* store_children_after(store, index_id, is_held, after_id, most, fn, arg): Up
 * to `most` children with ids greater than after_id, in order of ids, with
 * their URLs.  is_held: also the children that only the last reading missed.
 * fn gets whether the last complete reading of the child lacked entries. */
typedef void store_child_url_fn(void *arg, int64_t child_id, struct slice url,
    const struct date *lastmod, bool is_lacking);
void store_children_after(struct store *, int64_t index_id, bool is_held,
    int64_t after_id, unsigned most, store_child_url_fn *, void *arg);

/* store_each_parent(store, child_id, fn, arg): the indexes above a child. */
typedef void store_parent_fn(void *arg, int64_t index_id, struct slice url);
void store_each_parent(
    struct store *, int64_t child_id, store_parent_fn *, void *arg);

/* Accepting the children of an index: the location rules are applied again,
 * with the proofs in the store, whatever verdict the reader process gave
 * (DESIGN 3.2, 5.7). */

/* accept_child_fn: called for each child that the rules accept; the URL is
 * borrowed.  Returns DIAG_OK, or why it refuses the child (DIAG_INDEX_LOOP). */
typedef enum diag_code accept_child_fn(
    void *arg, int64_t document_id, struct slice url);

struct accept_options {
	struct store *store;
	int64_t site_id;
	int64_t index_id;
	const struct location_scope *scope; /* of the index */
	/* of its reading: accept reads the segment and adds findings */
	struct content *content;
	/* Does the site have all the children that it may have?  Then children
	 * that is_counted does not know, or new ones (document_id 0), are
	 * refused: DIAG_BUDGET_REACHED. */
	bool (*is_full)(void *arg);
	bool (*is_counted)(void *arg, int64_t document_id);
	accept_child_fn *child;
	void *arg;
};

/* How many indexes may list a child; the links of others are refused (HOSTILE
 * E32). */
#define ACCEPT_PARENTS_MAX 64

struct accept;

/* accept_new(options): what the options point to must outlive the result. */
struct accept *accept_new(const struct accept_options *);
void accept_free(struct accept *);

/* accept_step(accept, max): Judge up to `max` children that the reader process
 * did not refuse; make documents of the accepted ones, and link them.  After
 * ACCEPT_MORE call again when the event loop comes back: 50,000 children at
 * once would stall it.  All changes are committed together with the reading of
 * the index. */
enum accept_state {
	ACCEPT_MORE,
	ACCEPT_OVER,
	/* The segment could not be decoded.  The reader process is not honest,
	 * and the caller must drop its reading. */
	ACCEPT_DAMAGED
};
enum accept_state accept_step(struct accept *, unsigned max);

#endif
