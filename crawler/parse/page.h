/* The facts that an HTML page states about itself for indexers. */
#ifndef FRESHET_PAGE_H
#define FRESHET_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "base/url.h"
#include "base/wall.h"

/* Only the beginning of a page is read: the facts stand there. */
#define PAGE_MAX_BYTES (512u << 10)
#define PAGE_MAX_VALUE 4096 /* of one value */
#define PAGE_MAX_TITLE 1000 /* bytes */
#define PAGE_MAX_TEXT (4u << 20) /* bytes of the main text */
#define PAGE_DIGEST_BYTES 16

/* Whom directives for indexers address. */
enum robots_name {
	ROBOTS_OTHER, /* none of those below */
	ROBOTS_ALL, /* robots */
	ROBOTS_OWN, /* the product token of the crawler */
	ROBOTS_GOOGLEBOT /* the default set follows Google's rules */
};

/* The texts are hostile and borrowed; an empty text means that there is none.
 */
struct page_facts {
	bool is_cut; /* the page is longer than what is read of it */
	struct slice noindex; /* content of the <meta name> that says noindex */
	enum robots_name noindex_name; /* of that element */
	struct slice canonical; /* href of the first <link rel=canonical> */
	/* href of the latest one that differs from the first */
	struct slice other;
	uint32_t canonicals; /* how often the canonical link changed */
	struct slice sitemap; /* href of the first <link rel=sitemap> */
	struct slice base; /* href of the first <base> */
	/* content of the first <meta http-equiv=refresh> that names a URL */
	struct slice refresh;
	struct slice generator; /* content of the first <meta name=generator> */
	struct slice gone; /* a title that says that there is no such page */
	/* PAGE_DIGEST_BYTES: the digest of the main text; empty: no text */
	struct slice text;
	bool is_empty; /* the page has nothing but white space */
	/* number for page_wall_name(): the page is a challenge; 0: it is
	 * none */
	unsigned wall;

	/* The texts below are valid UTF-8 without control characters; runs of
	 * white space are one space. */

	/* of <title>, else og:title, else the first <h1>; up to PAGE_MAX_TITLE
	 * bytes */
	struct slice title;
	/* content of <meta name=description>, else of og:description */
	struct slice description;
	struct slice language; /* lang of <html> */
	/* the directives of all <meta name> of ROBOTS_ALL and ROBOTS_OWN,
	 * joined by ", " */
	struct slice robots;
	/* number of <a href> with the URL of another page, nofollow included */
	uint32_t links;
	/* it has a form with a password, and little main text besides */
	bool is_login;
	/* of the main text, which was written to the file of the job; up to
	 * PAGE_MAX_TEXT */
	uint64_t text_bytes;
};

struct page_scan;

/* Borrowed until the scan is freed. */
struct page_options {
	const struct url *url; /* of the page; NULL: count no links */
	struct slice content_type; /* as sent; empty: none */
	struct slice agent; /* as in the scope; empty: none */
	uint64_t max_bytes; /* as in the scope; 0: PAGE_MAX_BYTES */
	bool wants_text;
};

/* page_scan_new(options): NULL: it is only asked whether a wall serves the
 * page.
 */
struct page_scan *page_scan_new(const struct page_options *);
void page_scan_free(struct page_scan *);

/* page_scan_feed(scan, bytes): false when no more bytes are wanted.  It is a
 * gunzip_out_fn, too, so the scan is a void pointer. */
bool page_scan_feed(void *scan, struct slice bytes);

/* page_scan_facts(scan): call it at the end of the page; the texts are borrowed
 * until the scan is freed. */
struct page_facts page_scan_facts(struct page_scan *);

/* page_scan_text(scan): the main text, of facts.text_bytes: valid UTF-8, a line
 * for each block, words with one space between them.  Call it after
 * page_scan_facts(); borrowed until the scan is freed. */
struct slice page_scan_text(const struct page_scan *);

/* page_wall_name(number): the name of a bot wall, static; NULL: there is no
 * such number. */
const char *page_wall_name(unsigned number);

/* With the name behind it: what a finding says of the page of a bot wall. */
#define PAGE_OF_WALL "a page of " WALL_OF_BOTS

/* page_refresh_target(content): the URL, as written, that the content of a
 * <meta http-equiv=refresh> names, read as browsers do; empty: none. Borrowed
 * from content. */
struct slice page_refresh_target(struct slice content);

/* Directives for indexers, in headers and elements. */

/* robots_name(name, agent): who has that name, in any case; agent is the
 * product token of the crawler; empty: it has none.
 *
 * robots_noindex(content): does the list of directives keep the page out of an
 * index?  "noindex" and "none" do, in any case.
 *
 * robots_tag_list(value, agent, *whose): the directives of an X-Robots-Tag
 * field, which may begin with a name and a colon; without a name they are for
 * all.
 */
enum robots_name robots_name(struct slice name, struct slice agent);
bool robots_noindex(struct slice content);
struct slice robots_tag_list(
    struct slice value, struct slice agent, enum robots_name *whose);

/* link_target(value, word, target): find the first link in a Link field (RFC
 * 8288) whose rel contains the word, such as "canonical"; *target is borrowed.
 * False: there is none. */
bool link_target(struct slice value, const char *word, struct slice *target);

/* header_part_end(text, mark): the offset of the first mark outside <targets>
 * and quotes, in the value of a field; text.len: there is none. */
size_t header_part_end(struct slice text, char mark);

/* page_put, page_get: for frames. page_get trusts nothing: it returns false for
 * bytes that make no sense. The slices are borrowed from text. */
void page_put(struct buf *out, const struct page_facts *);
bool page_get(struct slice text, struct page_facts *);

/* page_text_load(fd, facts, text): append the main text, which a reader wrote
 * to the file of its job. False: it is not there, or it is not UTF-8, or it has
 * control characters other than the newlines between blocks. */
bool page_text_load(int fd, const struct page_facts *, struct buf *text);

#endif
