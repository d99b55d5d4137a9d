/* What fetchers report: results, failures, and leases that come back. */
#include "tests/fixtures/fixture.h"

#include "crawler/frontier/frontier_tables.h"
#include "store/document.h"
#include "store/outcome.h"
#include "tests/fixtures/frontier_fixture.h"

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
	struct setup *setup = *state;

	setup_start(setup, "a:1");
	setup_walk(setup, "1");
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *reason = setup_done(
		    setup, cases[i].token, cases[i].status, NULL);

		if (strcmp(reason, cases[i].reason) != 0)
			fail_msg("%s %d: %s", cases[i].token, cases[i].status,
			    reason);
	}
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
	static const struct {
		const char *token, *url;
		int64_t at_s; /* from now on; 0: not said */
		const char *reason;
	} cases[] = {
	    {"1.1", HOST_TEXT "b", 0, "url-of-another-page"},
	    {"1.1", "HTTP://H.test:80/a", 301, "from-the-future"},
	    {"1.1", "HTTP://H.test:80/a", 300, "OK"},
	    {"", "HTTP://H.test:80/a", -1, "older-result"},
	    {"", "HTTP://H.test:80/a", 0, "OK"},
	    {"", "no URL", 0, "bad-url"},
	    {"", HOST_TEXT "b", 0, "unknown-url"},
	};
	struct setup *setup = *state;

	setup_start(setup, "a:1");
	setup_walk(setup, "1");
	for (size_t i = 0; i < COUNT(cases); i++)
		says(setup,
		    &(struct frontier_result){.status = 200,
			.token = slice_of(cases[i].token),
			.url = slice_of(cases[i].url),
			.at_s = cases[i].at_s == 0
			    ? 0
			    : setup->now_s + cases[i].at_s},
		    cases[i].reason);
}

/* A result without a token counts as the result of the lease of that page. */
static void
test_unasked(void **state)
{
	struct setup *setup = *state;

	setup_start(setup, "a:1");
	setup_walk(setup, "1");
	says(setup,
	    &(struct frontier_result){
		.status = 200, .url = slice_of(HOST_TEXT "a")},
	    "OK");
	assert_string_equal(
	    setup_done(setup, "1.1", 200, NULL), "repeated-lease");
}

static void
test_release(void **state)
{
	struct setup *setup = *state;
	struct frontier_answer answer;

	setup_start(setup, "a b");
	(void)setup_page(setup);
	for (int i = 0; i < 2; i++)
		assert_int_equal(frontier_release(setup->frontier,
				     slice_of("1.1"), setup->now_s, &answer),
		    i == 0 ? FRONTIER_OK : FRONTIER_SKIPPED);
	assert_string_equal(answer.reason, "expired-lease");
	setup_walk(setup, "2");
	assert_int_equal(
	    frontier_release_all(setup->frontier, setup->now_s), 2);
	(void)setup_page(setup);
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

	store_each_outcome(setup->world.store, 0, id - 1, note_outcome, &seen);
	assert_int_equal(seen.id, id);
	assert_string_equal(page_outcome_name(seen.kind), kind);
}

/* The outcome of a fetch, and what the store keeps of it. */
static void
test_outcomes(void **state)
{
	static const struct {
		int status;
		const char *hash, *etag;
		const char *kind; /* as the store has it */
	} cases[] = {
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
	struct setup *setup = *state;

	setup_start(setup, "a");
	setup_walk(setup, "1");
	for (size_t i = 0; i < COUNT(cases); i++) {
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

/* Pages that fail, and when they are due again. */

#define LATER "later.test"
#define PAGES 26

/* Lease all pages that are due and report each; fail if `bad` is among them.
 * Returns how many there were. */
static int
fetch_but(struct setup *setup, const char *bad)
{
	struct frontier_page page;
	int count;

	for (count = 0; setup_take(setup, &page); count++) {
		if (slice_is(page.url, bad))
			fail_msg("handed out: %s", bad);
		setup_ok(setup, page.token, 200, "x");
	}
	return count;
}

/* The lease gets that status.  Returns in how many seconds its page is due
 * again. */
static int64_t
fail_page(
    struct setup *setup, const char *token, int status, int64_t retry_after_s)
{
	return setup_report(setup,
		   &(struct frontier_result){.token = slice_of(token),
		       .status = status,
		       .retry_after_s = retry_after_s})
		   .next_due_s -
	    setup->now_s;
}

/* The same for the next page, whose URL becomes setup->out. */
static int64_t
fail_next(struct setup *setup, int status, int64_t retry_after_s)
{
	struct frontier_page page = setup_page(setup);

	(void)text_of(&setup->out, page.url);
	return fail_page(setup, page.token, status, retry_after_s);
}

/* A page that fails and was never fetched waits, over a restart too; the
 * other pages do not wait. */
static void
test_one_bad(void **state)
{
	struct setup *setup = *state;
	struct frontier_page page;
	const char *url;

	setup_start(setup, SETUP_LETTERS);
	assert_in_range(fail_next(setup, 500, 0), HOUR_S, HOUR_S + 60);
	url = buf_str(&setup->out);
	assert_int_equal(fetch_but(setup, url), PAGES - 1);
	for (int i = 0; i < 59; i++) {
		setup->now_s += 60;
		(void)fetch_but(setup, url);
	}
	setup_restart(setup);
	(void)fetch_but(setup, url);
	setup->now_s += 120;
	page = setup_page(setup);
	assert_true(slice_is(page.url, url));
	setup_ok(setup, page.token, 0, NULL);
	setup->now_s += 2 * HOUR_S - 1;
	(void)fetch_but(setup, url);
}

/* A host sends Retry-After: the page is due when that time is over, as are
 * the others; when the page fails with Retry-After again, only the page
 * waits. */
static void
test_limited(void **state)
{
	struct setup *setup = *state;
	int64_t next_s;
	char *url;

	setup_start(setup, SETUP_LETTERS);
	assert_in_range(fail_next(setup, 429, 30), 30, 31);
	url = slice_dup(buf_text(&setup->out));
	setup_walk(setup, "+29 0 +1");
	next_s = fail_next(setup, 429, 30);
	if (slice_is(buf_text(&setup->out), url))
		assert_in_range(next_s, HOUR_S, HOUR_S + 60);
	else
		assert_in_range(next_s, 30, 31);
	setup->now_s += 30;
	assert_true(setup_fetch_all(setup, "x") >= PAGES - 2);
	free(url);
}

/* A page whose failure is reported while its host is held is due when the
 * hold is over. */
static void
test_held_meanwhile(void **state)
{
	struct setup *setup = *state;
	struct frontier_page first, second;

	setup_start(setup, SETUP_LETTERS);
	first = setup_page(setup);
	second = setup_page(setup);
	(void)fail_page(setup, second.token, 503, 600);
	assert_int_equal(fail_page(setup, first.token, 500, 0), 600);
}

/* Other pages of the host that wait in the ready queue are no hold. */
static void
test_many_wait(void **state)
{
	struct setup *setup = *state;
	struct frontier_page page;

	setup_start(setup, SETUP_LETTERS);
	setup->consumer.per_host = 1;
	page = setup_page(setup);
	(void)text_of(&setup->out, page.url);
	/* the other pages are chosen and wait */
	setup_walk(setup, "0");
	assert_in_range(
	    fail_page(setup, page.token, 500, 0), HOUR_S, HOUR_S + 60);
	assert_true(fetch_but(setup, buf_str(&setup->out)) > 0);
}

/* May a document be read now? */
static bool
may_read(struct setup *setup)
{
	struct frontier_document document;

	if (!setup_next(setup, &document))
		return false;
	frontier_document_back(setup->frontier, document.id, setup->now_s);
	return true;
}

/* The map is read every hour, and next in ten seconds. */
static void
begin_hourly(struct setup *setup)
{
	setup_list(setup, SETUP_LETTERS);
	setup_watch(setup, 1, SETUP_HOST, HOUR_S);
	setup_begin(setup);
	setup->now_s += HOUR_S - 10;
}

static struct hold_times
held(const struct setup *setup)
{
	return frontier_held(setup->frontier, slice_of(SETUP_HOST));
}

/* Failed pages hold the pages of their host but not its sitemaps; over a
 * restart, too. */
static void
test_pages_held(void **state)
{
	struct setup *setup = *state;
	struct frontier_terms page, document;
	int64_t held_s;

	begin_hourly(setup);
	for (int i = 0; i < 3; i++)
		(void)fail_next(setup, 500, 0);
	held_s = setup->now_s + 60;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(held(setup).all_s, 0);
		assert_int_equal(held(setup).pages_s, held_s);
		page = setup_terms(setup, HOST_TEXT "z");
		assert_int_equal(page.held_until_s, held_s);
		assert_true(page.is_pages_hold);
		assert_true(frontier_document_terms(
		    setup->frontier, setup->map, setup->now_s, &document));
		assert_int_equal(document.held_until_s, 0);
		assert_false(document.is_pages_hold);
		setup_walk(setup, "0 restart");
	}
	setup->now_s += 11;
	assert_true(may_read(setup));
	setup_walk(setup, "0");
	setup->now_s = held_s;
	/* ending all holds of the host ends this one, too */
	for (int i = 0; i < 3; i++)
		(void)fail_next(setup, 0, 0);
	setup_walk(setup, "0");
	setup_hold(setup, SETUP_HOST, 0);
	setup_restart(setup);
	assert_int_equal(held(setup).pages_s, 0);
}

/* A host that answers 429 is held as a whole, though its pages are held
 * already. */
static void
test_all_held(void **state)
{
	struct setup *setup = *state;
	struct frontier_page page;

	begin_hourly(setup);
	page = setup_page(setup);
	for (int i = 0; i < 3; i++)
		(void)fail_next(setup, 500, 0);
	setup->now_s += 11;
	assert_true(may_read(setup));
	(void)fail_page(setup, page.token, 429, 0);
	assert_false(may_read(setup));
	setup_restart(setup);
	setup->now_s = held(setup).all_s - 1;
	assert_false(may_read(setup));
	setup->now_s += 1;
	assert_true(may_read(setup));
}

/* After more than a day of failures the sitemaps of the host wait, too. */
static void
test_long(void **state)
{
	struct setup *setup = *state;

	begin_hourly(setup);
	setup_hold(setup, SETUP_HOST, 3 * DAY_S);
	setup->now_s += 3 * DAY_S - 1;
	assert_false(may_read(setup));
	setup->now_s += 1;
	assert_true(may_read(setup));
}

/* A host was held before it had a site. */
static void
test_held_before(void **state)
{
	struct setup *setup = *state;
	struct frontier_document document;
	int64_t map, begin_s;

	begin_hourly(setup);
	begin_s = setup->now_s;
	setup_hold(setup, LATER, 2 * HOUR_S);
	map = document_make(
	    setup->world.store, LATER, "http://" LATER "/map.xml");
	setup_watch(setup, 2, LATER, HOUR_S);
	setup_read(setup, map, "a b");
	frontier_watch_changed(setup->frontier, 2, setup->now_s);
	setup->now_s = begin_s + 2 * HOUR_S - 1;
	while (setup_next(setup, &document))
		assert_int_not_equal(document.id, map);
	setup->now_s += 1;
	assert_true(setup_next(setup, &document));
	assert_int_equal(document.id, map);
}

/* A host that answers 403 to everything is left alone, for longer each time;
 * one page that it gives ends that. */
static void
test_refused(void **state)
{
	struct setup *setup = *state;
	int64_t hold_s = 60;

	setup_start(setup, SETUP_LETTERS);
	for (int i = 0; i < 5; i++)
		(void)fail_next(setup, i % 2 == 0 ? 403 : 401, 0);
	setup_fetch(setup, "x");
	for (int i = 0; i < 10; i++)
		(void)fail_next(setup, 403, 0);
	for (int i = 0; i < 4; i++, hold_s *= 2) {
		assert_int_equal(setup_count(setup), 0);
		setup->now_s += hold_s - 1;
		setup_walk(setup, "0 +1");
		(void)fail_next(setup, 403, 0);
	}
	setup->now_s += hold_s;
	setup_fetch(setup, "x");
	(void)fail_next(setup, 403, 0);
	(void)setup_page(setup);
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
	struct setup *setup = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct frontier_page pages[12];
		int64_t held_s;

		setup_again(setup);
		setup_start(setup, SETUP_LETTERS);
		for (size_t j = 0; j < COUNT(pages); j++)
			pages[j] = setup_page(setup);
		for (size_t j = 0; j < COUNT(pages); j++)
			setup_ok(setup, pages[j].token, cases[i].status, NULL);
		held_s = setup_terms(setup, HOST_TEXT "a").held_until_s;
		held_s = held_s > setup->now_s ? held_s - setup->now_s : 0;
		if (held_s > cases[i].most_s ||
		    (held_s > 0) != (cases[i].most_s > 0))
			fail_msg("%d: %d s", cases[i].status, (int)held_s);
	}
}

/* If the clock of the fetcher is a day behind, the page counts as fetched
 * when it was leased. */
static void
test_clock_behind(void **state)
{
	struct setup *setup = *state;
	struct frontier_page page;

	setup_start(setup, "a");
	page = setup_page(setup);
	(void)setup_report(setup,
	    &(struct frontier_result){.token = slice_of(page.token),
		.status = 200,
		.at_s = setup->now_s - DAY_S});
	assert_int_equal(
	    setup_terms(setup, HOST_TEXT "a").fetched_s, setup->now_s);
	setup_walk(setup, "0");
}

/* The same result is reported twice, without a token. */
static void
test_said_again(void **state)
{
	struct setup *setup = *state;
	struct frontier_result result = {.url = slice_of(HOST_TEXT "a"),
	    .status = 200,
	    .has_hash = true,
	    .content_hash = slice_of("y")};

	setup_start(setup, "a");
	setup_fetch(setup, "x");
	setup->now_s += HOUR_S;
	result.at_s = setup->now_s - 60;
	says(setup, &result, "OK");
	result.content_hash = slice_of("z");
	says(setup, &result, "older-result");
}

/* 304 to a page that was never fetched says nothing about change. */
static void
test_not_modified_since_never(void **state)
{
	struct setup *setup = *state;
	struct frontier_page page;
	struct frontier_terms before, after;

	setup_start(setup, "a");
	page = setup_page(setup);
	before = setup_terms(setup, HOST_TEXT "a");
	setup_ok(setup, page.token, 304, NULL);
	after = setup_terms(setup, HOST_TEXT "a");
	outcome_is(setup, 1, "fetched");
	assert_close(after.terms.precision, before.terms.precision, 1e-12);
}

UNIT_TESTS(frontier_result, setup_test(test_bad_lines), setup_test(test_urls),
    setup_test(test_unasked), setup_test(test_release),
    setup_test(test_outcomes), setup_test(test_one_bad),
    setup_test(test_limited), setup_test(test_held_meanwhile),
    setup_test(test_many_wait), setup_test(test_pages_held),
    setup_test(test_all_held), setup_test(test_long),
    setup_test(test_held_before), setup_test(test_refused),
    setup_test(test_outage), setup_test(test_clock_behind),
    setup_test(test_said_again), setup_test(test_not_modified_since_never));
