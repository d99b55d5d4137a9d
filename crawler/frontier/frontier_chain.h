/* Pages of the frontier that wait for the same thing, in a row. */
#ifndef FRESHET_FRONTIER_CHAIN_H
#define FRESHET_FRONTIER_CHAIN_H

#include <stdint.h>

struct frontier;

/* The first and the last, plus one; 0: there is none. */
struct page_chain {
	uint32_t first, last;
};

/* chain_put(frontier, chain, page): behind the others.  chain_take: wherever it
 * is.  Both at once, however many there are. */
void chain_put(struct frontier *, struct page_chain *, uint32_t page);
void chain_take(struct frontier *, struct page_chain *, uint32_t page);

#endif
