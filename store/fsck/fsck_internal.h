/* Inside fsck: its parts, and what they share. */
#ifndef FRESHET_FSCK_INTERNAL_H
#define FRESHET_FSCK_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "store/fsck/fsck.h"
#include "store/location.h"

#define FSCK_INVARIANTS 20 /* J1 to J19, and no J0 */

struct sqlite3_stmt;

/* What was said and is not told yet: that it was repaired. */
struct fsck_held;

struct fsck {
	struct store *store;
	const struct fsck_options *options;
	struct fsck_totals *totals;
	uint64_t said[FSCK_INVARIANTS], told[FSCK_INVARIANTS];
	int64_t latest_s; /* nothing was committed later */
	/* of a store that repairs: */
	struct fsck_held *held; /* owned: what is being repaired */
	size_t held_count, held_cap;
	struct fsck_held
	    *lost; /* owned: of documents that are to be forgotten */
	size_t lost_count, lost_cap;
	uint64_t repaired; /* in this pass */
	int64_t rows_changed; /* when fsck_mend began; -1: no rows matter */
};

/*
 * fsck_say(fsck, at, format, ...): report what is at `at`, whose own `what`
 * is not looked at.  A store that repairs tells only what is_repaired, and that
 * when fsck_mended finds that it was done.
 */
void fsck_say(struct fsck *, const struct fsck_finding *at, const char *format,
    ...) __attribute__((format(printf, 3, 4)));

/*
 * fsck_lose(fsck, at, document_id, format, ...): the same of what makes a
 * document lost: a store that repairs forgets it at the end of the pass, but
 * for its URL.  Of one whose URL is none (is_gone) nothing is left.
 */
struct fsck_loss {
	int64_t document_id;
	bool is_gone;
};
void fsck_lose(struct fsck *, const struct fsck_finding *at,
    const struct fsck_loss *, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/*
 * Of a store that repairs: what changes it lies between fsck_mend and
 * fsck_mended, which takes it back where it met damage, and tells what was said
 * since where it did not.
 */
void fsck_mend(struct fsck *);
void fsck_mended(struct fsck *);

/* fsck_forget(fsck): the documents of fsck_lose, as far as that can be. */
void fsck_forget(struct fsck *);

/* fsck_rehome(fsck): pages whose document does not exist go to the one of their
 * origin that nobody reads. */
void fsck_rehome(struct fsck *);

/*
 * fsck_ended(fsck, table): after a statement's last row.  A page of it that
 * cannot be read is reported, and forgotten, so that the other checks go on.
 * False when nothing can be read any more.
 */
bool fsck_ended(struct fsck *, const char *table);

/*
 * fsck_next(fsck, stmt, table, id): the first row whose id, its first column,
 * is greater than *id, which becomes that.  False at the end, and when a
 * damaged tree would lead back.
 */
bool fsck_next(
    struct fsck *, struct sqlite3_stmt *, const char *table, int64_t *id);

/* The parts, in the order in which they run. */
void fsck_file(struct fsck *); /* J1, J2, J16 */
void fsck_mend_file(struct fsck *); /* J1, before all, in no transaction */
void fsck_segments(struct fsck *); /* J4, J5, J8, J9, J10, J15 */
void fsck_deltas(struct fsck *); /* J5, J8, J10, J15 */
void fsck_latest(struct fsck *); /* J3 */
void fsck_rules(struct fsck *); /* J2, J3, J5 to J18 */
void fsck_graph(struct fsck *); /* J12 */
void fsck_sites(struct fsck *); /* J19 */

/* fsck_scope: under which rules a document was read. */
struct fsck_scope;

struct fsck_scope *fsck_scope_new(struct fsck *);
void fsck_scope_free(struct fsck_scope *);

/* What a scope is made of again; borrowed. */
struct fsck_document {
	int64_t id;
	int64_t site_id;
	struct slice url;
	struct slice final_url; /* empty: none */
	uint64_t fingerprint;
	bool is_index;
	bool is_complete;
};

/* fsck_scope_find(scope, document): the scope with its fingerprint, borrowed
 * until the next call; NULL: nobody knows it any more. */
const struct location_scope *fsck_scope_find(
    struct fsck_scope *, const struct fsck_document *);

#endif
