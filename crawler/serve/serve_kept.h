/*
 * Pages that took long to make, to be given again for a short while: an
 * overview of 10,000 sites costs seconds of a processor, and somebody who looks
 * at sites goes back to it all the time.  Such a page says of when it is.
 */
#ifndef FRESHET_SERVE_KEPT_H
#define FRESHET_SERVE_KEPT_H

#include <stdint.h>

#include "base/slice.h"

#define SERVE_KEPT_PAGES 8 /* of them the oldest goes first */
#define SERVE_KEPT_BYTES (256 << 10) /* of a page; longer ones are not kept */
#define SERVE_KEPT_MS 60000
#define SERVE_KEPT_CPU_MS 1000 /* what takes less is made anew each time */

struct serve_kept_page {
	char *target; /* owned; NULL: none is here */
	char *body; /* owned */
	size_t len;
	int64_t made_ms;
};

/* Zeroed before its first use. */
struct serve_kept {
	struct serve_kept_page pages[SERVE_KEPT_PAGES];
};

/* serve_kept_put(kept, target, body, cpu_ms, now_ms): keep the page, which was
 * made at now_ms in cpu_ms of a processor, if it is one to keep.
 * serve_kept_get(kept, target, now_ms): its body, which is borrowed until the
 * next put; empty: it is not here. */
void serve_kept_put(struct serve_kept *, const char *target, struct slice body,
    int64_t cpu_ms, int64_t now_ms);
struct slice serve_kept_get(
    const struct serve_kept *, const char *target, int64_t now_ms);
void serve_kept_release(struct serve_kept *);

#endif
