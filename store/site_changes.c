/* The changes of a site by which pages came and went, and which of them are
 * moves (store/site_moves.h). */
#include "store/site_changes.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"
#include "store/db.h"
#include "store/query.h"

/* A reading in which pages of the site came or went. */
struct changing {
	int64_t id, document_id, at_s, since_s;
};

/* Add the events of a reading. */
static void
add_changes(struct site_changes *changes, struct store *store,
    const struct changing *reading)
{
	struct moved_page page = {.reading_id = reading->id,
	    .document_id = reading->document_id,
	    .read_s = reading->at_s};
	struct block_source *source = block_source_new(
	    store, BLOCKS_OF_DELTA, page.reading_id);
	struct block_reader *reader = block_source_reader(source);
	struct change change;
	struct buf bits = BUF_UP_TO(SIZE_MAX);

	store_elsewhere(store, page.reading_id, &bits);
	for (; block_next_change(reader, &change); page.at++) {
		if ((change.kind != DELTA_ADDED && change.kind != DELTA_GONE &&
			change.kind != DELTA_REMOVED) ||
		    elsewhere_has(buf_text(&bits), page.at))
			continue;
		page.kind = change.kind;
		page.verdict = change.verdict;
		page.at_s = delta_at_s(
		    change.kind, reading->at_s, reading->since_s);
		page.lastmod = change.kind == DELTA_ADDED ? change.after
							  : change.before;
		page.url = slice_make(slice_dup(change.url), change.url.len);
		if (change.kind == DELTA_REMOVED) {
			*MEM_PUSH(changes->removed, changes->removed_count,
			    changes->removed_cap) = page;
		} else {
			*MEM_PUSH(changes->pages, changes->count,
			    changes->cap) = page;
		}
	}
	block_source_close(source, "reading", page.reading_id);
	buf_release(&bits);
}

static const struct sort_key by_url[] = {
    {SORT_KEY(struct moved_page, url)}, {0}};
static const struct sort_key by_time[] = {
    {SORT_KEY(struct move, to.at_s)}, {SORT_KEY(struct move, to.url)}, {0}};
static const struct sort_key by_place[] = {
    {SORT_KEY(struct move_part, reading_id)}, {SORT_KEY(struct move_part, at)},
    {0}};

static void
find_moves(
    struct site_changes *changes, const struct site_moves_options *options)
{
	changes->moves = site_moves_find(options, &changes->move_count);
	sort_rows(changes->removed, changes->removed_count,
	    sizeof(*changes->removed), by_url);
	sort_rows(changes->moves, changes->move_count, sizeof(*changes->moves),
	    by_time);
	changes->parts = mem_zero(
	    (3 * changes->move_count + 1) * sizeof(*changes->parts));
	for (size_t i = 0; i < changes->move_count; i++) {
		struct move *move = &changes->moves[i];

		/* Find the last reading that missed the page before it went. */
		const struct moved_page *removed = changes->removed;
		size_t low = sort_from(&move->from, removed,
		    changes->removed_count, sizeof(*removed), by_url);

		for (; low < changes->removed_count &&
		     slice_equal(removed[low].url, move->from.url);
		     low++) {
			if (removed[low].reading_id >= move->from.reading_id ||
			    removed[low].at_s < move->from.at_s ||
			    (move->was_removed &&
				move->removed.at_s > removed[low].at_s))
				continue;
			move->was_removed = true;
			move->removed = removed[low];
		}

		const struct moved_page *const pages[] = {
		    &move->from, &move->to, &move->removed};

		for (size_t k = 0; k < (move->was_removed ? 3u : 2u); k++)
			changes
			    ->parts[changes->part_count++] = (struct move_part){
			    pages[k]->reading_id, pages[k]->at, (uint32_t)i,
			    (enum delta_kind)pages[k]->kind};
	}
	sort_rows(changes->parts, changes->part_count, sizeof(*changes->parts),
	    by_place);
}

struct site_changes *
site_changes_new(struct store *store, int64_t site_id,
    const struct renamings *renamings, int64_t from_s)
{
	struct site_changes *changes = mem_zero(sizeof(*changes));

	struct sqlite3_stmt *stmt = db_loop_ints(store, SQL_SITE_CHANGING, 2,
	    (int64_t[]){
		site_id, from_s > MOVES_APART_S ? from_s - MOVES_APART_S : 0});
	struct changing *rows = NULL;
	size_t row_count = 0, cap = 0;
	uint64_t count = 0;

	/* Each reading has a change, so these are no more than CHANGES_MOST. */
	while (count <= CHANGES_MOST && db_row(store, stmt)) {
		*MEM_PUSH(rows, row_count, cap) = (struct changing){
		    .id = db_id(store, stmt, 0),
		    .document_id = db_id(store, stmt, 1),
		    .at_s = db_time(store, stmt, 2),
		    .since_s = db_time(store, stmt, 3)};
		count += db_count(store, stmt, 4);
	}
	db_done(stmt);
	changes->is_compared = count <= CHANGES_MOST;
	/* A damaged store may have more changes than it counts. */
	for (size_t i = 0; i < row_count && changes->is_compared &&
	     changes->count + changes->removed_count <= CHANGES_MOST;
	     i++)
		add_changes(changes, store, &rows[i]);
	free(rows);

	find_moves(changes,
	    &(struct site_moves_options){.store = store,
		.site_id = site_id,
		.renamings = renamings,
		.pages = changes->pages,
		.count = changes->count});
	return changes;
}

void
site_changes_free(struct site_changes *changes)
{
	if (changes == NULL)
		return;
	for (size_t i = 0; i < changes->count; i++)
		free((char *)(uintptr_t)changes->pages[i].url.p);
	free(changes->pages);
	for (size_t i = 0; i < changes->removed_count; i++)
		free((char *)(uintptr_t)changes->removed[i].url.p);
	free(changes->removed);
	free(changes->moves);
	free(changes->parts);
	free(changes);
}

enum delta_kind
site_changes_find(const struct site_changes *changes, int64_t reading_id,
    uint64_t at, const struct move **move)
{
	struct move_part key = {.reading_id = reading_id, .at = (uint32_t)at};
	const struct move_part *part = sort_find(&key, changes->parts,
	    changes->part_count, sizeof(*changes->parts), by_place);

	if (part == NULL)
		return DELTA_KINDS;
	*move = &changes->moves[part->move];
	return part->kind;
}

/* Walks over what readings changed. */

struct change_walk {
	const struct reading_row *reading;
	const struct site_changes *moves;
	bool is_of_site;
	struct buf elsewhere; /* see store_elsewhere() */
	uint64_t at; /* the place of the next change in the delta */
	change_walk_fn *fn;
	void *arg;
};

static bool
change_walk_change(void *arg, const struct change *change)
{
	struct change_walk *walk = arg;
	const struct move *move = NULL;
	uint64_t at = walk->at++;
	bool is_verdict = change->kind == DELTA_REFUSED ||
	    change->kind == DELTA_ACCEPTED;
	/* What stays in a document without pages is a child. */
	bool is_of_child = delta_rows[change->kind].way == DELTA_STAYS &&
	    !walk->reading->lists_pages;

	if (walk->is_of_site &&
	    (is_of_child ||
		(!is_verdict && elsewhere_has(buf_text(&walk->elsewhere), at))))
		return true;
	if (walk->moves != NULL)
		(void)site_changes_find(
		    walk->moves, walk->reading->id, at, &move);
	return walk->fn(walk->arg, walk->reading, change, move);
}

void
reading_change_walk(struct store *store, const struct reading_row *reading,
    bool is_of_site, const struct site_changes *moves, change_walk_fn *fn,
    void *arg)
{
	struct change_walk walk = {.reading = reading,
	    .moves = moves,
	    .is_of_site = is_of_site,
	    .fn = fn,
	    .arg = arg};

	if (!reading->has_delta)
		return;
	if (is_of_site)
		store_elsewhere(store, reading->id, &walk.elsewhere);
	store_each_change(store, reading->id, change_walk_change, &walk);
	buf_release(&walk.elsewhere);
}
