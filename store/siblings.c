/* The siblings of a document. */
#include "store/siblings.h"

#include "store/db.h"

#define ASK_MOST 20 /* siblings that a question is worth */
#define COUNT_MOST                                                \
	1000 /* to look through more for each document costs much \
	      */
#define WAIT_S (2 * INT64_C(86400)) /* for one that cannot be read */
#define ASK_EVERY_S 86400
#define APART_S 1800 /* of two readings of a document */

/* How many siblings there are, and how they were read. */
struct siblings {
	int64_t count;
	int64_t read_s; /* all were read completely since; NOBODY: no one counts
			 */
};
#define NOBODY INT64_MAX

static struct siblings
siblings_find(struct store *store, int64_t document_id, int64_t now_s)
{
	struct sqlite3_stmt *stmt = db_use_ints(store, SQL_SIBLINGS_READ, 3,
	    (int64_t[]){document_id, COUNT_MOST + 1, now_s - WAIT_S});
	struct siblings siblings = {0, NOBODY};

	if (db_row(store, stmt)) {
		siblings.count = db_int(stmt, 0);
		if (!db_is_null(stmt, 1))
			siblings.read_s = db_time(store, stmt, 1);
	}
	db_done(stmt);
	return siblings;
}

int64_t
siblings_open_s(struct store *store, int64_t document_id, int64_t now_s)
{
	struct siblings siblings = siblings_find(store, document_id, now_s);

	if (siblings.read_s == NOBODY || siblings.count >= COUNT_MOST)
		return 0;
	if (siblings.read_s < now_s - WAIT_S)
		siblings.read_s = now_s - WAIT_S;
	return siblings.read_s + 1;
}

bool
siblings_ask(
    struct store *store, int64_t document_id, int64_t since_s, int64_t due_s)
{
	struct siblings siblings = siblings_find(store, document_id, since_s);
	bool is_few = siblings.count <= ASK_MOST;
	struct sqlite3_stmt *stmt;

	if (siblings.read_s >= since_s)
		return true;
	stmt = db_use_ints(store, SQL_SIBLINGS_ASK, 6,
	    (int64_t[]){
		document_id, COUNT_MOST, since_s, due_s, ASK_EVERY_S, APART_S});
	/* The children of an index come to the store one after the other. */
	db_bind_int(stmt, 7, is_few ? INT64_MAX : ASK_MOST / 2);
	(void)db_write(store, stmt);
	return is_few;
}

void
siblings_each_asked(
    struct store *store, int64_t document_id, siblings_asked_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_use_ints(
	    store, SQL_SIBLINGS_ASKED, 2, (int64_t[]){document_id, COUNT_MOST});

	while (db_row(store, stmt))
		fn(arg, db_id(store, stmt, 0), db_time(store, stmt, 1));
	db_done(stmt);
}
