/* hreflang links that are not returned, in one document and in a whole site,
 * and alternates that a site does not list. */
#include "crawler/parse/return_links.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/idmap.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/url.h"
#include "store/segment/reading.h"

/* Bits of the line of a link in content.alternates: its text follows, as u32
 * length and bytes; it names the host of its page, and its document does not
 * list it. */
#define HAS_TEXT (1u << 30)
#define IS_NEAR (1u << 31)
#define LINE_MAX (HAS_TEXT - 1)

/* Bytes of the texts in content.alternates, with their lengths. */
#define LINK_TEXT_MAX (256u << 10)

static_assert(
    ALTERNATES_MAX * ALTERNATE_BYTES + LINK_TEXT_MAX <= CONTENT_MAX_ALTERNATES,
    "a content has room for all links");

void
alternates_page(struct alternates *alternates, struct slice url)
{
	struct linked_page page = {.hash = hash_key(url, alternates->hash_key),
	    .at = SIZE_MAX,
	    .len = url.len};
	size_t at = alternates->urls.len;

	if (alternates->page_count == ALTERNATES_MAX)
		alternates->is_over = true;
	if (alternates->is_over)
		return;
	if (buf_put_slice(&alternates->urls, url))
		page.at = at;
	*MEM_PUSH(alternates->pages, alternates->page_count,
	    alternates->page_cap) = page;
}

void
alternates_link(struct alternates *alternates, struct slice url, uint32_t line,
    bool is_near)
{
	size_t at = alternates->near.len;

	if (alternates->link_count == ALTERNATES_MAX)
		alternates->is_over = true;
	if (alternates->is_over)
		return;
	*MEM_PUSH(alternates->links, alternates->link_count,
	    alternates->link_cap) = (struct hreflang){
	    .page = alternates->pages[alternates->page_count - 1].hash,
	    .alternate = hash_key(url, alternates->hash_key),
	    .line = line,
	    .is_near = is_near,
	    .at = is_near && buf_put_slice(&alternates->near, url) ? at
								   : SIZE_MAX,
	    .len = url.len};
}

/* set_has(set, hash, is_put): is the hash in the set?  With is_put, it is from
 * now on. The links are not sorted instead, because qsort() asks the system how
 * much memory there is, and a reader must not. */
static bool
set_has(struct idmap *set, uint64_t hash, bool is_put)
{
	int64_t id = hash == 0 ? 1 : (int64_t)hash; /* no map has 0 */
	bool has = idmap_get(set, id) != IDMAP_NONE;

	if (is_put && !has)
		idmap_put(set, id, 1);
	return has;
}

/* A link as one number, which nobody who does not know the key can foresee. */
static uint64_t
pair_hash(uint64_t page, uint64_t alternate, uint64_t key)
{
	const uint64_t pair[2] = {page, alternate};

	return hash_key(slice_make((const char *)pair, sizeof(pair)), key);
}

/* Append a link. A near alternate that the document does not list has its text,
 * once for all links to it, while there is room. */
static void
return_links_put_link(struct buf *out, const struct alternates *alternates,
    const struct hreflang *link, struct idmap *written, size_t *room)
{
	uint32_t line = link->line < LINE_MAX ? link->line : LINE_MAX;
	bool has_text = link->is_near && link->at != SIZE_MAX &&
	    link->len + sizeof(uint32_t) <= *room &&
	    !set_has(written, link->alternate, true);

	wire_put_fixed(out, 8, link->page);
	wire_put_fixed(out, 8, link->alternate);
	wire_put_fixed(out, 4,
	    line | (link->is_near ? IS_NEAR : 0) | (has_text ? HAS_TEXT : 0));
	if (!has_text)
		return;
	wire_put_slice(
	    out, slice_make(alternates->near.p + link->at, link->len));
	*room -= link->len + sizeof(uint32_t);
}

void
alternates_judge(
    struct alternates *alternates, struct findings *findings, struct buf *links)
{
	unsigned broken = 0;
	size_t room = LINK_TEXT_MAX;

	if (alternates->is_over && links != NULL)
		wire_put_fixed(links, 1, 0);
	if (alternates->is_over || alternates->link_count == 0)
		return;
	struct idmap pages = {0}, pairs = {0}, written = {0};

	for (size_t i = 0; i < alternates->page_count; i++)
		(void)set_has(&pages, alternates->pages[i].hash, true);
	for (size_t i = 0; i < alternates->link_count; i++) {
		const struct hreflang *link = &alternates->links[i];

		(void)set_has(&pairs,
		    pair_hash(
			link->page, link->alternate, alternates->hash_key),
		    true);
	}
	for (size_t i = 0; i < alternates->link_count; i++) {
		struct hreflang *link = &alternates->links[i];
		bool is_here = set_has(&pages, link->alternate, false);
		struct slice url = slice_of(NULL);

		link->is_near = link->is_near && !is_here;
		if (links != NULL)
			return_links_put_link(
			    links, alternates, link, &written, &room);
		if (!is_here ||
		    set_has(&pairs,
			pair_hash(
			    link->alternate, link->page, alternates->hash_key),
			false))
			continue;
		/* Findings keep the text of the first FINDING_SAMPLES only: the
		 * URL of the page, if there was room for it. */
		if (broken++ < FINDING_SAMPLES) {
			const struct linked_page *page = alternates->pages;

			while (page->hash != link->alternate)
				page++;
			if (page->at != SIZE_MAX)
				url = slice_make(
				    alternates->urls.p + page->at, page->len);
		}
		findings_add(
		    findings, DIAG_HREFLANG_NO_RETURN, link->line, url);
	}
	free(pages.slots);
	free(pairs.slots);
	free(written.slots);
}

void
return_links_add(
    struct return_links *links, uint32_t document, struct slice alternates)
{
	struct wire wire = {alternates, true};

	while (!links->is_over && wire.in.len > 0) {
		struct site_link link = {
		    .document = document, .text = UINT32_MAX};
		uint32_t line, at = (uint32_t)links->texts.len;

		/* in this order, which one initialiser would not promise */
		link.page = wire_get_fixed(&wire, 8);
		link.alternate = wire_get_fixed(&wire, 8);
		line = (uint32_t)wire_get_fixed(&wire, 4);
		link.line = line & LINE_MAX;
		link.is_near = (line & IS_NEAR) != 0;
		if ((line & HAS_TEXT) != 0) {
			struct slice text = wire_get_slice(&wire);

			if (links->texts.len + sizeof(uint32_t) + text.len <=
			    RETURN_TEXT_MAX) {
				wire_put_slice(&links->texts, text);
				link.text = at;
			}
		}
		links->is_over = !wire.ok || links->count == RETURN_LINKS_MAX;
		if (links->is_over)
			return;
		*MEM_PUSH(links->links, links->count, links->cap) = link;
	}
}

/* by_alternate: the links to one page stand together, in the order of documents
 * and lines. */
static const struct sort_key by_alternate[] = {
    {SORT_KEY(struct site_link, alternate)},
    {SORT_KEY(struct site_link, document)}, {SORT_KEY(struct site_link, line)},
    {0}};

/* return_links_sort(links): keep only links that are not returned, ordered by
 * the page they name. */
static void
return_links_sort(struct return_links *links)
{
	size_t kept = 0;

	links->is_sorted = true;
	if (links->count == 0)
		return;
	struct idmap pairs = {0};
	uint64_t key = 0;

	/* The readers know links->hash_key, and nothing of theirs is trusted.
	 */
	(void)!getrandom(&key, sizeof(key), 0);
	for (size_t i = 0; i < links->count; i++)
		(void)set_has(&pairs,
		    pair_hash(
			links->links[i].page, links->links[i].alternate, key),
		    true);
	for (size_t i = 0; i < links->count; i++)
		if (!set_has(&pairs,
			pair_hash(links->links[i].alternate,
			    links->links[i].page, key),
			false))
			links->links[kept++] = links->links[i];
	free(pairs.slots);
	links->count = kept;
	/* Main sorts these, and may ask the system how much memory there is. */
	sort_rows(links->links, kept, sizeof(*links->links), by_alternate);
}

void
return_links_see(struct return_links *links, struct slice url)
{
	uint64_t hash = hash_key(url, links->hash_key);
	size_t low = 0;

	if (links->is_over)
		return;
	if (!links->is_sorted)
		return_links_sort(links);
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

		/* The links to a URL are reported when it is seen for the first
		 * time: the loop runs once, however often the URL is listed. */
		if (link->is_done)
			break;
		links->broken(links->arg, link->document, link->line, url);
		link->is_done = true;
	}
}

void
return_links_unlisted(struct return_links *links, return_links_fn *unlisted)
{
	size_t to;

	if (links->is_over)
		return;
	if (!links->is_sorted)
		return_links_sort(links);
	/* Near alternates that were not seen: first those with a text, because
	 * a report keeps the first ones as examples, then those without. */
	for (int pass = 0; pass < 2; pass++)
		for (size_t from = 0; from < links->count; from = to) {
			const struct site_link *first = &links->links[from];
			const struct site_link *near = NULL;
			struct slice text = slice_of(NULL);

			for (to = from; to < links->count &&
			     links->links[to].alternate == first->alternate;
			     to++) {
				const struct site_link *link = &links
								    ->links[to];

				if (near == NULL && link->is_near)
					near = link;
				/* One link to an alternate brings its URL. */
				if (text.p == NULL &&
				    link->text != UINT32_MAX) {
					struct wire wire = {
					    slice_from(buf_text(&links->texts),
						link->text),
					    true};

					text = wire_get_slice(&wire);
				}
			}
			if (near != NULL && !first->is_done &&
			    (text.len > 0) == (pass == 0))
				unlisted(links->arg, near->document, near->line,
				    text);
		}
}

/* The alternates of a document as text. */

void
alternate_list_init(struct alternate_list *list, struct buf *out)
{
	*list = (struct alternate_list){.out = out};
	buf_init(&list->last, URL_MAX_BYTES);
	wire_put_fixed(out, 1, false);
}

void
alternate_list_add(struct alternate_list *list, uint32_t ordinal,
    struct slice language, struct slice url)
{
	struct slice last = buf_text(&list->last);
	size_t start = 0;

	while (start < last.len && start < url.len &&
	    last.p[start] == url.p[start])
		start++;
	/* The bytes that the ends share, not counting the first `start` bytes
	 * of each. */
	size_t end = 0;

	while (end < last.len - start && end < url.len - start &&
	    last.p[last.len - end - 1] == url.p[url.len - end - 1])
		end++;
	struct buf *out = list->out;
	size_t mark = out->len;

	if (out->is_cut)
		return;
	if (language.len > ALTERNATE_LANGUAGE_MAX ||
	    !slice_is_graphic(language))
		language = slice_of("");
	wire_put_varint(out, ordinal - list->ordinal);
	wire_put_fixed(out, 1, (uint8_t)language.len);
	if (!buf_put_slice(out, language))
		out->is_cut = true;
	wire_put_varint(out, start);
	wire_put_varint(out, end);
	wire_put_varint(out, url.len - start - end);
	if (out->is_cut ||
	    !buf_put(out, url.p + start, url.len - start - end)) {
		out->is_cut = true;
		out->len = mark;
		out->p[0] = true;
		return;
	}
	list->ordinal = ordinal;
	buf_clear(&list->last);
	/* There is room: no normalised URL is longer than URL_MAX_BYTES. */
	(void)buf_put_slice(&list->last, url);
}

void
alternate_walk_init(struct alternate_walk *walk, struct slice bytes)
{
	*walk = (struct alternate_walk){.wire = {bytes, true}};
	buf_init(&walk->url, URL_MAX_BYTES);
	if (bytes.len > 0)
		walk->is_cut = wire_get_fixed(&walk->wire, 1) != 0;
}

bool
alternate_walk_next(struct alternate_walk *walk, struct alternate *alternate)
{
	struct wire *wire = &walk->wire;
	struct buf *url = &walk->url;
	uint64_t step, start, end;
	struct slice own;
	size_t len = url->len;

	if (wire->in.len == 0)
		return false;
	step = wire_get_varint(wire);
	alternate->language = wire_get_bytes(
	    wire, (uint8_t)wire_get_fixed(wire, 1));
	start = wire_get_varint(wire);
	end = wire_get_varint(wire);
	own = wire_get_bytes(wire, wire_get_varint(wire));
	/* The bytes are hostile: none that alternate_list_add() does not write
	 * may go on. */
	if (!wire->ok || step > UINT32_MAX - walk->ordinal ||
	    alternate->language.len > ALTERNATE_LANGUAGE_MAX ||
	    !slice_is_graphic(alternate->language) || start > len ||
	    end > len - start || !slice_is_graphic(own) ||
	    !buf_reserve(url, own.len)) {
		wire->in.len = 0;
		return false;
	}
	/* The URL is the start of the last one, own bytes, and the end of the
	 * last one. */
	if (end > 0)
		memmove(url->p + start + own.len, url->p + len - end, end);
	if (own.len > 0)
		memcpy(url->p + start, own.p, own.len);
	url->len = (size_t)(start + own.len + end);
	walk->ordinal += (uint32_t)step;
	alternate->ordinal = walk->ordinal;
	alternate->url = buf_text(url);
	return true;
}
