/* Reading the store: rows, findings, blocks, totals. */
#include "tests/fixtures/fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "store/db.h"
#include "store/link.h"
#include "store/query.h"
#include "store/schema.h"
#include "store/site.h"
#include "tests/fixtures/sanitized.h"
#include "tests/fixtures/store_fixture.h"

struct rows {
	struct buf out;
	struct store *store;
	unsigned left; /* stop after so many */
};

static bool
put_row(void *arg, const struct document_row *row)
{
	struct rows *rows = arg;

	(void)buf_put_slice(&rows->out, row->site);
	(void)buf_print(&rows->out, " %s %s %s %d %llu/%llu e%llu w%llu\n",
	    row->document.url, outcome_name(row->outcome),
	    row->failure.len == 0 ? "-" : "failed", row->status,
	    (unsigned long long)row->document.entries,
	    (unsigned long long)row->seen, (unsigned long long)row->errors,
	    (unsigned long long)row->warnings);
	return --rows->left > 0;
}

static const char *
row_texts(
    struct rows *rows, struct store *store, const char *site, unsigned max)
{
	buf_clear(&rows->out);
	rows->store = store;
	rows->left = max;
	store_each_document(
	    store, DOCUMENTS_OF_SITE, slice_of(site), put_row, rows);
	return buf_str(&rows->out);
}

static void
test_rows(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	struct rows rows = {0};

	buf_init(&rows.out, SIZE_MAX);
	int64_t b = document_make(s, "h.test", HOST_TEXT "b.xml");
	int64_t a = document_make(s, "h.test", HOST_TEXT "a.xml");
	(void)document_make(s, "i.test", "http://i.test/c.xml");
	struct reading *reading = reading_make(s, b, 1, COMPLETE, "a b:1 c");
	findings_add(
	    &reading->content.findings, DIAG_INVALID_URL, 5, slice_of("::"));
	findings_add(
	    &reading->content.findings, DIAG_INVALID_URL, 6, slice_of("//"));
	findings_add(
	    &reading->content.findings, DIAG_INVALID_DATE, 7, slice_of("x"));
	reading->content.seen = 5;
	(void)submit(s, reading);
	(void)read_at(s, a, 2, FAILED, "");
	assert_string_equal(row_texts(&rows, s, "", 99),
	    "h.test http://h.test/a.xml failed failed 500 0/0 e0 w0\n"
	    "h.test http://h.test/b.xml read - 200 3/5 e2 w1\n"
	    "i.test http://i.test/c.xml read - 0 0/0 e0 w0\n");
	assert_string_equal(row_texts(&rows, s, "i.test", 99),
	    "i.test http://i.test/c.xml read - 0 0/0 e0 w0\n");
	assert_string_equal(row_texts(&rows, s, "", 1),
	    "h.test http://h.test/a.xml failed failed 500 0/0 e0 w0\n");
	assert_string_equal(row_texts(&rows, s, "nobody", 99), "");

	/* an unchanged document keeps its findings */
	(void)read_at(s, b, 3, UNCHANGED, "");
	assert_string_equal(row_texts(&rows, s, "h.test", 99),
	    "h.test http://h.test/a.xml failed failed 500 0/0 e0 w0\n"
	    "h.test http://h.test/b.xml unchanged - 304 3/5 e2 w1\n");
	assert_true(store_site_find(s, slice_of("h.test")) != 0);
	assert_true(store_site_find(s, slice_of("nobody")) == 0);
	buf_release(&rows.out);
}

static bool
check_row(void *arg, const struct document_row *row)
{
	const int64_t *ids = arg; /* index, child, reading of the child */

	if (row->document.id != ids[1])
		return true;
	assert_int_equal(row->first_parent_id, ids[0]);
	assert_int_equal(row->reading_id, ids[2]);
	assert_int_equal(row->at_s, 2);
	assert_int_equal(row->dated, 2);
	assert_int_equal(row->newest.epoch_s, DAY_0 + 3 * DAY_S);
	assert_int_equal(row->changes[DELTA_ADDED], 2);
	assert_int_equal(row->changes[DELTA_REDATED], 1);
	return true;
}

static void
test_row_details(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	int64_t ids[3];

	struct date date = date_of_day(1);
	ids[0] = document_make(s, "h.test", HOST_TEXT "index.xml");
	ids[1] = document_make(s, "h.test", MAP);
	store_link(s, ids[0], ids[1], &date);
	(void)read_at(s, ids[0], 1, COMPLETE, "");
	(void)read_at(s, ids[1], 1, COMPLETE, "a:1");
	struct reading *reading = reading_make(
	    s, ids[1], DAY_0 + 100 * DAY_S, COMPLETE, "a:2 b:3 c");
	reading->at_s = 2;
	ids[2] = submit(s, reading);
	store_each_document(
	    s, DOCUMENTS_OF_SITE, slice_of("h.test"), check_row, ids);
}

static void
put_finding(void *arg, const struct finding_row *row)
{
	struct buf *out = arg;

	(void)buf_put_slice(out, row->code);
	(void)buf_print(
	    out, " %llu line %u: ", (unsigned long long)row->count, row->line);
	(void)buf_put_slice(out, row->text);
	(void)buf_put_char(out, '\n');
}

static void
test_findings(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	struct buf *out = &world->out;
	int64_t id = document_make(s, "h.test", MAP);
	struct reading *reading = reading_make(s, id, 1, UNREADABLE, "");
	struct findings *findings = &reading->content.findings;
	for (uint32_t i = 1; i <= 100; i++)
		findings_add(findings, DIAG_URL_TOO_LONG, i,
		    slice_of("\xff\x1b[2J'; DROP TABLE finding"));
	findings_add(findings, DIAG_EMPTY_TAG, 3, slice_make(NULL, 0));
	int64_t reading_id = submit(s, reading);
	store_each_finding(s, reading_id, put_finding, out);
	assert_string_equal(buf_str(out),
	    "url-too-long 100 line 1: \xff\x1b[2J'; DROP TABLE finding\n"
	    "empty-tag 1 line 3: \n");
}

/* A missing block must not look like the end of the segment. */
static void
test_lacking_block(void **state)
{
	struct world *world = *state;
	struct entry entry;

	int64_t id = document_make(world->store, "h.test", MAP);
	(void)read_at(world->store, id, 1, COMPLETE, "a b");
	struct sqlite3_stmt *clear = db_use(world->store, SQL_SEGMENT_CLEAR);
	db_bind_int(clear, 1, 0);
	db_bind_int(clear, 2, INT64_MAX);
	assert_true(db_write(world->store, clear));
	struct block_source *source = block_source_new(
	    world->store, BLOCKS_OF_SEGMENT, id);
	struct block_reader *reader = block_source_reader(source);
	assert_false(block_next(reader, &entry));
	assert_true(block_reader_damaged(reader));
	block_source_close(source, NULL, 0);
	/* the damage stays after an unchanged reading, and is mended by the
	 * next one with bytes */
	(void)read_at(world->store, id, 2, UNCHANGED, "");
}

/* A segment that is replaced while it is read crashes nothing. */
static void
test_replaced_while_read(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	char listed[12000];
	size_t len = 0;
	struct entry entry;

	int64_t id = document_make(s, "h.test", MAP);
	for (unsigned i = 0; i < 1000; i++)
		len += (size_t)snprintf(
		    listed + len, sizeof(listed) - len, "%05u ", i);
	(void)read_at(s, id, 1, COMPLETE, listed);
	struct block_source *source = block_source_new(
	    s, BLOCKS_OF_SEGMENT, id);
	struct block_reader *reader = block_source_reader(source);
	assert_true(block_next(reader, &entry));
	(void)read_at(s, id, 2, COMPLETE, "a");
	while (block_next(reader, &entry))
		;
	block_source_close(source, NULL, 0);
}

/* Callbacks may write, and commits may come in between. */
static bool
write_within(void *arg, const struct document_row *row)
{
	struct store *store = arg;

	(void)document_make(store, "j.test", row->document.url);
	assert_int_equal(store_flush(store), DIAG_OK);
	return true;
}

static void
test_write_within(void **state)
{
	struct world *world = *state;

	(void)document_make(world->store, "h.test", HOST_TEXT "a");
	(void)document_make(world->store, "h.test", HOST_TEXT "b");
	store_each_document(world->store, DOCUMENTS_OF_SITE, slice_of("h.test"),
	    write_within, world->store);
	struct rows rows = {0};
	buf_init(&rows.out, SIZE_MAX);
	assert_string_equal(row_texts(&rows, world->store, "j.test", 9),
	    "j.test http://h.test/a read - 0 0/0 e0 w0\n"
	    "j.test http://h.test/b read - 0 0/0 e0 w0\n");
	buf_release(&rows.out);
}

static void
test_info(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	struct store_info info;

	store_info(s, &info);
	assert_int_equal(info.schema_version, SCHEMA_VERSION);
	assert_int_equal(info.sites, 0);
	assert_int_equal(info.first_reading_s, 0);
	int64_t id = document_make(s, "h.test", MAP);
	(void)read_at(s, id, 10, COMPLETE, "a b");
	struct reading *reading = reading_make(s, id, 20, COMPLETE, "a c");
	findings_add(
	    &reading->content.findings, DIAG_EMPTY_TAG, 1, slice_make(NULL, 0));
	(void)submit(s, reading);
	store_info(s, &info);
	assert_int_equal(info.sites, 1);
	assert_int_equal(info.documents, 1);
	assert_int_equal(info.readings, 2);
	assert_int_equal(info.findings, 1);
	assert_int_equal(info.urls, 3);
	assert_true(info.segment_bytes > 0 && info.segment_bytes < 500);
	assert_true(info.delta_bytes > 0 && info.delta_bytes < 500);
	assert_int_equal(info.first_reading_s, 10);
	assert_int_equal(info.last_reading_s, 20);
	assert_true(info.file_bytes > 4096);
}

/* S9: a store with any changed byte is refused or read, and nothing crashes.
 */

static bool
ignore_row(void *arg, const struct document_row *row)
{
	struct store *store = arg;
	struct block_source *source = block_source_new(
	    store, BLOCKS_OF_SEGMENT, row->document.id);
	struct block_reader *reader = block_source_reader(source);
	struct entry entry;

	while (block_next(reader, &entry))
		;
	block_source_close(source, NULL, 0);
	return true;
}

static void
read_everything(const char *path)
{
	struct store_options options = {.path = path, .is_read_only = true};
	struct store_info info;
	struct store *store;
	struct buf why;

	buf_init(&why, SIZE_MAX);
	if (store_open(&options, &store, &why) == DIAG_OK) {
		store_each_document(store, DOCUMENTS_OF_SITE,
		    slice_make(NULL, 0), ignore_row, store);
		store_info(store, &info);
		store_close(store);
	}
	buf_release(&why);
}

static void
test_turned_bytes(void **state)
{
	struct world *world = *state;
	int64_t id = document_make(world->store, "h.test", HOST_TEXT "m.xml");
	(void)read_at(world->store, id, 1, COMPLETE, "a b:2 c");
	world_shut(world);
	int fd = open(world->path, O_RDWR);
	assert_true(fd >= 0);
	off_t size = lseek(fd, 0, SEEK_END);
	/* Sanitizers take long: they see a third of it. */
	off_t step = IS_SANITIZED ? 199 : 61;
	for (off_t at = 0; at < size; at += at < 200 ? 1 : step) {
		unsigned char was;
		unsigned char turned;

		assert_int_equal(pread(fd, &was, 1, at), 1);
		turned = (unsigned char)(was ^ (1 + at % 255));
		assert_int_equal(pwrite(fd, &turned, 1, at), 1);
		read_everything(world->path);
		assert_int_equal(pwrite(fd, &was, 1, at), 1);
	}
	(void)close(fd);
	world->store = open_at(world->path, false);
	assert_segment(world->store, id, "a b:2 c");
}

UNIT_TESTS(query, world_test(test_rows), world_test(test_row_details),
    world_test(test_findings), world_test(test_lacking_block),
    world_test(test_replaced_while_read), world_test(test_write_within),
    world_test(test_info), world_test(test_turned_bytes));
