/*
 * The cursor of a consumer of the feed.  Its text:
 *
 *	f2.SERIAL.RESET.READING.OUTCOME.ROBOTS.UNKNOWN.SITE.SITE.SITE
 *	.JOINING.LEAVING.JOINED.LEFT.N.N.N.N~
 *
 * and then the four URLs, whose lengths are the N.  Each SITE is that of a
 * place; the next four are lists of ids, such as 3-9,12.  Earlier versions
 * wrote f1 and no UNKNOWN, which is 0 then.
 */
#include "crawler/feed/feed_cursor.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/civil.h"
#include "base/mem.h"
#include "base/url.h"

#define SITES_MOST 100000 /* in a list; a batch has 1,000 */

void
feed_place_set(struct feed_place *place, int64_t site_id, struct slice url)
{
	char *copy = url.len > 0 ? slice_dup(url) : NULL;

	free(place->url);
	*place = (struct feed_place){site_id, copy};
}

void
feed_cursor_release(struct feed_cursor *cursor)
{
	free(cursor->robots.url);
	free(cursor->joining_at.url);
	free(cursor->leaving_at.url);
	free(cursor->reading_url);
	free(cursor->joining.ids);
	free(cursor->leaving.ids);
	free(cursor->joined.ids);
	free(cursor->left.ids);
	*cursor = (struct feed_cursor){0};
}

void
feed_sites_add(struct feed_sites *sites, int64_t id)
{
	size_t at = sites->count;

	sites->ids = mem_grow(
	    sites->ids, &sites->cap, sites->count + 1, sizeof(*sites->ids));
	for (; at > 0 && sites->ids[at - 1] > id; at--)
		sites->ids[at] = sites->ids[at - 1];
	sites->ids[at] = id;
	sites->count++;
}

void
feed_sites_remove(struct feed_sites *sites, int64_t id)
{
	size_t kept = 0;

	for (size_t i = 0; i < sites->count; i++)
		if (sites->ids[i] != id)
			sites->ids[kept++] = sites->ids[i];
	sites->count = kept;
}

bool
feed_sites_has(const struct feed_sites *sites, int64_t id)
{
	for (size_t i = 0; i < sites->count; i++)
		if (sites->ids[i] == id)
			return true;
	return false;
}

/* The numbers first and the URLs last, with their lengths: a URL may have any
 * printable character, and needs no escape so. */
void
feed_cursor_print(const struct feed_cursor *cursor, struct buf *out)
{
	const struct feed_sites *const lists[] = {
	    &cursor->joining, &cursor->leaving, &cursor->joined, &cursor->left};
	const char *urls[] = {cursor->reading_url, cursor->robots.url,
	    cursor->joining_at.url, cursor->leaving_at.url};

	(void)buf_print(out,
	    "f2.%" PRId64 ".%d.%" PRId64 ".%" PRId64 ".%" PRId64 ".%" PRId64
	    ".%" PRId64 ".%" PRId64 ".%" PRId64 ".",
	    cursor->serial, cursor->is_reset, cursor->reading_id,
	    cursor->outcome_id, cursor->robots_id, cursor->unknown_id,
	    cursor->robots.site_id, cursor->joining_at.site_id,
	    cursor->leaving_at.site_id);
	for (size_t i = 0; i < 4; i++) {
		const struct feed_sites *sites = lists[i];

		/* Ids that follow each other become a range: all sites of a
		 * store may join at once, and the text must stay short. */
		for (size_t k = 0, last; k < sites->count; k = last + 1) {
			last = k;
			while (last + 1 < sites->count &&
			    sites->ids[last + 1] == sites->ids[last] + 1)
				last++;
			(void)buf_print(
			    out, "%s%" PRId64, k > 0 ? "," : "", sites->ids[k]);
			if (last > k)
				(void)buf_print(
				    out, "-%" PRId64, sites->ids[last]);
		}
		(void)buf_put_char(out, '.');
	}
	for (size_t i = 0; i < 4; i++)
		(void)buf_print(
		    out, "%s%zu", i > 0 ? "." : "", slice_of(urls[i]).len);
	(void)buf_put_char(out, '~');
	for (size_t i = 0; i < 4; i++)
		(void)buf_put_slice(out, slice_of(urls[i]));
}

/* Read digits; false if there are none, or if the number is above `most`. */
static bool
take_number(struct slice *text, int64_t most, int64_t *number)
{
	size_t i = 0;

	*number = 0;
	for (; i < text->len && text->p[i] >= '0' && text->p[i] <= '9'; i++) {
		int digit = text->p[i] - '0';

		if (digit > most || *number > (most - digit) / 10)
			return false;
		*number = *number * 10 + digit;
	}
	*text = slice_from(*text, i);
	return i > 0;
}

#define ID_MOST (INT64_MAX >> 16) /* as in the store */

/* Read ids and ranges of ids, in ascending order, as they were written.  The
 * limit keeps a forged "1-999999999" from taking all memory. */
static bool
take_sites(struct slice *text, struct feed_sites *sites)
{
	int64_t first, last, before = 0;

	if (text->len > 0 && text->p[0] == '.')
		return true;
	do {
		if (!take_number(text, ID_MOST, &first))
			return false;
		last = first;
		if (scan_char(text, '-') && !take_number(text, ID_MOST, &last))
			return false;
		if (first <= before || last < first ||
		    last - first >= SITES_MOST ||
		    sites->count + (size_t)(last - first) >= SITES_MOST)
			return false;
		for (int64_t id = first; id <= last; id++)
			feed_sites_add(sites, id);
		before = last;
	} while (scan_char(text, ','));
	return true;
}

bool
feed_cursor_parse(struct feed_cursor *cursor, struct slice text)
{
	bool is_old;
	int64_t reset, lens[4];
	int64_t *const numbers[] = {&cursor->serial, &reset,
	    &cursor->reading_id, &cursor->outcome_id, &cursor->robots_id,
	    &cursor->unknown_id, &cursor->robots.site_id,
	    &cursor->joining_at.site_id, &cursor->leaving_at.site_id};
	struct feed_sites *const lists[] = {
	    &cursor->joining, &cursor->leaving, &cursor->joined, &cursor->left};
	char **const urls[] = {&cursor->reading_url, &cursor->robots.url,
	    &cursor->joining_at.url, &cursor->leaving_at.url};

	*cursor = (struct feed_cursor){0};
	is_old = slice_starts(text, slice_of("f1."));
	if (!is_old && !slice_starts(text, slice_of("f2.")))
		return false;
	text = slice_from(text, 3);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if ((!is_old || numbers[i] != &cursor->unknown_id) &&
		    (!take_number(&text, i == 1 ? 1 : ID_MOST, numbers[i]) ||
			!scan_char(&text, '.')))
			return false;
	cursor->is_reset = reset != 0;
	for (size_t i = 0; i < 4; i++)
		if (!take_sites(&text, lists[i]) || !scan_char(&text, '.'))
			return false;
	for (size_t i = 0; i < 4; i++)
		if ((i > 0 && !scan_char(&text, '.')) ||
		    !take_number(&text, URL_MAX_BYTES, &lens[i]))
			return false;
	if (!scan_char(&text, '~'))
		return false;
	/* The URLs were printable when they were written; what somebody else
	 * made of them must not reach a terminal. */
	for (size_t i = 0; i < 4; i++) {
		struct slice part = slice_make(text.p, (size_t)lens[i]);

		if (part.len > text.len)
			return false;
		for (size_t k = 0; k < part.len; k++)
			if (part.p[k] <= ' ' || part.p[k] > '~')
				return false;
		if (part.len > 0)
			*urls[i] = slice_dup(part);
		text = slice_from(text, part.len);
	}
	return text.len == 0;
}
