/*
 * A sorter takes entries in the order of the document, and returns them in the
 * order of their URLs, one for each URL (SPEC R-51: of repeats the newer
 * usable date wins, the first ordinal stays, extensions are united).
 */
#ifndef FRESHET_SORTER_H
#define FRESHET_SORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/segment/entry.h"
#include "store/segment/finding.h"

struct sorter;

struct sorter_options {
	size_t max_bytes; /* of memory for entries before a run is spilled */
	int scratch_fd; /* read-write, empty, borrowed; -1: none */
	int64_t now_s; /* for the usability of dates */
};

/* sorter_new(options): an empty sorter.  Without a scratch file its memory
 * grows beyond max_bytes. */
struct sorter *sorter_new(const struct sorter_options *);
void sorter_free(struct sorter *);

/* sorter_add(sorter, entry): Add an entry; the sorter copies its URL.  Returns
 * false if the scratch file cannot be written: the reading has then failed. */
bool sorter_add(struct sorter *, const struct entry *);

/* sorter_finish(sorter): sort; sorter_add may not be called any more.  Returns
 * false if the scratch file cannot be written or read. */
bool sorter_finish(struct sorter *);

/* sorter_next(sorter, entry): Read the next entry in ascending order; its URL
 * is valid until the next call.  Returns false at the end, which may come
 * early: see sorter_end(). */
bool sorter_next(struct sorter *, struct entry *);

/* A URL that is listed again, with the ordinals of two of its entries. */
struct sorter_repeat {
	char *url; /* owned by the sorter */
	uint32_t first, again;
};

/* sorter_end(sorter): what is known after the end; borrowed. */
struct sorter_end {
	bool is_failed; /* the scratch file could not be written or read */
	uint64_t repeats; /* accepted entries that repeated another's URL */
	/* the first of these URLs, each of them once */
	struct sorter_repeat samples[FINDING_SAMPLES];
	size_t sample_count;
};
const struct sorter_end *sorter_end(struct sorter *);

#endif
