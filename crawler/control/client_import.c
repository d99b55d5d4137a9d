/*
 * The lines of a client that imports what another crawler knows.  They are
 * imported in bites of a few milliseconds, so that a long list keeps no other
 * client waiting.
 *
 *	READS --batch full, or no more lines--> SEARCHES --all found--> TAKES
 *	  ^                                        ^  (the store changed)  |
 *	  |                                        +-----------------------+
 *	  +-----------------------------all rows taken---------------------+
 */
#include "crawler/control/client_import.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/out_json.h"
#include "crawler/event/splitter.h"
#include "crawler/frontier/import_batch.h"
#include "crawler/frontier/import_page.h"

#define BITE_MS 5
/* A client waits for answers before it sends more than this. */
#define IN_MAX_BYTES ((size_t)16 << 20)

enum import_stage { READS, SEARCHES, TAKES };

struct client_import {
	struct loop *loop;
	struct frontier *frontier;
	struct importer importer;
	struct import_batch *batch; /* owned */
	enum import_stage stage;
	bool is_json;
	uint64_t line; /* the number of the next line to answer */
	struct splitter in; /* lines that are not read yet */
};

struct client_import *
client_import_new(struct loop *loop, struct store *store,
    struct frontier *frontier, bool is_json, uint64_t line)
{
	struct client_import *import = mem_zero(sizeof(*import));

	import->loop = loop;
	import->frontier = frontier;
	import->is_json = is_json;
	import->line = line;
	importer_init(&import->importer, store);
	import->batch = import_batch_new(store);
	/* the last line may exceed the limit */
	splitter_init(&import->in, 3 * IN_MAX_BYTES);
	return import;
}

void
client_import_free(struct client_import *import)
{
	if (import == NULL)
		return;
	import_batch_free(import->batch);
	importer_release(&import->importer);
	splitter_release(&import->in);
	free(import);
}

bool
client_import_line(struct client_import *import, struct slice line)
{
	return splitter_rest(&import->in).len <= IN_MAX_BYTES &&
	    splitter_put(&import->in, line) &&
	    splitter_put(&import->in, slice_of("\n"));
}

static bool
is_over(const struct client_import *import, int64_t until_ms)
{
	return loop_now_ms(import->loop) >= until_ms;
}

static void
import_read_some(struct client_import *import, int64_t until_ms)
{
	struct slice text;

	while (!import_batch_is_full(import->batch)) {
		if (!splitter_next(&import->in, &text)) {
			import->stage = SEARCHES;
			return;
		}
		import_batch_put(import->batch, text, import->is_json,
		    loop_now_s(import->loop));
		if (is_over(import, until_ms))
			return;
	}
	import->stage = SEARCHES;
}

static void
take_some(struct client_import *import, struct buf *out, int64_t until_ms)
{
	const struct import_row *row = NULL;
	uint64_t lines = 0, bad = 0;

	if (import_batch_is_stale(import->batch)) {
		import->stage = SEARCHES;
		return;
	}
	while (!is_over(import, until_ms)) {
		row = import_batch_next(import->batch);
		if (row == NULL)
			break;
		if (row->why != NULL) {
			out_json_line(out, "bad");
			out_json_number(out, "line", import->line);
			out_json_text(out, "why", slice_of(row->why));
			out_json_line_end(out);
		} else if (!row->is_blank)
			frontier_import(import->frontier, &import->importer,
			    row, loop_now_s(import->loop));
		bad += row->why != NULL;
		import->line++;
		lines++;
	}
	if (row == NULL)
		import->stage = READS;
	if (lines > 0) {
		/* Tell the client how many lines are done, and how many of
		 * these were bad. */
		struct import_totals *totals = &import->importer.totals;

		out_json_line(out, "taken");
		out_json_number(out, "lines", lines);
		out_json_number(out, "bad", bad);
		out_json_number(out, "new", totals->added);
		out_json_number(out, "known", totals->known);
		out_json_number(out, "history", totals->history);
		out_json_number(out, "unlisted", totals->unlisted);
		out_json_line_end(out);
		*totals = (struct import_totals){0};
	}
}

bool
client_import_bite(struct client_import *import, struct buf *out)
{
	int64_t until_ms = loop_now_ms(import->loop) + BITE_MS;
	bool is_more = true;

	while (is_more && !is_over(import, until_ms)) {
		if (import->stage == READS)
			import_read_some(import, until_ms);
		else if (import->stage == TAKES)
			take_some(import, out, until_ms);
		else if (!import_batch_search(import->batch))
			import->stage = TAKES;
		is_more = import->stage != READS ||
		    import_batch_count(import->batch) > 0 ||
		    splitter_rest(&import->in).len > 0;
	}
	return is_more;
}
