/* The URLs that a query can match. */
#include "store/sql/loc_range.h"

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

void
loc_range_narrow(
    struct loc_range *range, enum loc_bound bound, struct slice text)
{
	const char *wild = bound == LOC_LIKE ? "%_" : "*?[";
	struct slice prefix = text;
	struct buf high = BUF_UP_TO(PATTERN_MAX_BYTES);
	bool is_whole;

	/* The part of a pattern before the first wild character. */
	if (bound == LOC_GLOB || bound == LOC_LIKE)
		for (prefix.len = 0; prefix.len < text.len &&
		     text.p[prefix.len] != '\0' &&
		     strchr(wild, text.p[prefix.len]) == NULL;)
			prefix.len++;
	if (bound == LOC_LIKE) {
		if (range->fold.len > 0)
			return;
		/* LIKE folds the case of ASCII letters.  A text that is too
		 * long leaves the range wider, which is allowed. */
		buf_clear(&range->fold);
		(void)buf_put_slice(&range->fold, prefix);
		for (size_t i = 0; i < range->fold.len; i++)
			range->fold.p[i] = ascii_lower(range->fold.p[i]);
		/* The scheme and host have no capitals in a normalised URL,
		 * unless a user name, which may have some, stands before the
		 * host.  In ASCII, lower case is greater than upper case, so
		 * the fold is the upper bound. */
		prefix = buf_text(&range->fold);
		const char *colon = memchr(prefix.p, ':', prefix.len);
		size_t len = colon == NULL ? 0 : (size_t)(colon - prefix.p) + 3;

		range->small = 0;
		if (len > 0 && len <= prefix.len &&
		    memcmp(colon, "://", 3) == 0) {
			while (len < prefix.len && prefix.p[len] != '/' &&
			    prefix.p[len] != '@')
				len++;
			if (len == prefix.len || prefix.p[len] == '/')
				range->small = len;
		}
	}
	if ((bound == LOC_LEAST || bound == LOC_GLOB) &&
	    slice_order(prefix, buf_text(&range->low)) > 0) {
		buf_clear(&range->low);
		(void)buf_put_slice(&range->low, prefix);
	}
	if (bound == LOC_LEAST)
		return;
	/* The greatest URL with a prefix: no byte of a URL is above 0x7e. */
	is_whole = buf_put_slice(&high, prefix) &&
	    (bound == LOC_MOST || buf_put_char(&high, '\x7f'));
	if (is_whole && high.len < range->high.max &&
	    (!range->has_high ||
		slice_order(buf_text(&high), buf_text(&range->high)) < 0)) {
		buf_clear(&range->high);
		(void)buf_put_slice(&range->high, buf_text(&high));
		range->has_high = true;
	}
	buf_release(&high);
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

/* The least spelling of a character of the fold that is above c, or 0. */
static char
above(const struct loc_range *range, size_t at, unsigned char c)
{
	char most = range->fold.p[at], least = most;

	if (at >= range->small && most >= 'a' && most <= 'z')
		least = (char)(most - 'a' + 'A');
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
		c = above(range, same, 0);
	/* There is no greater spelling here: a letter to the left must grow. */
	while (c == '\0' && same > 0) {
		same--;
		c = above(range, same, (unsigned char)text->p[same]);
	}
	if (c == '\0')
		return false;
	text->len = same;
	bool is_put = buf_put_char(text, c);
	for (size_t i = same + 1; i < fold.len; i++)
		is_put = is_put && buf_put_char(text, above(range, i, 0));
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
