/* Fsck: what SQL can say of the tables, and the names in them (J14). */
#include <sqlite3.h>

#include "store/db.h"
#include "store/fsck/fsck_internal.h"
#include "store/outcome.h"
#include "store/segment/reading.h"

/* As a repair: the documents that are answered are lost. */
static const char forget[] = "forget";
#define FORGET forget

static const struct rule {
	unsigned invariant;
	bool is_note;
	const char *table;
	const char *sql;
	const char *repair; /* NULL: none; FORGET */
} rules[] = {
#define RULE(...) {__VA_ARGS__},
#include "store/fsck/fsck_rules.def"
#undef RULE
};

/* statement(fsck, sql): ready to be stepped. */
static struct sqlite3_stmt *
statement(struct fsck *fsck, const char *sql)
{
	struct sqlite3_stmt *stmt = db_make(fsck->store, sql);

	if (stmt != NULL && sqlite3_bind_parameter_count(stmt) > 0)
		db_bind_int(stmt, 1, fsck->latest_s);
	return stmt;
}

static void
mend(struct fsck *fsck, const char *sql)
{
	struct sqlite3_stmt *stmt;

	fsck_mend(fsck);
	stmt = statement(fsck, sql);
	(void)db_write(fsck->store, stmt);
	db_drop(stmt);
	fsck_mended(fsck);
}

static void
check_rule(struct fsck *fsck, const struct rule *rule)
{
	struct store *store = fsck->store;
	struct sqlite3_stmt *stmt = statement(fsck, rule->sql);
	struct fsck_finding at = {
	    .invariant = rule->invariant,
	    .is_note = rule->is_note,
	    .is_repaired = rule->repair != NULL && fsck->options->repairs,
	    .table = rule->table,
	};
	bool is_wrong = false;

	while (db_row(store, stmt)) {
		struct slice what = db_text(stmt, 2);

		is_wrong = true;
		at.id = db_int(stmt, 0);
		at.where = db_text(stmt, 1);
		if (rule->repair == forget)
			fsck_lose(fsck, &at,
			    &(struct fsck_loss){db_int(stmt, 3), false}, "%.*s",
			    (int)what.len, what.p);
		else
			fsck_say(fsck, &at, "%.*s", (int)what.len, what.p);
	}
	db_drop(stmt);
	/* What cannot be read is not mended, either. */
	if (fsck_ended(fsck, rule->table) && is_wrong && at.is_repaired &&
	    rule->repair != forget)
		mend(fsck, rule->repair);
}

/* J14: words that must be among those that this version knows. */

static bool
is_kind(struct slice text)
{
	for (int kind = 0; kind <= KIND_UNLISTED; kind++)
		if (slice_is(
			text, document_kind_name((enum document_kind)kind)))
			return true;
	return false;
}

static bool
is_outcome(struct slice text)
{
	for (int outcome = OUTCOME_READ; outcome <= OUTCOME_ENDED; outcome++)
		if (slice_is(text, outcome_name((enum outcome)outcome)))
			return true;
	return false;
}

static bool
is_page_outcome(struct slice text)
{
	for (int i = 0; i < PAGE_OUTCOMES; i++)
		if (slice_is(text, page_outcome_name((enum page_outcome)i)))
			return true;
	return false;
}

static bool
is_item(struct slice text)
{
	return slice_is(text, "target") || slice_is(text, "former") ||
	    slice_is(text, "tag") || slice_is(text, "section");
}

static bool
is_code(struct slice text)
{
	return diag_find(text) != DIAG_OK;
}

static const struct {
	const char *table;
	const char *what;
	const char *sql; /* the word, a row that has it, and its document */
	bool (*is_known)(struct slice);
	const char *repair; /* ?1: the word; FORGET */
} words[] = {
    {"document", "kind", "SELECT kind, id, id FROM document", is_kind, FORGET},
    {"reading", "kind", "SELECT DISTINCT kind, NULL FROM reading", is_kind,
	"UPDATE reading SET kind = 'unknown' WHERE kind = ?1"},
    {"reading", "outcome", "SELECT outcome, id, document_id FROM reading",
	is_outcome, FORGET},
    {"reading", "failure",
	"SELECT DISTINCT failure, NULL FROM reading WHERE failure IS NOT NULL",
	is_code,
	"UPDATE reading SET failure = 'store-damaged' WHERE failure = ?1"},
    {"finding", "code", "SELECT DISTINCT code, NULL FROM finding", is_code,
	"DELETE FROM finding WHERE code = ?1"},
    {"outcome", "kind", "SELECT DISTINCT kind, NULL FROM outcome",
	is_page_outcome, "DELETE FROM outcome WHERE kind = ?1"},
    {"watch_item", "kind", "SELECT DISTINCT kind, NULL FROM watch_item",
	is_item, "DELETE FROM watch_item WHERE kind = ?1"},
};

static void
mend_word(struct fsck *fsck, const char *sql, struct slice word)
{
	struct sqlite3_stmt *stmt;

	fsck_mend(fsck);
	stmt = db_make(fsck->store, sql);
	if (stmt != NULL)
		db_bind_text(stmt, 1, word);
	(void)db_write(fsck->store, stmt);
	db_drop(stmt);
	fsck_mended(fsck);
}

static void
check_words(struct fsck *fsck)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		bool is_lost = words[i].repair == forget;
		struct fsck_finding at = {.invariant = 14,
		    .table = words[i].table,
		    .is_repaired = fsck->options->repairs && !is_lost};
		struct sqlite3_stmt *stmt = db_make(fsck->store, words[i].sql);

		while (db_row(fsck->store, stmt)) {
			struct slice word = db_text(stmt, 0);
			int len = word.len > 100 ? 100 : (int)word.len;

			if (words[i].is_known(word))
				continue;
			at.id = db_int(stmt, 1);
			if (is_lost)
				fsck_lose(fsck, &at,
				    &(struct fsck_loss){db_int(stmt, 2), false},
				    "unknown %s '%.*s'", words[i].what, len,
				    word.p);
			else
				fsck_say(fsck, &at, "unknown %s '%.*s'",
				    words[i].what, len, word.p);
			if (at.is_repaired)
				mend_word(fsck, words[i].repair, word);
		}
		db_drop(stmt);
		(void)fsck_ended(fsck, words[i].table);
	}
}

void
fsck_rules(struct fsck *fsck)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		check_rule(fsck, &rules[i]);
	check_words(fsck);
}
