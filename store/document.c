/* Documents: their rows, and what their readings show. */
#include "store/document.h"

#include <stdlib.h>
#include <string.h>

#include "store/db.h"

/* the number of readings of which store_moves_dates() takes the mean */
#define GATE_READINGS 8
#define TURNS_READINGS 30 /* that may tell of turns */
#define GATE_LEAST 3 /* this many of them must move most dates (HOSTILE U8) */
#define GIVE_UP_S (7 * 86400)

bool
document_is_given_up(const struct document *document, int64_t now_s)
{
	return document->failing_since_s != 0 &&
	    now_s - document->failing_since_s >= GIVE_UP_S;
}

void
document_release(struct document *document)
{
	free(document->url);
	free(document->final_url);
	free(document->etag);
	free(document->last_modified);
	*document = (struct document){0};
}

bool
document_row(
    struct store *store, struct sqlite3_stmt *stmt, struct document *document)
{
	struct slice url = db_whole_url(store, stmt, 2);

	*document = (struct document){
	    .id = db_id(store, stmt, 0),
	    .site_id = db_id(store, stmt, 1),
	    .url = slice_dup(url),
	    .kind = document_kind_find(db_text(stmt, 3)),
	    .final_url = db_is_null(stmt, 4)
		? NULL
		: slice_dup(db_whole_url(store, stmt, 4)),
	    /* A validator must be printable, since a header line sends it to
	     * the server. */
	    .etag = db_is_null(stmt, 5) ? NULL
					: slice_dup(db_line(store, stmt, 5)),
	    .last_modified = db_is_null(stmt, 6)
		? NULL
		: slice_dup(db_line(store, stmt, 6)),
	    .fingerprint = (uint64_t)db_int(stmt, 9),
	    .last_read_s = db_time(store, stmt, 10),
	    .last_full_s = db_time(store, stmt, 11),
	    .last_try_s = db_time(store, stmt, 12),
	    .failures = db_small(store, stmt, 13),
	    .failing_since_s = db_time(store, stmt, 14),
	    .entries = db_count(store, stmt, 15),
	    .missed = db_count(store, stmt, 16),
	    .is_complete = db_int(stmt, 17) != 0,
	    .refused = db_count(store, stmt, 18),
	    .refused_by = verdict_of(diag_find(db_text(stmt, 19))),
	    .lacks_refused = db_int(stmt, 20) != 0,
	    .whole_s = db_time(store, stmt, 21),
	    .plain_until_s = db_time(store, stmt, 22),
	    .index_is_wrong = db_int(stmt, 23) != 0,
	    .newest = db_date(stmt, 24),
	    .window = db_small(store, stmt, 27),
	};
	if (document->window >= WINDOW_KINDS)
		document->window = WINDOW_NONE;
	if (document->whole_s == 0)
		document->whole_s = document->last_full_s;
	/* Two digests, unless the columns hold something else. */
	struct slice wire = db_blob(stmt, 7), decoded = db_blob(stmt, 8);
	document->has_digest = wire.len ==
		sizeof(document->wire_digest.bytes) &&
	    decoded.len == sizeof(document->decoded_digest.bytes);
	if (document->has_digest) {
		memcpy(document->wire_digest.bytes, wire.p, wire.len);
		memcpy(document->decoded_digest.bytes, decoded.p, decoded.len);
	}
	if (store->failed == DIAG_OK)
		return true;
	document_release(document);
	return false;
}

void
document_put_counts(struct store *store, int64_t document_id,
    const struct merge_counts *counts, size_t blocks)
{
	enum diag_code refusal = verdict_codes[merge_refused_by(counts)];

	(void)db_put(store, SQL_DOCUMENT_SEGMENT,
	    DB_ROW(AS_INT(document_id), AS_INT(counts->entries),
		AS_INT(counts->missed), AS_INT(blocks), AS_INT(counts->dated),
		AS_DATE(&counts->newest), AS_INT(counts->refused),
		AS_IF(counts->refused > 0, AS_STR(diag_name(refusal))),
		AS_INT(counts->window)));
}

void
store_document(struct store *store, int64_t site_id, struct slice url,
    struct document *document)
{
	struct sqlite3_stmt *stmt = db_bind(db_use(store, SQL_DOCUMENT_FIND),
	    DB_ROW(AS_INT(site_id), AS_TEXT(url)));

	*document = (struct document){0};
	bool is_there = db_row(store, stmt) &&
	    document_row(store, stmt, document);
	db_done(stmt);
	if (is_there) {
		/* A document of pages that no other lists is to be read. */
		if (document->kind == KIND_UNLISTED) {
			(void)db_put(store, SQL_DOCUMENT_KIND,
			    DB_ROW(AS_INT(document->id),
				AS_STR(document_kind_name(KIND_UNKNOWN))));
			document->kind = KIND_UNKNOWN;
		}
		return;
	}
	document->url = slice_dup(url);
	document->site_id = site_id;

	if (!db_put(store, SQL_DOCUMENT_MAKE,
		DB_ROW(AS_INT(site_id), AS_TEXT(url))))
		return;
	document->id = db_last_id(store);

	/* The origin of a normalised URL: what is before its path. */
	size_t slashes = 0, len = 0;

	while (len < url.len && (url.p[len] != '/' || ++slashes < 3))
		len++;
	int64_t origin = store_origin(store, slice_make(url.p, len), true);
	db_put_ints(store, SQL_ORIGIN_TOUCH, 2, (int64_t[]){site_id, origin});
}

int64_t
store_unlisted(struct store *store, int64_t site_id, struct slice url)
{
	int64_t id = store_document_id(store, site_id, url);
	struct document document;

	if (id != 0)
		return id;
	store_document(store, site_id, url, &document);
	id = document.id;
	document_release(&document);
	if (id != 0)
		(void)db_put(store, SQL_DOCUMENT_KIND,
		    DB_ROW(
			AS_INT(id), AS_STR(document_kind_name(KIND_UNLISTED))));
	return id;
}

bool
store_document_get(struct store *store, int64_t id, struct document *document)
{
	struct sqlite3_stmt *stmt = db_use_id(store, SQL_DOCUMENT_GET, id);

	*document = (struct document){0};
	bool is_there = db_row(store, stmt) &&
	    document_row(store, stmt, document);
	db_done(stmt);
	return is_there;
}

/* There are few dates, and SQLite would make a table to sort them. */
struct date
store_index_lastmod(struct store *store, int64_t document_id)
{
	struct sqlite3_stmt *stmt = db_use_id(
	    store, SQL_LINK_LASTMOD, document_id);
	struct date newest = {0};

	while (db_row(store, stmt)) {
		struct date date = db_date(stmt, 0);

		if (date_order(&date, &newest) > 0)
			newest = date;
	}
	return newest;
}

enum diag_code
store_last_failure(struct store *store, int64_t document_id)
{
	struct sqlite3_stmt *stmt = db_use_id(
	    store, SQL_DOCUMENT_FAILURE, document_id);
	enum diag_code code = DIAG_OK;

	if (db_row(store, stmt))
		code = diag_find(db_text(stmt, 0));
	db_done(stmt);
	return code;
}

bool
store_moves_dates(struct store *store, int64_t document_id, uint64_t redated,
    uint64_t entries)
{
	struct sqlite3_stmt *stmt;
	int64_t share = entries == 0 ? 0 : (int64_t)(redated * 1000 / entries);
	bool is_so = false;

	if (share <= 500)
		return false;
	stmt = db_use_ints(store, SQL_READING_MOVES, 2,
	    (int64_t[]){document_id, GATE_READINGS - 1});
	if (db_row(store, stmt))
		is_so = db_int(stmt, 1) + 1 >= GATE_LEAST &&
		    (int64_t)db_count(store, stmt, 2) + share >
			(db_int(stmt, 0) + 1) * 500;
	db_done(stmt);
	return is_so;
}

bool
reading_text(const struct reading *reading, int64_t *text)
{
	const struct content *content = &reading->content;

	if (reading->outcome != OUTCOME_READ || !reading->http.has_digest ||
	    !content->is_complete || reading->failure != DIAG_OK ||
	    content->failure != DIAG_OK)
		return false;
	memcpy(text, content->decoded_digest.bytes, sizeof(*text));
	return true;
}

unsigned
store_turns(struct store *store, const struct reading *reading)
{
	struct sqlite3_stmt *stmt;
	int64_t last;
	int64_t before = 0;
	unsigned texts = 1; /* of which each differs from the next one */

	if (!reading_text(reading, &last))
		return 0;
	stmt = db_use_ints(store, SQL_READING_TEXTS, 2,
	    (int64_t[]){reading->document_id, TURNS_READINGS});
	while (db_row(store, stmt)) {
		int64_t text = db_int(stmt, 0);

		if (text == last)
			continue;
		if (texts > 1 && text != before)
			break;
		before = last;
		last = text;
		texts++;
	}
	db_done(stmt);
	return texts < 3 ? 0 : texts - 2;
}

int64_t
store_document_id(struct store *store, int64_t site_id, struct slice url)
{
	return db_first_id(store,
	    db_bind(db_use(store, SQL_DOCUMENT_ID),
		DB_ROW(AS_INT(site_id), AS_TEXT(url))));
}

/* Rows of origins. */

int64_t
store_origin(struct store *store, struct slice origin, bool is_made)
{
	int64_t id = db_first_id(
	    store, db_use_text(store, SQL_ORIGIN_GET, origin));

	if (id == 0 && is_made &&
	    db_write(store, db_use_text(store, SQL_ORIGIN_MAKE, origin)))
		id = db_last_id(store);
	return id;
}

/* Lists of sites and documents. */

/* The current row, borrowed. */
static struct document_list_row
row_of(struct store *store, struct sqlite3_stmt *stmt)
{
	return (struct document_list_row){.id = db_id(store, stmt, 0),
	    .site_id = db_id(store, stmt, 1),
	    .parent_id = db_id(store, stmt, 2),
	    .url = db_whole_url(store, stmt, 3),
	    .kind = document_kind_find(db_text(stmt, 4)),
	    .last_read_s = db_time(store, stmt, 5),
	    .entries = db_count(store, stmt, 6),
	    .dated = db_count(store, stmt, 7),
	    .refused = db_count(store, stmt, 8),
	    .owed_s = db_time(store, stmt, 9),
	    .generator = generator_find(db_text(stmt, 10))};
}

void
store_each_site(
    struct store *store, int64_t after_id, store_site_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = after_id == 0
	    ? db_loop(store, SQL_SITE_EACH)
	    : db_loop_id(store, SQL_SITE_EACH_READ, after_id);

	while (db_row(store, stmt)) {
		int64_t id = db_id(store, stmt, 0);
		struct slice host = db_url(store, stmt, 1);

		if (store->failed == DIAG_OK)
			fn(arg, id, host);
	}
}

void
store_each_document_list(struct store *store, enum document_list list,
    int64_t site_id, store_document_list_fn *fn, void *arg)
{
	static const enum statement statements[] = {
	    [LIST_OF_ALL] = SQL_DOCUMENT_LIST_EACH,
	    [LIST_OF_SITE] = SQL_DOCUMENT_LIST_OF,
	    [LIST_OF_UNTRIED] = SQL_DOCUMENT_LIST_UNTRIED};
	struct sqlite3_stmt *stmt = db_loop_ints(
	    store, statements[list], list == LIST_OF_ALL ? 0 : 1, &site_id);

	while (db_row(store, stmt)) {
		struct document_list_row row = row_of(store, stmt);

		if (store->failed == DIAG_OK)
			fn(arg, &row);
	}
}

void
store_each_id(struct store *store, enum id_list list, int64_t of,
    store_id_fn *fn, void *arg)
{
	static const enum statement statements[] = {
	    [IDS_FOUND] = SQL_FOUND_EACH,
	    [IDS_UNLED] = SQL_REACH_UNLED,
	    [IDS_OF_FEED] = SQL_FEED_MEMBERS,
	    [IDS_OF_ORIGIN] = SQL_ORIGIN_SITES};
	struct sqlite3_stmt *stmt = db_loop_ints(
	    store, statements[list], list == IDS_FOUND ? 0 : 1, &of);

	while (db_row(store, stmt)) {
		int64_t id = db_id(store, stmt, 0);

		if (store->failed == DIAG_OK)
			fn(arg, id);
	}
}

int64_t
store_number(
    struct store *store, enum store_number number, int64_t of, int64_t other)
{
	static const struct {
		enum statement statement;
		int parameters;
		int64_t (*answer)(struct store *, struct sqlite3_stmt *);
	} numbers[] = {
	    [STORE_LATEST_S] = {SQL_READING_LATEST, 0, db_first_time},
	    [STORE_LAST_READING] = {SQL_READING_LAST, 0, db_first_id},
	    [STORE_AFTER_S] = {SQL_READING_AT_AFTER, 1, db_first_time},
	    [STORE_SITE_KNOWN_S] = {SQL_SITE_KNOWN, 1, db_first_time},
	    [STORE_IS_FOUND] = {SQL_FOUND_OF, 1, db_first},
	    [STORE_OTHER_PARENT] = {SQL_LINK_OTHER, 2, db_first},
	    [STORE_LISTED_PAGES] = {SQL_LISTED_PAGES_AT, 2, db_first},
	    [STORE_UNFIT] = {SQL_STATE_UNFIT, 1, db_first},
	    [STORE_HAS_UNFIT] = {SQL_STATE_HAS_UNFIT, 0, db_first},
	    [STORE_PAGES_ASKED_S] = {SQL_PAGES_ASKED_S, 0, db_first_time},
	    [STORE_IS_LED] = {SQL_REACH_IS_LED, 1, db_first},
	    [STORE_IS_BASELINE] = {SQL_IS_BASELINE, 1, db_first},
	    [STORE_CHILDREN_WITHOUT] = {SQL_SITE_CHILDREN, 2, db_first},
	    [STORE_UNTALLIED] = {SQL_TALLY_NEXT, 1, db_first_id},
	    [STORE_UNTALLIED_S] = {SQL_UNTALLIED_SINCE, 1, db_first_time},
	    [STORE_IS_READ] = {SQL_SITE_IS_READ, 1, db_first},
	    [STORE_HAS_TITLES] = {SQL_PAGE_SAYS_ANY, 0, db_first},
	};

	return numbers[number].answer(store,
	    db_use_ints(store, numbers[number].statement,
		numbers[number].parameters, (int64_t[]){of, other}));
}

bool
store_document_list(
    struct store *store, int64_t id, struct document_list_row *row)
{
	struct sqlite3_stmt *stmt = db_use_id(store, SQL_DOCUMENT_LIST_GET, id);
	bool is_there = db_row(store, stmt);
	if (is_there) {
		*row = row_of(store, stmt);
		is_there = store->failed == DIAG_OK;
		buf_clear(&store->listed_url);
		(void)buf_put_slice(&store->listed_url, row->url);
		row->url = buf_text(&store->listed_url);
	}
	db_done(stmt);
	return is_there;
}

bool
store_site_host(struct store *store, int64_t site_id, struct buf *host)
{
	struct sqlite3_stmt *stmt = db_use_id(store, SQL_SITE_HOST, site_id);
	bool is_there = db_row(store, stmt) && db_url(store, stmt, 0).len > 0;
	if (is_there)
		(void)buf_put_slice(host, db_text(stmt, 0));
	db_done(stmt);
	return is_there;
}
