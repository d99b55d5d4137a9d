/* The links of a site: sorted once, then asked by URL. */
#include "crawler/parse/return_links.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/wire.h"
#include "crawler/parse/alternates.h"

struct site_link {
	uint64_t page;
	uint64_t alternate;
	uint32_t line;
	uint32_t document;
	bool is_told;
};

struct return_links {
	uint64_t hash_key;
	return_links_fn *broken;
	void *arg;
	struct site_link *links; /* owned; broken ones only, once sorted */
	size_t count;
	size_t cap;
	bool is_sorted;
	bool is_over;
};

struct return_links *
return_links_new(uint64_t hash_key, return_links_fn *broken, void *arg)
{
	struct return_links *links = mem_zero(sizeof(*links));

	links->hash_key = hash_key;
	links->broken = broken;
	links->arg = arg;
	return links;
}

void
return_links_free(struct return_links *links)
{
	if (links == NULL)
		return;
	free(links->links);
	free(links);
}

void
return_links_add(
    struct return_links *links, uint32_t document, struct slice alternates)
{
	size_t more = alternates.len / ALTERNATE_BYTES;
	struct wire wire = wire_open(alternates);

	if (alternates.len % ALTERNATE_BYTES != 0 ||
	    more > RETURN_LINKS_MAX - links->count)
		links->is_over = true;
	if (links->is_over || more == 0)
		return;
	links->links = mem_grow(links->links, &links->cap, links->count + more,
	    sizeof(*links->links));
	for (size_t i = 0; i < more; i++) {
		struct site_link *link = &links->links[links->count++];

		link->page = wire_get_u64(&wire);
		link->alternate = wire_get_u64(&wire);
		link->line = wire_get_u32(&wire);
		link->document = document;
		link->is_told = false;
	}
}

bool
return_links_can_judge(const struct return_links *links)
{
	return !links->is_over;
}

static int
order_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int
by_pair(const void *a, const void *b)
{
	const struct site_link *x = a;
	const struct site_link *y = b;
	int order = order_numbers(x->page, y->page);

	return order != 0 ? order : order_numbers(x->alternate, y->alternate);
}

static int
by_alternate(const void *a, const void *b)
{
	const struct site_link *x = a;
	const struct site_link *y = b;
	int order = order_numbers(x->alternate, y->alternate);

	if (order == 0)
		order = order_numbers(x->document, y->document);
	return order != 0 ? order : order_numbers(x->line, y->line);
}

static bool
is_returned(const struct return_links *links, const struct site_link *link)
{
	struct site_link key = {
	    .page = link->alternate, .alternate = link->page};

	return bsearch(&key, links->links, links->count, sizeof(key),
		   by_pair) != NULL;
}

/* Keep what is not returned, by what it names. */
static void
sort(struct return_links *links)
{
	size_t kept = 0;

	links->is_sorted = true;
	if (links->count == 0)
		return;
	qsort(links->links, links->count, sizeof(*links->links), by_pair);
	/* All must stand while one is searched. */
	for (size_t i = 0; i < links->count; i++)
		links->links[i].is_told = is_returned(links, &links->links[i]);
	for (size_t i = 0; i < links->count; i++)
		if (!links->links[i].is_told)
			links->links[kept++] = links->links[i];
	links->count = kept;
	if (kept > 0)
		qsort(links->links, kept, sizeof(*links->links), by_alternate);
}

void
return_links_see(struct return_links *links, struct slice url)
{
	uint64_t hash = hash_key(url, links->hash_key);
	size_t low = 0;

	if (links->is_over)
		return;
	if (!links->is_sorted)
		sort(links);
	for (size_t high = links->count; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (links->links[middle].alternate < hash)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < links->count && links->links[low].alternate == hash;
	     low++) {
		struct site_link *link = &links->links[low];

		/* A URL that is seen again has nothing new to tell: its links
		 * are gone through once, however often it is listed. */
		if (link->is_told)
			break;
		links->broken(links->arg, link->document, link->line, url);
		link->is_told = true;
	}
}
