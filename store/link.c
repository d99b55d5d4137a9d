/* Links from indexes to documents, and which children are accepted. */
#include "store/link.h"

#include <stdlib.h>

#include "base/mem.h"
#include "store/db.h"

void
link_sets_clear(struct link_sets *sets)
{
	for (size_t i = 0; i < sets->count; i++)
		free(sets->items[i].items);
	sets->count = 0;
}

struct link_set *
link_set_of(struct store *store, int64_t index_id)
{
	struct link_sets *sets = &store->link_sets;

	for (size_t i = 0; i < sets->count; i++)
		if (sets->items[i].index_id == index_id)
			return &sets->items[i];
	struct link_set *set = MEM_PUSH(sets->items, sets->count, sets->cap);
	*set = (struct link_set){.index_id = index_id};
	return set;
}

void
store_link(struct store *store, int64_t index_id, int64_t child_id,
    const struct date *lastmod)
{
	struct link_set *set = link_set_of(store, index_id);

	*MEM_PUSH(set->items, set->count, set->cap) = (struct link){
	    child_id, *lastmod};
}

void
store_each_child(
    struct store *store, int64_t index_id, store_child_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop_id(
	    store, SQL_LINK_CHILDREN, index_id);

	while (db_row(store, stmt)) {
		struct date lastmod = db_date(stmt, 1);
		int64_t child_id = db_id(store, stmt, 0);

		if (store->failed == DIAG_OK)
			fn(arg, child_id, &lastmod);
	}
}

void
store_children_after(struct store *store, int64_t index_id, bool is_held,
    int64_t after_id, unsigned most, store_child_url_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop_ints(store, SQL_LINK_CHILDREN_AFTER,
	    4, (int64_t[]){index_id, after_id, most, is_held});

	while (db_row(store, stmt)) {
		struct date lastmod = db_date(stmt, 1);
		int64_t child_id = db_id(store, stmt, 0);
		struct slice url = db_whole_url(store, stmt, 4);

		if (store->failed == DIAG_OK)
			fn(arg, child_id, url, &lastmod, db_int(stmt, 5) > 0);
	}
}

void
store_each_parent(
    struct store *store, int64_t child_id, store_parent_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop_id(
	    store, SQL_LINK_PARENTS, child_id);

	while (db_row(store, stmt)) {
		struct slice url = db_url(store, stmt, 1);
		int64_t index_id = db_id(store, stmt, 0);

		if (store->failed == DIAG_OK)
			fn(arg, index_id, url);
	}
}

/* Accepting the children of an index. */

struct accept {
	struct accept_options options;
	/* allows long URLs: R-24 was applied to the raw ones */
	struct profile parsing;
	struct block_walk walk; /* the blocks of the segment */
	struct block_reader *reader;
	struct url url;
};

struct accept *
accept_new(const struct accept_options *options)
{
	struct accept *accept = mem_zero(sizeof(*accept));

	accept->options = *options;
	accept->parsing = options->scope->profile;
	accept->parsing.max_loc_chars = URL_MAX_BYTES;
	accept->walk.list = &options->content->segment;
	accept->reader = block_reader_new(block_walk_pull, &accept->walk);
	link_set_of(options->store, options->index_id)->count = 0;
	return accept;
}

void
accept_free(struct accept *accept)
{
	if (accept == NULL)
		return;
	block_reader_free(accept->reader);
	url_release(&accept->url);
	free(accept);
}

static enum diag_code
accept_take(struct accept *accept, const struct entry *entry)
{
	const struct accept_options *options = &accept->options;
	struct store *store = options->store;
	struct location_verdict verdict;
	struct slice url;
	enum diag_code code;
	int64_t id;

	code = url_parse(&accept->url, entry->url, NULL, &accept->parsing,
	    (struct diag_sink){0});
	if (code != DIAG_OK)
		return code;
	url = url_text(&accept->url);
	if (url.len > URL_MAX_SITEMAP_BYTES)
		return DIAG_URL_TOO_LONG;
	verdict = location_judge(options->scope, &accept->url, SUBJECT_CHILD);
	if (!verdict.is_accepted)
		return verdict.code;
	id = store_document_id(store, options->site_id, url);
	/* When the limit is reached, a new child gets no row at all. */
	if (options->is_full(options->arg) &&
	    !options->is_counted(options->arg, id))
		return DIAG_BUDGET_REACHED;
	if (id == 0) {
		/* The URL is new, so that no other index can list it yet. */
		struct document document;

		store_document(store, options->site_id, url, &document);
		id = document.id;
		document_release(&document);
	} else if (db_first(store,
		       db_use_ints(store, SQL_LINK_OTHERS, 3,
			   (int64_t[]){id, options->index_id,
			       ACCEPT_PARENTS_MAX})) == ACCEPT_PARENTS_MAX) {
		/* Links that were missed count, too: counting stops there. */
		return DIAG_BUDGET_REACHED;
	}
	code = options->child(options->arg, id, url);
	if (code == DIAG_OK)
		store_link(store, options->index_id, id, &entry->lastmod);
	return code;
}

enum accept_state
accept_step(struct accept *accept, unsigned max)
{
	struct content *content = accept->options.content;
	struct entry entry;

	while (max-- > 0) {
		enum diag_code code;

		if (!block_next(accept->reader, &entry))
			return block_reader_damaged(accept->reader)
			    ? ACCEPT_DAMAGED
			    : ACCEPT_OVER;
		if (entry_is_absent(&entry) ||
		    entry.verdict != VERDICT_ACCEPTED)
			continue;
		code = accept_take(accept, &entry);
		if (code == DIAG_OK)
			continue;
		findings_add(&content->findings, code, 0, entry.url);
		content->refused++;
	}
	return ACCEPT_MORE;
}
