/* The URLs that a query can match. */
#include "store/sql/loc_range.h"

#include <stdint.h>
#include <string.h>

#include "base/ascii.h"

#define PATTERN_MAX_BYTES (64 << 10) /* as long as a query can be */

void
loc_range_init(struct loc_range *range)
{
	*range = (struct loc_range){.has_high = false};
	buf_init(&range->low, PATTERN_MAX_BYTES);
	buf_init(&range->high, PATTERN_MAX_BYTES);
	buf_init(&range->fold, PATTERN_MAX_BYTES);
}

void
loc_range_release(struct loc_range *range)
{
	buf_release(&range->low);
	buf_release(&range->high);
	buf_release(&range->fold);
}

void
loc_range_clear(struct loc_range *range)
{
	buf_clear(&range->low);
	buf_clear(&range->high);
	buf_clear(&range->fold);
	range->has_high = false;
	range->small = 0;
}

/* A text that is too long leaves the range wider, which is allowed. */
static void
set(struct buf *to, struct slice text)
{
	buf_clear(to);
	(void)buf_put_slice(to, text);
}

void
loc_range_low(struct loc_range *range, struct slice text)
{
	if (slice_order(text, buf_text(&range->low)) > 0)
		set(&range->low, text);
}

void
loc_range_high(struct loc_range *range, struct slice text)
{
	if (text.len > range->high.max - 1 ||
	    (range->has_high && slice_order(text, buf_text(&range->high)) >= 0))
		return;
	set(&range->high, text);
	range->has_high = true;
}

/* The part of a pattern before the first wild character. */
static struct slice
prefix_of(struct slice pattern, const char *wild)
{
	size_t len = 0;

	while (len < pattern.len && pattern.p[len] != '\0' &&
	    strchr(wild, pattern.p[len]) == NULL)
		len++;
	return slice_make(pattern.p, len);
}

/* Set the upper bound to the greatest URL with a prefix. */
static void
high_of_prefix(struct loc_range *range, struct slice prefix)
{
	struct buf last;

	/* No byte of a URL is above 0x7e. */
	buf_init(&last, PATTERN_MAX_BYTES);
	if (buf_put_slice(&last, prefix) && buf_put_char(&last, '\x7f'))
		loc_range_high(range, buf_text(&last));
	buf_release(&last);
}

void
loc_range_glob(struct loc_range *range, struct slice pattern)
{
	struct slice prefix = prefix_of(pattern, "*?[");

	loc_range_low(range, prefix);
	high_of_prefix(range, prefix);
}

/* The length of the scheme and host, which have no capitals in a normalised
 * URL; 0 if a user name, which may have some, stands before the host. */
static size_t
small_part(struct slice fold)
{
	const char *colon = memchr(fold.p, ':', fold.len);
	size_t len = colon == NULL ? 0 : (size_t)(colon - fold.p) + 3;

	if (len == 0 || len > fold.len || memcmp(colon, "://", 3) != 0)
		return 0;
	while (len < fold.len && fold.p[len] != '/' && fold.p[len] != '@')
		len++;
	return len == fold.len || fold.p[len] == '/' ? len : 0;
}

/* LIKE folds the case of ASCII letters. */
void
loc_range_like(struct loc_range *range, struct slice pattern)
{
	struct slice prefix = prefix_of(pattern, "%_");

	if (range->fold.len > 0)
		return;
	set(&range->fold, prefix);
	for (size_t i = 0; i < range->fold.len; i++)
		range->fold.p[i] = ascii_lower(range->fold.p[i]);
	range->small = small_part(buf_text(&range->fold));
	/* In ASCII, lower case is greater than upper case. */
	high_of_prefix(range, buf_text(&range->fold));
}

bool
loc_range_has(const struct loc_range *range, struct slice url)
{
	if (slice_order(url, buf_text(&range->low)) < 0 ||
	    (range->has_high && slice_order(url, buf_text(&range->high)) > 0) ||
	    url.len < range->fold.len)
		return false;
	/* The fold is in lower case. */
	for (size_t i = 0; i < range->fold.len; i++)
		if (ascii_lower(url.p[i]) != range->fold.p[i])
			return false;
	return true;
}

/* The least spelling of a character of the fold. */
static char
least_at(const struct loc_range *range, size_t at)
{
	char c = range->fold.p[at];

	return at < range->small
	    ? c
	    : (c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
}

/* The least spelling of a character of the fold that is greater than c, or 0.
 */
static char
above(const struct loc_range *range, size_t at, unsigned char c)
{
	char least = least_at(range, at);
	char most = range->fold.p[at];

	if ((unsigned char)least > c)
		return least;
	return (unsigned char)most > c ? most : '\0';
}

/* Replace *text by the least string, not less than it, that begins with the
 * fold in any case; false if there is none. */
static bool
fold_next(const struct loc_range *range, struct buf *text)
{
	struct slice fold = buf_text(&range->fold);
	size_t same = 0;
	char c = '\0';

	while (same < fold.len && same < text->len &&
	    ascii_lower(text->p[same]) == fold.p[same])
		same++;
	if (same == fold.len)
		return true;
	if (same < text->len)
		c = above(range, same, (unsigned char)text->p[same]);
	else
		c = least_at(range, same);
	/* There is no greater spelling here: a letter further left must grow.
	 */
	while (c == '\0' && same > 0) {
		same--;
		c = above(range, same, (unsigned char)text->p[same]);
	}
	if (c == '\0')
		return false;
	text->len = same;
	bool is_put = buf_put_char(text, c);
	for (size_t i = same + 1; i < fold.len; i++)
		is_put = is_put && buf_put_char(text, least_at(range, i));
	return is_put;
}

bool
loc_range_next(
    const struct loc_range *range, struct slice from, struct buf *least)
{
	struct slice low = buf_text(&range->low);

	if (slice_order(from, low) < 0)
		from = low;
	if (from.p != least->p) {
		buf_clear(least);
		if (!buf_put_slice(least, from))
			return false;
	}
	least->len = from.len;
	return fold_next(range, least) &&
	    (!range->has_high ||
		slice_order(buf_text(least), buf_text(&range->high)) <= 0);
}
