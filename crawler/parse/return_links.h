/*
 * Are the hreflang links of a site returned, inside a document and across its
 * documents, and are the alternates listed (SPEC R-112)?
 *
 *	alternates_page, alternates_link    for each entry of a document
 *	alternates_judge     then judges the links inside the document
 *	return_links_add     once for each reading
 *	return_links_see     then once for each URL that the site lists
 *	return_links_unlisted    then once
 */
#ifndef FRESHET_RETURN_LINKS_H
#define FRESHET_RETURN_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "base/wire.h"
#include "store/segment/finding.h"

/* Bytes of page URLs that are kept for the text of findings; the text is "" for
 * URLs that come later. */
#define ALTERNATES_TEXT_MAX (16u << 20)

struct linked_page {
	uint64_t hash;
	size_t at; /* offset into urls; SIZE_MAX: the URL was not kept */
	size_t len;
};

struct hreflang {
	uint64_t page;
	uint64_t alternate;
	uint32_t line;
	bool is_near; /* the alternate is on the host of the page */
	size_t at; /* offset into near; SIZE_MAX: the URL was not kept */
	size_t len;
};

/* A new set has its key, and two bufs with the ceiling ALTERNATES_TEXT_MAX; its
 * owner frees what it holds. */
struct alternates {
	uint64_t hash_key; /* secret; the same for all documents of a site */
	struct buf urls;
	struct buf near; /* URLs of alternates on the host of their page */
	struct linked_page *pages; /* owned */
	size_t page_count;
	size_t page_cap;
	struct hreflang *links; /* owned */
	size_t link_count;
	size_t link_cap;
	bool is_over;
};

/*
 * alternates_page(alternates, url): the document lists a page.
 * alternates_link(alternates, url, line, is_near): the page that was added last
 * names url as an alternate; is_near: it is on the host of the page. Both URLs
 * are normalised.
 */
void alternates_page(struct alternates *, struct slice url);
void alternates_link(
    struct alternates *, struct slice url, uint32_t line, bool is_near);

/* alternates_judge(alternates, findings, links): Call it after the last page.
 * HREFLANG_NO_RETURN is reported for each link to a page of the same document
 * that does not link back, with the URL of that page. All links are appended to
 * *links in the form that return_links_add takes; if there are more links or
 * pages than ALTERNATES_MAX, *links is one byte, and nothing is judged. If
 * links is NULL, they are only judged. */
void alternates_judge(
    struct alternates *, struct findings *, struct buf *links);

/* A document of 52,428,800 bytes has fewer links than this, even with the
 * shortest URLs that name a host. */
#define ALTERNATES_MAX 600000

/* The size of a link in *links without its text: page and alternate (hash_key
 * of the URLs, u64 each), line and flags (u32). */
#define ALTERNATE_BYTES 20

/* Called from return_links_see: a link on that line of that document names url,
 * which is listed and does not link back: HREFLANG_NO_RETURN.
 * Called from return_links_unlisted: it names url, which is not listed:
 * HREFLANG_NOT_LISTED. The url is empty if there was no room for it. */
typedef void return_links_fn(
    void *arg, uint32_t document, uint32_t line, struct slice url);

/* Bytes of URLs of alternates that are kept, of all documents. */
#define RETURN_TEXT_MAX (8u << 20)

struct site_link {
	uint64_t page;
	uint64_t alternate;
	uint32_t line;
	uint32_t document;
	uint32_t text; /* offset into texts; UINT32_MAX: there is none */
	bool is_done;
	bool is_near;
};

/* A new one has its key, broken and arg, and texts with the ceiling
 * RETURN_TEXT_MAX; its owner frees what it holds. */
struct return_links {
	uint64_t hash_key; /* that of struct read_checks */
	return_links_fn *broken;
	void *arg;
	/* owned; once they are sorted, those that are not returned */
	struct site_link *links;
	size_t count;
	size_t cap;
	struct buf texts; /* URLs of alternates, each with its length */
	bool is_sorted;
	/* there were too many links, and none will be reported */
	bool is_over;
};

/* return_links_add(links, document, alternates): add content.alternates of the
 * document with this number; it may be empty. The bytes are not trusted. If a
 * document had too many links to be judged, or all together exceed
 * RETURN_LINKS_MAX, no link is judged. */
void return_links_add(
    struct return_links *, uint32_t document, struct slice alternates);

/* return_links_see(links, url): the site lists url, which is normalised. URLs
 * come in any order and may repeat. */
void return_links_see(struct return_links *, struct slice url);

/* return_links_unlisted(links, unlisted): call unlisted with the arg of `links`
 * once for each alternate on the host of a page that no URL passed to
 * return_links_see is; those without a URL come last. */
void return_links_unlisted(struct return_links *, return_links_fn *unlisted);

/* A link takes 32 bytes: 128 MB. */
#define RETURN_LINKS_MAX 4000000

/*
 * The alternates of the entries of a document as text, in the bytes of
 * content.alternates: for callers that want the links themselves. (The links
 * of alternates_judge() there are hashes.) Most alternates differ from the
 * one before in a few letters, so only those are written:
 *
 *	u8 is_cut, then for each link: varint ordinal of its entry minus that of
 *	the link before | u8 length, language | varint bytes shared with the
 *	beginning, and varint with the end, of the URL before | varint length,
 *	own bytes
 */

/* Longer values of hreflang are left out; codes of BCP 47 are shorter. */
#define ALTERNATE_LANGUAGE_MAX 35

struct alternate_list {
	struct buf *out; /* borrowed */
	struct buf last; /* the URL of the last link */
	uint32_t ordinal; /* of its entry */
};

/* alternate_list_init(list, out): begin a list at the start of out, which is
 * empty and has a ceiling. Whoever began it releases list->last. */
void alternate_list_init(struct alternate_list *, struct buf *out);

/* alternate_list_add(list, ordinal, language, url): append a link of the entry
 * with that ordinal; ordinals never decrease from call to call. A language that
 * is no printable ASCII or longer than ALTERNATE_LANGUAGE_MAX becomes ""; url
 * is normalised. If there is no room for a link, that link and all later ones
 * are left out, and the list contains a mark for alternate_walk.is_cut. */
void alternate_list_add(struct alternate_list *, uint32_t ordinal,
    struct slice language, struct slice url);

struct alternate {
	uint32_t ordinal; /* of the entry in the document, from 0 */
	struct slice language; /* printable ASCII, or empty; borrowed */
	struct slice url; /* printable ASCII; borrowed until the next call */
};

struct alternate_walk {
	struct wire wire;
	struct buf url;
	uint32_t ordinal;
	bool is_cut; /* there were more links */
};

/*
 * alternate_walk_init(walk, bytes): begin to read a list; the bytes are
 * borrowed, and hostile; the caller releases walk->url.
 * alternate_walk_next(walk, alternate): false: the list is over, or goes on
 * with bytes that no alternate_list_add writes.
 */
void alternate_walk_init(struct alternate_walk *, struct slice bytes);
bool alternate_walk_next(struct alternate_walk *, struct alternate *);

#endif
