/* Fsck: what SQL can say of the tables, and the names in them (J14). */
#include <sqlite3.h>

#include "store/care.h"
#include "store/db.h"
#include "store/fsck_internal.h"
#include "store/outcome.h"
#include "store/reading.h"

static const struct rule {
	unsigned invariant;
	bool is_note;
	const char *table;
	const char *sql; /* ?1, where it is used: the last commit */
	const char *repair; /* NULL: none */
} rules[] = {
#define RULE(...) {__VA_ARGS__},
#include "store/fsck_rules.def"
#undef RULE
};

static void
check_rule(struct fsck *fsck, const struct rule *rule)
{
	struct store *store = fsck->store;
	struct sqlite3_stmt *stmt = care_statement(store, rule->sql);
	struct fsck_finding at = {
	    .invariant = rule->invariant,
	    .is_note = rule->is_note,
	    .is_repaired = rule->repair != NULL && fsck->options->repairs,
	    .table = rule->table,
	};
	bool is_wrong = false;

	if (stmt != NULL && sqlite3_bind_parameter_count(stmt) > 0)
		db_bind_int(stmt, 1, fsck->latest_s);
	while (db_row(store, stmt)) {
		struct slice what = db_text(stmt, 2);

		is_wrong = true;
		at.id = db_int(stmt, 0);
		at.where = db_text(stmt, 1);
		fsck_say(fsck, &at, "%.*s", (int)what.len, what.p);
	}
	db_drop(stmt);
	if (fsck_ended(fsck, rule->table) && is_wrong && at.is_repaired)
		(void)care_run(store, rule->repair);
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
	for (int outcome = OUTCOME_READ; outcome <= OUTCOME_REFUSED; outcome++)
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
	const char *sql; /* the word, and a row that has it */
	bool (*is_known)(struct slice);
} words[] = {
    {"document", "kind", "SELECT kind, min(id) FROM document GROUP BY kind",
	is_kind},
    {"reading", "kind", "SELECT kind, min(id) FROM reading GROUP BY kind",
	is_kind},
    {"reading", "outcome",
	"SELECT outcome, min(id) FROM reading GROUP BY outcome", is_outcome},
    {"reading", "failure",
	"SELECT failure, min(id) FROM reading WHERE failure IS NOT NULL"
	" GROUP BY failure",
	is_code},
    {"finding", "code",
	"SELECT code, min(reading_id) FROM finding GROUP BY code", is_code},
    {"outcome", "kind", "SELECT kind, min(id) FROM outcome GROUP BY kind",
	is_page_outcome},
    {"watch_item", "kind",
	"SELECT kind, min(site_id) FROM watch_item GROUP BY kind", is_item},
};

static void
check_words(struct fsck *fsck)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct fsck_finding at = {
		    .invariant = 14, .table = words[i].table};
		struct sqlite3_stmt *stmt = care_statement(
		    fsck->store, words[i].sql);

		while (db_row(fsck->store, stmt)) {
			struct slice word = db_text(stmt, 0);

			if (words[i].is_known(word))
				continue;
			at.id = db_int(stmt, 1);
			fsck_say(fsck, &at, "unknown %s '%.*s'", words[i].what,
			    word.len > 100 ? 100 : (int)word.len, word.p);
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
