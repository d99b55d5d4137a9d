/*
 * The section of a page: its first folders, or a name of the user's for some
 * paths.  Some pages are ignored: they are in no section.
 *
 * A section is computed when a page is read from the store, so that other rules
 * hold for the past, too.
 */
#ifndef FRESHET_SECTION_H
#define FRESHET_SECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

#define SECTION_MOST_DEPTH 9
#define SECTION_MOST_NAME 40 /* bytes */

/* The rules of a site; NULL, wherever it is taken: the first folder is the
 * section, and no page is ignored. */
struct section_rules;
struct buf;
struct page_filter;

/*
 * section_is_name(text): may text be the name of a section that the user names?
 * Letters, digits, '-', '_' and '.'.
 * section_is_paths(text): is text "NAME: /PATH /PATH..."?
 */
bool section_is_name(struct slice);
bool section_is_paths(const char *text);

/* section_rules_new(depth, paths, path_count, counted): `depth` folders are a
 * section, 1 to SECTION_MOST_DEPTH; the texts have the form above, and are
 * copied.  The filter is taken over: what it refuses by its URL is ignored;
 * NULL: nothing is. */
struct section_rules *section_rules_new(unsigned depth,
    const char *const *paths, size_t path_count, struct page_filter *counted);
void section_rules_free(struct section_rules *);

/* section_rules_put(rules, out): append what tells the rules apart from all
 * others. */
void section_rules_put(const struct section_rules *, struct buf *out);

/* section_of(rules, url): the section of a normalised URL: the name whose path
 * is the longest that the page is at or below, or else "/blog" or "/blog/2026";
 * "/" for a page that is in no folder.  It does not say whether the page is
 * ignored.  Borrowed from the URL or the rules.
 * section_above(section): of "/blog/2026" the folder "/blog", and of that "/";
 * empty if it is "/" or a name.  Borrowed from the section.
 * section_is_ignored(rules, url): is the page ignored?
 * section_ignores(rules): may any page be ignored? */
struct slice section_of(const struct section_rules *, struct slice url);
struct slice section_above(struct slice section);
bool section_is_ignored(const struct section_rules *, struct slice url);
bool section_ignores(const struct section_rules *);

/* section_may_be(rules, name): may a page of the site have this section? */
bool section_may_be(const struct section_rules *, struct slice name);

#endif
