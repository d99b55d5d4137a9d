/* Pages in the store: promoted, listed, leased, answered. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>

#include "store/feed.h"
#include "store/outcome.h"
#include "store/page.h"
#include "tests/fixtures/store_fixture.h"

static void
put_row(void *arg, const struct page_row *row)
{
	struct buf *out = arg;

	(void)buf_print(out, "%d %.*s w%g", (int)row->id, (int)row->url.len,
	    row->url.p, (double)row->weight);
	if (row->lastmod.precision != DATE_NONE) {
		(void)buf_put_char(out, ' ');
		date_print(out, &row->lastmod);
	}
	if (row->first_seen_s != 0)
		(void)buf_print(out, " seen%d", (int)row->first_seen_s);
	if (!row->is_listed)
		(void)buf_print(out, " unlisted");
	(void)buf_print(out, " f%d s%d", (int)row->fetched_s, row->status);
	if (row->has_hash)
		(void)buf_print(out, " h%llx", (unsigned long long)row->hash);
	(void)buf_print(out, " '%.*s' '%.*s' l%u d%u '%.*s'",
	    (int)row->etag.len, row->etag.p, (int)row->last_modified.len,
	    row->last_modified.p, row->leases, row->done, (int)row->learned.len,
	    row->learned.p);
	if (row->has_lease)
		(void)buf_print(out, " until%d", (int)row->lease_until_s);
	(void)buf_put_char(out, '\n');
}

static void
assert_page(struct store *store, int64_t id, const char *expected)
{
	struct page_row row;
	struct buf out;

	buf_init(&out, SIZE_MAX);
	assert_true(store_page_get(store, id, &row));
	assert_int_equal(row.id, id);
	put_row(&out, &row);
	assert_string_equal(buf_str(&out), expected);
	buf_release(&out);
}

static int64_t
promote(struct world *world, const char *url)
{
	int64_t map = document_make(world->store, "h.test", MAP);

	return store_page_add(world->store, map, slice_of(url));
}

static void
test_identity(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	struct buf *out = &world->out;
	struct page_row row;

	assert_int_equal(store_page_find(s, slice_of(HOST_TEXT "a")), 0);
	assert_int_equal(promote(world, HOST_TEXT "b"), 1);
	assert_int_equal(promote(world, HOST_TEXT "a"), 2);
	assert_int_equal(promote(world, HOST_TEXT "b"), 1);
	assert_true(store_pending(s));
	assert_int_equal(store_flush(s), DIAG_OK);
	uint64_t key = store_hash_key(s);
	assert_int_not_equal(key, 0);
	world_reopen(world);
	assert_int_equal(store_hash_key(world->store), key);
	assert_int_equal(
	    store_page_find(world->store, slice_of(HOST_TEXT "a")), 2);
	assert_false(store_page_get(world->store, 3, &row));
	store_each_page(world->store, put_row, out);
	assert_string_equal(buf_str(out),
	    "1 " HOST_TEXT "b w1 f0 s0 '' '' l0 d0 ''\n"
	    "2 " HOST_TEXT "a w1 f0 s0 '' '' l0 d0 ''\n");
}

static void
test_told(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	int64_t id = promote(world, HOST_TEXT "a");
	store_page_set(s, id, &(struct page_told){.weight = &(float){0.25F}});
	store_page_set(s, id,
	    &(struct page_told){.learned = (struct slice[]){slice_of("xyz")}});
	store_page_set(s, id,
	    &(struct page_told){
		.listing = &(struct page_listing){.first_seen_s = 86500,
		    .lastmod = {.epoch_s = 86400, .precision = DATE_DAY}}});
	assert_page(s, id,
	    "1 " HOST_TEXT "a w0.25 1970-01-02 seen86500 unlisted f0 s0 '' ''"
	    " l0 d0 'xyz'\n");
	store_page_set(s, id,
	    &(struct page_told){
		.listing = &(struct page_listing){.is_listed = true,
		    .lastmod = {.epoch_s = 86400,
			.nanos = 500000000,
			.precision = DATE_FRACTION,
			.zone = ZONE_EXPLICIT,
			.offset = DATE_OFFSET_UTC + 4}}});
	assert_page(s, id,
	    "1 " HOST_TEXT "a w0.25 1970-01-02T00:00:00.5Z f0 s0 '' '' l0 d0"
	    " 'xyz'\n");
	store_page_set(s, id,
	    &(struct page_told){.learned = (struct slice[]){slice_of("")}});
	store_page_set(s, id,
	    &(struct page_told){
		.listing = &(struct page_listing){.is_listed = true}});
	assert_page(s, id, "1 " HOST_TEXT "a w0.25 f0 s0 '' '' l0 d0 ''\n");
}

/* Leases are numbered, whether they are answered or not. */
static void
test_lease(void **state)
{
	struct world *world = *state;
	int64_t id = promote(world, HOST_TEXT "a");
	assert_true(store_lease(world->store, id, 1, 100, 160));
	assert_page(world->store, id,
	    "1 " HOST_TEXT "a w1 f0 s0 '' '' l1 d0 '' until160\n");
	assert_true(store_lease(world->store, id, 0, 0, 0));
	assert_page(
	    world->store, id, "1 " HOST_TEXT "a w1 f0 s0 '' '' l1 d0 ''\n");
	assert_true(store_lease(world->store, id, 2, 200, 260));
	assert_true(store_lease(world->store, id, 3, 300, 360));
	assert_int_equal(store_flush(world->store), DIAG_OK);
	world_reopen(world);
	assert_page(world->store, id,
	    "1 " HOST_TEXT "a w1 f0 s0 '' '' l3 d0 '' until360\n");
	/* an answer to an older lease does not end the current one */
	store_outcome(world->store, NULL,
	    &(struct outcome_row){.page_id = id,
		.number = 2,
		.at_s = 210,
		.kind = PAGE_FETCHED,
		.status = 200});
	assert_page(world->store, id,
	    "1 " HOST_TEXT "a w1 f210 s200 '' '' l3 d2 '' until360\n");
	store_outcome(world->store, NULL,
	    &(struct outcome_row){.page_id = id,
		.number = 3,
		.at_s = 310,
		.kind = PAGE_FETCHED,
		.status = 200});
	assert_page(
	    world->store, id, "1 " HOST_TEXT "a w1 f310 s200 '' '' l3 d3 ''\n");
}

/* The row of a leased page is kept in memory, and each change is seen. */
static void
test_kept(void **state)
{
	struct world *world = *state;
	char text[1100];
	struct page_row row;
	struct buf expected;

	int64_t id = promote(world, HOST_TEXT "a");
	int64_t other = promote(world, HOST_TEXT "b");
	assert_true(store_page_get(world->store, id, &row));
	assert_true(store_lease(world->store, id, 1, 100, 160));
	/* the texts of the row stay where they were */
	assert_true(slice_is(row.url, HOST_TEXT "a"));
	assert_page(
	    world->store, other, "2 " HOST_TEXT "b w1 f0 s0 '' '' l0 d0 ''\n");
	assert_page(world->store, id,
	    "1 " HOST_TEXT "a w1 f0 s0 '' '' l1 d0 '' until160\n");
	assert_true(store_lease(world->store, id, 2, 100, 161));
	store_page_set(
	    world->store, id, &(struct page_told){.weight = &(float){0.5f}});
	assert_page(world->store, id,
	    "1 " HOST_TEXT "a w0.5 f0 s0 '' '' l2 d0 '' until161\n");
	assert_true(store_lease(world->store, id, 3, 100, 162));
	store_page_set(world->store, id,
	    &(struct page_told){.learned = (struct slice[]){slice_of("x")}});
	assert_page(world->store, id,
	    "1 " HOST_TEXT "a w0.5 f0 s0 '' '' l3 d0 'x' until162\n");
	assert_true(store_lease(world->store, id, 4, 100, 163));
	store_page_set(world->store, id,
	    &(struct page_told){.listing = &(struct page_listing){0}});
	assert_page(world->store, id,
	    "1 " HOST_TEXT "a w0.5 unlisted f0 s0 '' '' l4 d0 'x' until163\n");
	assert_true(store_lease(world->store, id, 5, 100, 164));
	assert_true(store_lease(world->store, id, 0, 0, 0));
	assert_page(world->store, id,
	    "1 " HOST_TEXT "a w0.5 unlisted f0 s0 '' '' l5 d0 'x'\n");
	assert_true(store_lease(world->store, id, 6, 100, 165));
	store_outcome(world->store, NULL,
	    &(struct outcome_row){.page_id = id,
		.number = 6,
		.at_s = 110,
		.kind = PAGE_GONE,
		.status = 410});
	assert_page(world->store, id,
	    "1 " HOST_TEXT "a w0.5 unlisted f110 s410 '' '' l6 d6 'x'\n");
	assert_true(store_page_get(world->store, id, &row));
	assert_int_equal(row.unfit, PAGE_NOT_FOUND);
	/* texts that are too long to be kept */
	for (int digits = 980; digits < 1030; digits++) {
		(void)snprintf(text, sizeof(text), HOST_TEXT "%0*d", digits, 0);
		id = promote(world, text);
		assert_true(store_page_get(world->store, id, &row));
		assert_true(store_lease(world->store, id, 1, 100, 160));
		assert_true(store_page_get(world->store, id, &row));
		assert_true(slice_is(row.url, text));
		assert_int_equal(row.leases, 1);
	}
	/* another page takes the place of the first one */
	buf_init(&expected, SIZE_MAX);
	for (int i = 0; i < 4200; i++) {
		(void)snprintf(text, sizeof(text), HOST_TEXT "p%d", i);
		id = promote(world, text);
		assert_true(store_page_get(world->store, id, &row));
		assert_true(store_lease(world->store, id, 1, 100, 160));
	}
	for (int i = 0; i < 4200; i++) {
		buf_clear(&expected);
		(void)buf_print(&expected,
		    "%d " HOST_TEXT "p%d w1 f0 s0 '' '' l1 d0 '' until160\n",
		    (int)id - 4199 + i, i);
		assert_page(world->store, id - 4199 + i, buf_str(&expected));
	}
	buf_release(&expected);
}

/* The state of a page after each outcome. */
static const struct {
	struct outcome_row row;
	const char *after;
} outcomes[] = {
    {{.number = 1,
	 .at_s = 100,
	 .kind = PAGE_CHANGED,
	 .status = 200,
	 .has_hash = true,
	 .hash = 0xabc,
	 .etag = {"\"a\"", 3},
	 .last_modified = {"Mon", 3}},
	"f100 s200 habc '\"a\"' 'Mon' l1 d1 ''\n"},
    {{.number = 2, .at_s = 200, .kind = PAGE_NOT_MODIFIED, .status = 304},
	"f200 s304 habc '\"a\"' 'Mon' l2 d2 ''\n"},
    {{.number = 3,
	 .at_s = 250,
	 .kind = PAGE_NOT_MODIFIED,
	 .status = 304,
	 .etag = {"\"b\"", 3}},
	"f250 s304 habc '\"b\"' 'Mon' l3 d3 ''\n"},
    /* a failure says nothing about the page */
    {{.number = 4,
	 .at_s = 300,
	 .kind = PAGE_FAILED,
	 .status = 503,
	 .etag = {"\"error\"", 7},
	 .last_modified = {"Tue", 3}},
	"f250 s503 habc '\"b\"' 'Mon' l4 d4 ''\n"},
    /* a late outcome does not change the state */
    {{.number = 0,
	 .at_s = 50,
	 .kind = PAGE_CHANGED,
	 .status = 200,
	 .has_hash = true,
	 .hash = 1,
	 .etag = {"x", 1}},
	"f250 s503 habc '\"b\"' 'Mon' l4 d4 ''\n"},
    {{.number = 5, .at_s = 400, .kind = PAGE_FETCHED, .status = 200},
	"f400 s200 habc '' '' l5 d5 ''\n"},
    {{.number = 6,
	 .at_s = 500,
	 .kind = PAGE_SAME,
	 .status = 200,
	 .has_hash = true,
	 .hash = UINT64_MAX,
	 .last_modified = {"Tue", 3}},
	"f500 s200 hffffffffffffffff '' 'Tue' l6 d6 ''\n"},
    {{.number = 7,
	 .at_s = 600,
	 .kind = PAGE_MOVED,
	 .status = 301,
	 .location = {HOST_TEXT "z", sizeof(HOST_TEXT)}},
	"f600 s301 hffffffffffffffff '' '' l7 d7 ''\n"},
    {{.number = 8,
	 .at_s = 700,
	 .kind = PAGE_GONE,
	 .status = 410,
	 .bytes = 77,
	 .ms = 5},
	"f700 s410 hffffffffffffffff '' '' l8 d8 ''\n"},
};

static bool
put_outcome(void *arg, const struct outcome_row *row)
{
	struct buf *out = arg;

	(void)buf_print(out, "%d p%d n%u @%d %s %d", (int)row->id,
	    (int)row->page_id, row->number, (int)row->at_s,
	    page_outcome_name(row->kind), row->status);
	if (row->has_hash)
		(void)buf_print(out, " h%llx", (unsigned long long)row->hash);
	(void)buf_print(out, " '%.*s' %d %u\n", (int)row->location.len,
	    row->location.p, (int)row->bytes, row->ms);
	return row->id < 8;
}

static void
test_outcomes(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	struct buf *out = &world->out;
	int64_t id = promote(world, HOST_TEXT "a");
	for (size_t i = 0; i < COUNT(outcomes); i++) {
		struct outcome_row row = outcomes[i].row;

		row.page_id = id;
		store_outcome(s, NULL, &row);
		buf_clear(out);
		(void)buf_print(
		    out, "1 " HOST_TEXT "a w1 %s", outcomes[i].after);
		assert_page(s, id, buf_str(out));
	}
	assert_int_equal(store_flush(s), DIAG_OK);
	world_reopen(world);
	buf_clear(out);
	store_each_outcome(world->store, 0, 6, put_outcome, out);
	assert_string_equal(buf_str(out),
	    "7 p1 n6 @500 same 200 hffffffffffffffff '' 0 0\n"
	    "8 p1 n7 @600 moved 301 '" HOST_TEXT "z' 0 0\n");
	buf_clear(out);
	store_each_outcome(world->store, 0, 8, put_outcome, out);
	assert_string_equal(buf_str(out), "9 p1 n8 @700 gone 410 '' 77 5\n");
}

/* Changes that were not flushed are lost. */
static void
test_unflushed(void **state)
{
	struct world *world = *state;
	int64_t id = promote(world, HOST_TEXT "a");
	assert_int_equal(store_flush(world->store), DIAG_OK);
	assert_true(store_lease(world->store, id, 1, 100, 160));
	world_reopen(world);
	assert_page(
	    world->store, id, "1 " HOST_TEXT "a w1 f0 s0 '' '' l0 d0 ''\n");
	assert_true(store_lease(world->store, id, 1, 100, 160));
}

/* How two texts of a digest compare: 40 digits are another digest than 32. */
static void
test_texts(void **state)
{
	static const char *const md5[] = {"0123456789abcdef0123456789abcdef",
	    "0123456789ABCDEF0123456789ABCDEF"};
	static const char *const sha1[] = {
	    "0123456789abcdef0123456789abcdef01234567",
	    "0123456789abcdef0123456789abcdef01234568"};
	static const char other[] = "0123456789abcdef0123456789abcdef0123456-";
	const struct {
		const char *before, *now;
		enum page_outcome outcome;
	} rows[] = {{"one", "one", PAGE_SAME}, {"one", "two", PAGE_CHANGED},
	    {md5[0], md5[0], PAGE_SAME}, {md5[0], md5[1], PAGE_CHANGED},
	    {md5[0], sha1[0], PAGE_FETCHED}, {sha1[0], md5[0], PAGE_FETCHED},
	    {sha1[0], sha1[1], PAGE_CHANGED}, {sha1[0], other, PAGE_CHANGED},
	    {other, sha1[0], PAGE_CHANGED}, {"", md5[0], PAGE_CHANGED}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct page_row row = {.fetched_s = 1,
		    .has_hash = true,
		    .hash = page_text_hash(slice_of(rows[i].before), 7)};
		uint64_t hash = page_text_hash(slice_of(rows[i].now), 7);

		if (page_outcome_of(&row, 200, &hash) != rows[i].outcome)
			fail_msg("%s: %s", rows[i].before, rows[i].now);
		/* a hash that was stored by a version that did not look at the
		 * digest */
		row.hash ^= 7;
		if (rows[i].outcome == PAGE_SAME)
			assert_int_equal(
			    page_outcome_of(&row, 200, &hash), PAGE_SAME);
		row.has_hash = false;
		assert_int_equal(
		    page_outcome_of(&row, 200, &hash), PAGE_FETCHED);
		row.has_hash = true;
		row.fetched_s = 0;
		assert_int_equal(
		    page_outcome_of(&row, 200, &hash), PAGE_FETCHED);
	}
}

UNIT_TESTS(outcome, world_test(test_identity), world_test(test_told),
    world_test(test_lease), world_test(test_kept), world_test(test_outcomes),
    world_test(test_unflushed), cmocka_unit_test(test_texts));
