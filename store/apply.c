/*
 * Writing a reading.  What is written depends on its outcome:
 *
 *	READ, complete   segment, delta, validators, digests, links
 *	READ, partial    the same, but no validators and digests, so that the
 *	                 next attempt is unconditional; nothing is removed
 *	READ, held       complete, but no validators and digests, so that the
 *	                 next attempt finds out whether as much is absent again
 *	UNCHANGED        new validators; missed entries are gone
 *	READ with unreadable content, FAILED   only the count of failures
 *	REFUSED          only the attempt
 */
#include "store/apply.h"

#include <string.h>

#include "base/mem.h"
#include "store/db.h"
#include "store/left_page.h"
#include "store/query.h"
#include "store/reach.h"
#include "store/segment/merge.h"
#include "store/siblings.h"
#include "store/site.h"
#include "store/url_hashes.h"

#define VALIDATOR_MAX_BYTES 256 /* HOSTILE T35 */
/* SPEC R-120: a second reading within the hour confirms that entries are
 * absent, but at most once a day.  It is due after half an hour, since it may
 * have to wait for its turn. */
#define OWED_S 1800
#define OWED_LEAST_S 86400
#define ASKED_S 900 /* siblings are read before (siblings.h) ... */
#define AFTER_S 300 /* ... which may take so long */
/* Requests have no conditions for so long after one was spoilt by them. */
#define PLAIN_S (7 * INT64_C(86400))
#define LAST_MODIFIED_LEAST_S 631152000 /* 1990; an earlier one is no date */
#define KNOWN_LEAST_S 1000000000 /* an earlier absent_s does not say when */

/* A validator, or NULL if it is not printable or too long to be sent. */
static const char *
usable_validator(const char *text)
{
	if (text == NULL || strlen(text) > VALIDATOR_MAX_BYTES)
		return NULL;
	for (const char *p = text; *p != '\0'; p++)
		if ((unsigned char)*p < 0x20 || (unsigned char)*p > 0x7e)
			return NULL;
	return text;
}

static enum diag_code
failure_of(const struct reading *reading)
{
	return reading->failure != DIAG_OK ? reading->failure
					   : reading->content.failure;
}

static int64_t
add_reading(struct store *store, const struct reading *reading)
{
	const struct http_facts *http = &reading->http;
	const struct content *content = &reading->content;
	const struct merge_counts *merge = &content->merge;
	enum diag_code failure = failure_of(reading);
	int64_t text = 0;
	bool has_text = reading_text(reading, &text);

	(void)db_put(store, SQL_READING_ADD,
	    DB_ROW(AS_INT(reading->document_id), AS_INT(reading->at_s),
		AS_STR(outcome_name(reading->outcome)),
		AS_IF(failure != DIAG_OK, AS_STR(diag_name(failure))),
		AS_INT(reading->fingerprint), AS_INT(http->status),
		AS_STR(http->final_url), AS_STR(http->content_type),
		AS_INT(http->wire_bytes), AS_INT(http->duration_ms),
		AS_STR(document_kind_name(content->kind)),
		AS_INT(content->is_complete), AS_INT(content->decoded_bytes),
		AS_INT(content->gzip_layers), AS_INT(content->seen),
		AS_INT(content->accepted), AS_INT(content->refused),
		AS_INT(merge->entries), AS_INT(merge->missed),
		AS_INT(merge->dated), AS_INT(merge->regressed),
		AS_INT(merge->refused), AS_IF(has_text, AS_INT(text))));
	return db_last_id(store);
}

static void
add_findings(
    struct store *store, int64_t reading_id, const struct reading *reading)
{
	const struct findings *findings = &reading->content.findings;

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		/* These findings follow from the outcome and the reading
		 * before; thousands of unchanged readings would repeat them. */
		if (reading->outcome == OUTCOME_UNCHANGED &&
		    (finding->code == DIAG_NOT_MODIFIED ||
			finding->code == DIAG_SITEMAP_REDIRECTED))
			continue;
		(void)db_put(store, SQL_FINDING_ADD,
		    DB_ROW(AS_INT(reading_id), AS_INT(i),
			AS_STR(diag_name(finding->code)),
			AS_INT(finding->count)));
		for (unsigned k = 0; k < finding->sample_count; k++)
			(void)db_put(store, SQL_SAMPLE_ADD,
			    DB_ROW(AS_INT(reading_id), AS_INT(i), AS_INT(k),
				AS_INT(finding->samples[k].line),
				AS_STR(finding->samples[k].text)));
	}
}

/* The state of a document before its reading is applied. */
struct document_before {
	int64_t site_id;
	bool has_pages; /* neither an index nor a robots.txt */
	/* the missed entries of the document are pages, not children */
	bool has_missed_pages;
	int64_t ended_s; /* when the document ended; 0: it has not ended */
	bool was_told; /* the end was reported as a change of the site */
	bool is_absent; /* the latest attempt got 404 or 410 */
	bool is_complete;
	bool is_feed;
	unsigned window; /* see merge.h */
	int64_t alias_of; /* 0: none */
	int64_t blocks;
	uint64_t entries;
	int64_t missed; /* entries of the segment that the reading lacked */
	int64_t owed_s; /* when a second reading is due; 0: none is */
	int64_t owed_urls; /* URLs that depend on the second reading */
	int64_t answered_s; /* the time of the last second reading */
	int64_t asked_s; /* when it is to be read for a sibling; 0: it is not */
	int64_t looked_s; /* the time of the last such reading */
	int64_t read_s; /* the time of the last reading that was one */
	bool has_links; /* it is, or was, an index with children */
	bool has_missed_links;
	/* the reach of its site may have changed, whatever the reading says */
	bool is_in_doubt;
};

/* Write a block, unless it is stored already and the same. */
static void
put_block(struct store *store, int64_t id, const struct block_copy *block,
    bool may_be_there)
{
	struct sqlite3_stmt *stmt;
	struct slice data = slice_make(block->data, block->len);
	struct slice bloom = slice_make(block->bloom, block->bloom_len);
	bool is_same = false;

	if (may_be_there) {
		stmt = db_use_id(store, SQL_BLOCK_GET, id);
		is_same = db_row(store, stmt) &&
		    slice_equal(db_blob(stmt, 0), data) &&
		    slice_is(db_text(stmt, 1), block->first_url) &&
		    !db_is_null(stmt, 2) &&
		    slice_is(db_text(stmt, 2), block->last_url) &&
		    slice_equal(db_blob(stmt, 3), bloom) &&
		    db_int(stmt, 4) == block->count;
		db_done(stmt);
	}
	if (is_same)
		return;
	(void)db_put(store, SQL_SEGMENT_PUT,
	    DB_ROW(AS_INT(id), AS_INT(block->count), AS_BLOB(data)));
	(void)db_put(store, SQL_BLOCK_INDEX_PUT,
	    DB_ROW(AS_INT(id), AS_STR(block->first_url),
		AS_STR(block->last_url), AS_BLOB(bloom)));
}

/* Only blocks that changed are written; the ids follow the order of the blocks,
 * so if there is one more, or one less, those behind it are written, too. */
static void
replace_segment(struct store *store, const struct document_before *was,
    int64_t document_id, const struct block_list *segment)
{
	store->segments_replaced++;
	/* Remove the blocks behind the new ones. */
	if (was->blocks > (int64_t)segment->count) {
		int64_t ids[] = {
		    BLOCK_ID(document_id) + (int64_t)segment->count,
		    BLOCK_ID(document_id) + BLOCKS_MAX};

		db_put_ints(store, SQL_SEGMENT_CLEAR, 2, ids);
		db_put_ints(store, SQL_BLOCK_INDEX_CLEAR, 2, ids);
	}
	for (size_t i = 0; i < segment->count; i++)
		put_block(store, BLOCK_ID(document_id) + (int64_t)i,
		    &segment->items[i], (int64_t)i < was->blocks);
}

/* pages: TALLY_PAGES and others (entry.h). */
static void
add_delta(struct store *store, int64_t reading_id,
    const struct content *content, unsigned pages)
{
	struct sqlite3_stmt *stmt = db_use_id(
	    store, SQL_READING_DELTA, reading_id);
	const uint64_t *changes = content->merge.changes;
	const struct block_list *delta = &content->delta;

	for (int kind = 0; kind < DELTA_KINDS; kind++)
		db_bind_int(stmt, 2 + kind, (int64_t)changes[kind]);
	db_bind_int(stmt, 2 + DELTA_KINDS, (int64_t)delta->count);
	db_bind_int(stmt, 3 + DELTA_KINDS, pages);
	db_run(store, stmt);
	for (size_t i = 0; i < delta->count; i++)
		(void)db_put(store, SQL_DELTA_ADD,
		    DB_ROW(AS_INT(BLOCK_ID(reading_id) + (int64_t)i),
			AS_INT(delta->items[i].count),
			AS_BLOB(slice_make(
			    delta->items[i].data, delta->items[i].len))));
}

static bool
kind_has_pages(enum document_kind kind)
{
	return kind != KIND_INDEX && kind != KIND_ROBOTS &&
	    kind != KIND_UNLISTED;
}

static bool
find_listing(
    struct store *store, int64_t document_id, struct document_before *listing)
{
	struct sqlite3_stmt *stmt = db_use_id(
	    store, SQL_DOCUMENT_LISTING, document_id);
	enum document_kind kind;
	bool is_there = db_row(store, stmt);
	kind = is_there ? document_kind_find(db_text(stmt, 1)) : KIND_UNKNOWN;
	if (is_there)
		*listing = (struct document_before){
		    .site_id = db_id(store, stmt, 0),
		    .has_pages = kind_has_pages(kind),
		    .is_feed = kind == KIND_RSS || kind == KIND_ATOM,
		    .blocks = db_int(stmt, 2),
		    .ended_s = db_int(stmt, 6) != 0 ? 0
						    : db_time(store, stmt, 3),
		    .was_told = db_int(stmt, 7) != 2,
		    .alias_of = db_int(stmt, 4),
		    .has_missed_pages = db_int(stmt, 5) != 0,
		    .owed_s = db_time(store, stmt, 8),
		    .owed_urls = db_int(stmt, 9),
		    .answered_s = db_time(store, stmt, 10),
		    .is_absent = db_int(stmt, 11) != 0,
		    .entries = db_count(store, stmt, 12),
		    .is_complete = db_int(stmt, 13) != 0,
		    .missed = db_int(stmt, 14),
		    .has_links = !db_is_null(stmt, 15),
		    .has_missed_links = db_int(stmt, 15) > 0,
		    .is_in_doubt = db_int(stmt, 16) != 0,
		    .asked_s = db_time(store, stmt, 17),
		    .looked_s = db_time(store, stmt, 18),
		    .window = db_small(store, stmt, 19),
		    .read_s = db_time(store, stmt, 20)};
	if (is_there && listing->window >= WINDOW_KINDS)
		listing->window = WINDOW_NONE;
	db_done(stmt);
	return is_there;
}

/* What the reading lists, and listed before, as bits (entry.h); has_pages
 * is that of the document after the reading. */
static unsigned
pages_of(const struct document_before *was, const struct content *content,
    bool has_pages)
{
	const struct merge_counts *counts = &content->merge;
	/* The delta has no changes for entries that are pages now and were
	 * children before, or the other way round. */
	bool has_both = has_pages != was->has_pages && was->blocks > 0 &&
	    counts->entries >
		counts->changes[DELTA_ADDED] + counts->changes[DELTA_RETURNED];
	bool is_whole = (content->is_baseline && has_pages) || has_both;

	return (has_pages ? TALLY_PAGES : 0) |
	    (was->has_pages ? TALLY_PAGES_BEFORE : 0) |
	    (was->has_missed_pages ? TALLY_PAGES_GONE : 0) |
	    (is_whole ? TALLY_WHOLE : 0);
}

/* Mark the site if the numbers of what it lists must be updated, or counted
 * anew. */
static void
mark_site(struct store *store, const struct document_before *was,
    int64_t reading_id, const struct content *content, unsigned pages)
{
	if ((pages & TALLY_WHOLE) != 0)
		db_put_ints(store, SQL_SITE_UNCOUNTED, 2,
		    (int64_t[]){was->site_id, reading_id});
	else if (content->delta.count > 0 && pages != 0)
		db_put_ints(store, SQL_SITE_PENDING, 2,
		    (int64_t[]){was->site_id, reading_id});
}

/* Write the new segment and delta of a reading, and their counts. */
static void
put_content(struct store *store, const struct document_before *was,
    const struct reading *reading, int64_t reading_id, struct content *content,
    bool has_pages)
{
	int64_t document_id = reading->document_id;
	unsigned pages = pages_of(was, content, has_pages);

	document_put_counts(
	    store, document_id, &content->merge, content->segment.count);
	if (content->is_complete && was->has_missed_pages != was->has_pages)
		db_put_ints(store, SQL_DOCUMENT_MISSED_PAGES, 2,
		    (int64_t[]){document_id, was->has_pages});
	/* The document has another segment, so what is known of the hashes of
	 * its site is right no more, unless the segment is its first. */
	if (store->url_hashes != NULL && was->blocks > 0)
		url_hashes_drop(store->url_hashes, was->site_id);
	else if (store->url_hashes != NULL && has_pages)
		url_hashes_add(store->url_hashes, store_hash_key(store),
		    was->site_id, &content->segment);
	left_pages_note(store, was->site_id, reading->at_s, pages, content);
	store_keep(store, was->site_id, document_id, reading_id, content);
	replace_segment(store, was, document_id, &content->segment);
	add_delta(store, reading_id, content, pages);
	if (content->merge.changes[DELTA_GONE] > 0 ||
	    content->merge.gone_since_s > 0) {
		/* Note since when the gone entries have been absent: of the
		 * complete readings before this one, the first at or after
		 * gone_since_s, or the last, missed them first. */
		struct sqlite3_stmt *stmt = db_use_ints(store,
		    SQL_READING_BEFORE, 2,
		    (int64_t[]){document_id, reading_id});
		int64_t since_s = 0;

		while (db_row(store, stmt)) {
			int64_t at_s = db_time(store, stmt, 0);

			if (since_s > 0 &&
			    (content->merge.gone_since_s < KNOWN_LEAST_S ||
				at_s < content->merge.gone_since_s))
				break;
			since_s = at_s;
		}
		db_done(stmt);
		db_put_ints(store, SQL_READING_SINCE, 2,
		    (int64_t[]){reading_id, since_s});
	}
	mark_site(store, was, reading_id, content, pages);
}

struct validators {
	struct db_value etag, modified, digest;
};

static struct validators
validators_of(const struct http_facts *http)
{
	struct validators is = {
	    .digest = AS_IF(http->has_digest,
		AS_BLOB(slice_make((const char *)http->wire_digest.bytes,
		    sizeof(http->wire_digest.bytes))))};
	const char *modified = http->last_modified, *etag = http->etag;
	struct slice tag = slice_of(etag == NULL ? "" : etag);
	int64_t time_s;

	/* An ETag may mean something else in If-None-Match: a list of tags, or
	 * any tag (HOSTILE N28). */
	if (slice_starts(tag, slice_of("W/")))
		tag = slice_from(tag, 2);
	if (tag.len >= 2 && tag.p[0] == '"' && tag.p[tag.len - 1] == '"')
		tag = slice_make(tag.p + 1, tag.len - 2);
	if (etag != NULL && strcmp(etag, "*") != 0 &&
	    memchr(tag.p, '"', tag.len) == NULL)
		is.etag = AS_STR(usable_validator(etag));
	/* A Last-Modified before 1990 is the zero of some clock. */
	if (modified != NULL &&
	    (!date_parse_http(&time_s, slice_of(modified)) ||
		time_s >= LAST_MODIFIED_LEAST_S))
		is.modified = AS_STR(usable_validator(modified));
	return is;
}

static void
mark_read(
    struct store *store, const struct reading *reading, int64_t reading_id)
{
	const struct http_facts *http = &reading->http;
	const struct content *content = &reading->content;
	struct slice digest = slice_make(
	    (const char *)content->decoded_digest.bytes,
	    sizeof(content->decoded_digest.bytes));
	bool is_whole = content->is_complete && content->merge.held == 0;
	struct validators is = {0};
	const char *reason;
	const struct generator *generator = generator_of(
	    content->generator, &reason);

	if (is_whole)
		is = validators_of(http);
	(void)db_put(store, SQL_DOCUMENT_READ,
	    DB_ROW(AS_INT(reading->document_id), AS_INT(reading->at_s),
		AS_INT(reading_id), AS_DATE(&reading->index_lastmod), is.etag,
		is.modified, is.digest,
		AS_IF(is_whole && http->has_digest, AS_BLOB(digest)),
		AS_IF(content->kind != KIND_UNKNOWN,
		    AS_STR(document_kind_name(content->kind))),
		AS_STR(http->final_url), AS_INT(reading->fingerprint),
		AS_INT(content->is_complete), AS_DATE(&content->published),
		AS_STR(generator == NULL ? NULL : generator->name)));
}

/* A child that a complete reading of the index lacks for the second time is not
 * reachable through the index any more, unless the other children wait to be
 * read. */
static void
age_links(struct store *store, const struct document_before *was,
    const struct reading *reading)
{
	int64_t id = reading->document_id;

	if (!was->has_missed_links)
		return;
	db_put_id(store, SQL_LINKS_DROP, id);
	db_put_ints(store, SQL_LINKS_AGE, 2,
	    (int64_t[]){id, siblings_open_s(store, id, reading->at_s)});
}

static void
put_links(struct store *store, const struct document_before *was,
    const struct reading *reading, const struct link_set *links)
{
	if (reading->content.is_complete && was->has_links) {
		/* While entries are held, so are all links. */
		if (reading->content.merge.held == 0)
			age_links(store, was, reading);
		db_put_ints(store, SQL_LINKS_MISS, 2,
		    (int64_t[]){reading->document_id, reading->at_s});
	}
	for (size_t i = 0; i < links->count; i++)
		(void)db_put(store, SQL_LINK_SET,
		    DB_ROW(AS_INT(reading->document_id),
			AS_INT(links->items[i].child_id),
			AS_DATE(&links->items[i].lastmod)));
}

/* SPEC 15.2: an unchanged reading lacks the entries that the one before missed,
 * so these are gone. */
static void
make_gone(struct store *store, const struct document_before *was,
    struct reading *reading, int64_t reading_id)
{
	struct content content;
	struct block_source *source = block_source_new(
	    store, BLOCKS_OF_SEGMENT, reading->document_id);
	struct merge_options options = {
	    .now_s = reading->at_s,
	    .is_complete = true,
	    .missed_open_s = siblings_open_s(
		store, reading->document_id, reading->at_s),
	    .is_feed = was->is_feed,
	    .window = was->window,
	    .previous = block_source_pull,
	    .previous_arg = source,
	    .segment = block_list_add,
	    .segment_arg = &content.segment,
	    .delta = block_list_add,
	    .delta_arg = &content.delta,
	};

	content_init(&content);
	/* A segment that cannot be decoded is kept until the document changes,
	 * since its missed entries are not known. */
	if (merge_unchanged(&options, &content.merge) == DIAG_OK) {
		content.is_complete = true;
		if (content.merge.changes[DELTA_GONE] +
			content.merge.changes[DELTA_LEFT] >
		    0)
			put_content(store, was, reading, reading_id, &content,
			    was->has_pages);
		memcpy(reading->content.merge.changes, content.merge.changes,
		    sizeof(content.merge.changes));
		reading->content.merge.undecided = content.merge.undecided;
	}
	content_release(&content);
	block_source_close(source, NULL, 0);
}

/* The sites in doubt. */

void
doubt_site(struct store *store, int64_t site_id)
{
	struct doubts *doubts = &store->doubts;

	for (size_t i = 0; i < doubts->count; i++)
		if (doubts->items[i].id == site_id) {
			doubts->items[i].is_doubted = true;
			return;
		}
	*MEM_PUSH(doubts->items, doubts->count, doubts->cap) = (struct doubt){
	    .id = site_id, .is_doubted = true};
}

/* Ends of documents. */

/* All entries of a document are gone, or have left it if it was a window. */
static void
end_listing(struct store *store, int64_t document_id,
    const struct ending *ending, const struct document_before *was)
{
	struct block_source *source;
	struct block_reader *reader;
	struct block_writer *writer;
	struct content content;
	struct entry entry;
	int64_t reading_id;
	unsigned pages;

	db_put_ints(store, SQL_READING_END, 3,
	    (int64_t[]){document_id, ending->at_s,
		ending->since_s > 0 ? ending->since_s : ending->at_s});
	reading_id = db_last_id(store);
	content_init(&content);
	source = block_source_new(store, BLOCKS_OF_SEGMENT, document_id);
	reader = block_source_reader(source);
	writer = block_writer_new(block_list_add, &content.delta, 0);
	while (block_next(reader, &entry)) {
		enum delta_kind kind = !ending->is_silent &&
			merge_leaves(&entry, was->is_feed, was->window)
		    ? DELTA_LEFT
		    : DELTA_GONE;

		content.merge.changes[kind]++;
		block_writer_add_change(writer,
		    &(struct change){.url = entry.url,
			.kind = (uint8_t)kind,
			.verdict = entry.verdict,
			.was_listed = entry.missed == 0,
			.before = entry.lastmod});
	}
	(void)block_writer_finish(writer);
	block_writer_free(writer);
	block_source_close(source, NULL, 0);
	pages = ending->is_silent ? 0 : pages_of(was, &content, false);
	left_pages_note(store, was->site_id, ending->at_s, pages, &content);
	add_delta(store, reading_id, &content, pages);
	store_keep(store, was->site_id, document_id, reading_id, &content);
	if (store->url_hashes != NULL && was->blocks > 0)
		url_hashes_drop(store->url_hashes, was->site_id);
	replace_segment(store, was, document_id, &content.segment);
	mark_site(store, was, reading_id, &content,
	    ending->is_silent ? TALLY_WHOLE : pages);
	content_release(&content);
}

/* End a document; was: its state before the reading that ends it. */
static void
end_document(struct store *store, int64_t document_id,
    const struct ending *ending, const struct document_before *was)
{
	if (was->blocks > 0)
		end_listing(store, document_id, ending, was);
	/* Entries that were not reported as gone are not new if they return. */
	(void)db_put(store, SQL_DOCUMENT_END,
	    DB_ROW(AS_INT(document_id),
		AS_INT(ending->alias_of == 0 ? ending->at_s : 0),
		AS_IF(ending->alias_of != 0, AS_INT(ending->alias_of)),
		AS_INT(ending->is_silent)));
	db_put_id(store, SQL_LINKS_CLEAR, document_id);
	/* The document's children and aliases may not be reachable any more. */
	doubt_site(store, was->site_id);
}

void
apply_end(struct store *store, int64_t document_id, const struct ending *ending)
{
	struct document_before was;

	if (db_begin(store) && find_listing(store, document_id, &was))
		end_document(store, document_id, ending, &was);
}

/* Second readings confirm that what a reading found absent is really absent. */

struct second_reading {
	bool is_open; /* a second reading is needed */
	uint64_t urls; /* URLs that depend on the second reading */
};

/* Decide whether and when a second reading is due.  A reading that failed
 * changes nothing. */
static void
owe(struct store *store, const struct document_before *was,
    const struct reading *reading)
{
	int status = reading->http.status;
	struct second_reading open = {
	    was->owed_s != 0, (uint64_t)was->owed_urls};
	bool is_asked = was->owed_s != 0 && reading->at_s >= was->owed_s;
	bool is_for_sibling = was->asked_s != 0 &&
	    reading->at_s >= was->asked_s;
	int64_t answered_s = is_asked ? reading->at_s : was->answered_s;
	int64_t owed_s = reading->at_s + OWED_S;
	/* The children of an index that so many readings in a row lacked depend
	 * on the second reading, too; -1: none do. */
	int lacking = -1;
	bool is_whole = reading->outcome == OUTCOME_UNCHANGED
	    ? was->is_complete
	    : reading->outcome == OUTCOME_READ &&
		failure_of(reading) == DIAG_OK && reading->content.is_complete;

	if (reading->outcome == OUTCOME_FAILED &&
	    (status == 404 || status == 410)) {
		/* A second reading must confirm the first 404 or 410. */
		bool is_first = !was->is_absent && was->blocks > 0 &&
		    was->window < WINDOW_HABIT;

		if (is_first || was->is_absent)
			open = (struct second_reading){.is_open = is_first,
			    .urls = is_first && was->has_pages ? was->entries
							       : 0};
		if (is_first && !was->has_pages)
			lacking = 0;
	} else if (is_whole) {
		/* Does a complete reading lack entries for the first time?
		 * Those of feeds and of news do not count, since they come and
		 * go; neither do those of documents that write a session into
		 * their URLs. */
		const struct merge_counts *merge = &reading->content.merge;
		uint64_t urls = merge->undecided + merge->held +
		    (reading->content.is_held ? 0 : merge->lacking);
		bool is_owed = urls > 0 &&
		    session_readings(store, reading->document_id, INT64_MAX) <
			SESSION_READINGS;

		open = (struct second_reading){.is_open = is_owed,
		    .urls = is_owed && was->has_pages ? urls : 0};
		lacking = 1;
	} else if (was->owed_s != 0 && !is_asked) {
		owed_s = was->owed_s;
	}
	if (lacking >= 0) {
		struct sqlite3_stmt *stmt = db_use_ints(store,
		    SQL_OWED_CHILDREN, 2,
		    (int64_t[]){reading->document_id, lacking});

		if (db_row(store, stmt)) {
			open.is_open |= db_int(stmt, 0) > 0;
			open.urls += (uint64_t)db_int(stmt, 1);
		}
		db_done(stmt);
	}
	if (is_whole && open.is_open) {
		/* The second reading decides.  It waits for the siblings; if
		 * these are too many to be asked, an ordinary reading decides
		 * some day.  What an unchanged document lacks was missed
		 * before, so siblings that were read since then need not be
		 * read once more. */
		const struct merge_counts *merge = &reading->content.merge;
		bool is_sibling_asked = siblings_ask(store,
		    reading->document_id,
		    reading->outcome == OUTCOME_UNCHANGED ? was->read_s
							  : reading->absent_s,
		    reading->at_s + ASKED_S);

		owed_s = reading->at_s +
		    (is_sibling_asked ? OWED_S + AFTER_S : OWED_LEAST_S);
		if (merge->held > 0 && merge->undecided == 0 &&
		    merge->changes[DELTA_REMOVED] == 0 &&
		    owed_s < merge->held_since_s + HELD_S)
			owed_s = merge->held_since_s + HELD_S;
	}
	if (!open.is_open && was->owed_s == 0 && was->asked_s == 0)
		return;
	if (owed_s < answered_s + OWED_LEAST_S)
		owed_s = answered_s + OWED_LEAST_S;
	db_put_ints(store, SQL_DOCUMENT_OWE, 5,
	    (int64_t[]){reading->document_id, open.is_open ? owed_s : 0,
		open.is_open ? (int64_t)open.urls : 0, answered_s,
		is_for_sibling ? reading->at_s : was->looked_s});
}

/* Aliases: documents that are redirected to the same URL. */

/* Is the document redirected to another document of the site, or to the same
 * URL as another one?  Then only the other document lists the entries; was: its
 * state before the reading. */
static bool
is_alias(struct store *store, const struct reading *reading,
    const struct document_before *was)
{
	const char *final = reading->http.final_url;
	int64_t document_id = reading->document_id, id = 0;

	if (final == NULL)
		return false;
	if (!db_has(store,
		db_bind(db_use(store, SQL_DOCUMENT_HAS_URL),
		    DB_ROW(AS_INT(document_id), AS_STR(final)))))
		id = db_first_id(store,
		    db_bind(db_use(store, SQL_ALIAS_FIND),
			DB_ROW(AS_INT(was->site_id), AS_INT(document_id),
			    AS_STR(final))));
	if (id == 0 && was->alias_of != 0)
		db_put_id(store, SQL_DOCUMENT_RETURN, reading->document_id);
	if (id == 0)
		return false;
	end_document(store, reading->document_id,
	    &(struct ending){.at_s = reading->at_s, .alias_of = id}, was);
	return true;
}

/* Documents that are redirected to this one become its aliases. */
static void
take_aliases(struct store *store, const struct document_before *was,
    const struct reading *reading)
{
	struct sqlite3_stmt *stmt;
	int64_t ids[8];
	size_t count = 0;

	if (reading->http.final_url == NULL)
		return;
	stmt = db_bind(db_use(store, SQL_ALIAS_OTHERS),
	    DB_ROW(AS_INT(was->site_id), AS_INT(reading->document_id),
		AS_STR(reading->http.final_url)));
	/* Aliases beyond these are found when they are read. */
	while (count < LENGTH(ids) && db_row(store, stmt))
		ids[count++] = db_id(store, stmt, 0);
	db_done(stmt);
	for (size_t i = 0; i < count; i++)
		apply_end(store, ids[i],
		    &(struct ending){.at_s = reading->at_s,
			.alias_of = reading->document_id});
}

int64_t
apply_reading(struct store *store, struct reading *reading,
    const struct link_set *links, bool is_settled)
{
	struct document_before was = {0};
	/* the document is an alias or has ended, so it lists nothing */
	bool is_one = false;
	bool has_failed = reading->outcome == OUTCOME_FAILED ||
	    (reading->outcome == OUTCOME_READ &&
		reading->content.failure != DIAG_OK);
	struct validators is;
	int64_t reading_id;

	(void)find_listing(store, reading->document_id, &was);
	if (was.ended_s != 0 && !is_settled)
		return 0;
	reading_id = add_reading(store, reading);
	add_findings(store, reading_id, reading);
	/* Of an attempt that brought nothing, only this is noted. */
	if (has_failed || reading->outcome == OUTCOME_REFUSED ||
	    reading->outcome == OUTCOME_ENDED)
		db_put_ints(store, SQL_DOCUMENT_TRIED, 3,
		    (int64_t[]){
			reading->document_id, reading->at_s, reading_id});
	if (has_failed)
		db_put_ints(store, SQL_DOCUMENT_FAILED, 3,
		    (int64_t[]){reading->document_id, reading->at_s,
			reading->http.status == 404 ||
			    reading->http.status == 410});
	switch (reading->outcome) {
	case OUTCOME_READ:
		if (has_failed)
			break;
		mark_read(store, reading, reading_id);
		if (is_alias(store, reading, &was)) {
			is_one = true;
			break;
		}
		if (was.ended_s != 0) {
			/* The request was sent before the document ended. */
			end_document(store, reading->document_id,
			    &(struct ending){.at_s = was.ended_s,
				.is_silent = !was.was_told},
			    &was);
			is_one = true;
			break;
		}
		put_links(store, &was, reading, links);
		put_content(store, &was, reading, reading_id, &reading->content,
		    kind_has_pages(reading->content.kind));
		take_aliases(store, &was, reading);
		break;
	case OUTCOME_UNCHANGED:
		is = validators_of(&reading->http);
		(void)db_put(store, SQL_DOCUMENT_UNCHANGED,
		    DB_ROW(AS_INT(reading->document_id), AS_INT(reading->at_s),
			AS_INT(reading_id), AS_DATE(&reading->index_lastmod),
			is.etag, is.modified, is.digest,
			AS_INT(reading->http.status == 200),
			AS_INT(reading->http.is_index_wrong)));
		if (was.is_complete)
			age_links(store, &was, reading);
		if (was.is_complete && was.missed > 0)
			make_gone(store, &was, reading, reading_id);
		break;
	case OUTCOME_FAILED:
	case OUTCOME_REFUSED:
	case OUTCOME_ENDED:
		break;
	}
	if (reading->http.is_spoilt)
		db_put_ints(store, SQL_DOCUMENT_PLAIN, 2,
		    (int64_t[]){reading->document_id, reading->at_s + PLAIN_S});
	if (!is_one)
		owe(store, &was, reading);
	left_pages_end(store, was.site_id, reading->at_s);
	/* Doubt the site if the reading can change what its documents reach.
	 * One without a failure cannot if nothing is linked, or ends. */
	if (was.site_id == 0 || was.is_in_doubt || was.is_absent ||
	    was.has_links || links->count > 0 || is_one ||
	    failure_of(reading) != DIAG_OK ||
	    (reading->outcome != OUTCOME_READ &&
		reading->outcome != OUTCOME_UNCHANGED)) {
		int64_t site_id = db_first(store,
		    db_use_ints(store, SQL_REACH_DOUBTS, 2,
			(int64_t[]){reading->document_id,
			    reading->at_s - REACH_ABSENT_S}));

		if (site_id > 0)
			doubt_site(store, site_id);
	}
	return reading_id;
}
