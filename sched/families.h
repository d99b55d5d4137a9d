/* Families: documents of a site whose names differ in digits only.  Members
 * begin with what the family has learned.  Names may also hold dates. */
#ifndef FRESHET_FAMILIES_H
#define FRESHET_FAMILIES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/names.h"
#include "base/slice.h"

struct families {
	/* owned: "SITE NAME" with each run of digits as # */
	struct names names;
};

/* families_init(families, key): key is that of names_init. */
void families_init(struct families *, uint64_t key);
void families_release(struct families *);

/* families_put(families, site, name): the number of the family of that name
 * at that site, in order of appearance from 0.  Only the first 2,048 bytes
 * of a name count. */
uint32_t families_put(struct families *, uint32_t site, struct slice name);

/* The date in a name. */
struct stamp {
	int64_t begin_s; /* UTC */
	int64_t span_s; /* an hour, a day, a month or a year */
};

/*
 * stamp_parse(stamp, name): Read the most precise date in a name, of the years
 * 1990 to 2099.  Year, month and day may be separated by - _ / . or nothing;
 * an hour may follow after a separator, T or nothing.  Without a day, or a
 * month, the month or year is read. Returns false, and writes nothing, when
 * there is none.
 */
bool stamp_parse(struct stamp *, struct slice name);

#endif
