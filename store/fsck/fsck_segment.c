/*
 * Fsck: segments and deltas, entry by entry and change by change (J3, J4, J5,
 * J8, J9, J10, J14, J15).
 */
#include "store/fsck/fsck_segment.h"

#include <stdlib.h>

#include "base/addr.h"
#include "base/mem.h"
#include "store/db.h"
#include "store/document.h"
#include "store/fsck/fsck_blocks.h"
#include "store/fsck/fsck_pass.h"
#include "store/location.h"
#include "store/proof_scope.h"
#include "store/query.h"
#include "store/segment/entry.h"
#include "store/segment/merge.h"

/* What the scope of a document depends on; borrowed. */
struct fsck_document {
	int64_t id;
	int64_t site_id;
	struct slice url;
	struct slice final_url; /* empty: none */
	uint64_t fingerprint;
	bool is_index;
	bool is_complete;
};

#define PROFILES 3

struct fsck_scope {
	struct fsck *fsck;
	struct location_scope scopes[PROFILES];
	unsigned next; /* the profile that fitted last is tried first */
	int64_t listed_site; /* the site of `listed`; 0: none */
	struct self_listed *listed; /* a reference is owned */
};

static void
scopes_init(struct fsck_scope *scope)
{
	for (int i = 0; i < PROFILES; i++) {
		struct profile profile = profile_watching((enum profile_name)i);

		location_scope_init(&scope->scopes[i], &profile);
	}
}

static struct fsck_scope *
fsck_scope_new(struct fsck *fsck)
{
	struct fsck_scope *scope = mem_zero(sizeof(*scope));

	scope->fsck = fsck;
	scope->next = PROFILE_GOOGLE;
	scopes_init(scope);
	return scope;
}

static void
fsck_scope_free(struct fsck_scope *scope)
{
	for (int i = 0; i < PROFILES; i++)
		location_scope_release(&scope->scopes[i]);
	self_listed_release(scope->listed);
	free(scope);
}

static struct self_listed *
listed_of(struct fsck_scope *scope, int64_t site_id)
{
	if (scope->listed_site != site_id) {
		self_listed_release(scope->listed);
		scope->listed = proof_self_listed(scope->fsck->store, site_id);
		scope->listed_site = site_id;
	}
	return scope->listed;
}

/* Make the scope that the document would have today with the profile of
 * `scope`. */
static bool
make(struct fsck_scope *all, struct location_scope *scope,
    const struct fsck_document *document)
{
	struct proof_document what = {.id = document->id,
	    .url = document->url,
	    .final_url = document->final_url};

	if (document->is_index)
		what.listed = listed_of(all, document->site_id);
	return proof_scope(
	    all->fsck->store, &what, all->fsck->options->max_depth, scope);
}

static const struct location_scope *
fsck_scope_find(struct fsck_scope *scope, const struct fsck_document *document)
{
	uint32_t version = scope->fsck->options->reader_version;

	if (document->fingerprint == 0 || document->final_url.len == 0)
		return NULL;
	for (unsigned i = 0; i < PROFILES; i++) {
		unsigned at = (scope->next + i) % PROFILES;
		struct location_scope *one = &scope->scopes[at];

		if (make(scope, one, document) &&
		    location_fingerprint(one, version) ==
			document->fingerprint) {
			scope->next = at;
			return one;
		}
	}
	return NULL;
}

/* Segments. */

/* What can be wrong with an entry. */
enum fault {
	FAULT_URL,
	FAULT_PLACE,
	FAULT_PRIVATE,
	FAULT_TIME,
	FAULT_HINTS,
	FAULT_DATE,
	FAULTS
};

static const struct {
	unsigned invariant;
	const char *text;
} fault_info[FAULTS] = {
    [FAULT_URL] = {10, "are no normalised http or https URL (R-42 to R-50)"},
    [FAULT_PLACE] = {4,
	"have another verdict than the location rules give (R-53 to "
	"R-71)"},
    [FAULT_PRIVATE] = {4,
	"are on a private address, the document is not "
	"(R-70)"},
    [FAULT_TIME] = {9, "were seen or re-dated after the last commit"},
    [FAULT_HINTS] = {14, "have hints or extensions that there are not"},
    [FAULT_DATE] = {15, "have a date outside of the years 1 to 9999"},
};

struct fault_count {
	uint64_t count;
	char *first; /* owned: URL of the first such entry */
};

struct segments {
	struct fsck *fsck;
	struct fsck_scope *scopes; /* owned */
	struct sqlite3_stmt *next; /* owned */
	struct fsck_blocks blocks;
	struct profile parsing;
	struct url url; /* of the current entry */
	struct url final; /* of the current document */
	bool has_final;
	const struct location_scope *scope; /* NULL: unknown */
	enum location_subject subject;
	struct fault_count tallies[FAULTS];
	struct merge_counts counts;
};

/* The columns of `next`. */
enum {
	COLUMN_ID,
	COLUMN_SITE,
	COLUMN_URL,
	COLUMN_KIND,
	COLUMN_FINAL_URL,
	COLUMN_FINGERPRINT,
	COLUMN_IS_COMPLETE,
	COLUMN_ENTRIES,
	COLUMN_MISSED,
	COLUMN_BLOCKS,
	COLUMN_DATED,
	COLUMN_NEWEST,
	COLUMN_CONTENT_S = COLUMN_NEWEST + 3,
	COLUMN_REFUSED,
	COLUMN_REFUSED_BY
};

/* CONTENT_S: when the segment was written; R-31 judges dates by that time. */
static const char each_document[] =
    "SELECT id, site_id, url, kind, final_url, fingerprint, is_complete,"
    " entries, missed, blocks, dated, newest_s, newest_nanos, newest_form,"
    " (SELECT r.at_s FROM reading r WHERE r.document_id = d.id AND"
    "  ((r.outcome = 'read' AND r.failure IS NULL) OR r.gone > 0"
    "   OR r.left_window > 0)"
    "  ORDER BY r.id DESC LIMIT 1), refused, refused_by"
    " FROM document d WHERE id > ?1 ORDER BY id LIMIT 1";

static void
count_fault(struct segments *segments, enum fault fault, struct slice url)
{
	struct fault_count *tally = &segments->tallies[fault];

	if (tally->count++ == 0)
		tally->first = slice_dup(url);
}

static void
tell_faults(struct segments *segments, const struct fsck_finding *document)
{
	for (int i = 0; i < FAULTS; i++) {
		struct fault_count *tally = &segments->tallies[i];
		struct fsck_finding at = *document;
		struct fsck_loss loss = {.document_id = at.id};

		at.invariant = fault_info[i].invariant;
		if (tally->count > 0)
			fsck_lose(segments->fsck, &at, &loss,
			    "%llu of its entries %s; the first is %.300s",
			    (unsigned long long)tally->count,
			    fault_info[i].text, tally->first);
		free(tally->first);
		*tally = (struct fault_count){0};
	}
}

/* An entry that is missed or held may have been read with an older scope, and
 * from an older final URL, so it is not judged. */
static void
check_place(struct segments *segments, const struct entry *entry)
{
	if (entry_is_absent(entry))
		return;
	if (segments->scope != NULL) {
		if (location_judge(
			segments->scope, &segments->url, segments->subject)
			.verdict != entry->verdict)
			count_fault(segments, FAULT_PLACE, entry->url);
		return;
	}
	if (entry->verdict == VERDICT_ACCEPTED && segments->has_final &&
	    addr_host_is_private(url_host(&segments->url)) &&
	    !addr_host_is_private(url_host(&segments->final)))
		count_fault(segments, FAULT_PRIVATE, entry->url);
}

static void
check_entry_url(struct segments *segments, const struct entry *entry)
{
	if (url_parse(&segments->url, entry->url, NULL, &segments->parsing,
		(struct diag_sink){0}) != DIAG_OK ||
	    !slice_equal(url_text(&segments->url), entry->url))
		count_fault(segments, FAULT_URL, entry->url);
	else
		check_place(segments, entry);
}

static void
check_entry(struct segments *segments, const struct entry *entry)
{
	int64_t latest_s = segments->fsck->latest_s;

	check_entry_url(segments, entry);
	if (!entry_has_times(entry, latest_s))
		count_fault(segments, FAULT_TIME, entry->url);
	if (!entry_has_hints(entry))
		count_fault(segments, FAULT_HINTS, entry->url);
	if (!entry_has_date(entry))
		count_fault(segments, FAULT_DATE, entry->url);
}

static bool
is_newest(const struct segments *segments)
{
	struct date claimed = db_date(segments->next, COLUMN_NEWEST);
	const struct date *counted = &segments->counts.newest;

	return date_order(&claimed, counted) == 0 &&
	    claimed.precision == counted->precision &&
	    claimed.zone == counted->zone;
}

/* Is refused_by the rule that refuses most of the refused entries? */
static bool
is_refused_by(const struct segments *segments)
{
	enum verdict most = merge_refused_by(&segments->counts);
	struct slice claimed = db_text(segments->next, COLUMN_REFUSED_BY);

	return most == VERDICT_ACCEPTED
	    ? db_is_null(segments->next, COLUMN_REFUSED_BY)
	    : slice_is(claimed, diag_name(verdict_code(most)));
}

/* Does the row of the document say what its segment has?  A count follows from
 * what is there; what is not there follows from nothing. */
static void
check_counts(struct segments *segments, const struct fsck_finding *document)
{
	const struct merge_counts *counts = &segments->counts;
	const struct {
		const char *name;
		int column;
		uint64_t counted;
	} rows[] = {
	    {"blocks", COLUMN_BLOCKS, segments->blocks.rows},
	    {"entries", COLUMN_ENTRIES, counts->entries},
	    {"missed", COLUMN_MISSED, counts->missed},
	    {"dated", COLUMN_DATED, counts->dated},
	    {"refused", COLUMN_REFUSED, counts->refused},
	};
	struct fsck_finding at = *document;
	unsigned wrong = 0;
	uint64_t claimed[sizeof(rows) / sizeof(rows[0])];

	at.invariant = 8;
	at.is_repaired = segments->fsck->options->repairs;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		claimed[i] = (uint64_t)db_int(segments->next, rows[i].column);
		wrong |= (claimed[i] != rows[i].counted) << i;
	}
	if (rows[0].counted < claimed[0] && (wrong & 6) != 0) {
		at.invariant = 5;
		fsck_lose(segments->fsck, &at,
		    &(struct fsck_loss){.document_id = at.id},
		    "of %llu blocks %llu are there",
		    (unsigned long long)claimed[0],
		    (unsigned long long)rows[0].counted);
		return;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if ((wrong >> i & 1) != 0)
			fsck_say(segments->fsck, &at,
			    "%s is %llu, its segment has %llu", rows[i].name,
			    (unsigned long long)claimed[i],
			    (unsigned long long)rows[i].counted);
	if (!is_newest(segments))
		fsck_say(segments->fsck, &at,
		    "newest is not the newest usable date of its segment");
	if (!is_refused_by(segments))
		fsck_say(segments->fsck, &at,
		    "refused_by is not the rule of most that are refused");
	if (!at.is_repaired ||
	    (wrong == 0 && is_newest(segments) && is_refused_by(segments)))
		return;
	fsck_mend(segments->fsck);
	document_put_counts(
	    segments->fsck->store, at.id, counts, segments->blocks.rows);
	fsck_mended(segments->fsck);
}

/* Find the rules with which the current document was read, if they are known.
 */
static void
set_rules(struct segments *segments, const struct fsck_finding *at)
{
	struct sqlite3_stmt *stmt = segments->next;
	struct fsck_document document = {
	    .id = at->id,
	    .site_id = db_int(stmt, COLUMN_SITE),
	    .url = at->where,
	    .final_url = db_text(stmt, COLUMN_FINAL_URL),
	    .fingerprint = (uint64_t)db_int(stmt, COLUMN_FINGERPRINT),
	    .is_index = slice_is(
		db_text(stmt, COLUMN_KIND), document_kind_name(KIND_INDEX)),
	};
	bool is_complete = db_int(stmt, COLUMN_IS_COMPLETE) != 0;

	segments->subject = document.is_index ? SUBJECT_CHILD : SUBJECT_PAGE;
	/* A partial reading keeps entries of older readings, which may have
	 * had other rules and another final URL. */
	segments->scope = is_complete
	    ? fsck_scope_find(segments->scopes, &document)
	    : NULL;
	segments->has_final = is_complete && document.final_url.len > 0 &&
	    url_parse(&segments->final, document.final_url, NULL,
		&segments->parsing, (struct diag_sink){0}) == DIAG_OK;
	if (db_int(stmt, COLUMN_ENTRIES) == 0)
		return;
	if (segments->scope != NULL)
		segments->fsck->totals->judged_exactly++;
	else
		segments->fsck->totals->judged_generally++;
}

static bool
is_normal(struct segments *segments, struct slice text)
{
	return url_parse(&segments->url, text, NULL, &segments->parsing,
		   (struct diag_sink){0}) == DIAG_OK &&
	    slice_equal(url_text(&segments->url), text);
}

/* Without its own URL a document cannot be requested; its final URL is where a
 * redirect led. */
static void
check_urls(struct segments *segments, const struct fsck_finding *document)
{
	struct fsck_finding at = *document;
	struct fsck_loss loss = {.document_id = at.id, .is_gone = true};
	struct sqlite3_stmt *stmt = segments->next;

	at.invariant = 10;
	if (!is_normal(segments, at.where))
		fsck_lose(segments->fsck, &at, &loss,
		    "its URL is no normalised http or https URL");
	loss.is_gone = false;
	if (!db_is_null(stmt, COLUMN_FINAL_URL) &&
	    !is_normal(segments, db_text(stmt, COLUMN_FINAL_URL)))
		fsck_lose(segments->fsck, &at, &loss,
		    "its final URL is no normalised http or https URL");
}

static void
check_document(struct segments *segments)
{
	struct sqlite3_stmt *stmt = segments->next;
	struct fsck_totals *totals = segments->fsck->totals;
	struct fsck_finding at = {
	    .table = "document",
	    .id = db_int(stmt, COLUMN_ID),
	    .where = db_text(stmt, COLUMN_URL),
	};
	int64_t content_s = db_int(stmt, COLUMN_CONTENT_S);
	struct entry entry;

	set_rules(segments, &at);
	segments->counts = (struct merge_counts){0};
	check_urls(segments, &at);
	fsck_blocks_begin(&segments->blocks, at.id, at.id, at.where);
	while (fsck_blocks_entry(&segments->blocks, &entry)) {
		check_entry(segments, &entry);
		merge_count(&segments->counts, &entry, content_s);
	}
	totals->entries += segments->counts.entries + segments->counts.missed;
	tell_faults(segments, &at);
	if (!segments->blocks.is_broken)
		check_counts(segments, &at);
}

static void
open_all(struct segments *segments, struct fsck *fsck)
{
	*segments = (struct segments){
	    .fsck = fsck,
	    .scopes = fsck_scope_new(fsck),
	    .next = db_make(fsck->store, each_document),
	    .parsing = profile_default(PROFILE_LENIENT),
	};
	segments->parsing.max_loc_chars = URL_MAX_BYTES;
	url_init(&segments->url);
	url_init(&segments->final);
	fsck_blocks_open(&segments->blocks, fsck, true);
}

void
fsck_segments(struct fsck *fsck)
{
	struct segments segments;
	int64_t id = INT64_MIN;

	open_all(&segments, fsck);
	while (segments.next != NULL &&
	    fsck_next(fsck, segments.next, "document", &id)) {
		fsck->totals->documents++;
		check_document(&segments);
		/* A proof of the document may lie on a damaged page. */
		if (!fsck_ended(fsck, "document"))
			break;
	}
	(void)fsck_ended(fsck, "document");
	db_drop(segments.next);
	fsck_blocks_close(&segments.blocks);
	fsck_scope_free(segments.scopes);
	url_release(&segments.url);
	url_release(&segments.final);
}

/* Deltas. */

static const char each_delta_reading[] =
    "SELECT r.id, d.url, r.document_id, r.delta_blocks, r.added, r.removed, "
    "r.returned,"
    " r.redated, r.gone, r.now_refused, r.now_accepted, r.left_window,"
    " r.back FROM reading r LEFT "
    "JOIN document d"
    " ON d.id = r.document_id WHERE r.id > ?1 AND (r.delta_blocks <> 0 OR"
    " EXISTS (SELECT 1 FROM delta WHERE id BETWEEN r.id << 16 AND"
    " r.id << 16 | 65535)) ORDER BY r.id LIMIT 1";

enum {
	DELTA_COLUMN_ID,
	DELTA_COLUMN_URL,
	DELTA_COLUMN_DOCUMENT,
	DELTA_COLUMN_BLOCKS,
	DELTA_COLUMN_KINDS /* in the order of enum delta_kind */
};

/* Does the row of the reading say what its delta has? */
static void
check_delta_counts(struct fsck *fsck, struct sqlite3_stmt *stmt,
    const struct fsck_finding *reading, const uint64_t counts[DELTA_KINDS],
    uint32_t blocks)
{
	struct fsck_finding at = *reading;
	int64_t claimed[DELTA_KINDS];
	int64_t had = db_int(stmt, DELTA_COLUMN_BLOCKS);
	unsigned wrong = 0;

	for (int kind = 0; kind < DELTA_KINDS; kind++) {
		claimed[kind] = db_int(stmt, DELTA_COLUMN_KINDS + kind);
		wrong += claimed[kind] != (int64_t)counts[kind];
	}
	at.invariant = blocks < had && wrong > 0 ? 5 : 8;
	at.is_repaired = at.invariant == 8 && fsck->options->repairs;
	if (at.invariant == 5) {
		fsck_lose(fsck, &at,
		    &(struct fsck_loss){
			.document_id = db_int(stmt, DELTA_COLUMN_DOCUMENT)},
		    "delta_blocks is %lld, there are %u", (long long)had,
		    blocks);
		return;
	}
	if (blocks != had)
		fsck_say(fsck, &at, "delta_blocks is %lld, there are %u",
		    (long long)had, blocks);
	for (int kind = 0; kind < DELTA_KINDS; kind++)
		if (claimed[kind] != (int64_t)counts[kind])
			fsck_say(fsck, &at, "%s is %lld, its delta has %llu",
			    delta_kind_name((enum delta_kind)kind),
			    (long long)claimed[kind],
			    (unsigned long long)counts[kind]);
	if (!at.is_repaired || (wrong == 0 && blocks == had))
		return;
	fsck_mend(fsck);
	stmt = db_use(fsck->store, SQL_READING_DELTA);
	db_bind_int(stmt, 1, at.id);
	for (int kind = 0; kind < DELTA_KINDS; kind++)
		db_bind_int(stmt, 2 + kind, (int64_t)counts[kind]);
	db_bind_int(stmt, 2 + DELTA_KINDS, blocks);
	(void)db_write(fsck->store, stmt);
	fsck_mended(fsck);
}

static void
check_reading(
    struct fsck *fsck, struct sqlite3_stmt *stmt, struct fsck_blocks *blocks)
{
	struct fsck_finding at = {
	    .table = "reading",
	    .id = db_int(stmt, DELTA_COLUMN_ID),
	    .where = db_text(stmt, DELTA_COLUMN_URL),
	};
	struct fsck_loss loss = {
	    .document_id = db_int(stmt, DELTA_COLUMN_DOCUMENT)};
	uint64_t counts[DELTA_KINDS] = {0};
	uint64_t undated = 0;
	uint64_t misjudged = 0;
	struct change change;

	fsck_blocks_begin(blocks, at.id, loss.document_id, at.where);
	while (fsck_blocks_change(blocks, &change)) {
		counts[change.kind]++;
		undated += !change_has_dates(&change);
		misjudged += !change_has_verdict(&change);
		fsck->totals->changes++;
	}
	at.invariant = 15;
	if (undated > 0)
		fsck_lose(fsck, &at, &loss,
		    "%llu of its changes have dates that their kind has not",
		    (unsigned long long)undated);
	at.invariant = 4;
	if (misjudged > 0)
		fsck_lose(fsck, &at, &loss,
		    "%llu of its changes have a verdict that their kind has "
		    "not",
		    (unsigned long long)misjudged);
	if (!blocks->is_broken)
		check_delta_counts(fsck, stmt, &at, counts, blocks->rows);
}

void
fsck_deltas(struct fsck *fsck)
{
	struct sqlite3_stmt *stmt = db_make(fsck->store, each_delta_reading);
	struct fsck_blocks blocks;
	int64_t id = INT64_MIN;

	fsck->totals->readings = (uint64_t)db_number(
	    fsck->store, "SELECT count(*) FROM reading");
	fsck_blocks_open(&blocks, fsck, false);
	while (stmt != NULL && fsck_next(fsck, stmt, "reading", &id)) {
		check_reading(fsck, stmt, &blocks);
	}
	(void)fsck_ended(fsck, "reading");
	db_drop(stmt);
	fsck_blocks_close(&blocks);
}

/* The latest delta of each document. */

/* A document, and the last reading that changed its segment. */
static const char each_latest[] =
    "SELECT d.id, d.url, r.id, r.at_s FROM document d JOIN reading r"
    " ON r.id = (SELECT max(x.id) FROM reading x WHERE x.document_id = d.id"
    " AND ((x.outcome = 'read' AND x.failure IS NULL) OR x.gone > 0"
    " OR x.left_window > 0))"
    " WHERE d.id > ?1 AND r.delta_blocks > 0 ORDER BY d.id LIMIT 1";

enum {
	LATEST_COLUMN_ID,
	LATEST_COLUMN_URL,
	LATEST_COLUMN_READING,
	LATEST_COLUMN_AT_S
};

struct pair {
	struct block_reader *segment;
	struct block_reader *delta;
	struct entry entry;
	bool has_entry;
	int64_t at_s;
	uint64_t wrong;
	char *first; /* owned: URL of the first change that is wrong */
};

/* The entry of a URL; NULL if the segment has none.  URLs come in order. */
static const struct entry *
find(struct pair *pair, struct slice url)
{
	while (pair->has_entry && slice_order(pair->entry.url, url) < 0)
		pair->has_entry = block_next(pair->segment, &pair->entry);
	return pair->has_entry && slice_equal(pair->entry.url, url)
	    ? &pair->entry
	    : NULL;
}

static bool
agrees(const struct pair *pair, const struct change *change,
    const struct entry *entry)
{
	if (change->kind == DELTA_GONE || change->kind == DELTA_LEFT)
		return entry == NULL;
	if (entry == NULL || entry->verdict != change->verdict)
		return false;
	switch ((enum delta_kind)change->kind) {
	case DELTA_ADDED:
	case DELTA_BACK:
		return entry->missed == 0 && entry->first_seen_s == pair->at_s;
	case DELTA_REMOVED:
		return entry->missed == 1;
	case DELTA_RETURNED:
		return entry->missed == 0;
	case DELTA_REDATED:
		return entry->missed == 0 && entry->redated_s == pair->at_s;
	case DELTA_REFUSED:
	case DELTA_ACCEPTED:
		return entry->missed == 0 &&
		    (entry->redated_s == pair->at_s ||
			!date_differs(&change->before, &change->after));
	case DELTA_GONE:
	case DELTA_LEFT:
	case DELTA_KINDS:
		break;
	}
	return false;
}

static void
compare(struct pair *pair)
{
	struct change change;

	pair->has_entry = block_next(pair->segment, &pair->entry);
	while (block_next_change(pair->delta, &change)) {
		const struct entry *entry = find(pair, change.url);

		/* fsck_segments reported blocks that cannot be decoded. */
		if (block_reader_damaged(pair->segment))
			return;
		if (!agrees(pair, &change, entry) && pair->wrong++ == 0)
			pair->first = slice_dup(change.url);
	}
}

static void
check_latest(struct fsck *fsck, struct sqlite3_stmt *stmt)
{
	struct block_source *segment = block_source_segment(
	    fsck->store, db_int(stmt, LATEST_COLUMN_ID));
	struct block_source *delta = block_source_delta(
	    fsck->store, db_int(stmt, LATEST_COLUMN_READING));
	struct pair pair = {
	    .segment = block_reader_new(block_source_pull, segment),
	    .delta = block_reader_new(block_source_pull, delta),
	    .at_s = db_int(stmt, LATEST_COLUMN_AT_S),
	};

	compare(&pair);
	if (pair.wrong > 0)
		fsck_lose(fsck,
		    &(struct fsck_finding){
			.invariant = 3,
			.table = "document",
			.id = db_int(stmt, LATEST_COLUMN_ID),
			.where = db_text(stmt, LATEST_COLUMN_URL),
		    },
		    &(struct fsck_loss){db_int(stmt, LATEST_COLUMN_ID), false},
		    "%llu changes of reading %lld are not those of its "
		    "segment; the first is %.300s",
		    (unsigned long long)pair.wrong,
		    (long long)db_int(stmt, LATEST_COLUMN_READING), pair.first);
	free(pair.first);
	block_reader_free(pair.segment);
	block_reader_free(pair.delta);
	block_source_free(segment);
	block_source_free(delta);
}

void
fsck_latest(struct fsck *fsck)
{
	struct sqlite3_stmt *stmt = db_make(fsck->store, each_latest);
	int64_t id = INT64_MIN;

	while (stmt != NULL && fsck_next(fsck, stmt, "document", &id)) {
		check_latest(fsck, stmt);
		if (!fsck_ended(fsck, "segment"))
			break;
	}
	(void)fsck_ended(fsck, "document");
	db_drop(stmt);
}
