/*
 * Rivals: two nodes of the spacing that have one limit, whose things are asked
 * for by different people.  While the limit allows one request only, what is
 * worth less gives way to what is worth more, for two seconds at most: whoever
 * asks for it may be busy, or gone.
 */
#ifndef FRESHET_SPACING_RIVALS_H
#define FRESHET_SPACING_RIVALS_H

#include <stdint.h>

struct node;
struct spacing;

/* Of things of two sides each may be the better; but where both wait the second
 * side has at most every other request. */
enum { RIVAL_FIRST, RIVAL_SECOND, RIVALS };

/* spacing_rivals(spacing, first, second): nodes of one limit, whose parents are
 * rivals too, or the same node. */
void spacing_rivals(struct spacing *, uint32_t first, uint32_t second);

/* Private to the spacing: somebody asks for what waits at the node or below it;
 * a request was made for something of the node; until when it gives way to its
 * rival, now or earlier: it does not; the clock was put back. */
void rivals_asked(struct spacing *, const struct node *);
void rivals_sent(struct spacing *, const struct node *);
int64_t rivals_way_ms(struct spacing *, const struct node *);
void rivals_rewind(struct spacing *, int64_t now_ms);

#endif
