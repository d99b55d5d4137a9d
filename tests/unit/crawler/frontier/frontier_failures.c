/* The frontier: pages that fail, and when they are due again. */
#include "tests/fixtures/fixture.h"

#include "tests/fixtures/frontier_sites_fixture.h"

#define HOUR_S 3600
#define LATER "later.test"
#define MANY "a b c d e f g h i j k l m n o p q r s t u v w x y z"
#define PAGES 26

/* Handed out now; all but those of `bad` are answered.  How many. */
static int
fetch_all(struct office *office, const char *bad)
{
	struct frontier_page page;
	int count = 0;

	while (office_take(office, &page)) {
		if (slice_is(page.url, bad))
			fail_msg("handed out: %s", bad);
		assert_string_equal(
		    office_done(office, page.token, 200, "x"), "OK");
		count++;
	}
	return count;
}

/* The next page fails; url: which, next_s: when it is due, from now. */
static void
fail_next(struct office *office, int status, int64_t retry_after_s,
    struct buf *url, int64_t *next_s)
{
	struct frontier_result result = {
	    .status = status, .retry_after_s = retry_after_s};
	struct frontier_answer answer;
	struct frontier_page page;

	assert_true(office_take(office, &page));
	buf_clear(url);
	(void)buf_put_slice(url, page.url);
	result.token = slice_of(page.token);
	assert_int_equal(
	    frontier_done(office->frontier, &result, office->now_s, &answer),
	    FRONTIER_OK);
	office_commit(office);
	*next_s = answer.next_due_s - office->now_s;
}

static void
open_many(struct office *office, struct buf *url)
{
	buf_init(url, 1000);
	office_open(office);
	office_read(office, office->map, MANY);
	office_begin(office);
}

/* One page in error, never fetched: it waits, over a restart too, and the
 * others do not. */
static void
test_one_bad(void **state)
{
	struct office office;
	struct frontier_page page;
	struct buf url;
	int64_t next_s;

	(void)state;
	open_many(&office, &url);
	fail_next(&office, 500, 0, &url, &next_s);
	assert_in_range(next_s, HOUR_S, HOUR_S + 60);
	assert_int_equal(fetch_all(&office, buf_str(&url)), PAGES - 1);
	for (int i = 0; i < 59; i++) {
		office.now_s += 60;
		(void)fetch_all(&office, buf_str(&url));
	}
	office_restart(&office);
	(void)fetch_all(&office, buf_str(&url));
	office.now_s += 120;
	assert_true(office_take(&office, &page));
	assert_true(slice_is(page.url, buf_str(&url)));
	assert_string_equal(office_done(&office, page.token, 0, NULL), "OK");
	office.now_s += 2 * HOUR_S - 1;
	(void)fetch_all(&office, buf_str(&url));
	office_close(&office);
	buf_release(&url);
}

/* Its host wants to be asked later: it is due then, with the others; when it
 * says so again it is the page that waits. */
static void
test_limited(void **state)
{
	struct office office;
	struct buf url, again;
	int64_t next_s;

	(void)state;
	open_many(&office, &url);
	buf_init(&again, 1000);
	fail_next(&office, 429, 30, &url, &next_s);
	assert_in_range(next_s, 30, 31);
	office.now_s += 29;
	assert_int_equal(fetch_all(&office, ""), 0);
	office.now_s += 1;
	fail_next(&office, 429, 30, &again, &next_s);
	if (slice_equal(buf_text(&url), buf_text(&again)))
		assert_in_range(next_s, HOUR_S, HOUR_S + 60);
	else
		assert_in_range(next_s, 30, 31);
	office.now_s += 30;
	assert_true(fetch_all(&office, "") >= PAGES - 2);
	office_close(&office);
	buf_release(&url);
	buf_release(&again);
}

/* What is told while its host is held is due when that is over. */
static void
test_held_meanwhile(void **state)
{
	struct office office;
	struct frontier_page first, second;
	struct frontier_result result = {.status = 503, .retry_after_s = 600};
	struct frontier_answer answer;
	struct buf token;

	(void)state;
	open_many(&office, &token);
	assert_true(office_take(&office, &first));
	(void)buf_put_slice(&token, slice_of(first.token));
	assert_true(office_take(&office, &second));
	result.token = slice_of(second.token);
	(void)frontier_done(office.frontier, &result, office.now_s, &answer);
	result = (struct frontier_result){
	    .token = buf_text(&token), .status = 500};
	assert_int_equal(
	    frontier_done(office.frontier, &result, office.now_s, &answer),
	    FRONTIER_OK);
	assert_int_equal(answer.next_due_s, office.now_s + 600);
	office_close(&office);
	buf_release(&token);
}

/* That others of its host wait for who may have them is no hold. */
static void
test_many_wait(void **state)
{
	struct frontier_result result = {.status = 500};
	struct frontier_answer answer;
	struct frontier_page page;
	struct office office;
	struct buf url;
	int64_t next_s;

	(void)state;
	open_many(&office, &url);
	office.consumer.per_host = 1;
	assert_true(office_take(&office, &page));
	(void)buf_put_slice(&url, page.url);
	result.token = slice_of(page.token);
	/* the others are chosen, and wait */
	assert_false(frontier_lease(office.frontier, &office.consumer,
	    office.now_s, &(struct frontier_page){0}));
	assert_int_equal(
	    frontier_done(office.frontier, &result, office.now_s, &answer),
	    FRONTIER_OK);
	next_s = answer.next_due_s - office.now_s;
	assert_in_range(next_s, HOUR_S, HOUR_S + 60);
	assert_true(fetch_all(&office, buf_str(&url)) > 0);
	office_close(&office);
	buf_release(&url);
}

static void
fail_many(struct office *office, int count, int status)
{
	struct buf url;
	int64_t next_s;

	buf_init(&url, 1000);
	for (int i = 0; i < count; i++)
		fail_next(office, status, 0, &url, &next_s);
	buf_release(&url);
}

/* May a document be read now? */
static bool
may_read(struct office *office)
{
	struct frontier_document document;

	if (!frontier_next_document(office->frontier, office->now_s, &document))
		return false;
	frontier_document_back(office->frontier, document.id, office->now_s);
	return true;
}

static struct frontier_terms
terms_of(struct office *office, const char *url)
{
	struct frontier_terms terms;

	assert_true(frontier_page_terms(
	    office->frontier, slice_of(url), office->now_s, &terms));
	return terms;
}

static void
open_hourly(struct office *office)
{
	office_open(office);
	office_read(office, office->map, MANY);
	office_watch(office, 1, OFFICE_HOST, HOUR_S);
	office_begin(office);
	office->now_s += HOUR_S - 10;
}

/* Pages that fail hold the pages of their host, and not its sitemaps: over a
 * restart, too. */
static void
test_pages_held(void **state)
{
	struct frontier_terms document;
	struct office office;
	int64_t held_s;

	(void)state;
	open_hourly(&office);
	fail_many(&office, 3, 500);
	held_s = office.now_s + 60;
	for (int i = 0; i < 2; i++) {
		struct hold_times held = frontier_held(
		    office.frontier, slice_of(OFFICE_HOST));

		assert_int_equal(held.all_s, 0);
		assert_int_equal(held.pages_s, held_s);
		assert_int_equal(
		    terms_of(&office, HOST_TEXT "z").held_until_s, held_s);
		assert_true(terms_of(&office, HOST_TEXT "z").is_pages_hold);
		assert_true(frontier_document_terms(
		    office.frontier, office.map, office.now_s, &document));
		assert_int_equal(document.held_until_s, 0);
		assert_false(document.is_pages_hold);
		assert_int_equal(fetch_all(&office, ""), 0);
		office_restart(&office);
	}
	office.now_s += 11;
	assert_true(may_read(&office));
	assert_int_equal(fetch_all(&office, ""), 0);
	office.now_s = held_s;
	/* who asks for all of it ends this, too */
	fail_many(&office, 3, 0);
	assert_int_equal(fetch_all(&office, ""), 0);
	assert_true(frontier_hold(office.frontier, slice_of(OFFICE_HOST),
	    office.now_s, office.now_s, "order"));
	office_restart(&office);
	assert_int_equal(
	    frontier_held(office.frontier, slice_of(OFFICE_HOST)).pages_s, 0);
	office_close(&office);
}

/* One that is asked too much is left alone, though its pages are held. */
static void
test_all_held(void **state)
{
	struct frontier_result result = {.status = 429};
	struct frontier_answer answer;
	struct frontier_page page;
	struct office office;
	struct buf token;

	(void)state;
	open_hourly(&office);
	buf_init(&token, 100);
	assert_true(office_take(&office, &page));
	(void)buf_put_slice(&token, slice_of(page.token));
	fail_many(&office, 3, 500);
	office.now_s += 11;
	assert_true(may_read(&office));
	result.token = buf_text(&token);
	assert_int_equal(
	    frontier_done(office.frontier, &result, office.now_s, &answer),
	    FRONTIER_OK);
	assert_false(may_read(&office));
	office_restart(&office);
	office.now_s = frontier_held(office.frontier, slice_of(OFFICE_HOST))
			   .all_s -
	    1;
	assert_false(may_read(&office));
	office.now_s += 1;
	assert_true(may_read(&office));
	buf_release(&token);
	office_close(&office);
}

/* For longer than a day: its sitemaps, too. */
static void
test_long(void **state)
{
	struct office office;

	(void)state;
	open_hourly(&office);
	assert_true(frontier_hold(office.frontier, slice_of(OFFICE_HOST),
	    office.now_s + 3 * DAY_S, office.now_s, "order"));
	office.now_s += 3 * DAY_S - 1;
	assert_false(may_read(&office));
	office.now_s += 1;
	assert_true(may_read(&office));
	office_close(&office);
}

/* Its host was held before it was a site. */
static void
test_held_before(void **state)
{
	struct frontier_document document;
	struct office office;
	int64_t map, begin_s;

	(void)state;
	open_hourly(&office);
	begin_s = office.now_s;
	assert_true(frontier_hold(office.frontier, slice_of(LATER),
	    begin_s + 2 * HOUR_S, begin_s, "order"));
	map = document_make(
	    office.world.store, LATER, "http://" LATER "/map.xml");
	office_watch(&office, 2, LATER, HOUR_S);
	office_read(&office, map, "a b");
	frontier_watch_changed(office.frontier, 2, office.now_s);
	office.now_s = begin_s + 2 * HOUR_S - 1;
	while (frontier_next_document(office.frontier, office.now_s, &document))
		assert_int_not_equal(document.id, map);
	office.now_s += 1;
	assert_true(
	    frontier_next_document(office.frontier, office.now_s, &document));
	assert_int_equal(document.id, map);
	office_close(&office);
}

/* A host that answers 403 to everything is left alone, for longer each time;
 * one page that it gives ends that. */
static void
test_refused(void **state)
{
	struct office office;
	struct frontier_page page;
	struct buf url;
	int64_t next_s, hold_s = 60;

	(void)state;
	open_many(&office, &url);
	for (int i = 0; i < 5; i++)
		fail_next(&office, i % 2 == 0 ? 403 : 401, 0, &url, &next_s);
	assert_true(office_take(&office, &page));
	assert_string_equal(office_done(&office, page.token, 200, "x"), "OK");
	for (int i = 0; i < 10; i++)
		fail_next(&office, 403, 0, &url, &next_s);
	for (int i = 0; i < 4; i++, hold_s *= 2) {
		assert_int_equal(office_count(&office), 0);
		office.now_s += hold_s - 1;
		assert_int_equal(office_count(&office), 0);
		office.now_s += 1;
		fail_next(&office, 403, 0, &url, &next_s);
	}
	office.now_s += hold_s;
	assert_true(office_take(&office, &page));
	assert_string_equal(office_done(&office, page.token, 200, "x"), "OK");
	fail_next(&office, 403, 0, &url, &next_s);
	assert_true(office_take(&office, &page));
	buf_release(&url);
	office_close(&office);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_one_bad),
	    cmocka_unit_test(test_limited),
	    cmocka_unit_test(test_held_meanwhile),
	    cmocka_unit_test(test_many_wait),
	    cmocka_unit_test(test_pages_held),
	    cmocka_unit_test(test_all_held),
	    cmocka_unit_test(test_long),
	    cmocka_unit_test(test_held_before),
	    cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
