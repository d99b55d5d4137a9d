/* The documents of a site as a tree (freshet ls --tree). */
#include <stdlib.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/verdict.h"
#include "crawler/inspect/ls_documents.h"
#include "store/location.h"

/* Deeper than any profile follows (SPEC R-41); what lies below, or in a ring
 * of indexes, is printed at the edge. */
#define MAX_DEPTH 8
#define NONE SIZE_MAX

/* One document; links are places in tree.nodes. */
struct node {
	int64_t id;
	int64_t parent_id;
	size_t first_child;
	size_t next; /* with the same parent */
	char *url; /* owned */
	char *failure; /* owned, NULL: none */
	struct date newest;
	int64_t read_s;
	uint64_t entries;
	uint64_t refused;
	enum verdict refused_by;
	enum document_kind kind;
	int status; /* of HTTP, at the latest attempt */
	bool is_tried;
	bool is_complete;
	bool is_unlisted;
	bool is_robots;
	bool has_parent;
	bool is_printed;
};

struct tree {
	const struct options *options;
	struct out *out;
	struct node *nodes; /* in order of URL */
	size_t count;
	size_t cap;
};

static bool
add_node(void *arg, const struct document_row *row)
{
	struct tree *tree = arg;
	struct node *node;

	if (!selection_is_notable(row))
		return true;
	tree->nodes = mem_grow(
	    tree->nodes, &tree->cap, tree->count + 1, sizeof(*tree->nodes));
	node = &tree->nodes[tree->count++];
	*node = (struct node){.id = row->document.id,
	    .parent_id = row->first_parent_id,
	    .first_child = NONE,
	    .next = NONE,
	    .url = mem_copy(row->document.url),
	    .newest = row->newest,
	    .read_s = row->document.last_read_s,
	    .entries = row->document.entries,
	    .refused = row->document.refused,
	    .refused_by = row->document.refused_by,
	    .kind = row->document.kind,
	    .status = row->status,
	    .is_tried = row->reading_id != 0,
	    .is_complete = row->document.is_complete,
	    .is_unlisted = row->is_unlisted,
	    .is_robots = selection_is_robots(row)};
	if (row->failure.len > 0)
		node->failure = slice_dup(row->failure);
	return true;
}

struct place {
	int64_t id;
	size_t at;
};

static int
by_id(const void *a, const void *b)
{
	const struct place *x = a;
	const struct place *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* link_nodes(tree): children under their index, in the order of the nodes. */
static void
link_nodes(struct tree *tree)
{
	struct place *places = mem_alloc((tree->count + 1) * sizeof(*places));

	for (size_t i = 0; i < tree->count; i++)
		places[i] = (struct place){tree->nodes[i].id, i};
	qsort(places, tree->count, sizeof(*places), by_id);
	for (size_t i = tree->count; i-- > 0;) {
		struct node *node = &tree->nodes[i];
		struct place key = {.id = node->parent_id};
		struct place *place = bsearch(
		    &key, places, tree->count, sizeof(*places), by_id);

		if (place == NULL || place->at == i)
			continue;
		node->has_parent = true;
		node->next = tree->nodes[place->at].first_child;
		tree->nodes[place->at].first_child = i;
	}
	free(places);
}

static void
put_time(struct tree *tree, const char *what, const struct date *date)
{
	if (date->precision == DATE_NONE)
		return;
	(void)buf_print(&tree->out->text, ", %s ", what);
	date_print(&tree->out->text, date);
}

/* put_trouble(tree, node): what is wrong with it, if anything is. */
static void
put_trouble(struct tree *tree, const struct node *node)
{
	struct out *out = tree->out;
	bool is_partial = node->read_s != 0 && !node->is_complete;
	const char *what = node->failure != NULL ? node->failure
	    : node->is_unlisted                  ? "unlisted"
	    : is_partial                         ? "partial"
						 : NULL;

	if (what == NULL)
		return;
	(void)buf_put_slice(&out->text,
	    slice_of(node->read_s != 0 && !node->is_robots ? ", " : "  "));
	out_severity(out, SEVERITY_ERROR);
	out_text(out, slice_of(what));
	if (node->is_robots && node->status != 0)
		(void)buf_print(&out->text, " (status %d)", node->status);
	out_severity(out, SEVERITY_NONE);
}

/* put_facts(tree, node): "urlset, 50,000 URLs" and what is wrong. */
static void
put_facts(struct tree *tree, const struct node *node)
{
	struct out *out = tree->out;
	const char *one = node->kind == KIND_INDEX ? "sitemap" : "URL";
	struct date read = {.epoch_s = node->read_s,
	    .precision = node->read_s == 0 ? DATE_NONE : DATE_SECOND};

	if (node->is_robots) {
		put_trouble(tree, node);
		return;
	}
	if (node->read_s != 0) {
		(void)buf_print(
		    &out->text, "  %s, ", document_kind_name(node->kind));
		out_grouped(out, node->entries, 0);
		(void)buf_print(
		    &out->text, " %s%s", one, node->entries == 1 ? "" : "s");
		if (node->refused > 0) {
			(void)buf_print(&out->text, ", ");
			verdict_put_refused(
			    &out->text, node->refused, node->refused_by);
		}
	} else if (!node->is_tried) {
		(void)buf_put_slice(&out->text, slice_of("  not read yet"));
	}
	if (tree->options->is_long) {
		put_time(tree, "newest", &node->newest);
		put_time(tree, "read", &read);
	}
	put_trouble(tree, node);
}

static void
put_node(struct tree *tree, size_t at, unsigned depth)
{
	struct node *node = &tree->nodes[at];

	if (node->is_printed || depth > MAX_DEPTH)
		return;
	node->is_printed = true;
	for (unsigned i = 0; i < depth; i++)
		(void)buf_put(&tree->out->text, "  ", 2);
	out_text(tree->out, slice_of(node->url));
	put_facts(tree, node);
	(void)buf_put_char(&tree->out->text, '\n');
	if (!out_line(tree->out))
		return;
	for (size_t i = node->first_child; i != NONE; i = tree->nodes[i].next)
		put_node(tree, i, depth + 1);
}

static void
put_site(struct tree *tree, const char *site, const char *document)
{
	out_text(tree->out, slice_of(site));
	(void)buf_put_char(&tree->out->text, '\n');
	for (size_t i = 0; i < tree->count; i++)
		if (document == NULL
			? !tree->nodes[i].has_parent
			: slice_is(slice_of(document), tree->nodes[i].url))
			put_node(tree, i, 1);
	for (size_t i = 0; document == NULL && i < tree->count; i++)
		put_node(tree, i, 1);
	for (size_t i = 0; i < tree->count; i++) {
		free(tree->nodes[i].url);
		free(tree->nodes[i].failure);
	}
	tree->count = 0;
}

static bool
add_site(void *arg, const struct document_row *row)
{
	string_set_add(arg, row->site);
	return true;
}

void
ls_tree(const struct options *options, const struct selection *selection,
    struct store *store, struct out *out)
{
	struct tree tree = {.options = options, .out = out};
	struct string_set sites = {0};

	if (selection->site != NULL)
		string_set_add(&sites, slice_of(selection->site));
	else
		store_each_document(store, (struct slice){0}, add_site, &sites);
	for (size_t i = 0; i < sites.count && out->error == 0; i++) {
		store_each_document(
		    store, slice_of(sites.items[i]), add_node, &tree);
		link_nodes(&tree);
		put_site(&tree, sites.items[i], selection->document);
	}
	free(tree.nodes);
	string_set_release(&sites);
}
