/* What robots.txt of an origin said, and what that proves. */
#include "store/proof.h"

#include <stdlib.h>

#include "base/civil.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/robots.h"
#include "base/robots_difference.h"
#include "store/db.h"
#include "store/reach.h"

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

/* Drop the rules of a number, if it has any; NAMES_NONE has none. */
static void
rules_drop(struct rules_table *rules, uint32_t number)
{
	struct rules_item *item;

	if (number == NAMES_NONE || rules->items[number].robots == NULL)
		return;
	item = &rules->items[number];
	rules->bytes -= robots_bytes(item->robots);
	robots_free(item->robots);
	item->robots = NULL;
	names_remove(&rules->names, number);
}

/* Keep the text of the origin's row if that of the good answer says
 * something else.  It is called before the fact is stored. */
static void
robots_text_keep(
    struct store *store, int64_t origin_id, const struct robots_fact *fact)
{
	struct sqlite3_stmt *stmt = db_bind(db_use(store, SQL_ROBOTS_OTHER),
	    DB_ROW(
		AS_INT(origin_id), AS_IF(fact->has_body, AS_BLOB(fact->body))));
	bool is_first, is_other = false;

	if (!db_row(store, stmt)) {
		db_done(stmt);
		return;
	}
	is_first = db_is_null(stmt, 0);
	if (!is_first)
		is_other = robots_compare(
		    db_blob(stmt, 1), fact->body, NULL, NULL)
			       .is_different;
	db_done(stmt);
	if (is_other) {
		/* Keep the text of the origin's row. */
		stmt = db_use_ints(store, SQL_ROBOTS_TEXT_ADD, 2,
		    (int64_t[]){origin_id, fact->fetched_s});
		if (db_write(store, stmt)) {
			/* Drop the oldest texts over the limits;
			 * consumers of the feed must know which. */
			stmt = db_use_ints(store, SQL_ROBOTS_TEXT_TRIM, 3,
			    (int64_t[]){origin_id, ROBOTS_TEXTS_MOST,
				ROBOTS_TEXTS_BYTES});
			int64_t last_id = 0;

			while (db_row(store, stmt))
				if (db_int(stmt, 0) > last_id)
					last_id = db_int(stmt, 0);
			if (last_id != 0)
				db_put_id(
				    store, SQL_ROBOTS_TEXT_TRIMMED, last_id);
		}
	}
	if (is_first || is_other)
		db_put_ints(store, SQL_ROBOTS_SINCE, 2,
		    (int64_t[]){origin_id, fact->fetched_s});
	/* other sites may have pages there, too */
	if (is_other)
		db_put_id(store, SQL_PAST_DROP_ORIGIN, origin_id);
}

uint64_t
store_robots(struct store *store, const struct robots_fact *fact)
{
	int64_t id = store_origin(store, fact->origin, true);

	if (fact->failing_since_s == 0)
		robots_text_keep(store, id, fact);
	/* The file is another one now, and so are its rules. */
	if (store->rules_table != NULL)
		rules_drop(store->rules_table,
		    names_find(&store->rules_table->names, fact->origin));
	/* whether the failures of an https origin are told depends on both
	 * schemes (robots_is_spare()) */
	(void)db_put(store, SQL_PAST_DROP_SCHEMES,
	    DB_ROW(AS_INT(id), AS_INT(fact->failing_since_s),
		AS_INT(fact->status)));
	(void)db_put(store, SQL_ORIGIN_SET,
	    DB_ROW(AS_INT(id), AS_INT(fact->fetched_s), AS_INT(fact->expires_s),
		AS_INT(fact->failing_since_s), AS_INT(fact->status),
		AS_IF(fact->has_body, AS_BLOB(fact->body))));
	/* The file's lines are the proofs, so those of another file end. */
	db_put_id(store, SQL_PROOF_CLEAR, id);
	for (uint32_t i = 0; i < fact->sitemap_count; i++)
		(void)db_put(store, SQL_PROOF_ADD,
		    DB_ROW(AS_INT(id), AS_TEXT(fact->sitemaps[i]),
			AS_INT(fact->lines[i]), AS_INT(fact->fetched_s)));
	return fact->failing_since_s == 0 ? reach_robots(store, id, fact) : 0;
}

bool
store_robots_get(struct store *store, struct slice origin,
    struct robots_fact *fact, struct buf *body)
{
	struct sqlite3_stmt *stmt = db_use_text(
	    store, SQL_ORIGIN_FACTS, origin);

	*fact = (struct robots_fact){.origin = origin};
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
		rules->names = (struct names){.key = store_hash_key(store)};
	}
	rules_drop(rules, names_find(&rules->names, origin));
	number = names_put(&rules->names, origin);
	if (number == rules->count)
		(void)MEM_PUSH(rules->items, rules->count, rules->cap);
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
	struct buf body = BUF_UP_TO(SIZE_MAX);

	if (number != NAMES_NONE && rules->items[number].repairs == repairs)
		return rules->items[number].robots;
	profile.robots_repair = repairs ? SWITCH_ON : SWITCH_OFF;
	if (store_robots_get(store, origin, &fact, &body) && fact.has_body) {
		robots = robots_parse(
		    fact.body, agent, &profile, (struct diag_sink){0});
		store_rules_keep(store, origin, robots, repairs);
	}
	buf_release(&body);
	return robots;
}

void
store_each_url(struct store *store, enum url_list list, int64_t site_id,
    struct slice origin, store_text_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = NULL;

	switch (list) {
	case URLS_SELF_LISTED:
		stmt = db_loop_id(store, SQL_PROOF_SELF, site_id);
		break;
	case URLS_SEEDS:
		stmt = db_bind(
		    db_loop(store, SQL_PROOF_SEEDS), DB_ROW(AS_TEXT(origin)));
		break;
	case URLS_ORIGINS:
		stmt = db_loop_id(store, SQL_SITE_ORIGINS, site_id);
		break;
	case URLS_ROOTS:
		stmt = db_bind(db_loop(store, SQL_ROOT_URLS),
		    DB_ROW(AS_INT(site_id), AS_TEXT(origin)));
		break;
	}
	while (db_row(store, stmt)) {
		struct slice url = db_url(store, stmt, 0);

		if (store->failed == DIAG_OK)
			fn(arg, url);
	}
}

/* Former texts of robots.txt. */

void
store_each_robots_text(struct store *store, struct slice origin,
    store_robots_text_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop_id(
	    store, SQL_ROBOTS_TEXTS, store_origin(store, origin, false));
	bool goes_on = true;

	while (goes_on && db_row(store, stmt)) {
		struct robots_text text = {.since_s = db_time(store, stmt, 0),
		    .until_s = db_time(store, stmt, 1),
		    .is_file = !db_is_null(stmt, 2),
		    .body = db_blob(stmt, 2)};

		goes_on = store->failed == DIAG_OK && fn(arg, &text);
	}
	db_done(stmt);
}

/* Proofs that a document may list URLs of other hosts. */

/* Real sites have far fewer indexes above a document, and origins that name
 * these. */
#define ABOVE_MAX 1000
#define ORIGINS_MAX 1000

/* The search for the origins that name a document or an index above it. */
struct proof_search {
	struct store *store;
	struct string_set *set;
	size_t count; /* of ids */
	int64_t ids[ABOVE_MAX]; /* the document, and the indexes above it */
};

/* Search a document, or an index above it, that was not searched yet: add the
 * origins whose robots.txt names it. */
static void
add_index(void *arg, int64_t index_id, struct slice url)
{
	struct proof_search *search = arg;
	struct sqlite3_stmt *stmt;

	for (size_t i = 0; i < search->count; i++)
		if (search->ids[i] == index_id)
			return;
	if (search->count == ABOVE_MAX)
		return;
	search->ids[search->count++] = index_id;
	stmt = db_loop(search->store, SQL_PROOF_NAMES);
	db_bind_text(stmt, 1, url);
	while (
	    search->set->count < ORIGINS_MAX && db_row(search->store, stmt)) {
		struct slice origin = db_url(search->store, stmt, 0);

		if (origin.len > 0)
			string_set_add(search->set, origin);
	}
	db_done(stmt);
}

/* The levels are searched one by one with short statements: a recursive one
 * makes tables for itself each time, and this is called for each request. */
void
proof_collect(struct store *store, int64_t document_id, struct slice url,
    unsigned levels, struct string_set *set)
{
	struct proof_search search;
	size_t next = 0;

	search.store = store;
	search.set = set;
	search.count = 0;
	add_index(&search, document_id, url);
	for (unsigned i = 0; document_id != 0 && i < levels; i++)
		for (size_t end = search.count; next < end; next++)
			store_each_parent(
			    store, search.ids[next], add_index, &search);
}

static void
add_listed(void *arg, struct slice text)
{
	/* The result needs no test: what is beyond the limit proves nothing. */
	(void)self_listed_add(arg, text);
}

struct self_listed *
proof_self_listed(struct store *store, int64_t site_id)
{
	struct self_listed *listed = self_listed_new();

	store_each_url(
	    store, URLS_SELF_LISTED, site_id, slice_of(""), add_listed, listed);
	self_listed_seal(listed);
	return listed;
}

bool
proof_scope(struct store *store, const struct proof_document *document,
    unsigned levels, struct location_scope *scope)
{
	const struct profile *profile = &scope->profile;

	string_set_release(&scope->proof_origins);
	self_listed_release(scope->listed);
	scope->listed = NULL;
	scope->has_location = true;
	if (url_parse_raw(&scope->requested, document->url, NULL) != DIAG_OK ||
	    url_parse_raw(&scope->final, document->final_url, NULL) != DIAG_OK)
		return false;
	if (profile->robots_proof != SWITCH_ON)
		return true;
	proof_collect(store, document->id, document->url,
	    profile->proof_inherit == SWITCH_ON ? levels : 0,
	    &scope->proof_origins);
	scope->listed = self_listed_share(document->listed);
	return true;
}

/* What holds while a robots.txt cannot be read. */

#define CLOSED_S (12 * HOUR_S)
#define GIVE_UP_S (30 * DAY_S)

bool
robots_is_old(const struct robots_fact *fact, const struct profile *profile,
    int64_t now_s)
{
	return (profile == NULL || profile->robots_5xx == ROBOTS_GOOGLE) &&
	    fact->failing_since_s != 0 &&
	    now_s - fact->failing_since_s >= GIVE_UP_S;
}

bool
robots_is_closed(struct store *store, int64_t site_id,
    const struct profile *profile, const struct robots_fact *fact,
    int64_t now_s)
{
	int64_t failing_s = now_s - fact->failing_since_s;

	/* SPEC: the server answers, but with a challenge or a page
	 * instead of the file. Then what the file said before holds at once. Of
	 * an answer that broke off, no status is stored. */
	if (fact->failing_since_s == 0 ||
	    ((fact->has_body && fact->status >= 200 && fact->status < 500 &&
		 fact->status != 429) &&
		!robots_is_old(fact, NULL, now_s)))
		return false;
	if (profile->robots_5xx == ROBOTS_RFC)
		return failing_s < GIVE_UP_S || !fact->has_body;
	if (failing_s < GIVE_UP_S)
		return failing_s < CLOSED_S;
	/* Does the site answer otherwise: was any document of the origin read
	 * since then? */
	return db_first(store,
		   db_bind(db_use(store, SQL_DOCUMENT_SINCE),
		       DB_ROW(AS_INT(site_id), AS_TEXT(fact->origin),
			   AS_INT(fact->failing_since_s)))) == 0;
}

bool
robots_is_spare(struct store *store, struct slice origin, int64_t now_s)
{
	struct sqlite3_stmt *stmt = db_use_text(
	    store, SQL_ORIGIN_SPARE, origin);
	struct robots_fact fact;
	struct buf body = BUF_UP_TO(SIZE_MAX);
	bool is_recent;

	if (!db_has(store, stmt))
		return false;
	if (now_s == 0)
		return true;
	(void)store_robots_get(store, origin, &fact, &body);
	is_recent = fact.fetched_s <= now_s && now_s - fact.fetched_s < WEEK_S;
	buf_release(&body);
	return is_recent;
}
