/* Text lists, line by line. */
#include "crawler/parse/textlist.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"

struct textlist {
	const struct parser_events *events;
	struct buf held; /* the front of a line whose end has not come */
	uint32_t line;
	/* an LF that comes next belongs to the same line end */
	bool is_after_cr;
	bool has_root;
	bool is_other; /* UNSUPPORTED_FORMAT */
	bool is_stopped;
};

struct textlist *
textlist_new(const struct parser_events *events,
    const struct read_limits *limits, uint32_t line)
{
	struct textlist *list = mem_zero(sizeof(*list));

	list->events = events;
	list->line = line;
	buf_init(&list->held, limits->max_text);
	return list;
}

void
textlist_free(struct textlist *list)
{
	if (list == NULL)
		return;
	buf_release(&list->held);
	free(list);
}

static bool
begins_nocase(struct slice text, const char *prefix)
{
	size_t n = strlen(prefix);

	return text.len >= n &&
	    slice_equal_nocase(slice_make(text.p, n), slice_of(prefix));
}

/* judge_first(list, line): SPEC R-05: is the first line a URL? Otherwise the
 * document is any text. */
static bool
judge_first(struct textlist *list, struct slice line)
{
	list->has_root = true;
	if (begins_nocase(line, "http://") || begins_nocase(line, "https://"))
		return list->events->root(list->events->arg, ROOT_TEXT);
	list->is_other = true;
	list->events->finding(
	    list->events->arg, DIAG_UNSUPPORTED_FORMAT, list->line, line);
	return false;
}

static bool
end_line(struct textlist *list, struct slice line)
{
	line = slice_trim(line);
	if (line.len > 0) {
		struct raw_entry entry = {
		    .loc = line, .line = list->line, .has_loc = true};

		if (!list->has_root && !judge_first(list, line))
			return false;
		if (!list->events->entry(list->events->arg, &entry))
			return false;
	}
	list->line++;
	return true;
}

static void
textlist_hold(struct textlist *list, struct slice part)
{
	size_t room = list->held.max - list->held.len;

	if (part.len > room)
		part.len = room;
	(void)buf_put_slice(&list->held, part);
}

bool
textlist_feed(struct textlist *list, struct slice text)
{
	while (text.len > 0 && !list->is_stopped) {
		if (list->is_after_cr && text.p[0] == '\n')
			text = slice_from(text, 1);
		list->is_after_cr = false;
		if (text.len == 0)
			break;
		struct slice line = slice_first_line(text);
		size_t n = line.len;
		if (n == text.len) {
			textlist_hold(list, line);
			break;
		}
		list->is_after_cr = text.p[n] == '\r';
		text = slice_from(text, n + 1);
		if (list->held.len > 0) {
			textlist_hold(list, line);
			line = buf_text(&list->held);
		}
		list->is_stopped = !end_line(list, line);
		buf_clear(&list->held);
	}
	return !list->is_stopped;
}

bool
textlist_finish(struct textlist *list, bool is_whole)
{
	if (!list->is_stopped && is_whole && list->held.len > 0)
		list->is_stopped = !end_line(list, buf_text(&list->held));
	return !list->is_stopped;
}

bool
textlist_is_list(const struct textlist *list)
{
	return !list->is_other;
}
