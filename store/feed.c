/* The feed's tables. */
#include "store/feed.h"

#include <stdlib.h>

#include "store/db.h"

/* Consumers. */

void
feed_consumer_release(struct feed_consumer *consumer)
{
	free(consumer->name);
	free(consumer->tags);
	free(consumer->cursor);
	*consumer = (struct feed_consumer){0};
}

static struct feed_consumer
consumer_row(struct store *store, struct sqlite3_stmt *stmt)
{
	return (struct feed_consumer){.id = db_id(store, stmt, 0),
	    .serial = db_int(stmt, 1),
	    .name = db_str(stmt, 2),
	    .tags = db_str(stmt, 3),
	    .cursor = db_str(stmt, 4),
	    .made_s = db_time(store, stmt, 5),
	    .acked_s = db_time(store, stmt, 6)};
}

bool
store_feed_get(
    struct store *store, struct slice name, struct feed_consumer *consumer)
{
	struct sqlite3_stmt *stmt = db_use_text(store, SQL_FEED_GET, name);
	bool is_there;

	is_there = db_row(store, stmt);
	if (is_there)
		*consumer = consumer_row(store, stmt);
	db_done(stmt);
	return is_there;
}

void
store_each_feed(struct store *store, store_feed_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_FEED_EACH);

	while (db_row(store, stmt)) {
		struct feed_consumer consumer = consumer_row(store, stmt);

		if (store->failed == DIAG_OK)
			fn(arg, &consumer);
		feed_consumer_release(&consumer);
	}
}

void
store_feed_make(
    struct store *store, struct slice name, struct slice tags, int64_t now_s)
{
	(void)db_put(store, SQL_FEED_MAKE,
	    DB_ROW(AS_TEXT(name), AS_TEXT(tags), AS_INT(now_s)));
}

void
store_feed_forget(struct store *store, int64_t feed_id)
{
	store_feed_member(store, feed_id, 0, false);
	db_put_id(store, SQL_FEED_FORGET, feed_id);
}

void
store_feed_ack(
    struct store *store, int64_t feed_id, struct slice cursor, int64_t now_s)
{
	(void)db_put(store, SQL_FEED_ACK,
	    DB_ROW(AS_INT(feed_id), AS_TEXT(cursor), AS_INT(now_s)));
}

void
store_feed_member(
    struct store *store, int64_t feed_id, int64_t site_id, bool is_member)
{
	db_put_ints(store, is_member ? SQL_FEED_JOIN : SQL_FEED_LEAVE, 2,
	    (int64_t[]){feed_id, site_id});
}

/* The sequences. */

void
store_feed_ends(struct store *store, struct feed_ends *ends)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_FEED_ENDS);

	*ends = (struct feed_ends){0};
	if (db_row(store, stmt))
		*ends = (struct feed_ends){.reading_id = db_int(stmt, 0),
		    .outcome_id = db_int(stmt, 1),
		    .robots_id = db_int(stmt, 2),
		    .unknown_id = db_int(stmt, 3),
		    .pruned_reading_id = db_int(stmt, 4),
		    .pruned_outcome_id = db_int(stmt, 5),
		    .pruned_robots_id = db_int(stmt, 6),
		    .pruned_unknown_id = db_int(stmt, 7)};
	db_done(stmt);
}

void
store_each_feed_step(struct store *store, enum feed_sequence sequence,
    int64_t after_id, store_feed_step_fn *fn, void *arg)
{
	static const enum statement statements[] = {
	    [FEED_READINGS] = SQL_FEED_READINGS,
	    [FEED_OUTCOMES] = SQL_FEED_OUTCOMES,
	    [FEED_ROBOTS] = SQL_FEED_ROBOTS,
	    [FEED_UNKNOWN] = SQL_FEED_UNKNOWN};
	struct sqlite3_stmt *stmt = db_loop_id(
	    store, statements[sequence], after_id);
	bool goes_on = true;

	while (goes_on && db_row(store, stmt)) {
		struct feed_step step = {.id = db_id(store, stmt, 0)};

		switch (sequence) {
		case FEED_READINGS:
			step.document_id = db_id(store, stmt, 1);
			step.site_id = db_id(store, stmt, 2);
			step.at_s = db_time(store, stmt, 3);
			step.has_delta = db_int(stmt, 4) > 0;
			step.redated = db_count(store, stmt, 5);
			step.dated = db_count(store, stmt, 6);
			step.pages = (unsigned)db_int(stmt, 7);
			break;
		case FEED_OUTCOMES:
			step.site_id = db_id(store, stmt, 1);
			step.at_s = db_time(store, stmt, 2);
			step.is_changed = db_int(stmt, 3) != 0;
			step.has_turned = db_int(stmt, 4) != 0;
			step.url = db_whole_url(store, stmt, 5);
			break;
		case FEED_ROBOTS:
			step.origin_id = db_id(store, stmt, 1);
			step.at_s = db_time(store, stmt, 2);
			step.url = db_url(store, stmt, 3);
			step.body = db_blob(stmt, 4);
			break;
		case FEED_UNKNOWN:
			step.site_id = db_id(store, stmt, 1);
			step.url = db_whole_url(store, stmt, 2);
			break;
		}
		goes_on = store->failed == DIAG_OK && fn(arg, &step);
	}
	db_done(stmt);
}
