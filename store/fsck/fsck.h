/* Does the store keep its promises (HOSTILE section 5, J1 to J18)? */
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
	bool is_note; /* worth knowing, but nothing is wrong */
	bool is_repaired;
	bool is_forgotten; /* repaired so: its document is read anew */
	const char *table;
	int64_t id; /* of the row, 0: none */
	struct slice where; /* its URL or name, may be empty; foreign text */
	struct slice what; /* may quote foreign text */
};

typedef void fsck_fn(void *arg, const struct fsck_finding *);

struct fsck_options {
	bool repairs; /* what can be mended is; the store is writable */
	uint32_t reader_version; /* of the readers that made the segments */
	unsigned max_depth; /* of indexes below indexes (SPEC R-41) */
	fsck_fn *found; /* up to FSCK_LINES for each invariant */
	void *arg;
};

#define FSCK_LINES 100

struct fsck_totals {
	uint64_t violations; /* of a store that repairs: what it repaired */
	uint64_t repaired;
	uint64_t notes;
	uint64_t documents;
	uint64_t readings;
	uint64_t entries; /* of segments */
	uint64_t changes; /* of deltas */
	/*
	 * Documents with entries whose scope could be made again (a default
	 * profile without assertions, and today's proofs, have its
	 * fingerprint): every entry went through the location rules.  The
	 * others were read under switches that nobody stored, or under proofs
	 * that changed since: only the rules that hold in every profile were
	 * applied.
	 */
	uint64_t judged_exactly;
	uint64_t judged_generally;
};

/*
 * store_fsck(store, options, totals):
 * Check everything that is stored in one snapshot, beside a crawl if need be;
 * memory is bounded, time in proportion to the entries.
 *
 * A store that repairs is open for writing, and what was repaired is durable at
 * the end.  Told is what was repaired only: what follows from other data is
 * made anew; a row that leads nowhere goes; a document of which something is
 * lost is forgotten but for its URL, so that it is read anew; one whose URL is
 * none goes.  Each repair is made whole or not at all.  Whether all is well
 * then, another look says.
 * Returns DIAG_OK however much was found, or DISK_FULL when the file cannot
 * be read, or written.
 */
enum diag_code store_fsck(
    struct store *, const struct fsck_options *, struct fsck_totals *);

#endif
