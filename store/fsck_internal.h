/* Inside fsck: its parts, and what they share. */
#ifndef FRESHET_FSCK_INTERNAL_H
#define FRESHET_FSCK_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "store/fsck.h"
#include "store/location.h"

#define FSCK_INVARIANTS 19 /* J1 to J18, and no J0 */

struct sqlite3_stmt;

struct fsck {
	struct store *store;
	const struct fsck_options *options;
	struct fsck_totals *totals;
	uint64_t told[FSCK_INVARIANTS];
	int64_t latest_s; /* nothing was committed later */
};

/* fsck_say(fsck, at, format, ...): report what is at `at`, whose own `what`
 * is not looked at. */
void fsck_say(struct fsck *, const struct fsck_finding *at, const char *format,
    ...) __attribute__((format(printf, 3, 4)));

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
void fsck_segments(struct fsck *); /* J4, J5, J8, J9, J10, J15 */
void fsck_deltas(struct fsck *); /* J5, J8, J10, J15 */
void fsck_latest(struct fsck *); /* J3 */
void fsck_rules(struct fsck *); /* J2, J3, J5 to J18 */
void fsck_graph(struct fsck *); /* J12 */

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
