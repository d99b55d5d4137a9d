/* Merging a new set of entries into the previous segment of a document. */
#ifndef FRESHET_MERGE_H
#define FRESHET_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "store/segment/block.h"
#include "store/segment/sorter.h"

/* What is held is decided about so long after it was first absent (SPEC 15.16):
 * the next reading of a daily crawl decides. */
#define HELD_S (22 * INT64_C(3600))

struct merge_options {
	int64_t now_s; /* the time of the reading */
	bool is_complete; /* an absent entry was removed (SPEC R-120) */
	/* Too many entries are absent at once: hold them, remove none. */
	bool is_held;
	/* Since when an entry is absent that this reading is the first to lack;
	 * 0: since now_s. */
	int64_t absent_s;
	/* This reading does not decide about missed entries, or about held
	 * ones, that were first absent at that time or later; 0: it decides
	 * about all. */
	int64_t missed_open_s, held_open_s;
	/* There is no previous segment: the entries are not new, they were
	 * there before the first reading, and there is no delta. */
	bool is_first;
	/* The previous segment does not hold refused entries: do not report the
	 * refused entries of this reading as added. */
	bool is_baseline;
	/* The document is a feed: what it lacks has left it. */
	bool is_feed;
	unsigned window; /* counts.window of the reading before */
	/* of the segment: BLOCK_BARE, BLOCK_HURRY */
	bool is_bare, is_in_a_hurry;
	block_pull_fn *previous; /* the previous segment's blocks */
	void *previous_arg;
	block_fn *segment; /* receives the new segment's blocks */
	void *segment_arg;
	block_fn *delta; /* receives the delta's blocks */
	void *delta_arg;
};

struct merge_counts {
	uint64_t entries; /* of the new segment, with missed = 0 */
	uint64_t refused; /* of these: with a verdict that refuses them */
	/* the same, by verdict; [ACCEPTED] is 0 */
	uint64_t refused_by[VERDICTS];
	uint64_t missed; /* of the new segment, with missed = 1 */
	uint64_t held; /* of entries: those that are held */
	int64_t held_since_s; /* when the first of these was first absent */
	/* For the guard against mass drops.  Entries of feeds and news entries
	 * do not count there: they come and go. */
	uint64_t lasting; /* listed before; not held and still absent */
	uint64_t lacking; /* of these: absent now */
	uint64_t coming; /* listed now, and not before */
	/* Missed before, and no such entries: this reading leaves them open. */
	uint64_t undecided;
	/* when the first gone entry, of those that were held if any was, was
	 * first absent */
	int64_t gone_since_s;
	uint64_t changes[DELTA_KINDS]; /* of the delta */
	uint64_t dated; /* accepted entries with a lastmod */
	uint64_t regressed; /* accepted entries whose date became older */
	unsigned window; /* enum window, or a number of readings below it */
	/* usable lastmod (SPEC R-31) of all entries, DATE_NONE: none */
	struct date newest;
	/* that were emitted; 0 after a failure */
	uint32_t segment_blocks;
	uint32_t delta_blocks;
};

/*
 * merge_run(options, sorter, counts):
 * Merge the entries of a finished sorter into the previous segment.  A NULL
 * sorter has no entries: with is_complete, all entries are then absent.
 *
 * An entry in both sets keeps its first_seen_s and ordinal.  If date_differs,
 * redated_s becomes now_s, else it stays.  The newer spelling of the date is
 * stored.  The change is the first of these that applies: RETURNED (missed
 * before); REFUSED or ACCEPTED (one of the two verdicts refuses, whatever the
 * dates); REDATED. Another verdict that refuses, too, is no change.
 *
 * An entry in the previous segment only stays as it is if the reading is not
 * complete.  Of a complete reading, an entry that was missed or held already
 * is GONE and dropped, unless the reading does not decide about it; any other
 * is REMOVED and kept with missed = 1, or, in a held merge, held instead unless
 * it is news.
 *
 * An entry of a feed, or with news data, is LEFT and dropped as soon as a
 * reading lacks it; but if the reading lists nothing at all, it is REMOVED.
 * Absent again, it is LEFT, and so is any entry of a document that was a window
 * in the reading before.
 *
 * Returns DIAG_OK, DIAG_STORE_DAMAGED (the previous segment cannot be decoded)
 * or DIAG_READER_KILLED (scratch failed).  After a failure the caller drops the
 * blocks that it got.
 */
enum diag_code merge_run(
    const struct merge_options *, struct sorter *, struct merge_counts *);

/* merge_unchanged(options, counts): Merge a reading that found the document
 * unchanged, after a complete one (SPEC 15.2, 15.3): entries with missed = 1
 * that it decides about become GONE, or LEFT, and are dropped; all others stay
 * as they are, and so does the window. */
enum diag_code merge_unchanged(
    const struct merge_options *, struct merge_counts *);

/* merge_is_drop(counts, percent): Does a complete reading lack so much that it
 * must be merged again, held?  Of 10 or more lasting entries, more than
 * `percent` are lacking; of fewer, all entries.  What the reading brings
 * replaces what it lacks, if that is at least half as much, and if no more than
 * `percent` are lost.  With 100 percent the answer is always no, and so it is
 * of a window. */
bool merge_is_drop(const struct merge_counts *, unsigned percent);

/* merge_leaves(entry, is_feed, window): does the entry only leave a window, if
 * it is absent for the second time from a document that had this window? */
bool merge_leaves(const struct entry *, bool is_feed, unsigned window);

/* merge_count(counts, entry, now_s): add an entry of a new segment to entries,
 * refused, refused_by, missed, dated and newest. */
void merge_count(struct merge_counts *, const struct entry *, int64_t now_s);

/* merge_refused_by(counts): the verdict of most refused entries;
 * VERDICT_ACCEPTED if none is refused. */
enum verdict merge_refused_by(const struct merge_counts *);

#endif
