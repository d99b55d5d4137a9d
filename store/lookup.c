/* Lookups of one URL. */
#include "store/lookup.h"

#include "store/db.h"
#include "store/query.h"
#include "store/segment/bloom.h"
#include "store/segment/finding.h"

struct lookup {
	struct store *store;
	struct slice url;
	store_listing_fn *fn;
	void *arg;
	struct one_block block; /* owned */
};

void
store_each_listing(
    struct store *store, struct slice url, store_listing_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_BLOCK_INDEX_AROUND);
	struct lookup lookup = {
	    .store = store, .url = url, .fn = fn, .arg = arg};
	uint64_t key = bloom_key(url);

	db_bind_text(stmt, 1, url);
	while (db_row(store, stmt))
		if (bloom_passes(db_blob(stmt, 1), key)) {
			int64_t block_id = db_int(stmt, 0);
			struct entry entry;
			int order = -1;

			if (one_block_open(
				&lookup.block, lookup.store, block_id)) {
				while (order < 0 &&
				    block_next(lookup.block.reader, &entry))
					order = slice_order(
					    entry.url, lookup.url);
				if (order == 0)
					lookup.fn(lookup.arg,
					    block_id >> BLOCK_ID_SHIFT, &entry);
				one_block_close(&lookup.block, lookup.store);
			}
		}
	db_done(stmt);
	one_block_release(&lookup.block);
}

/* The kind of the change of the URL in the delta of a reading; DELTA_KINDS: it
 * has none. */
static enum delta_kind
kind_in(struct store *store, int64_t reading_id, struct slice url)
{
	struct block_source *source = block_source_delta(store, reading_id);
	struct block_reader *reader = block_source_reader(source);
	struct change change;
	enum delta_kind kind = DELTA_KINDS;
	int order = -1;

	while (order < 0 && block_next_change(reader, &change)) {
		order = slice_order(change.url, url);
		if (order == 0)
			kind = (enum delta_kind)change.kind;
	}
	block_source_free(source);
	return kind;
}

static bool
says(struct store *store, int64_t reading_id, struct slice url,
    enum delta_kind kind)
{
	return kind_in(store, reading_id, url) == kind;
}

/* Find the last whole reading of the document before before_s; false: there is
 * none, or it was pruned. */
static bool
whole_before(struct store *store, int64_t document_id, int64_t before_s,
    struct gone_row *gone)
{
	struct sqlite3_stmt *stmt = db_use_ints(store, SQL_READING_WHOLE_BEFORE,
	    3, (int64_t[]){document_id, gone->reading_id, before_s});
	bool is_found = db_row(store, stmt);
	if (is_found) {
		gone->reading_id = db_id(store, stmt, 0);
		gone->at_s = db_time(store, stmt, 1);
	}
	db_done(stmt);
	return is_found;
}

bool
store_gone(struct store *store, struct slice url, struct slice host,
    struct gone_row *gone)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_READINGS_GONE);
	int64_t document_id = 0, absent_s = 0;
	bool is_found = false;

	db_bind_text(stmt, 1, host);
	while (!is_found && db_row(store, stmt)) {
		enum delta_kind kind;

		gone->reading_id = db_int(stmt, 0);
		kind = kind_in(store, gone->reading_id, url);
		is_found = kind == DELTA_GONE || kind == DELTA_LEFT;
		gone->is_left = kind == DELTA_LEFT;
		if (!is_found)
			continue;
		gone->at_s = db_time(store, stmt, 1);
		gone->document = slice_dup(db_url(store, stmt, 2));
		document_id = db_id(store, stmt, 3);
		absent_s = db_time(store, stmt, 4);
	}
	db_done(stmt);
	/* A document that ended may have lacked the URL before. */
	while (is_found &&
	    whole_before(store, document_id,
		absent_s > 0 ? absent_s : gone->at_s, gone) &&
	    says(store, gone->reading_id, url, DELTA_REMOVED))
		;
	return is_found;
}

int64_t
store_refused_since(struct store *store, int64_t document_id, struct slice url)
{
	struct sqlite3_stmt *stmt = db_loop_id(
	    store, SQL_READINGS_REFUSING, document_id);
	int64_t at_s = 0;

	while (at_s == 0 && db_row(store, stmt))
		if (says(store, db_int(stmt, 0), url, DELTA_REFUSED))
			at_s = db_time(store, stmt, 1);
	db_done(stmt);
	return at_s;
}

void
store_each_proof(
    struct store *store, struct slice url, store_proof_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_PROOF_LINES);

	db_bind_text(stmt, 1, url);
	while (db_row(store, stmt)) {
		struct slice origin = db_url(store, stmt, 0);

		if (store->failed == DIAG_OK)
			fn(arg, origin, (uint32_t)db_int(stmt, 1));
	}
	db_done(stmt);
}

void
store_each_sample(struct store *store, store_sample_fn *fn, void *arg)
{
	struct sqlite3_stmt *stmt = db_loop(store, SQL_STANDING_SAMPLES);

	while (db_row(store, stmt)) {
		struct sample_row row = {
		    .document_id = db_int(stmt, 0),
		    .code = db_text(stmt, 1),
		    .line = (uint32_t)db_int(stmt, 2),
		    .text = db_text(stmt, 3),
		};

		fn(arg, &row);
	}
	db_done(stmt);
}

int64_t
store_standing(struct store *store, int64_t document_id, struct buf *host)
{
	struct sqlite3_stmt *stmt = db_use_id(
	    store, SQL_DOCUMENT_STANDING, document_id);
	int64_t reading_id = 0;

	if (db_row(store, stmt)) {
		reading_id = db_int(stmt, 0);
		(void)buf_put_slice(host, db_text(stmt, 1));
	}
	db_done(stmt);
	return reading_id;
}

/* URLs as segments and samples of findings hold them. */

/* How many bytes at the end of a cut sample may belong to an incomplete escape
 * or letter. */
#define CUT 8

enum diag_code
raw_url_parse(struct url *url, struct slice text, const struct url *base)
{
	struct profile profile = profile_default(PROFILE_LENIENT);

	profile.max_loc_chars = URL_MAX_BYTES;
	if (base == NULL)
		profile.relative_loc = RELATIVE_REJECT;
	return url_parse(url, text, base, &profile, (struct diag_sink){0});
}

bool
raw_url_is(struct slice text, const struct url *base, struct slice wanted,
    enum diag_code *code)
{
	struct slice made;
	struct url url;
	bool is_it = false;

	url_init(&url);
	*code = raw_url_parse(&url, text, base);
	made = url_text(&url);
	if (*code == DIAG_OK && text.len >= FINDING_TEXT_MAX && made.len > CUT)
		is_it = slice_starts(
		    wanted, slice_make(made.p, made.len - CUT));
	else if (*code == DIAG_OK)
		is_it = slice_equal(made, wanted);
	url_release(&url);
	return is_it;
}
