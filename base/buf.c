/* A growing run of bytes with a ceiling. */
#include "base/buf.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

void
buf_init(struct buf *buf, size_t max_bytes)
{
	*buf = BUF_UP_TO(max_bytes);
}

void
buf_release(struct buf *buf)
{
	free(buf->p);
	*buf = BUF_UP_TO(buf->max);
}

void
buf_clear(struct buf *buf)
{
	buf->len = 0;
	buf->is_cut = false;
}

/* The capacity has at most one byte more than max, for the NUL of buf_str, so
 * that buf_reserve need not look at max. */
bool
buf_grow(struct buf *buf, size_t more)
{
	size_t max = buf->max == 0 ? SIZE_MAX : buf->max;
	size_t need;
	char *grown;

	if (more > max - buf->len)
		return false;
	need = buf->len + more;
	mem_limit(need, SIZE_MAX);
	if (need + 1 < buf->cap + buf->cap / 2)
		need = buf->cap + buf->cap / 2;
	if (need < 63)
		need = 63;
	if (need > max)
		need = max;
	grown = mem_resize(buf->p, need + 1);
	/* Only the mem_resize() of libfreshet can fail. */
	if (grown == NULL)
		return false;
	buf->p = grown;
	buf->cap = need + 1;
	return true;
}

bool
buf_put_char(struct buf *buf, char c)
{
	return buf_put(buf, &c, 1);
}

/* Most texts fit into the room that is there, and are printed once.  What did
 * not fit is printed again, or its beginning is taken back; vsnprintf may
 * refuse to hear of more room than it can count. */
bool
buf_vprint(struct buf *buf, const char *format, va_list args)
{
	size_t left = buf->cap - buf->len;
	size_t room = left < INT_MAX ? left : INT_MAX;
	char nowhere[1];
	va_list again;
	bool is_put;
	int n;

	va_copy(again, args);
	n = vsnprintf(
	    room == 0 ? nowhere : buf->p + buf->len, room, format, args);
	is_put = n >= 0 && buf_reserve(buf, (size_t)n);
	if (is_put && (size_t)n >= room)
		(void)vsnprintf(
		    buf->p + buf->len, (size_t)n + 1, format, again);
	va_end(again);
	if (is_put)
		buf->len += (size_t)n;
	else if (room > 0)
		buf->p[buf->len] = '\0';
	return is_put;
}

bool
buf_print(struct buf *buf, const char *format, ...)
{
	va_list args;
	bool is_put;

	va_start(args, format);
	is_put = buf_vprint(buf, format, args);
	va_end(args);
	return is_put;
}

struct slice
buf_text(const struct buf *buf)
{
	return slice_make(buf->p, buf->len);
}

const char *
buf_str(struct buf *buf)
{
	if (buf->cap == 0)
		return "";
	buf->p[buf->len] = '\0';
	return buf->p;
}

char *
buf_take(struct buf *buf)
{
	char *text = buf->cap == 0 ? mem_copy("") : buf->p;

	text[buf->len] = '\0';
	*buf = BUF_UP_TO(buf->max);
	return text;
}
