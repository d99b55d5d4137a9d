/* An entry of a document, and a change of an entry between two readings. */
#ifndef FRESHET_ENTRY_H
#define FRESHET_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/slice.h"
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
	/* The entry is not in the document any more, which is a window: it
	 * lists what is recent, so that nothing is known of the page. */
	DELTA_LEFT,
	/* Like ADDED, but the page had left a window of the site.  The store
	 * makes it of an ADDED (left_page.h); no reader knows that. */
	DELTA_BACK,
	DELTA_KINDS
};

/* What a kind of change makes of an entry, and how the document holds the entry
 * before and after. */
enum delta_way { DELTA_COMES, DELTA_GOES, DELTA_STAYS };
enum standing { STANDING_NONE, STANDING_MISSED, STANDING_LISTED };

/* By kind. */
extern const struct delta_row {
	/* "added", "removed", "returned", "redated", "gone", "refused",
	 * "accepted", "left", "back" */
	const char *name;
	enum delta_way way;
	enum standing before; /* see delta_before() */
	enum standing after;
} delta_rows[DELTA_KINDS];

/* delta_before(kind, was_listed): how the document holds the entry before the
 * change; was_listed as in struct change: GONE and LEFT entries may have been
 * missed. delta_at_s(kind, at_s, since_s): when a change happened that a
 * reading at at_s found: GONE and LEFT entries went when they were first
 * absent, at since_s (0: unknown). */
enum standing delta_before(unsigned kind, bool was_listed);
int64_t delta_at_s(unsigned kind, int64_t at_s, int64_t since_s);

/* elsewhere_has(bits, at): is the change at a position of the delta in a set of
 * changes (store_elsewhere)? */
bool elsewhere_has(struct slice bits, uint64_t at);

/* entry_is_absent(entry): did the latest complete reading lack the entry? */
static inline bool
entry_is_absent(const struct entry *entry)
{
	return entry->missed > 0 || entry->is_held;
}

/* The dates that a kind does not have are DATE_NONE.  REFUSED and ACCEPTED have
 * both dates, which may be equal. */
struct change {
	struct slice url; /* borrowed */
	uint8_t kind; /* enum delta_kind */
	bool was_listed; /* of GONE and LEFT: the entry was not missed before */
	/* after the change; of REMOVED, GONE and LEFT: as stored */
	uint8_t verdict;
	struct date before; /* of REDATED, REMOVED, GONE and LEFT: as stored */
	struct date after; /* of ADDED, BACK, RETURNED and REDATED */
};

/* Bits of reading.pages: which entries of the document are pages, and not
 * children of an index. */
#define TALLY_PAGES 1u /* those listed now */
#define TALLY_PAGES_BEFORE 2u /* those listed in the reading before */
#define TALLY_PAGES_GONE 4u /* those missed in the reading before */
/* The delta does not say it: all entries are pages now, and were none before,
 * or the other way round.  So it is of the first readings of a site. */
#define TALLY_WHOLE 8u

/* tally_is_of_page(pages, change): is a change by a reading with these bits
 * about a page, and not about a child of an index? */
bool tally_is_of_page(unsigned pages, const struct change *);

/* What makes a document a window (SPEC R-120), or how near it is to being one:
 * how many readings in a row lacked only its oldest entries. */
enum window {
	WINDOW_NONE,
	WINDOW_HABIT = 5, /* so many */
	WINDOW_NEWS, /* half of its entries or more have news data */
	WINDOW_FEED,
	WINDOW_KINDS
};

/* A date takes three columns of a table: _s (NULL: no date), _nanos, and _form,
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
 * returns what no honest reader writes, as bits.
 *
 * entry_odd(entry, latest_s):
 * ODD_TIMES	first_seen_s or redated_s does not lie between 1970 and latest_s
 * ODD_HINTS	hints or extensions have values that do not exist
 * ODD_DATE	lastmod is neither absent nor in the years 1 to 9999
 *
 * change_odd(change):
 * ODD_DATE	the change does not have the dates of its kind, and no others
 * ODD_VERDICT	the verdict is not possible for the kind
 */
enum { ODD_TIMES = 1, ODD_HINTS = 2, ODD_DATE = 4, ODD_VERDICT = 8 };
unsigned entry_odd(const struct entry *, int64_t latest_s);
unsigned change_odd(const struct change *);

#endif
