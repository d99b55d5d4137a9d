/*
 * Files of a folder that is not published yet: pages and sitemaps that nothing
 * lists.
 *
 *	report_unlisted_file      for each file of the folder
 *	report_unlisted_see       for each URL that a document lists
 *	report_unlisted_next      then gives the pages that nothing lists
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
#include "base/slice.h"
#include "base/url.h"

struct report_unlisted;

/* report_unlisted_new(base, hash_key): base is the URL of the folder, copied;
 * the key is secret. */
struct report_unlisted *report_unlisted_new(
    const struct url *base, uint64_t hash_key);
void report_unlisted_free(struct report_unlisted *);

/* report_unlisted_file(unlisted, url, path, head): a local_file_fn: add a file,
 * unless it is neither a page nor a sitemap, or is the page of a status, such
 * as 404.html. A sitemap is known by its root element in `head`, or, if its
 * name ends in ".gz", by the word sitemap in it. */
void report_unlisted_file(
    void *unlisted, struct slice url, struct slice path, struct slice head);

/* report_unlisted_see(unlisted, url): a document lists the normalised URL,
 * accepted or refused. */
void report_unlisted_see(struct report_unlisted *, struct slice url);

/* report_unlisted_next(unlisted, url): append the URL of the next page that is
 * not listed; false: there are no more. */
bool report_unlisted_next(struct report_unlisted *, struct buf *url);

/* report_unlisted_path(unlisted, url): the file of a page that is not listed,
 * as the user would write it; NULL: the URL is none of report_unlisted_next().
 */
const char *report_unlisted_path(
    const struct report_unlisted *, struct slice url);

/* report_unlisted_sitemap(unlisted, i, url): the file of the i-th sitemap, and
 * its normalised URL; NULL: there are no more. Whether something lists it is
 * not known here. */
const char *report_unlisted_sitemap(
    const struct report_unlisted *, size_t i, const char **url);

#endif
