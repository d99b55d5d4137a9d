/* One entry of a document, and what a delta says of it. */
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

/*
 * entry.hints: low nibble changefreq (0 absent, 1 always … 7 never), high
 * nibble priority (0 absent, 1 to 11 for 0.0 to 1.0 in tenths).
 */
struct entry {
	struct slice url; /* normalised; borrowed */
	struct date lastmod;
	int64_t first_seen_s;
	int64_t redated_s; /* of its last re-dating, 0: never */
	uint32_t ordinal; /* place in the document, from 0 */
	uint16_t extensions;
	uint8_t hints;
	uint8_t missed; /* complete readings in a row that lacked it: 0 or 1 */
	uint8_t verdict; /* enum verdict, by the reading that had it last */
	bool is_held; /* the latest one lacked it, too, but it lacked so much
			 that nothing was removed (SPEC R-120); listed */
};

enum delta_kind {
	DELTA_ADDED,
	DELTA_REMOVED,
	DELTA_RETURNED,
	DELTA_REDATED,
	DELTA_GONE,
	/* it was there before, and is: with another verdict */
	DELTA_REFUSED,
	DELTA_ACCEPTED,
	DELTA_KINDS
};

/* A date in three columns of a table: _s (NULL: none), _nanos, and _form,
 * which is precision | zone << FORM_ZONE_SHIFT. */
#define FORM_ZONE_SHIFT 3

/* date_unpack(epoch_s, nanos, form): DATE_NONE when they make no date. */
struct date date_unpack(int64_t epoch_s, int64_t nanos, int64_t form);

/* delta_kind_name(kind): "added", "removed", "returned", "redated", "gone",
 * "refused", "accepted". */
const char *delta_kind_name(enum delta_kind);

struct change {
	struct slice url; /* borrowed */
	uint8_t kind; /* enum delta_kind */
	bool was_listed; /* GONE: until then, and not missed before */
	uint8_t verdict; /* after it; REMOVED, GONE: as stored */
	/* REFUSED and ACCEPTED have both, which may be the same */
	struct date before; /* REDATED, REMOVED, GONE: as stored */
	struct date after; /* ADDED, RETURNED, REDATED */
};

#endif
