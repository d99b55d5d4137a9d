/* Fsck: segments, entry by entry (J4, J5, J8, J9, J10, J14, J15). */
#include <stdlib.h>

#include "base/addr.h"
#include "base/mem.h"
#include "store/care.h"
#include "store/db.h"
#include "store/document_row.h"
#include "store/fsck/fsck_blocks.h"
#include "store/fsck/fsck_internal.h"
#include "store/segment/entry.h"
#include "store/segment/merge.h"

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

struct tally {
	uint64_t count;
	char *first; /* owned: URL of the first such entry */
};

struct segments {
	struct fsck *fsck;
	struct fsck_scope *scopes;
	struct sqlite3_stmt *next; /* owned */
	struct fsck_blocks blocks;
	struct profile parsing;
	struct url url; /* of the entry at hand */
	struct url final; /* of the document at hand */
	bool has_final;
	const struct location_scope *scope; /* NULL: unknown */
	enum location_subject subject;
	struct tally tallies[FAULTS];
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

/* content_s: when the segment became what it is, R-31 asks for it. */
static const char each_document[] =
    "SELECT id, site_id, url, kind, final_url, fingerprint, is_complete,"
    " entries, missed, blocks, dated, newest_s, newest_nanos, newest_form,"
    " (SELECT r.at_s FROM reading r WHERE r.document_id = d.id AND"
    "  ((r.outcome = 'read' AND r.failure IS NULL) OR r.gone > 0)"
    "  ORDER BY r.id DESC LIMIT 1), refused, refused_by"
    " FROM document d WHERE id > ?1 ORDER BY id LIMIT 1";

static void
count_fault(struct segments *segments, enum fault fault, struct slice url)
{
	struct tally *tally = &segments->tallies[fault];

	if (tally->count++ == 0)
		tally->first = slice_dup(url);
}

static void
tell_faults(struct segments *segments, const struct fsck_finding *document)
{
	for (int i = 0; i < FAULTS; i++) {
		struct tally *tally = &segments->tallies[i];
		struct fsck_finding at = *document;
		struct fsck_loss loss = {.document_id = at.id};

		at.invariant = fault_info[i].invariant;
		if (tally->count > 0)
			fsck_lose(segments->fsck, &at, &loss,
			    "%llu of its entries %s; the first is %.300s",
			    (unsigned long long)tally->count,
			    fault_info[i].text, tally->first);
		free(tally->first);
		*tally = (struct tally){0};
	}
}

/*
 * An entry that was missed, or is held, came under an older scope, perhaps, and
 * from where the document was then.
 */
static void
check_place(struct segments *segments, const struct entry *entry)
{
	if (entry->missed != 0 || entry->is_held)
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

/* The document's columns that count its segment (J8). */
static void
repair_counts(struct segments *segments, int64_t document_id)
{
	row_put_counts(segments->fsck->store, document_id, &segments->counts,
	    segments->blocks.rows);
}

#define COUNTED 5

struct counted {
	const char *name;
	int64_t claimed;
	int64_t counted;
};

static void
count_rows(const struct segments *segments, struct counted rows[COUNTED])
{
	struct sqlite3_stmt *stmt = segments->next;
	const struct merge_counts *counts = &segments->counts;

	rows[0] = (struct counted){
	    "entries", db_int(stmt, COLUMN_ENTRIES), (int64_t)counts->entries};
	rows[1] = (struct counted){
	    "missed", db_int(stmt, COLUMN_MISSED), (int64_t)counts->missed};
	rows[2] = (struct counted){
	    "dated", db_int(stmt, COLUMN_DATED), (int64_t)counts->dated};
	rows[3] = (struct counted){
	    "blocks", db_int(stmt, COLUMN_BLOCKS), segments->blocks.rows};
	rows[4] = (struct counted){
	    "refused", db_int(stmt, COLUMN_REFUSED), (int64_t)counts->refused};
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

/* is_refused_by(segments): is refused_by the rule of most of them? */
static bool
is_refused_by(const struct segments *segments)
{
	enum verdict most = merge_refused_by(&segments->counts);
	struct slice claimed = db_text(segments->next, COLUMN_REFUSED_BY);

	return most == VERDICT_ACCEPTED
	    ? db_is_null(segments->next, COLUMN_REFUSED_BY)
	    : slice_is(claimed, diag_name(verdict_code(most)));
}

static void
check_counts(struct segments *segments, const struct fsck_finding *document)
{
	struct fsck_finding at = *document;
	struct fsck_loss loss = {.document_id = at.id};
	struct counted rows[COUNTED];
	bool is_newest_wrong = !is_newest(segments);
	bool is_rule_wrong = !is_refused_by(segments);
	bool is_wrong = is_newest_wrong || is_rule_wrong;

	count_rows(segments, rows);
	/* A count follows from what is there, what is not there from nothing.
	 */
	if (rows[3].counted < rows[3].claimed &&
	    (rows[0].claimed != rows[0].counted ||
		rows[1].claimed != rows[1].counted)) {
		at.invariant = 5;
		fsck_lose(segments->fsck, &at, &loss,
		    "of %lld blocks %lld are there", (long long)rows[3].claimed,
		    (long long)rows[3].counted);
		return;
	}
	at.invariant = 8;
	at.is_repaired = segments->fsck->options->repairs;
	if (is_newest_wrong)
		fsck_say(segments->fsck, &at,
		    "newest is not the newest usable date of its segment");
	if (is_rule_wrong)
		fsck_say(segments->fsck, &at,
		    "refused_by is not the rule of most that are refused");
	for (size_t i = 0; i < COUNTED; i++) {
		if (rows[i].claimed == rows[i].counted)
			continue;
		is_wrong = true;
		fsck_say(segments->fsck, &at,
		    "%s is %lld, its segment has %lld", rows[i].name,
		    (long long)rows[i].claimed, (long long)rows[i].counted);
	}
	if (!is_wrong || !at.is_repaired)
		return;
	fsck_mend(segments->fsck);
	repair_counts(segments, at.id);
	fsck_mended(segments->fsck);
}

/* Under which rules the document at hand was read, as far as it is known. */
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
	/* A partial reading keeps what older ones brought, under whatever
	 * rules they had, and from wherever it came. */
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

/* Its own, without which it cannot be asked for, and that of its redirect. */
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
	    .next = care_statement(fsck->store, each_document),
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
		/* What vouches for it may have been on a damaged page. */
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
