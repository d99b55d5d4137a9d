/*
 * Fsck: what SQL can say about the tables, with some functions of ours, and the
 * numbers of sites (J19).
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

/* The functions of the rules. */
enum { FSCK_KNOWN, FSCK_NORMAL, FSCK_PAGE_KEY };
static const struct fsck_function {
	const char *name;
	int count; /* of arguments */
	int which;
} functions[] = {{"known", 2, FSCK_KNOWN}, {"normal", 1, FSCK_NORMAL},
    {"page_key", 2, FSCK_PAGE_KEY}};

/*
 * J14: known(which, word): is the word known to this version?
 * J10: normal(url): is it a normalised http or https URL?
 * J5: page_key(url, hash_key): the key of a page; NULL if the key of the store
 * is none (J16), so that no page's key can be checked.
 */
static void
fsck_call(
    struct sqlite3_context *context, int count, struct sqlite3_value **values)
{
	const struct fsck_function *function = sqlite3_user_data(context);
	const char *first = (const char *)sqlite3_value_text(values[0]);
	struct slice text = slice_make(
	    first, (size_t)sqlite3_value_bytes(values[0]));
	struct slice word = slice_of(
	    count > 1 ? (const char *)sqlite3_value_text(values[1]) : NULL);
	bool is_known = false;
	struct url url = {0};
	uint64_t key;

	switch (function->which) {
	case FSCK_KNOWN:
		/* A word that is not known is found as another one. */
		if (slice_is(text, "code"))
			is_known = diag_find(word) != DIAG_OK;
		else if (slice_is(text, "kind"))
			is_known = slice_is(
			    word, document_kind_name(document_kind_find(word)));
		else if (slice_is(text, "outcome"))
			is_known = slice_is(
			    word, outcome_name(outcome_find(word)));
		for (int i = 0; slice_is(text, "page") && i < PAGE_OUTCOMES;
		     i++)
			is_known |= slice_is(
			    word, page_outcome_name((enum page_outcome)i));
		if (first != NULL)
			sqlite3_result_int(context, is_known);
		break;
	case FSCK_NORMAL:
		sqlite3_result_int(context, url_is_normal(&url, text));
		url_release(&url);
		break;
	case FSCK_PAGE_KEY:
		if (sqlite3_value_bytes(values[1]) != sizeof(key))
			return;
		memcpy(&key, sqlite3_value_blob(values[1]), sizeof(key));
		sqlite3_result_int64(context, (int64_t)hash_key(text, key));
		break;
	}
}

void
fsck_rules(struct fsck *fsck)
{
	for (size_t i = 0; i < LENGTH(functions); i++) {
		int code = sqlite3_create_function(fsck->store->db,
		    functions[i].name, functions[i].count,
		    SQLITE_UTF8 | SQLITE_DETERMINISTIC,
		    (void *)(uintptr_t)&functions[i], fsck_call, NULL, NULL);

		/* without it a rule could not be asked, and finds nothing */
		if (code != SQLITE_OK) {
			db_fail(fsck->store, schema_code(code));
			return;
		}
	}
	for (size_t i = 0; i < LENGTH(rules); i++) {
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
	/* A rule may have replaced the key. */
	fsck->store->page_memory.has_hash_key = false;
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
