/* Renamings that the user gives. */
#include "base/renaming.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/url.h"

#define SPACES " \t"

struct renaming {
	char *text; /* owned */
	struct slice from, to; /* borrowed from text; up to the star */
	struct slice from_tail, to_tail; /* likewise; behind the star */
	bool has_star;
	size_t number; /* as given */
};

struct renamings {
	struct renaming *items; /* owned; in the order of renamings_next() */
	size_t count;
};

/* Split a text into two words.  Returns whether it has so many. */
static bool
renaming_split(const char *text, struct slice *from, struct slice *to)
{
	text += strspn(text, SPACES);
	*from = slice_make(text, strcspn(text, SPACES));
	text += from->len;
	text += strspn(text, SPACES);
	*to = slice_make(text, strcspn(text, SPACES));
	text += to->len;
	return to->len > 0 && text[strspn(text, SPACES)] == '\0';
}

bool
renaming_is(const char *text)
{
	struct slice paths[2];

	if (!renaming_split(text, &paths[0], &paths[1]) ||
	    slice_count(paths[0], '*') != slice_count(paths[1], '*') ||
	    slice_equal(paths[0], paths[1]))
		return false;
	/* Each is a path, with a query or without, and with one star at most.
	 * Two slashes begin a host, which does not change by a renaming. */
	for (int i = 0; i < 2; i++) {
		struct slice path = paths[i];

		if (path.len == 0 || path.p[0] != '/' ||
		    (path.len > 1 && path.p[1] == '/') ||
		    !slice_is_graphic(path) || slice_count(path, '#') > 0 ||
		    slice_count(path, '*') > 1)
			return false;
	}
	return true;
}

static int
by_length(const void *a, const void *b)
{
	const struct renaming *one = a, *other = b;

	size_t len = one->from.len + one->from_tail.len;
	size_t other_len = other->from.len + other->from_tail.len;

	if (len != other_len)
		return len > other_len ? -1 : 1;
	if (one->has_star != other->has_star)
		return one->has_star ? 1 : -1;
	return one->number < other->number ? -1 : one->number > other->number;
}

struct renamings *
renamings_new(const char *const *texts, size_t count)
{
	struct renamings *renamings;

	if (count == 0)
		return NULL;
	renamings = mem_zero(sizeof(*renamings));
	renamings->items = mem_zero(count * sizeof(*renamings->items));
	renamings->count = count;
	for (size_t i = 0; i < count; i++) {
		struct renaming *item = &renamings->items[i];

		item->text = mem_copy(texts[i]);
		item->number = i;
		(void)renaming_split(item->text, &item->from, &item->to);
		item->has_star = slice_count(item->from, '*') > 0;
		/* Cut each path in two at its star, if it has one. */
		for (int k = 0; k < 2; k++) {
			struct slice *path = k == 0 ? &item->from : &item->to;
			struct slice *tail = k == 0 ? &item->from_tail
						    : &item->to_tail;
			const char *star = memchr(path->p, '*', path->len);

			*tail = slice_from(*path, path->len);
			if (star == NULL)
				continue;
			path->len = (size_t)(star - path->p);
			*tail = slice_make(
			    star + 1, (size_t)(tail->p - star) - 1);
		}
	}
	qsort(renamings->items, count, sizeof(*renamings->items), by_length);
	return renamings;
}

void
renamings_free(struct renamings *renamings)
{
	if (renamings == NULL)
		return;
	for (size_t i = 0; i < renamings->count; i++)
		free(renamings->items[i].text);
	free(renamings->items);
	free(renamings);
}

void
renamings_put(const struct renamings *renamings, struct buf *out)
{
	for (size_t i = 0; renamings != NULL && i < renamings->count; i++)
		(void)buf_print(out, "%s\n", renamings->items[i].text);
}

bool
renamings_next(const struct renamings *renamings, size_t *at, struct slice path,
    struct renamed *renamed)
{
	while (renamings != NULL && *at < renamings->count) {
		const struct renaming *item = &renamings->items[(*at)++];

		size_t fixed = item->from.len + item->from_tail.len;

		if (path.len < fixed ||
		    (!item->has_star && path.len != fixed) ||
		    !slice_starts(path, item->from) ||
		    !slice_equal(
			slice_from(path, path.len - item->from_tail.len),
			item->from_tail))
			continue;
		renamed->to = item->to;
		renamed->tail = item->to_tail;
		renamed->rest = slice_make(
		    path.p + item->from.len, path.len - fixed);
		return true;
	}
	return false;
}

/* How one page may be spelt. */

struct slice
spelling_rest(struct slice url)
{
	const char *at = memmem(url.p, url.len, "://", 3);

	if (at != NULL)
		url = slice_from(url, (size_t)(at + 3 - url.p));
	if (slice_starts(url, slice_of("www.")))
		url = slice_from(url, 4);
	return url;
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
	for (size_t i = 0; len == 0 && i < LENGTH(tails); i++) {
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
