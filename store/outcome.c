/* Outcomes: the results of fetches of pages. */
#include "store/outcome.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "store/db.h"
#include "store/feed.h"
#include "store/page.h"

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

enum page_outcome
page_outcome_of_status(int status)
{
	if (status == 304)
		return PAGE_NOT_MODIFIED;
	if (status == 301 || status == 308)
		return PAGE_MOVED;
	if (status == 404 || status == 410)
		return PAGE_GONE;
	return status >= 200 && status <= 299 ? PAGE_FETCHED : PAGE_FAILED;
}

uint64_t
page_text_hash(struct slice text, uint64_t key)
{
	/* The usual digests by their number of hexadecimal digits; 0: the text
	 * is none of them. */
	static const size_t digits[] = {32, 40, 56, 64, 96, 128};
	uint64_t digest = 0;

	for (size_t i = 0; i < sizeof(digits) / sizeof(digits[0]); i++)
		if (text.len == digits[i])
			digest = i + 1;
	for (size_t i = 0; digest != 0 && i < text.len; i++)
		if (text.p[i] == '\0' ||
		    strchr("0123456789abcdefABCDEF", text.p[i]) == NULL)
			digest = 0;
	return (hash_key(text, key) & ~DIGEST_BITS) | digest;
}

enum page_outcome
page_outcome_of_text(const struct page_row *before, uint64_t hash)
{
	uint64_t was = before->hash & DIGEST_BITS;
	uint64_t is = hash & DIGEST_BITS;

	if (before->fetched_s <= 0 || !before->has_hash)
		return PAGE_FETCHED;
	if ((before->hash | DIGEST_BITS) == (hash | DIGEST_BITS))
		return PAGE_SAME;
	/* If the fetcher uses another digest than before, the hashes tell
	 * nothing.  Without this rule all pages would seem changed. */
	return was != is && was != 0 && is != 0 ? PAGE_FETCHED : PAGE_CHANGED;
}

static void
bind_given(struct sqlite3_stmt *stmt, int i, struct slice text)
{
	if (text.len > 0)
		db_bind_text(stmt, i, text);
}

/* Why the page is unfit for an index after the outcome, if it was `was` before
 * (SPEC section 17). */
static enum page_unfit
unfit_after(const struct outcome_row *row, enum page_unfit was)
{
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
	case PAGE_MOVED:
		break;
	}
	return row->is_noindex ? PAGE_NOINDEX : PAGE_FIT;
}

/* When the page was last fetched; a time after now came from a wrong clock. */
static int64_t
known_s(const struct page_row *before, const struct outcome_row *row)
{
	return row->now_s != 0 && before->fetched_s > row->now_s
	    ? row->now_s
	    : before->fetched_s;
}

/* Does the outcome tell what the page is now?  One that is older than the known
 * state does not. */
static bool
is_latest(const struct page_row *before, const struct outcome_row *row)
{
	return row->at_s >= known_s(before, row);
}

/* The state of the page after the outcome. */
static void
change_state(struct store *store, const struct page_row *before,
    const struct outcome_row *row)
{
	struct sqlite3_stmt *stmt = db_use(store, SQL_STATE_OUTCOME);
	bool is_new = is_latest(before, row);
	bool keeps = row->kind == PAGE_NOT_MODIFIED || row->kind == PAGE_FAILED;
	int64_t fetched_s = is_new ? row->at_s : known_s(before, row);

	db_bind_int(stmt, 1, row->page_id);
	db_bind_int(
	    stmt, 2, row->number > before->done ? row->number : before->done);
	db_bind_int(
	    stmt, 3, row->kind == PAGE_FAILED ? before->fetched_s : fetched_s);
	db_bind_int(stmt, 4, is_new ? row->status : before->status);
	if (is_new && row->has_hash)
		db_bind_int(stmt, 5, (int64_t)row->hash);
	else if (before->has_hash)
		db_bind_int(stmt, 5, (int64_t)before->hash);
	bind_given(stmt, 6,
	    !is_new || (keeps && row->etag.len == 0) ? before->etag
						     : row->etag);
	bind_given(stmt, 7,
	    !is_new || (keeps && row->last_modified.len == 0)
		? before->last_modified
		: row->last_modified);
	if (row->learned.len > 0)
		db_bind_blob(stmt, 8, row->learned);
	else if (before->learned.len > 0)
		db_bind_blob(stmt, 8, before->learned);
	(void)db_write(store, stmt);
}

void
store_outcome(struct store *store, const struct page_row *before,
    const struct outcome_row *row)
{
	struct page_row page;

	if (before == NULL && !store_page_get(store, row->page_id, &page))
		return;
	if (before == NULL)
		before = &page;
	page_memory_drop(&store->page_memory, row->page_id);
	/* Note whether the page is fit for an index, if that has turned. */
	enum page_unfit was = (enum page_unfit)before->unfit;
	enum page_unfit is = unfit_after(row, was);
	bool has_turned = is_latest(before, row) && is != was;

	if (has_turned)
		db_put_ints(store, SQL_STATE_UNFIT_SET, 2,
		    (int64_t[]){row->page_id, is});
	struct sqlite3_stmt *stmt = db_use_ints(store, SQL_OUTCOME_ADD, 3,
	    (int64_t[]){row->page_id, row->number, row->at_s});

	db_bind_str(stmt, 4, page_outcome_name(row->kind));
	db_bind_int(stmt, 5, row->status);
	if (row->has_hash)
		db_bind_int(stmt, 6, (int64_t)row->hash);
	bind_given(stmt, 7, row->location);
	db_bind_int(stmt, 8, (int64_t)row->bytes);
	db_bind_int(stmt, 9, row->ms);
	db_bind_int(stmt, 10, has_turned);
	(void)db_write(store, stmt);
	/* The latest lease of a page has a row until it is answered, then the
	 * state alone has its number.  So the table of leases is as small as
	 * what is out, and the rows of many leases are in the same few places
	 * of the store. */
	if (row->number != 0)
		db_put_ints(store, SQL_LEASE_ANSWERED, 2,
		    (int64_t[]){row->page_id, row->number});
	change_state(store, before, row);
	/* A page that left a window is known for longer by that. */
	if (!before->is_listed && row->kind != PAGE_FAILED)
		db_put_ints(store, SQL_LEFT_FETCHED, 2,
		    (int64_t[]){row->page_id, row->at_s});
}

static void
each(struct store *store, struct sqlite3_stmt *stmt, store_outcome_fn *fn,
    void *arg)
{
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

void
store_each_outcome(
    struct store *store, int64_t after_id, store_outcome_fn *fn, void *arg)
{
	each(store, db_loop_id(store, SQL_OUTCOME_EACH, after_id), fn, arg);
}

void
store_each_outcome_of(
    struct store *store, int64_t page_id, store_outcome_fn *fn, void *arg)
{
	each(store, db_loop_id(store, SQL_OUTCOME_OF_PAGE, page_id), fn, arg);
}
