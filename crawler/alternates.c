/*
 * Pairs of hashes: 64 bits of a URL are enough to say that one was seen,
 * since what they decide is a remark.
 */
#include "crawler/alternates.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/wire.h"
#include "store/reading.h"

static_assert(ALTERNATES_MAX * ALTERNATE_BYTES <= CONTENT_MAX_ALTERNATES,
    "all of them find room in a content");

#define TEXT_MAX                                                    \
	(16u << 20) /* of URLs, for findings; beyond it they are "" \
		     */

struct page {
	uint64_t hash;
	size_t at; /* in urls; SIZE_MAX: not kept */
	size_t len;
};

struct link {
	uint64_t page;
	uint64_t alternate;
	uint32_t line;
	bool is_judged; /* the alternate is a page of this document */
	bool is_broken; /* and does not link back */
};

struct alternates {
	struct buf urls;
	struct page *pages; /* owned */
	size_t page_count;
	size_t page_cap;
	struct link *links; /* owned */
	size_t link_count;
	size_t link_cap;
	bool is_over;
};

struct alternates *
alternates_new(void)
{
	struct alternates *alternates = mem_zero(sizeof(*alternates));

	buf_init(&alternates->urls, TEXT_MAX);
	return alternates;
}

void
alternates_free(struct alternates *alternates)
{
	if (alternates == NULL)
		return;
	buf_release(&alternates->urls);
	free(alternates->pages);
	free(alternates->links);
	free(alternates);
}

void
alternates_page(struct alternates *alternates, struct slice url)
{
	struct page page = {
	    .hash = hash_key(url, 0), .at = SIZE_MAX, .len = url.len};
	size_t at = alternates->urls.len;

	if (alternates->page_count == ALTERNATES_MAX)
		alternates->is_over = true;
	if (alternates->is_over)
		return;
	if (buf_put_slice(&alternates->urls, url))
		page.at = at;
	alternates->pages = mem_grow(alternates->pages, &alternates->page_cap,
	    alternates->page_count + 1, sizeof(*alternates->pages));
	alternates->pages[alternates->page_count++] = page;
}

void
alternates_link(struct alternates *alternates, struct slice url, uint32_t line)
{
	if (alternates->link_count == ALTERNATES_MAX)
		alternates->is_over = true;
	if (alternates->is_over)
		return;
	alternates->links = mem_grow(alternates->links, &alternates->link_cap,
	    alternates->link_count + 1, sizeof(*alternates->links));
	alternates->links[alternates->link_count++] = (struct link){
	    .page = alternates->pages[alternates->page_count - 1].hash,
	    .alternate = hash_key(url, 0),
	    .line = line & ~ALTERNATE_JUDGED};
}

static int
order_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int
by_hash(const void *a, const void *b)
{
	const struct page *x = a;
	const struct page *y = b;

	return order_numbers(x->hash, y->hash);
}

static int
by_pair(const void *a, const void *b)
{
	const struct link *x = a;
	const struct link *y = b;
	int order = order_numbers(x->page, y->page);

	return order != 0 ? order : order_numbers(x->alternate, y->alternate);
}

static int
by_line(const void *a, const void *b)
{
	const struct link *x = a;
	const struct link *y = b;

	return x->line != y->line ? order_numbers(x->line, y->line)
				  : by_pair(a, b);
}

static const struct page *
find_page(const struct alternates *alternates, uint64_t hash)
{
	struct page key = {.hash = hash};

	return bsearch(&key, alternates->pages, alternates->page_count,
	    sizeof(key), by_hash);
}

static bool
has_link(const struct alternates *alternates, uint64_t from, uint64_t to)
{
	struct link key = {.page = from, .alternate = to};

	return bsearch(&key, alternates->links, alternates->link_count,
		   sizeof(key), by_pair) != NULL;
}

static void
judge(struct alternates *alternates, struct link *link)
{
	bool is_self = link->page == link->alternate;

	link->is_judged = is_self ||
	    find_page(alternates, link->alternate) != NULL;
	link->is_broken = link->is_judged && !is_self &&
	    !has_link(alternates, link->alternate, link->page);
}

static void
put_link(struct buf *out, const struct link *link)
{
	uint32_t judged = link->is_judged ? ALTERNATE_JUDGED : 0;

	wire_put_u64(out, link->page);
	wire_put_u64(out, link->alternate);
	wire_put_u32(out, link->line | judged);
}

static void
tell(const struct alternates *alternates, const struct link *link,
    struct findings *findings)
{
	const struct page *page = find_page(alternates, link->alternate);
	struct slice url = slice_of(NULL);

	if (page->at != SIZE_MAX)
		url = slice_make(alternates->urls.p + page->at, page->len);
	findings_add(findings, DIAG_HREFLANG_NO_RETURN, link->line, url);
}

void
alternates_judge(
    struct alternates *alternates, struct findings *findings, struct buf *links)
{
	struct link *first = alternates->links;
	size_t count = alternates->link_count;
	size_t broken = 0;

	if (alternates->is_over)
		wire_put_u8(links, 0);
	if (alternates->is_over || count == 0)
		return;
	qsort(alternates->pages, alternates->page_count,
	    sizeof(*alternates->pages), by_hash);
	qsort(first, count, sizeof(*first), by_pair);
	for (size_t i = 0; i < count; i++) {
		judge(alternates, &first[i]);
		put_link(links, &first[i]);
		broken += first[i].is_broken;
	}
	if (broken == 0)
		return;
	/* In the order of the document, so that samples are its first. */
	qsort(first, count, sizeof(*first), by_line);
	for (size_t i = 0; i < count; i++)
		if (first[i].is_broken)
			tell(alternates, &first[i], findings);
}
