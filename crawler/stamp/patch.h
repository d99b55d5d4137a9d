/* Writing dates into the bytes of a sitemap, all else as it is. */
#ifndef FRESHET_PATCH_H
#define FRESHET_PATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/slice.h"
#include "base/w3cdate.h"

enum patch_action { PATCH_STAYS, PATCH_SETS, PATCH_REMOVES };

/* What becomes of the lastmod of an entry. */
struct patch {
	enum patch_action action;
	struct date date; /* of PATCH_SETS */
};

/*
 * patch_dates(out, text, places, patches, count): append the document to out
 * with the dates of its entries set or removed. A lastmod that is new stands
 * behind the loc, and has the white space before it that the loc has. Places
 * come from a reader (content.lines, with has_places), and are believed only
 * where the text agrees. False: they do not fit the text, or are not those of
 * count entries.
 */
bool patch_dates(struct buf *out, struct slice text, struct slice places,
    const struct patch *, size_t count);

#endif
