/* The alternates of the entries of a document as text. */
#include "crawler/parse/alternate_list.h"

#include "base/url.h"

void
alternate_list_init(struct alternate_list *list, struct buf *out)
{
	*list = (struct alternate_list){.out = out};
	buf_init(&list->last, URL_MAX_BYTES);
	wire_put_u8(out, false);
}

void
alternate_list_release(struct alternate_list *list)
{
	buf_release(&list->last);
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
	wire_put_u8(out, (uint8_t)language.len);
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
	*walk = (struct alternate_walk){.wire = wire_open(bytes)};
	buf_init(&walk->url, URL_MAX_BYTES);
	if (bytes.len > 0)
		walk->is_cut = wire_get_u8(&walk->wire) != 0;
}

void
alternate_walk_release(struct alternate_walk *walk)
{
	buf_release(&walk->url);
}

/* alternate_list_take(wire, n): the next n bytes; wire->ok becomes false if
 * there are fewer.
 */
static struct slice
alternate_list_take(struct wire *wire, uint64_t n)
{
	struct slice taken = slice_make(wire->in.p, (size_t)n);

	if (n > wire->in.len) {
		wire->ok = false;
		return slice_of("");
	}
	wire->in = slice_from(wire->in, (size_t)n);
	return taken;
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
	alternate->language = alternate_list_take(wire, wire_get_u8(wire));
	start = wire_get_varint(wire);
	end = wire_get_varint(wire);
	own = alternate_list_take(wire, wire_get_varint(wire));
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
