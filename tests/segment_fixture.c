/* Segments and deltas as text. */
#include "tests/segment_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/fixture.h"

struct slice
list_pull(void *arg)
{
	struct list_source *source = arg;

	if (source->at == source->list->count)
		return slice_make(NULL, 0);
	source->at++;
	return slice_make(source->list->items[source->at - 1].data,
	    source->list->items[source->at - 1].len);
}

void
list_add(void *arg, const struct block *block)
{
	block_list_add(arg, block);
}

struct date
date_of_day(int day)
{
	return (struct date){
	    .epoch_s = DAY_0 + (int64_t)day * DAY_S,
	    .precision = DATE_DAY,
	};
}

/* segment_word(text, entry, url): the first entry of text, which moves on. */
static bool
segment_word(const char **text, struct entry *entry, char url[64])
{
	const char *p = *text + strspn(*text, " ");
	size_t len = strcspn(p, " ");

	*entry = (struct entry){0};
	if (len == 0)
		return false;
	*text = p + len;
	for (; strchr("!=^?", *p) != NULL; p++) {
		entry->missed |= *p == '!';
		entry->is_held |= *p == '=';
		entry->extensions |= *p == '^' ? EXT_NEWS : 0;
		entry->verdict |= *p == '?' ? VERDICT_DIRECTORY : 0;
	}
	const char *host = HOST_TEXT;
	if (*p == '$') {
		host = p[1] == '$' ? "https://www.h.test/" : "https://h.test/";
		p += p[1] == '$' ? 2 : 1;
	}
	size_t name = strcspn(p, ": ");
	assert_true(name < 32);
	memcpy(url, host, strlen(host));
	memcpy(url + strlen(host), p, name);
	entry->url = slice_make(url, strlen(host) + name);
	if (p[name] == ':')
		entry->lastmod = date_of_day(
		    (int)strtol(p + name + 1, NULL, 10));
	return true;
}

/* segment_make(list, text): in ascending order. */
void
segment_make(struct block_list *list, const char *text)
{
	struct block_writer *writer = block_writer_new(list_add, list);
	struct entry entry;
	char url[64];

	while (segment_word(&text, &entry, url)) {
		entry.first_seen_s = DAY_0;
		block_writer_add(writer, &entry);
	}
	block_writer_finish(writer);
	block_writer_free(writer);
}

/* sorter_make(text): in any order, finished. */
struct sorter *
sorter_make(const char *text)
{
	struct sorter *sorter = sorter_new(&(struct sorter_options){
	    .max_bytes = 1 << 20,
	    .scratch_fd = -1,
	    .now_s = DAY_0 + 1000 * DAY_S,
	});
	struct entry entry;
	char url[64];

	for (uint32_t i = 0; segment_word(&text, &entry, url); i++) {
		entry.ordinal = i;
		assert_true(sorter_add(sorter, &entry));
	}
	assert_true(sorter_finish(sorter));
	return sorter;
}

void
put_day(struct buf *out, const struct date *date)
{
	if (date->precision != DATE_NONE)
		(void)buf_print(
		    out, ":%d", (int)((date->epoch_s - DAY_0) / DAY_S));
}

void
put_name(struct buf *out, struct slice url)
{
	assert_true(slice_starts(url, slice_of(HOST_TEXT)));
	(void)buf_put_slice(out, slice_from(url, strlen(HOST_TEXT)));
}

/* segment_text(pull, arg, out): what the blocks hold. */
const char *
segment_text(block_pull_fn *pull, void *arg, struct buf *out)
{
	struct block_reader *reader = block_reader_new(pull, arg);
	struct entry entry;

	buf_clear(out);
	while (block_next(reader, &entry)) {
		(void)buf_print(out, "%s%s%s", out->len > 0 ? " " : "",
		    entry.missed                      ? "!"
			: entry.is_held               ? "="
			: entry.extensions & EXT_NEWS ? "^"
						      : "",
		    entry.verdict == VERDICT_ACCEPTED ? "" : "?");
		put_name(out, entry.url);
		put_day(out, &entry.lastmod);
	}
	assert_false(block_reader_damaged(reader));
	block_reader_free(reader);
	return buf_str(out);
}

const char *
delta_text(block_pull_fn *pull, void *arg, struct buf *out)
{
	static const char marks[DELTA_KINDS] = {
	    '+', '-', '>', '~', 'x', '/', '*'};
	struct block_reader *reader = block_reader_new(pull, arg);
	struct change change;

	buf_clear(out);
	while (block_next_change(reader, &change)) {
		bool is_refused = change.verdict != VERDICT_ACCEPTED &&
		    change.kind != DELTA_REFUSED;

		(void)buf_print(out, "%s%c%s", out->len > 0 ? " " : "",
		    marks[change.kind], is_refused ? "?" : "");
		put_name(out, change.url);
		put_day(out, &change.before);
		put_day(out, &change.after);
	}
	assert_false(block_reader_damaged(reader));
	block_reader_free(reader);
	return buf_str(out);
}
