/*
 * Fsck: the indexes that lead to indexes (J12).
 *
 * A crawl never follows a circle, nor goes deeper than its limit, but two of
 * them, each from another seed, may together leave what looks like either.
 * So both are notes.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "store/db.h"
#include "store/fsck/fsck_internal.h"

/* No chain is as long: what is left then is a circle, or as good as one. */
#define LAYERS_MAX 64

/* An index that leads to a document that leads on. */
struct edge {
	int64_t from;
	int64_t to;
	bool is_done; /* what `to` leads to is not in a circle with it */
};

/* In order of `from`; memory in proportion to nested indexes, that is rare. */
struct graph {
	struct edge *edges; /* owned */
	size_t count;
	size_t cap;
};

static const char each_edge[] =
    "SELECT l.index_id, l.child_id FROM link l WHERE NOT l.is_missed"
    " AND EXISTS (SELECT 1 FROM link n WHERE n.index_id = l.child_id"
    " AND NOT n.is_missed) AND l.child_id <> l.index_id"
    " ORDER BY l.index_id, l.child_id";

static void
load(struct fsck *fsck, struct graph *graph)
{
	struct sqlite3_stmt *stmt = db_make(fsck->store, each_edge);

	while (db_row(fsck->store, stmt)) {
		graph->edges = mem_grow(graph->edges, &graph->cap,
		    graph->count + 1, sizeof(*graph->edges));
		graph->edges[graph->count++] = (struct edge){
		    .from = db_int(stmt, 0), .to = db_int(stmt, 1)};
	}
	db_drop(stmt);
	(void)fsck_ended(fsck, "link");
}

/* Does an edge that is left begin at that document? */
static bool
leads_on(const struct graph *graph, int64_t document_id)
{
	size_t low = 0;
	size_t high = graph->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (graph->edges[mid].from < document_id)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < graph->count && graph->edges[low].from == document_id;
	     low++)
		if (!graph->edges[low].is_done)
			return true;
	return false;
}

/* One layer of leaves comes off; how many edges that were. */
static size_t
peel(struct graph *graph)
{
	size_t peeled = 0;
	bool *is_leaf = mem_zero(graph->count);

	for (size_t i = 0; i < graph->count; i++)
		is_leaf[i] = !graph->edges[i].is_done &&
		    !leads_on(graph, graph->edges[i].to);
	for (size_t i = 0; i < graph->count; i++) {
		graph->edges[i].is_done |= is_leaf[i];
		peeled += is_leaf[i];
	}
	free(is_leaf);
	return peeled;
}

static void
tell(struct fsck *fsck, int64_t document_id, const char *text)
{
	fsck_say(fsck,
	    &(struct fsck_finding){
		.invariant = 12,
		.is_note = true,
		.table = "document",
		.id = document_id,
	    },
	    "%s", text);
}

void
fsck_graph(struct fsck *fsck)
{
	struct graph graph = {0};
	size_t left;
	unsigned layers = 0;
	int64_t last_told = 0;

	load(fsck, &graph);
	left = graph.count;
	while (left > 0 && layers < LAYERS_MAX) {
		size_t peeled = peel(&graph);

		if (peeled == 0)
			break;
		left -= peeled;
		layers++;
	}
	for (size_t i = 0; i < graph.count; i++) {
		if (graph.edges[i].is_done || graph.edges[i].from == last_told)
			continue;
		last_told = graph.edges[i].from;
		tell(fsck, last_told,
		    "it leads, through other indexes, into a circle");
	}
	if (layers > fsck->options->max_depth)
		tell(fsck, 0, "indexes lead to indexes deeper than any crawl");
	free(graph.edges);
}
