/*
 * Rivals: two nodes of the rate limiter that have one limit, whose things are
 * asked for by different people.  While the limit allows one request only, what
 * is worth less gives way to what is worth more, for two seconds at most:
 * whoever asks for it may be busy, or gone.
 */
#ifndef FRESHET_LIMITER_RIVALS_H
#define FRESHET_LIMITER_RIVALS_H

#include <stdint.h>

struct node;
struct limiter;

/* Of things of two sides each may be the better; but where both wait the second
 * side has at most every other request. */
enum { FAIR_FIRST, FAIR_SECOND, FAIR_SIDES };

/* limiter_pair(rate limiter, first, second): nodes of one limit, whose
 * parents are rivals too, or the same node. */
void limiter_pair(struct limiter *, uint32_t first, uint32_t second);

/* Private to the rate limiter: somebody asks for what waits at the node or
 * below it; a request was made for something of the node; until when it gives
 * way to its rival, now or earlier: it does not; the clock was put back. */
void fair_asked(struct limiter *, const struct node *);
void fair_sent(struct limiter *, const struct node *);
int64_t fair_yield_ms(struct limiter *, const struct node *);
void fair_rewind(struct limiter *, int64_t now_ms);

#endif
