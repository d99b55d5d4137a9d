/* Which documents and pages a list shows: the worst first. */
#include "crawler/report/report_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/mem.h"
#include "crawler/report/report_phrases.h"

bool
report_is_under(const struct report *report, size_t i, uint32_t head)
{
	const struct report_document *document = &report->documents[i];
	uint32_t parent = document->parent;

	if (head == REPORT_ALL)
		return true;
	if (document->kind == KIND_ROBOTS ||
	    document->failure == DIAG_NO_SITEMAP_FOUND)
		return false;
	if (head != UINT32_MAX)
		return parent == head;
	return document->kind != KIND_INDEX &&
	    (parent >= report->document_count ||
		report->documents[parent].kind != KIND_INDEX);
}

static bool
rows_is_head(const struct report_document *document)
{
	return document->kind == KIND_ROBOTS || document->kind == KIND_INDEX;
}

#define ROW_RANKS 5

/* A document in the tree of indexes. */
struct row_node {
	uint32_t depth; /* indexes above it */
	unsigned rank; /* below ROW_RANKS; 0 is the worst */
	bool is_shown;
	bool is_first; /* of the siblings at the top that are sorted together */
};

/* Make the tree; the documents under one head are siblings. */
static struct row_node *
nodes_new(const struct report_list *list)
{
	const struct report *report = list->report;
	struct row_node *nodes = mem_zero(
	    (report->document_count + 1) * sizeof(*nodes));

	for (size_t i = list->from; i < list->to; i++) {
		const struct report_document *document = &report->documents[i];
		struct row_node *node = &nodes[i];

		node->rank = document->errors > 0 ||
			document->status == REPORT_HAS_ERRORS
		    ? 0
		    : document->status == REPORT_NOT_FETCHED ? 1
		    : document->warnings > 0                 ? 2
		    : document->infos > 0                    ? 3
							     : 4;
		/* Sitemaps of one origin that follow each other, and that no
		 * index lists, are sorted; all else at the top keeps its
		 * place. */
		if (list->head == REPORT_ALL && document->parent < i)
			node->depth = nodes[document->parent].depth + 1;
		else
			node->is_first = list->head == REPORT_ALL &&
			    (i == 0 || rows_is_head(document) ||
				rows_is_head(document - 1) ||
				nodes[i - 1].depth > 0 ||
				!slice_equal(
				    report_origin(slice_of(document->url)),
				    report_origin(slice_of(document[-1].url))));
	}
	return nodes;
}

/* If there is not room for all, an index with rows below it goes before
 * documents without faults: it is needed to read where errors are. */
static unsigned
row_worth(const struct report *report, const struct row_node *nodes, size_t i)
{
	unsigned rank = nodes[i].rank;

	return rank <= 1                          ? rank
	    : rows_is_head(&report->documents[i]) ? 2
						  : rank + 1;
}

/* Add the rows that are shown: the worst of siblings first, each with what is
 * below it, which stands behind it in the report. */
static void
rows_add(struct report_rows *rows, const struct row_node *nodes, size_t from,
    size_t to)
{
	for (size_t group; from < to; from = group) {
		for (group = from + 1; group < to && !nodes[group].is_first;)
			group++;
		for (unsigned rank = 0; rank < ROW_RANKS; rank++)
			for (size_t i = from, end; i < group; i = end) {
				end = i + 1;
				while (end < group &&
				    nodes[end].depth > nodes[i].depth)
					end++;
				if (nodes[i].rank != rank)
					continue;
				if (nodes[i].is_shown)
					rows->items[rows->count++] = (uint32_t)
					    i;
				rows_add(rows, nodes, i + 1, end);
			}
	}
}

void
report_rows_init(
    struct report_rows *rows, const struct report_list *list, uint64_t max)
{
	struct row_node *nodes = nodes_new(list);
	uint64_t shown = 0;

	*rows = (struct report_rows){
	    .items = mem_alloc(
		(list->to - list->from + 1) * sizeof(*rows->items))};
	/* First which rows are shown, by what is wrong with them; then their
	 * order on the page. */
	for (unsigned worth = 0; worth <= ROW_RANKS; worth++)
		for (size_t i = list->from; i < list->to; i++) {
			if (row_worth(list->report, nodes, i) != worth ||
			    !report_is_under(list->report, i, list->head))
				continue;
			nodes[i].is_shown = shown++ < max;
			rows->hidden += !nodes[i].is_shown;
			rows->errors += !nodes[i].is_shown &&
			    nodes[i].rank == 0;
			rows->lost += !nodes[i].is_shown && nodes[i].rank == 1;
		}
	rows_add(rows, nodes, list->from, list->to);
	free(nodes);
}

bool
report_table_drop_well(struct report_table *table)
{
	struct report_rows *rows = &table->rows;

	/* they come last */
	while (rows->items != NULL && rows->count > 0) {
		const struct report_page
		    *page = &table->report->pages[rows->items[rows->count - 1]];

		if (page->code_count > 0 || page->is_cut)
			break;
		rows->count--;
		rows->hidden = 0;
	}
	if (rows->count > 0)
		return true;
	free(rows->items);
	return false;
}

bool
report_table_init(struct report_table *table, const struct report *report,
    bool is_closed, uint64_t max)
{
	struct report_rows *rows = &table->rows;
	size_t all = is_closed ? report->closed_count : report->page_count;

	*table = (struct report_table){.report = report,
	    .is_closed = is_closed,
	    .id = is_closed ? "agents" : "pages",
	    .title = is_closed ? "Who may fetch what" : "Listed pages",
	    .columns = is_closed ? report->agent_count : 3,
	    .heads = {"status", "index", "canonical"}};
	rows->count = all < max ? all : (size_t)max;
	if (is_closed) {
		rows->hidden = report->closed - rows->count;
		for (size_t i = 0; i < report->agent_count; i++)
			table->heads[i] = report->agents[i].name;
		/* for one agent, the findings say it */
		return report->agent_count > 1 && report->closed > 0;
	}
	if (all == 0)
		return false;
	/* A page without faults says nothing that its sitemap does not say:
	 * the worst come first, and then those that are cut. */
	rows->items = mem_alloc(all * sizeof(*rows->items));
	for (int worth = 2 * SEVERITY_ERROR + 1; worth >= 0; worth--)
		for (size_t i = 0; i < all; i++)
			if (2 * (int)report->pages[i].severity +
				report->pages[i].is_cut ==
			    worth)
				rows->items[rows->hidden++] = (uint32_t)i;
	rows->hidden -= rows->count;
	for (size_t i = rows->count; i < all; i++)
		rows->bad += report->pages[rows->items[i]].code_count > 0;
	return true;
}

void
report_table_verdict(struct buf *out, const struct report_table *table)
{
	const struct report *report = table->report;

	if (!table->is_closed) {
		report_put_pages_verdict(out, report);
		return;
	}
	(void)buf_print(out, "robots.txt forbids ");
	for (size_t i = 0; i < report->agent_count; i++) {
		uint64_t n = report->agents[i].forbidden;

		(void)buf_print(out, "%s%s to %s", i > 0 ? ", " : "",
		    n == 0 ? "none"
			   : human_of(n, i == 0 ? "listed URL" : NULL).text,
		    report->agents[i].name);
	}
}

void
report_table_row(
    const struct report_table *table, size_t i, struct report_table_row *row)
{
	const struct report *report = table->report;

	*row = (struct report_table_row){0};
	if (table->is_closed) {
		const struct report_closed *closed = &report->closed_pages[i];

		row->url = closed->url;
		for (size_t k = 0; k < report->agent_count; k++)
			row->cells[k] = (closed->agents >> k & 1) == 0 ? "yes"
								       : "no";
	} else {
		struct buf status;

		row->page = &report->pages[table->rows.items[i]];
		row->url = row->page->url;
		buf_init(&status, sizeof(row->status) - 1);
		report_put_page_status(&status, row->page);
		memcpy(row->status, buf_str(&status), status.len + 1);
		buf_release(&status);
		row->cells[0] = row->status;
		row->cells[1] = report_page_index(row->page);
		row->cells[2] = report_page_canonical(row->page);
	}
	row->path = report_url_path(report, row->url);
}

void
report_put_hidden(
    struct buf *out, const struct report_rows *rows, const char *where)
{
	const struct {
		uint64_t count;
		const char *one, *many;
	} parts[] = {{rows->errors, "has errors", "have errors"},
	    {rows->lost, "could not be fetched", "could not be fetched"},
	    {rows->bad, "has something wrong", "have something wrong"}};
	size_t shown = 0;

	(void)buf_print(out, "%s more", human_of(rows->hidden, NULL).text);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i].count == 0)
			continue;
		(void)buf_print(out, "%s%s %s", shown++ == 0 ? " (" : ", ",
		    human_of(parts[i].count, NULL).text,
		    parts[i].count == 1 ? parts[i].one : parts[i].many);
	}
	/* of closed pages no format has all */
	(void)buf_print(out, "%s%s", shown > 0 ? ")" : "",
	    rows->items == NULL ? "" : where);
}
