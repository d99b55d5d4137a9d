/*
 * Whether the hreflang links of a site are returned, across its documents
 * (SPEC R-112).
 *
 *	return_links_add     once for each reading
 *	return_links_see     then once for each URL that the site lists
 */
#ifndef FRESHET_RETURN_LINKS_H
#define FRESHET_RETURN_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct return_links;

/* Called from return_links_see: a link on that line of that document names
 * url, which is listed and does not link back: HREFLANG_NO_RETURN. */
typedef void return_links_fn(
    void *arg, uint32_t document, uint32_t line, struct slice url);

/* return_links_new(hash_key, broken, arg): nothing known; the key is that of
 * read_checks. */
struct return_links *return_links_new(
    uint64_t hash_key, return_links_fn *broken, void *arg);
void return_links_free(struct return_links *);

/*
 * return_links_add(links, document, alternates): content.alternates of the
 * document with this number; empty is fine.  The bytes are believed in
 * nothing.  What cannot be judged, because a document had too many links or
 * all of them are over RETURN_LINKS_MAX, silences the rest.
 */
void return_links_add(
    struct return_links *, uint32_t document, struct slice alternates);

/* return_links_can_judge(links): false: nothing will be said. */
bool return_links_can_judge(const struct return_links *);

/* return_links_see(links, url): normalised; in any order, repeats are fine. */
void return_links_see(struct return_links *, struct slice url);

/* 32 bytes each: 128 MB. */
#define RETURN_LINKS_MAX 4000000

#endif
