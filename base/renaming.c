/* Renamings that the user gives. */
#include "base/renaming.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SPACES " \t"

struct renaming {
	char *text; /* owned */
	struct slice from, to; /* borrowed from text; without the star */
	bool is_prefix;
	size_t number; /* as given */
};

struct renamings {
	struct renaming *items; /* owned; in the order of renamings_next() */
	size_t count;
};

/* Split a text into two words.  Returns whether it has so many. */
static bool
split(const char *text, struct slice *from, struct slice *to)
{
	text += strspn(text, SPACES);
	*from = slice_make(text, strcspn(text, SPACES));
	text += from->len;
	text += strspn(text, SPACES);
	*to = slice_make(text, strcspn(text, SPACES));
	text += to->len;
	return to->len > 0 && text[strspn(text, SPACES)] == '\0';
}

static bool
has_star(struct slice path)
{
	return path.len > 0 && path.p[path.len - 1] == '*';
}

/* Is it a path, with a query or without, and with a star at its end only? */
static bool
is_path(struct slice path)
{
	/* two slashes begin a host, which does not change by a renaming */
	return path.len > 0 && path.p[0] == '/' &&
	    (path.len == 1 || path.p[1] != '/') && slice_is_graphic(path) &&
	    slice_count(path, '#') == 0 &&
	    slice_count(path, '*') == (has_star(path) ? 1 : 0);
}

bool
renaming_is(const char *text)
{
	struct slice from, to;

	return split(text, &from, &to) && is_path(from) && is_path(to) &&
	    has_star(from) == has_star(to) && !slice_equal(from, to);
}

static int
by_length(const void *a, const void *b)
{
	const struct renaming *one = a, *other = b;

	if (one->from.len != other->from.len)
		return one->from.len > other->from.len ? -1 : 1;
	if (one->is_prefix != other->is_prefix)
		return one->is_prefix ? 1 : -1;
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
		(void)split(item->text, &item->from, &item->to);
		item->is_prefix = has_star(item->from);
		if (item->is_prefix) {
			item->from.len--;
			item->to.len--;
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

bool
renamings_next(const struct renamings *renamings, size_t *at, struct slice path,
    struct renamed *renamed)
{
	while (renamings != NULL && *at < renamings->count) {
		const struct renaming *item = &renamings->items[(*at)++];

		if (!slice_starts(path, item->from) ||
		    (!item->is_prefix && path.len != item->from.len))
			continue;
		renamed->to = item->to;
		renamed->rest = slice_from(path, item->from.len);
		return true;
	}
	return false;
}
