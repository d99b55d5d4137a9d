/* Writing dates into the bytes of a sitemap. */
#include "crawler/stamp/patch.h"

#include <stdint.h>
#include <string.h>

#include "base/ascii.h"
#include "base/wire.h"

/* An element of an entry, as offsets into the text. */
struct patch_element {
	size_t space, tag, end; /* the white space before it, itself */
};

static const char *const opens[] = {"<loc>", "<lastmod>"};
static const char *const closes[] = {"</loc>", "</lastmod>"};

/*
 * patch_element_read(wire, text, entry, kind, element): read one element of
 * which the text agrees that it is one: white space, its start tag, a value
 * without markup, its end tag. A lastmod may lack: its end is 0 then.
 */
static bool
patch_element_read(struct wire *wire, struct slice text, uint64_t entry,
    unsigned kind, struct patch_element *element)
{
	struct slice open = slice_of(opens[kind]);
	struct slice close = slice_of(closes[kind]);
	uint64_t spots[3];
	struct slice whole;

	for (unsigned i = 0; i < 3; i++)
		spots[i] = wire_get_varint(wire);
	*element = (struct patch_element){0};
	if (!wire->ok || (kind == 0 && spots[2] == 0))
		return false;
	if (spots[2] == 0)
		return true;
	if (entry > text.len || spots[2] > text.len - entry ||
	    spots[0] > spots[1] || spots[1] > spots[2])
		return false;
	*element = (struct patch_element){(size_t)(entry + spots[0]),
	    (size_t)(entry + spots[1]), (size_t)(entry + spots[2])};
	for (size_t i = element->space; i < element->tag; i++)
		if (!ascii_is_space(text.p[i]))
			return false;
	whole = slice_make(text.p + element->tag, element->end - element->tag);
	return whole.len >= open.len + close.len && slice_starts(whole, open) &&
	    slice_ends(whole, close) &&
	    memchr(whole.p + open.len, '<', whole.len - open.len - close.len) ==
	    NULL;
}

/* patch_upto(out, text, at, to): copy what lies between, and go on there. */
static bool
patch_upto(struct buf *out, struct slice text, size_t *at, size_t to)
{
	if (to < *at || !buf_put_slice(out, slice_make(text.p + *at, to - *at)))
		return false;
	*at = to;
	return true;
}

bool
patch_dates(struct buf *out, struct slice text, struct slice places,
    const struct patch *patches, size_t count)
{
	struct wire wire = {places, true};
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t entry = wire_get_varint(&wire);
		struct patch_element loc, lastmod;

		if (!patch_element_read(&wire, text, entry, 0, &loc) ||
		    !patch_element_read(&wire, text, entry, 1, &lastmod))
			return false;
		if (patches[i].action == PATCH_STAYS ||
		    (patches[i].action == PATCH_REMOVES && lastmod.end == 0))
			continue;
		if (patches[i].action == PATCH_REMOVES) {
			if (!patch_upto(out, text, &at, lastmod.space))
				return false;
			at = lastmod.end;
			continue;
		}
		if (!patch_upto(out, text, &at,
			lastmod.end == 0 ? loc.end : lastmod.tag))
			return false;
		if (lastmod.end == 0)
			(void)buf_put_slice(out,
			    slice_make(
				text.p + loc.space, loc.tag - loc.space));
		else
			at = lastmod.end;
		(void)buf_print(out, "%s", opens[1]);
		date_print(out, &patches[i].date);
		(void)buf_print(out, "%s", closes[1]);
	}
	return wire.in.len == 0 && patch_upto(out, text, &at, text.len);
}
