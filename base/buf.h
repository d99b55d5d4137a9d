/* A growing run of bytes with a ceiling. */
#ifndef FRESHET_BUF_H
#define FRESHET_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "slice.h"

struct buf {
	char *p; /* owned; NULL while cap is 0 */
	size_t len;
	size_t cap;
	size_t max; /* the ceiling: len never exceeds it; 0: there is none */
	bool is_cut; /* wire.h sets it: a value did not fit */
};

/* buf_init(buf, max_bytes): empty; the buf never holds more than max_bytes.
 * `struct buf text = BUF_UP_TO(max_bytes);` does the same. A zeroed buf is
 * empty, too, and has no ceiling. */
void buf_init(struct buf *, size_t max_bytes);
#define BUF_UP_TO(max_bytes) ((struct buf){.max = (max_bytes)})

/* buf_release(buf): free the bytes; the ceiling stays. */
void buf_release(struct buf *);

/* buf_clear(buf): drop the bytes and is_cut, keep the memory. */
void buf_clear(struct buf *);

/* buf_reserve(buf, more): make room for `more` further bytes. buf_put,
 * buf_put_slice, buf_put_char, buf_print, buf_vprint: append. All return false
 * and change nothing if the result would pass the ceiling, or if the text is
 * longer than INT_MAX, which vsnprintf cannot count. */
static inline bool buf_reserve(struct buf *, size_t more);
static inline bool buf_put(struct buf *, const void *p, size_t n);
static inline bool buf_put_slice(struct buf *, struct slice);
bool buf_put_char(struct buf *, char c);
bool buf_print(struct buf *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool buf_vprint(struct buf *, const char *format, va_list)
    __attribute__((format(printf, 2, 0)));

/* buf_text(buf): the bytes, borrowed until the next change. */
struct slice buf_text(const struct buf *);

/* buf_str(buf): the bytes with a NUL behind them, which is not counted. */
const char *buf_str(struct buf *);

/* buf_take(buf): the bytes as an owned NUL-terminated string; empties buf. */
char *buf_take(struct buf *);

/* buf_grow(buf, more): what buf_reserve() does when the memory is used up. */
bool buf_grow(struct buf *, size_t more);

static inline bool
buf_reserve(struct buf *buf, size_t more)
{
	/* One byte more is left for the NUL of buf_str. */
	return more < buf->cap - buf->len || buf_grow(buf, more);
}

static inline bool
buf_put(struct buf *buf, const void *p, size_t n)
{
	if (!buf_reserve(buf, n))
		return false;
	if (n > 0)
		memcpy(buf->p + buf->len, p, n);
	buf->len += n;
	return true;
}

static inline bool
buf_put_slice(struct buf *buf, struct slice slice)
{
	return buf_put(buf, slice.p, slice.len);
}

#endif
