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
}

void
loc_range_release(struct loc_range *range)
{
	buf_release(&range->low);
	buf_release(&range->high);
}

void
loc_range_clear(struct loc_range *range)
{
	buf_clear(&range->low);
	buf_clear(&range->high);
	range->has_high = false;
}

void
loc_range_narrow(
    struct loc_range *range, enum loc_bound bound, struct slice text)
{
	const char *wild = bound == LOC_LIKE ? "%_" : "*?[";
	struct slice prefix = text;
	struct buf low = BUF_UP_TO(PATTERN_MAX_BYTES);
	struct buf high = BUF_UP_TO(PATTERN_MAX_BYTES);
	bool is_whole;
	int slashes = 0;

	/* The part of a pattern before the first wild character. */
	if (bound == LOC_GLOB || bound == LOC_LIKE)
		for (prefix.len = 0; prefix.len < text.len &&
		     text.p[prefix.len] != '\0' &&
		     strchr(wild, text.p[prefix.len]) == NULL;)
			prefix.len++;
	/* The greatest URL with a prefix: no byte of a URL is above 0x7e.  A
	 * text that is too long leaves the range wider, which is allowed. */
	is_whole = buf_put_slice(&low, prefix) &&
	    buf_put_slice(&high, prefix) &&
	    (bound == LOC_MOST || buf_put_char(&high, '\x7f'));
	/* LIKE folds the case of ASCII letters, of which the capitals come
	 * first.  The scheme and host of a URL have none. */
	for (size_t i = 0; is_whole && bound == LOC_LIKE && i < low.len; i++) {
		slashes += low.p[i] == '/';
		high.p[i] = ascii_lower(low.p[i]);
		low.p[i] = slashes < 3 || high.p[i] < 'a' || high.p[i] > 'z'
		    ? high.p[i]
		    : (char)(high.p[i] - 'a' + 'A');
	}
	if (is_whole && bound != LOC_MOST &&
	    slice_order(buf_text(&low), buf_text(&range->low)) > 0) {
		buf_clear(&range->low);
		(void)buf_put_slice(&range->low, buf_text(&low));
	}
	if (is_whole && bound != LOC_LEAST &&
	    (!range->has_high ||
		slice_order(buf_text(&high), buf_text(&range->high)) < 0)) {
		buf_clear(&range->high);
		(void)buf_put_slice(&range->high, buf_text(&high));
		range->has_high = true;
	}
	buf_release(&low);
	buf_release(&high);
}

bool
loc_range_has(const struct loc_range *range, struct slice url)
{
	return slice_order(url, buf_text(&range->low)) >= 0 &&
	    (!range->has_high || slice_order(url, buf_text(&range->high)) <= 0);
}
