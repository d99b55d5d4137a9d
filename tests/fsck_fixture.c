/* A store to be examined, and what fsck says of it. */
#include "tests/fsck_fixture.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/outcome.h"
#include "store/page.h"
#include "store/site.h"
#include "tests/unit/fixture.h"

void
fsck_hear(void *arg, const struct fsck_finding *finding)
{
	struct heard *heard = arg;
	char word[16];

	heard->lines++;
	assert_true(finding->what.len > 0);
	(void)snprintf(word, sizeof(word), "%s%u ",
	    finding->is_note ? "n" : "J", finding->invariant);
	if (strstr(buf_str(&heard->text), word) == NULL)
		(void)buf_put_slice(&heard->text, slice_of(word));
}

struct fsck_totals
fsck_run(const char *path, bool repairs, struct heard *heard)
{
	struct store *store = open_at(path, !repairs);
	struct fsck_options options = {
	    .repairs = repairs,
	    .reader_version = FSCK_READER_VERSION,
	    .max_depth = 4,
	    .found = fsck_hear,
	    .arg = heard,
	};
	struct fsck_totals totals;

	buf_clear(&heard->text);
	heard->lines = 0;
	assert_int_equal(store_fsck(store, &options, &totals), DIAG_OK);
	store_close(store);
	return totals;
}

void
sql_run(const char *path, const char *sql)
{
	sqlite3 *db;
	char *error = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
	if (sqlite3_exec(db, "PRAGMA writable_schema = ON", NULL, NULL, NULL) !=
		SQLITE_OK ||
	    sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
		fail_msg("%s: %s", sql, error);
	sqlite3_close(db);
}

int64_t
sql_number(const char *path, const char *sql)
{
	sqlite3_stmt *stmt;
	sqlite3 *db;
	int64_t number;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(
	    sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	number = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return number;
}

/* A page that was leased twice and answered as often. */
static void
fill_page(struct store *store, int64_t document_id)
{
	int64_t id = store_page_add(
	    store, document_id, slice_of("http://h.test/a"));

	for (int64_t at_s = 100; at_s <= 200; at_s += 100) {
		const struct outcome_row row = {
		    .page_id = id,
		    .number = store_lease(store, id, at_s, at_s + 60),
		    .at_s = at_s,
		    .kind = at_s == 100 ? PAGE_CHANGED : PAGE_SAME,
		    .status = 200,
		    .has_hash = true,
		    .hash = 7,
		};

		store_outcome(store, &row);
	}
	assert_int_equal(store_flush(store), DIAG_OK);
}

/* The index of a site, and its child, read three times. */
static void
fill(struct world *world)
{
	struct store *store = world->store;
	const struct date none = {0};
	const struct slice sitemap = slice_of(INDEX_URL);
	const uint32_t line = 1;
	const struct robots_fact fact = {
	    .origin = slice_of("http://h.test"),
	    .fetched_s = DAY_0,
	    .status = 200,
	    .sitemaps = &sitemap,
	    .lines = &line,
	    .sitemap_count = 1,
	};
	int64_t index = document_make(store, "h.test", INDEX_URL);
	int64_t child = document_make(store, "h.test", CHILD_URL);
	struct reading *reading;

	store_robots(store, &fact);
	store_links_begin(store, index);
	store_link(store, index, child, &none);
	(void)submit(
	    store, reading_make(store, index, DAY_0, COMPLETE, "child.xml:1"));
	(void)submit(
	    store, reading_make(store, child, DAY_0, COMPLETE, "a:1 b c:3"));
	reading = reading_make(
	    store, child, DAY_0 + DAY_S, COMPLETE, "a:2 c:3 d:4");
	reading->http.etag = slice_dup(slice_of("\"1\""));
	findings_add(&reading->content.findings, DIAG_DUPLICATE_URL, 3,
	    slice_of("http://h.test/a"));
	(void)submit(store, reading);
	(void)submit(
	    store, reading_make(store, child, DAY_0 + 2 * DAY_S, FAILED, NULL));
	fill_page(store, child);
}

static void
read_whole(const char *path, struct buf *out)
{
	int fd = open(path, O_RDONLY);
	char bytes[65536];
	ssize_t n;

	assert_true(fd >= 0);
	buf_clear(out);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		(void)buf_put(out, bytes, (size_t)n);
	(void)close(fd);
}

void
patient_write(struct patient *patient, struct slice bytes)
{
	const char *path = patient->world.path;
	static const char *const beside[] = {"", "-wal", "-shm"};
	char name[200];
	int fd;

	for (size_t i = 0; i < COUNT(beside); i++) {
		(void)snprintf(name, sizeof(name), "%s%s", path, beside[i]);
		(void)unlink(name);
	}
	fd = open(path, O_WRONLY | O_CREAT, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes.p, bytes.len), bytes.len);
	(void)close(fd);
}

void
patient_open(struct patient *patient)
{
	world_open(&patient->world);
	fill(&patient->world);
	store_close(patient->world.store);
	patient->world.store = NULL;
	buf_init(&patient->whole, SIZE_MAX);
	buf_init(&patient->heard.text, SIZE_MAX);
	read_whole(patient->world.path, &patient->whole);
}

void
patient_close(struct patient *patient)
{
	buf_release(&patient->whole);
	buf_release(&patient->heard.text);
	world_close(&patient->world);
}
