/* How SQLite runs each statement: only statements about the whole store may
 * scan a whole table. */
#include "tests/fixtures/fixture.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "store/proof.h"
#include "tests/fixtures/store_fixture.h"

static const struct {
	const char *name, *sql;
} statements[] = {
#define STATEMENT(name, sql) {#name, sql},
#include "store/statements.def"
#undef STATEMENT
};

/* These statements are about all sites, or run once in a command; or they find
 * what the roots of a site lead to, after REACH_DOUBTS has said that this may
 * have changed. */
static const char *const whole[] = {
    "BLOCK_INDEX_AROUND", /* for one URL, in any document */
    "DOCUMENT_LIST_EACH",
    "EACH_DOCUMENT", /* reads only the sites, if no site is named */
    "FEED_EACH",
    "FEED_ENDS", /* the last rows */
    "FOUND_EACH",
    "HOLD_EACH",
    "INFO_COUNTS",
    "META_STARTED",
    "ORIGIN_SITES", /* for the feed, if a robots.txt has changed */
    "OUTCOME_OF_PAGE", /* for explain */
    "PAGES_ASKED_S", /* the last row, and the leases */
    "PAGE_EACH",
    "PAGE_KEY",
    "PAGE_SAYS_ANY", /* the first row */
    "PAST_DROP_ORIGIN", /* if a robots.txt has changed */
    "PAST_DROP_SCHEMES", /* if an origin answers again, or no more */
    "REACH_FOUND",
    "REACH_LEFT", /* the reach of a site */
    "READING_LATEST", /* the last row */
    "ROBOTS_TEXT_TRIMMED", /* the one row of meta */
    "ROOT_END",
    "SIGNING_ANY", /* the first row */
    "SITE_EACH",
    "SITE_PAGES",
    "STANDING_SAMPLES",
    "STATE_HAS_UNFIT", /* the first row */
    "TABLES", /* the first row of each table */
    "TAG_BUDGETS",
    "VERIFIED_WAITING", /* the pages that wait have an index */
    "WATCH_EACH",
};

static bool
is_whole(const char *name)
{
	for (size_t i = 0; i < COUNT(whole); i++)
		if (strcmp(whole[i], name) == 0)
			return true;
	return false;
}

/* Does this step of a plan read all rows of a table of the store, or all roots
 * of a site?  A site may have thousands of roots.  Steps that read a whole
 * table begin with SCAN, or make an index of it; the steps in `own` do so over
 * rows that the statement itself has found. */
static bool
is_scan(const char *step)
{
	static const char *const own[] = {
	    "SCAN CONSTANT", "SCAN (", "SCAN led", "SCAN a", "SCAN asked"};

	if (strstr(step, " INDEX root_site ") != NULL)
		return true;
	if (strstr(step, " AUTOMATIC ") != NULL)
		return strncmp(step, "SEARCH named ", 13) != 0;
	if (strncmp(step, "SCAN ", 5) != 0)
		return false;
	for (size_t i = 0; i < COUNT(own); i++)
		if (strncmp(step, own[i], strlen(own[i])) == 0 &&
		    (own[i][strlen(own[i]) - 1] == '(' ||
			step[strlen(own[i])] == '\0' ||
			step[strlen(own[i])] == ' '))
			return false;
	return true;
}

static bool
scans(sqlite3 *db, const char *sql, char *step, size_t size)
{
	char explain[8192];
	sqlite3_stmt *stmt;
	bool found = false;

	(void)snprintf(explain, sizeof(explain), "EXPLAIN QUERY PLAN %s", sql);
	assert_int_equal(
	    sqlite3_prepare_v2(db, explain, -1, &stmt, NULL), SQLITE_OK);
	while (!found && sqlite3_step(stmt) == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(stmt, 3);

		found = is_scan(text);
		if (found)
			(void)snprintf(step, size, "%s", text);
	}
	(void)sqlite3_finalize(stmt);
	return found;
}

static void
test_plans(void **state)
{
	struct world *world = *state;
	char step[256];
	sqlite3 *db;
	int wrong = 0;

	assert_int_equal(sqlite3_open(world->path, &db), SQLITE_OK);
	for (size_t i = 0; i < COUNT(statements); i++)
		if (scans(db, statements[i].sql, step, sizeof(step)) &&
		    !is_whole(statements[i].name)) {
			print_error("%s: %s\n", statements[i].name, step);
			wrong++;
		}
	(void)sqlite3_close(db);
	assert_int_equal(wrong, 0);
}

UNIT_TESTS(db, world_test(test_plans));
