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

struct date;

/* The kinds of rules, as keys of settings.  Those from FILTER_SITEMAPS on are
 * about sitemaps, and the others about pages. */
enum page_filter_key {
	FILTER_BELOW, /* a path: what is at it or below it is included */
	FILTER_INCLUDE, /* a pattern */
	FILTER_EXCLUDE,
	FILTER_NEWER, /* a date, or a time back from now such as 30d */
	FILTER_DEPTH, /* folders of a page, indexes above a sitemap: at most */
	FILTER_SITEMAPS,
	FILTER_SITEMAP_INCLUDE = FILTER_SITEMAPS,
	FILTER_SITEMAP_EXCLUDE,
	FILTER_SITEMAP_NEWER,
	FILTER_SITEMAP_DEPTH
};
#define FILTER_KEYS (FILTER_SITEMAP_DEPTH + 1)

/* All patterns of one source together: each page is compared with them. */
#define FILTER_MAX_BYTES 65536

extern const char *const page_filter_keys[FILTER_KEYS];

/* page_filter_key(name): FILTER_KEYS if it is none.
 * page_filter_check(key, value): has the value the form that the key wants?  A
 * pattern begins with '/' or '*', '*' in it stands for any text and '$' at its
 * end for the end of the URL, and not every URL matches it. */
enum page_filter_key page_filter_key(struct slice name);
bool page_filter_check(enum page_filter_key, const char *value);

struct page_filter_rule {
	enum page_filter_key key;
	const char *value; /* page_filter_check() accepts it */
	const char *source; /* static: who made the rule, in words */
};

struct page_filter;

/* page_filter_new(rules, count, of_sitemaps): a filter of those rules that are
 * about sitemaps, or about pages; NULL if there are none.  Values are copied.
 */
struct page_filter *page_filter_new(
    const struct page_filter_rule *, size_t count, bool of_sitemaps);
void page_filter_free(struct page_filter *);

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
 * page_filter_passes(filter, url): the same by the URL alone, without dates. */
const struct page_filter_rule *page_filter_refuses(
    const struct page_filter *, const struct page_filter_subject *);
bool page_filter_passes(const struct page_filter *, struct slice url);

#endif
