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

/* scratch_crawl_done(crawler): the callback `done` of the crawl's options.
 * scratch_crawl_run(crawler): run crawler->request, which has its targets, to
 * its end, or to a signal, which is then in crawler->stopped_by. */
void scratch_crawl_done(void *crawler);
void scratch_crawl_run(struct crawler *);

/* scratch_crawl_digest(crawler, manifest, is_whole): after a crawl of a folder,
 * add the pages that its sitemaps list, with their dates, sort them, and let
 * the readers digest the file of each page of manifest->site. Text lists and
 * feeds are passed over. *is_whole false: a signal came before the end. Returns
 * EXIT_DONE, or the exit status after one line on stderr: files could not be
 * read, or no page has one. */
int scratch_crawl_digest(struct crawler *, struct manifest *, bool *is_whole);

#endif
