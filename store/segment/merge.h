/* A new set of entries against the previous segment: segment and delta. */
#ifndef FRESHET_MERGE_H
#define FRESHET_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "store/segment/block.h"
#include "store/segment/sorter.h"

struct merge_options {
	int64_t now_s; /* the time of the reading */
	bool is_complete; /* absence counts (SPEC R-120) */
	bool is_held; /* but not that of what no reading lacked before: too
			 much is absent at once */
	bool is_first; /* there is no previous segment, and all of the new one
			  was there from the beginning: no delta */
	bool is_baseline; /* the previous segment lacks what was refused: what
			     is refused is told to nobody as new */
	bool is_in_a_hurry; /* of what is packed (block_writer_hurry) */
	block_pull_fn *previous; /* the previous segment's blocks */
	void *previous_arg;
	block_fn *segment; /* gets the new segment's blocks */
	block_fn *delta; /* gets the delta's blocks */
	void *arg; /* of both */
};

struct merge_counts {
	uint64_t entries; /* of the new segment with missed = 0 */
	uint64_t refused; /* of entries: with a verdict */
	uint64_t refused_by[VERDICTS]; /* the same, by verdict; 0 of ACCEPTED */
	uint64_t missed; /* of the new segment with missed = 1 */
	/* For the guard against mass drops; news come and go. */
	uint64_t lasting; /* of the previous segment: listed, and no news */
	uint64_t lacking; /* of these: absent, and not held before */
	uint64_t unheld; /* gone, and listed until now: they were held */
	uint64_t changes[DELTA_KINDS]; /* of the delta */
	uint64_t dated; /* of entries that are accepted: with a lastmod */
	uint64_t regressed; /* of accepted ones: re-dated to an older date */
	struct date newest; /* usable lastmod (SPEC R-31) of all entries,
			       DATE_NONE: none */
	uint32_t segment_blocks;
	uint32_t delta_blocks;
};

/*
 * merge_run(options, sorter, counts):
 * Merge the finished sorter (NULL: no entries; with is_complete that is what
 * an unchanged reading does to entries that were already missed) into the
 * previous segment.
 *
 * In new and previous: first_seen_s is kept; when date_differs, redated_s is
 * now and the change REDATED, else the previous redated_s, and the newer
 * spelling of the date is stored; accepted before and refused now: REFUSED, the
 * other way round: ACCEPTED, whatever the dates; missed before: RETURNED,
 * whatever else.  Refused by another rule than before is no change.  Only in
 * the previous: kept as it is when incomplete; when complete, REMOVED and kept
 * with missed = 1, or, missed or held already, GONE and dropped.  A held merge
 * holds what it would remove, but for news.
 *
 * Returns DIAG_OK, DIAG_STORE_DAMAGED (the previous segment cannot be
 * decoded) or DIAG_READER_KILLED (scratch failed); what went to the sinks is
 * then to be thrown away.
 */
enum diag_code merge_run(
    const struct merge_options *, struct sorter *, struct merge_counts *);

/*
 * merge_unchanged(options, counts): an unchanged reading after a complete one
 * (SPEC 15.2, 15.3): entries with missed = 1 become GONE and are dropped, all
 * others stay as they are and their dates are not touched.
 */
enum diag_code merge_unchanged(
    const struct merge_options *, struct merge_counts *);

/*
 * merge_is_drop(counts, percent): does a complete reading lack so much that it
 * should be merged again, held?  That is more than so many percent of what
 * lasts, if that is 10 entries at least, else all of it, and nothing new; 100
 * percent: never.
 */
bool merge_is_drop(const struct merge_counts *, unsigned percent);

/* merge_count(counts, entry, now_s): add an entry of a new segment to entries,
 * refused, refused_by, missed, dated and newest. */
void merge_count(struct merge_counts *, const struct entry *, int64_t now_s);

/* merge_accepted(counts): entries that are not refused.
 * merge_refused_by(counts): the verdict of most that are; VERDICT_ACCEPTED:
 * none is. */
uint64_t merge_accepted(const struct merge_counts *);
enum verdict merge_refused_by(const struct merge_counts *);

#endif
