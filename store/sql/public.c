/*
 * The public tables: their columns, and the SQL of the views; then the tables
 * on a connection to a store, and what the virtual ones share: declaring,
 * planning, values, functions.
 */
#include "store/sql/public.h"

#include <assert.h>
#include <sqlite3ext.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/proof.h"
#include "store/segment/bloom.h"
#include "store/segment/entry.h"

SQLITE_EXTENSION_INIT3

#define SQL_TEXT_MAX (64 << 10)
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define TIME(column) "freshet_time(" column ")"
#define HEX(column) "iif(" column " IS NULL, NULL, printf('%016x', " column "))"
#define EPOCH(column) "nullif(" column ", 0)"
#define DATE(prefix) \
	"freshet_date(" prefix "_s, " prefix "_nanos, " prefix "_form)"

#define HAS_NEWER_ARTICLE \
	"coalesce(d.published_s > d.newest_s, d.published_s IS NOT NULL)"

/* clang-format off */
static const struct public_column url_columns[] = {
#define URL_COLUMN(column, name, type, about) {name, type, NULL, about},
#define CHANGE_COLUMN(column, name, type, about)
#include "store/sql/public.def"
#undef URL_COLUMN
#undef CHANGE_COLUMN
};

static const struct public_column change_columns[] = {
#define URL_COLUMN(column, name, type, about)
#define CHANGE_COLUMN(column, name, type, about) {name, type, NULL, about},
#include "store/sql/public.def"
#undef URL_COLUMN
#undef CHANGE_COLUMN
};

static const struct public_column site_columns[] = {
    {"id", "INTEGER", "s.id", "its number"},
    {"host", "TEXT", "s.host", "its name"},
    {"documents", "INTEGER",
	"(SELECT count(*) FROM main.document d WHERE d.site_id = s.id)",
	"documents that belong to it, robots.txt too"},
    {"listed", "INTEGER",
	"coalesce(s.listed, (SELECT coalesce(sum(d.entries), 0)"
	" FROM main.document d WHERE d.site_id = s.id AND d.kind <> 'index'))",
	"different URLs that it lists, refused ones too"},
    {"missed", "INTEGER",
	"(SELECT coalesce(sum(d.missed), 0) FROM main.document d"
	" WHERE d.site_id = s.id AND d.kind <> 'index')",
	"entries that the last complete readings lacked"},
    {"last_try", "TEXT",
	"(SELECT " TIME("max(d.last_try_s)") " FROM main.document d"
	" WHERE d.site_id = s.id)",
	"last attempt to read any of its documents"},
    {"crawl_begun", "TEXT", TIME("s.crawl_begun_s"),
	"of the crawl that is under way or was interrupted, else NULL"},
    {"last_crawl", "TEXT", TIME("s.last_crawl_s"),
	"when its latest crawl began"},
    {"refused", "INTEGER",
	"coalesce(s.listed_refused, (SELECT coalesce(sum(d.refused), 0)"
	" FROM main.document d WHERE d.site_id = s.id AND d.kind <> 'index'))",
	"of listed: those that the location rules refuse"},
};

static const struct public_column origin_columns[] = {
    {"id", "INTEGER", "o.id", "its number"},
    {"origin", "TEXT", "o.origin", "scheme, host and port"},
    {"fetched", "TEXT", TIME("o.fetched_s"),
	"when its robots.txt was last asked for"},
    {"expires", "TEXT", TIME("o.expires_s"), "until when that holds"},
    {"failing_since", "TEXT", TIME("o.failing_since_s"),
	"of its robots.txt; NULL: it is not failing"},
    {"status", "INTEGER", "nullif(o.status, 0)", "HTTP status of robots.txt"},
    {"robots", "TEXT", "CAST(o.body AS TEXT)", "the last good robots.txt"},
    {"spare", "INTEGER", ROBOTS_IS_SPARE,
	"1: https that never answered, of a host that answers by http: nobody"
	" needs it"},
};

static const struct public_column robots_text_columns[] = {
    {"origin", "TEXT", "o.origin", "scheme, host and port"},
    {"since", "TEXT", TIME("t.since_s"), "when it was first read; NULL: unknown"},
    {"until", "TEXT", TIME("t.until_s"), "when another text was read"},
    {"robots", "TEXT", "CAST(t.body AS TEXT)", "NULL: there was no file"},
    {"since_s", "INTEGER", EPOCH("t.since_s"), "the same in seconds"},
    {"until_s", "INTEGER", EPOCH("t.until_s"), "the same in seconds"},
    {"origin_id", "INTEGER", "t.origin_id", "origin.id"},
};

static const struct public_column document_columns[] = {
    {"id", "INTEGER", "d.id", "its number"},
    {"site", "TEXT", "s.host", "host of the site that it belongs to"},
    {"url", "TEXT", "d.url", "as it is asked for, normalised"},
    {"kind", "TEXT", "d.kind",
	"robots, index, urlset, text, rss, atom or unknown; unlisted:"
	" none, but what pages belong to that no document lists"},
    {"listed", "INTEGER", "d.entries", "entries that it lists"},
    {"missed", "INTEGER", "d.missed",
	"entries that its last complete reading lacked, not yet gone"},
    {"dated", "INTEGER", "d.dated",
	"listed entries that have a lastmod, refused ones apart"},
    {"newest", "TEXT",
	"iif(" HAS_NEWER_ARTICLE ", " DATE("d.published") ", "
	DATE("d.newest") ")",
	"the newest usable lastmod, or date of publication of an article"},
    {"outcome", "TEXT", "r.outcome",
	"of the last attempt: read, unchanged, failed or refused"},
    {"failure", "TEXT", "r.failure", "diagnostic of the last attempt"},
    {"complete", "INTEGER", "d.is_complete",
	"1: the last reading that brought bytes read all of them"},
    {"last_try", "TEXT", TIME("d.last_try_s"), "last attempt"},
    {"last_read", "TEXT", TIME("d.last_read_s"),
	"last attempt that went well, unchanged or not"},
    {"last_full", "TEXT", TIME("d.last_full_s"),
	"last reading that brought bytes"},
    {"failures", "INTEGER", "d.failures", "attempts that failed, in a row"},
    {"failing_since", "TEXT", TIME("d.failing_since_s"),
	"NULL: it is not failing"},
    {"index_lastmod", "TEXT", DATE("d.index_lastmod"),
	"what an index gave for it when it was last read"},
    {"final_url", "TEXT", "d.final_url", "where its bytes came from"},
    {"etag", "TEXT", "d.etag", "validator for the next request"},
    {"last_modified", "TEXT", "d.last_modified", "the other validator"},
    {"last_reading", "INTEGER", "d.last_reading_id",
	"reading.id of the last attempt"},
    {"last_full_reading", "INTEGER", "d.last_full_id",
	"reading.id of the last one that brought bytes"},
    {"last_try_s", "INTEGER", EPOCH("d.last_try_s"), "in seconds"},
    {"last_read_s", "INTEGER", EPOCH("d.last_read_s"), "in seconds"},
    {"last_full_s", "INTEGER", EPOCH("d.last_full_s"), "in seconds"},
    {"newest_s", "INTEGER",
	"iif(" HAS_NEWER_ARTICLE ", d.published_s, d.newest_s)", "in seconds"},
    {"refused", "INTEGER", "d.refused",
	"of listed: those that the location rules refuse"},
    {"refused_by", "TEXT", "d.refused_by", "the code of most of them"},
    {"failing", "INTEGER", DOCUMENT_IS_FAILING,
	"1: the last attempt failed, and the site needs the document"},
    {"waiting", "INTEGER",
	"CASE WHEN d.owed_s > 0 AND d.is_led AND d.ended_s = 0"
	" THEN d.owed_urls END",
	"URLs that wait for its second reading; NULL: none is waited for"},
};

static const struct public_column child_columns[] = {
    {"index_url", "TEXT", "i.url", "URL of the index"},
    {"document", "TEXT", "d.url", "URL of the document that it lists"},
    {"lastmod", "TEXT", DATE("l.lastmod"), "as the index gives it"},
    {"precision", "TEXT",
	"CASE WHEN l.lastmod_s IS NOT NULL"
	" THEN freshet_precision(l.lastmod_form) END", "of lastmod"},
    {"state", "TEXT", "CASE WHEN l.is_missed THEN 'removed' ELSE 'listed' END",
	"listed, or removed: the last complete reading lacked it"},
    {"lastmod_s", "INTEGER", "l.lastmod_s", "in seconds"},
    {"index_id", "INTEGER", "l.index_id", "document.id of the index"},
    {"document_id", "INTEGER", "l.child_id", "document.id of the document"},
};

static const struct public_column proof_columns[] = {
    {"origin", "TEXT", "o.origin", "whose robots.txt it is"},
    {"document", "TEXT", "p.url", "URL that a Sitemap line names"},
    {"line", "INTEGER", "p.line", "of the robots.txt"},
    {"seen", "TEXT", TIME("p.seen_s"), "when it was fetched"},
    {"seen_s", "INTEGER", "p.seen_s", "in seconds"},
};

static const struct public_column request_log_columns[] = {
    {"host", "TEXT", "l.host", "who was asked"},
    {"minute", "TEXT", TIME("l.minute_s"), "its begin"},
    {"requests", "INTEGER", "l.requests", "in that minute"},
    {"least_gap_ms", "INTEGER", "l.least_gap_ms",
	"from one request of a crawl to the next; NULL: there was one"},
    {"delay_ms", "INTEGER", "l.delay_ms", "the least that had to be kept"},
    {"overlaps", "INTEGER", "l.overlaps",
	"requests that began before another had ended"},
    {"minute_s", "INTEGER", "l.minute_s", "in seconds"},
};

static const struct public_column reading_columns[] = {
    {"id", "INTEGER", "r.id", "its number, in the order of commits"},
    {"at", "TEXT", TIME("r.at_s"), "when the request was sent"},
    {"site", "TEXT", "s.host", "host of the site"},
    {"document", "TEXT", "d.url", "URL of the document"},
    {"outcome", "TEXT", "r.outcome", "read, unchanged, failed or refused"},
    {"failure", "TEXT", "r.failure", "diagnostic; NULL: it went well"},
    {"status", "INTEGER", "nullif(r.status, 0)", "of HTTP"},
    {"kind", "TEXT", "r.kind", "of the document, as this reading saw it"},
    {"complete", "INTEGER", "r.is_complete", "1: all of it was read"},
    {"seen", "INTEGER", "r.seen", "entries, valid or not"},
    {"accepted", "INTEGER", "r.accepted", "of these, repeats included"},
    {"refused", "INTEGER", "r.refused",
	"of these: by location rules, or because they are no URL"},
    {"listed", "INTEGER", "r.entries", "entries afterwards"},
    {"missed", "INTEGER", "r.missed", "entries that it lacked"},
    {"dated", "INTEGER", "r.dated",
	"entries that have a lastmod, refused ones apart"},
    {"added", "INTEGER", "r.added", "entries that are new"},
    {"removed", "INTEGER", "r.removed", "entries that are lacking"},
    {"returned", "INTEGER", "r.returned", "entries that are there again"},
    {"redated", "INTEGER", "r.redated", "entries whose lastmod moved"},
    {"regressed", "INTEGER", "r.regressed", "of these, to an older date"},
    {"gone", "INTEGER", "r.gone", "entries lacking for the second time"},
    {"wire_bytes", "INTEGER", "r.wire_bytes", "of the body as it was sent"},
    {"decoded_bytes", "INTEGER", "r.decoded_bytes", "of the body unpacked"},
    {"gzip_layers", "INTEGER", "r.gzip_layers", "that were undone"},
    {"duration_ms", "INTEGER", "r.duration_ms", "of the transfer"},
    {"content_type", "TEXT", "r.content_type", "as it was sent"},
    {"final_url", "TEXT", "r.final_url", "after redirects"},
    {"at_s", "INTEGER", "r.at_s", "in seconds"},
    {"document_id", "INTEGER", "r.document_id", "document.id"},
    {"listed_refused", "INTEGER", "r.listed_refused",
	"of listed: those that the location rules refuse"},
    {"now_refused", "INTEGER", "r.now_refused",
	"entries that were accepted before, and are refused now"},
    {"now_accepted", "INTEGER", "r.now_accepted",
	"entries that were refused before, and are accepted now"},
    {"site_new", "INTEGER", "r.site_new",
	"of added: pages that are new to the site; NULL: that is not known"},
    {"site_gone", "INTEGER", "r.site_gone",
	"of gone: pages that no document of the site lists any more"},
    {"site_removed", "INTEGER", "r.site_removed", "of removed, likewise"},
    {"site_returned", "INTEGER", "r.site_returned",
	"of returned: pages that no document had listed"},
    {"left_window", "INTEGER", "r.left_window",
	"entries that are not in this window of what is recent any more"},
    {"back", "INTEGER", "r.back",
	"entries that are new to it, whose page had left a window"},
    {"site_left", "INTEGER", "r.site_left",
	"of left_window: pages that no document of the site lists any more"},
    {"site_back", "INTEGER", "r.site_back",
	"of back: pages that no document had listed"},
};

/* An unchanged reading checks nothing, so the findings before it still stand. */
static const struct public_column finding_columns[] = {
    {"reading", "INTEGER", "f.reading_id", "reading.id"},
    {"at", "TEXT", TIME("r.at_s"), "when the document was asked for"},
    {"site", "TEXT", "s.host", "host of the site"},
    {"document", "TEXT", "d.url", "URL of the document"},
    {"code", "TEXT", "f.code", "see freshet help CODE"},
    {"severity", "TEXT", "freshet_severity(f.code)",
	"error, warning or info, in the default profile"},
    {"count", "INTEGER", "f.count", "how often"},
    {"line", "INTEGER", "nullif(m.line, 0)", "of the first sample"},
    {"text", "TEXT", "nullif(m.text, '')",
	"of the first sample, as it was found"},
    {"current", "INTEGER",
	"f.reading_id = CASE WHEN (SELECT n.outcome FROM main.reading n"
	" WHERE n.id = d.last_reading_id) = 'unchanged'"
	" THEN coalesce(d.last_full_id, d.last_reading_id)"
	" ELSE d.last_reading_id END",
	"1: it stands; 0: of an older reading"},
    {"at_s", "INTEGER", "r.at_s", "in seconds"},
    {"document_id", "INTEGER", "r.document_id", "document.id"},
};

static const struct public_column sample_columns[] = {
    {"reading", "INTEGER", "m.reading_id", "reading.id"},
    {"code", "TEXT", "f.code", "of the finding"},
    {"number", "INTEGER", "m.number", "from 0; at most 8 are kept"},
    {"line", "INTEGER", "nullif(m.line, 0)", "of the document"},
    {"text", "TEXT", "nullif(m.text, '')", "as it was found"},
};

static const struct public_column watch_columns[] = {
    {"site", "TEXT", "s.host", "its host"},
    {"watched", "INTEGER", "w.is_watched", "0: it was taken off the list"},
    {"added", "TEXT", TIME("w.added_s"), "when it was put on the list"},
    {"weight", "REAL", "w.weight", "of its pages, against those of others"},
    {"every_least_s", "INTEGER", EPOCH("w.every_least_s"),
	"between two readings of a document, at least; NULL: no bound"},
    {"every_most_s", "INTEGER", EPOCH("w.every_most_s"), "at most"},
    {"page_least_s", "INTEGER", EPOCH("w.page_least_s"),
	"between two fetches of a page, at least; NULL: no bound"},
    {"page_most_s", "INTEGER", EPOCH("w.page_most_s"), "at most"},
    {"requests_per_hour", "REAL", EPOCH("w.requests_per_hour"),
	"its budget; NULL: none of its own"},
    {"profile", "TEXT", "w.profile", "NULL: that of the configuration"},
    {"site_id", "INTEGER", "w.site_id", "site.id"},
};

static const struct public_column watch_item_columns[] = {
    {"site", "TEXT", "s.host", "its host"},
    {"kind", "TEXT", "i.kind", "target, tag or section"},
    {"position", "INTEGER", "i.position", "from 0, as they were given"},
    {"value", "TEXT", "i.value", "the target, tag or path prefix"},
};

static const struct public_column tag_budget_columns[] = {
    {"tag", "TEXT", "b.tag", "of sites of the watch list"},
    {"requests_per_hour", "REAL", "b.requests_per_hour",
	"of all of them together"},
};

/* A lease that was answered or released keeps its row, for its number. */
#define IS_LEASED "l.until_s > 0 AND l.number > t.done_number"

static const struct public_column page_columns[] = {
    {"id", "INTEGER", "p.id", "its number, in the order of promotion"},
    {"url", "TEXT", "p.url", "normalised"},
    {"site", "TEXT", "s.host", "host of the site that it belongs to"},
    {"document", "TEXT", "d.url", "the document that it was promoted from"},
    {"weight", "REAL", "t.weight", "against that of other pages"},
    {"lastmod", "TEXT",
	DATE("t.lastmod"),
	"in UTC, as its documents last said"},
    {"listed", "INTEGER", "t.is_listed", "1: a document lists it"},
    {"fetched", "TEXT", TIME("t.fetched_s"), "when it was last looked at"},
    {"status", "INTEGER", "nullif(t.status, 0)", "of the last fetch"},
    {"hash", "TEXT", HEX("t.hash"),
	"of its content, the last that is known"},
    {"etag", "TEXT", "t.etag", "validator for the next request"},
    {"last_modified", "TEXT", "t.last_modified", "the other validator"},
    {"leases", "INTEGER", "coalesce(l.number, t.done_number)",
	"how often it was handed out"},
    {"leased_until", "TEXT",
	"CASE WHEN " IS_LEASED " THEN " TIME("l.until_s") " END",
	"of the lease that was not answered yet"},
    {"lastmod_s", "INTEGER", "t.lastmod_s", "in seconds"},
    {"fetched_s", "INTEGER", EPOCH("t.fetched_s"), "in seconds"},
    {"document_id", "INTEGER", "p.document_id", "document.id"},
};

static const struct public_column lease_columns[] = {
    {"page", "INTEGER", "l.page_id", "page.id"},
    {"url", "TEXT", "p.url", "of the page"},
    {"number", "INTEGER", "l.number", "the how manieth of that page"},
    {"asked", "TEXT", TIME("l.asked_s"), "when it was handed out"},
    {"until", "TEXT", TIME("l.until_s"), "when it is over"},
    {"until_s", "INTEGER", "l.until_s", "in seconds"},
};

static const struct public_column outcome_columns[] = {
    {"id", "INTEGER", "o.id", "its number, in the order of commits"},
    {"at", "TEXT", TIME("o.at_s"), "when the page was fetched"},
    {"url", "TEXT", "p.url", "of the page"},
    {"kind", "TEXT", "o.kind",
	"changed, same, not-modified, fetched, moved, gone or failed"},
    {"status", "INTEGER", "nullif(o.status, 0)", "of HTTP"},
    {"hash", "TEXT", HEX("o.hash"), "of the content"},
    {"location", "TEXT", "o.location", "where it moved"},
    {"bytes", "INTEGER", "o.bytes", "that were fetched"},
    {"ms", "INTEGER", "o.ms", "that it took"},
    {"lease", "INTEGER", "nullif(o.number, 0)",
	"number of the lease that it answers; NULL: of none"},
    {"at_s", "INTEGER", "o.at_s", "in seconds"},
    {"page", "INTEGER", "o.page_id", "page.id"},
};

static const struct public_column hold_columns[] = {
    {"host", "TEXT", "h.host", "who is left alone"},
    {"until", "TEXT", TIME("nullif(h.until_s, 0)"),
	"until when nothing of it is asked for; NULL: its sitemaps are"},
    {"pages_until", "TEXT", TIME("max(h.until_s, h.pages_until_s)"),
	"until when none of its pages is"},
    {"limited", "INTEGER", "h.limited", "answers 429 or 503 in a row"},
    {"until_s", "INTEGER", "nullif(h.until_s, 0)", "in seconds"},
    {"pages_until_s", "INTEGER", "max(h.until_s, h.pages_until_s)",
	"in seconds"},
};

static const struct public_column note_columns[] = {
    {"site", "TEXT", "s.host", "whose note it is"},
    {"at", "TEXT", TIME("n.at_s"), "the day or moment that it is about"},
    {"text", "TEXT", "n.text", "as it was written"},
    {"at_s", "INTEGER", "n.at_s", "in seconds"},
};

#define OF_READING \
    " JOIN main.document d ON d.id = r.document_id" \
    " JOIN main.site s ON s.id = d.site_id"

const struct public_table public_tables[] = {
    {"site", PUBLIC_VIEW, " FROM main.site s", site_columns, LENGTH(site_columns),
	"targets with all documents reached from them"},
    {"origin", PUBLIC_VIEW, " FROM main.origin o", origin_columns, LENGTH(origin_columns),
	"what robots.txt of each origin said"},
    {"robots_text", PUBLIC_VIEW,
	" FROM main.robots_text t JOIN main.origin o ON o.id = t.origin_id",
	robots_text_columns, LENGTH(robots_text_columns),
	"former texts of robots.txt"},
    {"document", PUBLIC_VIEW,
	" FROM main.document d JOIN main.site s ON s.id = d.site_id"
	" LEFT JOIN main.reading r ON r.id = d.last_reading_id",
	document_columns, LENGTH(document_columns),
	"robots.txt, indexes, sitemaps and feeds"},
    {"child", PUBLIC_VIEW,
	" FROM main.link l JOIN main.document i ON i.id = l.index_id"
	" JOIN main.document d ON d.id = l.child_id AND l.is_missed < 2",
	child_columns, LENGTH(child_columns),
	"which documents an index lists, accepted ones only"},
    {"proof", PUBLIC_VIEW, " FROM main.proof p JOIN main.origin o ON o.id = p.origin_id",
	proof_columns, LENGTH(proof_columns),
	"documents that a robots.txt names"},
    {"request_log", PUBLIC_VIEW, " FROM main.request_log l", request_log_columns,
	LENGTH(request_log_columns), "what hosts were asked, by the minute"},
    /* The old name of request_log, for one version. */
    {"ledger", PUBLIC_VIEW, " FROM main.request_log l", request_log_columns,
	LENGTH(request_log_columns), "request_log by its old name"},
    {"reading", PUBLIC_VIEW, " FROM main.reading r" OF_READING,
	reading_columns, LENGTH(reading_columns),
	"every attempt to read a document"},
    {"finding", PUBLIC_VIEW,
	" FROM main.finding f JOIN main.reading r ON r.id = f.reading_id"
	OF_READING
	" LEFT JOIN main.sample m ON m.reading_id = f.reading_id"
	" AND m.position = f.position AND m.number = 0",
	finding_columns, LENGTH(finding_columns),
	"diagnostics that readings brought, by code"},
    {"sample", PUBLIC_VIEW,
	" FROM main.sample m JOIN main.finding f"
	" ON f.reading_id = m.reading_id AND f.position = m.position",
	sample_columns, LENGTH(sample_columns),
	"where findings were seen first"},
    {"watch", PUBLIC_VIEW,
	" FROM main.watch w JOIN main.site s ON s.id = w.site_id",
	watch_columns, LENGTH(watch_columns), "sites that are kept fresh"},
    {"watch_item", PUBLIC_VIEW,
	" FROM main.watch_item i JOIN main.site s ON s.id = i.site_id",
	watch_item_columns, LENGTH(watch_item_columns),
	"targets, tags and sections of the watch list"},
    {"tag_budget", PUBLIC_VIEW, " FROM main.tag_budget b", tag_budget_columns,
	LENGTH(tag_budget_columns), "requests to all sites with a tag"},
    {"page", PUBLIC_VIEW,
	" FROM main.page p JOIN main.state t ON t.id = p.id"
	" JOIN main.document d ON d.id = p.document_id"
	" JOIN main.site s ON s.id = d.site_id"
	" LEFT JOIN main.lease l ON l.page_id = p.id",
	page_columns, LENGTH(page_columns),
	"URLs that were handed out, fetched or asked for"},
    {"lease", PUBLIC_VIEW,
	" FROM main.lease l JOIN main.page p ON p.id = l.page_id"
	" JOIN main.state t ON t.id = p.id WHERE " IS_LEASED,
	lease_columns, LENGTH(lease_columns),
	"pages that are handed out and not answered yet"},
    {"outcome", PUBLIC_VIEW,
	" FROM main.outcome o JOIN main.page p ON p.id = o.page_id",
	outcome_columns, LENGTH(outcome_columns),
	"what fetches of pages brought"},
    {"hold", PUBLIC_VIEW, " FROM main.hold h", hold_columns,
	LENGTH(hold_columns), "hosts that are left alone for a time"},
    {"note", PUBLIC_VIEW,
	" FROM main.note n JOIN main.site s ON s.id = n.site_id", note_columns,
	LENGTH(note_columns), "notes that people keep about days of a site"},
    {"url", PUBLIC_URLS, NULL, url_columns, LENGTH(url_columns),
	"what documents list, indexes apart"},
    {"index_url", PUBLIC_INDEX_URLS, NULL, url_columns, LENGTH(url_columns),
	"what indexes list: the same columns"},
    {"change", PUBLIC_CHANGES, NULL, change_columns, LENGTH(change_columns),
	"what each reading changed in url"},
    {"index_change", PUBLIC_INDEX_CHANGES, NULL, change_columns, LENGTH(change_columns),
	"what each reading changed in index_url"},
    {NULL, PUBLIC_VIEW, NULL, NULL, 0, NULL},
};
/* clang-format on */

void
public_put_views(struct buf *sql)
{
	for (int i = 1; i < DIAG_COUNT; i++)
		(void)buf_print(sql,
		    "INSERT INTO severity VALUES ('%s', '%s');",
		    diag_name((enum diag_code)i),
		    severity_names[diag_info((enum diag_code)i)
				       ->severity[PROFILE_GOOGLE]]);
	for (const struct public_table *table = public_tables;
	     table->name != NULL; table++) {
		if (table->kind != PUBLIC_VIEW)
			continue;
		(void)buf_print(sql, "SELECT view('%s', $v$%s$v$, $v$",
		    table->name, table->from);
		for (size_t i = 0; i < table->count; i++) {
			const struct public_column *column = &table->columns[i];
			bool is_number = strcmp(column->type, "INTEGER") == 0;

			(void)buf_print(sql, "%s%s(%s) AS \"%s\"",
			    i > 0 ? ", " : "", is_number ? "flag" : "",
			    column->sql, column->name);
		}
		(void)buf_print(sql, "$v$);");
	}
}

/* The tables on a connection. */

struct vtab_table {
	sqlite3_vtab sqlite; /* first */
	const struct vtab_base *base; /* borrowed */
};

int
vtab_connect(struct sqlite3 *db, void *aux, int argc, const char *const *argv,
    struct sqlite3_vtab **out, char **why)
{
	const struct vtab_base *base = aux;
	struct vtab_table *table;
	struct buf text = BUF_UP_TO(SQL_TEXT_MAX);
	int code;

	(void)argc;
	(void)argv;
	(void)why;
	(void)buf_print(&text, "CREATE TABLE \"%s\"(", base->table->name);
	for (size_t i = 0; i < base->table->count; i++)
		(void)buf_print(&text, "%s\"%s\" %s", i > 0 ? ", " : "",
		    base->table->columns[i].name, base->table->columns[i].type);
	(void)buf_put_char(&text, ')');
	code = sqlite3_declare_vtab(db, buf_str(&text));
	buf_release(&text);
	if (code != SQLITE_OK)
		return code;
	/* The tables are safe in views and triggers, since they only read. */
	(void)sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	table = mem_zero(sizeof(*table));
	table->base = base;
	*out = &table->sqlite;
	return SQLITE_OK;
}

int
vtab_disconnect(struct sqlite3_vtab *table)
{
	free(table);
	return SQLITE_OK;
}

const struct vtab_base *
vtab_base(struct sqlite3_vtab *table)
{
	return ((struct vtab_table *)table)->base;
}

/* Planning. */

int
vtab_plan(struct sqlite3_index_info *info, const struct vtab_term *terms,
    size_t count)
{
	struct buf names = BUF_UP_TO(1024);
	int bits = 0;
	int argument = 0;

	assert(count <= VTAB_TERMS_MAX);
	for (size_t i = 0; i < count; i++) {
		int at = 0;

		/* Find the term's constraint. LIKE and GLOB ignore the
		 * collation of their operands. */
		for (; at < info->nConstraint; at++) {
			const struct sqlite3_index_constraint
			    *c = &info->aConstraint[at];

			if (c->usable && c->iColumn == terms[i].column &&
			    (c->op == terms[i].op ||
				(c->op == SQLITE_INDEX_CONSTRAINT_GT &&
				    terms[i].op ==
					SQLITE_INDEX_CONSTRAINT_GE) ||
				(c->op == SQLITE_INDEX_CONSTRAINT_LT &&
				    terms[i].op ==
					SQLITE_INDEX_CONSTRAINT_LE)) &&
			    (c->op == SQLITE_INDEX_CONSTRAINT_LIKE ||
				c->op == SQLITE_INDEX_CONSTRAINT_GLOB ||
				strcmp(sqlite3_vtab_collation(info, at),
				    "BINARY") == 0))
				break;
		}
		if (at == info->nConstraint)
			continue;
		info->aConstraintUsage[at].argvIndex = ++argument;
		bits |= 1 << i;
		(void)buf_print(
		    &names, "%s%s", names.len > 0 ? " " : "", terms[i].name);
	}
	info->idxNum = bits;
	info->idxStr = sqlite3_mprintf("%s", buf_str(&names));
	info->needToFreeIdxStr = 1;
	buf_release(&names);
	return info->idxStr == NULL ? -1 : bits;
}

bool
vtab_orders(
    const struct sqlite3_index_info *info, const int *columns, size_t count)
{
	if (info->nOrderBy == 0 || (size_t)info->nOrderBy > count)
		return false;
	for (int i = 0; i < info->nOrderBy; i++)
		if (info->aOrderBy[i].iColumn != columns[i] ||
		    info->aOrderBy[i].desc)
			return false;
	return true;
}

/* Values and functions. */

struct slice
vtab_text(struct sqlite3_value *value)
{
	const void *p = sqlite3_value_text(value);
	int len = sqlite3_value_bytes(value);

	return slice_make(p, p == NULL ? 0 : (size_t)len);
}

void
vtab_put_text(struct sqlite3_context *context, struct slice text)
{
	if (text.len > 0)
		sqlite3_result_text64(
		    context, text.p, text.len, SQLITE_TRANSIENT, SQLITE_UTF8);
}

void
vtab_put_date(struct sqlite3_context *context, struct vtab_date *last,
    const struct date *date)
{
	if (date->precision == DATE_NONE)
		return;
	if (!(last->len > 0 && last->date.epoch_s == date->epoch_s &&
		last->date.nanos == date->nanos &&
		last->date.precision == date->precision)) {
		struct buf text = BUF_UP_TO(sizeof(last->text));

		date_print(&text, date);
		memcpy(last->text, text.p, text.len);
		last->len = text.len;
		last->date = *date;
		buf_release(&text);
	}
	vtab_put_text(context, slice_make(last->text, last->len));
}

void
vtab_put_time(
    struct sqlite3_context *context, struct vtab_date *last, int64_t epoch_s)
{
	struct date date = {.epoch_s = epoch_s, .precision = DATE_SECOND};

	if (epoch_s != 0)
		vtab_put_date(context, last, &date);
}

void
vtab_put_refused(struct sqlite3_context *context, unsigned verdict)
{
	if (verdict != VERDICT_ACCEPTED)
		vtab_put_text(
		    context, slice_of(diag_name(verdict_codes[verdict])));
}

/* The functions that depend on nothing but their arguments. */
static const struct function {
	const char *name;
	int count; /* of arguments */
	enum { FN_TIME, FN_DATE, FN_PRECISION, FN_SEVERITY, FN_MAY_HOLD } which;
} functions[] = {
    {"freshet_time", 1, FN_TIME},
    {"freshet_date", 3, FN_DATE},
    {"freshet_precision", 1, FN_PRECISION},
    {"freshet_severity", 1, FN_SEVERITY},
    {"freshet_may_hold", 2, FN_MAY_HOLD},
};

static void
fn_call(struct sqlite3_context *context, int count, sqlite3_value **values)
{
	const struct function *function = sqlite3_user_data(context);
	struct vtab_date last = {.len = 0};
	struct date date = {0};
	enum diag_code code;
	struct slice bloom;

	(void)count;
	switch (function->which) {
	case FN_TIME:
	case FN_DATE:
		if (function->which == FN_TIME)
			date.epoch_s = sqlite3_value_int64(values[0]);
		else if (sqlite3_value_type(values[0]) != SQLITE_NULL)
			date = date_unpack(sqlite3_value_int64(values[0]),
			    sqlite3_value_int64(values[1]),
			    sqlite3_value_int64(values[2]));
		/* Dates can be printed for the years 1 to 9999; a query may
		 * pass any number. */
		if (date.epoch_s < -62135596800 || date.epoch_s > 253402300799)
			break;
		if (function->which == FN_TIME)
			vtab_put_time(context, &last, date.epoch_s);
		else
			vtab_put_date(context, &last, &date);
		break;
	case FN_PRECISION:
		date = date_unpack(0, 0, sqlite3_value_int64(values[0]));
		vtab_put_text(
		    context, slice_of(date_precisions[date.precision]));
		break;
	case FN_SEVERITY:
		code = diag_find(vtab_text(values[0]));
		if (code != DIAG_OK)
			vtab_put_text(context,
			    slice_of(severity_names[diag_info(code)->severity
							[PROFILE_GOOGLE]]));
		break;
	case FN_MAY_HOLD:
		bloom.p = sqlite3_value_blob(values[0]);
		bloom.len = bloom.p == NULL
		    ? 0
		    : (size_t)sqlite3_value_bytes(values[0]);
		sqlite3_result_int(context,
		    bloom_passes(bloom, bloom_key(vtab_text(values[1]))));
		break;
	}
}

static void
fn_blocks_read(
    struct sqlite3_context *context, int count, sqlite3_value **values)
{
	const struct vtab_shared *shared = sqlite3_user_data(context);

	(void)count;
	(void)values;
	sqlite3_result_int64(context, (int64_t)shared->blocks_read);
}

int
vtab_register(struct sqlite3 *db)
{
	const int flags = SQLITE_UTF8 | SQLITE_INNOCUOUS;
	struct vtab_shared *shared = mem_zero(sizeof(*shared));
	struct buf text = BUF_UP_TO(SQL_TEXT_MAX);
	int code;

	/* The function owns `shared`: it lives as long as the connection. */
	code = sqlite3_create_function_v2(db, "freshet_blocks_read", 0, flags,
	    shared, fn_blocks_read, NULL, NULL, free);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (code == SQLITE_OK)
			code = sqlite3_create_function_v2(db, functions[i].name,
			    functions[i].count, flags | SQLITE_DETERMINISTIC,
			    (void *)(uintptr_t)&functions[i], fn_call, NULL,
			    NULL, NULL);
	for (const struct public_table *table = public_tables;
	     code == SQLITE_OK && table->name != NULL; table++) {
		bool is_url = table->kind == PUBLIC_URLS ||
		    table->kind == PUBLIC_INDEX_URLS;

		if (table->kind != PUBLIC_VIEW) {
			struct vtab_base *base = mem_zero(sizeof(*base));

			*base = (struct vtab_base){
			    .db = db, .shared = shared, .table = table};
			code = sqlite3_create_module_v2(db, table->name,
			    is_url ? &vtab_url : &vtab_change, base, free);
			continue;
		}
		buf_clear(&text);
		(void)buf_print(
		    &text, "CREATE TEMP VIEW \"%s\" AS SELECT ", table->name);
		for (size_t k = 0; k < table->count; k++)
			(void)buf_print(&text, "%s%s AS \"%s\"",
			    k > 0 ? ", " : "", table->columns[k].sql,
			    table->columns[k].name);
		(void)buf_put_slice(&text, slice_of(table->from));
		code = sqlite3_exec(db, buf_str(&text), NULL, NULL, NULL);
	}
	/* freshet_schema lists all tables and columns. */
	buf_clear(&text);
	(void)buf_print(&text,
	    "CREATE TEMP VIEW freshet_schema(version, table_name, "
	    "column_name, type, meaning) AS VALUES ");
	for (const struct public_table *table = public_tables;
	     table->name != NULL; table++)
		for (size_t k = 0; k < table->count; k++) {
			const struct public_column *column = &table->columns[k];

			(void)buf_print(&text, "%s(%d, '%s', '%s', '%s', '%s')",
			    table == public_tables && k == 0 ? "" : ", ",
			    PUBLIC_VERSION, table->name, column->name,
			    column->type, column->about);
		}
	if (code == SQLITE_OK)
		code = sqlite3_exec(db, buf_str(&text), NULL, NULL, NULL);
	buf_release(&text);
	return code;
}
