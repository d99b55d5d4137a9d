/* Which pages come next: see frontier_rows.h. */
#include "crawler/frontier/frontier_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Behind the URL of a page. */
struct tail {
	int64_t lastmod_s;
	uint32_t url_len;
	uint32_t is_day;
};

/* An odd number near the golden part of 2^64: what is replaced is spread
 * evenly, and in no order that documents have their turns in. */
#define SPREAD 11400714819323198485u

size_t
row_page_bytes(struct slice url)
{
	return url.len + sizeof(struct tail);
}

void
row_line_make(struct row_line *line, size_t bytes)
{
	*line = (struct row_line){.cap = (uint32_t)bytes};
	if (bytes > 0)
		line->bytes = mem_alloc(bytes);
}

void
row_line_add(struct row_line *line, const struct row_page *page)
{
	struct tail tail = {.lastmod_s = page->lastmod_s,
	    .url_len = (uint32_t)page->url.len,
	    .is_day = page->is_day};

	memcpy(line->bytes + line->len, page->url.p, page->url.len);
	memcpy(line->bytes + line->len + page->url.len, &tail, sizeof(tail));
	line->len += (uint32_t)row_page_bytes(page->url);
}

static struct tail
tail_at(const struct row_line *line, uint32_t end)
{
	struct tail tail;

	memcpy(&tail, line->bytes + end - sizeof(tail), sizeof(tail));
	return tail;
}

static void
line_release(struct listed_rows *rows, struct row_line *line)
{
	rows->bytes -= line->cap;
	free(line->bytes);
	*line = (struct row_line){0};
}

static void
row_release(struct listed_rows *rows, struct row *row)
{
	for (int i = 0; i < ROW_LINES; i++)
		line_release(rows, &row->lines[i]);
}

/* No more memory than for what is left. */
static void
line_fit(struct listed_rows *rows, struct row_line *line)
{
	if (line->len == 0) {
		line_release(rows, line);
		return;
	}
	rows->bytes -= line->cap - line->len;
	line->bytes = mem_resize(line->bytes, line->len);
	line->cap = line->len;
}

/* What comes last in it is forgotten. */
static void
line_cut(struct listed_rows *rows, struct row_line *line, size_t most)
{
	uint32_t from = line->len;

	if (line->cap <= most)
		return;
	while (from > 0) {
		uint32_t size = tail_at(line, from).url_len +
		    (uint32_t)sizeof(struct tail);

		if (line->len - from + size > most)
			break;
		from -= size;
	}
	line->len -= from;
	memmove(line->bytes, line->bytes + from, line->len);
	line_fit(rows, line);
}

static struct row *
find(const struct listed_rows *rows, uint32_t document)
{
	uint32_t at = idmap_get(&rows->of, (int64_t)document + 1);

	return at == IDMAP_NONE ? NULL : &rows->items[at];
}

/* Of each, if all get the same. */
static size_t
share(size_t count)
{
	return ROWS_BYTES_MAX / 2 / (count > 0 ? count : 1);
}

size_t
rows_room(const struct listed_rows *rows, uint32_t document)
{
	const struct row *row = find(rows, document);
	size_t room = share(rows->count + (row == NULL));
	size_t left = ROWS_BYTES_MAX - rows->bytes;

	if (row != NULL && room < (size_t)row->room * 2)
		room = (size_t)row->room * 2 < left ? (size_t)row->room * 2
		    : room < left                   ? left
						    : room;
	return room;
}

static void
row_cut(struct listed_rows *rows, struct row *row, size_t most)
{
	for (int i = 0; i < ROW_LINES; i++)
		line_cut(rows, &row->lines[i],
		    row->is_one ? most : most / ROW_LINES);
	if (row->room > most)
		row->room = (uint32_t)most;
}

/* One after the other, until there is room again: none of them has more than
 * its share after that. */
static void
make_room(struct listed_rows *rows)
{
	size_t most = share(rows->count);

	for (size_t i = 0; i < rows->count && rows->bytes > ROWS_BYTES_MAX; i++)
		row_cut(rows, &rows->items[rows->hand++ % rows->count], most);
}

/* A place for one more: where there are too many, that of another. */
static struct row *
place(struct listed_rows *rows, uint32_t document)
{
	if (rows->count == ROWS_MAX)
		rows_forget(rows,
		    rows->items[(rows->fills * SPREAD >> 32) % rows->count]
			.document);
	rows->items = mem_grow(
	    rows->items, &rows->cap, rows->count + 1, sizeof(*rows->items));
	idmap_put(&rows->of, (int64_t)document + 1, (uint32_t)rows->count);
	return &rows->items[rows->count++];
}

void
rows_put(struct listed_rows *rows, const struct row *with)
{
	struct row *row = find(rows, with->document);

	rows->fills++;
	if (row == NULL)
		row = place(rows, with->document);
	else
		row_release(rows, row);
	*row = *with;
	for (int i = 0; i < ROW_LINES; i++)
		rows->bytes += row->lines[i].cap;
	make_room(rows);
}

bool
rows_take(
    struct listed_rows *rows, uint32_t document, int at, struct row_page *page)
{
	struct row *row = find(rows, document);
	struct row_line *line;
	struct tail tail;

	if (row == NULL)
		return false;
	line = &row->lines[row->is_one ? 0 : at];
	if (line->len == 0)
		return false;
	tail = tail_at(line, line->len);
	line->len -= tail.url_len + (uint32_t)sizeof(tail);
	free(rows->text);
	rows->text = slice_dup(
	    slice_make(line->bytes + line->len, tail.url_len));
	if (line->len <= line->cap / 2)
		line_fit(rows, line);
	*page = (struct row_page){.url = slice_of(rows->text),
	    .lastmod_s = tail.lastmod_s,
	    .is_day = tail.is_day != 0};
	return true;
}

void
rows_forget(struct listed_rows *rows, uint32_t document)
{
	struct row *row = find(rows, document);
	struct row *last;

	if (row == NULL)
		return;
	row_release(rows, row);
	idmap_remove(&rows->of, (int64_t)document + 1);
	last = &rows->items[--rows->count];
	if (row == last)
		return;
	*row = *last;
	idmap_put(&rows->of, (int64_t)row->document + 1,
	    (uint32_t)(row - rows->items));
}

void
rows_release(struct listed_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		row_release(rows, &rows->items[i]);
	free(rows->items);
	idmap_release(&rows->of);
	free(rows->text);
	*rows = (struct listed_rows){0};
}
