/* How one page may be spelt. */
#include "base/spelling.h"

#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/slice.h"
#include "base/url.h"

size_t
spelling_skip(struct slice url)
{
	const char *at = memmem(url.p, url.len, "://", 3);
	size_t skip = at == NULL ? 0 : (size_t)(at + 3 - url.p);

	if (slice_starts(slice_from(url, skip), slice_of("www.")))
		skip += 4;
	return skip;
}

struct slice
spelling_rest(struct slice url)
{
	return slice_from(url, spelling_skip(url));
}

struct slice
spelling_stem(struct slice url, struct slice *tail)
{
	static const char *const tails[] = {"/index.html", "/index.htm",
	    "/index.php", ".html", ".htm", ".php", "/"};
	struct slice path = url_path_of(url);
	const char *query = path.len > 0 ? memchr(path.p, '?', path.len) : NULL;
	size_t end, len = 0;

	/* The query is no part of the name of a file. */
	if (query != NULL)
		path.len = (size_t)(query - path.p);
	end = path.len > 0 ? (size_t)(path.p + path.len - url.p) : url.len;
	for (size_t i = 0; len == 0 && i < sizeof(tails) / sizeof(tails[0]);
	     i++) {
		struct slice text = slice_of(tails[i]);

		/* a file that is called ".html" has no other name */
		if (slice_ends_nocase(path, text) &&
		    (text.p[0] == '/' ||
			path.p[path.len - text.len - 1] != '/'))
			len = text.len;
	}
	*tail = slice_make(url.p + end - len, len);
	return slice_make(url.p, end - len);
}

void
spelling_key(struct buf *out, struct slice url)
{
	struct slice tail;
	struct slice stem = spelling_rest(spelling_stem(url, &tail));

	for (size_t i = 0; i < stem.len; i++)
		(void)buf_put_char(out, ascii_lower(stem.p[i]));
	(void)buf_put_slice(
	    out, slice_from(url, (size_t)(tail.p + tail.len - url.p)));
}
