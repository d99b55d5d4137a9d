/*
 * Sites that are set aside: at work in two aborts in a row (at_work.h).  Their
 * hosts are held for ASIDE_S, so that nothing of them is read or handed out,
 * they are not crawled, and the others go on.  `hold HOST --for 0` ends it.
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

/*
 * aside_begin(store, path, now_s, why): the store of that path was opened to
 * write: the mark of the start before is dealt with, and from now on this one
 * leaves its own.  What the mark says is appended to why, nothing where there
 * was none.  aside_end: the store is about to be closed.
 */
void aside_begin(
    struct store *, const char *path, int64_t now_s, struct buf *why);
void aside_end(void);

/* aside_until(store, site_id, now_s): until when it is set aside, 0: it is
 * not.  aside_host_until: the same of the site with that host. */
int64_t aside_until(struct store *, int64_t site_id, int64_t now_s);
int64_t aside_host_until(struct store *, struct slice host, int64_t now_s);

/* aside_over(store, host): no longer.  In the open transaction. */
void aside_over(struct store *, struct slice host);

/* aside_text(out, host, until_s): why that is so, and what ends it. */
void aside_text(struct buf *out, struct slice host, int64_t until_s);

/* aside_each(store, now_s, fn, arg): those that are; fn may use the store. */
typedef void aside_fn(void *arg, struct slice host, int64_t until_s);
void aside_each(struct store *, int64_t now_s, aside_fn *, void *arg);

#endif
