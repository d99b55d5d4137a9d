/*
 * The last commits of the sources of pages, from git.
 *
 * The source of the page SITE/a/b.html or SITE/a/b/ is ROOT/a/b.EXT or
 * ROOT/a/b/index.EXT (README, _index) of the repository, and a post
 * _posts/2026-05-06-b.EXT is also 2026/05/06/b. Of all folders, ROOT is the one
 * with most sources.
 */
#ifndef FRESHET_GIT_DATES_H
#define FRESHET_GIT_DATES_H

#include <stdint.h>

struct manifest;

/* git_dates(manifest, key): run git log once, in the current folder, and give
 * each page that has a source there the time of its last commit; others stay.
 * `key` is secret. Returns EXIT_DONE, or EXIT_USAGE after one line on stderr:
 * there is no git, no repository, or one without its history. */
int git_dates(struct manifest *, uint64_t key);

#endif
