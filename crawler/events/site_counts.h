/*
 * How many pages of a site came, went, moved or changed: by time, document and
 * section.
 *
 * What stats, diff and the pages show of any span of time are sums of these
 * counts.
 */
#ifndef FRESHET_SITE_COUNTS_H
#define FRESHET_SITE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/names.h"
#include "base/slice.h"
#include "store/segment/entry.h"

struct section_rules;
struct site_changes;
struct store;

/* Changes are counted by kind. A page that moved counts as moved, at the time
 * when the new page appeared, and not as new, removed or gone. */
enum { STATS_MOVED = DELTA_KINDS, STATS_KINDS };

/* The changes of one kind by one reading in one section. */
struct site_count {
	int64_t at_s; /* when they happened: see delta_at_s() */
	int64_t document_id;
	uint32_t section; /* its number */
	uint32_t kind;
	uint64_t pages;
};

struct site_counts {
	struct site_count *items; /* owned; in the order of readings */
	size_t count, cap;
	struct names sections; /* by their numbers */
	/* Owned.  Has a section one page alone, as far as the counts and what
	 * the site lists tell?  Many blogs have a folder for each post: it
	 * counts in the folder above. */
	bool *are_lone;
	bool has_too_many; /* moves are unknown (store/site_changes.h) */
};

/* site_counts_gather(counts, store, site_id, from_s, sections, changes): count
 * what was read at from_s or later; `changes` has the pairs of which a change
 * was read then.  Ignored pages do not count.
 * site_counts_release(counts): zeroed is allowed. */
void site_counts_gather(struct site_counts *, struct store *, int64_t site_id,
    int64_t from_s, const struct section_rules *, const struct site_changes *);
void site_counts_release(struct site_counts *);

#endif
