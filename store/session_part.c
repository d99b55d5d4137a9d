/* Session parts in URLs, found in the changes of a reading. */
#include "store/session_part.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "store/changes.h"
#include "store/db.h"
#include "store/page.h"
#include "store/query.h"

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

/* The parameter that begins there, with its value. */
static struct slice
parameter_at(struct slice url, size_t at)
{
	size_t end = at + 1;

	while (end < url.len && strchr(ENDS, url.p[end]) == NULL)
		end++;
	return slice_make(url.p + at, end - at);
}

static bool
begins_parameter(char c)
{
	return c != '\0' && strchr(BEGINS, c) != NULL;
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

/* Is the parameter the one that is left out? */
static bool
is_tried(const struct session_search *search, struct slice parameter)
{
	struct slice name = name_of(parameter);

	if (search->tried == search->count)
		return true;
	return name.len > 0 &&
	    slice_equal(slice_from(name, 1),
		slice_from(buf_text(&search->names[search->tried]), 1));
}

/* The hash of a URL without the parameter. */
static uint64_t
hash_of(struct session_search *search, struct slice url)
{
	struct buf *text = &search->text;
	bool has_query = false;

	buf_clear(text);
	for (size_t i = 0; i < url.len; i++) {
		struct slice parameter = parameter_at(url, i);

		if (!begins_parameter(url.p[i])) {
			(void)buf_put_char(text, url.p[i]);
			continue;
		}
		i += parameter.len - 1;
		if (is_tried(search, parameter))
			continue;
		/* what follows the one that is left out may come first now */
		if (parameter.p[0] == ';')
			(void)buf_put_char(text, ';');
		else
			(void)buf_put_char(text, has_query ? '&' : '?');
		has_query = has_query || parameter.p[0] != ';';
		(void)buf_put_slice(text, slice_from(parameter, 1));
	}
	return hash_key(buf_text(text), store_hash_key(search->store));
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
			struct slice name;

			if (!begins_parameter(change->url.p[i]))
				continue;
			name = name_of(parameter_at(change->url, i));
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
	hashes->items = mem_grow(hashes->items, &hashes->cap, hashes->count + 1,
	    sizeof(*hashes->items));
	hashes->items[hashes->count++] = hash_of(search, change->url);
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
	struct sqlite3_stmt *stmt = db_use_ints(store, SQL_READING_SESSIONS, 2,
	    (int64_t[]){document_id, before_id});
	uint64_t sessions = 0;

	if (db_row(store, stmt))
		sessions = db_count(store, stmt, 0);
	db_done(stmt);
	return sessions;
}

bool
session_part_find(struct store *store, int64_t reading_id, struct buf *part)
{
	struct session_search search = {
	    .store = store, .reading_id = reading_id};
	bool is_found = false;

	buf_init(&search.text, SIZE_MAX);
	for (size_t i = 0; i < NAMES_MOST; i++)
		buf_init(&search.names[i], SIZE_MAX);
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
