/* Folders of URLs, each text once. */
#include "tests/sim/trace_section.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "tests/sim/history.h"

#define DEEPEST 9
#define MOST 1000000

struct trace_section {
	char *text; /* owned; NULL: this place is free */
	uint32_t number;
};

static struct trace_section *
place_of(const struct trace_sections *sections, struct slice text)
{
	size_t i = hash_key(text, 0) & (sections->cap - 1);

	while (sections->items[i].text != NULL &&
	    !slice_is(text, sections->items[i].text))
		i = (i + 1) & (sections->cap - 1);
	return &sections->items[i];
}

static void
grow(struct trace_sections *sections)
{
	struct trace_sections old = *sections;

	sections->cap = old.cap == 0 ? 64 : old.cap * 2;
	sections->items = mem_zero(sections->cap * sizeof(*sections->items));
	for (size_t i = 0; i < old.cap; i++)
		if (old.items[i].text != NULL)
			*place_of(sections,
			    slice_of(old.items[i].text)) = old.items[i];
	free(old.items);
}

/* path_at(url): the position where the path of the URL begins. */
static size_t
path_at(struct slice url)
{
	for (size_t i = 0; i + 2 < url.len; i++)
		if (url.p[i] == ':' && url.p[i + 1] == '/' &&
		    url.p[i + 2] == '/') {
			for (i += 3; i < url.len && url.p[i] != '/'; i++)
				;
			return i;
		} else if (url.p[i] == '/') {
			return i;
		}
	return 0;
}

/* path_end(url, at): the position where the path ends; a slash at its end does
 * not count. */
static size_t
path_end(struct slice url, size_t at)
{
	size_t end = at;

	while (end < url.len && url.p[end] != '?' && url.p[end] != '#')
		end++;
	return end > at + 1 && url.p[end - 1] == '/' ? end - 1 : end;
}

/* put_alike(out, url, at, end): append the URL up to `end`, where its path
 * ends; each run of digits in the path (from `at`) becomes one '#'.  False: the
 * result has a NUL byte, so it cannot be kept as a C string. */
static bool
put_alike(struct buf *out, struct slice url, size_t at, size_t end)
{
	bool was_digit = false;

	(void)buf_put(out, url.p, at);
	for (size_t i = at; i < end; i++) {
		bool is_digit = url.p[i] >= '0' && url.p[i] <= '9';

		if (!is_digit)
			(void)buf_put_char(out, url.p[i]);
		else if (!was_digit)
			(void)buf_put_char(out, '#');
		was_digit = is_digit;
	}
	return slice_count(buf_text(out), '\0') == 0;
}

/* number_of(sections, history, text, above): the number of the section with
 * that text, which is added below `above` when it is new; 0: there are too
 * many. */
static uint32_t
number_of(struct trace_sections *sections, struct history *history,
    struct slice text, uint32_t above)
{
	struct trace_section *place;

	if (sections->count >= sections->cap / 2)
		grow(sections);
	place = place_of(sections, text);
	if (place->text == NULL) {
		if (sections->count >= MOST)
			return 0;
		sections->count++;
		place->text = slice_dup(text);
		place->number = history_add_section(history, above);
	}
	return place->number;
}

uint32_t
trace_section(
    struct trace_sections *sections, struct history *history, struct slice url)
{
	size_t at = path_at(url);
	uint32_t number = 0;
	int depth = 0;
	struct buf text;

	buf_init(&text, SIZE_MAX);
	if (!put_alike(&text, url, at, path_end(url, at)))
		at = text.len;
	for (size_t i = at; i < text.len && depth < DEEPEST; i++) {
		uint32_t below;

		if (text.p[i] != '/')
			continue;
		depth++;
		below = number_of(
		    sections, history, slice_make(text.p, i + 1), number);
		if (below == 0)
			break;
		number = below;
	}
	buf_release(&text);
	return number;
}

void
trace_sections_release(struct trace_sections *sections)
{
	for (size_t i = 0; i < sections->cap; i++)
		free(sections->items[i].text);
	free(sections->items);
	*sections = (struct trace_sections){0};
}
