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
#include <string.h>

#include "base/mem.h"
#include "base/url.h"

#define SITES_MOST 100000 /* in a list; a batch has 1,000 */

static void
place_release(struct feed_place *place)
{
	free(place->url);
	*place = (struct feed_place){0};
}

void
feed_cursor_release(struct feed_cursor *cursor)
{
	place_release(&cursor->robots);
	place_release(&cursor->joining_at);
	place_release(&cursor->leaving_at);
	free(cursor->reading_url);
	free(cursor->joining.ids);
	free(cursor->leaving.ids);
	free(cursor->joined.ids);
	free(cursor->left.ids);
	*cursor = (struct feed_cursor){0};
}

void
feed_place_set(struct feed_place *place, int64_t site_id, struct slice url)
{
	char *copy = url.len > 0 ? slice_dup(url) : NULL;

	free(place->url);
	*place = (struct feed_place){site_id, copy};
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

static void
put_sites(struct buf *out, const struct feed_sites *sites)
{
	for (size_t i = 0; i < sites->count; i++) {
		size_t last = i;

		while (last + 1 < sites->count &&
		    sites->ids[last + 1] == sites->ids[last] + 1)
			last++;
		(void)buf_print(
		    out, "%s%" PRId64, i > 0 ? "," : "", sites->ids[i]);
		if (last > i)
			(void)buf_print(out, "-%" PRId64, sites->ids[last]);
		i = last;
	}
}

void
feed_cursor_print(const struct feed_cursor *cursor, struct buf *out)
{
	const char *urls[] = {cursor->reading_url, cursor->robots.url,
	    cursor->joining_at.url, cursor->leaving_at.url};

	(void)buf_print(out,
	    "f2.%" PRId64 ".%d.%" PRId64 ".%" PRId64 ".%" PRId64 ".%" PRId64
	    ".%" PRId64 ".%" PRId64 ".%" PRId64 ".",
	    cursor->serial, cursor->is_reset, cursor->reading_id,
	    cursor->outcome_id, cursor->robots_id, cursor->unknown_id,
	    cursor->robots.site_id, cursor->joining_at.site_id,
	    cursor->leaving_at.site_id);
	put_sites(out, &cursor->joining);
	(void)buf_put_char(out, '.');
	put_sites(out, &cursor->leaving);
	(void)buf_put_char(out, '.');
	put_sites(out, &cursor->joined);
	(void)buf_put_char(out, '.');
	put_sites(out, &cursor->left);
	for (size_t i = 0; i < 4; i++)
		(void)buf_print(out, ".%zu", slice_of(urls[i]).len);
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

static bool
take_char(struct slice *text, char c)
{
	if (text->len == 0 || text->p[0] != c)
		return false;
	*text = slice_from(*text, 1);
	return true;
}

#define ID_MOST (INT64_MAX >> 16) /* as in the store */

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
		if (take_char(text, '-') && !take_number(text, ID_MOST, &last))
			return false;
		if (first <= before || last < first ||
		    last - first >= SITES_MOST ||
		    sites->count + (size_t)(last - first) >= SITES_MOST)
			return false;
		for (int64_t id = first; id <= last; id++)
			feed_sites_add(sites, id);
		before = last;
	} while (take_char(text, ','));
	return true;
}

static bool
take_url(struct slice *text, int64_t len, char **url)
{
	struct slice part = slice_make(text->p, (size_t)len);

	if ((uint64_t)len > text->len)
		return false;
	for (size_t i = 0; i < part.len; i++)
		if (part.p[i] <= ' ' || part.p[i] > '~')
			return false;
	if (len > 0)
		*url = slice_dup(part);
	*text = slice_from(*text, part.len);
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
			!take_char(&text, '.')))
			return false;
	cursor->is_reset = reset != 0;
	if (!take_sites(&text, &cursor->joining) || !take_char(&text, '.') ||
	    !take_sites(&text, &cursor->leaving) || !take_char(&text, '.') ||
	    !take_sites(&text, &cursor->joined) || !take_char(&text, '.') ||
	    !take_sites(&text, &cursor->left))
		return false;
	for (size_t i = 0; i < 4; i++)
		if (!take_char(&text, '.') ||
		    !take_number(&text, URL_MAX_BYTES, &lens[i]))
			return false;
	if (!take_char(&text, '~'))
		return false;
	for (size_t i = 0; i < 4; i++)
		if (!take_url(&text, lens[i], urls[i]))
			return false;
	return text.len == 0;
}
