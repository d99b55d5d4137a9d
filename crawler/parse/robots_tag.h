/* What headers and elements of a page say to those who index it. */
#ifndef FRESHET_ROBOTS_TAG_H
#define FRESHET_ROBOTS_TAG_H

#include <stdbool.h>

#include "base/slice.h"

/*
 * robots_tag_noindex(value): the value of one X-Robots-Tag field, which may
 * begin with "name:" of a crawler: does it keep the page out of the index, of
 * everybody or of Google?  "noindex" and "none" do, in any case.
 */
bool robots_tag_noindex(struct slice value);

/* robots_meta_noindex(name, content, *is_google): the same of <meta name
 * content>; is it of Google alone? */
bool robots_meta_noindex(
    struct slice name, struct slice content, bool *is_google);

/*
 * link_canonical(value, target): the first link of one Link field (RFC 8288)
 * whose rel holds "canonical"; target is borrowed.  False: there is none.
 */
bool link_canonical(struct slice value, struct slice *target);

/* link_rel_is(rel, word): is the word, in any case, among those of rel? */
bool link_rel_is(struct slice rel, const char *word);

#endif
