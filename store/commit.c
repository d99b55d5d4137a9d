/* Commits: what waits, and the one transaction that makes it durable. */
#include "store/commit.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/statvfs.h>

#include "base/mem.h"
#include "store/apply.h"
#include "store/db.h"
#include "store/reach.h"

/* DESIGN section 7: commits are grouped. */
#define GROUP_READINGS 64
#define GROUP_BYTES (8u << 20)

uint64_t
commit_room_bytes(const struct store *store)
{
	struct statvfs fs;

	return fstatvfs(store->lock_fd, &fs) == 0
	    ? (uint64_t)fs.f_bavail * fs.f_frsize
	    : UINT64_MAX;
}

bool
commit_has_room(const struct store *store)
{
	return store->min_free_bytes == 0 ||
	    commit_room_bytes(store) >= store->min_free_bytes;
}

struct link_set *
commit_links(struct store *store, int64_t index_id)
{
	for (size_t i = 0; i < store->link_set_count; i++)
		if (store->link_sets[i].index_id == index_id)
			return &store->link_sets[i];
	store->link_sets = mem_grow(store->link_sets, &store->link_set_cap,
	    store->link_set_count + 1, sizeof(*store->link_sets));
	struct link_set *set = &store->link_sets[store->link_set_count++];
	*set = (struct link_set){.index_id = index_id};
	return set;
}

/* Links live and die with the reading of their index. */
static void
drop_links(struct store *store, int64_t index_id)
{
	for (size_t i = 0; i < store->link_set_count; i++) {
		if (store->link_sets[i].index_id != index_id)
			continue;
		free(store->link_sets[i].items);
		store->link_sets[i] = store->link_sets[--store->link_set_count];
		return;
	}
}

void
commit_drop(struct store *store)
{
	for (size_t i = 0; i < store->queue_count; i++)
		reading_free(store->queue[i].reading);
	free(store->queue);
	for (size_t i = 0; i < store->link_set_count; i++)
		free(store->link_sets[i].items);
	free(store->link_sets);
	free(store->doubts);
	store->queue = NULL;
	store->link_sets = NULL;
	store->doubts = NULL;
	store->doubt_count = store->doubt_cap = 0;
	store->queue_count = store->queue_cap = 0;
	store->link_set_count = store->link_set_cap = 0;
}

static uint64_t
list_bytes(const struct block_list *list)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < list->count; i++)
		bytes += list->items[i].len;
	return bytes;
}

/* What no reader of ours sends cannot be stored either. */
static bool
is_storable(const struct block_list *list)
{
	if (list->count > BLOCKS_MAX)
		return false;
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].len > BLOCK_MAX_BYTES)
			return false;
	return true;
}

bool
store_submit(struct store *store, struct reading *reading, store_done_fn *done,
    void *arg)
{
	struct content *content = &reading->content;

	assert(!store->is_read_only);
	if (!is_storable(&content->segment) || !is_storable(&content->delta)) {
		content->failure = DIAG_READER_KILLED;
		findings_add(&content->findings, DIAG_READER_KILLED, 0,
		    slice_of("more blocks than can be stored"));
	}
	store->queue = mem_grow(store->queue, &store->queue_cap,
	    store->queue_count + 1, sizeof(*store->queue));
	store->queue[store->queue_count++] = (struct waiting){
	    .reading = reading,
	    .done = done,
	    .arg = arg,
	};
	store->queue_bytes += list_bytes(&content->segment) +
	    list_bytes(&content->delta);
	return store->queue_count >= GROUP_READINGS ||
	    store->queue_bytes >= GROUP_BYTES;
}

bool
store_pending(const struct store *store)
{
	return store->is_writing || store->queue_count > 0;
}

enum diag_code
store_failed(const struct store *store)
{
	return store->failed;
}

const char *
store_trouble(struct store *store)
{
	return buf_str(&store->trouble);
}

/* latest_s(store): of what waits, when the last was asked for. */
static int64_t
latest_s(const struct store *store)
{
	int64_t at_s = 0;

	for (size_t i = 0; i < store->queue_count; i++)
		if (store->queue[i].reading->at_s > at_s)
			at_s = store->queue[i].reading->at_s;
	return at_s;
}

static void
write_all(struct store *store)
{
	if (!home_is_ours(store)) {
		store_damaged(store,
		    "file: it was removed, or another took "
		    "its place");
		return;
	}
	if (!commit_has_room(store)) {
		db_fail(store, DIAG_DISK_FULL);
		return;
	}
	for (size_t i = 0; i < store->queue_count; i++) {
		struct waiting *waiting = &store->queue[i];
		struct reading *reading = waiting->reading;

		if (!db_begin(store))
			return;
		waiting->reading_id = apply_reading(
		    store, reading, commit_links(store, reading->document_id));
	}
	if (!db_begin(store))
		return;
	/* What nothing was asked for since can wait. */
	if (store->queue_count > 0)
		reach_settle(store, latest_s(store));
	db_run(store, db_use(store, SQL_COMMIT));
}

/* Take back what was not committed; SQLite may have done so already. */
static void
roll_back(struct store *store)
{
	sqlite3_stmt *stmt = db_use(store, SQL_ROLLBACK);

	if (!sqlite3_get_autocommit(store->db))
		(void)sqlite3_step(stmt);
	sqlite3_reset(stmt);
	store->is_writing = false;
	commit_drop(store);
}

enum diag_code
store_flush(struct store *store)
{
	if (!store_pending(store))
		return store->failed;
	if (store->failed == DIAG_OK)
		write_all(store);
	if (store->failed != DIAG_OK) {
		roll_back(store);
		return store->failed;
	}
	store->is_writing = false;

	/* done may submit again: that waits for the next COMMIT. */
	struct waiting *queue = store->queue;
	size_t count = store->queue_count;
	store->queue = NULL;
	store->queue_count = store->queue_cap = 0;
	store->queue_bytes = 0;
	for (size_t i = 0; i < count; i++)
		drop_links(store, queue[i].reading->document_id);
	for (size_t i = 0; i < count; i++) {
		queue[i].done(
		    queue[i].arg, queue[i].reading, queue[i].reading_id);
		reading_free(queue[i].reading);
	}
	free(queue);
	return store->failed;
}
