/* The siblings of a document. */
#include "store/siblings.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/changes.h"
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
	int64_t read_s; /* all were read completely since; NOBODY: none is */
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

	if (siblings.read_s >= since_s)
		return true;
	/* The children of an index come to the store one after the other. */
	db_put_ints(store, SQL_SIBLINGS_ASK, 7,
	    (int64_t[]){document_id, COUNT_MOST, since_s, due_s, ASK_EVERY_S,
		APART_S, is_few ? INT64_MAX : ASK_MOST / 2});
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
}

/* Session parts in URLs, found in the changes of a reading. */

#define NAMES_MOST 8 /* parameters of a URL that are tried */

/* Parameters begin with these; those of a query and of a path segment alike. */
#define BEGINS "?&;"
#define ENDS "?&;/"

struct hashes {
	uint64_t *items; /* owned */
	size_t count, cap;
};

struct session_search {
	struct store *store;
	int64_t reading_id;
	struct buf names[NAMES_MOST]; /* "?sid=", with what it began with */
	size_t count;
	bool is_of_added; /* the names are those of a page that came */
	size_t tried; /* the name that is left out; count: all parameters are */
	struct hashes added, removed; /* of URLs without it */
	struct buf text;
};

/* The parameter that begins there, with its value; empty: none does. */
static struct slice
parameter_at(struct slice url, size_t at)
{
	size_t end = at;

	if (url.p[at] != '\0' && strchr(BEGINS, url.p[at]) != NULL)
		end++;
	while (end > at && end < url.len && strchr(ENDS, url.p[end]) == NULL)
		end++;
	return slice_make(url.p + at, end - at);
}

/* The name of a parameter, from its begin to its "=". */
static struct slice
name_of(struct slice parameter)
{
	const char *equals = memchr(parameter.p, '=', parameter.len);

	return equals == NULL
	    ? slice_make(parameter.p, 0)
	    : slice_make(parameter.p, (size_t)(equals + 1 - parameter.p));
}

static bool
on_name(void *arg, const struct change *change)
{
	struct session_search *search = arg;
	bool is_added = change->kind == DELTA_ADDED;

	/* if the part was dropped, those that left have it */
	if (is_added ||
	    ((change->kind == DELTA_REMOVED || change->kind == DELTA_LEFT) &&
		search->count == 0)) {
		search->count = 0;
		for (size_t i = 0;
		     i < change->url.len && search->count < NAMES_MOST; i++) {
			struct slice name = name_of(
			    parameter_at(change->url, i));

			if (name.len < 3)
				continue;
			buf_clear(&search->names[search->count]);
			(void)buf_put_char(&search->names[search->count],
			    name.p[0] == ';' ? ';' : '?');
			(void)buf_put_slice(&search->names[search->count++],
			    slice_from(name, 1));
		}
	}
	search->is_of_added = is_added && search->count > 0;
	return !search->is_of_added;
}

static bool
on_url(void *arg, const struct change *change)
{
	struct session_search *search = arg;
	struct hashes *hashes = change->kind == DELTA_ADDED ? &search->added
							    : &search->removed;

	if (change->kind != DELTA_ADDED && change->kind != DELTA_REMOVED &&
	    change->kind != DELTA_GONE && change->kind != DELTA_LEFT)
		return true;
	/* The hash of a URL without the parameter. */
	struct buf *text = &search->text;
	bool has_query = false;

	buf_clear(text);
	for (size_t i = 0; i < change->url.len; i++) {
		struct slice parameter = parameter_at(change->url, i);

		if (parameter.len == 0) {
			(void)buf_put_char(text, change->url.p[i]);
			continue;
		}
		i += parameter.len - 1;
		/* Is the parameter the one that is left out? */
		struct slice name = name_of(parameter);

		if (search->tried == search->count ||
		    (name.len > 0 &&
			slice_equal(slice_from(name, 1),
			    slice_from(
				buf_text(&search->names[search->tried]), 1))))
			continue;
		/* what follows the one that is left out may come first now */
		if (parameter.p[0] == ';')
			(void)buf_put_char(text, ';');
		else
			(void)buf_put_char(text, has_query ? '&' : '?');
		has_query = has_query || parameter.p[0] != ';';
		(void)buf_put_slice(text, slice_from(parameter, 1));
	}
	*MEM_PUSH(hashes->items, hashes->count, hashes->cap) = hash_key(
	    buf_text(text), store_hash_key(search->store));
	return true;
}

static int
by_number(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return one < other ? -1 : one > other;
}

/* Are most pages that came, without the parameter, among those that left, and
 * are they different pages? */
static bool
is_part(struct session_search *search)
{
	size_t different = 0, known = 0;

	search->added.count = search->removed.count = 0;
	store_each_change(search->store, search->reading_id, on_url, search);
	if (search->added.count == 0 || search->removed.count == 0)
		return false;
	qsort(search->added.items, search->added.count,
	    sizeof(*search->added.items), by_number);
	qsort(search->removed.items, search->removed.count,
	    sizeof(*search->removed.items), by_number);
	for (size_t i = 0; i < search->added.count; i++) {
		const uint64_t *hash = &search->added.items[i];

		different += i == 0 || *hash != hash[-1];
		known += bsearch(hash, search->removed.items,
			     search->removed.count, sizeof(*hash),
			     by_number) != NULL;
	}
	return known * 5 >= search->added.count * 4 &&
	    different * 2 >= search->added.count;
}

uint64_t
session_readings(struct store *store, int64_t document_id, int64_t before_id)
{
	uint64_t sessions = 0;

	db_counts(store,
	    db_use_ints(store, SQL_READING_SESSIONS, 2,
		(int64_t[]){document_id, before_id}),
	    1, &sessions);
	return sessions;
}

bool
session_part_find(struct store *store, int64_t reading_id, struct buf *part)
{
	struct session_search search = {
	    .store = store, .reading_id = reading_id};
	bool is_found = false;

	store_each_change(store, reading_id, on_name, &search);
	/* one of them, or more than one: then the first stands for them */
	for (; search.count > 0 && !is_found && search.tried <= search.count;
	     search.tried++) {
		is_found = is_part(&search);
		if (is_found)
			(void)buf_put_slice(part,
			    buf_text(&search.names[search.tried < search.count
				    ? search.tried
				    : 0]));
	}
	for (size_t i = 0; i < NAMES_MOST; i++)
		buf_release(&search.names[i]);
	buf_release(&search.text);
	free(search.added.items);
	free(search.removed.items);
	return is_found;
}
