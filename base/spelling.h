/*
 * The spelling of URLs: one page whose URL has another scheme or `www.`, a
 * slash at its end or none, "index.html", an extension or letter case.
 */
#ifndef FRESHET_SPELLING_H
#define FRESHET_SPELLING_H

#include <stddef.h>

struct buf;
struct slice;

/*
 * All take normalised URLs.
 *
 * spelling_key(out, url): append what all spellings have in common: the URL
 * without the scheme and `www.`, without its tail, and with its path in small
 * letters.
 * spelling_skip(url): how many bytes the scheme and `www.` have.
 * spelling_rest(url): the URL from there on; borrowed.
 * spelling_stem(url, tail): the URL up to its tail, without its query;
 * borrowed. *tail is "/", "/index.html", ".html", the like of .htm and .php, or
 * empty.
 */
void spelling_key(struct buf *out, struct slice url);
size_t spelling_skip(struct slice url);
struct slice spelling_rest(struct slice url);
struct slice spelling_stem(struct slice url, struct slice *tail);

#endif
