/* Lines of an import, many at once. */
#include "crawler/frontier/import_batch.h"

#include <stdlib.h>

#include "base/mem.h"
#include "store/page.h"

/* The more lines a search has, the less each costs: URLs come in no order, and
 * a search decodes each block of the store once. */
#define BATCH_LINES 8192
/* Of text; parsed JSON takes twenty times as much memory. */
#define BATCH_BYTES ((size_t)1 << 20)
/* Block indexes in one step of a search: some milliseconds. */
#define SEARCH_BLOCK_INDEXES 1000
/* A reading that is committed makes a search stale; after so many searches in
 * vain the batch goes on without. */
#define SEARCHES_MOST 3

struct import_batch {
	struct store *store;
	struct import_row *rows; /* owned */
	size_t count, cap, at; /* rows; at: the next one to be taken */
	size_t bytes; /* of their text */
	struct listed *listed; /* owned: of rows that are no pages yet */
	struct listed_search *search; /* owned; NULL: not begun */
	int searches; /* begun so far */
};

struct import_batch *
import_batch_new(struct store *store)
{
	struct import_batch *batch = mem_zero(sizeof(*batch));

	batch->store = store;
	return batch;
}

static void
end_search(struct import_batch *batch)
{
	listed_search_free(batch->search);
	free(batch->listed);
	batch->search = NULL;
	batch->listed = NULL;
}

static void
clear(struct import_batch *batch)
{
	end_search(batch);
	for (size_t i = 0; i < batch->count; i++)
		import_line_release(&batch->rows[i].line);
	batch->count = batch->at = batch->bytes = 0;
	batch->searches = 0;
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
	/* a page has its document already, and is not searched for */
	row->is_page = !row->is_blank && row->why == NULL &&
	    store_page_find(batch->store, url_text(&row->line.url)) != 0;
}

bool
import_batch_is_stale(const struct import_batch *batch)
{
	return batch->searches < SEARCHES_MOST &&
	    !listed_search_holds(batch->search);
}

bool
import_batch_search(struct import_batch *batch)
{
	if (batch->search == NULL || import_batch_is_stale(batch)) {
		size_t left = batch->count - batch->at, count = 0;

		end_search(batch);
		batch->searches++;
		batch->listed = mem_zero((left + 1) * sizeof(*batch->listed));
		for (size_t i = batch->at; i < batch->count; i++) {
			struct import_row *row = &batch->rows[i];

			if (row->why != NULL || row->is_blank || row->is_page)
				continue;
			row->listed = &batch->listed[count];
			batch->listed[count++].url = url_text(&row->line.url);
		}
		batch->search = listed_search_new(
		    batch->store, batch->listed, count);
	}
	return listed_search_some(batch->search, SEARCH_BLOCK_INDEXES);
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
