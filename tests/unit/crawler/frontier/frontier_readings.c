/* What readings of documents say reaches what is leased and read. */
#include "tests/fixtures/fixture.h"

#include "crawler/frontier/frontier_tables.h"
#include "store/proof.h"
#include "tests/fixtures/frontier_fixture.h"

/* The next page that is leased: the end of its URL and why; empty: none. */
static const char *
next_page(struct setup *setup)
{
	struct frontier_page page;

	buf_clear(&setup->out);
	if (setup_take(setup, &page)) {
		put_name(&setup->out, page.url);
		(void)buf_print(&setup->out, " %s", page.why);
	}
	return buf_str(&setup->out);
}

static void
test_moved(void **state)
{
	struct setup *setup = *state;

	setup_start(setup, "a:5 b:6");
	(void)setup_fetch_all(setup, "x");
	setup->now_s += 2 * HOUR_S;
	setup_list(setup, "a:5 b:101");
	setup_commit(setup);
	assert_string_equal(next_page(setup), "b lastmod-moved");
	/* a frontier that is loaded now applies the same reading */
	setup_restart(setup);
	setup->now_s += HOUR_S;
	assert_string_equal(next_page(setup), "b lastmod-moved");
}

/* Commit a reading, now, that found the same bytes. */
static void
read_unchanged(struct setup *setup)
{
	struct reading *reading = reading_new(setup->map, setup->now_s);

	reading->outcome = OUTCOME_UNCHANGED;
	reading->content.is_complete = true;
	setup_submit(setup, reading);
}

static struct scheduler_terms
terms_of(struct setup *setup, const char *url)
{
	return setup_terms(setup, url).terms;
}

/* An unchanged document keeps its dates: a date that moved before is trusted
 * as before, and freshet learns from the results of its pages. */
static void
test_moved_unchanged(void **state)
{
	struct setup *setup = *state;
	struct frontier_page page;
	double fresh;

	setup_start(setup, "a:5 b:6 c:7");
	(void)setup_fetch_all(setup, "x");
	setup->now_s += 2 * HOUR_S;
	setup_list(setup, "a:5 b:101 c:7");
	fresh = terms_of(setup, HOST_TEXT "b").fresh;
	assert_true(fresh < 0.6);
	read_unchanged(setup);
	assert_true(terms_of(setup, HOST_TEXT "b").fresh < fresh + 0.01);
	/* a frontier that is loaded now has the dates, too */
	setup_restart(setup);
	read_unchanged(setup);
	assert_true(terms_of(setup, HOST_TEXT "b").fresh < fresh + 0.01);
	page = setup_page(setup);
	assert_string_equal(page.why, "lastmod-moved");
	setup_ok(setup, page.token, 200, "y");
	assert_true(terms_of(setup, HOST_TEXT "b").checks > 0);
}

/* What a frontier that was not saved has written to the store does not hide
 * an event from the next one. */
static void
test_told_again(void **state)
{
	struct setup *setup = *state;
	struct frontier_terms terms;

	setup_start(setup, "a:5 b:6");
	(void)setup_fetch_all(setup, "x");
	setup->now_s += 2 * HOUR_S;
	setup_list(setup, "a:5 b:101");
	terms = setup_terms(setup, HOST_TEXT "b");
	assert_int_equal(terms.terms.moves, 1);
	assert_int_equal(terms.lastmod_s, DAY_0 + 101 * DAY_S);
	assert_int_equal(store_flush(setup->world.store), DIAG_OK);
	setup_kill(setup);
	(void)setup_terms(setup, HOST_TEXT "b");
	setup_commit(setup);
	setup_kill(setup);
	assert_true(terms_of(setup, HOST_TEXT "b").moves <= 1);
}

static void
test_gone_and_back(void **state)
{
	struct setup *setup = *state;

	setup_start(setup, "a b c d");
	(void)setup_fetch_all(setup, "x");
	for (int i = 0; i < 2; i++) {
		setup->now_s += HOUR_S;
		setup_list(setup, "a b c");
	}
	assert_string_equal(next_page(setup), "d removed");
	setup_ok(setup, "4.2", 404, NULL);
	setup->now_s += HOUR_S;
	setup_list(setup, "a b c d");
	assert_string_equal(next_page(setup), "d new");
}

/* Pages that an unchanged reading finds gone leave room in the backlog: URLs
 * that are new are leased then, and also while the pages are only missed. */
static void
test_gone_unchanged(void **state)
{
	struct setup *setup = *state;

	setup_start(setup, "a b c d");
	(void)setup_fetch_all(setup, "x");
	setup->now_s += HOUR_S;
	setup_list(setup, "a b e");
	assert_string_equal(next_page(setup), "e new");
	setup->now_s += HOUR_S;
	read_unchanged(setup);
	(void)setup_fetch_all(setup, "x");
	setup->now_s += HOUR_S;
	setup_list(setup, "a b e f g");
	(void)setup_taken(setup);
	assert_non_null(strstr(buf_str(&setup->out), "f "));
	assert_non_null(strstr(buf_str(&setup->out), "g "));
}

static void
test_robots(void **state)
{
	struct setup *setup = *state;
	struct frontier_terms terms;

	setup_robots(setup, "User-agent: *\nDisallow: /a\n");
	setup_start(setup, "a b");
	assert_string_equal(setup_taken(setup), "b ");
	terms = setup_terms(setup, HOST_TEXT "a");
	assert_int_equal(terms.robots, FRONTIER_ROBOTS_REFUSE);
	assert_int_equal(terms.robots_line, 2);
	assert_false(terms.is_page);
	assert_true(terms.is_listed);
	/* pages are disallowed, too, and come back */
	setup->now_s += HOUR_S;
	setup_robots(setup, "User-agent: freshet\nDisallow: /b\n");
	assert_string_equal(setup_taken(setup), "a ");
	assert_int_equal(
	    frontier_release_all(setup->frontier, setup->now_s), 1);
	assert_string_equal(setup_taken(setup), "a ");
	setup->now_s += HOUR_S;
	setup_robots(setup, NULL);
	assert_string_equal(setup_taken(setup), "b a ");
}

/* No page is leased of an origin whose robots.txt nobody has read. */
static void
test_robots_unknown(void **state)
{
	struct setup *setup = *state;
	int64_t map = document_make(
	    setup->world.store, "other.test", "http://other.test/map.xml");

	store_robots(setup->world.store,
	    &(struct robots_fact){.origin = slice_of("http://h.test"),
		.fetched_s = SETUP_S,
		.failing_since_s = SETUP_S,
		.status = 503});
	setup_read(setup, map, "a");
	setup_begin(setup);
	setup_walk(setup, "0");
	assert_int_equal(
	    setup_terms(setup, HOST_TEXT "a").robots, FRONTIER_ROBOTS_CLOSED);
	/* SPEC R-102: pages wait for half a day */
	setup->now_s += 12 * HOUR_S;
	setup_read(setup, map, "a b");
	setup_walk(setup, "0");
	setup_robots(setup, NULL);
	setup_read(setup, map, "a b c");
	setup_walk(setup, "some");
}

/* The next document that is to be read. */
static int64_t
next_document(struct setup *setup)
{
	struct frontier_document document;

	return setup_next(setup, &document) ? document.id : 0;
}

static void
set_watched(struct setup *setup, bool is_watched)
{
	struct watch row;

	row = (struct watch)WATCH_DEFAULTS;
	row.site_id = store_site(setup->world.store, slice_of(SETUP_HOST));
	row.is_watched = is_watched;
	row.added_s = setup->now_s;
	setup_put(setup, &row);
	watch_release(&row);
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
	struct setup *setup = *state;
	int64_t index = setup_document(setup, "index.xml"),
		x = setup_document(setup, "x.xml"),
		y = setup_document(setup, "y.xml");
	struct frontier_document document;

	setup_list(setup, "a");
	setup_index(setup, index, "x.xml:5 y.xml:6");
	setup_begin(setup);
	assert_int_equal(next_document(setup), 0);
	set_watched(setup, true);
	assert_true(setup_next(setup, &document));
	assert_int_equal(document.id, y);
	assert_string_equal(document.why, "new");
	assert_int_equal(next_document(setup), x);
	assert_int_equal(next_document(setup), 0);
	setup_read(setup, x, "b");
	frontier_document_back(setup->frontier, y, setup->now_s);
	assert_int_equal(next_document(setup), y);
	setup_read(setup, y, "c");
	assert_int_equal(moves_of(setup, x), 0);
	setup->now_s += HOUR_S;
	setup_index(setup, index, "x.xml:101 y.xml:6");
	assert_int_equal(moves_of(setup, x), 1);
	assert_int_equal(moves_of(setup, y), 0);
	set_watched(setup, false);
	setup->now_s += 30 * DAY_S;
	assert_int_equal(next_document(setup), 0);
}

/* A document is read at a fixed interval from its first reading on, or by
 * value within its bounds. */
static void
test_every(void **state)
{
	struct setup *setup = *state;
	struct watch row;

	setup_list(setup, "a:5 b:6");
	row = (struct watch)WATCH_DEFAULTS;
	row.site_id = store_site(setup->world.store, slice_of(SETUP_HOST));
	row.every_least_s = row.every_most_s = 10;
	setup_put(setup, &row);
	setup_begin(setup);
	for (int i = 0; i < 10; i++) {
		setup->now_s += 9;
		assert_int_equal(next_document(setup), 0);
		assert_true(frontier_next_document_s(setup->frontier,
				setup->now_s) <= setup->now_s + 1);
		setup->now_s++;
		assert_int_equal(next_document(setup), setup->map);
		setup_list(setup, "a:5 b:6");
	}
	/* a document whose reading has no value */
	row.every_least_s = 0;
	row.every_most_s = 3600;
	setup_put(setup, &row);
	for (int i = 0; i < 20; i++) {
		int64_t until_s = setup->now_s + 3660;

		while (next_document(setup) == 0)
			setup->now_s += 20;
		assert_true(setup->now_s <= until_s);
		setup_list(setup, "a:5 b:6");
	}
	watch_release(&row);
}

/* A list of so many pages, all of that day. */
static void
list_many(struct buf *out, int day)
{
	buf_init(out, SIZE_MAX);
	for (int i = 0; i < 1100; i++)
		(void)buf_print(out, "p%04d:%d ", i, day);
}

/* When most of a large document is re-dated, that is one event for all of
 * its pages. */
static void
test_bulk(void **state)
{
	struct setup *setup = *state;
	struct buf before, after;

	list_many(&before, 5);
	list_many(&after, 101);
	setup_start(setup, buf_str(&before));
	setup_fetch(setup, "x");
	setup->now_s += 2 * HOUR_S;
	setup_list(setup, buf_str(&after));
	assert_int_equal(terms_of(setup, HOST_TEXT "p0000").moves, 0);
	assert_int_equal(terms_of(setup, HOST_TEXT "p0000").mass, 1);
	buf_release(&before);
	buf_release(&after);
}

/* Readings are applied in slices: none takes long, and all of them end. */
static void
test_slices(void **state)
{
	struct setup *setup = *state;
	struct buf listed[2];
	int slices = 1;

	list_many(&listed[0], 5);
	list_many(&listed[1], 101);
	setup_start(setup, buf_str(&listed[0]));
	for (int i = 1; i <= 40; i++) {
		setup->now_s += 60;
		(void)submit(setup->world.store,
		    reading_make(setup->world.store, setup->map, setup->now_s,
			COMPLETE, buf_str(&listed[i % 2])));
	}
	while (frontier_sync(setup->frontier, setup->now_s))
		slices++;
	/* 40 readings of 1,100 entries and as many changes */
	assert_int_equal(slices, 5);
	assert_false(frontier_sync(setup->frontier, setup->now_s));
	(void)setup_terms(setup, HOST_TEXT "p1099");
	/* a frontier that begins now knows them all at once */
	setup_kill(setup);
	assert_false(frontier_sync(setup->frontier, setup->now_s));
	buf_release(&listed[0]);
	buf_release(&listed[1]);
}

/* What a reading leaves open is read again within the hour, once a day (SPEC
 * */

#define STEP_S (HOUR_S / 12)
#define SOON 900, HOUR_S
#define NOT_FOR(s) -1, (s)

static void
begin_owed(struct setup *setup, int64_t every_s)
{
	setup_again(setup);
	setup_watch(setup, 1, SETUP_HOST, every_s);
	setup_list(setup, "a b c");
	setup->now_s += HOUR_S;
	setup_start(setup, "a b c");
}

/* The seconds until the map is to be read, because it is owed; -1: not within
 * most_s.  Readings of robots.txt are committed meanwhile. */
static int64_t
next_s(struct setup *setup, int64_t most_s)
{
	int64_t begin_s = setup->now_s;
	struct frontier_document document;

	for (; setup->now_s - begin_s <= most_s; setup->now_s += STEP_S)
		while (setup_next(setup, &document)) {
			if (document.id == setup->map) {
				assert_string_equal(document.why, "owed");
				return setup->now_s - begin_s;
			}
			setup_submit(setup,
			    reading_make(setup->world.store, document.id,
				setup->now_s, UNCHANGED, ""));
		}
	return -1;
}

/* The map is to be read in from_s to to_s; from_s -1: not for that long. */
static void
owed_in(struct setup *setup, const char *what, int64_t from_s, int64_t to_s)
{
	int64_t is_s = next_s(setup, to_s);

	if (from_s < 0 ? is_s >= 0 : is_s < from_s)
		fail_msg("%s: in %lld s", what, (long long)is_s);
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
	setup_submit(setup, reading);
}

/* After a reading that says so, the map is to be read in from_s to to_s. */
static const struct owed_case {
	const char *what; /* NULL: of the document above */
	int64_t every_s; /* its interval */
	enum how how;
	int status;
	enum document_kind kind;
	const char *listed;
	int64_t from_s, to_s; /* 0: it is not looked */
} owed_cases[] = {
    {"a page leaves", DAY_S, COMPLETE, 0, 0, "a b", SOON},
    {NULL, 0, COMPLETE, 0, 0, "a b", NOT_FOR(DAY_S - HOUR_S)},
    /* A question that a reading has answered may come up again, but the
     * document is not read early twice on one day. */
    {"once a day", 4 * DAY_S, COMPLETE, 0, 0, "a b", SOON},
    {NULL, 0, COMPLETE, 0, 0, "a", DAY_S, DAY_S + HOUR_S},
    {NULL, 0, COMPLETE, 0, 0, "b", DAY_S, DAY_S + HOUR_S},
    {NULL, 0, COMPLETE, 0, 0, "b", NOT_FOR(3 * DAY_S)},
    /* Without an interval of the operator the document is read early, too,
     * whatever its value. */
    {"by value", 0, COMPLETE, 0, 0, "a b", SOON},
    /* The question stays open, and the next early reading waits for a day. */
    {"held", DAY_S, HELD, 0, 0, "a b", 22 * HOUR_S, 23 * HOUR_S},
    {NULL, 0, PARTIAL, 0, 0, "a", DAY_S, DAY_S + HOUR_S},
    {NULL, 0, COMPLETE, 0, 0, "a b c", NOT_FOR(DAY_S - HOUR_S)},
    /* After two early readings in a row the document is read at its interval
     * again. */
    {"absent", 0, FAILED, 410, 0, "", SOON},
    {NULL, 0, FAILED, 410, 0, "", NOT_FOR(HOUR_S)},
    /* A server that fails is not asked more often because of an open
     * question. */
    {"failing", DAY_S, COMPLETE, 0, 0, "a b", 0, 0},
    {NULL, 0, FAILED, 503, 0, "", 0, 0},
    {NULL, 0, FAILED, 503, 0, "", 0, 0},
    {NULL, 0, FAILED, 503, 0, "", 0, 0},
    {NULL, 0, FAILED, 503, 0, "", 0, 0},
    {NULL, 0, FAILED, 503, 0, "", 0, 0},
    {NULL, 0, FAILED, 503, 0, "", 7 * HOUR_S, DAY_S},
    {"feed", DAY_S, COMPLETE, 0, KIND_RSS, "a b c", 0, 0},
    {NULL, 0, COMPLETE, 0, KIND_RSS, "b c d", NOT_FOR(DAY_S - HOUR_S)},
    {"news", DAY_S, COMPLETE, 0, 0, "^n ^o ^p a b c", 0, 0},
    {NULL, 0, COMPLETE, 0, 0, "^q a b c", NOT_FOR(DAY_S - HOUR_S)},
};

static void
test_owed(void **state)
{
	struct setup *setup = *state;
	const char *what = "";

	for (size_t i = 0; i < COUNT(owed_cases); i++) {
		const struct owed_case *is = &owed_cases[i];

		if (is->what != NULL) {
			what = is->what;
			begin_owed(setup, is->every_s);
		}
		read_as(setup, is->how, is->status, is->kind, is->listed);
		if (is->to_s != 0)
			owed_in(setup, what, is->from_s, is->to_s);
	}
}

/* A feed that is absent once owes nothing. */
static void
test_feed_absent(void **state)
{
	struct setup *setup = *state;
	const struct frontier *frontier;

	begin_owed(setup, DAY_S);
	read_as(setup, COMPLETE, 0, KIND_RSS, "a b c");
	read_as(setup, COMPLETE, 0, KIND_RSS, "b c d");
	read_as(setup, FAILED, 404, KIND_UNKNOWN, "");
	frontier = setup->frontier;
	assert_int_equal(document_at(frontier,
			     idmap_get(&frontier->document_by_id, setup->map))
			     ->owed_s,
	    0);
}

static void
test_restart(void **state)
{
	struct setup *setup = *state;

	begin_owed(setup, DAY_S);
	setup_list(setup, "a b");
	setup_restart(setup);
	owed_in(setup, "restarted", SOON);
	setup_kill(setup);
	owed_in(setup, "killed", 0, HOUR_S);
	setup_list(setup, "a b");
	setup_kill(setup);
	owed_in(setup, "read", NOT_FOR(DAY_S - HOUR_S));
}

/* The clock was ahead and is corrected before a restart. */
static void
test_clock(void **state)
{
	struct setup *setup = *state;

	begin_owed(setup, DAY_S);
	setup_list(setup, "a b");
	owed_in(setup, "ahead", NOT_FOR(STEP_S));
	setup->now_s -= 300 * DAY_S;
	setup_restart(setup);
	owed_in(setup, "corrected", 0, HOUR_S);
}

UNIT_TESTS(frontier_readings, setup_test(test_moved),
    setup_test(test_moved_unchanged), setup_test(test_told_again),
    setup_test(test_gone_and_back), setup_test(test_gone_unchanged),
    setup_test(test_robots), setup_test(test_robots_unknown),
    setup_test(test_index), setup_test(test_every), setup_test(test_bulk),
    setup_test(test_slices), setup_test(test_owed),
    setup_test(test_feed_absent), setup_test(test_restart),
    setup_test(test_clock));
