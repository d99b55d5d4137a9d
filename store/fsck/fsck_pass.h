/*
 * Inside fsck: a pass over the store, and how checks report and repair
 * (fsck.c).
 *
 * A pass that only checks reports each finding at once.  A pass that repairs
 * holds each finding, and reports it only after its repair succeeded.
 */
#ifndef FRESHET_FSCK_PASS_H
#define FRESHET_FSCK_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/fsck/fsck.h"

#define FSCK_INVARIANTS 20 /* J1 to J19, and no J0 */

struct sqlite3_stmt;
struct fsck_held; /* a finding whose repair is not done yet */

struct fsck_list {
	struct fsck_held *items; /* owned */
	size_t count, cap;
};

struct fsck {
	struct store *store;
	const struct fsck_options *options;
	struct fsck_totals *totals;
	uint64_t said[FSCK_INVARIANTS], told[FSCK_INVARIANTS];
	int64_t latest_s; /* the time of the last commit */
	/* Only for a pass that repairs: */
	struct fsck_list held; /* of the current repair */
	struct fsck_list lost; /* of documents to forget */
	uint64_t repaired; /* in this pass */
	/* when fsck_mend began; -1: the repair need not change a row */
	int64_t rows_changed;
};

/* fsck_release(fsck): drop what is held. */
void fsck_release(struct fsck *);

/* A document that cannot stay as it is.  At the end of the pass, a store that
 * repairs keeps only the URL of the document, or removes the document if the
 * URL is wrong, too (is_gone). */
struct fsck_loss {
	int64_t document_id;
	bool is_gone;
};

/* fsck_say(fsck, at, loss, format, ...): Report a finding; its text is the
 * format, at->what is ignored.  A store that repairs holds it if
 * at->is_repaired, until fsck_mended, and drops it otherwise; it keeps what
 * tells of a loss until fsck_forget.  A loss of NULL is none. */
void fsck_say(struct fsck *, const struct fsck_finding *at,
    const struct fsck_loss *, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Changes of a repair lie between fsck_mend and fsck_mended.  fsck_mended rolls
 * them back if they met damage, and drops what is held; else it tells what is
 * held, and returns true.  fsck_held_end(fsck, is_done) does only the last
 * part, for a repair outside of a transaction. */
void fsck_mend(struct fsck *);
bool fsck_mended(struct fsck *);
void fsck_held_end(struct fsck *, bool is_done);

/* fsck_fix(fsck, sql, id, value): if fsck repairs, run a statement with the
 * parameters ?1 and ?2 between fsck_mend and fsck_mended. */
void fsck_fix(struct fsck *, const char *sql, int64_t id, int64_t value);

/* fsck_forget(fsck): forget lost documents, each as one repair. */
void fsck_forget(struct fsck *);

/* fsck_forgive(store): clear a failure by damage, which concerned one statement
 * only. */
void fsck_forgive(struct store *);

/* fsck_ended(fsck, table): Call this function after the last row of a
 * statement.  It reports a page of the table that could not be read, and clears
 * the failure, so that the other checks go on.  Returns false if nothing can be
 * read any more. */
bool fsck_ended(struct fsck *, const char *table);

/* fsck_next(fsck, stmt, table, id): Step to the first row whose id, its first
 * column, is greater than *id, and store that id.  Returns false at the end,
 * and if a damaged tree would lead back. */
bool fsck_next(
    struct fsck *, struct sqlite3_stmt *, const char *table, int64_t *id);

/* The checks, in their order; fsck_mend_file repairs J1 before all other
 * checks, and outside of a transaction. */
void fsck_mend_file(struct fsck *);
void fsck_file(struct fsck *); /* J1, J2, J16: the file, its tables */
void fsck_segments(struct fsck *); /* J4, J5, J8, J9, J10, J14, J15 */
void fsck_deltas(struct fsck *); /* J4, J5, J8, J15 */
void fsck_rules(struct fsck *); /* fsck_rules.def: J2, J3, J5 to J18 */
/* J19: does each site list what its documents list?  The check is skipped if
 * anything else was found. */
void fsck_sites(struct fsck *);

#endif
