/*
 * Entries in the order of the document in, in the order of their URLs out,
 * one for each URL (SPEC R-51: of repeats the newer usable date wins, the
 * first ordinal stays, extensions are united).
 */
#ifndef FRESHET_SORTER_H
#define FRESHET_SORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/segment/entry.h"

struct sorter;

struct sorter_options {
	size_t max_bytes; /* of memory for entries before a run is spilled */
	int scratch_fd; /* read-write, empty, borrowed; -1: none */
	int64_t now_s; /* for the usability of dates */
};

/* sorter_new(options): empty.  Without a scratch file memory grows instead. */
struct sorter *sorter_new(const struct sorter_options *);
void sorter_free(struct sorter *);

/*
 * sorter_add(sorter, entry): copies the URL.  Returns false when the scratch
 * file cannot be written: the reading has then failed.
 */
bool sorter_add(struct sorter *, const struct entry *);

/* sorter_finish(sorter): no more entries; false as above. */
bool sorter_finish(struct sorter *);

/*
 * sorter_next(sorter, entry): the next in ascending order, its URL valid
 * until the next call; false at the end.  sorter_failed tells whether the
 * end came early because scratch could not be read.
 */
bool sorter_next(struct sorter *, struct entry *);
bool sorter_failed(const struct sorter *);

/* sorter_repeats(sorter): how many accepted entries repeated another, after
 * the end. */
uint64_t sorter_repeats(const struct sorter *);

/* sorter_repeated(sorter, i): the URLs of such entries, the first
 * FINDING_SAMPLES of them, each once; NULL behind the last. */
const char *sorter_repeated(const struct sorter *, size_t i);

#endif
