/* Every statement that the store prepares. */
#include "store/statements.h"

/* What store_document_get and store_each_document read, in their order. */
#define DOCUMENT_COLUMNS                                                     \
	"d.id, d.site_id, d.url, d.kind, d.final_url, d.etag,"               \
	" d.last_modified, d.wire_digest, d.decoded_digest, d.fingerprint,"  \
	" d.last_read_s, d.last_full_s, d.last_try_s, d.failures,"           \
	" d.failing_since_s, d.listed_s, d.listed_ns, d.listed_form,"        \
	" d.listed_read_s, d.listed_read_ns, d.listed_read_form, d.entries," \
	" d.missed, d.is_complete"

static const char *const texts[STATEMENT_COUNT] = {
    [SITE_FIND] = "SELECT id FROM site WHERE host = ?1",
    [SITE_ADD] = "INSERT INTO site(host) VALUES(?1)",
    [SITE_CRAWL] = "SELECT crawl_began_s FROM site WHERE id = ?1",
    [SITE_SET_CRAWL] = "UPDATE site SET crawl_began_s = ?2 WHERE id = ?1",
    [SITE_LIST] = "SELECT host FROM site ORDER BY host",
    [DOCUMENT_FIND] = "SELECT id FROM document WHERE site_id = ?1 AND url = ?2",
    [DOCUMENT_ADD] = "INSERT INTO document(site_id, url) VALUES(?1, ?2)",
    [DOCUMENT_GET] = "SELECT " DOCUMENT_COLUMNS
		     " FROM document d WHERE d.id = ?1",
    [DOCUMENT_READ] =
	"UPDATE document SET kind = ?2, final_url = ?3, etag = ?4,"
	" last_modified = ?5, wire_digest = ?6, decoded_digest = ?7,"
	" fingerprint = ?8, last_read_s = ?9, last_full_s = ?9,"
	" last_try_s = ?9, failures = 0, failing_since_s = 0,"
	" listed_read_s = listed_s, listed_read_ns = listed_ns,"
	" listed_read_form = listed_form, entries = ?10, missed = ?11,"
	" is_complete = ?12, reading_id = ?13 WHERE id = ?1",
    [DOCUMENT_UNCHANGED] =
	"UPDATE document SET etag = coalesce(?2, etag),"
	" last_modified = coalesce(?3, last_modified), last_read_s = ?4,"
	" last_try_s = ?4, failures = 0, failing_since_s = 0,"
	" listed_read_s = listed_s, listed_read_ns = listed_ns,"
	" listed_read_form = listed_form, missed = ?5, reading_id = ?6"
	" WHERE id = ?1",
    [DOCUMENT_FAILED] =
	"UPDATE document SET last_try_s = ?2, failures = failures + ?3,"
	" failing_since_s = CASE WHEN failing_since_s = 0 AND ?3 > 0"
	" THEN ?2 ELSE failing_since_s END, reading_id = ?4 WHERE id = ?1",
    [DOCUMENT_LISTED] = "UPDATE document SET listed_s = ?2, listed_ns = ?3,"
			" listed_form = ?4 WHERE id = ?1",
    [DOCUMENT_EACH] =
	"SELECT " DOCUMENT_COLUMNS ", s.host, d.reading_id, r.outcome,"
	" r.failure, r.status, r.at_s, r.dated, r.newest_s, r.newest_ns,"
	" r.newest_form, r.seen, r.refused, r.errors, r.warnings, r.added,"
	" r.removed, r.returned, r.redated, r.gone,"
	" (SELECT min(index_id) FROM link WHERE child_id = d.id)"
	" FROM document d JOIN site s ON s.id = d.site_id"
	" LEFT JOIN reading r ON r.id = d.reading_id"
	" WHERE ?1 = '' OR s.host = ?1 ORDER BY d.url, d.id",
    [LINK_STALE] = "UPDATE link SET is_stale = 1 WHERE index_id = ?1",
    [LINK_ADD] = "INSERT INTO link(index_id, child_id, lastmod_s, lastmod_ns,"
		 " lastmod_form) VALUES(?1, ?2, ?3, ?4, ?5)"
		 " ON CONFLICT DO UPDATE SET lastmod_s = ?3, lastmod_ns = ?4,"
		 " lastmod_form = ?5, is_stale = 0",
    [LINK_SETTLE] = "DELETE FROM link WHERE index_id = ?1 AND is_stale = 1",
    [LINK_KEEP] = "UPDATE link SET is_stale = 0 WHERE index_id = ?1",
    [LINK_CHILDREN] =
	"SELECT child_id, lastmod_s, lastmod_ns, lastmod_form FROM link"
	" WHERE index_id = ?1 ORDER BY child_id",
    [LINK_PARENTS] =
	"SELECT d.id, d.url FROM link l JOIN document d ON d.id = l.index_id"
	" WHERE l.child_id = ?1 ORDER BY d.id",
    [ORIGIN_PUT] =
	"INSERT INTO origin(origin, fetched_s, expires_s, failing_since_s,"
	" status, body) VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT(origin)"
	" DO UPDATE SET fetched_s = ?2, expires_s = ?3,"
	" failing_since_s = ?4, status = ?5, body = ?6 RETURNING id",
    [ORIGIN_GET] = "SELECT fetched_s, expires_s, failing_since_s, status, body"
		   " FROM origin WHERE origin = ?1",
    [PROOF_CLEAR] = "DELETE FROM proof WHERE origin_id = ?1",
    [PROOF_ADD] = "INSERT OR IGNORE INTO proof(origin_id, url, line, seen_s)"
		  " VALUES(?1, ?2, ?3, ?4)",
    [PROOF_VOUCHERS] =
	"SELECT o.origin FROM proof p JOIN origin o ON o.id = p.origin_id"
	" WHERE p.url = ?1",
    [PROOF_LISTED] =
	"SELECT p.url FROM proof p JOIN origin o ON o.id = p.origin_id"
	" WHERE substr(p.url, 1, length(o.origin) + 1) = o.origin || '/'"
	" AND o.id IN (SELECT o2.id FROM document d JOIN origin o2"
	" ON d.url = o2.origin || '/robots.txt' WHERE d.site_id = ?1)",
    [READING_ADD] =
	"INSERT INTO reading(document_id, at_s, outcome, failure, kind,"
	" status, final_url, content_type, duration_ms, wire_bytes,"
	" decoded_bytes, fingerprint, is_complete, seen, accepted, refused,"
	" entries, missed, dated, newest_s, newest_ns, newest_form, added,"
	" removed, returned, redated, gone, errors, warnings)"
	" VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,"
	" ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26,"
	" ?27, ?28, ?29)",
    [FINDING_ADD] =
	"INSERT INTO finding(reading_id, code, count) VALUES(?1, ?2, ?3)",
    [SAMPLE_ADD] = "INSERT INTO sample(finding_id, number, line, text)"
		   " VALUES(?1, ?2, ?3, ?4)",
    [FINDING_EACH] =
	"SELECT f.code, f.count, s.line, s.text FROM finding f LEFT JOIN"
	" sample s ON s.finding_id = f.id AND s.number = 0"
	" WHERE f.reading_id = ?1 ORDER BY f.id",
    [SEGMENT_CLEAR] = "DELETE FROM segment WHERE id BETWEEN ?1 AND ?2",
    [SEGMENT_ADD] = "INSERT INTO segment(id, first_url, last_url, count, data)"
		    " VALUES(?1, ?2, ?3, ?4, ?5)",
    [SEGMENT_GET] = "SELECT id, data FROM segment WHERE id BETWEEN ?1 AND ?2"
		    " ORDER BY id LIMIT 1",
    [DELTA_ADD] = "INSERT INTO delta(id, first_url, last_url, count, data)"
		  " VALUES(?1, ?2, ?3, ?4, ?5)",
    [DELTA_GET] = "SELECT id, data FROM delta WHERE id BETWEEN ?1 AND ?2"
		  " ORDER BY id LIMIT 1",
    [INFO] =
	"SELECT (SELECT count(*) FROM site), (SELECT count(*) FROM document),"
	" (SELECT count(*) FROM reading), (SELECT count(*) FROM finding),"
	" (SELECT count(*) FROM proof),"
	" (SELECT coalesce(sum(entries + missed), 0) FROM document),"
	" (SELECT coalesce(sum(length(data)), 0) FROM segment),"
	" (SELECT coalesce(sum(length(data)), 0) FROM delta),"
	" (SELECT coalesce(min(at_s), 0) FROM reading),"
	" (SELECT coalesce(max(at_s), 0) FROM reading)",
};

const char *
statement_sql(enum statement which)
{
	return texts[which];
}
