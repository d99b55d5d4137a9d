/* Bytes that come in pieces, split into lines. */
#include "crawler/event/splitter.h"

#include <string.h>

void
splitter_init(struct splitter *splitter, size_t max_bytes)
{
	*splitter = (struct splitter){.max_bytes = max_bytes};
}

bool
splitter_put(struct splitter *splitter, struct slice bytes)
{
	struct slice rest = splitter_rest(splitter);

	if (bytes.len > splitter->max_bytes - rest.len)
		return false;
	/* Bytes are moved only when at least as many were taken before, so that
	 * each byte is moved once on average. */
	if (splitter->at > 0 && splitter->at >= rest.len) {
		if (rest.len > 0)
			memmove(splitter->text.p, rest.p, rest.len);
		splitter->text.len = rest.len;
		splitter->looked_at -= splitter->at;
		splitter->at = 0;
	}
	return buf_put_slice(&splitter->text, bytes);
}

bool
splitter_peek(struct splitter *splitter, struct slice *line)
{
	const struct buf *text = &splitter->text;
	/* A line may come in many pieces: no byte is looked at twice. */
	const char *end = splitter->looked_at == text->len
	    ? NULL
	    : memchr(text->p + splitter->looked_at, '\n',
		  text->len - splitter->looked_at);

	splitter->looked_at = end == NULL ? text->len : (size_t)(end - text->p);
	if (end != NULL)
		*line = slice_make(text->p + splitter->at,
		    (size_t)(end - text->p) - splitter->at);
	return end != NULL;
}

bool
splitter_next(struct splitter *splitter, struct slice *line)
{
	if (!splitter_peek(splitter, line))
		return false;
	splitter->at = ++splitter->looked_at;
	return true;
}

struct slice
splitter_rest(const struct splitter *splitter)
{
	return slice_from(buf_text(&splitter->text), splitter->at);
}
