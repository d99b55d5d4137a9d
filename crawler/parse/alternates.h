/* The hreflang links of one document, and whether they are returned (SPEC
 * */
#ifndef FRESHET_ALTERNATES_H
#define FRESHET_ALTERNATES_H

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

#endif
