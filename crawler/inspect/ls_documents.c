/* The documents of a site, as a list and as a tree. */
#include "crawler/inspect/ls_documents.h"

#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "base/zone.h"

#define TIME_WIDTH 20 /* columns of 2024-06-05T10:11:12Z */
#define MOMENT_WIDTH 16 /* columns of 2024-06-05 10:11 */

void
ls_date(struct out *out, const struct date *date, size_t width)
{
	size_t from = out->text.len;

	if (date->precision == DATE_NONE)
		(void)buf_put_char(&out->text, '-');
	else
		date_print(&out->text, date);
	out_pad(out, from, width);
}

void
ls_document_json(
    const struct document_row *row, struct store *store, struct out *out)
{
	const struct document *document = &row->document;
	struct document parent = {0};
	struct buf *text = &out->text;

	if (row->first_parent_id != 0)
		(void)store_document_get(store, row->first_parent_id, &parent);
	out_json_line(text, "document");
	out_json_string(text, "url", document->url);
	out_json_word(text, "site", row->site);
	out_json_word(text, "index", slice_of(parent.url));
	/* a robots.txt that was never read is recognised by its name */
	out_json_string(text, "kind",
	    document_kind_name(
		selection_is_robots(row) ? KIND_ROBOTS : document->kind));
	out_json_string(text, "outcome",
	    row->reading_id == 0 ? "" : outcome_name(row->outcome));
	out_json_word(text, "failure", row->failure);
	out_json_number(text, "status", (uint64_t)row->status);
	out_json_flag(text, "complete", document->is_complete);
	out_json_flag(text, "unlisted", row->is_unlisted);
	out_json_number(text, "seen", row->seen);
	out_json_number(text, "refused", row->refused);
	out_json_number(text, "entries", document->entries);
	out_json_number(text, "listed_refused", document->refused);
	out_json_string(text, "refused_by",
	    document->refused == 0
		? ""
		: diag_name(verdict_codes[document->refused_by]));
	out_json_number(text, "missed", document->missed);
	out_json_number(text, "dated", row->dated);
	out_json_date(text, "newest", &row->newest);
	out_json_number(text, "errors", row->errors);
	out_json_number(text, "warnings", row->warnings);
	out_json_time(text, "last_read", document->last_read_s);
	out_json_time(text, "last_try", document->last_try_s);
	out_json_line_end(text);
	document_release(&parent);
}

struct ls_list {
	const struct options_listing *listing;
	bool is_json;
	struct store *store;
	struct out *out;
	struct buf status; /* of the document at hand */
	size_t status_width;
};

static struct slice
status_of(struct ls_list *list, const struct document_row *row)
{
	struct buf *status = &list->status;

	buf_clear(status);
	(void)buf_put_slice(status,
	    row->reading_id == 0       ? slice_of("-")
		: row->failure.len > 0 ? row->failure
		: row->is_unlisted     ? slice_of("unlisted")
		: !row->document.is_complete
		? slice_of("partial")
		: slice_of(outcome_name(row->outcome)));
	if (row->document.refused > 0) {
		(void)buf_print(status, ", ");
		verdict_put_refused(
		    status, row->document.refused, row->document.refused_by);
	}
	return buf_text(status);
}

/* The URL stands last, because it has any length; the widths of the other
 * columns hold their longest values. */
static void
put_long(struct ls_list *list, const struct document_row *row)
{
	struct out *out = list->out;
	struct date newest = row->newest;
	size_t from;

	/* the column has room for seconds; --json gives the whole date */
	if (newest.precision > DATE_SECOND)
		newest.precision = DATE_SECOND;

	(void)buf_print(&out->text, "%-8s",
	    document_kind_name(
		selection_is_robots(row) ? KIND_ROBOTS : row->document.kind));
	out_grouped(out, row->document.entries, 11);
	(void)buf_put(&out->text, "  ", 2);
	uint64_t entries = verdict_accepted(
	    row->document.entries, row->document.refused);
	uint64_t dated = row->dated < entries ? row->dated : entries;
	if (entries == 0)
		(void)buf_print(&out->text, "      -  ");
	else if (dated > 0 && dated * 100 < entries)
		(void)buf_print(&out->text, "  < 1 %%  ");
	else
		(void)buf_print(
		    &out->text, "%5u %%  ", (unsigned)(100 * dated / entries));
	ls_date(out, &newest, TIME_WIDTH);
	(void)buf_put(&out->text, "  ", 2);
	if (row->failure.len > 0)
		out_severity(out, SEVERITY_ERROR);
	from = out->text.len;
	out_text(out, status_of(list, row));
	out_pad(out, from, list->status_width);
	if (row->failure.len > 0)
		out_severity(out, SEVERITY_NONE);
	(void)buf_print(&out->text, "  %-*s  ", MOMENT_WIDTH,
	    row->document.last_read_s == 0
		? "-"
		: zone_text(row->document.last_read_s, ZONE_MOMENT).text);
	out_text(out, slice_of(row->document.url));
	(void)buf_put_char(&out->text, '\n');
}

/* The column of the status is as wide as the longest one, which takes a first
 * walk over all documents. */
static bool
widen(void *arg, const struct document_row *row)
{
	struct ls_list *list = arg;
	struct slice status = status_of(list, row);

	if (selection_is_notable(row) && status.len > list->status_width)
		list->status_width = status.len;
	return true;
}

static bool
documents_put_document(void *arg, const struct document_row *row)
{
	struct ls_list *list = arg;

	/* A robots.txt is no sitemap; people see it in the long form, where
	 * its failures matter. */
	if (!selection_is_notable(row) ||
	    (selection_is_robots(row) && !list->listing->is_long &&
		!list->is_json))
		return true;
	if (list->is_json) {
		ls_document_json(row, list->store, list->out);
	} else if (list->listing->is_long) {
		put_long(list, row);
	} else {
		out_text(list->out, slice_of(row->document.url));
		(void)buf_put_char(&list->out->text, '\n');
	}
	return out_line(list->out);
}

void
ls_documents(const struct options_listing *listing, bool is_json,
    const struct selection *selection, struct store *store, struct out *out)
{
	struct ls_list list = {.listing = listing,
	    .is_json = is_json,
	    .store = store,
	    .out = out,
	    .status_width = strlen("STATUS")};

	if (listing->is_long && !is_json) {
		selection_documents(selection, store, widen, &list);
		(void)buf_print(&out->text,
		    "KIND        ENTRIES  LASTMOD  NEWEST                "
		    "%-*s  LAST READ         DOCUMENT\n",
		    (int)list.status_width, "STATUS");
	}
	selection_documents(selection, store, documents_put_document, &list);
	buf_release(&list.status);
}

/* The tree (freshet ls --tree). */

/* No profile follows so many levels of indexes (SPEC R-41). Deeper documents,
 * and documents in a ring of indexes, are printed at the left edge. */
#define MAX_DEPTH 8
#define NONE SIZE_MAX

/* One document; first_child and next are places in tree.nodes. */
struct ls_node {
	int64_t id;
	int64_t parent_id;
	size_t first_child;
	size_t next; /* next one with the same parent */
	char *url; /* owned */
	char *facts; /* owned: what its line says behind the URL */
	bool has_parent;
	bool is_printed;
};

struct ls_tree {
	const struct options_listing *listing;
	struct out *out;
	struct ls_node *nodes; /* owned; sorted by URL */
	size_t count;
	size_t cap;
};

static void
documents_put_facts(const struct ls_tree *tree, const struct document_row *row)
{
	const struct document *document = &row->document;
	struct out *out = tree->out;
	struct buf *text = &out->text;
	bool is_robots = selection_is_robots(row);
	bool is_read = document->last_read_s != 0 && !is_robots;
	struct slice trouble = row->failure;

	if (is_read) {
		(void)buf_print(
		    text, "  %s, ", document_kind_name(document->kind));
		human_put(text, document->entries,
		    document->kind == KIND_INDEX ? "sitemap" : "URL");
		if (document->refused > 0) {
			(void)buf_print(text, ", ");
			verdict_put_refused(
			    text, document->refused, document->refused_by);
		}
	} else if (!is_robots && row->reading_id == 0) {
		(void)buf_print(text, "  not read yet");
	}
	if (!is_robots && tree->listing->is_long &&
	    row->newest.precision != DATE_NONE) {
		(void)buf_print(text, ", newest ");
		date_print(text, &row->newest);
	}
	if (is_read && tree->listing->is_long) {
		(void)buf_print(text, ", read ");
		time_print(text, document->last_read_s);
	}
	/* A document that failed may be unlisted, too: the worst is said. */
	if (trouble.len == 0 && row->is_unlisted)
		trouble = slice_of("unlisted");
	else if (trouble.len == 0 && document->last_read_s != 0 &&
	    !document->is_complete)
		trouble = slice_of("partial");
	if (trouble.len == 0)
		return;
	(void)buf_print(text, is_read ? ", " : "  ");
	out_severity(out, SEVERITY_ERROR);
	out_text(out, trouble);
	if (is_robots && row->status != 0)
		(void)buf_print(text, " (status %d)", row->status);
	out_severity(out, SEVERITY_NONE);
}

static bool
add_node(void *arg, const struct document_row *row)
{
	struct ls_tree *tree = arg;
	struct buf *text = &tree->out->text;
	size_t from = text->len;

	if (!selection_is_notable(row))
		return true;
	/* The row is borrowed, and its line comes behind that of its parent:
	 * the line is made now, and kept. */
	documents_put_facts(tree, row);
	*MEM_PUSH(tree->nodes, tree->count, tree->cap) = (struct ls_node){
	    .id = row->document.id,
	    .parent_id = row->first_parent_id,
	    .first_child = NONE,
	    .next = NONE,
	    .url = mem_copy(row->document.url),
	    .facts = slice_dup(slice_from(buf_text(text), from))};
	text->len = from;
	return true;
}

/* A ring of indexes ends here, because a node is printed once. */
static void
put_node(struct ls_tree *tree, size_t at, unsigned depth)
{
	struct ls_node *node = &tree->nodes[at];

	if (node->is_printed || depth > MAX_DEPTH)
		return;
	node->is_printed = true;
	for (unsigned i = 0; i < depth; i++)
		(void)buf_put(&tree->out->text, "  ", 2);
	out_text(tree->out, slice_of(node->url));
	(void)buf_print(&tree->out->text, "%s\n", node->facts);
	if (!out_line(tree->out))
		return;
	for (size_t i = node->first_child; i != NONE; i = tree->nodes[i].next)
		put_node(tree, i, depth + 1);
}

static bool
add_site(void *arg, const struct document_row *row)
{
	string_set_add(arg, row->site);
	return true;
}

void
ls_tree(const struct options_listing *listing,
    const struct selection *selection, struct store *store, struct out *out)
{
	struct ls_tree tree = {.listing = listing, .out = out};
	struct string_set sites = {0};

	if (selection->site != NULL)
		string_set_add(&sites, slice_of(selection->site));
	else
		store_each_document(store, DOCUMENTS_OF_SITE, (struct slice){0},
		    add_site, &sites);
	for (size_t i = 0; i < sites.count && out->error == 0; i++) {
		store_each_document(store, DOCUMENTS_OF_SITE,
		    slice_of(sites.items[i]), add_node, &tree);
		struct idmap places = {0};

		for (size_t k = 0; k < tree.count; k++)
			idmap_put(&places, tree.nodes[k].id, (uint32_t)k);
		/* From the last node to the first, so that children stand in
		 * the order of their URLs. */
		for (size_t k = tree.count; k-- > 0;) {
			struct ls_node *node = &tree.nodes[k];
			uint32_t at = idmap_get(&places, node->parent_id);

			if (at == IDMAP_NONE || at == k)
				continue;
			node->has_parent = true;
			node->next = tree.nodes[at].first_child;
			tree.nodes[at].first_child = k;
		}
		free(places.slots);

		out_text(tree.out, slice_of(sites.items[i]));
		(void)buf_put_char(&tree.out->text, '\n');
		for (size_t k = 0; k < tree.count; k++)
			if (selection->document == NULL
				? !tree.nodes[k].has_parent
				: slice_is(slice_of(selection->document),
				      tree.nodes[k].url))
				put_node(&tree, k, 1);
		/* What is left hangs on nothing, or on a ring. */
		for (size_t k = 0;
		     selection->document == NULL && k < tree.count; k++)
			put_node(&tree, k, 1);
		for (size_t k = 0; k < tree.count; k++) {
			free(tree.nodes[k].url);
			free(tree.nodes[k].facts);
		}
		tree.count = 0;
	}
	free(tree.nodes);
	string_set_release(&sites);
}
