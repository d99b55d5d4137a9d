/*
 * Fsck: what SQL can say about the tables, and what needs a little more: words
 * (J14), pages (J5, J10), numbers of sites (J19).
 */
#include <sqlite3.h>
#include <string.h>

#include "base/url.h"
#include "store/db.h"
#include "store/fsck/fsck_pass.h"
#include "store/outcome.h"
#include "store/schema.h"
#include "store/segment/reading.h"
#include "store/site_tally.h"

/* In place of SQL as a repair: the documents that the rule finds are lost. */
static const char forget[] = "forget";
#define FORGET forget

static const struct rule {
	unsigned invariant;
	const char *table;
	const char *sql;
	const char *repair; /* NULL: none; FORGET */
} rules[] = {
#define RULE(...) {__VA_ARGS__},
#include "store/fsck/fsck_rules.def"
#undef RULE
};

/* J14: words that must be known to this version: the function known(which,
 * word) of the rules. */

static void
fsck_known(
    struct sqlite3_context *context, int count, struct sqlite3_value **values)
{
	const char *which = (const char *)sqlite3_value_text(values[0]);
	const char *text = (const char *)sqlite3_value_text(values[1]);
	struct slice word = slice_of(text == NULL ? "" : text);
	bool is_known = false;

	(void)count;
	if (which == NULL)
		return;
	/* A word that is not known is found as another one. */
	if (strcmp(which, "code") == 0)
		is_known = diag_find(word) != DIAG_OK;
	else if (strcmp(which, "kind") == 0)
		is_known = slice_is(
		    word, document_kind_name(document_kind_find(word)));
	else if (strcmp(which, "outcome") == 0)
		is_known = slice_is(word, outcome_name(outcome_find(word)));
	for (int i = 0; strcmp(which, "page") == 0 && i < PAGE_OUTCOMES; i++)
		is_known |= slice_is(
		    word, page_outcome_name((enum page_outcome)i));
	sqlite3_result_int(context, is_known);
}

void
fsck_rules(struct fsck *fsck)
{
	int code = sqlite3_create_function(fsck->store->db, "known", 2,
	    SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, fsck_known, NULL, NULL);

	/* without it no rule could be asked, and nothing would be found */
	if (code != SQLITE_OK) {
		db_fail(fsck->store, schema_code(code));
		return;
	}
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		struct store *store = fsck->store;
		struct sqlite3_stmt *stmt = db_make(
		    store, rules[i].sql, 1, &fsck->latest_s);
		struct fsck_finding at = {
		    .invariant = rules[i].invariant,
		    .is_repaired = rules[i].repair != NULL &&
			fsck->options->repairs,
		    .table = rules[i].table,
		};
		bool is_wrong = false;

		while (db_row(store, stmt)) {
			struct slice what = db_text(stmt, 2);

			is_wrong = true;
			at.id = db_int(stmt, 0);
			at.where = db_text(stmt, 1);
			if (rules[i].repair == forget)
				fsck_say(fsck, &at,
				    &(struct fsck_loss){db_int(stmt, 3), false},
				    "%.*s", (int)what.len, what.p);
			else
				fsck_say(fsck, &at, NULL, "%.*s", (int)what.len,
				    what.p);
		}
		db_drop(stmt);
		/* A table that cannot be read is not repaired, either. */
		if (fsck_ended(fsck, rules[i].table) && is_wrong &&
		    at.is_repaired && rules[i].repair != forget) {
			fsck_mend(fsck);
			(void)db_exec_ints(
			    store, rules[i].repair, 1, &fsck->latest_s);
			(void)fsck_mended(fsck);
		}
	}
}

/* J5 and J10: pages. */

void
fsck_pages(struct fsck *fsck)
{
	/* Is the store's key whole (J16)?  Without it no page's key can be
	 * checked. */
	bool has_keys = db_number(fsck->store,
			    "SELECT count(*) = 1 AND max(length(hash_key)) = 8"
			    " FROM meta",
			    0, NULL) != 0;
	struct sqlite3_stmt *stmt = db_make(fsck->store,
	    "SELECT id, key, url FROM page WHERE id > ?1 ORDER BY id", 0, NULL);
	int64_t id = INT64_MIN;

	/* A rule may have replaced the key. */
	fsck->store->page_memory.has_hash_key = false;
	while (stmt != NULL && fsck_next(fsck, stmt, "page", &id)) {
		struct fsck_finding at = {.invariant = 10,
		    .table = "page",
		    .id = db_int(stmt, 0),
		    .where = db_text(stmt, 2),
		    .is_repaired = true};
		uint64_t key;
		struct url url;

		url_init(&url);
		if (!url_is_normal(&url, at.where)) {
			fsck_say(fsck, &at, NULL,
			    "its URL is no normalised http or https URL");
			fsck_fix(fsck,
			    "DELETE FROM page WHERE id = ?1 AND ?2 IS NOT NULL",
			    at.id, 0);
		} else if (has_keys) {
			at.invariant = 5;
			key = hash_key(at.where, store_hash_key(fsck->store));
			if ((uint64_t)db_int(stmt, 1) != key) {
				fsck_say(fsck, &at, NULL,
				    "it is not found: its key is another's");
				fsck_fix(fsck,
				    "UPDATE page SET key = ?2 WHERE id = ?1",
				    at.id, (int64_t)key);
			}
		}
		url_release(&url);
	}
	db_drop(stmt);
	(void)fsck_ended(fsck, "page");
}

/* J19: sites. */

void
fsck_sites(struct fsck *fsck)
{
	struct sqlite3_stmt *stmt;
	int64_t id = 0;

	/* The numbers are right only if everything else is right. */
	for (unsigned i = 1; i < FSCK_INVARIANTS; i++)
		if (fsck->said[i] > 0)
			return;
	/* Sites whose numbers are known and not out of date. */
	stmt = db_make(fsck->store,
	    "SELECT id, host, listed, listed_refused FROM site WHERE id > ?1"
	    " AND listed IS NOT NULL AND pending_id <= tallied_id"
	    " ORDER BY id LIMIT 1",
	    0, NULL);
	while (stmt != NULL && fsck_next(fsck, stmt, "site", &id)) {
		struct site_numbers is = store_site_numbers(
		    fsck->store, id, true);
		uint64_t listed = (uint64_t)db_int(stmt, 2);
		uint64_t refused = (uint64_t)db_int(stmt, 3);
		struct fsck_finding at = {.invariant = 19,
		    .table = "site",
		    .id = id,
		    .where = db_text(stmt, 1),
		    .is_repaired = true};

		if (is.listed == listed && is.refused == refused)
			continue;
		fsck_say(fsck, &at, NULL,
		    "it lists %llu URLs, %llu refused; its documents list "
		    "%llu, %llu refused",
		    (unsigned long long)listed, (unsigned long long)refused,
		    (unsigned long long)is.listed,
		    (unsigned long long)is.refused);
		if (!fsck->options->repairs)
			continue;
		fsck_mend(fsck);
		(void)db_exec_ints(fsck->store,
		    "UPDATE site SET listed = ?2, listed_refused = ?3"
		    " WHERE id = ?1",
		    3, (int64_t[]){id, is.listed, is.refused});
		(void)fsck_mended(fsck);
	}
	db_drop(stmt);
	(void)fsck_ended(fsck, "site");
}
