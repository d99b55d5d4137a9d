/* Outcomes: the results of fetches of pages. */
#include "store/outcome.h"

#include <assert.h>
#include <string.h>

#include "base/renaming.h"
#include "base/url.h"
#include "store/db.h"
#include "store/feed.h"

/* The bits of a text's hash that tell the digest. */
#define DIGEST_BITS UINT64_C(7)

const char *
page_outcome_name(enum page_outcome outcome)
{
	static const char *const names[PAGE_OUTCOMES] = {
	    [PAGE_CHANGED] = "changed",
	    [PAGE_SAME] = "same",
	    [PAGE_NOT_MODIFIED] = "not-modified",
	    [PAGE_FETCHED] = "fetched",
	    [PAGE_MOVED] = "moved",
	    [PAGE_GONE] = "gone",
	    [PAGE_FAILED] = "failed"};

	assert(outcome < PAGE_OUTCOMES);
	return names[outcome];
}

uint64_t
page_text_hash(struct slice text, uint64_t key)
{
	/* The usual digests by their number of hexadecimal digits; 0: the text
	 * is none of them. */
	static const size_t digits[] = {32, 40, 56, 64, 96, 128};
	uint64_t digest = 0;

	for (size_t i = 0; i < LENGTH(digits); i++)
		if (text.len == digits[i])
			digest = i + 1;
	for (size_t i = 0; digest != 0 && i < text.len; i++)
		if (text.p[i] == '\0' ||
		    strchr("0123456789abcdefABCDEF", text.p[i]) == NULL)
			digest = 0;
	return (hash_key(text, key) & ~DIGEST_BITS) | digest;
}

enum page_outcome
page_outcome_of(const struct page_row *before, int status, const uint64_t *hash)
{
	uint64_t was = before->hash & DIGEST_BITS, is;

	if (status == 304)
		return PAGE_NOT_MODIFIED;
	if (status == 301 || status == 308)
		return PAGE_MOVED;
	if (status == 404 || status == 410)
		return PAGE_GONE;
	if (status < 200 || status > 299)
		return PAGE_FAILED;
	if (hash == NULL || before->fetched_s <= 0 || !before->has_hash)
		return PAGE_FETCHED;
	is = *hash & DIGEST_BITS;
	if ((before->hash | DIGEST_BITS) == (*hash | DIGEST_BITS))
		return PAGE_SAME;
	/* If the fetcher uses another digest than before, the hashes tell
	 * nothing.  Without this rule all pages would seem changed. */
	return was != is && was != 0 && is != 0 ? PAGE_FETCHED : PAGE_CHANGED;
}

/* Is the target of a redirect another page than the URL?  It is none if only
 * the spelling differs: many sitemaps list a spelling that redirects. */
static bool
is_other_page(struct slice text, struct slice location)
{
	struct buf key = BUF_UP_TO(SIZE_MAX), other_key = BUF_UP_TO(SIZE_MAX);
	struct url url = {0}, other = {0};
	bool is_other;

	is_other = url_is_normal(&url, text) &&
	    url_resolve(&other, location, &url) == DIAG_OK;
	if (is_other) {
		spelling_key(&key, text);
		spelling_key(&other_key, url_text(&other));
		is_other = !slice_equal(buf_text(&key), buf_text(&other_key));
	}
	buf_release(&key);
	buf_release(&other_key);
	url_release(&url);
	url_release(&other);
	return is_other;
}

/* Why the page is unfit for an index after the outcome (SPEC section 17). */
static enum page_unfit
unfit_after(const struct page_row *before, const struct outcome_row *row)
{
	enum page_unfit was = (enum page_unfit)before->unfit;

	switch (row->kind) {
	case PAGE_FAILED:
	case PAGE_OUTCOMES:
		return was;
	case PAGE_GONE:
		return PAGE_NOT_FOUND;
	case PAGE_NOT_MODIFIED:
		return row->is_noindex || was == PAGE_NOINDEX ? PAGE_NOINDEX
							      : PAGE_FIT;
	case PAGE_CHANGED:
	case PAGE_SAME:
	case PAGE_FETCHED:
		break;
	case PAGE_MOVED:
		if (row->location.len > 0 &&
		    is_other_page(before->url, row->location))
			return PAGE_ELSEWHERE;
		break;
	}
	return row->is_noindex ? PAGE_NOINDEX : PAGE_FIT;
}

/* The state of the page after the outcome.  known_s is when the page was last
 * fetched; an outcome that is older (is_new is false) does not tell what the
 * page is now. */
static void
change_state(struct store *store, const struct page_row *before,
    const struct outcome_row *row, int64_t known_s, bool is_new)
{
	bool has_failed = row->kind == PAGE_FAILED;
	bool keeps = has_failed || row->kind == PAGE_NOT_MODIFIED;
	int64_t fetched_s = is_new ? row->at_s : known_s;
	struct slice etag = row->etag, last_modified = row->last_modified;
	struct slice learned = row->learned.len > 0 ? row->learned
						    : before->learned;
	bool has_new_hash = is_new && row->has_hash;

	if (!is_new || has_failed || (keeps && etag.len == 0))
		etag = before->etag;
	if (!is_new || has_failed || (keeps && last_modified.len == 0))
		last_modified = before->last_modified;
	(void)db_put(store, SQL_STATE_OUTCOME,
	    DB_ROW(AS_INT(row->page_id),
		AS_INT(row->number > before->done ? row->number : before->done),
		AS_INT(has_failed ? before->fetched_s : fetched_s),
		AS_INT(is_new ? row->status : before->status),
		AS_IF(has_new_hash || before->has_hash,
		    AS_INT(has_new_hash ? row->hash : before->hash)),
		AS_SOME(etag), AS_SOME(last_modified),
		AS_IF(learned.len > 0, AS_BLOB(learned))));
}

void
store_outcome(struct store *store, const struct page_row *before,
    const struct outcome_row *row)
{
	struct page_row page;
	int64_t known_s;

	if (before == NULL && !store_page_get(store, row->page_id, &page))
		return;
	if (before == NULL)
		before = &page;
	page_memory_drop(&store->page_memory, row->page_id);
	/* When the page was last fetched; a later time is of a wrong clock. */
	known_s = before->fetched_s;
	if (row->now_s != 0 && known_s > row->now_s)
		known_s = row->now_s;
	/* Note whether the page is fit for an index, if that has turned. */
	enum page_unfit is = unfit_after(before, row);
	bool is_latest = row->at_s >= known_s;
	bool has_turned = is_latest && (uint32_t)is != before->unfit;

	if (has_turned)
		db_put_ints(store, SQL_STATE_UNFIT_SET, 2,
		    (int64_t[]){row->page_id, is});
	/* a redirect may prove that pages moved */
	if (db_put(store, SQL_OUTCOME_ADD,
		DB_ROW(AS_INT(row->page_id), AS_INT(row->number),
		    AS_INT(row->at_s), AS_STR(page_outcome_name(row->kind)),
		    AS_INT(row->status),
		    AS_IF(row->has_hash, AS_INT(row->hash)),
		    AS_SOME(row->location), AS_INT(row->bytes), AS_INT(row->ms),
		    AS_INT(has_turned))) &&
	    row->location.len > 0)
		db_put_id(store, SQL_PAST_DROP_PAGE, row->page_id);
	/* The latest lease of a page has a row until it is answered, then the
	 * state alone has its number.  So the table of leases is as small as
	 * what is out, and the rows of many leases are in the same few places
	 * of the store. */
	if (row->number != 0)
		db_put_ints(store, SQL_LEASE_ANSWERED, 2,
		    (int64_t[]){row->page_id, row->number});
	change_state(store, before, row, known_s, is_latest);
	/* A page that left a window is known for longer by that. */
	if (!before->is_listed && row->kind != PAGE_FAILED)
		db_put_ints(store, SQL_LEFT_FETCHED, 2,
		    (int64_t[]){row->page_id, row->at_s});
}

void
store_each_outcome(struct store *store, int64_t page_id, int64_t after_id,
    store_outcome_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = page_id == 0
	    ? db_loop_id(store, SQL_OUTCOME_EACH, after_id)
	    : db_loop_id(store, SQL_OUTCOME_OF_PAGE, page_id);
	bool goes_on = true;

	while (goes_on && db_row(store, stmt)) {
		struct slice kind = db_text(stmt, 4);
		struct outcome_row row = {
		    .id = db_int(stmt, 0),
		    .page_id = db_int(stmt, 1),
		    .number = db_small(store, stmt, 2),
		    .at_s = db_time(store, stmt, 3),
		    /* also one that only a later version knows */
		    .kind = PAGE_FAILED,
		    .status = (int)db_int(stmt, 5),
		    .has_hash = !db_is_null(stmt, 6),
		    .hash = (uint64_t)db_int(stmt, 6),
		    .location = db_text(stmt, 7),
		    .bytes = db_count(store, stmt, 8),
		    .ms = db_small(store, stmt, 9),
		};

		for (int i = 0; i < PAGE_OUTCOMES; i++)
			if (slice_is(kind, page_outcome_name(i)))
				row.kind = (enum page_outcome)i;
		goes_on = store->failed == DIAG_OK && fn(arg, &row);
	}
	db_done(stmt);
}
