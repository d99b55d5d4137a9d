/* Documents of a site whose names differ in digits only: a family, whose
 * members share what they begin with, and the times that names speak of. */
#ifndef FRESHET_FAMILIES_H
#define FRESHET_FAMILIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/names.h"
#include "base/slice.h"

struct families {
	struct names
	    names; /* owned: "SITE NAME" with each run of digits as # */
};

/* families_init(families, key): key is the hash's, see names_init. */
void families_init(struct families *, uint64_t key);
void families_release(struct families *);

/* families_put(families, site, name): the number of the family of that name
 * at that site: 0, 1, 2, ... in order of appearance.  Of names longer than
 * 2,048 bytes the first 2,048 count. */
uint32_t families_put(struct families *, uint32_t site, struct slice name);

/* What a name says about when its document was made. */
struct stamp {
	int64_t begin_s; /* UTC */
	int64_t span_s; /* an hour, a day, a month or a year */
};

/*
 * stamp_parse(stamp, name): the finest date in the name, of the years 1990 to
 * 2099: 2026-11-21 with - _ / . or nothing between, an hour after it with a
 * separator, T or nothing, or without day, or a year alone.  False, and
 * nothing written, when there is none.
 */
bool stamp_parse(struct stamp *, struct slice name);

#endif
