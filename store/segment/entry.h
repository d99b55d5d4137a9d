/* An entry of a document, and a change of an entry between two readings. */
#ifndef FRESHET_ENTRY_H
#define FRESHET_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/slice.h"
#include "base/verdict.h"
#include "base/w3cdate.h"

/* Bits of entry.extensions: which extension data the entry carries. */
enum entry_extension {
	EXT_IMAGE = 1,
	EXT_VIDEO = 2,
	EXT_NEWS = 4,
	EXT_HREFLANG = 8,
	EXT_OTHER = 16
};

struct entry {
	struct slice url; /* normalised; borrowed */
	struct date lastmod;
	int64_t first_seen_s;
	int64_t redated_s; /* time of the last change of lastmod, 0: none */
	/* position in the document, from 0, when the entry was first read; 0
	 * while it is absent */
	uint32_t ordinal;
	uint16_t extensions;
	/* Low nibble: changefreq (0 absent, 1 always … 7 never); high nibble:
	 * priority (0 absent, 1 to 11 for 0.0 to 1.0 in tenths). */
	uint8_t hints;
	uint8_t missed; /* the latest complete reading lacked the entry: 0, 1 */
	uint8_t verdict; /* enum verdict of the last reading with the entry */
	/* The latest reading lacked the entry, but so many others too that
	 * nothing was removed (SPEC R-120): the entry still counts as listed.
	 */
	bool is_held;
	/* Of an entry that is missed or held: when it was first absent.  A
	 * small number comes from a store of before, which did not say. */
	uint32_t absent_s;
};

enum delta_kind {
	DELTA_ADDED,
	DELTA_REMOVED,
	DELTA_RETURNED,
	DELTA_REDATED,
	DELTA_GONE,
	/* The entry is in both readings, but its verdict changed. */
	DELTA_REFUSED,
	DELTA_ACCEPTED,
	DELTA_KINDS
};

/* delta_kind_name(kind): "added", "removed", "returned", "redated", "gone",
 * "refused", "accepted". */
const char *delta_kind_name(enum delta_kind);

/* entry_is_absent(entry): did the latest complete reading lack the entry? */
static inline bool
entry_is_absent(const struct entry *entry)
{
	return entry->missed > 0 || entry->is_held;
}

/*
 * The dates that a kind does not have are DATE_NONE.  REFUSED and ACCEPTED have
 * both dates, which may be equal.
 */
struct change {
	struct slice url; /* borrowed */
	uint8_t kind; /* enum delta_kind */
	bool was_listed; /* of GONE: the entry was not missed before */
	uint8_t verdict; /* after the change; of REMOVED and GONE: as stored */
	struct date before; /* of REDATED, REMOVED and GONE: as stored */
	struct date after; /* of ADDED, RETURNED and REDATED */
};

/*
 * A date takes three columns of a table: _s (NULL: no date), _nanos, and _form,
 * which is precision | zone << FORM_ZONE_SHIFT | offset << FORM_OFFSET_SHIFT.
 */
#define FORM_ZONE_SHIFT 3
#define FORM_OFFSET_SHIFT 5

/* date_unpack(epoch_s, nanos, form): the date of three columns; DATE_NONE if
 * their values make no date. */
struct date date_unpack(int64_t epoch_s, int64_t nanos, int64_t form);

/*
 * Checks of entries and changes that come from a reader process, which hostile
 * bytes may control, or from a store, which may be damaged.  Each function
 * returns false for what no honest reader writes.
 */

/* entry_has_times(entry, latest_s): first_seen_s and redated_s lie between
 * 1970 and latest_s. */
bool entry_has_times(const struct entry *, int64_t latest_s);

/* entry_has_hints(entry): hints and extensions have values that exist. */
bool entry_has_hints(const struct entry *);

/* entry_has_date(entry): lastmod is absent or in the years 1 to 9999. */
bool entry_has_date(const struct entry *);

/* change_has_dates(change): the change has the dates of its kind, no others. */
bool change_has_dates(const struct change *);

/* change_has_verdict(change): the verdict is possible for the kind. */
bool change_has_verdict(const struct change *);

#endif
