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

#include "base/buf.h"
#include "base/slice.h"
#include "store/segment/finding.h"

struct alternates;

/* alternates_new(hash_key): of no page; nobody else's key, and the same for
 * all documents of a site. */
struct alternates *alternates_new(uint64_t hash_key);
void alternates_free(struct alternates *);

/*
 * alternates_page(alternates, url): a page that the document lists.
 * alternates_link(alternates, url, line): it names another as its alternate.
 * Both URLs are normalised.
 */
void alternates_page(struct alternates *, struct slice url);
void alternates_link(struct alternates *, struct slice url, uint32_t line);

/*
 * alternates_judge(alternates, findings, links):
 * After the last page: HREFLANG_NO_RETURN for each link to a page of the
 * same document that does not link back, with the URL of that page.  All
 * links go to *links in the form that return_links_add takes; one byte when
 * they or the pages were too many to be judged (ALTERNATES_MAX).
 */
void alternates_judge(
    struct alternates *, struct findings *, struct buf *links);

/* A document of 52,428,800 bytes holds fewer of the shortest there are that
 * name a host. */
#define ALTERNATES_MAX 600000

/* What a link takes in *links: page, alternate (hash_key of the URLs, u64
 * each), line (u32). */
#define ALTERNATE_BYTES 20

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
