/*
 * Which pages, or which sitemaps, are wanted: by patterns of robots.txt, by
 * date, and by depth.
 *
 * What matches one of the rules of `include` and `below`, or any URL if there
 * are none, is wanted unless a rule of another kind refuses it.
 */
#ifndef FRESHET_PAGE_FILTER_H
#define FRESHET_PAGE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct buf;
struct date;

/* The kinds of rules, as keys of settings.  Those from FILTER_SITEMAPS on are
 * about sitemaps, and the others about pages. */
enum page_filter_key {
	FILTER_BELOW, /* a path: what is at it or below it is included */
	FILTER_INCLUDE, /* a pattern */
	FILTER_EXCLUDE,
	FILTER_NEWER, /* a date, or a time back from now such as 30d */
	FILTER_DEPTH, /* folders of a page, indexes above a sitemap: at most */
	FILTER_PURPOSE, /* robots.txt must not refuse it (base/purposes.h) */
	FILTER_SITEMAPS,
	FILTER_SITEMAP_INCLUDE = FILTER_SITEMAPS,
	FILTER_SITEMAP_EXCLUDE,
	FILTER_SITEMAP_NEWER,
	FILTER_SITEMAP_DEPTH
};
#define FILTER_KEYS (FILTER_SITEMAP_DEPTH + 1)

/* All rules of one source together: each page is compared with them. */
#define FILTER_MAX_BYTES 65536

extern const char *const page_filter_keys[FILTER_KEYS];

/* page_filter_check(text): is it KEY=VALUE, with a value of the form that the
 * key wants?  A pattern begins with '/' or '*', '*' in it stands for any text
 * and '$' at its end for the end of the URL, and not every URL matches it.
 * page_filter_key(text): the key of such a text, or FILTER_KEYS. */
bool page_filter_check(const char *text);
enum page_filter_key page_filter_key(const char *text);

struct page_filter_rule {
	enum page_filter_key key;
	const char *value; /* owned */
	bool is_weak;
};

struct page_filter;

/* Texts that page_filter_check() accepts; borrowed. */
struct page_filter_texts {
	const char *const *items;
	size_t count;
};

/* page_filter_new(strong, weak, of_sitemaps): a filter of those rules that are
 * about sitemaps, or about pages; NULL if there are none.  A weak rule counts
 * if no strong one has its key, of which below and include are one. */
struct page_filter *page_filter_new(struct page_filter_texts strong,
    struct page_filter_texts weak, bool of_sitemaps);
void page_filter_free(struct page_filter *);

/* page_filter_put(filter, out): append what tells it apart from all others. */
void page_filter_put(const struct page_filter *, struct buf *out);

struct page_filter_subject {
	struct slice url; /* normalised */
	const struct date *lastmod; /* NULL: none */
	/* counts in place of a date; 0: not known, and counts as new */
	int64_t first_seen_s;
	unsigned indexes; /* above a sitemap */
	int64_t now_s;
};

/* page_filter_refuses(filter, subject): the rule that leaves it out, borrowed
 * from the filter; NULL: it is wanted.  A filter NULL wants everything.  A URL
 * that is too expensive to match (base/robots.h) is wanted.
 * page_filter_wants(filter, url, lastmod, first_seen_s, now_s): is there no
 * such rule for a page?  With no date and a time of 0 its URL alone decides. */
const struct page_filter_rule *page_filter_refuses(
    const struct page_filter *, const struct page_filter_subject *);
bool page_filter_wants(const struct page_filter *, struct slice url,
    const struct date *lastmod, int64_t first_seen_s, int64_t now_s);

/* page_filter_purposes(filter): the purposes of its rules, as
 * robots_page_verdict() takes them: what robots.txt says of a URL is not known
 * here, so these rules refuse nothing above. */
unsigned page_filter_purposes(const struct page_filter *);

#endif
