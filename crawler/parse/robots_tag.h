/* Directives for indexers in the headers and elements of a page. */
#ifndef FRESHET_ROBOTS_TAG_H
#define FRESHET_ROBOTS_TAG_H

#include <stdbool.h>

#include "base/slice.h"

/*
 * robots_tag_noindex(value): does the value of one X-Robots-Tag field keep the
 * page out of every index, or out of Google's? It may begin with the name of a
 * crawler and a colon. "noindex" and "none" do, in any case.
 */
bool robots_tag_noindex(struct slice value);

/* robots_meta_noindex(name, content, is_google): the same for <meta name
 * content>; *is_google: it addresses Google only. */
bool robots_meta_noindex(
    struct slice name, struct slice content, bool *is_google);

/* link_canonical(value, target): find the first link in a Link field (RFC 8288)
 * whose rel contains "canonical"; *target is borrowed. False: there is none. */
bool link_canonical(struct slice value, struct slice *target);

/* link_rel_is(rel, word): is the word, in any case, one of the words of rel? */
bool link_rel_is(struct slice rel, const char *word);

#endif
