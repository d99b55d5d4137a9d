/* What pages say of themselves: their titles and descriptions. */
#ifndef FRESHET_PAGE_SAYS_H
#define FRESHET_PAGE_SAYS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

struct store;

#define PAGE_TITLE_BYTES 1000
#define PAGE_DESCRIPTION_BYTES 4096

/* Hostile text, but well-formed UTF-8 without NUL. */
struct page_says {
	int64_t at_s; /* when the page was read */
	char *title, *description; /* owned; NULL: it says none */
};

void page_says_release(struct page_says *);

/*
 * store_page_says_put(store, page_id, at_s, title, description):
 * Write what a page says, in place of what it said; with two empty texts it is
 * known that it was asked.  A text that is too long is cut; one that is not
 * UTF-8 is left out.  Durable with the next store_flush.
 *
 * store_page_says(store, url, says): what the page of a normalised URL says;
 * false: nobody asked it.  The caller releases it.
 */
void store_page_says_put(struct store *, int64_t page_id, int64_t at_s,
    struct slice title, struct slice description);
bool store_page_says(struct store *, struct slice url, struct page_says *);

#endif
