/* Pages in a row: see frontier_chain.h. */
#include "crawler/frontier/frontier_chain.h"

#include "crawler/frontier/frontier_internal.h"

void
chain_put(struct frontier *frontier, struct page_chain *chain, uint32_t number)
{
	struct page_at *page = &frontier->pages[number];

	page->next = 0;
	page->before = chain->last;
	if (chain->last == 0)
		chain->first = number + 1;
	else
		frontier->pages[chain->last - 1].next = number + 1;
	chain->last = number + 1;
}

void
chain_take(struct frontier *frontier, struct page_chain *chain, uint32_t number)
{
	struct page_at *page = &frontier->pages[number];

	if (page->before == 0)
		chain->first = page->next;
	else
		frontier->pages[page->before - 1].next = page->next;
	if (page->next == 0)
		chain->last = page->before;
	else
		frontier->pages[page->next - 1].before = page->before;
	page->next = page->before = 0;
}
