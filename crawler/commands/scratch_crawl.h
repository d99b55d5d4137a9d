/* A crawl on a temporary store, for commands that keep nothing. */
#ifndef FRESHET_SCRATCH_CRAWL_H
#define FRESHET_SCRATCH_CRAWL_H

#include <stdbool.h>

#include "crawler/control/crawler.h"

struct manifest;

/* scratch_crawl_open(crawler, forkserver): crawler_open() with a new store,
 * whose files are unlinked at once: nothing is left behind, however this
 * process ends. Returns EXIT_DONE, or the exit status after one line on
 * stderr. */
int scratch_crawl_open(struct crawler *, struct forkserver *);

/* scratch_crawl_begin(crawler, options): begin crawler->request; the callback
 * `done` is that of this file.
 * scratch_crawl_run(crawler): run it, once it has its targets, to its end, or
 * to a signal, which is then in crawler->stopped_by.
 * scratch_crawl_status(crawler): crawler_status() of it.
 * scratch_crawl_say(crawler, code, url, text): one line on stderr, in the place
 * of that of the progress: the text, which may be empty if there is a code,
 * behind the URL and the code. */
void scratch_crawl_begin(struct crawler *, struct crawl_options *);
void scratch_crawl_run(struct crawler *);
int scratch_crawl_status(const struct crawler *);
void scratch_crawl_say(const struct crawler *, enum diag_code, struct slice url,
    struct slice text);

/* scratch_crawl_digest(crawler, manifest, is_whole): after a crawl of a folder,
 * add the pages that its sitemaps list, with their dates, sort them, and let
 * the readers digest the file of each page of manifest->site. Text lists and
 * feeds are passed over. *is_whole false: a signal came before the end. Returns
 * EXIT_DONE, or the exit status after one line on stderr: files could not be
 * read, or no page has one. */
int scratch_crawl_digest(struct crawler *, struct manifest *, bool *is_whole);

#endif
