/* What fetchers report: results, failures, and leases that come back. */
#include "tests/fixtures/fixture.h"

#include "crawler/frontier/frontier_tables.h"
#include "store/document.h"
#include "store/outcome.h"
#include "tests/fixtures/frontier_fixture.h"
#include "tests/fixtures/frontier_sites_fixture.h"

/* Bad results change nothing, and the lease stays. */
static void
test_bad_lines(void **state)
{
	static const struct {
		const char *token;
		int status;
		const char *reason;
	} cases[] = {
	    {"", 200, "nothing-named"},
	    {"x.1", 200, "bad-lease"},
	    {"1.", 200, "bad-lease"},
	    {".1", 200, "bad-lease"},
	    {"11", 200, "bad-lease"},
	    {"1.0", 200, "bad-lease"},
	    {"1.1.1", 200, "bad-lease"},
	    {"1.100000000", 200, "bad-lease"},
	    {"8000000000000000.1", 200, "bad-lease"},
	    {"fffffffffffffffff.1", 200, "bad-lease"},
	    {"1.2", 200, "unknown-lease"},
	    {"2.1", 200, "unknown-lease"},
	    {"1.1", 42, "bad-status"},
	    {"1.1", -1, "bad-status"},
	    {"1.1", 600, "bad-status"},
	    {"1.1", 200, "OK"},
	    {"1.1", 200, "repeated-lease"},
	};
	struct setup setup;
	struct frontier_page page;

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, "a:1");
	setup_begin(&setup);
	assert_true(setup_take(&setup, &page));
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(
		    setup_done(&setup, cases[i].token, cases[i].status, NULL),
		    cases[i].reason);
	setup_close(&setup);
}

static void
says(struct setup *setup, const struct frontier_result *result,
    const char *reason)
{
	struct frontier_answer answer;
	enum frontier_ack ack = frontier_done(
	    setup->frontier, result, setup->now_s, &answer);

	assert_string_equal(ack == FRONTIER_OK ? "OK" : answer.reason, reason);
	if (ack == FRONTIER_OK)
		assert_true(answer.next_due_s > setup->now_s);
	setup_commit(setup);
}

/* Results with the URL of another page, of no page, from the future, and
 * without a lease. */
static void
test_urls(void **state)
{
	struct setup setup;
	struct frontier_page page;
	struct frontier_result result = {
	    .status = 200, .token = slice_of("1.1")};

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, "a:1");
	setup_begin(&setup);
	assert_true(setup_take(&setup, &page));
	result.url = slice_of(HOST_TEXT "b");
	says(&setup, &result, "url-of-another-page");
	result.url = slice_of("HTTP://H.test:80/a");
	result.at_s = setup.now_s + 301;
	says(&setup, &result, "from-the-future");
	result.at_s = setup.now_s + 300;
	says(&setup, &result, "OK");
	result.token = slice_of("");
	result.at_s = setup.now_s - 1;
	says(&setup, &result, "older-result");
	result.at_s = 0;
	says(&setup, &result, "OK");
	result.url = slice_of("no URL");
	says(&setup, &result, "bad-url");
	result.url = slice_of(HOST_TEXT "b");
	says(&setup, &result, "unknown-url");
	setup_close(&setup);
}

/* A result without a token counts as the result of the lease of that page. */
static void
test_unasked(void **state)
{
	struct setup setup;
	struct frontier_page page;
	struct frontier_result result = {
	    .status = 200, .url = slice_of(HOST_TEXT "a")};

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, "a:1");
	setup_begin(&setup);
	assert_true(setup_take(&setup, &page));
	says(&setup, &result, "OK");
	assert_string_equal(
	    setup_done(&setup, "1.1", 200, NULL), "repeated-lease");
	setup_close(&setup);
}

static void
test_release(void **state)
{
	struct setup setup;
	struct frontier_page page;
	struct frontier_answer answer;

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, "a b");
	setup_begin(&setup);
	assert_true(setup_take(&setup, &page));
	assert_int_equal(frontier_release(setup.frontier, slice_of("1.1"),
			     setup.now_s, &answer),
	    FRONTIER_OK);
	assert_int_equal(frontier_release(setup.frontier, slice_of("1.1"),
			     setup.now_s, &answer),
	    FRONTIER_SKIPPED);
	assert_string_equal(answer.reason, "expired-lease");
	assert_true(setup_take(&setup, &page));
	assert_true(setup_take(&setup, &page));
	assert_false(setup_take(&setup, &page));
	assert_int_equal(frontier_release_all(setup.frontier, setup.now_s), 2);
	assert_true(setup_take(&setup, &page));
	setup_close(&setup);
}

struct seen_outcome {
	int64_t id;
	enum page_outcome kind;
};

static bool
note_outcome(void *arg, const struct outcome_row *row)
{
	*(struct seen_outcome *)arg = (struct seen_outcome){row->id, row->kind};
	return false;
}

static void
outcome_is(struct setup *setup, int64_t id, const char *kind)
{
	struct seen_outcome seen = {0};

	store_each_outcome(setup->world.store, id - 1, note_outcome, &seen);
	assert_int_equal(seen.id, id);
	assert_string_equal(page_outcome_name(seen.kind), kind);
}

struct outcome_case {
	int status;
	const char *hash, *etag;
	const char *kind; /* as the store has it */
};

static void
play(struct setup *setup, const struct outcome_case *cases, size_t count)
{
	struct frontier_page page;

	assert_true(setup_take(setup, &page));
	for (size_t i = 0; i < count; i++) {
		struct frontier_result result = {.status = cases[i].status,
		    .url = slice_of(HOST_TEXT "a"),
		    .has_hash = cases[i].hash != NULL,
		    .content_hash = slice_of(cases[i].hash),
		    .etag = slice_of(cases[i].etag)};

		setup->now_s += 60;
		says(setup, &result, "OK");
		outcome_is(setup, (int64_t)i + 1, cases[i].kind);
	}
}

/* The outcome of a fetch, and what the store keeps of it. */
static void
test_outcomes(void **state)
{
	static const struct outcome_case cases[] = {
	    {200, "one", NULL, "fetched"},
	    {200, "one", NULL, "same"},
	    {200, "two", "\"e\"", "changed"},
	    {200, NULL, "\"e\"", "same"},
	    {200, NULL, "W/\"e\"", "fetched"},
	    {200, NULL, "W/\"e\"", "fetched"},
	    {304, NULL, NULL, "not-modified"},
	    {503, NULL, NULL, "failed"},
	    {0, NULL, NULL, "failed"},
	    {302, NULL, NULL, "failed"},
	    {301, NULL, NULL, "moved"},
	    {410, NULL, NULL, "gone"},
	    {200, "two", NULL, "same"},
	};
	struct setup setup;

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, "a");
	setup_begin(&setup);
	play(&setup, cases, COUNT(cases));
	setup_close(&setup);
}

/* Pages that fail, and when they are due again. */

#define LATER "later.test"
#define PAGES 26

/* Lease all pages that are due and report each; fail if `bad` is among them.
 * Returns how many there were. */
static int
fetch_all(struct setup *setup, const char *bad)
{
	struct frontier_page page;
	int count = 0;

	while (setup_take(setup, &page)) {
		if (slice_is(page.url, bad))
			fail_msg("handed out: %s", bad);
		assert_string_equal(
		    setup_done(setup, page.token, 200, "x"), "OK");
		count++;
	}
	return count;
}

/* The next page fails; *url is its URL, *next_s in how many seconds it is
 * due again. */
static void
fail_next(struct setup *setup, int status, int64_t retry_after_s,
    struct buf *url, int64_t *next_s)
{
	struct frontier_result result = {
	    .status = status, .retry_after_s = retry_after_s};
	struct frontier_answer answer;
	struct frontier_page page;

	assert_true(setup_take(setup, &page));
	buf_clear(url);
	(void)buf_put_slice(url, page.url);
	result.token = slice_of(page.token);
	assert_int_equal(
	    frontier_done(setup->frontier, &result, setup->now_s, &answer),
	    FRONTIER_OK);
	setup_commit(setup);
	*next_s = answer.next_due_s - setup->now_s;
}

static void
open_many(struct setup *setup, struct buf *url)
{
	buf_init(url, 1000);
	setup_open(setup);
	setup_read(setup, setup->map, SETUP_LETTERS);
	setup_begin(setup);
}

/* A page that fails and was never fetched waits, over a restart too; the
 * other pages do not wait. */
static void
test_one_bad(void **state)
{
	struct setup setup;
	struct frontier_page page;
	struct buf url;
	int64_t next_s;

	(void)state;
	open_many(&setup, &url);
	fail_next(&setup, 500, 0, &url, &next_s);
	assert_in_range(next_s, HOUR_S, HOUR_S + 60);
	assert_int_equal(fetch_all(&setup, buf_str(&url)), PAGES - 1);
	for (int i = 0; i < 59; i++) {
		setup.now_s += 60;
		(void)fetch_all(&setup, buf_str(&url));
	}
	setup_restart(&setup);
	(void)fetch_all(&setup, buf_str(&url));
	setup.now_s += 120;
	assert_true(setup_take(&setup, &page));
	assert_true(slice_is(page.url, buf_str(&url)));
	assert_string_equal(setup_done(&setup, page.token, 0, NULL), "OK");
	setup.now_s += 2 * HOUR_S - 1;
	(void)fetch_all(&setup, buf_str(&url));
	setup_close(&setup);
	buf_release(&url);
}

/* A host sends Retry-After: the page is due when that time is over, as are
 * the others; when the page fails with Retry-After again, only the page
 * waits. */
static void
test_limited(void **state)
{
	struct setup setup;
	struct buf url, again;
	int64_t next_s;

	(void)state;
	open_many(&setup, &url);
	buf_init(&again, 1000);
	fail_next(&setup, 429, 30, &url, &next_s);
	assert_in_range(next_s, 30, 31);
	setup.now_s += 29;
	assert_int_equal(fetch_all(&setup, ""), 0);
	setup.now_s += 1;
	fail_next(&setup, 429, 30, &again, &next_s);
	if (slice_equal(buf_text(&url), buf_text(&again)))
		assert_in_range(next_s, HOUR_S, HOUR_S + 60);
	else
		assert_in_range(next_s, 30, 31);
	setup.now_s += 30;
	assert_true(fetch_all(&setup, "") >= PAGES - 2);
	setup_close(&setup);
	buf_release(&url);
	buf_release(&again);
}

/* A page whose failure is reported while its host is held is due when the
 * hold is over. */
static void
test_held_meanwhile(void **state)
{
	struct setup setup;
	struct frontier_page first, second;
	struct frontier_result result = {.status = 503, .retry_after_s = 600};
	struct frontier_answer answer;
	struct buf token;

	(void)state;
	open_many(&setup, &token);
	assert_true(setup_take(&setup, &first));
	(void)buf_put_slice(&token, slice_of(first.token));
	assert_true(setup_take(&setup, &second));
	result.token = slice_of(second.token);
	(void)frontier_done(setup.frontier, &result, setup.now_s, &answer);
	result = (struct frontier_result){
	    .token = buf_text(&token), .status = 500};
	assert_int_equal(
	    frontier_done(setup.frontier, &result, setup.now_s, &answer),
	    FRONTIER_OK);
	assert_int_equal(answer.next_due_s, setup.now_s + 600);
	setup_close(&setup);
	buf_release(&token);
}

/* Other pages of the host that wait in the ready queue are no hold. */
static void
test_many_wait(void **state)
{
	struct frontier_result result = {.status = 500};
	struct frontier_answer answer;
	struct frontier_page page;
	struct setup setup;
	struct buf url;
	int64_t next_s;

	(void)state;
	open_many(&setup, &url);
	setup.consumer.per_host = 1;
	assert_true(setup_take(&setup, &page));
	(void)buf_put_slice(&url, page.url);
	result.token = slice_of(page.token);
	/* the other pages are chosen and wait */
	assert_false(lease_page(setup.frontier, &setup.consumer, setup.now_s,
	    &(struct frontier_page){0}));
	assert_int_equal(
	    frontier_done(setup.frontier, &result, setup.now_s, &answer),
	    FRONTIER_OK);
	next_s = answer.next_due_s - setup.now_s;
	assert_in_range(next_s, HOUR_S, HOUR_S + 60);
	assert_true(fetch_all(&setup, buf_str(&url)) > 0);
	setup_close(&setup);
	buf_release(&url);
}

static void
fail_many(struct setup *setup, int count, int status)
{
	struct buf url;
	int64_t next_s;

	buf_init(&url, 1000);
	for (int i = 0; i < count; i++)
		fail_next(setup, status, 0, &url, &next_s);
	buf_release(&url);
}

/* May a document be read now? */
static bool
may_read(struct setup *setup)
{
	struct frontier_document document;

	if (!frontier_next_document(setup->frontier, setup->now_s, &document))
		return false;
	frontier_document_back(setup->frontier, document.id, setup->now_s);
	return true;
}

static void
open_hourly(struct setup *setup)
{
	setup_open(setup);
	setup_read(setup, setup->map, SETUP_LETTERS);
	setup_watch(setup, 1, SETUP_HOST, HOUR_S);
	setup_begin(setup);
	setup->now_s += HOUR_S - 10;
}

/* Failed pages hold the pages of their host but not its sitemaps; over a
 * restart, too. */
static void
test_pages_held(void **state)
{
	struct frontier_terms document;
	struct setup setup;
	int64_t held_s;

	(void)state;
	open_hourly(&setup);
	fail_many(&setup, 3, 500);
	held_s = setup.now_s + 60;
	for (int i = 0; i < 2; i++) {
		struct hold_times held = frontier_held(
		    setup.frontier, slice_of(SETUP_HOST));

		assert_int_equal(held.all_s, 0);
		assert_int_equal(held.pages_s, held_s);
		assert_int_equal(
		    setup_terms(&setup, HOST_TEXT "z").held_until_s, held_s);
		assert_true(setup_terms(&setup, HOST_TEXT "z").is_pages_hold);
		assert_true(frontier_document_terms(
		    setup.frontier, setup.map, setup.now_s, &document));
		assert_int_equal(document.held_until_s, 0);
		assert_false(document.is_pages_hold);
		assert_int_equal(fetch_all(&setup, ""), 0);
		setup_restart(&setup);
	}
	setup.now_s += 11;
	assert_true(may_read(&setup));
	assert_int_equal(fetch_all(&setup, ""), 0);
	setup.now_s = held_s;
	/* ending all holds of the host ends this one, too */
	fail_many(&setup, 3, 0);
	assert_int_equal(fetch_all(&setup, ""), 0);
	assert_true(frontier_hold(setup.frontier, slice_of(SETUP_HOST),
	    setup.now_s, setup.now_s, "order"));
	setup_restart(&setup);
	assert_int_equal(
	    frontier_held(setup.frontier, slice_of(SETUP_HOST)).pages_s, 0);
	setup_close(&setup);
}

/* A host that answers 429 is held as a whole, though its pages are held
 * already. */
static void
test_all_held(void **state)
{
	struct frontier_result result = {.status = 429};
	struct frontier_answer answer;
	struct frontier_page page;
	struct setup setup;
	struct buf token;

	(void)state;
	open_hourly(&setup);
	buf_init(&token, 100);
	assert_true(setup_take(&setup, &page));
	(void)buf_put_slice(&token, slice_of(page.token));
	fail_many(&setup, 3, 500);
	setup.now_s += 11;
	assert_true(may_read(&setup));
	result.token = buf_text(&token);
	assert_int_equal(
	    frontier_done(setup.frontier, &result, setup.now_s, &answer),
	    FRONTIER_OK);
	assert_false(may_read(&setup));
	setup_restart(&setup);
	setup.now_s = frontier_held(setup.frontier, slice_of(SETUP_HOST))
			  .all_s -
	    1;
	assert_false(may_read(&setup));
	setup.now_s += 1;
	assert_true(may_read(&setup));
	buf_release(&token);
	setup_close(&setup);
}

/* After more than a day of failures the sitemaps of the host wait, too. */
static void
test_long(void **state)
{
	struct setup setup;

	(void)state;
	open_hourly(&setup);
	assert_true(frontier_hold(setup.frontier, slice_of(SETUP_HOST),
	    setup.now_s + 3 * DAY_S, setup.now_s, "order"));
	setup.now_s += 3 * DAY_S - 1;
	assert_false(may_read(&setup));
	setup.now_s += 1;
	assert_true(may_read(&setup));
	setup_close(&setup);
}

/* A host was held before it had a site. */
static void
test_held_before(void **state)
{
	struct frontier_document document;
	struct setup setup;
	int64_t map, begin_s;

	(void)state;
	open_hourly(&setup);
	begin_s = setup.now_s;
	assert_true(frontier_hold(setup.frontier, slice_of(LATER),
	    begin_s + 2 * HOUR_S, begin_s, "order"));
	map = document_make(
	    setup.world.store, LATER, "http://" LATER "/map.xml");
	setup_watch(&setup, 2, LATER, HOUR_S);
	setup_read(&setup, map, "a b");
	frontier_watch_changed(setup.frontier, 2, setup.now_s);
	setup.now_s = begin_s + 2 * HOUR_S - 1;
	while (frontier_next_document(setup.frontier, setup.now_s, &document))
		assert_int_not_equal(document.id, map);
	setup.now_s += 1;
	assert_true(
	    frontier_next_document(setup.frontier, setup.now_s, &document));
	assert_int_equal(document.id, map);
	setup_close(&setup);
}

/* A host that answers 403 to everything is left alone, for longer each time;
 * one page that it gives ends that. */
static void
test_refused(void **state)
{
	struct setup setup;
	struct frontier_page page;
	struct buf url;
	int64_t next_s, hold_s = 60;

	(void)state;
	open_many(&setup, &url);
	for (int i = 0; i < 5; i++)
		fail_next(&setup, i % 2 == 0 ? 403 : 401, 0, &url, &next_s);
	assert_true(setup_take(&setup, &page));
	assert_string_equal(setup_done(&setup, page.token, 200, "x"), "OK");
	for (int i = 0; i < 10; i++)
		fail_next(&setup, 403, 0, &url, &next_s);
	for (int i = 0; i < 4; i++, hold_s *= 2) {
		assert_int_equal(setup_count(&setup), 0);
		setup.now_s += hold_s - 1;
		assert_int_equal(setup_count(&setup), 0);
		setup.now_s += 1;
		fail_next(&setup, 403, 0, &url, &next_s);
	}
	setup.now_s += hold_s;
	assert_true(setup_take(&setup, &page));
	assert_string_equal(setup_done(&setup, page.token, 200, "x"), "OK");
	fail_next(&setup, 403, 0, &url, &next_s);
	assert_true(setup_take(&setup, &page));
	buf_release(&url);
	setup_close(&setup);
}

static struct frontier_page
take(struct setup *setup)
{
	struct frontier_page page;

	assert_true(setup_take(setup, &page));
	return page;
}

/* Many fetches that saw one outage are one failure; answers such as a login
 * page are none. */
static void
test_outage(void **state)
{
	static const struct {
		int status;
		int64_t most_s; /* the hold of the host */
	} cases[] = {
	    {503, 600}, {0, 600}, {302, 0}, {403, 60}, {451, 0}, {408, 600}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct setup setup;
		struct frontier_page pages[12];
		int64_t held_s;

		setup_start(&setup, SETUP_LETTERS);
		for (size_t j = 0; j < COUNT(pages); j++)
			pages[j] = take(&setup);
		for (size_t j = 0; j < COUNT(pages); j++)
			assert_string_equal(setup_done(&setup, pages[j].token,
						cases[i].status, NULL),
			    "OK");
		held_s = setup_terms(&setup, HOST_TEXT "a").held_until_s;
		held_s = held_s > setup.now_s ? held_s - setup.now_s : 0;
		assert_true(held_s <= cases[i].most_s);
		assert_true((held_s > 0) == (cases[i].most_s > 0));
		setup_close(&setup);
	}
}

/* If the clock of the fetcher is a day behind, the page counts as fetched
 * when it was leased. */
static void
test_clock_behind(void **state)
{
	struct setup setup;
	struct frontier_page page;
	struct frontier_answer answer;

	(void)state;
	setup_start(&setup, "a");
	page = take(&setup);
	assert_int_equal(
	    frontier_done(setup.frontier,
		&(struct frontier_result){.token = slice_of(page.token),
		    .status = 200,
		    .at_s = setup.now_s - DAY_S},
		setup.now_s, &answer),
	    FRONTIER_OK);
	assert_int_equal(
	    setup_terms(&setup, HOST_TEXT "a").fetched_s, setup.now_s);
	assert_int_equal(setup_count(&setup), 0);
	setup_close(&setup);
}

/* The same result is reported twice, without a token. */
static void
test_said_again(void **state)
{
	struct setup setup;
	struct frontier_page page;
	struct frontier_answer answer;
	struct frontier_result result = {.url = slice_of(HOST_TEXT "a"),
	    .status = 200,
	    .has_hash = true,
	    .content_hash = slice_of("y")};

	(void)state;
	setup_start(&setup, "a");
	page = take(&setup);
	assert_string_equal(setup_done(&setup, page.token, 200, "x"), "OK");
	setup.now_s += HOUR_S;
	result.at_s = setup.now_s - 60;
	assert_int_equal(
	    frontier_done(setup.frontier, &result, setup.now_s, &answer),
	    FRONTIER_OK);
	result.content_hash = slice_of("z");
	assert_int_equal(
	    frontier_done(setup.frontier, &result, setup.now_s, &answer),
	    FRONTIER_SKIPPED);
	assert_string_equal(answer.reason, "older-result");
	setup_close(&setup);
}

static bool
note_kind(void *arg, const struct outcome_row *row)
{
	enum page_outcome *kind = arg;

	*kind = row->kind;
	return true;
}

/* 304 to a page that was never fetched says nothing about change. */
static void
test_not_modified_since_never(void **state)
{
	enum page_outcome kind = PAGE_OUTCOMES;
	struct setup setup;
	struct frontier_page page;
	struct frontier_terms before, after;

	(void)state;
	setup_open(&setup);
	setup_read(&setup, setup.map, "a");
	setup_begin(&setup);
	assert_true(setup_take(&setup, &page));
	assert_true(frontier_page_terms(
	    setup.frontier, slice_of(HOST_TEXT "a"), setup.now_s, &before));
	assert_string_equal(setup_done(&setup, page.token, 304, NULL), "OK");
	assert_true(frontier_page_terms(
	    setup.frontier, slice_of(HOST_TEXT "a"), setup.now_s, &after));
	store_each_outcome(setup.world.store, 0, note_kind, &kind);
	assert_int_equal(kind, PAGE_FETCHED);
	assert_close(after.terms.precision, before.terms.precision, 1e-12);
	setup_close(&setup);
}

UNIT(frontier_result)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bad_lines),
	    cmocka_unit_test(test_urls),
	    cmocka_unit_test(test_unasked),
	    cmocka_unit_test(test_release),
	    cmocka_unit_test(test_outcomes),
	    cmocka_unit_test(test_one_bad),
	    cmocka_unit_test(test_limited),
	    cmocka_unit_test(test_held_meanwhile),
	    cmocka_unit_test(test_many_wait),
	    cmocka_unit_test(test_pages_held),
	    cmocka_unit_test(test_all_held),
	    cmocka_unit_test(test_long),
	    cmocka_unit_test(test_held_before),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_outage),
	    cmocka_unit_test(test_clock_behind),
	    cmocka_unit_test(test_said_again),
	    cmocka_unit_test(test_not_modified_since_never),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
