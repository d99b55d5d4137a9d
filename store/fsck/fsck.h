/* Does the store keep its promises (HOSTILE section 5, J1 to J19)? */
#ifndef FRESHET_FSCK_H
#define FRESHET_FSCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/slice.h"
#include "store/store.h"

/* One invariant that does not hold; everything in it is borrowed. */
struct fsck_finding {
	unsigned invariant; /* 8 for J8 */
	bool is_repaired;
	/* the repair forgot all of the document, which is read again */
	bool is_forgotten;
	const char *table;
	int64_t id; /* of the row, 0: none */
	struct slice where; /* its URL or name, may be empty; foreign text */
	struct slice what; /* may quote foreign text */
};

typedef void fsck_fn(void *arg, const struct fsck_finding *);

struct fsck_options {
	bool repairs; /* repair what can be repaired; the store is writable */
	fsck_fn *found; /* up to FSCK_LINES for each invariant */
	void *arg;
};

#define FSCK_LINES 100

struct fsck_totals {
	uint64_t violations; /* if fsck repairs: those that it repaired */
	uint64_t repaired;
	uint64_t documents;
	uint64_t readings;
	uint64_t entries; /* of segments */
	uint64_t changes; /* of deltas */
};

/*
 * store_fsck(store, options, totals):
 * Check everything that is stored, in one snapshot; a crawl may run at the same
 * time.  Memory is bounded, time grows with the number of entries.
 *
 * To repair, the store must be open for writing; the repairs are durable at the
 * end.  Only repaired findings are reported.  Data that follow from other data
 * are computed again.  A row that refers to nothing is removed.  A document
 * that has lost data is forgotten but for its URL, so that it is read again; a
 * document whose URL is wrong is removed.  Each repair succeeds as a whole or
 * changes nothing.  A second check tells whether all is well.
 *
 * Returns DIAG_OK however much was found, or DISK_FULL if the file cannot be
 * read or written.
 */
enum diag_code store_fsck(
    struct store *, const struct fsck_options *, struct fsck_totals *);

#endif
