/*
 * Write schema_whole.c: the script that makes a new store at once.  The steps
 * of schema.sql make the same tables, and remain for older stores; but each
 * ALTER TABLE of theirs reads the whole schema again, so that a new store would
 * cost as much as to read a sitemap of 10,000 URLs.  This program runs while
 * freshet is built.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/schema.h"

static void
fail(struct sqlite3 *db)
{
	(void)fprintf(stderr, "schema_dump: %s\n", sqlite3_errmsg(db));
	exit(1);
}

/* Print the text as a line of a string literal of C. */
static void
put_line(const char *text)
{
	(void)putchar('"');
	for (; *text != '\0'; text++) {
		if (*text == '\n')
			(void)fputs("\\n", stdout);
		else if (*text == '"' || *text == '\\')
			(void)printf("\\%c", *text);
		else
			(void)putchar(*text);
	}
	(void)fputs(";\"\n", stdout);
}

int
main(void)
{
	/* a table comes before its indexes and views; SQLite makes its own
	 * tables and indexes itself */
	static const char made[] =
	    "SELECT sql FROM sqlite_schema"
	    " WHERE sql IS NOT NULL"
	    " AND name NOT LIKE 'sqlite_%' ORDER BY rowid";
	struct sqlite3 *db = NULL;
	sqlite3_stmt *stmt = NULL;

	if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
	    schema_migrate(db, &schema_current) != DIAG_OK ||
	    sqlite3_prepare_v2(db, made, -1, &stmt, NULL) != SQLITE_OK)
		fail(db);
	(void)fputs("#include \"store/schema.h\"\n\n"
		    "const char schema_whole[] =\n",
	    stdout);
	while (sqlite3_step(stmt) == SQLITE_ROW)
		put_line((const char *)sqlite3_column_text(stmt, 0));
	/* each store has a key of its own */
	put_line("INSERT INTO meta (id, hash_key) VALUES (1, randomblob(8))");
	(void)printf("\"PRAGMA application_id = %d;\"\n"
		     "\"PRAGMA user_version = %d;\";\n",
	    SCHEMA_APPLICATION_ID, schema_current.count);
	if (sqlite3_finalize(stmt) != SQLITE_OK)
		fail(db);
	return sqlite3_close(db) == SQLITE_OK && fflush(stdout) == 0 ? 0 : 1;
}
