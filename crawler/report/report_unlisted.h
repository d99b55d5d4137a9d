/*
 * Files of a folder that is not published yet: pages, and sitemaps and feeds,
 * that nothing lists. "%26" and "&" in a URL are one file.
 *
 *	report_unlisted_file      for each file of the folder
 *	report_unlisted_find      for each URL that a document lists
 *	report_unlisted.pages     then says which pages nothing lists
 *
 * A page is a file whose name ends in ".html" or ".htm". "/a", "/a/", "/a.html"
 * and "/a/index.html" are one page, and its origin and query do not matter.
 */
#ifndef FRESHET_REPORT_UNLISTED_H
#define FRESHET_REPORT_UNLISTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/names.h"
#include "base/slice.h"
#include "base/url.h"

struct unlisted_file {
	char *path; /* owned: as the user would write it */
	char *url; /* owned, normalised */
	bool is_listed; /* of a page: a document lists it */
	bool is_index; /* of a sitemap */
	bool is_unsure; /* of a gzipped sitemap: its name does not say it */
	bool is_found; /* read though nothing names it */
	/* of a feed: the lower, the more of the site it lists, and the better
	 * are its dates */
	uint32_t rank;
};

struct unlisted_files {
	struct unlisted_file *items; /* owned */
	size_t count, cap;
};

struct report_unlisted {
	struct url base; /* owned: the URL of the folder */
	const struct local *local; /* borrowed: answers for all files */
	size_t most; /* pages; further ones are passed over */
	/* whether something lists a sitemap is not known here */
	struct unlisted_files pages, sitemaps, feeds;
	struct names no_pages; /* the URLs of sitemaps and feeds */
	struct names
	    keys; /* of the pages, by their numbers; with a secret key */
	struct names documents; /* paths of all .xml files, with that key */
	struct buf key; /* of one page; the caller gives it a ceiling */
};

/* report_unlisted_init(unlisted, base, local, key): copies the URL of the
 * folder, and borrows local; key is a secret one. */
void report_unlisted_init(struct report_unlisted *, const struct url *base,
    const struct local *local, uint64_t key);

/* report_unlisted_release(unlisted): zeroed is allowed. */
void report_unlisted_release(struct report_unlisted *);

/* report_unlisted_file(unlisted, url, path, head): a local_file_fn: add a file,
 * unless it is neither a page nor a sitemap nor a feed, or is for machines: the
 * page of a status, such as 404.html, of an application without network
 * (offline.html) or without a server (200.html), or one that proves to a search
 * engine who owns the site, or lies in a folder with a name like _astro, or is
 * a further page of a list (/page/2). A sitemap or feed is known by its root
 * element in `head`, or, if it is gzipped, by the end ".xml.gz" of its name;
 * without the word sitemap in its URL it may be anything. */
void report_unlisted_file(
    void *unlisted, struct slice url, struct slice path, struct slice head);

/* report_unlisted_find(unlisted, url): the file of the page with that
 * normalised URL, borrowed; NULL: it is that of no page of the folder. Who has
 * a document that lists the URL, accepted or refused, sets is_listed. */
struct unlisted_file *report_unlisted_find(
    struct report_unlisted *, struct slice url);

/* report_status_name(name): is the last segment of a path, without ".html",
 * that of the page which a server sends with an error: 404, 50x, _error? */
bool report_status_name(struct slice name);

/* report_unlisted_next(unlisted): the next document to read if nothing names
 * one: indexes, if there are none the sitemaps, else one feed; NULL: there are
 * no more. It is found from then on. */
struct unlisted_file *report_unlisted_next(struct report_unlisted *);

/* report_unlisted_is_sitemap(unlisted, url): is the file of that normalised URL
 * a sitemap or a feed? */
bool report_unlisted_is_sitemap(
    const struct report_unlisted *, struct slice url);

#endif
