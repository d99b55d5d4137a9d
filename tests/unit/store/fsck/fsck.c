/* Fsck: each invariant of the tables has something that violates it. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "tests/fixtures/fsck_fixture.h"
#include "tests/fixtures/sanitized.h"

struct wrong {
	const char *sql; /* 1 is the index, 2 the child; readings 1 to 4 */
	const char *found;
	const char *left; /* after a repair */
	const char *lost; /* documents that it forgot, see put_lost */
};

/* What is there of both documents: "" when they were read; "2 " when that one
 * is to be read anew, "-2 " when it is not there. */
static void
put_lost(const char *path, struct buf *out)
{
	static const char *const asked[] = {
	    "SELECT count(*) FROM document WHERE id = 1",
	    "SELECT count(*) FROM document WHERE id = 2 AND kind <> 'unlisted'",
	    "SELECT count(*) FROM document WHERE id = 1 AND last_full_id > 0",
	    "SELECT count(*) FROM document WHERE id = 2 AND last_full_id > 0"};

	buf_clear(out);
	for (int i = 0; i < 2; i++) {
		if (sql_number(path, asked[i]) == 0)
			(void)buf_print(out, "-%d ", i + 1);
		else if (sql_number(path, asked[i + 2]) == 0)
			(void)buf_print(out, "%d ", i + 1);
	}
}

static const struct wrong wrongs[] = {
    {"SELECT 1", "", "", ""},
    /* the file, its references, its schema */
    {"UPDATE sqlite_schema SET sql = sql || ' WHERE 0' WHERE"
     " name = 'proof_url'; PRAGMA writable_schema = RESET;"
     " INSERT INTO proof VALUES (1, 'http://h.test/y', 1, 1704067200);"
     " PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql ="
     " 'CREATE INDEX proof_url ON proof (url)' WHERE name = 'proof_url';",
	"J1 ", "", ""},
    {"DELETE FROM finding", "J2 ", "", ""},
    {"INSERT INTO proof VALUES (77, 'http://h.test/y', 1, 1704067200)", "J2 ",
	"", ""},
    {"DELETE FROM reading WHERE id = 3", "J2 J8 J3 ", "", ""},
    {"INSERT INTO segment SELECT 99 << 16, count, data FROM segment LIMIT 1",
	"J2 ", "", ""},
    {"INSERT INTO delta SELECT 99 << 16, count, data FROM delta LIMIT 1", "J2 ",
	"", ""},
    {"CREATE TABLE mine (a)", "J16 ", "J16 ", ""},
    {"DROP INDEX link_child", "J16 ", "", ""},
    {"ALTER TABLE site ADD COLUMN more INTEGER", "J16 ", "J16 ", ""},
    {"UPDATE meta SET hash_key = x'00'", "J16 ", "", ""},
    /* documents against their readings */
    {"UPDATE document SET last_reading_id = 3 WHERE id = 2", "J3 ", "", ""},
    {"UPDATE document SET last_reading_id = 999 WHERE id = 2", "J3 ", "", ""},
    {"UPDATE document SET last_reading_id = NULL WHERE id = 2", "J3 ", "", ""},
    {"UPDATE document SET last_full_id = 1 WHERE id = 2", "J3 ", "", ""},
    {"UPDATE document SET last_try_s = 5 WHERE id = 2", "J3 ", "", ""},
    {"UPDATE document SET last_read_s = 5 WHERE id = 2", "J3 ", "", ""},
    {"UPDATE document SET last_full_s = 5 WHERE id = 2", "J3 ", "", ""},
    {"UPDATE document SET fingerprint = 5 WHERE id = 2", "J3 ", "", ""},
    {"UPDATE reading SET entries = 2 WHERE id = 3", "J3 ", "", ""},
    {"UPDATE reading SET is_complete = 0 WHERE id = 3;"
     "UPDATE document SET is_complete = 0 WHERE id = 2",
	"J3 J13 ", "", "2 "},
    {"INSERT INTO document (site_id, url, entries)"
     " VALUES (1, 'http://h.test/z', 1)",
	"J8 J3 ", "", ""},
    {"UPDATE reading SET accepted = 2 WHERE id = 3", "J3 ", "", "2 "},
    {"UPDATE reading SET seen = 9 WHERE id = 3", "J3 ", "", "2 "},
    /* segments and deltas */
    {"UPDATE segment SET data = zeroblob(20) WHERE id = 2 << 16", "J5 ", "",
	"2 "},
    {"UPDATE segment SET data = x'' WHERE id = 2 << 16", "J5 ", "", "2 "},
    {"UPDATE segment SET id = id + 1 WHERE id = 2 << 16", "J5 J2 ", "", "2 "},
    {"INSERT INTO segment SELECT id + 1, count, data FROM segment"
     " WHERE id = 2 << 16",
	"J5 ", "", "2 "},
    {"UPDATE delta SET data = substr(data, 1, length(data) - 1)", "J5 ", "",
	"2 "},
    {"UPDATE delta SET data = (SELECT data FROM segment LIMIT 1)", "J5 ", "",
	"2 "},
    {"UPDATE segment SET (count, data) = (SELECT count, data FROM"
     " segment WHERE id = 1 << 16) WHERE id = 2 << 16",
	"J8 ", "", "2 "},
    {"UPDATE reading SET removed = 0 WHERE id = 3", "J8 ", "", ""},
    {"UPDATE reading SET removed = 9 WHERE id = 3", "J8 J13 ", "", ""},
    {"UPDATE document SET entries = 2 WHERE id = 2", "J8 J3 ", "", ""},
    {"UPDATE document SET missed = 0 WHERE id = 2", "J8 J13 ", "", ""},
    {"UPDATE document SET blocks = 0 WHERE id = 2", "J8 ", "", ""},
    {"UPDATE document SET blocks = 2 WHERE id = 2", "J8 ", "", ""},
    {"UPDATE document SET dated = 0 WHERE id = 2", "J8 ", "", ""},
    {"UPDATE document SET newest_s = newest_s + 1 WHERE id = 2", "J8 ", "", ""},
    {"UPDATE segment SET count = 9 WHERE id = 2 << 16", "J8 ", "", ""},
    {"UPDATE block_index SET first_url = 'http://h.test/b' WHERE id = 2 << 16",
	"J8 ", "", ""},
    {"UPDATE block_index SET last_url = 'http://h.test/b' WHERE id = 2 << 16",
	"J8 ", "", ""},
    {"UPDATE block_index SET bloom = zeroblob(length(bloom)) WHERE id = 2 << "
     "16",
	"J8 ", "", ""},
    {"UPDATE block_index SET bloom = x'00' WHERE id = 2 << 16", "J8 ", "", ""},
    {"UPDATE block_index SET bloom = NULL, last_url = NULL", "", "", ""},
    {"DELETE FROM block_index", "J8 ", "", ""},
    {"INSERT INTO block_index (id, first_url) VALUES (3 << 16, 'x')", "J2 ", "",
	""},
    {"UPDATE delta SET count = count + (1 << 32)", "J8 ", "", ""},
    {"UPDATE reading SET redated = 9 WHERE id = 3", "J8 ", "", ""},
    {"UPDATE reading SET delta_blocks = 2 WHERE id = 3", "J8 ", "", ""},
    {"UPDATE reading SET delta_blocks = 0 WHERE id = 3", "J8 ", "", ""},
    {"UPDATE reading SET redated = 1 WHERE id = 2", "J8 ", "", ""},
    {"DELETE FROM delta", "J5 ", "", "2 "},
    {"DELETE FROM segment WHERE id = 2 << 16", "J5 J2 ", "", "2 "},
    {"UPDATE document SET entries = 0 WHERE id = 1", "J8 J3 ", "", ""},
    {"DELETE FROM segment WHERE id = 1 << 16; UPDATE document SET entries = 0,"
     " blocks = 0, dated = 0, newest_s = NULL, newest_nanos = 0,"
     " newest_form = 0 WHERE id = 1",
	"J2 J3 J8 ", "", "1 "},
    {"UPDATE finding SET count = 0", "J8 ", "", ""},
    {"UPDATE sample SET number = 1", "J8 ", "", ""},
    /* times */
    {"UPDATE document SET failing_since_s = 1 << 40 WHERE id = 2", "J9 ", "",
	""},
    {"UPDATE proof SET seen_s = 1 << 40", "J9 ", "", ""},
    {"UPDATE reading SET at_s = 5 WHERE document_id = 2;"
     "UPDATE reading SET at_s = 4 WHERE document_id = 1;"
     "UPDATE origin SET fetched_s = 4; UPDATE proof SET seen_s = 4",
	"J9 J8 J3 ", "", "1 2 "},
    {"UPDATE reading SET at_s = at_s - 86405 WHERE id = 4;"
     "UPDATE document SET failing_since_s = 5 WHERE id = 2",
	"J3 J9 ", "", ""},
    /* what was asked of hosts, and quotas */
    {"INSERT INTO request_log VALUES ('h.test', 60, 61, 1000, 1000, 0, 119),"
     " ('h.test', 120, 9999, 0, 0, 0, 121), ('i.test', 60, 1, NULL, 5000, 0,"
     " 60)",
	"", "", ""},
    {"INSERT INTO request_log VALUES ('h.test', 60, 2, 999, 1000, 0, 119)",
	"J17 ", "J17 ", ""},
    {"INSERT INTO request_log VALUES ('h.test', 60, 62, 1000, 1000, 0, 119)",
	"J17 ", "J17 ", ""},
    {"INSERT INTO request_log VALUES ('h.test', 60, 2, 1000, 1000, 1, 119)",
	"J17 ", "J17 ", ""},
    {"INSERT INTO request_log VALUES ('h.test', 61, 2, 1000, 1000, 0, 119)",
	"J14 ", "", ""},
    {"INSERT INTO request_log VALUES ('h.test', 60, 2, 1000, 1000, 0, 120)",
	"J14 ", "", ""},
    {"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
     " WHERE i < 10001) INSERT INTO proof SELECT 1, 'http://h.test/n' || i, i,"
     " 1704067200 FROM n",
	"J18 ", "", ""},
    /* bytes */
    {"UPDATE document SET url = 'http://h.test/ x' WHERE id = 2", "J10 ", "",
	"-2 "},
    {"UPDATE document SET url = 'http://H.test/x' WHERE id = 2", "J10 ", "",
	"-2 "},
    {"UPDATE document SET url = 'ftp://h.test/x' WHERE id = 2", "J10 ", "",
	"-2 "},
    {"UPDATE document SET final_url = '' WHERE id = 2", "J10 ", "", "2 "},
    {"UPDATE document SET etag = 'a' || char(10) WHERE id = 2", "J10 ", "", ""},
    {"UPDATE origin SET origin = 'http://h.test' || char(7)", "J10 ", "", ""},
    {"UPDATE proof SET url = 'http://h.test/' || char(233)", "J10 ", "", ""},
    {"UPDATE site SET host = ''", "J10 ", "", ""},
    {"UPDATE sample SET text = hex(zeroblob(300))", "J10 ", "", ""},
    /* the watch list, pages, leases, outcomes */
    {"INSERT INTO watch VALUES (1, 1, 5, 1, 60, 0, 0, 0, 0, NULL);"
     "INSERT INTO watch_item VALUES (1, 'tag', 0, 'a')",
	"", "", ""},
    {"INSERT INTO watch VALUES (77, 1, 5, 1, 60, 0, 0, 0, 0, NULL)", "J2 ", "",
	""},
    {"INSERT INTO watch_item VALUES (1, 'tag', 0, 'a')", "J2 ", "", ""},
    {"INSERT INTO watch VALUES (1, 1, 5, -1, 60, 0, 0, 0, 0, NULL)", "J14 ", "",
	""},
    {"INSERT INTO watch VALUES (1, 1, 5, 1, -60, 0, 0, 0, 0, NULL)", "J14 ", "",
	""},
    {"INSERT INTO watch VALUES (1, 1, 5, 1, 60, 0, 0, 0, 0, NULL);"
     "INSERT INTO watch_item VALUES (1, 'tags', 0, 'a')",
	"J14 ", "", ""},
    {"INSERT INTO outcome VALUES (9, 1, 2, 300, 'failed', 503, NULL, NULL, 5,"
     " 5, 0); UPDATE state SET status = 503; UPDATE state SET lastmod_s = 5, "
     "lastmod_form = 21",
	"", "", ""},
    /* the clock was a year ahead, and was put right */
    {"UPDATE outcome SET at_s = at_s + 31536000;"
     "INSERT INTO outcome VALUES (9, 1, 2, 300, 'same', 200, NULL, NULL, 5, 5,"
     " 0);"
     "UPDATE state SET fetched_s = 300",
	"", "", ""},
    {"INSERT INTO feed (serial, name, tags, made_s) VALUES (1, 'a', '', 9);"
     "INSERT INTO feed_site VALUES (1, 1)",
	"", "", ""},
    {"INSERT INTO feed (serial, name, tags, made_s) VALUES (1, 'a', '', -9)",
	"J14 ", "", ""},
    {"INSERT INTO feed_site VALUES (1, 1)", "J2 ", "", ""},
    {"INSERT INTO alert VALUES ('a', 0, 9, 99, 1, 9, 'b');"
     "INSERT INTO alert_site VALUES ('a', 0, 1, 9)",
	"", "", ""},
    {"INSERT INTO alert VALUES ('a', 0, 9, 1 << 60, 0, 0, NULL)", "J14 ", "",
	""},
    {"INSERT INTO alert_site VALUES ('a', 0, 1, -1)", "J14 ", "", ""},
    {"INSERT INTO page_says VALUES (1, 9, 'a', NULL);"
     "INSERT INTO verified VALUES (1, 'drop 1', 0, 'http://a.example/', 9, 301,"
     " 'http://a.example/b', NULL)",
	"", "", ""},
    {"INSERT INTO page_says VALUES (77, 9, 'a', NULL)", "J2 ", "", ""},
    {"INSERT INTO archived VALUES (77, 1, 9, zeroblob(20), 0)", "J2 ", "", ""},
    {"INSERT INTO archived VALUES (1, 1, 1 << 62, zeroblob(20), 0)", "J14 ", "",
	""},
    {"INSERT INTO archived VALUES (1, 1, 9, zeroblob(19), 0)", "J14 ", "", ""},
    {"INSERT INTO archived VALUES (1, -1, 9, zeroblob(20), 0)", "", "", ""},
    {"INSERT INTO page_says VALUES (1, -9, 'a', NULL)", "J14 ", "", ""},
    {"INSERT INTO verified VALUES (1, 'drop 1', 0, 'a b', 9, 0, NULL, NULL)",
	"J14 ", "", ""},
    {"INSERT INTO verified VALUES (1, 'drop 1', 0, 'http://a.example/', 9, -1,"
     " NULL, NULL)",
	"J14 ", "", ""},
    {"INSERT INTO verified (site_id, event, number, url) VALUES"
     " (77, 'drop 1', 0, 'http://a.example/')",
	"J2 ", "", ""},
    {"INSERT INTO note VALUES (77, 9, 'a')", "J2 ", "", ""},
    {"INSERT INTO robots_text VALUES (1, 77, 8, 9, NULL)", "J2 ", "", ""},
    {"UPDATE state SET unfit = 4", "J14 ", "", ""},
    {"UPDATE page SET key = key + 1", "J5 ", "", ""},
    {"INSERT INTO page SELECT 2, key, document_id, url FROM page;"
     "INSERT INTO state (id) VALUES (2)",
	"J5 ", "", ""},
    {"UPDATE page SET document_id = 77", "J2 ", "", ""},
    {"DELETE FROM state", "J6 ", "", ""},
    {"INSERT INTO state (id) VALUES (2)", "J6 ", "", ""},
    {"INSERT INTO lease VALUES (2, 1, 100, 160)", "J7 ", "", ""},
    {"DELETE FROM lease", "", "", ""},
    {"UPDATE state SET done_number = 4", "J7 ", "", ""},
    {"UPDATE lease SET number = 0", "J7 ", "", ""},
    {"UPDATE lease SET number = 1 << 33", "J7 ", "", ""},
    {"UPDATE lease SET until_s = asked_s - 1", "J7 ", "", ""},
    {"UPDATE outcome SET page_id = 2", "J2 ", "", ""},
    {"UPDATE state SET done_number = 1", "J3 ", "", ""},
    {"UPDATE state SET fetched_s = 1", "J3 ", "", ""},
    {"UPDATE page SET url = url || char(9)", "J10 ", "", ""},
    {"UPDATE state SET etag = 'a' || char(10)", "J10 ", "", ""},
    {"INSERT INTO hold VALUES ('h.test', 100, 0, 3)", "", "", ""},
    {"INSERT INTO hold VALUES ('', 0, 100, 0)", "J10 ", "", ""},
    {"INSERT INTO signing VALUES ('h.test', 1, -100)", "", "", ""},
    {"INSERT INTO signing VALUES ('i.test', 4, 100)", "J10 ", "", ""},
    {"INSERT INTO signing VALUES ('j.test', 1, 1 << 60)", "J10 ", "", ""},
    {"UPDATE state SET is_listed = 2", "J14 ", "", ""},
    {"UPDATE state SET weight = -1", "J14 ", "", ""},
    {"UPDATE outcome SET bytes = -1", "J14 ", "", ""},
    {"UPDATE outcome SET kind = 'unlike'", "J14 ", "", ""},
    {"UPDATE state SET lastmod_s = 1 << 40", "J15 ", "", ""},
    {"UPDATE state SET lastmod_form = 3", "J15 ", "", ""},
    /* what rows cannot be read with */
    {"UPDATE document SET id = -5 WHERE id = 2", "J2 J5 J3 J14 ", "", "-2 "},
    {"UPDATE document SET last_try_s = 1 << 40", "J3 J9 J14 ", "", ""},
    {"UPDATE document SET entries = 1 << 50 WHERE id = 2", "J8 J3 J14 J18 ", "",
	""},
    {"UPDATE document SET site_id = 5 WHERE id = 2", "J2 J12 ", "", "-2 "},
    {"UPDATE reading SET at_s = 1 << 40 WHERE id = 4", "J3 J14 ", "", "2 "},
    {"UPDATE reading SET wire_bytes = 1 << 50 WHERE id = 4", "J14 ", "", "2 "},
    {"UPDATE reading SET document_id = 5 WHERE id = 4", "J2 J3 ", "", ""},
    {"UPDATE site SET crawl_begun_s = -1", "J14 ", "", ""},
    {"UPDATE site SET last_crawl_after = 99", "J3 ", "", ""},
    {"UPDATE origin SET expires_s = 1 << 60", "J14 ", "", ""},
    {"UPDATE meta SET created_s = -1", "J16 ", "", ""},
    {"INSERT INTO request_log VALUES ('h test', 60, 2, 1000, 1000, 0, 119)",
	"J14 ", "", ""},
    {"INSERT INTO hold VALUES ('h.test', 1 << 60, 0, 0)", "J10 ", "", ""},
    {"INSERT INTO hold VALUES ('i.test', 100, 0, 1001)", "J10 ", "", ""},
    {"UPDATE finding SET count = 1 << 60", "J8 ", "", ""},
    {"UPDATE outcome SET at_s = -1", "J14 ", "", ""},
    {"UPDATE page SET id = 1 << 50", "J14 J6 J7 J2 ", "", ""},
    {"UPDATE page SET url = 'http://h.test'", "J10 ", "", ""},
    {"UPDATE state SET fetched_s = 1 << 60", "J14 ", "", ""},
    {"INSERT INTO watch VALUES (1, 1, -5, 1, 60, 0, 0, 0, 0, NULL)", "J14 ", "",
	""},
    /* a name that DNS does not know, as older versions took it */
    {"UPDATE document SET url = 'http://' || substr(hex(zeroblob(150)), 1, 254)"
     " || '.test/' WHERE id = 2",
	"J10 ", "", "-2 "},
    /* the graph */
    {"INSERT INTO site (host) VALUES ('g.test');"
     "UPDATE document SET site_id = 2 WHERE id = 2",
	"J12 ", "", "1 "},
    {"INSERT INTO link VALUES (1, 1, NULL, 0, 0, 1, 9)", "J12 ", "", "1 "},
    {"INSERT INTO link VALUES (2, 1, NULL, 0, 0, 0, 0)", "", "", ""},
    {"INSERT INTO document (id, site_id, url)"
     " VALUES (9, 1, 'http://h.test/z');"
     "INSERT INTO link VALUES (9, 1, NULL, 0, 0, 1, 9)",
	"J12 ", "", ""},
    /* what may be concluded from what */
    {"UPDATE reading SET removed = 1, outcome = 'failed' WHERE id = 4;"
     "UPDATE reading SET added = 1 WHERE id = 4",
	"J8 J13 ", "", ""},
    /* words, flags, dates */
    {"UPDATE document SET kind = 'sitemap' WHERE id = 2", "J14 ", "", "2 "},
    {"UPDATE reading SET outcome = 'lost' WHERE id = 4", "J14 ", "", "2 "},
    {"UPDATE reading SET failure = 'lost' WHERE id = 4", "J14 ", "", ""},
    {"UPDATE reading SET failure = NULL WHERE id = 4", "J14 ", "", "2 "},
    {"UPDATE finding SET code = 'lost'", "J14 ", "", ""},
    {"UPDATE document SET wire_digest = x'00' WHERE id = 2", "J14 ", "", "2 "},
    {"UPDATE document SET failures = -1 WHERE id = 2", "J14 ", "", "2 "},
    {"UPDATE reading SET status = 1000 WHERE id = 4", "J14 ", "", "2 "},
    {"UPDATE link SET is_missed = 3", "J14 ", "", ""},
    {"UPDATE link SET missed_s = -1", "J14 ", "", ""},
    {"UPDATE document SET is_led = 2 WHERE id = 2", "J14 ", "", "2 "},
    {"UPDATE document SET cleared = 1 WHERE id = 2", "J14 ", "", "2 "},
    {"UPDATE document SET absent_since_s = -1 WHERE id = 2", "J14 ", "", "2 "},
    {"INSERT INTO root VALUES (2, 'target', 1, NULL, 0, 0)", "", "", ""},
    {"INSERT INTO root VALUES (2, 'tree', 1, NULL, 0, 0)", "J14 ", "", ""},
    {"INSERT INTO root VALUES (2, 'line', 1, NULL, 0, 0)", "J14 ", "", ""},
    {"INSERT INTO root VALUES (2, 'target', 1, NULL, -1, 0)", "J14 ", "", ""},
    {"INSERT INTO root VALUES (2, 'target', 7, NULL, 0, 0)", "J2 J14 ", "", ""},
    {"INSERT INTO root VALUES (77, 'target', 1, NULL, 0, 0)", "J2 J14 ", "",
	""},
    {"UPDATE origin SET status = -1", "J14 ", "", ""},
    {"UPDATE link SET lastmod_s = 5", "J15 ", "", ""},
    {"UPDATE link SET lastmod_s = 1 << 40, lastmod_form = 3", "J15 ", "", ""},
    {"UPDATE document SET index_lastmod_nanos = 7 WHERE id = 2", "J15 ", "",
	"2 "},
};

static void
test_wrongs(void **state)
{
	struct patient patient;
	const char *path;
	bool is_good = true;
	struct buf lost;

	(void)state;
	buf_init(&lost, SIZE_MAX);
	patient_open(&patient);
	path = patient.world.path;
	/* Sanitizers take long: they see a third of it. */
	for (size_t i = 0; i < COUNT(wrongs); i += IS_SANITIZED ? 3 : 1) {
		struct fsck_totals totals;
		char found[64];

		patient_write(&patient, buf_text(&patient.whole));
		sql_run(path, wrongs[i].sql);
		totals = fsck_run(path, false, &patient.heard);
		(void)snprintf(
		    found, sizeof(found), "%s", buf_str(&patient.heard.text));
		assert_int_equal(totals.repaired, 0);
		assert_int_equal(totals.violations, patient.heard.lines);
		/* a repair tells what it repairs, all of it, and once */
		totals = fsck_run(path, true, &patient.heard);
		assert_int_equal(totals.repaired, totals.violations);
		assert_int_equal(
		    fsck_run(path, true, &patient.heard).repaired, 0);
		(void)fsck_run(path, false, &patient.heard);
		put_lost(path, &lost);
		if (strcmp(found, wrongs[i].found) == 0 &&
		    strcmp(buf_str(&patient.heard.text), wrongs[i].left) == 0 &&
		    strcmp(buf_str(&lost), wrongs[i].lost) == 0)
			continue;
		is_good = false;
		print_error("%s\n  found '%s', not '%s'; then '%s', not '%s'; "
			    "lost '%s'\n",
		    wrongs[i].sql, found, wrongs[i].found,
		    buf_str(&patient.heard.text), wrongs[i].left,
		    buf_str(&lost));
	}
	buf_release(&lost);
	assert_true(is_good);
	patient_close(&patient);
}

/* More lines than anyone reads are counted instead. */
static void
test_many(void **state)
{
	struct patient patient;
	struct fsck_totals totals;

	(void)state;
	patient_open(&patient);
	sql_run(patient.world.path,
	    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
	    " LIMIT 150) INSERT INTO site (host) SELECT 'a b' || i FROM n");
	totals = fsck_run(patient.world.path, false, &patient.heard);
	assert_int_equal(totals.violations, 150);
	assert_int_equal(patient.heard.lines, FSCK_LINES + 1);
	patient_close(&patient);
}

#define SITEMAP "http://h.test/d/s.xml"
#define PAGE "http://h.test/d/x"

/* Entries that no honest reader process would send. */

/* Submit a reading of a sitemap that lists this entry alone. */
static void
submit_entry(
    struct store *store, uint64_t fingerprint, const struct entry *entry)
{
	int64_t id = document_make(store, "h.test", SITEMAP);
	struct reading *reading = reading_make(store, id, DAY_0, COMPLETE, "");
	struct block_writer *writer = block_writer_new(
	    block_list_add, &reading->content.segment, 0);

	block_writer_add(writer, entry);
	merge_count(&reading->content.merge, entry, DAY_0);
	block_writer_finish(writer);
	block_writer_free(writer);
	reading->content.seen = reading->content.accepted = 1;
	reading->fingerprint = fingerprint;
	reading->http.final_url = mem_copy(SITEMAP);
	(void)submit(store, reading);
}

/* Close the store and let fsck check it. */
static struct fsck_totals
examine(struct world *world, struct heard *heard)
{
	store_close(world->store);
	world->store = NULL;
	return fsck_run(world->path, false, heard);
}

static const struct {
	const char *url;
	struct entry rest;
	const char *found;
} cases[] = {
    {PAGE, {.missed = 0}, ""},
    {"http://h.test/d/", {.first_seen_s = DAY_0}, ""},
    {"https://o.test/", {.redated_s = DAY_0}, ""},
    {PAGE, {.lastmod = {.epoch_s = DAY_0, .precision = DATE_DAY}}, ""},
    {PAGE, {.first_seen_s = -1}, "J9 "},
    {PAGE, {.first_seen_s = DAY_0 + 1}, "J9 "},
    {PAGE, {.redated_s = DAY_0 + 1}, "J9 "},
    {"http://H.test/d/x", {.missed = 0}, "J10 "},
    {"ftp://h.test/d/x", {.missed = 0}, "J10 "},
    {"http://h.test/d/../x", {.missed = 0}, "J10 "},
    {"/d/x", {.missed = 0}, "J10 "},
    {"http://127.0.0.1/d/x", {.missed = 0}, "J4 "},
    {PAGE, {.hints = 0xb7, .extensions = 31}, ""},
    {PAGE, {.hints = 8}, "J14 "},
    {PAGE, {.hints = 0xc0}, "J14 "},
    {PAGE, {.extensions = 32}, "J14 "},
    {PAGE, {.lastmod = {.epoch_s = INT64_C(1) << 39, .precision = DATE_DAY}},
	"J15 "},
};

static void
test_entries(void **state)
{
	struct heard heard = {0};

	(void)state;
	buf_init(&heard.text, SIZE_MAX);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct entry entry = cases[i].rest;
		struct world world;

		entry.url = slice_of(cases[i].url);
		world_open(&world);
		submit_entry(world.store, 5, &entry);
		(void)examine(&world, &heard);
		assert_string_equal(buf_str(&heard.text), cases[i].found);
		world_close(&world);
	}
	buf_release(&heard.text);
}

/* S9: bytes flipped at random: never a crash, never an endless loop. */

/* Let fsck run over damaged bytes; returns whether fsck or opening noticed
 * the damage. */
static bool
survive(struct patient *patient, const struct buf *bytes, bool repairs)
{
	struct store_options options = {
	    .path = patient->world.path, .is_read_only = !repairs};
	struct fsck_options how = {
	    .repairs = repairs, .found = fsck_hear, .arg = &patient->heard};
	struct fsck_totals totals = {0};
	struct store *store;
	struct buf why;

	patient_write(patient, buf_text(bytes));
	buf_init(&why, SIZE_MAX);
	buf_clear(&patient->heard.text);
	if (store_open(&options, &store, &why) == DIAG_OK)
		assert_int_equal(store_fsck(store, &how, &totals), DIAG_OK);
	else
		assert_null(store);
	buf_release(&why);
	bool is_seen = store == NULL || totals.violations > 0;
	store_close(store);
	return is_seen;
}

static void
test_flips(void **state)
{
	struct patient patient;
	struct buf bytes;
	uint32_t random = 1;
	unsigned seen = 0;
	int rounds = IS_SANITIZED ? 60 : 300;

	(void)state;
	patient_open(&patient);
	buf_init(&bytes, SIZE_MAX);
	for (int i = 0; i < rounds; i++) {
		buf_clear(&bytes);
		(void)buf_put_slice(&bytes, buf_text(&patient.whole));
		for (int k = 0; k < 1 + i % 8; k++) {
			random = random * 1664525 + 1013904223;
			bytes.p[(random >> 8) % bytes.len] ^= (char)(random |
			    1);
		}
		seen += survive(&patient, &bytes, i % 4 == 0);
	}
	assert_true(seen > (unsigned)rounds / 6);
	buf_release(&bytes);
	patient_close(&patient);
}

UNIT(fsck)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_wrongs),
	    cmocka_unit_test(test_many),
	    cmocka_unit_test(test_entries),
	    cmocka_unit_test(test_flips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
