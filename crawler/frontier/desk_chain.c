/* Pages in a row: see desk_chain.h. */
#include "crawler/frontier/desk_chain.h"

#include "crawler/frontier/desk_internal.h"

void
chain_put(struct desk *desk, struct page_chain *chain, uint32_t number)
{
	struct page_at *page = &desk->pages[number];

	page->next = 0;
	page->before = chain->last;
	if (chain->last == 0)
		chain->first = number + 1;
	else
		desk->pages[chain->last - 1].next = number + 1;
	chain->last = number + 1;
}

void
chain_take(struct desk *desk, struct page_chain *chain, uint32_t number)
{
	struct page_at *page = &desk->pages[number];

	if (page->before == 0)
		chain->first = page->next;
	else
		desk->pages[page->before - 1].next = page->next;
	if (page->next == 0)
		chain->last = page->before;
	else
		desk->pages[page->next - 1].before = page->before;
	page->next = page->before = 0;
}
