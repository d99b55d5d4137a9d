/* What robots.txt of an origin said, and what that proves. */
#include "store/proof.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/robots.h"
#include "store/db.h"
#include "store/document.h"
#include "store/origin.h"
#include "store/page.h"
#include "store/reach.h"
#include "store/robots_text.h"

#define RULES_BYTES (32u << 20) /* memory for the rules of all origins */

struct rules_item {
	struct robots *robots; /* owned; NULL: the number is free */
	bool repairs; /* it was parsed with repairs */
};

struct rules_table {
	struct names names; /* origins that have rules here */
	struct rules_item *items; /* owned; numbered as the names are */
	size_t count, cap;
	size_t bytes; /* of all rules */
};

bool
store_knows_origin(struct store *store, struct slice origin)
{
	return store_origin_find(store, origin) != 0;
}

static void
put_fact(struct store *store, int64_t id, const struct robots_fact *fact)
{
	struct sqlite3_stmt *stmt = db_use_ints(store, SQL_ORIGIN_SET, 5,
	    (int64_t[]){id, fact->fetched_s, fact->expires_s,
		fact->failing_since_s, fact->status});

	if (fact->has_body)
		db_bind_blob(stmt, 6, fact->body);
	(void)db_write(store, stmt);
}

void
rules_table_free(struct rules_table *rules)
{
	if (rules == NULL)
		return;
	for (size_t i = 0; i < rules->count; i++)
		robots_free(rules->items[i].robots);
	free(rules->items);
	names_release(&rules->names);
	free(rules);
}

static void
rules_drop(struct rules_table *rules, uint32_t number)
{
	struct rules_item *item = &rules->items[number];

	if (item->robots == NULL)
		return;
	rules->bytes -= robots_bytes(item->robots);
	robots_free(item->robots);
	item->robots = NULL;
	names_remove(&rules->names, number);
}

/* The file is another one now. */
static void
rules_forget(struct store *store, struct slice origin)
{
	struct rules_table *rules = store->rules_table;
	uint32_t number = rules == NULL ? NAMES_NONE
					: names_find(&rules->names, origin);

	if (number != NAMES_NONE)
		rules_drop(rules, number);
}

uint64_t
store_robots(struct store *store, const struct robots_fact *fact)
{
	int64_t id = store_origin_make(store, fact->origin);
	struct sqlite3_stmt *stmt = db_use(store, SQL_PROOF_CLEAR);

	if (fact->failing_since_s == 0)
		robots_text_keep(store, id, fact);
	rules_forget(store, fact->origin);
	put_fact(store, id, fact);
	db_bind_int(stmt, 1, id);
	(void)db_write(store, stmt);
	for (uint32_t i = 0; i < fact->sitemap_count; i++) {
		stmt = db_use_id(store, SQL_PROOF_ADD, id);
		db_bind_text(stmt, 2, fact->sitemaps[i]);
		db_bind_int(stmt, 3, fact->lines[i]);
		db_bind_int(stmt, 4, fact->fetched_s);
		(void)db_write(store, stmt);
	}
	return fact->failing_since_s == 0 ? reach_robots(store, id, fact) : 0;
}

bool
store_robots_get(struct store *store, struct slice origin,
    struct robots_fact *fact, struct buf *body)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_ORIGIN_FACTS);

	*fact = (struct robots_fact){.origin = origin};
	db_bind_text(stmt, 1, origin);
	bool is_there = db_row(store, stmt);
	if (is_there) {
		struct slice stored = db_blob(stmt, 4);

		fact->fetched_s = db_time(store, stmt, 0);
		fact->expires_s = db_time(store, stmt, 1);
		fact->failing_since_s = db_time(store, stmt, 2);
		fact->status = (int)db_int(stmt, 3);
		buf_clear(body);
		fact->has_body = !db_is_null(stmt, 4) &&
		    buf_put_slice(body, stored);
		fact->body = buf_text(body);
	}
	db_done(stmt);
	return is_there;
}

/* If all rules take too much memory, those of all other origins are dropped.
 * That is good enough, because few of the origins that are in use at the same
 * time have large rules. */
void
store_rules_keep(struct store *store, struct slice origin,
    struct robots *robots, bool repairs)
{
	struct rules_table *rules = store->rules_table;
	uint32_t number;

	if (rules == NULL) {
		rules = store->rules_table = mem_zero(sizeof(*rules));
		names_init(&rules->names, store_hash_key(store));
	}
	rules_forget(store, origin);
	number = names_put(&rules->names, origin);
	if (number == rules->count) {
		rules->items = mem_grow(rules->items, &rules->cap,
		    rules->count + 1, sizeof(*rules->items));
		rules->count++;
	}
	robots_forget_sitemaps(robots);
	rules->items[number] = (struct rules_item){robots, repairs};
	rules->bytes += robots_bytes(robots);
	for (uint32_t i = 0; rules->bytes > RULES_BYTES && i < rules->count;
	     i++)
		if (i != number)
			rules_drop(rules, i);
}

const struct robots *
store_rules(
    struct store *store, struct slice origin, struct slice agent, bool repairs)
{
	const struct rules_table *rules = store->rules_table;
	struct profile profile = profile_default(PROFILE_GOOGLE);
	uint32_t number = rules == NULL ? NAMES_NONE
					: names_find(&rules->names, origin);
	struct robots *robots = NULL;
	struct robots_fact fact;
	struct buf body;

	if (number != NAMES_NONE && rules->items[number].repairs == repairs)
		return rules->items[number].robots;
	profile.robots_repair = repairs ? SWITCH_ON : SWITCH_OFF;
	buf_init(&body, SIZE_MAX);
	if (store_robots_get(store, origin, &fact, &body) && fact.has_body) {
		robots = robots_parse(
		    fact.body, agent, &profile, (struct diag_sink){0});
		store_rules_keep(store, origin, robots, repairs);
	}
	buf_release(&body);
	return robots;
}

bool
store_answered_since(
    struct store *store, int64_t site_id, struct slice origin, int64_t since_s)
{
	struct sqlite3_stmt *stmt = db_use_id(
	    store, SQL_DOCUMENT_SINCE, site_id);
	bool has_answered;

	db_bind_text(stmt, 2, origin);
	db_bind_int(stmt, 3, since_s);
	has_answered = db_row(store, stmt) && db_int(stmt, 0) != 0;
	db_done(stmt);
	return has_answered;
}

void
store_self_listed(
    struct store *store, int64_t site_id, store_text_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop_id(store, SQL_PROOF_SELF, site_id);

	db_each_url(store, stmt, fn, arg);
}

void
store_seeds(
    struct store *store, struct slice origin, store_text_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_PROOF_SEEDS);

	db_bind_text(stmt, 1, origin);
	db_each_url(store, stmt, fn, arg);
}
