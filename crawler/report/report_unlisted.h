/*
 * Files of a folder that is not published yet: pages and sitemaps that nothing
 * lists.
 *
 *	report_unlisted_file      for each file of the folder
 *	report_unlisted_see       for each URL that a document lists
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

#include "base/names.h"
#include "base/slice.h"
#include "base/url.h"

struct unlisted_file {
	char *path; /* owned: as the user would write it */
	char *url; /* owned, normalised */
	bool is_listed; /* of a page: a document lists it */
};

struct unlisted_files {
	struct unlisted_file *items; /* owned */
	size_t count, cap;
};

struct report_unlisted {
	struct url base;
	/* whether something lists a sitemap is not known here */
	struct unlisted_files pages, sitemaps;
	struct names keys; /* of the pages, by their numbers */
};

/* report_unlisted_init(unlisted, base, hash_key): base is the URL of the
 * folder, copied; the key is secret.  report_unlisted_release(): zeroed is
 * allowed. */
void report_unlisted_init(
    struct report_unlisted *, const struct url *base, uint64_t hash_key);
void report_unlisted_release(struct report_unlisted *);

/* report_unlisted_file(unlisted, url, path, head): a local_file_fn: add a file,
 * unless it is neither a page nor a sitemap, or is the page of a status, such
 * as 404.html. A sitemap is known by its root element in `head`, or, if its
 * name ends in ".gz", by the word sitemap in it. */
void report_unlisted_file(
    void *unlisted, struct slice url, struct slice path, struct slice head);

/* report_unlisted_see(unlisted, url): a document lists the normalised URL,
 * accepted or refused. */
void report_unlisted_see(struct report_unlisted *, struct slice url);

/* report_unlisted_path(unlisted, url): the file of a page that no document
 * lists; NULL: the URL is that of no such page. */
const char *report_unlisted_path(
    const struct report_unlisted *, struct slice url);

#endif
