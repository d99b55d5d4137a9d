/*
 * Sites that are set aside: a bug ended the program twice in a row while it
 * worked at the site (at_work.h).  The host is held for ASIDE_S, so that no
 * crawl and no page of it can end the program again, and other sites go on.
 * `hold HOST --for 0` ends the hold.
 */
#ifndef FRESHET_ASIDE_H
#define FRESHET_ASIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

struct store;

#define ASIDE_TIMES 2 /* aborts */
#define ASIDE_S (30 * 86400)

/* aside_begin(store, path, now_s, why): Call this function when the store at
 * `path` is open for writing.  It reads the mark that the previous process
 * left, sets sites aside, appends to `why` what the mark says, if there is one,
 * and lets this process leave marks, until at_work_begin(NULL, NULL). */
void aside_begin(
    struct store *, const char *path, int64_t now_s, struct buf *why);

/* aside_until(store, site_id, now_s): until when a site is set aside, 0: it is
 * not, or there is no such site. */
int64_t aside_until(struct store *, int64_t site_id, int64_t now_s);

/* aside_over(store, host): the site is not set aside any more; durable with the
 * next store_flush. */
void aside_over(struct store *, struct slice host);

/* aside_text(out, host, until_s): append why the site is set aside, and which
 * command ends that. */
void aside_text(struct buf *out, struct slice host, int64_t until_s);

/* aside_each(store, now_s, fn, arg): each site that is set aside; fn may use
 * the store. */
typedef void aside_fn(void *arg, struct slice host, int64_t until_s);
void aside_each(struct store *, int64_t now_s, aside_fn *, void *arg);

#endif
