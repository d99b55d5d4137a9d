/* Where something came to wait lately: see spacing.h. */
#ifndef FRESHET_LIMITER_NEWS_H
#define FRESHET_LIMITER_NEWS_H

#include <stdbool.h>
#include <stdint.h>

struct limiter;

/*
 * limiter_next_news(rate limiter, heard, node): a node where something waits
 * and nothing did, or that may have its turn earlier than was thought, since
 * *heard, which goes on: 0 at first.  LIMITER_ROOT: it may be any of them.
 * False: there is none.  Time that passes is no news.
 */
bool limiter_next_news(
    const struct limiter *, uint64_t *seen_news, uint32_t *node);

/* limiter_note(rate limiter, node): there is news of it. */
void limiter_note(struct limiter *, uint32_t node);

#endif
