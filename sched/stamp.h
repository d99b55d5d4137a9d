/* The date in the name of a document, such as an hourly or daily sitemap. */
#ifndef FRESHET_STAMP_H
#define FRESHET_STAMP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

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
