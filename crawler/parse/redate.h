/*
 * Other dates in the bytes of a sitemap, all else as it is.
 *
 * Only tags are looked at, so that comments, CDATA, namespaces and extensions
 * of any kind stay: an entry is a <url> or <sitemap> of the second level, and
 * its <loc> and <lastmod> are of the third. A new lastmod stands behind the
 * loc, and has the white space before it that the loc has.
 */
#ifndef FRESHET_REDATE_H
#define FRESHET_REDATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* redate(text, dates, out, changed): append the sitemap, in UTF-8, to out.
 * `dates` has a line for each entry: its date, "-" for none, or nothing to let
 * it stay. *changed: entries that are another now. False: the dates are not
 * those of these entries, or its tags make no sense. */
bool redate(
    struct slice text, struct slice dates, struct buf *out, uint64_t *changed);

#endif
