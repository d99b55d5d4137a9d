/* Lines of an import, many at once. */
#include "crawler/import_batch.h"

#include <stdlib.h>

#include "base/mem.h"
#include "store/page.h"

/* The more lines a search has, the less each costs: with URLs in no order, a
 * block is decoded once for each search. */
#define BATCH_LINES 8192
#define BATCH_BYTES ((size_t)4 << 20)
/* Of a search at once: a block takes a third of a millisecond. */
#define SEARCH_BLOCKS 8

struct import_batch {
	struct store *store;
	struct import_row *rows; /* owned */
	size_t count, cap, at; /* of rows; the next one to be taken */
	size_t bytes; /* of their text */
	struct listed *listed; /* owned: of those that are no pages yet */
	struct listed_search *search; /* owned; NULL: none was begun */
};

struct import_batch *
import_batch_new(struct store *store)
{
	struct import_batch *batch = mem_zero(sizeof(*batch));

	batch->store = store;
	return batch;
}

static void
clear(struct import_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++)
		import_line_release(&batch->rows[i].line);
	listed_search_free(batch->search);
	free(batch->listed);
	batch->search = NULL;
	batch->listed = NULL;
	batch->count = batch->at = batch->bytes = 0;
}

void
import_batch_free(struct import_batch *batch)
{
	if (batch == NULL)
		return;
	clear(batch);
	free(batch->rows);
	free(batch);
}

bool
import_batch_is_full(const struct import_batch *batch)
{
	return batch->count >= BATCH_LINES || batch->bytes >= BATCH_BYTES;
}

size_t
import_batch_count(const struct import_batch *batch)
{
	return batch->count;
}

void
import_batch_put(
    struct import_batch *batch, struct slice text, bool is_json, int64_t now_s)
{
	struct import_row *row;

	batch->rows = mem_grow(
	    batch->rows, &batch->cap, batch->count + 1, sizeof(*batch->rows));
	row = &batch->rows[batch->count++];
	*row = (struct import_row){.why = NULL};
	batch->bytes += text.len;
	if (text.len > IMPORT_LINE_MAX) {
		row->why = "is longer than 65,536 bytes";
		return;
	}
	text = slice_trim(text);
	row->is_blank = text.len == 0;
	if (!row->is_blank)
		row->why = import_line_read(&row->line, text, is_json, now_s);
}

/* What is a page already has its place. */
static void
begin_search(struct import_batch *batch)
{
	size_t count = 0;

	batch->listed = mem_zero((batch->count + 1) * sizeof(*batch->listed));
	for (size_t i = 0; i < batch->count; i++) {
		struct import_row *row = &batch->rows[i];
		struct slice url = url_text(&row->line.url);

		if (row->why != NULL || row->is_blank ||
		    store_page_find(batch->store, url) != 0)
			continue;
		row->listed = &batch->listed[count];
		batch->listed[count++].url = url;
	}
	batch->search = listed_search_new(batch->store, batch->listed, count);
}

bool
import_batch_search(struct import_batch *batch)
{
	if (batch->search == NULL)
		begin_search(batch);
	return listed_search_some(batch->search, SEARCH_BLOCKS);
}

const struct import_row *
import_batch_next(struct import_batch *batch)
{
	struct import_row *row;

	if (batch->at == batch->count) {
		clear(batch);
		return NULL;
	}
	row = &batch->rows[batch->at++];
	if (!listed_search_holds(batch->search))
		row->listed = NULL;
	return row;
}
