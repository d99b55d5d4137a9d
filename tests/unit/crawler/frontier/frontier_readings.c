/* What readings of documents say reaches what is leased and read. */
#include "tests/fixtures/fixture.h"

#include "crawler/frontier/frontier_tables.h"
#include "store/document.h"
#include "store/link.h"
#include "store/proof.h"
#include "store/watch.h"
#include "tests/fixtures/frontier_fixture.h"
#include "tests/fixtures/frontier_sites_fixture.h"

/* Readings of sitemaps, indexes and robots.txt. */

/* Lease all pages that are due, and report each of them with that hash. */
static void
fetch_all(struct setup *setup, const char *hash)
{
	struct frontier_page page;

	while (setup_take(setup, &page))
		assert_string_equal(
		    setup_done(setup, page.token, 200, hash), "OK");
}

/* The next page that is leased: the end of its URL and why; empty: none. */
static const char *
first(struct setup *setup, struct buf *out)
{
	struct frontier_page page;

	buf_clear(out);
	if (setup_take(setup, &page)) {
		put_name(out, page.url);
		(void)buf_print(out, " %s", page.why);
	}
	return buf_str(out);
}

static void
test_moved(void **state)
{
	struct setup setup;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	setup_open(&setup);
	setup_read(&setup, setup.map, "a:5 b:6");
	setup_begin(&setup);
	fetch_all(&setup, "x");
	setup.now_s += 2 * HOUR_S;
	setup_read(&setup, setup.map, "a:5 b:101");
	setup_commit(&setup);
	assert_string_equal(first(&setup, &out), "b lastmod-moved");
	/* a frontier that is loaded now applies the same reading */
	setup_restart(&setup);
	setup.now_s += HOUR_S;
	assert_string_equal(first(&setup, &out), "b lastmod-moved");
	buf_release(&out);
	setup_close(&setup);
}

/* Commit a reading, now, that found the same bytes. */
static void
read_unchanged(struct setup *setup)
{
	struct reading *reading = reading_new(setup->map, setup->now_s);

	reading->outcome = OUTCOME_UNCHANGED;
	reading->content.is_complete = true;
	(void)submit(setup->world.store, reading);
	(void)frontier_sync(setup->frontier, setup->now_s);
}

/* An unchanged document keeps its dates: a date that moved before is trusted
 * as before, and freshet learns from the results of its pages. */
static void
test_moved_unchanged(void **state)
{
	struct setup setup;
	struct frontier_terms terms;
	struct frontier_page page;
	struct slice url = slice_of(HOST_TEXT "b");
	double fresh;

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, "a:5 b:6 c:7");
	setup_begin(&setup);
	fetch_all(&setup, "x");
	setup.now_s += 2 * HOUR_S;
	setup_read(&setup, setup.map, "a:5 b:101 c:7");
	assert_true(
	    frontier_page_terms(setup.frontier, url, setup.now_s, &terms));
	fresh = terms.terms.fresh;
	assert_true(fresh < 0.6);
	read_unchanged(&setup);
	assert_true(
	    frontier_page_terms(setup.frontier, url, setup.now_s, &terms));
	assert_true(terms.terms.fresh < fresh + 0.01);
	/* a frontier that is loaded now has the dates, too */
	setup_restart(&setup);
	read_unchanged(&setup);
	assert_true(
	    frontier_page_terms(setup.frontier, url, setup.now_s, &terms));
	assert_true(terms.terms.fresh < fresh + 0.01);
	assert_true(setup_take(&setup, &page));
	assert_string_equal(page.why, "lastmod-moved");
	assert_string_equal(setup_done(&setup, page.token, 200, "y"), "OK");
	assert_true(
	    frontier_page_terms(setup.frontier, url, setup.now_s, &terms));
	assert_true(terms.terms.checks > 0);
	setup_close(&setup);
}

/* What a frontier that was not saved has written to the store does not hide
 * an event from the next one. */
static void
test_told_again(void **state)
{
	struct setup setup;
	struct frontier_terms terms;
	struct slice url = slice_of(HOST_TEXT "b");

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, "a:5 b:6");
	setup_begin(&setup);
	fetch_all(&setup, "x");
	setup.now_s += 2 * HOUR_S;
	setup_read(&setup, setup.map, "a:5 b:101");
	assert_true(
	    frontier_page_terms(setup.frontier, url, setup.now_s, &terms));
	assert_int_equal(terms.terms.moves, 1);
	assert_int_equal(terms.lastmod_s, DAY_0 + 101 * DAY_S);
	assert_int_equal(store_flush(setup.world.store), DIAG_OK);
	setup_kill(&setup);
	assert_true(
	    frontier_page_terms(setup.frontier, url, setup.now_s, &terms));
	setup_commit(&setup);
	setup_kill(&setup);
	assert_true(
	    frontier_page_terms(setup.frontier, url, setup.now_s, &terms));
	assert_true(terms.terms.moves <= 1);
	setup_close(&setup);
}

static void
test_gone_and_back(void **state)
{
	struct setup setup;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	setup_open(&setup);
	setup_read(&setup, setup.map, "a b c d");
	setup_begin(&setup);
	fetch_all(&setup, "x");
	setup.now_s += HOUR_S;
	setup_read(&setup, setup.map, "a b c");
	setup.now_s += HOUR_S;
	setup_read(&setup, setup.map, "a b c");
	assert_string_equal(first(&setup, &out), "d removed");
	assert_string_equal(setup_done(&setup, "4.2", 404, NULL), "OK");
	setup.now_s += HOUR_S;
	setup_read(&setup, setup.map, "a b c d");
	assert_string_equal(first(&setup, &out), "d new");
	buf_release(&out);
	setup_close(&setup);
}

/* Pages that an unchanged reading finds gone leave room in the backlog: URLs
 * that are new are leased then, and also while the pages are only missed. */
static void
test_gone_unchanged(void **state)
{
	struct setup setup;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	setup_open(&setup);
	setup_read(&setup, setup.map, "a b c d");
	setup_begin(&setup);
	fetch_all(&setup, "x");
	setup.now_s += HOUR_S;
	setup_read(&setup, setup.map, "a b e");
	assert_string_equal(first(&setup, &out), "e new");
	setup.now_s += HOUR_S;
	read_unchanged(&setup);
	fetch_all(&setup, "x");
	setup.now_s += HOUR_S;
	setup_read(&setup, setup.map, "a b e f g");
	(void)setup_taken(&setup, &out);
	assert_non_null(strstr(buf_str(&out), "f "));
	assert_non_null(strstr(buf_str(&out), "g "));
	buf_release(&out);
	setup_close(&setup);
}

static void
test_robots(void **state)
{
	struct setup setup;
	struct frontier_terms terms;
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	setup_open(&setup);
	setup_robots(&setup, "User-agent: *\nDisallow: /a\n");
	setup_read(&setup, setup.map, "a b");
	setup_begin(&setup);
	assert_string_equal(setup_taken(&setup, &out), "b ");
	assert_true(frontier_page_terms(
	    setup.frontier, slice_of(HOST_TEXT "a"), setup.now_s, &terms));
	assert_int_equal(terms.robots, FRONTIER_ROBOTS_REFUSE);
	assert_int_equal(terms.robots_line, 2);
	assert_false(terms.is_page);
	assert_true(terms.is_listed);
	/* pages are disallowed, too, and come back */
	setup.now_s += HOUR_S;
	setup_robots(&setup, "User-agent: freshet\nDisallow: /b\n");
	assert_string_equal(setup_taken(&setup, &out), "a ");
	assert_int_equal(frontier_release_all(setup.frontier, setup.now_s), 1);
	assert_string_equal(setup_taken(&setup, &out), "a ");
	setup.now_s += HOUR_S;
	setup_robots(&setup, NULL);
	assert_string_equal(setup_taken(&setup, &out), "b a ");
	buf_release(&out);
	setup_close(&setup);
}

/* No page is leased of an origin whose robots.txt nobody has read. */
static void
test_robots_unknown(void **state)
{
	struct setup setup;
	struct frontier_page page;
	struct frontier_terms terms;
	int64_t map;

	(void)state;
	setup_open(&setup);
	map = document_make(
	    setup.world.store, "other.test", "http://other.test/map.xml");
	store_robots(setup.world.store,
	    &(struct robots_fact){.origin = slice_of("http://h.test"),
		.fetched_s = SETUP_S,
		.failing_since_s = SETUP_S,
		.status = 503});
	setup_read(&setup, map, "a");
	setup_begin(&setup);
	assert_false(setup_take(&setup, &page));
	assert_true(frontier_page_terms(
	    setup.frontier, slice_of(HOST_TEXT "a"), setup.now_s, &terms));
	assert_int_equal(terms.robots, FRONTIER_ROBOTS_CLOSED);
	/* SPEC R-102: pages wait for half a day */
	setup.now_s += 12 * HOUR_S;
	setup_read(&setup, map, "a b");
	assert_false(setup_take(&setup, &page));
	setup_robots(&setup, NULL);
	setup_read(&setup, map, "a b c");
	assert_true(setup_take(&setup, &page));
	setup_close(&setup);
}

static void
submit_index(struct setup *setup, int64_t index, const char *listed,
    const int64_t *children, const int *days)
{
	struct reading *reading = reading_make(
	    setup->world.store, index, setup->now_s, COMPLETE, listed);

	reading->content.kind = KIND_INDEX;
	store_links_begin(setup->world.store, index);
	for (size_t i = 0; i < 2; i++) {
		struct date date = date_of_day(days[i]);

		store_link(setup->world.store, index, children[i], &date);
	}
	(void)submit(setup->world.store, reading);
	if (setup->frontier != NULL)
		(void)frontier_sync(setup->frontier, setup->now_s);
}

/* The next document that is to be read, and why. */
static int64_t
next_document(struct setup *setup, const char **why)
{
	struct frontier_document document;

	if (!frontier_next_document(setup->frontier, setup->now_s, &document))
		return 0;
	*why = document.why;
	return document.id;
}

static void
watch(struct setup *setup, bool is_watched)
{
	struct watch row;

	watch_init(&row);
	row.site_id = store_site(setup->world.store, slice_of(SETUP_HOST));
	row.is_watched = is_watched;
	row.added_s = setup->now_s;
	store_watch_put(setup->world.store, &row);
	watch_release(&row);
	if (setup->frontier != NULL)
		frontier_watch_changed(setup->frontier, 1, setup->now_s);
}

/* Make an index of the site with two children that were never read. */
static int64_t
make_index(struct setup *setup, int64_t children[2])
{
	struct store *store = setup->world.store;
	int64_t index = document_make(store, SETUP_HOST, HOST_TEXT "index.xml");

	children[0] = document_make(store, SETUP_HOST, HOST_TEXT "x.xml");
	children[1] = document_make(store, SETUP_HOST, HOST_TEXT "y.xml");
	setup_read(setup, setup->map, "a");
	submit_index(
	    setup, index, "x.xml:5 y.xml:6", children, (const int[]){5, 6});
	return index;
}

static unsigned
moves_of(struct setup *setup, int64_t document)
{
	struct frontier_terms terms;

	assert_true(frontier_document_terms(
	    setup->frontier, document, setup->now_s, &terms));
	return terms.terms.moves;
}

/* Documents of watched sites are read; children of an index when their dates
 * move. */
static void
test_index(void **state)
{
	struct setup setup;
	const char *why = "";
	int64_t index, children[2];

	(void)state;
	setup_open(&setup);
	index = make_index(&setup, children);
	setup_begin(&setup);
	assert_int_equal(next_document(&setup, &why), 0);
	watch(&setup, true);
	assert_int_equal(next_document(&setup, &why), children[1]);
	assert_string_equal(why, "new");
	assert_int_equal(next_document(&setup, &why), children[0]);
	assert_int_equal(next_document(&setup, &why), 0);
	setup_read(&setup, children[0], "b");
	frontier_document_back(setup.frontier, children[1], setup.now_s);
	assert_int_equal(next_document(&setup, &why), children[1]);
	setup_read(&setup, children[1], "c");
	assert_int_equal(moves_of(&setup, children[0]), 0);
	setup.now_s += HOUR_S;
	submit_index(&setup, index, "x.xml:101 y.xml:6", children,
	    (const int[]){101, 6});
	assert_int_equal(moves_of(&setup, children[0]), 1);
	assert_int_equal(moves_of(&setup, children[1]), 0);
	watch(&setup, false);
	setup.now_s += 30 * DAY_S;
	assert_int_equal(next_document(&setup, &why), 0);
	setup_close(&setup);
}

/* A document is read at a fixed interval from its first reading on, or by
 * value within its bounds. */
static void
test_every(void **state)
{
	struct setup setup;
	struct frontier_document document;
	struct watch row;

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, "a:5 b:6");
	watch_init(&row);
	row.site_id = store_site(setup.world.store, slice_of(SETUP_HOST));
	row.every_least_s = row.every_most_s = 10;
	store_watch_put(setup.world.store, &row);
	setup_begin(&setup);
	for (int i = 0; i < 10; i++) {
		setup.now_s += 9;
		assert_false(frontier_next_document(
		    setup.frontier, setup.now_s, &document));
		assert_true(frontier_next_document_s(setup.frontier,
				setup.now_s) <= setup.now_s + 1);
		setup.now_s++;
		assert_true(frontier_next_document(
		    setup.frontier, setup.now_s, &document));
		assert_int_equal(document.id, setup.map);
		setup_read(&setup, setup.map, "a:5 b:6");
	}
	/* a document whose reading has no value */
	row.every_least_s = 0;
	row.every_most_s = 3600;
	store_watch_put(setup.world.store, &row);
	frontier_watch_changed(setup.frontier, row.site_id, setup.now_s);
	for (int i = 0; i < 20; i++) {
		int64_t until_s = setup.now_s + 3660;

		while (!frontier_next_document(
		    setup.frontier, setup.now_s, &document))
			setup.now_s += 20;
		assert_true(setup.now_s <= until_s);
		setup_read(&setup, setup.map, "a:5 b:6");
	}
	watch_release(&row);
	setup_close(&setup);
}

/* When most of a large document is re-dated, that is one event for all of
 * its pages. */
static void
test_bulk(void **state)
{
	struct setup setup;
	struct frontier_terms terms;
	struct frontier_page page;
	struct buf before, after;

	(void)state;
	buf_init(&before, SIZE_MAX);
	buf_init(&after, SIZE_MAX);
	for (int i = 0; i < 1100; i++) {
		(void)buf_print(&before, "p%04d:%d ", i, 5);
		(void)buf_print(&after, "p%04d:%d ", i, 101);
	}
	setup_open(&setup);
	setup_read(&setup, setup.map, buf_str(&before));
	setup_begin(&setup);
	assert_true(setup_take(&setup, &page));
	assert_string_equal(setup_done(&setup, "1.1", 200, "x"), "OK");
	setup.now_s += 2 * HOUR_S;
	setup_read(&setup, setup.map, buf_str(&after));
	assert_true(frontier_page_terms(
	    setup.frontier, slice_of(HOST_TEXT "p0000"), setup.now_s, &terms));
	assert_int_equal(terms.terms.moves, 0);
	assert_int_equal(terms.terms.mass, 1);
	buf_release(&before);
	buf_release(&after);
	setup_close(&setup);
}

/* Readings are applied in slices: none takes long, and all of them end. */
static void
test_slices(void **state)
{
	struct setup setup;
	struct frontier_terms terms;
	struct buf listed[2];
	int slices = 1;

	(void)state;
	buf_init(&listed[0], SIZE_MAX);
	buf_init(&listed[1], SIZE_MAX);
	for (int i = 0; i < 1100; i++) {
		(void)buf_print(&listed[0], "p%04d:%d ", i, 5);
		(void)buf_print(&listed[1], "p%04d:%d ", i, 101);
	}
	setup_open(&setup);
	setup_read(&setup, setup.map, buf_str(&listed[0]));
	setup_begin(&setup);
	for (int i = 1; i <= 40; i++) {
		setup.now_s += 60;
		(void)submit(setup.world.store,
		    reading_make(setup.world.store, setup.map, setup.now_s,
			COMPLETE, buf_str(&listed[i % 2])));
	}
	while (frontier_sync(setup.frontier, setup.now_s))
		slices++;
	/* 40 readings of 1,100 entries and as many changes */
	assert_int_equal(slices, 5);
	assert_false(frontier_sync(setup.frontier, setup.now_s));
	assert_true(frontier_page_terms(
	    setup.frontier, slice_of(HOST_TEXT "p1099"), setup.now_s, &terms));
	/* a frontier that begins now knows them all at once */
	setup_kill(&setup);
	assert_false(frontier_sync(setup.frontier, setup.now_s));
	buf_release(&listed[0]);
	buf_release(&listed[1]);
	setup_close(&setup);
}

/* What a reading leaves open is read again within the hour, once a day (SPEC
 * */

#define STEP_S (HOUR_S / 12)

static void
begin(struct setup *setup, int64_t every_s)
{
	setup_open(setup);
	setup->options.reads_documents = true;
	setup_watch(setup, 1, SETUP_HOST, every_s);
	setup_read(setup, setup->map, "a b c");
	setup->now_s += HOUR_S;
	setup_read(setup, setup->map, "a b c");
	setup_begin(setup);
}

/* next_s(setup, most_s, why): the seconds until the map is to be read for
 * that reason; -1: not within most_s.  Readings of robots.txt are committed
 * meanwhile. */
static int64_t
next_s(struct setup *setup, int64_t most_s, const char *why)
{
	int64_t begin_s = setup->now_s;
	struct frontier_document document;

	for (; setup->now_s - begin_s <= most_s; setup->now_s += STEP_S)
		while (frontier_next_document(
		    setup->frontier, setup->now_s, &document)) {
			if (document.id == setup->map) {
				assert_string_equal(document.why, why);
				return setup->now_s - begin_s;
			}
			(void)submit(setup->world.store,
			    reading_make(setup->world.store, document.id,
				setup->now_s, UNCHANGED, ""));
			(void)frontier_sync(setup->frontier, setup->now_s);
		}
	return -1;
}

/* Commit a reading of the map with that status, kind and entries. */
static void
read_as(struct setup *setup, enum how how, int status, enum document_kind kind,
    const char *listed)
{
	struct reading *reading = reading_make(
	    setup->world.store, setup->map, setup->now_s, how, listed);

	if (status != 0)
		reading->http.status = status;
	if (kind != KIND_UNKNOWN)
		reading->content.kind = kind;
	(void)submit(setup->world.store, reading);
	if (setup->frontier != NULL)
		(void)frontier_sync(setup->frontier, setup->now_s);
}

static int64_t
owed_s(struct setup *setup)
{
	uint32_t number = document_by_id(
	    setup->frontier->documents, setup->map);

	return document_at(setup->frontier->documents, number)->owed_s;
}

static void
test_page_leaves(void **state)
{
	struct setup setup;

	(void)state;
	begin(&setup, DAY_S);
	setup_read(&setup, setup.map, "a b");
	assert_in_range(next_s(&setup, DAY_S, "owed"), 900, HOUR_S);
	setup_read(&setup, setup.map, "a b");
	assert_int_equal(next_s(&setup, DAY_S - HOUR_S, ""), -1);
	setup_close(&setup);
}

/* A question that a reading has answered may come up again, but the document
 * is not read early twice on one day. */
static void
test_once_a_day(void **state)
{
	struct setup setup;

	(void)state;
	begin(&setup, 4 * (int64_t)DAY_S);
	setup_read(&setup, setup.map, "a b");
	assert_in_range(next_s(&setup, HOUR_S, "owed"), 900, HOUR_S);
	setup_read(&setup, setup.map, "a");
	assert_in_range(
	    next_s(&setup, 2 * (int64_t)DAY_S, "owed"), DAY_S, DAY_S + HOUR_S);
	setup_read(&setup, setup.map, "b");
	assert_in_range(
	    next_s(&setup, 2 * (int64_t)DAY_S, "owed"), DAY_S, DAY_S + HOUR_S);
	setup_read(&setup, setup.map, "b");
	assert_int_equal(next_s(&setup, 3 * (int64_t)DAY_S, ""), -1);
	setup_close(&setup);
}

/* Without an interval of the operator the document is read early, too,
 * whatever its value. */
static void
test_by_value(void **state)
{
	struct setup setup;

	(void)state;
	begin(&setup, 0);
	setup_read(&setup, setup.map, "a b");
	assert_in_range(next_s(&setup, DAY_S, "owed"), 900, HOUR_S);
	setup_close(&setup);
}

static void
test_held(void **state)
{
	struct setup setup;

	(void)state;
	begin(&setup, DAY_S);
	read_as(&setup, HELD, 0, KIND_UNKNOWN, "a b");
	assert_in_range(
	    next_s(&setup, DAY_S, "owed"), 22 * HOUR_S, 23 * HOUR_S);
	/* the question stays open, and the next early reading waits for a
	 * day */
	read_as(&setup, PARTIAL, 0, KIND_UNKNOWN, "a");
	assert_in_range(
	    next_s(&setup, 2 * (int64_t)DAY_S, "owed"), DAY_S, DAY_S + HOUR_S);
	read_as(&setup, COMPLETE, 0, KIND_UNKNOWN, "a b c");
	assert_int_equal(next_s(&setup, DAY_S - HOUR_S, ""), -1);
	setup_close(&setup);
}

/* After two early readings in a row the document is read at its interval
 * again. */
static void
test_absent(void **state)
{
	struct setup setup;

	(void)state;
	begin(&setup, 0);
	read_as(&setup, FAILED, 410, KIND_UNKNOWN, "");
	assert_in_range(next_s(&setup, DAY_S, "owed"), 900, HOUR_S);
	read_as(&setup, FAILED, 410, KIND_UNKNOWN, "");
	assert_int_equal(next_s(&setup, HOUR_S, ""), -1);
	setup_close(&setup);
}

/* A server that fails is not asked more often because of an open question. */
static void
test_failing(void **state)
{
	struct setup setup;

	(void)state;
	begin(&setup, DAY_S);
	setup_read(&setup, setup.map, "a b");
	for (int i = 0; i < 6; i++)
		read_as(&setup, FAILED, 503, KIND_UNKNOWN, "");
	assert_in_range(next_s(&setup, DAY_S, "owed"), 7 * HOUR_S, DAY_S);
	setup_close(&setup);
}

static void
test_feed(void **state)
{
	struct setup setup;

	(void)state;
	begin(&setup, DAY_S);
	read_as(&setup, COMPLETE, 0, KIND_RSS, "a b c");
	read_as(&setup, COMPLETE, 0, KIND_RSS, "b c d");
	assert_int_equal(next_s(&setup, DAY_S - HOUR_S, ""), -1);
	read_as(&setup, FAILED, 404, KIND_UNKNOWN, "");
	assert_int_equal(owed_s(&setup), 0);
	setup_close(&setup);
}

static void
test_news(void **state)
{
	struct setup setup;

	(void)state;
	begin(&setup, DAY_S);
	setup_read(&setup, setup.map, "^n ^o ^p a b c");
	setup_read(&setup, setup.map, "^q a b c");
	assert_int_equal(next_s(&setup, DAY_S - HOUR_S, ""), -1);
	setup_close(&setup);
}

static void
test_restart(void **state)
{
	struct setup setup;

	(void)state;
	begin(&setup, DAY_S);
	setup_read(&setup, setup.map, "a b");
	setup_restart(&setup);
	assert_in_range(next_s(&setup, DAY_S, "owed"), 900, HOUR_S);
	setup_kill(&setup);
	assert_in_range(next_s(&setup, DAY_S, "owed"), 0, HOUR_S);
	setup_read(&setup, setup.map, "a b");
	setup_kill(&setup);
	assert_int_equal(next_s(&setup, DAY_S - HOUR_S, ""), -1);
	setup_close(&setup);
}

/* The clock was a year ahead and is corrected. */
static void
test_clock(void **state)
{
	struct setup setup;

	(void)state;
	begin(&setup, DAY_S);
	setup_read(&setup, setup.map, "a b");
	assert_int_equal(next_s(&setup, HOUR_S / 12, ""), -1);
	setup.now_s -= 300 * (int64_t)DAY_S;
	assert_in_range(next_s(&setup, DAY_S, "owed"), 0, HOUR_S);
	setup_close(&setup);
}

UNIT(frontier_readings)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_moved),
	    cmocka_unit_test(test_moved_unchanged),
	    cmocka_unit_test(test_told_again),
	    cmocka_unit_test(test_gone_and_back),
	    cmocka_unit_test(test_gone_unchanged),
	    cmocka_unit_test(test_robots),
	    cmocka_unit_test(test_robots_unknown),
	    cmocka_unit_test(test_index),
	    cmocka_unit_test(test_every),
	    cmocka_unit_test(test_bulk),
	    cmocka_unit_test(test_slices),
	    cmocka_unit_test(test_page_leaves),
	    cmocka_unit_test(test_once_a_day),
	    cmocka_unit_test(test_by_value),
	    cmocka_unit_test(test_held),
	    cmocka_unit_test(test_absent),
	    cmocka_unit_test(test_failing),
	    cmocka_unit_test(test_feed),
	    cmocka_unit_test(test_news),
	    cmocka_unit_test(test_restart),
	    cmocka_unit_test(test_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
