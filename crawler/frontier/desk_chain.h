/* Pages of the desk that wait for the same thing, in a row. */
#ifndef FRESHET_DESK_CHAIN_H
#define FRESHET_DESK_CHAIN_H

#include <stdint.h>

struct desk;

/* The first and the last, plus one; 0: there is none. */
struct page_chain {
	uint32_t first, last;
};

/* chain_put(desk, chain, page): behind the others.  chain_take: wherever it
 * is.  Both at once, however many there are. */
void chain_put(struct desk *, struct page_chain *, uint32_t page);
void chain_take(struct desk *, struct page_chain *, uint32_t page);

#endif
