/* Looking up one URL: listings, proofs, samples, documents. */
#include "tests/fixtures/fixture.h"

#include "store/db.h"
#include "store/lookup.h"
#include "tests/fixtures/store_fixture.h"

struct found {
	struct buf out;
};

static void
put_listing(void *arg, int64_t document_id, const struct entry *entry)
{
	struct found *found = arg;

	(void)buf_print(&found->out, "%d:%u%s ", (int)document_id,
	    entry->ordinal, entry->missed > 0 ? "!" : "");
}

static const char *
listings(struct found *found, struct store *store, const char *url)
{
	buf_clear(&found->out);
	store_each_listing(store, slice_of(url), put_listing, found);
	return buf_str(&found->out);
}

static void
test_listings(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	struct found found;

	buf_init(&found.out, SIZE_MAX);
	int64_t one = document_make(s, "h.test", HOST_TEXT "1.xml");
	int64_t two = document_make(s, "h.test", HOST_TEXT "2.xml");
	(void)read_at(s, one, 1, COMPLETE, "b a c");
	(void)read_at(s, two, 1, COMPLETE, "d c");
	assert_string_equal(listings(&found, s, HOST_TEXT "c"), "1:2 2:1 ");
	assert_string_equal(listings(&found, s, HOST_TEXT "a"), "1:1 ");
	assert_string_equal(listings(&found, s, HOST_TEXT "b1"), "");
	assert_string_equal(listings(&found, s, HOST_TEXT "z"), "");
	(void)read_at(s, two, 2, COMPLETE, "d");
	assert_string_equal(listings(&found, s, HOST_TEXT "c"), "1:2 2:0! ");

	/* a damaged block must not look as if the URL were absent */
	struct sqlite3_stmt *stmt = db_use(s, SQL_SEGMENT_CLEAR);
	db_bind_int(stmt, 1, 0);
	db_bind_int(stmt, 2, BLOCK_ID(two));
	assert_true(db_write(s, stmt));
	assert_string_equal(listings(&found, s, HOST_TEXT "a"), "");
	assert_int_equal(store_failed(s), DIAG_STORE_DAMAGED);
	buf_release(&found.out);
}

static void
put_proof(void *arg, struct slice origin, uint32_t line)
{
	struct found *found = arg;

	(void)buf_put_slice(&found->out, origin);
	(void)buf_print(&found->out, ":%u ", line);
}

static void
name_it(struct store *store, const char *origin, uint32_t line)
{
	struct slice url = slice_of(HOST_TEXT "1.xml");
	struct robots_fact fact = {.origin = slice_of(origin),
	    .fetched_s = 1,
	    .sitemaps = &url,
	    .lines = &line,
	    .sitemap_count = 1};

	store_robots(store, &fact);
}

static void
test_proofs(void **state)
{
	struct world *world = *state;
	struct found found;

	buf_init(&found.out, SIZE_MAX);
	name_it(world->store, "http://h.test", 4);
	name_it(world->store, "http://a.test", 7);
	store_each_proof(
	    world->store, slice_of(HOST_TEXT "1.xml"), put_proof, &found);
	assert_string_equal(
	    buf_str(&found.out), "http://a.test:7 http://h.test:4 ");
	buf_clear(&found.out);
	store_each_proof(
	    world->store, slice_of(HOST_TEXT "2.xml"), put_proof, &found);
	assert_int_equal(found.out.len, 0);
	buf_release(&found.out);
}

static void
put_sample(void *arg, const struct sample_row *row)
{
	struct found *found = arg;

	(void)buf_print(&found->out, "%d ", (int)row->document_id);
	(void)buf_put_slice(&found->out, row->code);
	(void)buf_print(&found->out, " %u ", row->line);
	(void)buf_put_slice(&found->out, row->text);
	(void)buf_put_char(&found->out, '\n');
}

static bool
put_document(void *arg, const struct document_row *row)
{
	struct found *found = arg;

	(void)buf_put_slice(&found->out, row->site);
	(void)buf_put_char(&found->out, ' ');
	return true;
}

/* The samples are those of the reading whose entries are kept, not of a later
 * failure. */
static void
test_samples(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	struct found found;
	struct buf host;

	buf_init(&found.out, SIZE_MAX);
	buf_init(&host, SIZE_MAX);
	int64_t one = document_make(s, "h.test", HOST_TEXT "1.xml");
	(void)document_make(s, "i.test", HOST_TEXT "1.xml");
	struct reading *reading = reading_make(s, one, 1, COMPLETE, "a");
	findings_add(
	    &reading->content.findings, DIAG_INVALID_URL, 5, slice_of("::"));
	findings_add(
	    &reading->content.findings, DIAG_INVALID_URL, 6, slice_of("//"));
	int64_t read = submit(s, reading);
	reading = reading_make(s, one, 2, FAILED, NULL);
	findings_add(&reading->content.findings, DIAG_FETCH_SERVER_ERROR, 0,
	    slice_of("status 500"));
	(void)submit(s, reading);
	store_each_sample(s, put_sample, &found);
	assert_string_equal(
	    buf_str(&found.out), "1 invalid-url 5 ::\n1 invalid-url 6 //\n");
	assert_int_equal(store_standing(s, one, &host), read);
	assert_string_equal(buf_str(&host), "h.test");
	assert_int_equal(store_standing(s, 99, &host), 0);

	buf_clear(&found.out);
	store_each_document(
	    s, DOCUMENTS_AT, slice_of(HOST_TEXT "1.xml"), put_document, &found);
	assert_string_equal(buf_str(&found.out), "h.test i.test ");
	buf_release(&host);
	buf_release(&found.out);
}

UNIT_TESTS(lookup, world_test(test_listings), world_test(test_proofs),
    world_test(test_samples));
